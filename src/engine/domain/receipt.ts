import type { Attempt } from './attempt.ts';
import type { Command } from './command.ts';
import type { Intent } from './intent.ts';
import { type Step, withAnomaly, withAttempt } from './step.ts';

/** A provider's receipt counts for one payment: who compares it, and how. */

/**
 * The limit bounds the payment's record. Each conflict is a payment that an operator has to look
 * at.
 */
const CONFLICTS_MAX = 20;
/** The limit bounds what reports with made-up receipts store of one attempt. */
const FURTHER_RECEIPTS_MAX = 20;

/**
 * A receipt as it is compared: letters and digits in upper case, because people copy receipts from
 * phones and portals, and a dot or a dash must not make one receipt two.
 */
export function normalizedReceipt(receipt: string): string {
  const text = receipt.normalize('NFKC').toUpperCase();
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '') || `~${text}`;
}

export function isSameReceipt(one: string, other: string | null): boolean {
  return other !== null && normalizedReceipt(one) === normalizedReceipt(other);
}

/** The ids that providers and wallets gave an attempt when it was paid. */
type Receipts = Pick<Attempt, 'receipt' | 'issuerReceipt' | 'furtherReceipts'>;

export function receiptsOf(attempt: Receipts): readonly string[] {
  const { receipt, issuerReceipt, furtherReceipts = [] } = attempt;
  return [receipt, issuerReceipt, ...furtherReceipts].filter((known) => known !== null);
}

export function isReceiptOf(receipt: string | null, attempt: Receipts): boolean {
  return receiptsOf(attempt).some((own) => isSameReceipt(own, receipt));
}

/** Whether another attempt of the payment was paid by a receipt of this attempt. */
export function hasSameReceipt(
  { attempts }: Intent,
  paid: Receipts & Pick<Attempt, 'id'>,
): boolean {
  return attempts.some((other) => other.id !== paid.id && shareReceipt(other, paid));
}

/**
 * Whether another payment or attempt has a receipt of this attempt. The money may have moved once,
 * and a refund of each would return it twice. Conflicts of an operator's receipt end for this attempt
 * when the provider's replaces it: refunds no longer name it.
 */
export function isReceiptShared(intent: Intent, attempt: Attempt): boolean {
  const own = intent.anomalies.filter(({ attemptId }) => attemptId === attempt.id);
  const replacedAt = own.findLastIndex(({ replacedReceipt }) => replacedReceipt !== undefined);
  return (
    hasSameReceipt(intent, attempt) ||
    own.slice(replacedAt + 1).some(({ kind }) => kind === 'receipt_conflict')
  );
}

/**
 * Records that the provider reports a paid attempt as paid again. Null when it may be the same
 * payment: the reports share an id, or do not both have one of the same kind.
 */
export function secondReceipt(step: Step, attempt: Attempt, proof: Receipts): Step | null {
  const { furtherReceipts = [], ...first } = attempt;
  const others = receiptsOf(proof);
  const isFirst = others.some((other) => isReceiptOf(other, first));
  const isFull = furtherReceipts.length >= FURTHER_RECEIPTS_MAX;
  const unknown = others.filter((other) => !isReceiptOf(other, attempt));
  const known = withAttempt(step, {
    ...attempt,
    furtherReceipts: [...furtherReceipts, ...unknown],
  });
  const further = { receipt: null, issuerReceipt: null, furtherReceipts };
  if (others.some((other) => isReceiptOf(other, further))) {
    // A second payment reported again: its ids must not become those that refunds name.
    return isFirst || isFull || unknown.length === 0 ? step : known;
  }
  const [receipt] = (['receipt', 'issuerReceipt'] as const).flatMap((kind) =>
    attempt[kind] === null ? [] : (proof[kind] ?? []),
  );
  if (receipt === undefined || isFirst) {
    return null;
  }
  return isFull
    ? step
    : withAnomaly(known, { kind: 'second_receipt', attemptId: attempt.id, receipt });
}

/** The attempts of one payment that have a receipt of the other. */
export function attemptsWithReceiptOf(one: Intent, other: Intent): readonly Attempt[] {
  return one.attempts.filter((own) => other.attempts.some((attempt) => shareReceipt(own, attempt)));
}

function shareReceipt(one: Receipts, other: Receipts): boolean {
  return receiptsOf(one).some((receipt) => isReceiptOf(receipt, other));
}

/** The conflict is recorded once for each other payment, so a repeated check changes nothing. */
export function reportReceiptConflict(
  step: Step,
  { attemptId, other }: Extract<Command, { type: 'report_receipt_conflict' }>,
): Step {
  const known = step.intent.anomalies.filter(({ kind }) => kind === 'receipt_conflict');
  const isKnown = known.some(
    (anomaly) =>
      anomaly.attemptId === attemptId &&
      anomaly.other?.merchantId === other.merchantId &&
      anomaly.other.uniqueId === other.uniqueId,
  );
  return isKnown || known.length >= CONFLICTS_MAX
    ? step
    : withAnomaly(step, { kind: 'receipt_conflict', attemptId, other });
}
