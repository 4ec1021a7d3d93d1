import { describe, expect, test } from 'vitest';
import { decide, openIntent } from '../../src/domain/decide.ts';
import type {
  Command,
  EventType,
  Intent,
  IntentKind,
  IntentStatus,
  Rejection,
} from '../../src/domain/intent.ts';
import { MANUAL_RECEIPT_LENGTH_MAX, NOTE_LENGTH_MAX } from '../../src/domain/manual-resolution.ts';
import { OPERATOR_LENGTH_MAX } from '../../src/domain/operator-name.ts';
import {
  fail,
  failManually,
  someTerms,
  startAttempt,
  succeed,
  succeedManually,
} from '../support/intents.ts';

/**
 * Goal: an operator resolves an attempt whose provider has no status query, with the effects of a
 * provider's answer, and cannot record as unpaid what may still be paid. The terms expire at 60 s,
 * the attempts' windows close at 30 s.
 */

const TICK: Command = { type: 'tick' };
const PUSH = startAttempt('a', { flow: 'push' });
const REDIRECT = startAttempt('a');
const LONG_PUSH = startAttempt('a', { flow: 'push', deadlineAtMs: 90_000 });
const FINAL = startAttempt('a', { flow: 'push', windowIsFinal: true });
const QUEUED = startAttempt('a', { flow: 'push', startClaim: 'free', checkAtMs: 10_000 });
const CLAIM: Command = {
  type: 'claim_start',
  attemptId: 'a',
  claimId: 'one',
  deadlineAtMs: 50_000,
};
const LEAVE: Command = { type: 'abandon_attempt', attemptId: 'a' };
const PAID = succeedManually('a');
const UNPAID = failManually('a');

type Story = readonly (readonly [nowMs: number, command: Command])[];

function runStory(story: Story, kind: IntentKind = 'hosted') {
  let intent: Intent = openIntent(someTerms({ kind }));
  const events: EventType[] = [];
  let rejection: Rejection | null = null;
  for (const [nowMs, command] of story) {
    const decision = decide(intent, [command], nowMs);
    events.push(...decision.steps.flatMap(({ event }) => event ?? []));
    ({ intent, rejection } = decision);
  }
  return { intent, events, rejection };
}

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
    story: [
      [1, PUSH],
      [30_000, TICK],
      [40_000, PAID],
    ],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_succeeded'],
    late: false,
  },
  {
    name: 'paid, within the window: a success counts at any time',
    story: [
      [1, PUSH],
      [2, PAID],
    ],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_succeeded'],
  },
  {
    name: 'paid, while the call that starts it is running',
    story: [
      [1, QUEUED],
      [2, CLAIM],
      [3, PAID],
    ],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_succeeded'],
  },
  {
    name: 'decisions.md#31: paid, after the payment has expired: late',
    story: [
      [1, PUSH],
      [60_000, TICK],
      [90_000, PAID],
    ],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_expired', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'paid, although the provider had reported a failure: late',
    kind: 'express',
    story: [
      [1, PUSH],
      [2, fail('a')],
      [3, PAID],
    ],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_failed', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'paid, although its final window had closed',
    kind: 'express',
    story: [
      [1, FINAL],
      [30_000, TICK],
      [40_000, PAID],
    ],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_failed', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'paid, although another operator had recorded a failure',
    kind: 'express',
    story: [
      [1, PUSH],
      [30_000, UNPAID],
      [40_000, PAID],
    ],
    status: 'succeeded',
    attempts: ['succeeded'],
    events: ['payment_failed', 'payment_succeeded'],
    late: true,
  },
  {
    name: 'unpaid, hosted: the customer may try again',
    story: [
      [1, PUSH],
      [30_000, UNPAID],
    ],
    status: 'open',
    attempts: ['failed'],
    events: [],
  },
  {
    name: 'unpaid, express: the end',
    kind: 'express',
    story: [
      [1, PUSH],
      [30_000, UNPAID],
    ],
    status: 'failed',
    attempts: ['failed'],
    events: ['payment_failed'],
  },
  {
    name: 'unpaid, after the payment has expired: no new event',
    story: [
      [1, PUSH],
      [60_000, TICK],
      [90_000, UNPAID],
    ],
    status: 'expired',
    attempts: ['failed'],
    events: ['payment_expired'],
  },
  {
    name: 'unpaid, abandoned by its customer, once its window is over',
    story: [
      [1, REDIRECT],
      [2, LEAVE],
      [3, startAttempt('b')],
      [30_000, UNPAID],
    ],
    status: 'processing',
    attempts: ['failed', 'unresolved'],
    events: [],
  },
  {
    name: 'unpaid, claimed, once the call must have ended',
    kind: 'express',
    story: [
      [1, QUEUED],
      [2, CLAIM],
      [50_000, UNPAID],
    ],
    status: 'failed',
    attempts: ['failed'],
    events: ['payment_failed'],
  },
];

