import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { Refund, RefundCapability } from '../../../src/engine/domain/refund.ts';
import {
  keptMinor,
  needsSecondOperator,
  netSharesMinor,
  refundableMinor,
  refundedOf,
} from '../../../src/engine/domain/refund-amounts.ts';
import {
  cancelRefund,
  claimRefund,
  paidTwice,
  requestRefund,
  resolveRefund,
  someTerms,
  startAttempt,
  succeed,
} from '../../support/intents.ts';

const ALL: RefundCapability = { takesParts: true, wholeAmountsOnly: false, windowMs: null };

type Request = Extract<Command, { type: 'request_refund' }>;

function requestOf(id: string, changes: Partial<Omit<Request, 'refund'>> & Amount): Request {
  const { amountMinor, ...others } = changes;
  return requestRefund(id, { amountMinor }, others);
}

interface Amount {
  readonly amountMinor: number | null;
}

function refunded(intent: Intent, amounts: readonly (number | null)[], keepsCommission = false) {
  const requests = amounts.map((amountMinor, index) =>
    requestOf(`r${index}`, { amountMinor, keepsCommission }),
  );
  return decide(intent, requests, 1).intent;
}

describe('the commission of a refund (docs/decisions.md#39)', () => {
  const table = [
    { name: 'whole, paid by the customer', byCustomer: true, parts: [null], returned: [10_333] },
    { name: 'whole, paid by the merchant', byCustomer: false, parts: [null], returned: [10_000] },
    {
      name: 'in three parts: the rest of it comes with the last',
      byCustomer: true,
      parts: [3_333, 3_333, null],
      returned: [3_443, 3_443, 3_447],
    },
    {
      name: 'kept by the operator',
      byCustomer: true,
      keeps: true,
      parts: [5_000, null],
      returned: [5_000, 5_000],
    },
  ];

  test.each(table)('$name', ({ byCustomer, keeps, parts, returned }) => {
    const paid = paidTwice({
      amountMinor: 10_000,
      commissionMinor: 333,
      commissionPaidByCustomer: byCustomer,
    });
    const { refunds } = refunded(paid, parts, keeps);
    expect(refunds.map(({ returnedMinor }) => returnedMinor)).toEqual(returned);
    const givenUp = refunds.map(({ commissionReturnedMinor }) => commissionReturnedMinor);
    expect(givenUp.reduce((sum, minor) => sum + minor, 0)).toBe(keeps ? 0 : 333);
  });
});

test('the returned commission stays within what was paid, after a refund of the rest fails the others', () => {
  const paid = paidTwice({ amountMinor: 100, commissionMinor: 9, commissionPaidByCustomer: true });
  // Each part's commission rounds down to nothing, so the rest gives up all of it.
  const parts = Array.from({ length: 9 }, () => 10);
  const first = refunded(paid, [...parts, null]);
  expect(first.refunds.at(-1)).toMatchObject({ commissionReturnedMinor: 9, returnedMinor: 19 });
  const cancellations = parts.map((_, index) => cancelRefund(`r${index}`));
  const later = [50, null].map((amountMinor, index) => requestOf(`later${index}`, { amountMinor }));
  const { intent, rejection } = decide(first, [...cancellations, ...later], 2);
  expect(rejection).toBeNull();
  const given = intent.refunds.map(({ commissionReturnedMinor }) => commissionReturnedMinor);
  expect(given.slice(-3)).toEqual([9, 0, 0]);
});

