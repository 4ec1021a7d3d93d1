import { describe, expect, test } from 'vitest';
import type { Rejection } from '../../../src/engine/domain/command.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
} from '../../../src/engine/domain/manual-resolution.ts';
import { OPERATOR_LENGTH_MAX } from '../../../src/engine/domain/operator-name.ts';
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
} from '../../support/intents.ts';
import { at, endOf, play, type Story, type StoryRow } from '../../support/story.ts';

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

const ACCEPTED: readonly StoryRow[] = [
  [
    'paid, while unresolved',
    [PUSH, at(30_000, TICK), at(40_000, PAID)],
    'succeeded [succeeded] payment_succeeded',
  ],
  [
    'paid, within the window: a success counts at any time',
    [PUSH, PAID],
    'succeeded [succeeded] payment_succeeded',
  ],
  [
    'paid, while the call that starts it is running',
    [QUEUED, CLAIM, PAID],
    'succeeded [succeeded] payment_succeeded',
  ],
  [
    'decisions.md#31: paid, after the payment has expired: late',
    [PUSH, at(60_000, TICK), at(90_000, PAID)],
    'late succeeded [succeeded] payment_expired payment_succeeded',
  ],
  [
    'paid, although the provider had reported a failure: late',
    [PUSH, fail('a'), PAID],
    'late succeeded [succeeded] payment_failed payment_succeeded',
    'express',
  ],
  [
    'paid, although its final window had closed',
    [FINAL, at(30_000, TICK), at(40_000, PAID)],
    'late succeeded [succeeded] payment_failed payment_succeeded',
    'express',
  ],
  [
    'paid, although another operator had recorded a failure',
    [PUSH, at(30_000, UNPAID), at(40_000, PAID)],
    'late succeeded [succeeded] payment_failed payment_succeeded',
    'express',
  ],
  ['unpaid, hosted: the customer may try again', [PUSH, at(30_000, UNPAID)], 'open [failed]'],
  [
    'unpaid, express: the end',
    [PUSH, at(30_000, UNPAID)],
    'failed [failed] payment_failed',
    'express',
  ],
  [
    'unpaid, after the payment has expired: no new event',
    [PUSH, at(60_000, TICK), at(90_000, UNPAID)],
    'expired [failed] payment_expired',
  ],
  [
    'unpaid, abandoned by its customer, once its window is over',
    [REDIRECT, LEAVE, startAttempt('b'), at(30_000, UNPAID)],
    'processing [failed unresolved]',
  ],
  [
    'unpaid, claimed, once the call must have ended',
    [QUEUED, CLAIM, at(50_000, UNPAID)],
    'failed [failed] payment_failed',
    'express',
  ],
];

test.each(ACCEPTED.map(([name, ...row]) => ({ name, row })))('$name', ({ row }) => {
  const [story, end, kind = 'hosted'] = row;
  expect(endOf(play(story, { kind }))).toBe(end);
});

test.each<[string, Story, Rejection]>([
  [
    'unpaid, within the window: the provider may still take money',
    [PUSH, at(29_999, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, within a window that ends after the payment',
    [LONG_PUSH, at(70_000, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, abandoned, within the window: the customer may go back and pay',
    [REDIRECT, LEAVE, at(29_999, UNPAID)],
    'window_open',
  ],
  [
    'unpaid, while the call that starts it is running',
    [QUEUED, CLAIM, at(40_000, UNPAID)],
    'window_open',
  ],
  ['unpaid, while a consumer may still make the call', [QUEUED, UNPAID], 'window_open'],
  [
    'unpaid, while a status query is due',
    [startAttempt('a', { checkAtMs: 30_000 }), at(30_000, UNPAID)],
    'query_due',
  ],
  ['unpaid, once it was paid', [PUSH, succeed('a'), at(40_000, UNPAID)], 'attempt_not_pending'],
  ['unpaid, once it had failed', [PUSH, fail('a'), at(40_000, UNPAID)], 'attempt_not_pending'],
  ['unpaid, once its final window had closed', [FINAL, at(40_000, UNPAID)], 'attempt_not_pending'],
  ['paid, once it was paid', [PUSH, succeed('a'), PAID], 'attempt_not_pending'],
])('rejected: %s', (_name, story, rejection) => {
  const after = play(story);
  const before = play([...story.slice(0, -1), at(after.nowMs, TICK)]);
  expect(after.rejection).toBe(rejection);
  expect(after.intent).toEqual(before.intent);
});

describe('money that moved twice', () => {
  const story: Story = [REDIRECT, LEAVE, startAttempt('b'), succeed('b'), at(40_000, PAID)];

  test('decisions.md#31: is one event and one anomaly, also when an operator finds it', () => {
    const { intent, events } = play(story);
    expect(events).toEqual(['payment_succeeded']);
    expect(intent.paidAttemptId).toBe('b');
    expect(intent.anomalies).toEqual([{ kind: 'duplicate_payment', attemptId: 'a', atMs: 40_000 }]);
  });

  test('a provider that contradicts the operator causes an anomaly, and changes nothing else', () => {
    const { intent, events } = play([PUSH, PAID, fail('a')]);
    expect(intent.status).toBe('succeeded');
    expect(intent.anomalies.map(({ kind }) => kind)).toEqual(['contradicting_failure']);
    expect(events).toEqual(['payment_succeeded']);
  });

  test("a provider's success overrides the operator's failure", () => {
    const { intent, events } = play([PUSH, at(30_000, UNPAID), at(40_000, succeed('a'))], {
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
  const once = play([PUSH, at(30_000, command)]);
  const twice = play([PUSH, at(30_000, command), command]);
  expect([twice.intent, twice.events]).toEqual([once.intent, once.events]);
  expect(twice.rejections).toEqual([null, null, null]);
});

test('stores the operator’s receipt on the attempt, and keeps the provider’s code', () => {
  const { intent } = play([PUSH, accept('a', { providerCode: '0' }), at(30_000, PAID)]);
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
    const story: Story = [PUSH, at(30_000, TICK)];
    const { intent, rejection } = play([...story, at(30_000, succeedManually('a', changes))]);
    expect(rejection).toBe('malformed_resolution');
    expect(intent).toEqual(play(story).intent);
  });

  test('accepts the longest of each, in any script', () => {
    const { rejection } = play([
      PUSH,
      succeedManually('a', {
        note: 'ሀ'.repeat(NOTE_LENGTH_MAX),
        operator: 'ሐ'.repeat(OPERATOR_LENGTH_MAX),
        outcome: { type: 'succeeded', receipt: 'R'.repeat(MANUAL_RECEIPT_LENGTH_MAX) },
      }),
    ]);
    expect(rejection).toBeNull();
  });
});
