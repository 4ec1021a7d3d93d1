import { describe, expect, test } from 'vitest';
import {
  ATTEMPTS_MAX,
  type FailureReason,
  UNCOUNTED_ATTEMPTS_MAX,
} from '../../../src/engine/domain/attempt.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import {
  attemptsToCheck,
  decide,
  nextWakeAtMs,
  openIntent,
} from '../../../src/engine/domain/decide.ts';
import { reportedAttempt } from '../../../src/engine/domain/intent.ts';
import type { Method } from '../../../src/engine/domain/method.ts';
import { commissionOf, type IntentKind } from '../../../src/engine/domain/terms.ts';
import { receiptsIn } from '../../../src/engine/intent/projection.ts';
import {
  ABANDON_PAYMENT,
  abandon,
  CANCEL,
  fail,
  failManually,
  neverReach,
  refuseCallback,
  someTerms,
  startAttempt,
  succeed,
  succeedManually,
  TICK,
  unknown,
} from '../../support/intents.ts';
import { at, endOf, play, type Story, type StoryRow } from '../../support/story.ts';

/**
 * The machine's behavior by example, one row per story; `transition-walk` checks every reachable
 * state against the promises. The terms expire at 60 s, attempts have a window until 30 s.
 */

/** `start_attempt` by the form of a page that knew of `expectedAttempts` attempts. */
const startKnowing = (expectedAttempts: number, id: string, method?: Method): Command => ({
  ...startAttempt(id, method === undefined ? {} : { method }),
  expectedAttempts,
});

const REDIRECT = startAttempt('a');
const PUSH = startAttempt('a', { flow: 'push' });
const SIMULATOR = startAttempt('a', { deadlineAtMs: 60_000, windowIsFinal: true });

const QUERIED = startAttempt('a', {
  ...{ flow: 'push', deadlineAtMs: 60_000, windowIsFinal: true, checkAtMs: 500 },
});
const failures = (count: number): Story =>
  Array.from({ length: count }, (_, index) => [
    startAttempt(`a${index}`),
    fail(`a${index}`),
  ]).flat();
/** Attempts that never reached the provider. */
const unreached = (count: number): Story =>
  Array.from({ length: count }, (_, index) => [
    startAttempt(`u${index}`),
    neverReach(`u${index}`),
  ]).flat();
const failedTimes = (count: number) => Array(count).fill('failed').join(' ');
const NINE_FAILED = Array(ATTEMPTS_MAX - 1)
  .fill('failed')
  .join(' ');

