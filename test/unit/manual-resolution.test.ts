import { describe, expect, test } from 'vitest';
import type { EventType, IntentKind, IntentStatus, Rejection } from '../../src/domain/intent.ts';
import { MANUAL_RECEIPT_LENGTH_MAX, NOTE_LENGTH_MAX } from '../../src/domain/manual-resolution.ts';
import { OPERATOR_LENGTH_MAX } from '../../src/domain/operator-name.ts';
import {
  abandon,
  accept,
  claimStart,
  fail,
  failManually,
  startAttempt,
  succeed,
  succeedManually,
  TICK,
} from '../support/intents.ts';
import { at, play, type Story } from '../support/story.ts';

/**
 * Goal: an operator resolves an attempt whose provider has no status query, with the effects of a
 * provider's answer, and cannot record as unpaid what may still be paid. The terms expire at 60 s,
 * the attempts' windows close at 30 s.
 */

const PUSH = startAttempt('a', { flow: 'push' });
const REDIRECT = startAttempt('a');
const LONG_PUSH = startAttempt('a', { flow: 'push', deadlineAtMs: 90_000 });
const FINAL = startAttempt('a', { flow: 'push', windowIsFinal: true });
const QUEUED = startAttempt('a', { flow: 'push', startClaim: 'free', checkAtMs: 10_000 });
const CLAIM = claimStart('a', 'one');
const LEAVE = abandon('a');
const PAID = succeedManually('a');
const UNPAID = failManually('a');

interface Row {
  readonly name: string;
  readonly kind?: IntentKind;
  readonly story: Story;
  readonly status: IntentStatus;
  readonly attempts: readonly string[];
  readonly events?: readonly EventType[];
  readonly late?: boolean;
}

const ACCEPTED: readonly Row[] = [
  {
    name: 'paid, while unresolved',
    story: [at(1, PUSH), at(30_000, TICK), at(40_000, PAID)],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_succeeded'],
    late: false,
  },
  {
    name: 'paid, within the window: a success counts at any time',
    story: [at(1, PUSH), at(2, PAID)],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_succeeded'],
  },
  {
    name: 'paid, while the call that starts it is running',
    story: [at(1, QUEUED), at(2, CLAIM), at(3, PAID)],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_succeeded'],
  },
  {
    name: 'decisions.md#31: paid, after the payment has expired: late',
    story: [at(1, PUSH), at(60_000, TICK), at(90_000, PAID)],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_expired', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'paid, although the provider had reported a failure: late',
    kind: 'express',
    story: [at(1, PUSH), at(2, fail('a')), at(3, PAID)],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_failed', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'paid, although its final window had closed',
    kind: 'express',
    story: [at(1, FINAL), at(30_000, TICK), at(40_000, PAID)],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_failed', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'paid, although another operator had recorded a failure',
    kind: 'express',
    story: [at(1, PUSH), at(30_000, UNPAID), at(40_000, PAID)],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_failed', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'unpaid, hosted: the customer may try again',
    story: [at(1, PUSH), at(30_000, UNPAID)],
    status: 'open',
    attempts: ['failed'],
    events: [],
  },
  {
    name: 'unpaid, express: the end',
    kind: 'express',
    story: [at(1, PUSH), at(30_000, UNPAID)],
    status: 'failed',
    attempts: ['failed'],
    events: ['payment_failed'],
  },
  {
    name: 'unpaid, after the payment has expired: no new event',
    story: [at(1, PUSH), at(60_000, TICK), at(90_000, UNPAID)],
    status: 'expired',
    attempts: ['failed'],
    events: ['payment_expired'],
  },
  {
    name: 'unpaid, abandoned by its customer, once its window is over',
    story: [at(1, REDIRECT), at(2, LEAVE), at(3, startAttempt('b')), at(30_000, UNPAID)],
    status: 'processing',
    attempts: ['failed', 'unresolved'],
    events: [],
  },
  {
    name: 'unpaid, claimed, once the call must have ended',
    kind: 'express',
    story: [at(1, QUEUED), at(2, CLAIM), at(50_000, UNPAID)],
    status: 'failed',
    attempts: ['failed'],
    events: ['payment_failed'],
  },
];

test.each(ACCEPTED)('$name', ({ kind, story, status, attempts, events, late }) => {
  const result = play(story, { kind: kind ?? 'hosted' });
  expect(result.rejection).toBeNull();
  expect(result.intent.status).toBe(status);
  expect(result.intent.attempts.map((attempt) => attempt.status)).toEqual(attempts);
  if (events !== undefined) {
    expect(result.events).toEqual(events);
  }
  if (late !== undefined) {
    expect(result.intent.late).toBe(late);
  }
});

