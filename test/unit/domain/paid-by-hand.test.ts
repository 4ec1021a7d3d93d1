import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/engine/domain/attempt.ts';
import type { Command, Rejection } from '../../../src/engine/domain/command.ts';
import { attemptsToCheck, decide, nextWakeAtMs } from '../../../src/engine/domain/decide.ts';
import { isSameOperator } from '../../../src/engine/domain/operator-name.ts';
import { isSameReceipt } from '../../../src/engine/domain/receipt.ts';
import { refundsToStart } from '../../../src/engine/domain/refund-time.ts';
import {
  abandon,
  claimRefund,
  requestRefund,
  startAttempt,
  succeed,
  succeedManually,
} from '../../support/intents.ts';
import { play } from '../../support/story.ts';

/**
 * Goal: a payment that only operators record as paid needs proved names, two of them above the
 * limit, and its own receipt. An operator refunds it by hand until the provider confirms it
 * (docs/decisions.md#41, #44). Method: commands to a production payment of 100.00 whose windows
 * close at 30 s.
 */

const START = startAttempt('a', { checkAtMs: 10_000 });
/** The limit is 100.00, too, and does not include what equals it. */
const LIMITED = { secondOperatorAboveMinor: 9_999 };

function playedOut(
  commands: readonly Command[],
  environment: 'sandbox' | 'production' = 'production',
) {
  return play(commands, { environment, simulation: null });
}

/** The refund that a command asks for. */
function refundIdIn(command: Command): readonly string[] {
  return command.type === 'request_refund' ? [command.refund.id] : [];
}

function reported(outcome: Outcome): Command {
  return { type: 'resolve_attempt', attemptId: 'a', outcome };
}

describe('who records a payment', () => {
  test.each([
    ['production', false, 'operator_not_verified'],
    ['production', true, null],
    ['sandbox', false, null],
  ] as const)('in %s, proved: %s', (environment, isVerified, rejection) => {
    const result = playedOut([START, succeedManually('a', { isVerified })], environment);
    expect(result.rejection).toBe(rejection);
    expect(result.intent.status).toBe(rejection === null ? 'succeeded' : 'processing');
  });

  test.each([
    ['the limit', 10_000, 'succeeded'],
    ['a cent above the limit', 9_999, 'processing'],
    ['no limit', null, 'succeeded'],
  ] as const)('one operator alone, at %s', (_name, secondOperatorAboveMinor, status) => {
    const { intent } = playedOut([START, succeedManually('a', { secondOperatorAboveMinor })]);
    expect(intent.status).toBe(status);
  });

  const proposal = succeedManually('a', LIMITED);

  test.each<[string, Partial<typeof proposal>, Rejection | null, string]>([
    ['another operator', { operator: 'Dawit' }, null, 'succeeded'],
    [
      'another operator, who types the receipt in lower case',
      { operator: 'Dawit', outcome: { type: 'succeeded', receipt: 'hand-1' } },
      null,
      'succeeded',
    ],
    ['the same operator', {}, 'second_operator_needed', 'processing'],
    ['another spelling of the name', { operator: ' hANA' }, 'second_operator_needed', 'processing'],
    [
      'another operator with another receipt, which replaces the proposal',
      { operator: 'Dawit', outcome: { type: 'succeeded', receipt: 'HAND-2' } },
      null,
      'processing',
    ],
  ])('confirmed by %s', (_name, changes, rejection, status) => {
    const second = { ...proposal, resolutionId: 'second', ...changes };
    const result = playedOut([START, proposal, second]);
    expect(result.rejection).toBe(rejection);
    expect(result.intent.status).toBe(status);
    const operator = status === 'succeeded' ? undefined : second.operator.trim();
    const stored = result.intent.attempts[0]?.proposal;
    expect(stored?.operator.toLowerCase()).toBe(operator?.toLowerCase());
  });

  test('a proposal is a new version, is repeated without effect, and ends with the attempt', () => {
    const { intent } = playedOut([START, proposal]);
    expect(intent.version).toBe(3);
    expect(decide(intent, [proposal], 5).intent).toEqual(intent);
    const proved = decide(intent, [succeed('a')], 5).intent;
    expect(proved.attempts).toMatchObject([
      { status: 'succeeded', proposal: null, isProved: true },
    ]);
  });

  test('two attempts of one payment count together', () => {
    const limit = { secondOperatorAboveMinor: 15_000 };
    const second = succeedManually('b', {
      ...limit,
      outcome: { type: 'succeeded', receipt: 'H2' },
    });
    const { intent } = playedOut([
      startAttempt('a'),
      abandon('a'),
      startAttempt('b'),
      succeedManually('a', limit),
      second,
    ]);
    expect(intent.attempts.map(({ status }) => status)).toEqual(['succeeded', 'processing']);
    expect(intent.attempts[1]?.proposal).toMatchObject({ receipt: 'H2' });
  });
});