const ROWS: readonly StoryRow[] = [
  ['without an attempt: expired', [at(60_000, TICK)], 'expired [] payment_expired'],
  ['a moment before: open', [at(59_999, TICK)], 'open []'],
  ['paid', [REDIRECT, succeed('a')], 'succeeded [succeeded] payment_succeeded'],
  [
    'decisions.md#30: a failed hosted attempt reopens the intent',
    [REDIRECT, fail('a')],
    'open [failed]',
  ],
  [
    'an express failure is final',
    [REDIRECT, fail('a')],
    'failed [failed] payment_failed',
    'express',
  ],
  [
    'decisions.md#30: failed, then another method',
    [REDIRECT, fail('a'), startAttempt('b', { method: 'CBE' }), succeed('b')],
    'succeeded [failed succeeded] payment_succeeded',
  ],
  [
    'a method that the payment does not offer',
    [startAttempt('a', { method: 'M_PESA' })],
    'open [] but method_not_allowed',
  ],
  [
    'a second attempt while one is in flight',
    [REDIRECT, startAttempt('b')],
    'processing [processing] but attempt_in_flight',
  ],
  [
    'a repeated start of the same attempt changes nothing',
    [REDIRECT, REDIRECT],
    'processing [processing]',
  ],
  [
    'decisions.md#30: a form sent again after its attempt failed starts nothing',
    [startKnowing(0, 'a'), fail('a'), startKnowing(0, 'b')],
    'open [failed] but stale_form',
  ],
  [
    'decisions.md#30: the form of a page that knows of the failure starts an attempt',
    [startKnowing(0, 'a'), fail('a'), startKnowing(1, 'b')],
    'processing [failed processing]',
  ],
  [
    'a form that knows of more attempts than there are',
    [startKnowing(1, 'a')],
    'open [] but stale_form',
  ],
  [
    'a form sent again while its attempt is in flight is rejected as in flight',
    [startKnowing(0, 'a'), startKnowing(0, 'b')],
    'processing [processing] but attempt_in_flight',
  ],
  [
    'a form sent again after its attempt was paid is rejected as not open',
    [startKnowing(0, 'a'), succeed('a'), startKnowing(0, 'b')],
    'succeeded [succeeded] payment_succeeded but not_open',
  ],
  [
    'a stale form with a method that is not offered counts as stale',
    [startKnowing(1, 'a', 'M_PESA')],
    'open [] but stale_form',
  ],
  [
    'a repeated start is not stale, although its attempt is now known',
    [startKnowing(0, 'a'), fail('a'), startKnowing(0, 'a')],
    'open [failed]',
  ],
  [
    'a stale form after the time stores the expiry, and is rejected as not open',
    [startKnowing(0, 'a'), fail('a'), at(60_000, startKnowing(0, 'b'))],
    'expired [failed] payment_expired but not_open',
  ],
  ['decisions.md#25: canceled while open, no event', [CANCEL], 'canceled []'],
  ['canceled twice is canceled', [CANCEL, CANCEL], 'canceled []'],
  [
    'decisions.md#25: cannot be canceled while processing',
    [REDIRECT, CANCEL],
    'processing [processing] but attempt_in_flight',
  ],
  [
    'cannot be canceled once paid',
    [REDIRECT, succeed('a'), CANCEL],
    'succeeded [succeeded] payment_succeeded but not_open',
  ],
  [
    'a rejected command still stores an expiry that was due',
    [at(60_000, CANCEL)],
    'expired [] payment_expired but not_open',
  ],
  [
    'decisions.md#25: abandoning the payment is a failure',
    [ABANDON_PAYMENT],
    'failed [] payment_failed',
  ],
  [
    'abandoning the payment leaves a redirect unresolved',
    [REDIRECT, ABANDON_PAYMENT],
    'failed [unresolved] payment_failed',
  ],
  [
    'cannot be abandoned while a push may be approved',
    [PUSH, ABANDON_PAYMENT],
    'processing [processing] but attempt_in_flight',
  ],
  [
    'an express payment cannot be abandoned',
    [REDIRECT, ABANDON_PAYMENT],
    'processing [processing] but not_abandonable',
    'express',
  ],
  [
    'decisions.md#31: a window that passes leaves the attempt unresolved, not failed',
    [PUSH, at(30_000, TICK)],
    'processing [unresolved]',
  ],
  [
    'decisions.md#31: no new attempt while a push is unresolved',
    [PUSH, at(30_000, startAttempt('b'))],
    'processing [unresolved] but attempt_in_flight',
  ],
  [
    'decisions.md#31: then the intent may expire',
    [PUSH, at(60_000, TICK)],
    'expired [unresolved] payment_expired',
  ],
  [
    'decisions.md#31: a redirect may be abandoned, and another attempt started',
    [REDIRECT, abandon('a'), startAttempt('b')],
    'processing [unresolved processing]',
  ],
  [
    'a push may not be abandoned',
    [PUSH, abandon('a')],
    'processing [processing] but not_abandonable',
  ],
  [
    'an express redirect may not be abandoned',
    [REDIRECT, abandon('a')],
    'processing [processing] but not_abandonable',
    'express',
  ],
  [
    'an attempt is abandoned once',
    [REDIRECT, abandon('a'), abandon('a')],
    'open [unresolved] but attempt_not_in_flight',
  ],
  [
    'an earlier attempt cannot be abandoned while another is in flight',
    [REDIRECT, fail('a'), startAttempt('b'), abandon('a')],
    'processing [failed processing] but attempt_not_in_flight',
  ],
  [
    'a payment is abandoned once',
    [ABANDON_PAYMENT, ABANDON_PAYMENT],
    'failed [] payment_failed but not_open',
  ],
  [
    'decisions.md#31: the abandoned redirect is paid after all',
    [REDIRECT, abandon('a'), succeed('a')],
    'succeeded [succeeded] payment_succeeded',
  ],
  [
    'decisions.md#31: late success after expiry',
    [PUSH, at(60_000, TICK), at(70_000, succeed('a'))],
    'late succeeded [succeeded] payment_expired payment_succeeded',
  ],
  [
    'decisions.md#31: late success after a failure',
    [PUSH, fail('a'), succeed('a')],
    'late succeeded [succeeded] payment_failed payment_succeeded',
    'express',
  ],
  [
    'decisions.md#31: late success after a cancel',
    [REDIRECT, abandon('a'), CANCEL, succeed('a')],
    'late succeeded [succeeded] payment_succeeded',
  ],
  [
    'expiry and late success in the same moment: two steps, two events',
    [SIMULATOR, at(60_000, succeed('a'))],
    'late succeeded [succeeded] payment_expired payment_succeeded',
  ],
  [
    'decisions.md#30: an attempt with a final window ends with the intent',
    [SIMULATOR, at(60_000, TICK)],
    'expired [expired] payment_expired',
  ],
  [
    'an express payment expires, and does not fail, with a final window that ends with it',
    [SIMULATOR, at(60_000, TICK)],
    'expired [expired] payment_expired',
    'express',
  ],
  [
    'an abandoned attempt ends with its final window',
    [startAttempt('a', { windowIsFinal: true }), abandon('a'), at(30_000, TICK)],
    'open [expired]',
  ],
  [
    "promises.md#5: does not expire while an attempt's window is open",
    [startAttempt('a', { deadlineAtMs: 90_000 }), at(60_000, TICK)],
    'processing [processing]',
  ],
  [
    'promises.md#5: a failure after the time is an expiry',
    [startAttempt('a', { deadlineAtMs: 90_000 }), at(70_000, fail('a'))],
    'expired [failed] payment_expired',
  ],
  [
    'promises.md#5: also at the very moment of the expiry',
    [startAttempt('a', { deadlineAtMs: 90_000 }), at(60_000, fail('a'))],
    'expired [failed] payment_expired',
  ],
  [
    'an express payment that is declined after its time has failed',
    [startAttempt('a', { deadlineAtMs: 90_000 }), at(70_000, fail('a'))],
    'failed [failed] payment_failed',
    'express',
  ],
  ['promises.md#4: unknown is not failed', [REDIRECT, unknown('a', 10)], 'processing [processing]'],
  [
    'success is absorbing',
    [REDIRECT, succeed('a'), fail('a')],
    'succeeded [succeeded] payment_succeeded',
  ],
  [
    'a repeated success changes nothing',
    [REDIRECT, succeed('a'), succeed('a')],
    'succeeded [succeeded] payment_succeeded',
  ],
  [
    'decisions.md#30: nine failures leave it open',
    failures(ATTEMPTS_MAX - 1),
    `open [${NINE_FAILED}]`,
  ],
  [
    'decisions.md#30: the tenth is final, with one event',
    failures(ATTEMPTS_MAX),
    `failed [${NINE_FAILED} failed] payment_failed`,
  ],
  [
    'decisions.md#30: abandoning the tenth is final too',
    [...failures(ATTEMPTS_MAX - 1), REDIRECT, abandon('a')],
    `failed [${NINE_FAILED} unresolved] payment_failed`,
  ],
  [
    'decisions.md#66: attempts that never reached the provider leave it open',
    unreached(UNCOUNTED_ATTEMPTS_MAX),
    `open [${failedTimes(20)}]`,
  ],
  [
    'decisions.md#66: nine failures and twenty such attempts leave it open',
    [...unreached(UNCOUNTED_ATTEMPTS_MAX), ...failures(ATTEMPTS_MAX - 1)],
    `open [${failedTimes(29)}]`,
  ],
  [
    'decisions.md#66: one more of either is final',
    [...unreached(UNCOUNTED_ATTEMPTS_MAX + 1), ...failures(ATTEMPTS_MAX - 1)],
    `failed [${failedTimes(30)}] payment_failed`,
  ],
  [
    'decisions.md#66: the tenth failure is final, with twenty such attempts before it',
    [...unreached(UNCOUNTED_ATTEMPTS_MAX), ...failures(ATTEMPTS_MAX)],
    `failed [${failedTimes(30)}] payment_failed`,
  ],
  [
    'decisions.md#66: a provider that is never reached ends the payment with the thirtieth attempt',
    unreached(UNCOUNTED_ATTEMPTS_MAX + ATTEMPTS_MAX),
    `failed [${failedTimes(30)}] payment_failed`,
  ],
  [
    'decisions.md#66: such an attempt of an express payment is final',
    [REDIRECT, neverReach('a')],
    'failed [failed] payment_failed',
    'express',
  ],
  [
    'decisions.md#66: an unclear answer counts, because it may have reached the provider',
    [...failures(ATTEMPTS_MAX - 1), PUSH, unknown('a'), fail('a')],
    `failed [${NINE_FAILED} failed] payment_failed`,
  ],
  [
    'decisions.md#31: a due check comes before the expiry, even when the alarm is late',
    [QUERIED, at(70_000, TICK), at(70_000, succeed('a'))],
    'succeeded [succeeded] payment_succeeded',
  ],
  [
    'decisions.md#31: an inconclusive last query expires the payment in the same step',
    [QUERIED, at(70_000, unknown('a'))],
    'expired [expired] payment_expired',
  ],
  [
    'decisions.md#31: a final window with another check planned is unresolved, not over',
    [QUERIED, at(70_000, unknown('a', 80_000))],
    'expired [unresolved] payment_expired',
  ],
];

