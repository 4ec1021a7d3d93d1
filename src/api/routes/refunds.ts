import { BODY_BYTES_MAX } from '../../config.ts';
import type { Intent } from '../../domain/intent.ts';
import { majorText } from '../../domain/money.ts';
import { asRequested, type Refund } from '../../domain/refund.ts';
import { REFUNDS_MAX, refundableMinor } from '../../domain/refund-amounts.ts';
import { jsonResponse, successBody, successResponse } from '../../http/envelope.ts';
import { fieldError } from '../../http/field-error.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { type Problem, problem, validationProblem } from '../../http/problem.ts';
import { checked } from '../../http/strict-body.ts';
import { type IntentClient, intentByUniqueId } from '../../intent/client.ts';
import { findPaymentOfRefund } from '../../read-model/refunds-list.ts';
import { attemptToRefund, type RefundResult, requestRefund } from '../../refunds/request.ts';
import { refundPayload, WIRE_REFUND_STATUSES } from '../../webhooks/refund-payload.ts';
import type { MerchantCall } from '../call.ts';
import { idempotencyClaim } from '../idempotency.ts';
import { refundSchema } from '../schema/refund.ts';

/** POST …/refund: returns a payment to its customer, or a part of it (docs/refunds.md). */
export async function createRefund({ request, env, access }: MerchantCall): Promise<Response> {
  const body = await readJsonBody(request, BODY_BYTES_MAX);
  const idempotency = await idempotencyClaim(request, 'refund', body.bytes);
  const asked = checked(refundSchema, body.value);
  const { refundUniqueId, transactionId } = asked;
  const result = await requestRefund(env, access, {
    paymentUniqueId: asked.paymentIntentUniqueId,
    refundUniqueId,
    transactionId,
    amountMinor: asked.amount,
    reason: asked.reason,
    requester: { type: 'api', keyId: access.keyDigest },
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

type Refused = Exclude<RefundResult, { readonly type: 'accepted' | 'replayed' }>;

function refusal(result: Refused, refundUniqueId: string, transactionId: string | null): Problem {
  switch (result.type) {
    case 'taken':
      return result.reason === 'duplicate'
        ? problem('duplicate_refund_id', { refundUniqueId })
        : problem('idempotency_key_reused');
    case 'payment_not_found':
      return problem('payment_not_found');
    case 'transaction_not_found':
      return validationProblem({
        transactionId: fieldError('mismatch', 'The payment has no such transaction.'),
      });
    case 'too_old':
      return problem('refund_too_late', result);
    case 'daily_limit':
      return problem('refund_daily_limit', {
        left: majorText(result.leftMinor),
        max: majorText(result.maxMinor),
      });
    case 'rejected':
      return rejection(result, transactionId);
  }
}

function rejection(
  result: Extract<RefundResult, { readonly type: 'rejected' }>,
  transactionId: string | null,
): Problem {
  const { intent } = result;
  switch (result.rejection) {
    case 'not_paid':
      return problem('payment_not_paid');
    case 'refund_too_large': {
      const attempt = attemptToRefund(intent, transactionId);
      const left = majorText(attempt === null ? 0 : refundableMinor(intent, attempt));
      return problem('refund_too_large', { left, currency: intent.terms.currency });
    }
    case 'too_many_refunds':
      return problem('too_many_refunds', { refundsMax: REFUNDS_MAX });
    default:
      throw new Error(`a refund was rejected as ${result.rejection}`);
  }
}

/** GET …/refund/{refundUniqueId}: the refund as it is now. */
export async function readRefund(call: MerchantCall): Promise<Response> {
  const read = await (await paymentOf(call)).read();
  const refund = read.type === 'found' ? refundIn(read.intent, call.id) : undefined;
  if (read.type === 'not_found' || refund === undefined) {
    throw problem('refund_not_found');
  }
  return successResponse('Refund found', refundPayload(read.intent, refund));
}

/** POST …/refund/{refundUniqueId}/cancel: only before the provider is asked. */
export async function cancelRefund(call: MerchantCall): Promise<Response> {
  const client = await paymentOf(call);
  const result = await client.execute([{ type: 'cancel_refund', refundId: call.id }]);
  const refund = result.type === 'done' ? refundIn(result.intent, call.id) : undefined;
  if (result.type === 'not_found' || refund === undefined) {
    throw problem('refund_not_found');
  }
  if (result.rejection !== null) {
    throw problem('refund_not_cancelable', { status: WIRE_REFUND_STATUSES[refund.status] });
  }
  return successResponse('Refund canceled', refundPayload(result.intent, refund));
}

/** An id of another merchant or environment is a 404, like an unknown one (docs/decisions.md#29). */
async function paymentOf({ env, access, id }: MerchantCall): Promise<IntentClient> {
  const uniqueId = await findPaymentOfRefund(env, access, id);
  if (uniqueId === null) {
    throw problem('refund_not_found');
  }
  return intentByUniqueId(env, access, uniqueId);
}

function refundIn({ refunds }: Intent, refundUniqueId: string): Refund | undefined {
  return refunds.find(({ id }) => id === refundUniqueId);
}
