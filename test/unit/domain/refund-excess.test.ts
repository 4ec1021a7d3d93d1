import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, nextWakeAtMs } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { RefundOutcome } from '../../../src/engine/domain/refund.ts';
import {
  heldOf,
  netSharesMinor,
  refundableMinor,
  refundedOf,
} from '../../../src/engine/domain/refund-amounts.ts';
import { refundsToStart } from '../../../src/engine/domain/refund-time.ts';
import { commissionOf } from '../../../src/engine/domain/terms.ts';
import { changedRefund } from '../../../src/engine/domain/transition.ts';
import { statusContent } from '../../../src/engine/webhooks/payload.ts';
import {
  accepted,
  cancelRefund,
  claimRefund,
  paidTwice,
  requestRefund,
  resolveRefund,
  resolveRefundManually,
  TICK,
} from '../../support/intents.ts';

/**
 * Goal: a refund that returns money after its failure is recorded as an excess, for any sum; Kefel
 * then sends no refund that exceeds the payment, and an operator reviews it (docs/decisions.md#40).
 * Method: histories of one payment, through its transitions.
 */

const RETURNED: RefundOutcome = { type: 'succeeded', railReference: null };
const REFUSED: RefundOutcome = { type: 'failed', reason: 'declined' };

function asked(id: string, amountMinor: number | null, outcome: RefundOutcome): Command[] {
  return [requestRefund(id, { amountMinor }), claimRefund(id), resolveRefund(id, outcome)];
}

const returned = (refundId: string) => resolveRefund(refundId, RETURNED);

function review(count: number): Command {
  return {
    ...{ type: 'review_anomalies', count, operator: 'Abebe', isVerified: false },
    note: 'Asked the customer.',
  };
}

const decided = (paid: Intent, ...commands: readonly Command[]): Intent =>
  accepted(paid, commands, 1_000);

function rejectionOf(intent: Intent, amountMinor: number | null) {
  return decide(intent, [requestRefund('more', { amountMinor })], 2_000).rejection;
}

const PAID_100 = paidTwice({ amountMinor: 10_000 });

const RETURNED_120 = decided(
  PAID_100,
  ...asked('one', 6_000, REFUSED),
  ...asked('two', 6_000, RETURNED),
  returned('one'),
);

describe('paid 100: 60 fails, another 60 succeeds, and the first proves true', () => {
  test('both are returned, and the anomaly shows that 20 more was returned than paid', () => {
    expect(RETURNED_120.refunds).toMatchObject([
      { id: 'one', status: 'succeeded', late: true, returnedMinor: 6_000 },
      { id: 'two', status: 'succeeded', late: false, returnedMinor: 6_000 },
    ]);
    expect(refundedOf(RETURNED_120).amountMinor).toBe(12_000);
    expect(statusContent(RETURNED_120).anomalies.slice(1)).toEqual([
      {
        type: 'excess_refund',
        transactionId: 'REFSECOND',
        refundUniqueId: 'one',
        excessMinor: 2_000,
        reviewedAt: null,
        createdAt: '1970-01-01T00:00:01.000Z',
        receipt: null,
      },
    ]);
  });

  test('leaves 0 to refund, and the smallest share is 0', () => {
    const attempts = RETURNED_120.attempts.filter(({ id }) => id === 'second');
    expect(attempts.map((attempt) => refundableMinor(RETURNED_120, attempt))).toEqual([0]);
    const split = { bank: 'CBE', creditAccount: '1', type: 'number', value: 1, shareMinor: 1 };
    const terms = { ...RETURNED_120.terms, splits: [split] } as Intent['terms'];
    expect(netSharesMinor({ ...RETURNED_120, terms })).toEqual([0]);
  });

  test.each([null, 1, 4_000])('a further refund of %s waits for a review', (amountMinor) => {
    expect(rejectionOf(RETURNED_120, amountMinor)).toBe('refund_needs_review');
  });

  test('a review that has not seen the excess changes nothing, and one that has lifts the block', () => {
    // The first anomaly is the second payment.
    expect(decided(RETURNED_120, review(1))).toBe(RETURNED_120);
    const reviewed = decided(RETURNED_120, review(2));
    expect(reviewed.version).toBe(RETURNED_120.version + 1);
    expect(reviewed.anomalies[1]).toMatchObject({ excessMinor: 2_000, reviewedAtMs: 1_000 });
    expect(rejectionOf(reviewed, 4_000)).toBe('refund_too_large');
    expect(decided(reviewed, review(2))).toBe(reviewed);
  });

  test('the other paid attempt can be refunded meanwhile', () => {
    const other = requestRefund('other', { attemptId: 'first', amountMinor: 1_000 });
    expect(decide(RETURNED_120, [other], 2_000).rejection).toBeNull();
  });
});