test.each(ROWS.map(([name, ...row]) => ({ name, row })))('$name', ({ row }) => {
  const [story, end, kind = 'hosted'] = row;
  expect(endOf(play(story, { kind }))).toBe(end);
});

test.each<Extract<Command, { attemptId: string }>>([
  { type: 'claim_start', attemptId: 'x', claimId: 'first', deadlineAtMs: 50_000 },
  { type: 'report_callback', attemptId: 'x' },
  { type: 'accept_attempt', attemptId: 'x', redirectUrl: 'https://r.example', railReference: null },
  { type: 'resolve_attempt', attemptId: 'x', outcome: { type: 'succeeded', receipt: null } },
  succeedManually('x'),
  failManually('x'),
  {
    type: 'report_receipt_conflict',
    attemptId: 'x',
    other: { merchantId: 'mer_2', uniqueId: 'order-2' },
  },
  { type: 'claim_receipt', attemptId: 'x', receipt: 'DI26D9N4AW' },
  { type: 'abandon_attempt', attemptId: 'x' },
])('$type of an unknown attempt is rejected, and changes nothing', (command) => {
  const { intent } = play([REDIRECT]);
  const decided = decide(intent, [command], 2);
  expect(decided).toEqual({ steps: [], intent, rejection: 'attempt_not_found' });
});

