import { describe, expect, test } from 'vitest';
import { attemptsToCheck, decide, nextWakeAtMs, openIntent } from '../../src/domain/decide.ts';
import {
  ATTEMPTS_MAX,
  type Command,
  commissionOf,
  type EventType,
  type IntentStatus,
  type Rejection,
  reportedAttempt,
} from '../../src/domain/intent.ts';
import type { Method } from '../../src/domain/method.ts';
import {
  ABANDON_PAYMENT,
  abandon,
  CANCEL,
  fail,
  refuseCallback,
  someTerms,
  startAttempt,
  succeed,
  TICK,
  unknown,
} from '../support/intents.ts';
import { at, play, type Story } from '../support/story.ts';

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

interface Row {
  readonly name: string;
  readonly kind?: 'hosted' | 'express';
  readonly story: Story;
  readonly status: IntentStatus;
  readonly events?: readonly EventType[];
  readonly rejection?: Rejection;
  readonly attempts?: readonly string[];
  readonly late?: boolean;
}

const ROWS: readonly Row[] = [
  {
    name: 'without an attempt: expired',
    story: [at(60_000, TICK)],
    status: 'expired',
    events: ['payment_expired'],
  },
  { name: 'a moment before: open', story: [at(59_999, TICK)], status: 'open' },
  {
    name: 'paid',
    story: [at(1, REDIRECT), at(2, succeed('a'))],
    status: 'succeeded',
    events: ['payment_succeeded'],
    attempts: ['succeeded'],
  },
  {
    name: 'decisions.md#30: a failed hosted attempt reopens the intent',
    story: [at(1, REDIRECT), at(2, fail('a'))],
    status: 'open',
    attempts: ['failed'],
  },
  {
    name: 'an express failure is final',
    kind: 'express',
    story: [at(1, REDIRECT), at(2, fail('a'))],
    status: 'failed',
    events: ['payment_failed'],
  },
  {
    name: 'decisions.md#30: failed, then another method',
    story: [
      at(1, REDIRECT),
      at(2, fail('a')),
      at(3, startAttempt('b', { method: 'CBE' })),
      at(4, succeed('b')),
    ],
    status: 'succeeded',
    events: ['payment_succeeded'],
    attempts: ['failed', 'succeeded'],
  },
  {
    name: 'a method that the payment does not offer',
    story: [at(1, startAttempt('a', { method: 'M_PESA' }))],
    status: 'open',
    rejection: 'method_not_allowed',
  },
  {
    name: 'a second attempt while one is in flight',
    story: [at(1, REDIRECT), at(2, startAttempt('b'))],
    status: 'processing',
    rejection: 'attempt_in_flight',
  },
  {
    name: 'a repeated start of the same attempt changes nothing',
    story: [at(1, REDIRECT), at(2, REDIRECT)],
    status: 'processing',
    attempts: ['processing'],
  },
  {
    name: 'decisions.md#30: a form sent again after its attempt failed starts nothing',
    story: [at(1, startKnowing(0, 'a')), at(2, fail('a')), at(3, startKnowing(0, 'b'))],
    status: 'open',
    rejection: 'stale_form',
    attempts: ['failed'],
  },
  {
    name: 'decisions.md#30: the form of a page that knows of the failure starts an attempt',
    story: [at(1, startKnowing(0, 'a')), at(2, fail('a')), at(3, startKnowing(1, 'b'))],
    status: 'processing',
    attempts: ['failed', 'processing'],
  },
  {
    name: 'a form that knows of more attempts than there are',
    story: [at(1, startKnowing(1, 'a'))],
    status: 'open',
    rejection: 'stale_form',
    attempts: [],
  },
  {
    name: 'a form sent again while its attempt is in flight is rejected as in flight',
    story: [at(1, startKnowing(0, 'a')), at(2, startKnowing(0, 'b'))],
    status: 'processing',
    rejection: 'attempt_in_flight',
  },
  {
    name: 'a form sent again after its attempt was paid is rejected as not open',
    story: [at(1, startKnowing(0, 'a')), at(2, succeed('a')), at(3, startKnowing(0, 'b'))],
    status: 'succeeded',
    rejection: 'not_open',
    attempts: ['succeeded'],
  },
  {
    name: 'a stale form with a method that is not offered counts as stale',
    story: [at(1, startKnowing(1, 'a', 'M_PESA'))],
    status: 'open',
    rejection: 'stale_form',
  },
  {
    name: 'a repeated start is not stale, although its attempt is now known',
    story: [at(1, startKnowing(0, 'a')), at(2, fail('a')), at(3, startKnowing(0, 'a'))],
    status: 'open',
    attempts: ['failed'],
  },
  {
    name: 'a stale form after the time stores the expiry, and is rejected as not open',
    story: [at(1, startKnowing(0, 'a')), at(2, fail('a')), at(60_000, startKnowing(0, 'b'))],
    status: 'expired',
    rejection: 'not_open',
    events: ['payment_expired'],
  },
  {
    name: 'decisions.md#25: canceled while open, no event',
    story: [at(1, CANCEL)],
    status: 'canceled',
    events: [],
  },
  {
    name: 'canceled twice is canceled',
    story: [at(1, CANCEL), at(2, CANCEL)],
    status: 'canceled',
  },
  {
    name: 'decisions.md#25: cannot be canceled while processing',
    story: [at(1, REDIRECT), at(2, CANCEL)],
    status: 'processing',
    rejection: 'attempt_in_flight',
  },
  {
    name: 'cannot be canceled once paid',
    story: [at(1, REDIRECT), at(2, succeed('a')), at(3, CANCEL)],
    status: 'succeeded',
    rejection: 'not_open',
    events: ['payment_succeeded'],
  },
  {
    name: 'a rejected command still stores an expiry that was due',
    story: [at(60_000, CANCEL)],
    status: 'expired',
    rejection: 'not_open',
    events: ['payment_expired'],
  },
  {
    name: 'decisions.md#25: abandoning the payment is a failure',
    story: [at(1, ABANDON_PAYMENT)],
    status: 'failed',
    events: ['payment_failed'],
  },
  {
    name: 'abandoning the payment leaves a redirect unresolved',
    story: [at(1, REDIRECT), at(2, ABANDON_PAYMENT)],
    status: 'failed',
    events: ['payment_failed'],
    attempts: ['unresolved'],
  },
  {
    name: 'cannot be abandoned while a push may be approved',
    story: [at(1, PUSH), at(2, ABANDON_PAYMENT)],
    status: 'processing',
    rejection: 'attempt_in_flight',
  },
  {
    name: 'an express payment cannot be abandoned',
    kind: 'express',
    story: [at(1, REDIRECT), at(2, ABANDON_PAYMENT)],
    status: 'processing',
    rejection: 'not_abandonable',
  },
  {
    name: 'decisions.md#31: a window that passes leaves the attempt unresolved, not failed',
    story: [at(1, PUSH), at(30_000, TICK)],
    status: 'processing',
    attempts: ['unresolved'],
  },
  {
    name: 'decisions.md#31: no new attempt while a push is unresolved',
    story: [at(1, PUSH), at(30_000, startAttempt('b'))],
    status: 'processing',
    rejection: 'attempt_in_flight',
  },
  {
    name: 'decisions.md#31: then the intent may expire',
    story: [at(1, PUSH), at(60_000, TICK)],
    status: 'expired',
    events: ['payment_expired'],
    attempts: ['unresolved'],
  },
  {
    name: 'decisions.md#31: a redirect may be abandoned, and another attempt started',
    story: [at(1, REDIRECT), at(2, abandon('a')), at(3, startAttempt('b'))],
    status: 'processing',
    attempts: ['unresolved', 'processing'],
  },
  {
    name: 'a push may not be abandoned',
    story: [at(1, PUSH), at(2, abandon('a'))],
    status: 'processing',
    rejection: 'not_abandonable',
  },
  {
    name: 'an express redirect may not be abandoned',
    kind: 'express',
    story: [at(1, REDIRECT), at(2, abandon('a'))],
    status: 'processing',
    rejection: 'not_abandonable',
  },
  {
    name: 'an attempt is abandoned once',
    story: [at(1, REDIRECT), at(2, abandon('a')), at(3, abandon('a'))],
    status: 'open',
    rejection: 'attempt_not_in_flight',
  },
  {
    name: 'an earlier attempt cannot be abandoned while another is in flight',
    story: [at(1, REDIRECT), at(2, fail('a')), at(3, startAttempt('b')), at(4, abandon('a'))],
    status: 'processing',
    rejection: 'attempt_not_in_flight',
  },
  {
    name: 'abandoning an unknown attempt',
    story: [at(1, abandon('x'))],
    status: 'open',
    rejection: 'attempt_not_found',
  },
  {
    name: 'a payment is abandoned once',
    story: [at(1, ABANDON_PAYMENT), at(2, ABANDON_PAYMENT)],
    status: 'failed',
    rejection: 'not_open',
    events: ['payment_failed'],
  },
  {
    name: 'decisions.md#31: the abandoned redirect is paid after all',
    story: [at(1, REDIRECT), at(2, abandon('a')), at(3, succeed('a'))],
    status: 'succeeded',
    events: ['payment_succeeded'],
    late: false,
  },
  {
    name: 'decisions.md#31: late success after expiry',
    story: [at(1, PUSH), at(60_000, TICK), at(70_000, succeed('a'))],
    status: 'succeeded',
    events: ['payment_expired', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'decisions.md#31: late success after a failure',
    kind: 'express',
    story: [at(1, PUSH), at(2, fail('a')), at(3, succeed('a'))],
    status: 'succeeded',
    events: ['payment_failed', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'decisions.md#31: late success after a cancel',
    story: [at(1, REDIRECT), at(2, abandon('a')), at(3, CANCEL), at(4, succeed('a'))],
    status: 'succeeded',
    events: ['payment_succeeded'],
    late: true,
  },
  {
    name: 'expiry and late success in the same moment: two steps, two events',
    story: [at(1, SIMULATOR), at(60_000, succeed('a'))],
    status: 'succeeded',
    events: ['payment_expired', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'decisions.md#30: an attempt with a final window ends with the intent',
    story: [at(1, SIMULATOR), at(60_000, TICK)],
    status: 'expired',
    events: ['payment_expired'],
    attempts: ['expired'],
  },
  {
    name: 'an express payment expires, and does not fail, with a final window that ends with it',
    kind: 'express',
    story: [at(1, SIMULATOR), at(60_000, TICK)],
    status: 'expired',
    events: ['payment_expired'],
    attempts: ['expired'],
  },
  {
    name: 'an abandoned attempt ends with its final window',
    story: [
      at(1, startAttempt('a', { windowIsFinal: true })),
      at(2, abandon('a')),
      at(30_000, TICK),
    ],
    status: 'open',
    events: [],
    attempts: ['expired'],
  },
  {
    name: "promises.md#5: does not expire while an attempt's window is open",
    story: [at(1, startAttempt('a', { deadlineAtMs: 90_000 })), at(60_000, TICK)],
    status: 'processing',
  },
  {
    name: 'promises.md#5: a failure after the time is an expiry',
    story: [at(1, startAttempt('a', { deadlineAtMs: 90_000 })), at(70_000, fail('a'))],
    status: 'expired',
    events: ['payment_expired'],
  },
  {
    name: 'promises.md#5: also at the very moment of the expiry',
    story: [at(1, startAttempt('a', { deadlineAtMs: 90_000 })), at(60_000, fail('a'))],
    status: 'expired',
    events: ['payment_expired'],
  },
  {
    name: 'an express payment that is declined after its time has failed',
    kind: 'express',
    story: [at(1, startAttempt('a', { deadlineAtMs: 90_000 })), at(70_000, fail('a'))],
    status: 'failed',
    events: ['payment_failed'],
  },
  {
    name: 'promises.md#4: unknown is not failed',
    story: [at(1, REDIRECT), at(2, unknown('a', 10))],
    status: 'processing',
    attempts: ['processing'],
  },
  {
    name: 'success is absorbing',
    story: [at(1, REDIRECT), at(2, succeed('a')), at(3, fail('a'))],
    status: 'succeeded',
    events: ['payment_succeeded'],
    attempts: ['succeeded'],
  },
  {
    name: 'a repeated success changes nothing',
    story: [at(1, REDIRECT), at(2, succeed('a')), at(3, succeed('a'))],
    status: 'succeeded',
    events: ['payment_succeeded'],
  },
  {
    name: 'the success of an unknown attempt',
    story: [at(1, succeed('x'))],
    status: 'open',
    rejection: 'attempt_not_found',
  },
];

test.each(ROWS)('$name', ({ kind, story, status, events, rejection, attempts, late }) => {
  const result = play(story, { kind: kind ?? 'hosted' });
  expect(result.intent.status).toBe(status);
  expect(result.rejection).toBe(rejection ?? null);
  if (events !== undefined) {
    expect(result.events).toEqual(events);
  }
  if (attempts !== undefined) {
    expect(result.intent.attempts.map((attempt) => attempt.status)).toEqual(attempts);
  }
  if (late !== undefined) {
    expect(result.intent.late).toBe(late);
  }
});

test('each version knows the status before it, and keeps it while the status stays', () => {
  const previous = (...story: Story) => play(story).intent.previousStatus;
  expect(previous()).toBeNull();
  expect(previous(at(1, REDIRECT))).toBe('open');
  expect(previous(at(1, REDIRECT), at(2, refuseCallback('a')))).toBe('open');
  expect(previous(at(1, REDIRECT), at(2, succeed('a')))).toBe('processing');
});

test('a method that the payment does not offer has no commission', () => {
  expect(commissionOf(someTerms(), 'M_PESA')).toBe(0);
});

describe('decisions.md#31: the provider is queried before an attempt ends', () => {
  const SIMULATED = startAttempt('a', {
    flow: 'push',
    deadlineAtMs: 60_000,
    windowIsFinal: true,
    checkAtMs: 500,
  });

  test('a due check comes before the expiry, even when the alarm is late', () => {
    const { intent, events } = play([at(1, SIMULATED), at(70_000, TICK), at(70_000, succeed('a'))]);
    expect(intent).toMatchObject({ status: 'succeeded', late: false });
    expect(events).toEqual(['payment_succeeded']);
  });

  test('an inconclusive last query expires the payment in the same step', () => {
    const { intent, events } = play([at(1, SIMULATED), at(70_000, unknown('a'))]);
    expect(intent.status).toBe('expired');
    expect(events).toEqual(['payment_expired']);
  });

  test('a final window with another check planned is unresolved, not over', () => {
    const { intent } = play([at(1, SIMULATED), at(70_000, unknown('a', 80_000))]);
    expect(intent.attempts[0]?.status).toBe('unresolved');
  });

  test('an inconclusive query makes no version and no history', () => {
    const { intent } = play([at(1, SIMULATED), at(500, unknown('a', 1_000))]);
    expect(intent.version).toBe(2);
    expect(intent.attempts[0]).toMatchObject({ checks: 1, checkAtMs: 1_000 });
  });
});

describe('decisions.md#31: money that moved twice', () => {
  const story: Story = [
    at(1, REDIRECT),
    at(2, abandon('a')),
    at(3, startAttempt('b')),
    at(4, succeed('b')),
    at(5, succeed('a')),
  ];

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

  test('a provider that contradicts itself changes nothing, and is recorded once', () => {
    const { intent } = play([...story, at(6, fail('a')), at(7, fail('a'))]);
    expect(intent.status).toBe('succeeded');
    expect(intent.anomalies.map(({ kind }) => kind)).toEqual([
      'duplicate_payment',
      'contradicting_failure',
    ]);
  });
});

describe('decisions.md#30: ten attempts', () => {
  const failures = (count: number): Story =>
    Array.from({ length: count }, (_, index) => [
      at(1, startAttempt(`a${index}`)),
      at(2, fail(`a${index}`)),
    ]).flat();

  test('nine failures leave it open', () => {
    expect(play(failures(ATTEMPTS_MAX - 1))).toMatchObject({
      intent: { status: 'open' },
      events: [],
    });
  });

  test('the tenth is final, with one event', () => {
    const result = play(failures(ATTEMPTS_MAX));
    expect(result).toMatchObject({
      intent: { status: 'failed', failureReason: 'declined' },
      events: ['payment_failed'],
    });
  });

  test('abandoning the tenth is final too', () => {
    const result = play([...failures(ATTEMPTS_MAX - 1), at(3, REDIRECT), at(4, abandon('a'))]);
    expect(result).toMatchObject({ intent: { status: 'failed' }, events: ['payment_failed'] });
  });
});

describe('the next wake', () => {
  test.each<[string, Story, number | null]>([
    ['open: at expiry', [], 60_000],
    ['in flight: when the window closes', [at(1, REDIRECT)], 30_000],
    ['in flight with a check: then', [at(1, startAttempt('a', { checkAtMs: 5_000 }))], 5_000],
    [
      'abandoned with a final window: when it closes',
      [at(1, startAttempt('a', { windowIsFinal: true })), at(2, abandon('a'))],
      30_000,
    ],
    [
      'abandoned with a final window that has passed: when its query is due',
      [
        at(1, startAttempt('a', { windowIsFinal: true, checkAtMs: 30_000 })),
        at(2, abandon('a')),
        at(30_000, unknown('a', 45_000)),
      ],
      45_000,
    ],
    ['unresolved: at expiry', [at(1, PUSH), at(30_000, TICK)], 60_000],
    ['unresolved with a check: then', [at(1, PUSH), at(30_000, unknown('a', 40_000))], 40_000],
    ['paid: never', [at(1, REDIRECT), at(2, succeed('a'))], null],
    [
      'paid beside an abandoned attempt: when its query is due',
      [
        at(1, startAttempt('a', { checkAtMs: 20_000 })),
        at(2, abandon('a')),
        at(3, startAttempt('b')),
        at(4, succeed('b')),
      ],
      20_000,
    ],
    [
      'expired with an unresolved attempt without a status query: never',
      [at(1, PUSH), at(60_000, TICK)],
      null,
    ],
  ])('%s', (_name, story, atMs) => {
    expect(nextWakeAtMs(play(story).intent)).toBe(atMs);
  });

  test('each inconclusive query counts, for the back-off', () => {
    const { intent } = play([
      at(1, startAttempt('a', { checkAtMs: 10 })),
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
      proof('RAIL-1', 'WALLET-2'),
      proof('RAIL-2', null),
    ],
    1,
  );
  expect(intent.attempts).toMatchObject([{ receipt: 'RAIL-1', issuerReceipt: 'WALLET-1' }]);
  // The payment was announced once, and the second proof is a version that the read model must have.
  expect(steps.map(({ event }) => event)).toEqual([null, 'payment_succeeded', null]);
});