describe('a receipt', () => {
  test('of another attempt is rejected', () => {
    const { rejection, intent } = playedOut([
      startAttempt('a'),
      abandon('a'),
      startAttempt('b'),
      succeed('b'),
      succeedManually('a', { outcome: { type: 'succeeded', receipt: 'rail-B' } }),
    ]);
    expect(rejection).toBe('receipt_used');
    expect(intent.attempts[0]?.status).toBe('unresolved');
  });

  test('of another payment is recorded once for each attempt and each other payment', () => {
    const conflict = (attemptId: string, merchantId: string, uniqueId: string): Command => ({
      type: 'report_receipt_conflict',
      attemptId,
      other: { merchantId, uniqueId },
    });
    const reports = [
      conflict('a', 'mer_2', 'x'),
      conflict('a', 'mer_2', 'y'),
      conflict('a', 'mer_3', 'x'),
      conflict('b', 'mer_2', 'x'),
    ];
    const { intent } = playedOut([
      ...[startAttempt('b'), abandon('b'), START, succeed('a')],
      ...reports,
      ...reports,
    ]);
    expect(intent.anomalies).toMatchObject([
      { kind: 'receipt_conflict', attemptId: 'a', other: { merchantId: 'mer_2', uniqueId: 'x' } },
      { kind: 'receipt_conflict', attemptId: 'a', other: { merchantId: 'mer_2', uniqueId: 'y' } },
      { kind: 'receipt_conflict', attemptId: 'a', other: { merchantId: 'mer_3', uniqueId: 'x' } },
      { kind: 'receipt_conflict', attemptId: 'b', other: { merchantId: 'mer_2', uniqueId: 'x' } },
    ]);
    expect(intent.status).toBe('succeeded');
  });

  const conflict: Command = {
    type: 'report_receipt_conflict',
    attemptId: 'a',
    other: { merchantId: 'mer_2', uniqueId: 'x' },
  };
  const refundOf = (attemptId: string) => requestRefund(`of-${attemptId}`, { attemptId });
  const paidBy = (attemptId: string, receipt: string): Command => ({
    type: 'resolve_attempt',
    attemptId,
    outcome: { type: 'succeeded', receipt },
  });
  const PAID_TWICE = [startAttempt('a'), abandon('a'), startAttempt('b'), succeed('b')];
  const WAITS = { status: 'requires_action', actionReason: 'receipt_conflict', claimId: null };
  const GOES = { status: 'processing', actionReason: null };

  test.each<[string, readonly Command[], readonly object[], number]>([
    ['is requested after the conflict', [START, succeed('a'), conflict, refundOf('a')], [WAITS], 1],
    ['was requested before it', [START, succeed('a'), refundOf('a'), conflict], [WAITS], 1],
    [
      'was sent before it',
      [START, succeed('a'), refundOf('a'), claimRefund('of-a'), conflict],
      [GOES],
      0,
    ],
    [
      'follows a conflict of an operator’s receipt, which the provider’s has replaced',
      [START, succeedManually('a'), conflict, paidBy('a', 'RAIL-A'), refundOf('a')],
      [GOES],
      0,
    ],
    [
      'is of two attempts with one receipt',
      [...PAID_TWICE, paidBy('a', 'rail-b'), refundOf('a'), refundOf('b')],
      [WAITS, WAITS],
      2,
    ],
    [
      'is of two attempts, the first of which was asked for before the second was paid',
      [...PAID_TWICE, refundOf('b'), paidBy('a', 'RAIL-B')],
      [WAITS],
      1,
    ],
    [
      'is of two attempts, one of which was paid again with the receipt of the other',
      [...PAID_TWICE, paidBy('a', 'RAIL-A'), refundOf('b'), paidBy('a', 'RAIL-B'), refundOf('a')],
      [WAITS, WAITS],
      2,
    ],
    [
      'is of two attempts with two receipts',
      [...PAID_TWICE, paidBy('a', 'RAIL-A'), refundOf('a'), refundOf('b')],
      [GOES, GOES],
      0,
    ],
  ])('decisions.md#44: a refund %s', (_name, commands, refunds, announced) => {
    const tick: Command = { type: 'tick' };
    const claims = refunds.length === 2 ? ['of-a', 'of-b'] : commands.flatMap(refundIdIn);
    const end = playedOut([...commands, ...claims.map(claimRefund), tick]);
    expect(end.intent.refunds).toMatchObject(refunds);
    const events = end.events.filter((type) => type === 'refund_requires_action');
    expect(events).toHaveLength(announced);
    expect(refundsToStart(end.intent, 1_000)).toEqual([]);
  });

  test('the alarm stops a refund that waits at once', () => {
    const { intent } = playedOut([
      START,
      succeed('a'),
      requestRefund('r', { attemptId: 'a' }, { startsAfterMs: 20_000 }),
      conflict,
    ]);
    expect(nextWakeAtMs(intent)).toBe(3);
  });

  test.each([
    ['CBE123', 'cbe123', true],
    ['CBE-123.', 'CBE123', true],
    ['ＣＢＥ１２３', 'CBE123', true],
    ['CBE123', 'CBE1234', false],
    ['--', '--', true],
    ['--', '..', false],
  ])('%s and %s are one: %s', (one, other, isSame) => {
    expect(isSameReceipt(one, other)).toBe(isSame);
  });
});