test('each version knows the status before it, and keeps it while the status stays', () => {
  const previous = (...story: Story) => play(story).intent.previousStatus;
  expect(previous()).toBeNull();
  expect(previous(at(1, REDIRECT))).toBe('open');
  expect(previous(at(1, REDIRECT), at(2, refuseCallback('a')))).toBe('open');
  expect(previous(at(1, REDIRECT), at(2, succeed('a')))).toBe('processing');
});

test('decisions.md#66: a success takes back that the attempt never reached the provider', () => {
  const story = [REDIRECT, neverReach('a'), succeed('a')];
  expect(play(story.slice(0, 2)).intent.attempts).toMatchObject([{ neverReached: true }]);
  expect(play(story).intent.attempts[0]).not.toHaveProperty('neverReached');
});

test('decisions.md#66: a start that was never made does not count', () => {
  const waiting = startAttempt('a', { startClaim: 'free' });
  const { attempts } = play([waiting, at(31_000, TICK)]).intent;
  expect(attempts).toMatchObject([{ status: 'expired', neverReached: true }]);
});

test.each<[string, Story, FailureReason | null, IntentKind?]>([
  ['the tenth failure is', failures(ATTEMPTS_MAX), 'declined'],
  ['an express failure is', [PUSH, fail('a')], 'declined', 'express'],
  ['a late success leaves no failure as', [PUSH, fail('a'), succeed('a')], null, 'express'],
  ['an expiry leaves no failure as', [REDIRECT, fail('a'), at(60_000, TICK)], null],
])('%s the reason of the payment', (_name, story, reason, kind = 'hosted') => {
  expect(play(story, { kind }).intent.failureReason).toBe(reason);
});