test('3 × 30.00 and 10.00 with a commission of 0.03: a proved refund never stays failed', () => {
  const paid = paidTwice({
    amountMinor: 10_000,
    commissionMinor: 3,
    commissionPaidByCustomer: true,
  });
  const intent = decided(
    paid,
    ...['one', 'two', 'three'].flatMap((id) => asked(id, 3_000, RETURNED)),
    ...asked('rest', null, REFUSED),
    ...asked('again', null, RETURNED),
    returned('rest'),
  );
  expect(intent.refunds.slice(3)).toMatchObject([
    { id: 'rest', status: 'succeeded', late: true, returnedMinor: 1_003 },
    { id: 'again', status: 'succeeded', late: false, returnedMinor: 1_003 },
  ]);
  // 110.06 of 100.03.
  expect(refundedOf(intent)).toMatchObject({ returnedMinor: 11_006, commissionReturnedMinor: 3 });
  expect(intent.anomalies.at(-1)).toMatchObject({ kind: 'excess_refund', excessMinor: 1_003 });
});

test('a late refund that still fits blocks nothing', () => {
  const intent = decided(PAID_100, ...asked('one', 4_000, REFUSED), returned('one'));
  expect(intent.anomalies.map(({ kind }) => kind)).toEqual(['duplicate_payment']);
  expect(rejectionOf(intent, 6_000)).toBeNull();
});

describe('refunds that were requested since and no longer fit', () => {
  const waiting = decided(
    PAID_100,
    ...asked('one', 6_000, REFUSED),
    requestRefund('small', { amountMinor: 3_000 }),
    // Fits alone, but not beside the one before it.
    requestRefund('large', { amountMinor: 4_000 }),
    requestRefund('tiny', { amountMinor: 1_000 }),
  );
  const late = decided(waiting, returned('one'));

  test('is not sent to the provider, but waits for a person', () => {
    expect(nextWakeAtMs(late)).toBeLessThanOrEqual(1_000);
    const stopped = decided(late, TICK);
    expect(stopped.refunds.slice(1)).toMatchObject([
      { id: 'small', status: 'pending' },
      { id: 'large', status: 'requires_action', actionReason: 'exceeds_payment' },
      { id: 'tiny', status: 'pending' },
    ]);
    expect(nextWakeAtMs(stopped)).toBeNull();
  });

  test('the others are sent after the operator has rejected it', () => {
    const rejection = resolveRefundManually('large', { outcome: { type: 'failed' } });
    const rejected = decided(late, rejection);
    expect(refundsToStart(rejected, 2_000).map(({ id }) => id)).toEqual(['small', 'tiny']);
  });

  test.each([
    ['the provider', {}, null],
    // The operator who would return it is warned.
    ['a person', { capability: null }, 'not_supported'],
  ] as const)('the alarm stops the only one, which waits for %s', (...row) => {
    const [_name, changes, requestedActionReason] = row;
    const only = decided(
      PAID_100,
      ...asked('one', 6_000, REFUSED),
      requestRefund('only', { amountMinor: 6_000 }, changes),
      returned('one'),
    );
    expect(nextWakeAtMs(only)).toBe(1_000);
    const stopped = decided(only, TICK);
    expect(nextWakeAtMs(stopped)).toBeNull();
    expect(stopped.refunds[1]).toMatchObject({
      status: 'requires_action',
      actionReason: 'exceeds_payment',
      requestedActionReason,
    });
  });
});

