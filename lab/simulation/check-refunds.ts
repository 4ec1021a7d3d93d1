import type { Attempt, Intent } from '../../src/domain/intent.ts';
import { hasRefundEnded, holdsMoney, isInFlight, type Refund } from '../../src/domain/refund.ts';
import { hasAnomaly } from './check-money.ts';
import type { World } from './history.ts';
import type { Plan } from './plan.ts';
import { returnedMinor } from './provider.ts';
import type { Ended, Expect } from './verdict.ts';

/** What the customer got back is what Kefel says, and never more than the customer paid. */
export function checkRefunds(expect: Expect, { provider }: World, { intent }: Ended): void {
  for (const attempt of intent.attempts) {
    const order = provider.orders.get(attempt.reference);
    const refunds = intent.refunds.filter(({ attemptId }) => attemptId === attempt.id);
    if (order !== undefined) {
      const returned = returnedMinor(order);
      const isExcused =
        hasAnomaly(intent, attempt, 'contradicting_refund') ||
        hasAnomaly(intent, attempt, 'excess_refund');
      expect(
        returned <= order.amountMinor || isExcused,
        '11 refunds',
        () => `${returned} returned of ${order.amountMinor}`,
      );
    }
    for (const refund of refunds) {
      checkRefund(expect, intent, attempt, refund, {
        isReturned:
          order?.refunds.get(refund.reference)?.state === 'returned' ||
          order?.returnedByHand.has(refund.reference) === true,
        isCalled: order?.refunds.has(refund.reference) === true,
      });
    }
  }
}

function checkRefund(
  expect: Expect,
  intent: Intent,
  attempt: Attempt,
  refund: Refund,
  { isReturned, isCalled }: { readonly isReturned: boolean; readonly isCalled: boolean },
): void {
  const { id, status, claimId } = refund;
  const isSandbox = attempt.railId === 'simulator';
  // Without proof either way, the amount stays reserved, and a person must look.
  const isVisible =
    status === 'unresolved' ||
    status === 'requires_action' ||
    hasAnomaly(intent, attempt, 'contradicting_refund');
  const isTrue = isSandbox || isReturned === (status === 'succeeded');
  expect(isTrue || isVisible, '11 refunds', () => `${id} is ${status}, returned: ${isReturned}`);
  expect(!isCalled || claimId !== null, '11 refunds', () => `${id} was requested without a claim`);
  expect(status !== 'processing', '11 refunds', () => `${id} is processing after weeks`);
  const waitsForOther = intent.refunds.some(
    (other) => other.attemptId === attempt.id && isInFlight(other),
  );
  const isStuck = status === 'pending' && !waitsForOther;
  expect(!isStuck, '11 refunds', () => `${id} is pending after weeks`);
  expect(
    hasRefundEnded(refund) || status === 'pending' || isVisible,
    '11 refunds',
    () => `${id} is ${status}`,
  );
}

/** The refunds of a merchant's day stay within its limit; each history requests them in one day. */
export function checkDailyLimit(
  expect: Expect,
  { provider }: World,
  { refundDailyMaxMinor }: Plan,
  ended: readonly Ended[],
): void {
  // A refund that the provider reported as failed may turn out to have been executed.
  const hasLied = [...provider.orders.values()].some((order) => order.hasLied);
  if (refundDailyMaxMinor === null || hasLied) {
    return;
  }
  for (const { merchant } of ended.map(({ payment }) => payment)) {
    const heldMinor = ended
      .filter(({ payment }) => payment.merchant === merchant)
      .flatMap(({ intent }) => intent.refunds.filter(holdsMoney))
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    expect(
      heldMinor <= refundDailyMaxMinor,
      '11 refunds',
      () => `${heldMinor} refunded in a day, allowed are ${refundDailyMaxMinor}`,
    );
  }
}