test.each([
  ['abebe@x.et', 'Abebe+1@x.et', true],
  ['abebe@x.et', ' ABEBE@X.ET ', true],
  ['Hana  Bekele', 'hana bekele', true],
  ['Ａbebe', 'abebe', true],
  ['Abe\u00adbe', 'abebe', true],
  ['ABÉ', 'abe\u0301', true],
  ['abebe@x.et', 'abebe@y.et', false],
  ['a+b', 'a', false],
  ['Hana', 'Dawit', false],
])('%s and %s are one operator: %s', (one, other, isSame) => {
  expect([isSameOperator(one, other), isSameOperator(other, one)]).toEqual([isSame, isSame]);
});

describe('the provider', () => {
  const HAND = succeedManually('a', { checkAtMs: 3 });
  const refund = requestRefund('r', { attemptId: 'a' });

  test('is queried about a payment that only an operator reports', () => {
    const { intent } = playedOut([START, HAND]);
    expect(nextWakeAtMs(intent)).toBe(3);
    expect(attemptsToCheck(intent, 3)).toHaveLength(1);
    const again: Command = {
      type: 'resolve_attempt',
      attemptId: 'a',
      outcome: { type: 'unknown', checkAtMs: 9_000 },
      answersCheckAtMs: 3,
    };
    expect(nextWakeAtMs(decide(intent, [again], 4).intent)).toBe(9_000);
    expect(attemptsToCheck(playedOut([START, succeed('a')]).intent, 1_000_000)).toEqual([]);
  });

  test.each<[string, readonly Command[], object, readonly string[], string | null]>([
    ['has said nothing', [], { isProved: false, receipt: 'HAND-1' }, [], 'resolved_by_operator'],
    [
      'confirms it',
      [reported({ type: 'succeeded', receipt: 'hand-1' })],
      { isProved: true, receipt: 'hand-1', checkAtMs: null },
      [],
      null,
    ],
    [
      'confirms it with another receipt, which counts from then on',
      [reported({ type: 'succeeded', receipt: 'RAIL-7' })],
      { isProved: true, receipt: 'RAIL-7' },
      ['receipt_conflict'],
      null,
    ],
    [
      'confirms it without a receipt',
      [reported({ type: 'succeeded', receipt: null })],
      { isProved: false, receipt: 'HAND-1', checkAtMs: null },
      [],
      'resolved_by_operator',
    ],
    [
      'contradicts it',
      [reported({ type: 'failed', reason: 'declined' })],
      { isProved: false, status: 'succeeded', checkAtMs: null },
      ['contradicting_failure'],
      'resolved_by_operator',
    ],
    [
      'contradicts it and confirms it later',
      [
        reported({ type: 'failed', reason: 'declined' }),
        reported({ type: 'succeeded', receipt: 'HAND-1' }),
      ],
      { isProved: true },
      ['contradicting_failure'],
      null,
    ],
  ])('%s: who refunds it', (_name, reports, attempt, anomalies, actionReason) => {
    const { intent } = playedOut([START, HAND, ...reports]);
    expect(intent.status).toBe('succeeded');
    expect(intent.attempts).toMatchObject([attempt]);
    expect(intent.anomalies.map(({ kind }) => kind)).toEqual(anomalies);
    const { refunds } = decide(intent, [refund], 100).intent;
    const status = actionReason === null ? 'pending' : 'requires_action';
    expect(refunds).toMatchObject([{ status, actionReason }]);
  });

  test('gets no query about an attempt whose start it never got', () => {
    const { intent } = playedOut([
      startAttempt('a', { startClaim: 'free', checkAtMs: 10_000 }),
      HAND,
    ]);
    expect(intent.status).toBe('succeeded');
    expect(nextWakeAtMs(intent)).toBeNull();
  });
});
