import type { Attempt, Intent } from '../../src/domain/intent.ts';
import { paidNeedsSecondOperator } from '../../src/domain/manual-resolution.ts';
import type { Refund } from '../../src/domain/refund.ts';
import { needsSecondOperator } from '../../src/domain/refund-amounts.ts';
import { successResponse } from '../../src/http/envelope.ts';
import { type IntentClient, intentByUniqueId } from '../../src/intent/client.ts';
import { namedPayment, readReview } from './attention/review.ts';
import type { OperatorCall } from './call.ts';
import { refundRepeatFields, repeatRefund } from './refund-repeat.ts';
import { refundRequestFields, requestForMerchant } from './refund-request.ts';
import { refundResolutionFields, resolveRefund } from './refund-resolution.ts';
import { knownIntent, resolutionFields, resolve } from './resolution.ts';
import { readBody } from './schema.ts';

/** GET …/payments/{environment}/{merchantId}/{uniqueId}, read from its object. */
export async function readPayment(call: OperatorCall): Promise<Response> {
  const { tenant, uniqueId } = namedPayment(call);
  const client = intentByUniqueId(call.env, tenant, uniqueId);
  const intent = await knownIntent(client);
  return successResponse('Payment', await paymentContent(call, client, intent));
}

/** POST …/attempts/{attemptId}/resolve */
export async function resolveAttempt(call: OperatorCall): Promise<Response> {
  const { type, client, intent } = await resolve(
    call,
    await readBody(call.request, resolutionFields),
  );
  return successResponse(DECIDED[type], await paymentContent(call, client, intent));
}

/** The result of a manual decision. */
const DECIDED = {
  resolved: 'Resolved',
  proposed: 'Stored. Another operator must confirm it',
  repeated: 'Already recorded',
} as const;

/** POST …/refunds */
export async function requestRefundOfPayment(call: OperatorCall): Promise<Response> {
  const { isRepeated, client, intent } = await requestForMerchant(
    call,
    await readBody(call.request, refundRequestFields),
  );
  const message = isRepeated ? 'Already requested' : 'Refund requested';
  return successResponse(message, await paymentContent(call, client, intent));
}

/** POST …/refunds/{refundId}/resolve */
export async function decideRefund(call: OperatorCall): Promise<Response> {
  const { type, client, intent } = await resolveRefund(
    call,
    await readBody(call.request, refundResolutionFields),
  );
  return successResponse(DECIDED[type], await paymentContent(call, client, intent));
}

/** POST …/refunds/{refundId}/repeat */
export async function sendRefundAgain(call: OperatorCall): Promise<Response> {
  const { isRepeated, client, intent } = await repeatRefund(
    call,
    await readBody(call.request, refundRepeatFields),
  );
  const message = isRepeated ? 'Already sent again' : 'Sending again';
  return successResponse(message, await paymentContent(call, client, intent));
}

async function paymentContent(call: OperatorCall, client: IntentClient, intent: Intent) {
  const { terms } = intent;
  const [history, events, review] = await Promise.all([
    client.history(),
    client.events(),
    readReview(call.env.DB, terms.uuid),
  ]);
  return {
    objectId: client.objectId,
    environment: terms.environment,
    merchantId: terms.merchantId,
    merchantName: terms.merchantName,
    uniqueId: terms.uniqueId,
    uuid: terms.uuid,
    number: terms.number,
    kind: terms.kind,
    status: intent.status,
    failureReason: intent.failureReason,
    late: intent.late,
    amountMinor: terms.amountMinor,
    currency: terms.currency,
    createdAtMs: terms.createdAtMs,
    expiresAtMs: terms.expiresAtMs,
    endedAtMs: intent.endedAtMs,
    attempts: intent.attempts.map((attempt) => attemptContent(call, intent, attempt)),
    refunds: intent.refunds.map((refund) => refundContent(call, intent, refund)),
    anomalies: intent.anomalies,
    history,
    events,
    review,
  };
}

/** Omits the customer's phone number and the customer's link to the provider's page. */
function attemptContent({ config }: OperatorCall, intent: Intent, attempt: Attempt) {
  const { phone: _phone, redirectUrl: _redirectUrl, startClaimId: _claim, ...rest } = attempt;
  return {
    ...rest,
    paid: attempt.id === intent.paidAttemptId,
    secondOperatorNeeded: paidNeedsSecondOperator(intent, attempt, config.secondOperatorAboveMinor),
  };
}

function refundContent(call: OperatorCall, intent: Intent, refund: Refund) {
  const { requestId: _request, idempotencyKeyDigest: _key, bodyDigest: _body, ...shown } = refund;
  const { claimId: _claim, repeat, ...rest } = shown;
  const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
  return {
    ...rest,
    repeatId: repeat?.repeatId ?? null,
    transactionId: attempt?.reference ?? null,
    secondOperatorNeeded: needsSecondOperator(intent, refund, call.config.secondOperatorAboveMinor),
  };
}