test('a refund whose amount still fits fails if its commission makes it exceed what was paid', () => {
  const commission = { commissionMinor: 3, commissionPaidByCustomer: true };
  const parts = [
    ...asked('early', 3_400, REFUSED),
    requestRefund('one', { amountMinor: 3_300 }),
    requestRefund('two', { amountMinor: 3_300 }),
    // Gives up the whole commission, because the parts before it were too small for a cent.
    ...asked('rest', null, RETURNED),
    cancelRefund('one'),
    cancelRefund('two'),
    requestRefund('last', { amountMinor: 3_200 }),
    returned('early'),
    TICK,
  ] satisfies Command[];
  const intent = decided(paidTwice({ amountMinor: 10_000, ...commission }), ...parts);
  const returnedMinor = intent.refunds.map((refund) => refund.returnedMinor);
  // 34.01 and 34.03 went back; with 32.00 it would be 100.04 of 100.03.
  expect(returnedMinor).toEqual([3_401, 3_300, 3_300, 3_403, 3_200]);
  expect(intent.refunds.at(-1)).toMatchObject({ id: 'last', actionReason: 'exceeds_payment' });
  // 32.00 of the amount are left, but only 31.99 of what the customer paid.
  const rejected = decided(intent, resolveRefundManually('last', { outcome: { type: 'failed' } }));
  const left = rejected.attempts.map((attempt) => refundableMinor(rejected, attempt));
  expect(left).toEqual([0, 10_000, 3_199]);
});

test('each refund that must wait for a person is announced, once and in a step of its own', () => {
  const third = { amountMinor: 3_000 };
  const waiting = decided(
    PAID_100,
    ...asked('one', 8_000, REFUSED),
    requestRefund('hand', third, { capability: null }),
    requestRefund('first', third),
    requestRefund('second', third),
    returned('one'),
  );
  const { steps, intent } = decide(waiting, [TICK], 1_000);
  expect(intent.refunds.slice(1).map(({ actionReason }) => actionReason)).toEqual(
    Array(3).fill('exceeds_payment'),
  );
  expect(steps.map(({ event }) => event)).toEqual([
    // It was announced when it was requested.
    null,
    'refund_requires_action',
    'refund_requires_action',
  ]);
  expect(
    steps.map((step, index) => changedRefund(steps[index - 1]?.intent ?? waiting, step.intent)?.id),
  ).toEqual(['hand', 'first', 'second']);
});

/** Some parts fail and the rest succeed. Then the provider proves each failed part returned. */
const partsThatProveTrue = fc.record({
  commissionMinor: fc.integer({ min: 0, max: 500 }),
  paidByCustomer: fc.boolean(),
  late: fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 4 }),
  canceled: fc.array(fc.integer({ min: 1, max: 3_333 }), { maxLength: 4 }),
});

test('refunds never give up more commission than was due, in any order of failures and successes', () => {
  const givenUp = new Set<string>();
  const property = fc.property(
    partsThatProveTrue,
    ({ commissionMinor, paidByCustomer, late, canceled }) => {
      const given = { amountMinor: 10_000, commissionMinor };
      const paid = paidTwice({ ...given, commissionPaidByCustomer: paidByCustomer });
      const commands: Command[] = [
        ...late.flatMap((amountMinor, index) => asked(`late${index}`, amountMinor, REFUSED)),
        ...canceled.map((amountMinor, index) => requestRefund(`no${index}`, { amountMinor })),
        requestRefund('rest', { amountMinor: null }),
        ...canceled.map((_, index) => cancelRefund(`no${index}`)),
        ...asked('rest', null, RETURNED).slice(1),
        ...late.map((_, index) => returned(`late${index}`)),
      ];
      const { intent, rejection } = decide(paid, commands, 1_000);
      fc.pre(rejection === null);
      const [attempt] = intent.attempts.filter(({ id }) => id === 'second');
      const sum = attempt && heldOf(intent, attempt).commissionReturnedMinor;
      expect(sum).toBe(Math.min(Number(sum), commissionMinor));
      expect(commissionOf(intent.terms, 'TELE_BIRR')).toBe(commissionMinor);
      givenUp.add(`${commissionMinor}: ${sum}`);
    },
  );
  const zeros = (count: number, amountMinor: number) => Array<number>(count).fill(amountMinor);
  fc.assert(property, {
    seed: 1,
    examples: [
      // The rest gives up all 3, and each late one its own 1 besides: 5.
      [
        {
          commissionMinor: 3,
          paidByCustomer: false,
          late: [3_334, 3_334],
          canceled: zeros(6, 1_111),
        },
      ],
      // The rest gives up all 48, and the late one 46 besides: 94.
      [{ commissionMinor: 48, paidByCustomer: false, late: [9_584], canceled: zeros(47, 203) }],
    ],
  });
  expect([...givenUp]).toEqual(expect.arrayContaining(['3: 3', '48: 48']));
});
