import type { Attempt } from './attempt.ts';
import type { Command } from './command.ts';
import type { Intent } from './intent.ts';
import { type Step, withAnomaly } from './step.ts';

/** A provider's receipt counts for one payment: who compares it, and how. */

/**
 * The limit bounds the payment's record. Each conflict is a payment that an operator has to look
 * at.
 */
const CONFLICTS_MAX = 20;

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
type Receipts = Pick<Attempt, 'receipt' | 'issuerReceipt'>;

export function receiptsOf({ receipt, issuerReceipt }: Receipts): readonly string[] {
  return [receipt, issuerReceipt].filter((known) => known !== null);
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