test.each(ACCEPTED)('$name', ({ kind, story, status, attempts, events, late }) => {
  const result = runStory(story, kind);
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
    [
      [1, PUSH],
      [29_999, UNPAID],
    ],
    'window_open',
  ],
  [
    'unpaid, within a window that ends after the payment',
    [
      [1, LONG_PUSH],
      [70_000, UNPAID],
    ],
    'window_open',
  ],
  [
    'unpaid, abandoned, within the window: the customer may go back and pay',
    [
      [1, REDIRECT],
      [2, LEAVE],
      [29_999, UNPAID],
    ],
    'window_open',
  ],
  [
    'unpaid, while the call that starts it is running',
    [
      [1, QUEUED],
      [2, CLAIM],
      [40_000, UNPAID],
    ],
    'window_open',
  ],
  [
    'unpaid, while a consumer may still make the call',
    [
      [1, QUEUED],
      [2, UNPAID],
    ],
    'window_open',
  ],
  [
    'unpaid, while a status query is due',
    [
      [1, startAttempt('a', { checkAtMs: 30_000 })],
      [30_000, UNPAID],
    ],
    'query_due',
  ],
  [
    'unpaid, once it was paid',
    [
      [1, PUSH],
      [2, succeed('a')],
      [40_000, UNPAID],
    ],
    'attempt_not_pending',
  ],
  [
    'unpaid, once it had failed',
    [
      [1, PUSH],
      [2, fail('a')],
      [40_000, UNPAID],
    ],
    'attempt_not_pending',
  ],
  [
    'unpaid, once its final window had closed',
    [
      [1, FINAL],
      [40_000, UNPAID],
    ],
    'attempt_not_pending',
  ],
  [
    'paid, once it was paid',
    [
      [1, PUSH],
      [2, succeed('a')],
      [3, PAID],
    ],
    'attempt_not_pending',
  ],
  [
    'paid, an unknown attempt',
    [
      [1, PUSH],
      [2, succeedManually('x')],
    ],
    'attempt_not_found',
  ],
  [
    'unpaid, an unknown attempt',
    [
      [1, PUSH],
      [2, failManually('x')],
    ],
    'attempt_not_found',
  ],
])('rejected: %s', (_name, story, rejection) => {
  const [nowMs] = story.at(-1) ?? [0];
  const before = runStory([...story.slice(0, -1), [nowMs, TICK]]);
  const after = runStory(story);
  expect(after.rejection).toBe(rejection);
  expect(after.intent).toEqual(before.intent);
});

describe('money that moved twice', () => {
  const story: Story = [
    [1, REDIRECT],
    [2, LEAVE],
    [3, startAttempt('b')],
    [4, succeed('b')],
    [40_000, PAID],
  ];

  test('decisions.md#31: is one event and one anomaly, also when an operator finds it', () => {
    const { intent, events } = runStory(story);
    expect(events).toEqual(['payment_succeeded']);
    expect(intent.paidAttemptId).toBe('b');
    expect(intent.anomalies).toEqual([{ kind: 'duplicate_payment', attemptId: 'a', atMs: 40_000 }]);
  });

  test('a provider that contradicts the operator causes an anomaly, and changes nothing else', () => {
    const { intent, events } = runStory([
      [1, PUSH],
      [2, PAID],
      [3, fail('a')],
    ]);
    expect(intent.status).toBe('succeeded');
    expect(intent.anomalies.map(({ kind }) => kind)).toEqual(['contradicting_failure']);
    expect(events).toEqual(['payment_succeeded']);
  });

  test("a provider's success overrides the operator's failure", () => {
    const { intent, events } = runStory(
      [
        [1, PUSH],
        [30_000, UNPAID],
        [40_000, succeed('a')],
      ],
      'express',
    );
    expect(intent).toMatchObject({ status: 'succeeded', late: true });
    expect(events).toEqual(['payment_failed', 'payment_succeeded']);
  });
});

test.each([
  ['paid', PAID],
  ['unpaid', UNPAID],
])('%s: repeating the same decision changes nothing', (_name, command) => {
  const once = runStory([
    [1, PUSH],
    [30_000, command],
  ]);
  const twice = runStory([
    [1, PUSH],
    [30_000, command],
    [30_001, command],
  ]);
  expect(twice).toEqual(once);
  expect(once.rejection).toBeNull();
});

test('stores the operator’s receipt on the attempt, and keeps the provider’s code', () => {
  const { intent } = runStory([
    [1, PUSH],
    [
      2,
      {
        type: 'accept_attempt',
        attemptId: 'a',
        redirectUrl: null,
        railReference: null,
        providerCode: '0',
      },
    ],
    [30_000, PAID],
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
    const story: Story = [
      [1, PUSH],
      [30_000, TICK],
    ];
    const { intent, rejection } = runStory([...story, [30_000, succeedManually('a', changes)]]);
    expect(rejection).toBe('malformed_resolution');
    expect(intent).toEqual(runStory(story).intent);
  });

  test('accepts the longest of each, in any script', () => {
    const { rejection } = runStory([
      [1, PUSH],
      [
        2,
        succeedManually('a', {
          note: 'ሀ'.repeat(NOTE_LENGTH_MAX),
          operator: 'ሐ'.repeat(OPERATOR_LENGTH_MAX),
          outcome: { type: 'succeeded', receipt: 'R'.repeat(MANUAL_RECEIPT_LENGTH_MAX) },
        }),
      ],
    ]);
    expect(rejection).toBeNull();
  });
});