test('an attempt that the customer abandoned stays abandoned when its window closes', () => {
  const final = startAttempt('a', { windowIsFinal: true });
  expect(play([final, abandon('a'), at(30_000, TICK)]).intent.attempts).toMatchObject([
    { status: 'expired', failureReason: 'abandoned' },
  ]);
  expect(play([final, at(30_000, TICK)]).intent.attempts).toMatchObject([
    { status: 'expired', failureReason: 'timed_out' },
  ]);
});

test('a method that the payment does not offer has no commission', () => {
  expect(commissionOf(someTerms(), 'M_PESA')).toBe(0);
});

test('an inconclusive query makes no version and no history', () => {
  const { intent } = play([QUERIED, at(500, unknown('a', 1_000))]);
  expect(intent.version).toBe(2);
  expect(intent.attempts[0]).toMatchObject({ checks: 1, checkAtMs: 1_000 });
});

describe('decisions.md#31: money that moved twice', () => {
  const story: Story = [REDIRECT, abandon('a'), startAttempt('b'), succeed('b'), succeed('a')];

  test('is one event and one anomaly', () => {
    const { intent, events } = play(story);
    expect(events).toEqual(['payment_succeeded']);
    expect(intent.anomalies).toEqual([{ kind: 'duplicate_payment', attemptId: 'a', atMs: 5 }]);
    // The merchant was result of b, and b stays the reported attempt.
    expect(reportedAttempt(intent)?.id).toBe('b');
  });

  test('is not a second report of the payment', () => {
    const { intent } = play(story.slice(0, 4));
    expect(decide(intent, [succeed('b')], 9).intent).toEqual(intent);
  });

  const again = (receipt: string | null, issuerReceipt: string | null = null): Command => ({
    type: 'resolve_attempt',
    attemptId: 'a',
    outcome: { type: 'succeeded', receipt, issuerReceipt },
  });

  test.each<[string, Command, Command, readonly string[], readonly string[]]>([
    ['another receipt', again('AAA1'), again('BBB2'), ['BBB2'], ['AAA1', 'BBB2']],
    ['another spelling', again('AAA1'), again('aaa-1.'), [], ['AAA1']],
    ['no receipt', again('AAA1'), again(null), [], ['AAA1']],
    ['the first receipt at all', again(null), again('AAA1'), [], ['AAA1']],
    ["the wallet's id, too", again('AAA1'), again('AAA1', 'W1'), [], ['AAA1', 'W1']],
    ["only the wallet's id", again('AAA1'), again(null, 'W1'), [], ['AAA1', 'W1']],
    ['the same id of the wallet', again('AAA1', 'W1'), again('BBB2', 'w1'), [], ['AAA1', 'W1']],
    ["another id of the wallet's", again(null, 'W1'), again(null, 'W2'), ['W2'], ['W1', 'W2']],
    ['two other ids', again('A1', 'W1'), again('B2', 'W2'), ['B2'], ['A1', 'W1', 'B2', 'W2']],
    [
      'a wallet’s id that the first lacked',
      again('A1'),
      again('B2', 'W2'),
      ['B2'],
      ['A1', 'B2', 'W2'],
    ],
    [
      'a receipt that the first lacked',
      again(null, 'W1'),
      again('B2', 'W2'),
      ['W2'],
      ['W1', 'B2', 'W2'],
    ],
    ['both ids in each other’s place', again('A1', 'W1'), again('W1', 'A1'), [], ['A1', 'W1']],
  ])('a paid attempt that is paid again with %s', (_name, first, second, anomalies, receipts) => {
    const { intent, events } = play([REDIRECT, first, second, second]);
    expect(events).toEqual(['payment_succeeded']);
    expect(intent.anomalies).toEqual(
      anomalies.map((receipt) => ({ kind: 'second_receipt', attemptId: 'a', receipt, atMs: 3 })),
    );
    expect(receiptsIn(intent)).toEqual(receipts);
    // The first payment stays the one that refunds name.
    expect(intent.attempts[0]).toMatchObject({
      receipt: receipts[0]?.startsWith('W') ? null : receipts[0],
    });
  });

  test('records what an operator found, and each payment that the provider reports', () => {
    const { intent } = play([
      REDIRECT,
      succeedManually('a', { outcome: { type: 'succeeded', receipt: 'HAND-1' } }),
      again('AAA1'),
      again('BBB2'),
      again('HAND-1'),
      again('AAA1'),
    ]);
    expect(intent.anomalies.map(({ kind, receipt }) => [kind, receipt])).toEqual([
      ['receipt_conflict', undefined],
      ['second_receipt', 'BBB2'],
      ['second_receipt', 'HAND-1'],
    ]);
  });

  test('stores a bounded number of receipts of one attempt', () => {
    const reports = Array.from({ length: 40 }, (_, number) => again(`R${number}`));
    const { intent } = play([REDIRECT, ...reports]);
    expect([intent.anomalies.length, receiptsIn(intent).length]).toEqual([20, 21]);
  });

  test('a provider that contradicts itself changes nothing, and is recorded once', () => {
    const { intent } = play([...story, at(6, fail('a')), at(7, fail('a'))]);
    expect(intent.status).toBe('succeeded');
    expect(intent.anomalies.map(({ kind }) => kind)).toEqual([
      'duplicate_payment',
      'contradicting_failure',
    ]);
  });
});

