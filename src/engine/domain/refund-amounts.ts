import type { Attempt } from './attempt.ts';
import type { Intent } from './intent.ts';
import type { Method } from './method.ts';
import { holdsMoney, isWaiting, type Refund, type RefundAmounts } from './refund.ts';
import { chargedMinor, commissionOf, type IntentTerms } from './terms.ts';

/** How much of a payment is reserved, returned and left. */

/** How many refunds of a payment can hold money. Orders need fewer. */
export const REFUNDS_MAX = 50;

/**
 * The limit includes failed and canceled refunds, which Kefel never removes: a callback URL names a
 * refund by its position, in one byte. The largest refund takes 12 KB of the payment's record, its
 * history included; the record must stay below 2 MB.
 */
export const REFUND_REQUESTS_MAX = 150;

/** The refunds of one attempt. */
export function refundsOf(
  { refunds }: Pick<Intent, 'refunds'>,
  attemptId: string | null,
): readonly Refund[] {
  return refunds.filter((refund) => refund.attemptId === attemptId);
}

/** The sums of the refunds' amounts. */
export function sumOf(refunds: readonly RefundAmounts[]): RefundAmounts {
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
 * Whether two operators must agree about a refund, because the customer gets more than
 * `aboveMinor`: with what operators returned of the same payment before, so that small parts do not
 * pass the limit (docs/decisions.md#41). Null: there is no limit.
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

/**
 * What the merchant gets back of the commission: what the refund returns, without the part that went
 * on to the customer. Below zero if a late refund sent a customer commission that another refund had
 * returned already.
 */
export function commissionBackMinor(refund: RefundAmounts): number {
  return refund.amountMinor + refund.commissionReturnedMinor - refund.returnedMinor;
}

/** What was returned of the attempt that paid. */
export function refundedOf(intent: Intent): RefundAmounts {
  return sumOf(
    refundsOf(intent, intent.paidAttemptId).filter(({ status }) => status === 'succeeded'),
  );
}

/** What is left of a paid attempt's amount for further refunds, in minor units. */
export function refundableMinor(intent: Intent, attempt: Attempt): number {
  if (attempt.status !== 'succeeded') {
    return 0;
  }
  const { terms } = intent;
  const held = heldOf(intent, attempt);
  const leftMinor = terms.amountMinor - held.amountMinor;
  // Refunds that succeeded after they had failed may have returned more commission than was paid.
  const chargeLeftMinor = chargedMinor(terms, attempt.method) - held.returnedMinor;
  return Math.max(0, Math.min(leftMinor, chargeLeftMinor));
}

/** How much more than the customer paid was returned of an attempt, in minor units. */
export function excessMinor(intent: Intent, attempt: Attempt): number {
  const returned = refundsOf(intent, attempt.id).filter(({ status }) => status === 'succeeded');
  return Math.max(0, sumOf(returned).returnedMinor - chargedMinor(intent.terms, attempt.method));
}

/** Whether an operator must look at an attempt's excess before it takes another refund. */
export function needsReview({ anomalies }: Intent, attempt: Attempt): boolean {
  return anomalies.some(
    ({ kind, attemptId, reviewedAtMs }) =>
      kind === 'excess_refund' && attemptId === attempt.id && reviewedAtMs === null,
  );
}

/** What is reserved or returned of an attempt. */
export function heldOf(intent: Pick<Intent, 'refunds'>, attempt: Attempt): RefundAmounts {
  return sumOf(refundsOf(intent, attempt.id).filter(holdsMoney));
}

/**
 * The amounts of a refund of `amountMinor` (docs/decisions.md#39). It returns the commission in
 * proportion, rounded down; the refund of the remaining amount returns the remaining commission.
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
  const leftMinor = commissionLeftMinor(intent, attempt);
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

/** The part of an attempt's commission that no refund returns. */
export function commissionLeftMinor(
  intent: Pick<Intent, 'terms' | 'refunds'>,
  attempt: Attempt,
): number {
  const { commissionReturnedMinor } = heldOf(intent, attempt);
  return commissionOf(intent.terms, attempt.method) - commissionReturnedMinor;
}

/** What the merchant keeps of an attempt that paid, splits included, in minor units. */
export function keptMinor(terms: IntentTerms, method: Method, refunded: RefundAmounts): number {
  const netMinor = chargedMinor(terms, method) - commissionOf(terms, method);
  return netMinor - refunded.returnedMinor + refunded.commissionReturnedMinor;
}

/**
 * The beneficiaries' shares after refunds, in minor units. They fall in the proportion in which what
 * the merchant keeps falls, rounded down, so they never add up to more (docs/decisions.md#39).
 */
export function netSharesMinor(intent: Intent): readonly number[] {
  const { terms, attempts, paidAttemptId } = intent;
  const shares = terms.splits.map(({ shareMinor }) => shareMinor);
  const paid = attempts.find(({ id }) => id === paidAttemptId);
  const refunded = refundedOf(intent);
  if (paid === undefined || refunded.returnedMinor === 0) {
    return shares;
  }
  const netMinor = keptMinor(terms, paid.method, sumOf([]));
  return shares.map((shareMinor) => netShareMinor(shareMinor, netMinor, refunded));
}

/** One of them. `netMinor`: what the merchant keeps without refunds. */
export function netShareMinor(
  shareMinor: number,
  netMinor: number,
  { returnedMinor, commissionReturnedMinor }: RefundAmounts,
): number {
  // More than the net remains if a refund of the rest succeeded and the refunds before it did not.
  const leftMinor = Math.min(netMinor - returnedMinor + commissionReturnedMinor, netMinor);
  return leftMinor <= 0 ? 0 : shareOf(shareMinor, leftMinor, netMinor);
}

/** Whether refunds fit into what the customer paid by this attempt. */
export function fits(intent: Intent, attempt: Attempt, refund: RefundAmounts): boolean {
  return fitsBeside(heldOf(intent, attempt), intent.terms, attempt, refund);
}

/**
 * Whether a refund that was not executed still fits beside what was returned, what the provider may
 * be returning, and what was requested before it. It may no longer fit after a failed refund has
 * succeeded.
 */
export function stillFits(intent: Intent, attempt: Attempt, refund: Refund): boolean {
  const own = refundsOf(intent, attempt.id);
  const position = own.findIndex(({ id }) => id === refund.id);
  const others = own.filter(
    (other, index) =>
      index !== position &&
      holdsMoney(other) &&
      other.actionReason !== 'exceeds_payment' &&
      (index < position || !isWaiting(other)),
  );
  return fitsBeside(sumOf(others), intent.terms, attempt, refund);
}

function fitsBeside(
  held: RefundAmounts,
  terms: IntentTerms,
  attempt: Attempt,
  { amountMinor, returnedMinor }: RefundAmounts,
): boolean {
  return (
    held.amountMinor + amountMinor <= terms.amountMinor &&
    held.returnedMinor + returnedMinor <= chargedMinor(terms, attempt.method)
  );
}

/** `whole` × `part` / `of`, rounded down. Uses BigInt, because the product exceeds safe integers. */
function shareOf(whole: number, part: number, of: number): number {
  return Number((BigInt(whole) * BigInt(part)) / BigInt(of));
}
