import type { Attempt, FailureReason } from '../domain/attempt.ts';
import { type Anomaly, type Intent, reportedAttempt } from '../domain/intent.ts';
import { phoneFrom } from '../domain/phone.ts';
import { hasRefundEnded } from '../domain/refund.ts';
import { refundedOf } from '../domain/refund-amounts.ts';
import { chargedMinor, commissionOf } from '../domain/terms.ts';
import { isPending, needsPersonFromMs } from '../domain/time.ts';

/** What the book shows of a payment. */

export function projectionRow(intent: Intent) {
  const { terms } = intent;
  const method = reportedAttempt(intent)?.method ?? null;
  return {
    environment: terms.environment,
    merchantId: terms.merchantId,
    uuid: terms.uuid,
    number: terms.number,
    uniqueId: terms.uniqueId,
    kind: terms.kind,
    status: intent.status,
    failureReason: intent.failureReason,
    late: intent.late,
    amountMinor: terms.amountMinor,
    /** The commission of `method`; 0 without a method. */
    commissionMinor: method === null ? 0 : commissionOf(terms, method),
    commissionPaidByCustomer: terms.commissionPaidByCustomer,
    currency: terms.currency,
    method,
    /** Attempts and anomalies that a person may have to review. */
    unresolvedAttempts: intent.attempts.filter(({ status }) => status === 'unresolved').length,
    anomalies: intent.anomalies.length,
    /** Attempts that one operator found paid, and another one must confirm. */
    proposedAttempts: intent.attempts.filter(({ proposal }) => proposal !== null).length,
    /** Attempts that a person may have to look up at the provider. Nearly always none. */
    concernedAttempts: concernedAttempts(intent),
    createdAtMs: terms.createdAtMs,
    updatedAtMs: intent.updatedAtMs,
    endedAtMs: intent.endedAtMs,
    /** The id of the reported attempt; null without one. */
    transactionId: reportedAttempt(intent)?.reference ?? null,
    /** What was certainly returned of the attempt that paid, without commission. */
    refundedMinor: refundedOf(intent).amountMinor,
    /** Refunds without an outcome. */
    openRefunds: intent.refunds.filter((refund) => !hasRefundEnded(refund)).length,
    /** An entry for each method with an ended attempt, without the attempt that paid. */
    attempts: attemptCounts(intent),
  };
}

const IN_CONFLICT: ReadonlySet<Anomaly['kind']> = new Set([
  'duplicate_payment',
  'second_receipt',
  'receipt_conflict',
  'contradicting_failure',
  'contradicting_refund',
  'excess_refund',
]);

function concernedAttempts({ terms, attempts, anomalies, late, paidAttemptId }: Intent) {
  const isConcerned = ({ id, status, proposal }: Attempt) =>
    status === 'unresolved' ||
    proposal !== null ||
    anomalies.some(({ attemptId }) => attemptId === id) ||
    (late && id === paidAttemptId);
  const anomaliesOf = ({ id }: Attempt) =>
    anomalies.filter(({ attemptId }) => attemptId === id).map(({ kind }) => kind);
  return attempts.filter(isConcerned).map((attempt) => ({
    transactionId: attempt.reference,
    method: attempt.method,
    chargedMinor: chargedMinor(terms, attempt.method),
    /** From when a person is needed to resolve it; null: it has an outcome. */
    unresolvedFromMs: attempt.status === 'unresolved' ? needsPersonFromMs(attempt) : null,
    // Money may belong to another payment, was paid twice, or more of it was returned.
    ...(anomaliesOf(attempt).some((kind) => IN_CONFLICT.has(kind)) && {
      moneyConflict: true as const,
    }),
    ...(anomaliesOf(attempt).length > 0 && { anomalies: anomaliesOf(attempt) }),
  }));
}

/** Without the merchant's own words, which may name a person. */
export function projectedRefunds({ attempts, refunds }: Intent) {
  return refunds.flatMap((refund) => {
    const attempt = attempts.find(({ id }) => id === refund.attemptId);
    return attempt === undefined
      ? []
      : [
          {
            id: refund.id,
            status: refund.status,
            amountMinor: refund.amountMinor,
            commissionReturnedMinor: refund.commissionReturnedMinor,
            returnedMinor: refund.returnedMinor,
            reference: refund.reference,
            railReference: refund.railReference,
            failureReason: refund.failureReason,
            actionReason: refund.actionReason,
            late: refund.late,
            method: attempt.method,
            /** The id of the attempt that is refunded. */
            transactionId: attempt.reference,
            createdAtMs: refund.createdAtMs,
            updatedAtMs: refund.updatedAtMs,
          },
        ];
  });
}

interface AttemptCount {
  readonly method: Attempt['method'];
  /** Attempts that succeeded, failed or expired. */
  readonly ended: number;
  readonly succeeded: number;
  /** Attempts that did not reach the provider, or that it refused because of the gateway. */
  readonly unreached?: number;
  /** Those of them whose start the provider was asked for, and that certainly never reached it. */
  readonly neverReached?: number;
}

/**
 * The attempts that have ended, by method, in the order of the first of each. The one that paid is
 * counted as the paid payment that it made.
 */
function attemptCounts({ attempts, paidAttemptId }: Intent): readonly AttemptCount[] {
  const ended = attempts.filter((attempt) => !isPending(attempt) && attempt.id !== paidAttemptId);
  return [...new Set(ended.map(({ method }) => method))].map((method) => {
    const own = ended.filter((attempt) => attempt.method === method);
    const succeeded = own.filter(({ status }) => status === 'succeeded').length;
    const unreached = own.filter(({ failureReason }) => isUnreached(failureReason)).length;
    const neverReached = own.filter(isOutage).length;
    return {
      method,
      ended: own.length,
      succeeded,
      ...(unreached > 0 && { unreached }),
      ...(neverReached > 0 && { neverReached }),
    };
  });
}

/** A start that was never made, which expires, says nothing about the provider. */
function isOutage({ status, neverReached }: Attempt): boolean {
  return status === 'failed' && neverReached === true;
}

function isUnreached(reason: FailureReason | null): boolean {
  return reason === 'rail_unavailable' || reason === 'misconfigured';
}

/** The phone numbers of the customer and of the attempts, as `251XXXXXXXXX`. */
export function phonesOf(intent: Intent): string[] {
  const given = [intent.terms.customer?.phone, ...intent.attempts.map(({ phone }) => phone)];
  const phones = given.map((phone) => (phone == null ? null : phoneFrom(phone)));
  return [...new Set(phones.filter((phone) => phone !== null))];
}

/** Receipts that operators recorded before the provider named others. The book may have them. */
export function replacedReceiptsIn({ anomalies }: Intent): string[] {
  return anomalies.flatMap(({ replacedReceipt }) => replacedReceipt ?? []);
}
