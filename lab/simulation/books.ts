import type { Method } from '../../src/engine/domain/method.ts';
import type { ShownEvent, ShownRefund } from '../harness/shown.ts';
import { commissionOf } from './commissions.ts';
import type { Journal } from './journal.ts';
import type { Plan, PlannedPayment } from './plan.ts';

/**
 * What payments and refunds must cost, computed from the plan, the answers that merchants got and
 * the published rules (docs/decisions.md#15, #39). Nothing here asks Kefel's own arithmetic.
 */

/** What the customer pays by a method. */
export function chargeOf(
  { commissionPaidByCustomer }: PlannedPayment,
  amountMinor: number,
  method: Method,
): number {
  return amountMinor + (commissionPaidByCustomer ? commissionOf(amountMinor, method) : 0);
}

/**
 * The amounts that a payment may have. A plan may create an id twice with different amounts: then
 * the answers say which request won, unless every answer was lost.
 */
export function amountsOf(
  { journal, plan }: { readonly journal: Journal; readonly plan: Plan },
  payment: PlannedPayment,
): readonly number[] {
  const answered = journal.created.filter((one) => isSame(one.payment, payment));
  const actions = actionsOf(plan, payment);
  const isChanged = actions.some(
    (action) => action.type === 'create' && action.variant === 'changed',
  );
  return answered.length > 0
    ? [...new Set(answered.map((one) => one.payment.amountMinor))]
    : [payment.amountMinor, ...(isChanged ? [payment.amountMinor + CHANGED_BY_MINOR] : [])];
}

/** How much larger the other order is that a merchant creates with a used id. */
export const CHANGED_BY_MINOR = 100;

/** The methods that a customer of the payment chooses. */
export function methodsOf(plan: Plan, payment: PlannedPayment): readonly Method[] {
  return payment.kind === 'express'
    ? [payment.method]
    : actionsOf(plan, payment).flatMap((action) => (action.type === 'pay' ? [action.method] : []));
}

/** The amounts that requests for a refund named; null: all that is left. */
export function askedOf(
  plan: Plan,
  payment: PlannedPayment,
  refundId: string,
): readonly (number | null)[] {
  return actionsOf(plan, payment).flatMap((action) =>
    action.type === 'refund' && action.refundId === refundId
      ? [askedMinor(payment, action.part)]
      : [],
  );
}

/** The amount that a planned request names; null: none, which means all that is left. */
export function askedMinor({ amountMinor }: PlannedPayment, part: number | null): number | null {
  return part === null ? null : Math.ceil(amountMinor * part);
}

/** The refunds of the transaction that paid which have succeeded. */
export function refundedIn(
  { status, transaction }: Pick<ShownEvent, 'status' | 'transaction'>,
  refunds: readonly ShownRefund[],
): readonly ShownRefund[] {
  return refunds.filter(
    (refund) =>
      status === 'SUCCESS' &&
      refund.status === 'SUCCESS' &&
      refund.transactionId === transaction?.transactionId,
  );
}

export function sumOf(refunds: readonly Pick<ShownRefund, 'amountMinor'>[]): number {
  return refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** An earlier refund of the same attempt, as a later one may find it. */
export interface EarlierRefund {
  readonly amountMinor: number;
  readonly commissionMinor: number;
  /** It may have failed or been canceled by then, and hold nothing. */
  readonly mayBeOver: boolean;
}

/** How much commission a refund may give up, for each state in which it may find the others. */
export interface PossibleRefund {
  /** Nothing is left after it. */
  readonly isRest: boolean;
  readonly commissionMinor: number;
}

/**
 * The commission is given up in proportion, rounded down, and the refund of the rest gives up what is
 * left of it.
 */
export function possibleRefunds(
  paid: { readonly amountMinor: number; readonly commissionMinor: number },
  earlier: readonly EarlierRefund[],
  amountMinor: number,
): readonly PossibleRefund[] {
  const proportional = Math.floor((paid.commissionMinor * amountMinor) / paid.amountMinor);
  return heldBy(earlier).flatMap((held) => {
    const left = Math.max(0, paid.commissionMinor - held.commissionMinor);
    const restMinor = paid.amountMinor - held.amountMinor - amountMinor;
    return restMinor < 0
      ? []
      : [
          {
            isRest: restMinor === 0,
            commissionMinor: restMinor === 0 ? left : Math.min(left, proportional),
          },
        ];
  });
}

type Held = Omit<EarlierRefund, 'mayBeOver'>;

/** What the earlier refunds may hold: with and without each that may be over. */
function heldBy(earlier: readonly EarlierRefund[]): readonly Held[] {
  let sums: readonly Held[] = [{ amountMinor: 0, commissionMinor: 0 }];
  for (const { amountMinor, commissionMinor, mayBeOver } of earlier) {
    const held = sums.map((sum) => ({
      amountMinor: sum.amountMinor + amountMinor,
      commissionMinor: sum.commissionMinor + commissionMinor,
    }));
    sums = mayBeOver ? [...sums, ...held] : held;
  }
  return sums;
}

function actionsOf({ payments, steps }: Plan, payment: PlannedPayment) {
  return steps.filter((step) => payments[step.payment] === payment).map(({ action }) => action);
}

/** Whether both are about one id; a planned order may be changed. */
function isSame(one: PlannedPayment, other: PlannedPayment): boolean {
  return one.merchant === other.merchant && one.uniqueId === other.uniqueId;
}
