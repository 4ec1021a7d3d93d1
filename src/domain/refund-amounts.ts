import {
  type Attempt,
  chargedMinor,
  commissionOf,
  type Intent,
  type IntentTerms,
} from './intent.ts';
import { holdsMoney, type Refund, type RefundAmounts } from './refund.ts';

/** How much of a payment is reserved, returned and left. */

/** Enough for any order, and the payment's record stays far below its limit of 2 MB. */
export const REFUNDS_MAX = 50;

/** The refunds of one attempt. */
export function refundsOf(
  { refunds }: Pick<Intent, 'refunds'>,
  attemptId: string | null,
): readonly Refund[] {
  return refunds.filter((refund) => refund.attemptId === attemptId);
}

/** The sums of the refunds' amounts. */
export function sumOf(refunds: readonly Refund[]): RefundAmounts {
  return refunds.reduce<RefundAmounts>(
    (sum, refund) => ({
      amountMinor: sum.amountMinor + refund.amountMinor,
      commissionReturnedMinor: sum.commissionReturnedMinor + refund.commissionReturnedMinor,
      returnedMinor: sum.returnedMinor + refund.returnedMinor,
    }),
    { amountMinor: 0, commissionReturnedMinor: 0, returnedMinor: 0 },
  );
}

/**
 * Whether two operators must agree about a refund, because the customer gets more than `aboveMinor`:
 * with what was returned by hand of the same payment before, so that small parts do not pass the
 * limit (docs/decisions.md#41). Null: there is no limit.
 */
export function needsSecondOperator(
  { refunds }: Intent,
  refund: Refund,
  aboveMinor: number | null,
): boolean {
  const before = refunds.filter(
    ({ id, status, manualResolutionId }) =>
      id !== refund.id && status === 'succeeded' && manualResolutionId !== null,
  );
  return aboveMinor !== null && sumOf([refund, ...before]).returnedMinor > aboveMinor;
}

/** What was returned of the attempt that paid. */
export function refundedOf(intent: Intent): RefundAmounts {
  return sumOf(
    refundsOf(intent, intent.paidAttemptId).filter(({ status }) => status === 'succeeded'),
  );
}

/** What is left of a paid attempt's amount for further refunds, in minor units. */
export function refundableMinor(intent: Intent, attempt: Attempt): number {
  return attempt.status === 'succeeded'
    ? intent.terms.amountMinor - heldOf(intent, attempt).amountMinor
    : 0;
}

/** What is reserved or returned of an attempt. */
export function heldOf(intent: Pick<Intent, 'refunds'>, attempt: Attempt): RefundAmounts {
  return sumOf(refundsOf(intent, attempt.id).filter(holdsMoney));
}

/**
 * The amounts of a refund of `amountMinor` (docs/decisions.md#39). It gives up the commission in
 * proportion, rounded down; the refund of the remaining amount gives up the remaining commission.
 */
export function refundAmounts(
  intent: Pick<Intent, 'terms' | 'refunds'>,
  attempt: Attempt,
  amountMinor: number,
  keepsCommission: boolean,
): RefundAmounts {
  const { terms } = intent;
  const held = heldOf(intent, attempt);
  const commissionMinor = commissionOf(terms, attempt.method);
  // Not negative: other refunds may have given up a failed refund's part before that one succeeded.
  const leftMinor = Math.max(0, commissionMinor - held.commissionReturnedMinor);
  const isRest = held.amountMinor + amountMinor === terms.amountMinor;
  const proportionalMinor = shareOf(commissionMinor, amountMinor, terms.amountMinor);
  const givenUpMinor = isRest ? leftMinor : Math.min(leftMinor, proportionalMinor);
  const commissionReturnedMinor = keepsCommission ? 0 : givenUpMinor;
  return {
    amountMinor,
    commissionReturnedMinor,
    returnedMinor: amountMinor + (terms.commissionPaidByCustomer ? commissionReturnedMinor : 0),
  };
}

/** A beneficiary's share after refunds: reduced in proportion, rounded down, in minor units. */
export function netShareMinor(
  { amountMinor }: Pick<IntentTerms, 'amountMinor'>,
  shareMinor: number,
  refundedMinor: number,
): number {
  return shareOf(shareMinor, amountMinor - refundedMinor, amountMinor);
}

/** Whether refunds fit into what the customer paid by this attempt. */
export function fits(intent: Intent, attempt: Attempt, refund: RefundAmounts): boolean {
  const { amountMinor, returnedMinor } = heldOf(intent, attempt);
  return (
    amountMinor + refund.amountMinor <= intent.terms.amountMinor &&
    returnedMinor + refund.returnedMinor <= chargedMinor(intent.terms, attempt.method)
  );
}

/** `whole` × `part` / `of`, rounded down. Uses BigInt, because the product exceeds safe integers. */
function shareOf(whole: number, part: number, of: number): number {
  return Number((BigInt(whole) * BigInt(part)) / BigInt(of));
}
