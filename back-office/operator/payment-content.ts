import type { PaymentDetails } from '../../src/control/rpc/operator.ts';
import { type Intent, paidAtMs } from '../../src/engine/domain/intent.ts';
import { paidNeedsSecondOperator } from '../../src/engine/domain/manual-resolution.ts';
import { needsSecondOperator } from '../../src/engine/domain/refund-amounts.ts';

/** A payment in the API's answers. */
export function paymentContent(details: PaymentDetails) {
  const { objectName, intent, history, events, review, retention } = details;
  const { terms } = intent;
  return {
    objectName,
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
    paidAtMs: paidAtMs(intent),
    attempts: intent.attempts.map((attempt) => attemptContent(details, attempt)),
    refunds: intent.refunds.map((refund) => refundContent(details, refund)),
    anomalies: intent.anomalies,
    history,
    events,
    review,
    retention,
  };
}

/** Only such a refund takes an operator's decision. */
export function waitsForPerson({ status }: Intent['refunds'][number]): boolean {
  return status === 'requires_action' || status === 'unresolved';
}

/** Omits the customer's phone number and the customer's link to the provider's page. */
function attemptContent(
  { intent, secondOperatorAboveMinor }: PaymentDetails,
  attempt: Intent['attempts'][number],
) {
  const { phone: _phone, redirectUrl: _redirectUrl, startClaimId: _claim, ...rest } = attempt;
  return {
    ...rest,
    paid: attempt.id === intent.paidAttemptId,
    secondOperatorNeeded:
      attempt.status !== 'succeeded' &&
      paidNeedsSecondOperator(intent, attempt, secondOperatorAboveMinor),
  };
}

function refundContent(
  { intent, secondOperatorAboveMinor }: PaymentDetails,
  refund: Intent['refunds'][number],
) {
  const { requestId: _request, idempotencyKeyDigest: _key, bodyDigest: _body, ...shown } = refund;
  const { claimId: _claim, repeat, ...rest } = shown;
  const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
  return {
    ...rest,
    repeatId: repeat?.repeatId ?? null,
    transactionId: attempt?.reference ?? null,
    secondOperatorNeeded:
      waitsForPerson(refund) && needsSecondOperator(intent, refund, secondOperatorAboveMinor),
  };
}