describe('the shares after refunds (docs/decisions.md#39)', () => {
  /** A payment with these shares after these refunds, one after the other. */
  function returned(
    terms: Parameters<typeof paidTwice>[0],
    shares: readonly number[],
    refunds: readonly { readonly partMinor: number | null; readonly keepsCommission: boolean }[],
  ): Intent {
    const paid = paidTwice(terms);
    const splits = shares.map((shareMinor) => ({
      ...{ bank: 'CBE', creditAccount: '1', type: 'number', value: shareMinor, shareMinor },
    })) as Intent['terms']['splits'];
    return refunds.reduce<Intent>(
      (intent, { partMinor, keepsCommission }, index) => {
        const request = requestOf(`r${index}`, { amountMinor: partMinor, keepsCommission });
        const done = resolveRefund(`r${index}`, { type: 'succeeded', railReference: null });
        const next = decide(intent, [request, claimRefund(`r${index}`), done], index + 1);
        expect(next.rejection).toBeNull();
        return next.intent;
      },
      { ...paid, terms: { ...paid.terms, splits } },
    );
  }

  // The numbers of docs/refunds.md#commission: 100.00 with a commission of 10.00.
  test.each([
    { refund: 'none', by: 'merchant', share: 9_000, parts: [], keeps: false, net: 9_000 },
    { refund: 'half', by: 'merchant', share: 9_000, parts: [5_000], keeps: false, net: 4_500 },
    { refund: 'half', by: 'merchant', share: 9_000, parts: [5_000], keeps: true, net: 4_000 },
    { refund: 'half', by: 'merchant', share: 4_500, parts: [5_000], keeps: true, net: 2_000 },
    { refund: 'half', by: 'customer', share: 9_000, parts: [5_000], keeps: true, net: 4_500 },
    { refund: '90.00', by: 'merchant', share: 9_000, parts: [9_000], keeps: true, net: 0 },
    { refund: 'all', by: 'merchant', share: 9_000, parts: [null], keeps: false, net: 0 },
    { refund: 'all', by: 'merchant', share: 9_000, parts: [null], keeps: true, net: 0 },
    { refund: 'a cent', by: 'customer', share: 3_333, parts: [1], keeps: false, net: 3_332 },
  ])(
    'a share of $share after a refund of $refund is $net (commission: $by, kept: $keeps)',
    ({ by, share, parts, keeps, net }) => {
      const commissionPaidByCustomer = by === 'customer';
      const terms = { amountMinor: 10_000, commissionMinor: 1_000, commissionPaidByCustomer };
      const refunds = parts.map((partMinor) => ({ partMinor, keepsCommission: keeps }));
      expect(netSharesMinor(returned(terms, [share], refunds))).toEqual([net]);
    },
  );

  const BP = 10_000;
  const bp = fc.integer({ min: 1, max: BP });
  const payments = fc.record({
    amountMinor: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 10 ** 11 })),
    commissionBp: fc.integer({ min: 0, max: BP - 1 }),
    commissionPaidByCustomer: fc.boolean(),
    /** Of the amount, or of what is left of it for splits. */
    splits: fc.array(fc.record({ isPercentage: fc.boolean(), bp }), { maxLength: 5 }),
    refunds: fc.array(fc.record({ bp, keepsCommission: fc.boolean() }), { maxLength: 6 }),
    isOneRule: fc.boolean(),
  });

  test('never exceed what the merchant keeps, whoever bears the commission and keeps it', () => {
    fc.assert(
      fc.property(payments, (given) => {
        const { amountMinor, commissionPaidByCustomer, isOneRule } = given;
        const commissionMinor = Number(
          (BigInt(amountMinor) * BigInt(given.commissionBp)) / 10_000n,
        );
        const netMinor = commissionPaidByCustomer ? amountMinor : amountMinor - commissionMinor;
        // As validation takes splits: shares of the amount that fit into the net.
        const shares: number[] = [];
        let freeMinor = netMinor;
        for (const split of given.splits) {
          const whole = split.isPercentage ? amountMinor : freeMinor;
          const share = Number((BigInt(whole) * BigInt(split.bp)) / 10_000n);
          if (share <= freeMinor) {
            shares.push(share);
            freeMinor -= share;
          }
        }
        // The oracle: a ledger of the merchant's money, in exact numbers.
        let left = BigInt(amountMinor);
        let commissionLeft = BigInt(commissionMinor);
        let kept = BigInt(netMinor);
        const refunds = given.refunds.flatMap((refund) => {
          const part = (left * BigInt(refund.bp)) / 10_000n;
          if (part === 0n) {
            return [];
          }
          left -= part;
          const keepsCommission = isOneRule
            ? given.refunds[0]?.keepsCommission === true
            : refund.keepsCommission;
          const inProportion = (BigInt(commissionMinor) * part) / BigInt(amountMinor);
          const back = keepsCommission ? 0n : left === 0n ? commissionLeft : inProportion;
          commissionLeft -= back;
          kept -= commissionPaidByCustomer ? part : part - back;
          return [{ partMinor: Number(part), keepsCommission }];
        });
        const terms = { amountMinor, commissionMinor, commissionPaidByCustomer };
        const intent = returned(terms, shares, refunds);
        const nets = netSharesMinor(intent).map(BigInt);
        expect(keptMinor(intent.terms, 'TELE_BIRR', refundedOf(intent))).toBe(Number(kept));
        const room = kept < 0n ? 0n : kept;
        expect(nets.reduce((sum, net) => sum + net, 0n) <= room).toBe(true);
        for (const [index, share] of shares.entries()) {
          const net = nets[index] ?? -1n;
          const exact = BigInt(share) * room;
          // Rounded down: the part of a cent is the merchant's.
          expect(net * BigInt(netMinor) <= exact && exact < (net + 1n) * BigInt(netMinor)).toBe(
            true,
          );
        }
        if (refunds.length === 0) {
          expect(nets.map(Number)).toEqual(shares);
        }
      }),
      { numRuns: 1_000, seed: 39 },
    );
  });
});

