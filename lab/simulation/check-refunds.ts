import type { Attempt } from '../../src/engine/domain/attempt.ts';
import type { Intent } from '../../src/engine/domain/intent.ts';
import {
  hasRefundEnded,
  holdsMoney,
  isInFlight,
  type Refund,
} from '../../src/engine/domain/refund.ts';
import { hasAnomaly } from './check-money.ts';
import type { Ended } from './ended.ts';
import { returnedMinor } from './provider.ts';
import type { World } from './world.ts';

/** What the customer got back is what Kefel says, and never more than the customer paid. */
export function checkRefunds(world: World, { intent }: Ended): void {
  const { provider, journal } = world;
  for (const attempt of intent.attempts) {
    const order = provider.orders.get(attempt.reference);
    const refunds = intent.refunds.filter(({ attemptId }) => attemptId === attempt.id);
    if (order !== undefined) {
      const returned = returnedMinor(order);
      const isExcused =
        hasAnomaly(intent, attempt, 'contradicting_refund') ||
        hasAnomaly(intent, attempt, 'excess_refund');
      journal.expect(
        '11 refunds',
        returned <= order.amountMinor || isExcused,
        `${returned} returned of ${order.amountMinor}`,
      );
    }
    for (const refund of refunds) {
      checkRefund(world, intent, attempt, refund, {
        isReturned:
          order?.refunds.get(refund.reference)?.state === 'returned' ||
          order?.returnedByHand.has(refund.reference) === true,
        isCalled: order?.refunds.has(refund.reference) === true,
      });
    }
  }
}

function checkRefund(
  { journal: { expect } }: World,
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
  expect('11 refunds', isTrue || isVisible, `${id} is ${status}, returned: ${isReturned}`);
  expect('11 refunds', !isCalled || claimId !== null, `${id} was requested without a claim`);
  expect('11 refunds', status !== 'processing', `${id} is processing after weeks`);
  const waitsForOther = intent.refunds.some(
    (other) => other.attemptId === attempt.id && isInFlight(other),
  );
  const isStuck = status === 'pending' && !waitsForOther;
  expect('11 refunds', !isStuck, `${id} is pending after weeks`);
  expect(
    '11 refunds',
    hasRefundEnded(refund) || status === 'pending' || isVisible,
    `${id} is ${status}`,
  );
}

/** The refunds of a merchant's day stay within its limit; each history requests them in one day. */
export function checkDailyLimit(
  { provider, plan: { refundDailyMaxMinor }, journal }: World,
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
    journal.expect(
      '11 refunds',
      heldMinor <= refundDailyMaxMinor,
      `${heldMinor} refunded in a day, allowed are ${refundDailyMaxMinor}`,
    );
  }
}