describe('the next wake', () => {
  test.each<[string, Story, number | null]>([
    ['open: at expiry', [], 60_000],
    ['in flight: when the window closes', [REDIRECT], 30_000],
    ['in flight with a check: then', [startAttempt('a', { checkAtMs: 5_000 })], 5_000],
    [
      'abandoned with a final window: when it closes',
      [startAttempt('a', { windowIsFinal: true }), abandon('a')],
      30_000,
    ],
    [
      'abandoned with a final window that has passed: when its query is due',
      [
        startAttempt('a', { windowIsFinal: true, checkAtMs: 30_000 }),
        abandon('a'),
        at(30_000, unknown('a', 45_000)),
      ],
      45_000,
    ],
    ['unresolved: at expiry', [PUSH, at(30_000, TICK)], 60_000],
    ['unresolved with a check: then', [PUSH, at(30_000, unknown('a', 40_000))], 40_000],
    ['paid: never', [REDIRECT, succeed('a')], null],
    [
      'paid beside an abandoned attempt: when its query is due',
      [startAttempt('a', { checkAtMs: 20_000 }), abandon('a'), startAttempt('b'), succeed('b')],
      20_000,
    ],
    [
      'expired with an unresolved attempt without a status query: never',
      [PUSH, at(60_000, TICK)],
      null,
    ],
  ])('%s', (_name, story, atMs) => {
    expect(nextWakeAtMs(play(story).intent)).toBe(atMs);
  });

  test('each inconclusive query counts, for the back-off', () => {
    const { intent } = play([
      startAttempt('a', { checkAtMs: 10 }),
      at(10, unknown('a', 20)),
      at(20, unknown('a', 40)),
    ]);
    expect(intent.attempts[0]).toMatchObject({ checks: 2, checkAtMs: 40 });
    expect(attemptsToCheck(intent, 39)).toEqual([]);
    expect(attemptsToCheck(intent, 40)).toHaveLength(1);
  });
});

test('a later proof adds the id that the first one lacked, and changes none that is known', () => {
  const proof = (receipt: string | null, issuerReceipt: string | null): Command => ({
    type: 'resolve_attempt',
    attemptId: 'a1',
    outcome: { type: 'succeeded', receipt, issuerReceipt },
  });
  const { intent, steps } = decide(
    openIntent(someTerms()),
    [
      startAttempt('a1'),
      proof(null, 'WALLET-1'),
      proof('RAIL-1', 'WALLET-1'),
      proof('RAIL-1', 'WALLET-2'),
    ],
    1,
  );
  expect(intent.attempts).toMatchObject([{ receipt: 'RAIL-1', issuerReceipt: 'WALLET-1' }]);
  // The payment was announced once, and the second proof is a version that the book must have.
  expect(steps.map(({ event }) => event)).toEqual([null, 'payment_succeeded', null]);
});