test.each([0, -1, 1.5, Number.NaN, 10_001])('an amount of %d is rejected', (amountMinor) => {
  const { intent, rejection } = decide(
    paidTwice({ amountMinor: 10_000 }),
    [requestOf('r0', { amountMinor })],
    1,
  );
  expect(rejection).toBe('refund_too_large');
  expect(intent.refunds).toEqual([]);
});

test('refunds that keep the commission cannot take it bit by bit', () => {
  const paid = paidTwice({ amountMinor: 100, commissionMinor: 9, commissionPaidByCustomer: true });
  const requests = [60, 41].map((amountMinor, index) =>
    requestOf(`r${index}`, { amountMinor, keepsCommission: true }),
  );
  const { intent, rejection } = decide(paid, requests, 1);
  expect(rejection).toBe('refund_too_large');
  expect(intent.refunds).toMatchObject([{ amountMinor: 60, returnedMinor: 60, late: false }]);
});

test('only what was returned counts as refunded, and only a paid attempt is refundable', () => {
  const paid = refunded(paidTwice({ amountMinor: 10_000 }), [1_000, 300]);
  const done = resolveRefund('r0', { type: 'succeeded', railReference: null });
  const { intent } = decide(paid, [claimRefund('r0'), done], 2);
  expect(refundedOf(intent).amountMinor).toBe(1_000);
  const left = intent.attempts.map((attempt) => refundableMinor(intent, attempt));
  expect(left).toEqual([0, 10_000, 8_700]);
});

test("a provider's time for refunds begins with the payment", () => {
  const started = decide(openIntent(someTerms()), [startAttempt('second')], 4_000).intent;
  const { intent } = decide(started, [succeed('second')], 5_000);
  const request = requestOf('r0', {
    amountMinor: null,
    capability: { ...ALL, windowMs: 1_000 },
  });
  expect(decide(intent, [request], 6_000).intent.refunds).toMatchObject([{ status: 'pending' }]);
  expect(decide(intent, [request], 6_001).intent.refunds).toMatchObject([
    { actionReason: 'too_late' },
  ]);
});

describe('a payment has at most 50 refunds', () => {
  const full = refunded(paidTwice({ amountMinor: 10_000 }), Array(50).fill(1));
  const more = requestOf('more', { amountMinor: 1 });

  test('that hold money', () => {
    expect(full.refunds).toHaveLength(50);
    expect(decide(full, [more], 2).rejection).toBe('too_many_refunds');
  });

  test('does not count canceled refunds, up to 150 refunds in all', () => {
    const requests = Array.from({ length: 150 }, (_, index): readonly Command[] => [
      requestOf(`c${index}`, { amountMinor: 1 }),
      cancelRefund(`c${index}`),
    ]);
    const canceled = decide(full, [cancelRefund('r0')], 2).intent;
    const tried = decide(canceled, requests.flat(), 2);
    expect(tried.rejection).toBe('too_many_refunds');
    expect(tried.intent.refunds).toHaveLength(150);
    // The merchant's code cancels and requests again: nothing of the payment is used up.
    const fifty = decide(canceled, requests.slice(0, 50).flat(), 2);
    expect([fifty.rejection, decide(fifty.intent, [more], 3).rejection]).toEqual([null, null]);
  });
});

