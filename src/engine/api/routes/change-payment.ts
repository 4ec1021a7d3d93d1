import { jsonResponse, successBody, successResponse } from '../../../kit/http/envelope.ts';
import { problem } from '../../../kit/http/problem.ts';
import { checked } from '../../../kit/http/strict-body.ts';
import type { Intent } from '../../domain/intent.ts';
import { asRequested, type Refund } from '../../domain/refund.ts';
import { type IntentClient, intentByUniqueId } from '../../intent/client.ts';
import { refusal } from '../../refunds/refusal.ts';
import { refundIn, requestRefund } from '../../refunds/request.ts';
import { registerOf } from '../../register/client.ts';
import { statusContent } from '../../webhooks/payload.ts';
import { refundPayload, WIRE_REFUND_STATUSES } from '../../webhooks/refund-payload.ts';
import { type MerchantCall, requesterOf } from '../call.ts';
import { readKeyedBody } from '../keyed-body.ts';
import * as acts from '../payment-acts.ts';
import { refundSchema } from '../schema/refund.ts';
import { paymentContent } from './read-payment.ts';

/** What changes a payment that exists. An isolate loads it with the first call. */

/** POST …/intents/{uniqueId}/cancel: only without an attempt in flight (docs/decisions.md#25). */
export async function cancelPayment(call: MerchantCall): Promise<Response> {
  const client = await intentByUniqueId(call.env, call.access, call.id);
  const result = await acts.cancelPayment(client, requesterOf(call));
  switch (result.type) {
    case 'not_found':
      throw problem('payment_not_found');
    case 'attempt_in_flight':
      throw problem('payment_in_progress');
    case 'not_open':
      throw problem('payment_ended', { status: statusContent(result.intent).status });
    case 'canceled': {
      const content = await paymentContent(call, result.intent);
      return successResponse('Payment intent canceled successfully', content);
    }
  }
}

/** POST …/refunds: returns a payment to its customer, or a part of it (docs/refunds.md). */
export async function createRefund(call: MerchantCall): Promise<Response> {
  const { request, env, access } = call;
  const { value, idempotency } = await readKeyedBody(request, 'refund');
  const asked = checked(refundSchema, value);
  const { refundUniqueId, transactionId } = asked;
  const result = await requestRefund(env, access, {
    paymentUniqueId: asked.paymentIntentUniqueId,
    refundUniqueId,
    transactionId,
    amountMinor: asked.amountMinor ?? null,
    reason: asked.reason,
    requester: requesterOf(call),
    idempotency,
  });
  switch (result.type) {
    case 'accepted':
      return answer(result.intent, result.refund);
    case 'replayed':
      return answer(result.intent, result.refund, { 'idempotent-replayed': 'true' });
    default:
      throw refusal(result, refundUniqueId, transactionId);
  }
}

/** As at creation, because the alarm may have asked the provider meanwhile. */
function answer(intent: Intent, refund: Refund, headers: Readonly<Record<string, string>> = {}) {
  const content = refundPayload(intent, asRequested(refund));
  return jsonResponse(200, successBody('Refund requested', content), headers);
}

/** GET …/refunds/{refundUniqueId}: the refund as it is now. */
export async function readRefund(call: MerchantCall): Promise<Response> {
  const intent = await (await paymentOf(call)).read();
  const refund = intent && refundIn(intent, call.id);
  if (intent === null || refund === null) {
    throw problem('refund_not_found');
  }
  return successResponse('Refund found', refundPayload(intent, refund));
}

/** POST …/refunds/{refundUniqueId}/cancel: only before the provider is asked. */
export async function cancelRefund(call: MerchantCall): Promise<Response> {
  const client = await paymentOf(call);
  const result = await acts.cancelRefund(client, call.id, requesterOf(call));
  if (result.type === 'not_found') {
    throw problem('refund_not_found');
  }
  const { intent, refund } = result;
  if (result.type === 'refund_not_pending') {
    throw problem('refund_not_cancelable', { status: WIRE_REFUND_STATUSES[refund.status] });
  }
  return successResponse('Refund canceled', refundPayload(intent, refund));
}

/** An id of another merchant or environment is a 404, like an unknown one (docs/decisions.md#29). */
async function paymentOf({ env, access, id }: MerchantCall): Promise<IntentClient> {
  const uniqueId = await registerOf(env, access).paymentOfRefund(id);
  if (uniqueId === null) {
    throw problem('refund_not_found');
  }
  return intentByUniqueId(env, access, uniqueId);
}