test.each<[string, Story, Rejection]>([
  [
    'unpaid, within the window: the provider may still take money',
    [at(1, PUSH), at(29_999, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, within a window that ends after the payment',
    [at(1, LONG_PUSH), at(70_000, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, abandoned, within the window: the customer may go back and pay',
    [at(1, REDIRECT), at(2, LEAVE), at(29_999, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, while the call that starts it is running',
    [at(1, QUEUED), at(2, CLAIM), at(40_000, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, while a consumer may still make the call',
    [at(1, QUEUED), at(2, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, while a status query is due',
    [at(1, startAttempt('a', { checkAtMs: 30_000 })), at(30_000, UNPAID)],
    'query_due',
  ],
  [
    'unpaid, once it was paid',
    [at(1, PUSH), at(2, succeed('a')), at(40_000, UNPAID)],
    'attempt_not_pending',
  ],
  [
    'unpaid, once it had failed',
    [at(1, PUSH), at(2, fail('a')), at(40_000, UNPAID)],
    'attempt_not_pending',
  ],
  [
    'unpaid, once its final window had closed',
    [at(1, FINAL), at(40_000, UNPAID)],
    'attempt_not_pending',
  ],
  [
    'paid, once it was paid',
    [at(1, PUSH), at(2, succeed('a')), at(3, PAID)],
    'attempt_not_pending',
  ],
  ['paid, an unknown attempt', [at(1, PUSH), at(2, succeedManually('x'))], 'attempt_not_found'],
  ['unpaid, an unknown attempt', [at(1, PUSH), at(2, failManually('x'))], 'attempt_not_found'],
])('rejected: %s', (_name, story, rejection) => {
  const { atMs = 0 } = story.at(-1) ?? {};
  const before = play([...story.slice(0, -1), at(atMs, TICK)]);
  const after = play(story);
  expect(after.rejection).toBe(rejection);
  expect(after.intent).toEqual(before.intent);
});

describe('money that moved twice', () => {
  const story: Story = [
    at(1, REDIRECT),
    at(2, LEAVE),
    at(3, startAttempt('b')),
    at(4, succeed('b')),
    at(40_000, PAID),
  ];

  test('decisions.md#31: is one event and one anomaly, also when an operator finds it', () => {
    const { intent, events } = play(story);
    expect(events).toEqual(['payment_succeeded']);
    expect(intent.paidAttemptId).toBe('b');
    expect(intent.anomalies).toEqual([{ kind: 'duplicate_payment', attemptId: 'a', atMs: 40_000 }]);
  });

  test('a provider that contradicts the operator causes an anomaly, and changes nothing else', () => {
    const { intent, events } = play([at(1, PUSH), at(2, PAID), at(3, fail('a'))]);
    expect(intent.status).toBe('succeeded');
    expect(intent.anomalies.map(({ kind }) => kind)).toEqual(['contradicting_failure']);
    expect(events).toEqual(['payment_succeeded']);
  });

  test("a provider's success overrides the operator's failure", () => {
    const { intent, events } = play([at(1, PUSH), at(30_000, UNPAID), at(40_000, succeed('a'))], {
      kind: 'express',
    });
    expect(intent).toMatchObject({ status: 'succeeded', late: true });
    expect(events).toEqual(['payment_failed', 'payment_succeeded']);
  });
});

test.each([
  ['paid', PAID],
  ['unpaid', UNPAID],
])('%s: repeating the same decision changes nothing', (_name, command) => {
  const once = play([at(1, PUSH), at(30_000, command)]);
  const twice = play([at(1, PUSH), at(30_000, command), at(30_001, command)]);
  expect([twice.intent, twice.events]).toEqual([once.intent, once.events]);
  expect(twice.rejections).toEqual([null, null, null]);
});

test('stores the operator’s receipt on the attempt, and keeps the provider’s code', () => {
  const { intent } = play([
    at(1, PUSH),
    at(2, accept('a', { providerCode: '0' })),
    at(30_000, PAID),
  ]);
  expect(intent.attempts[0]).toMatchObject({
    receipt: 'HAND-1',
    providerCode: '0',
    checkAtMs: null,
    manualResolutionId: 'paid-a',
  });
});

describe('what an operator must write', () => {
  const receipt = (text: string) => ({
    outcome: { type: 'succeeded' as const, receipt: text },
  });

  test.each<[string, Parameters<typeof succeedManually>[1]]>([
    ['a note', { note: '' }],
    ['a note with visible text', { note: ' \u00a0 ' }],
    ['a note of one line', { note: 'one\ntwo' }],
    ['a note that is not too long', { note: 'x'.repeat(NOTE_LENGTH_MAX + 1) }],
    ['a name', { operator: '' }],
    ['a name that is not too long', { operator: 'x'.repeat(OPERATOR_LENGTH_MAX + 1) }],
    ['a receipt, or none', receipt('')],
    ['a receipt in one word', receipt('A B')],
    ['a receipt that is not too long', receipt('x'.repeat(MANUAL_RECEIPT_LENGTH_MAX + 1))],
  ])('%s', (_name, changes) => {
    const story: Story = [at(1, PUSH), at(30_000, TICK)];
    const { intent, rejection } = play([...story, at(30_000, succeedManually('a', changes))]);
    expect(rejection).toBe('malformed_resolution');
    expect(intent).toEqual(play(story).intent);
  });

  test('accepts the longest of each, in any script', () => {
    const { rejection } = play([
      at(1, PUSH),
      at(
        2,
        succeedManually('a', {
          note: 'ሀ'.repeat(NOTE_LENGTH_MAX),
          operator: 'ሐ'.repeat(OPERATOR_LENGTH_MAX),
          outcome: { type: 'succeeded', receipt: 'R'.repeat(MANUAL_RECEIPT_LENGTH_MAX) },
        }),
      ),
    ]);
    expect(rejection).toBeNull();
  });
});