test.each([
  ['unknown', 'attempt_not_found'],
  ['declined', 'not_paid'],
])('the %s attempt is not refunded', (attemptId, rejection) => {
  const { refund, ...request } = requestOf('r0', { amountMinor: 1 });
  const command = { ...request, refund: { ...refund, attemptId } };
  expect(decide(paidTwice(), [command], 1).rejection).toBe(rejection);
});

describe('what a provider cannot return waits for a person (docs/decisions.md#40)', () => {
  const DAY_MS = 86_400_000;
  const table: readonly {
    readonly name: string;
    readonly capability: RefundCapability | null;
    readonly amountMinor: number | null;
    readonly reason: string | null;
  }[] = [
    { name: 'no refunds by API', capability: null, amountMinor: null, reason: 'not_supported' },
    {
      name: 'a part',
      capability: { ...ALL, takesParts: false },
      amountMinor: 1,
      reason: 'part_not_supported',
    },
    {
      name: 'the whole',
      capability: { ...ALL, takesParts: false },
      amountMinor: null,
      reason: null,
    },
    {
      name: 'cents',
      capability: { ...ALL, wholeAmountsOnly: true },
      amountMinor: 150,
      reason: 'whole_amounts_only',
    },
    {
      name: 'too late',
      capability: { ...ALL, windowMs: DAY_MS },
      amountMinor: null,
      reason: 'too_late',
    },
    {
      name: 'at the last moment',
      capability: { ...ALL, windowMs: DAY_MS + 1 },
      amountMinor: null,
      reason: null,
    },
    {
      name: 'no cents',
      capability: { ...ALL, wholeAmountsOnly: true },
      amountMinor: 200,
      reason: null,
    },
  ];

  test.each(table)('$name', ({ capability, amountMinor, reason }) => {
    const request = requestOf('r0', { amountMinor, capability });
    const { intent } = decide(paidTwice({ amountMinor: 10_000 }), [request], DAY_MS + 1);
    expect(intent.refunds).toMatchObject([
      { status: reason === null ? 'pending' : 'requires_action', actionReason: reason },
    ]);
  });

  test('and holds the next one back, which can be canceled', () => {
    const paid = paidTwice({ amountMinor: 10_000 });
    const first = requestOf('r0', { amountMinor: 1_000, capability: null });
    const second = requestOf('r1', { amountMinor: 2_000 });
    const { intent } = decide(paid, [first, second], 1);
    expect(decide(intent, [claimRefund('r1')], 2).rejection).toBe('refund_not_claimable');
    const canceled = decide(intent, [cancelRefund('r1')], 2).intent;
    const attempt = canceled.attempts.find(({ id }) => id === 'second');
    expect(attempt && refundableMinor(canceled, attempt)).toBe(9_000);
  });
});

describe('two operators must agree (docs/decisions.md#41)', () => {
  const BY_HAND = { status: 'succeeded', manualResolutionId: 'm1' } as const;
  const BY_PROVIDER = { status: 'succeeded', manualResolutionId: null } as const;
  const PROPOSED = { status: 'requires_action', manualResolutionId: 'm2' } as const;

  test.each<[string, number | null, readonly Partial<Refund>[], boolean]>([
    ['exactly the limit', 500, [], false],
    ['above the limit', 499, [], true],
    ['a limit of nothing', 0, [], true],
    ['without a limit', null, [BY_HAND], false],
    ['with a part by hand before', 599, [{ ...BY_HAND, returnedMinor: 100 }], true],
    ['with that part up to the limit', 600, [{ ...BY_HAND, returnedMinor: 100 }], false],
    ['with what the provider returned', 500, [{ ...BY_PROVIDER, returnedMinor: 100 }], false],
    ['with what is only proposed', 500, [{ ...PROPOSED, returnedMinor: 100 }], false],
  ])('about 500 %s of %j', (_name, aboveMinor, others, expected) => {
    const intent = refunded(paidTwice({ amountMinor: 10_000 }), [500, ...others.map(() => 100)]);
    const [refund, ...rest] = intent.refunds;
    const before = rest.map((other, index) => ({ ...other, ...others[index] }));
    if (refund === undefined) {
      throw new Error('no refund');
    }
    // A repeat of the refund that is decided does not count twice.
    const decided = { ...refund, ...BY_HAND, returnedMinor: 500 };
    const refunds = [decided, ...before];
    expect(needsSecondOperator({ ...intent, refunds }, decided, aboveMinor)).toBe(expected);
  });
});
