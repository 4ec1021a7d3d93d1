import { describe, expect, test } from 'vitest';
import { attemptsToCheck, decide, nextWakeAtMs, openIntent } from '../../src/domain/decide.ts';
import type { Attempt, Command, Intent, IntentKind } from '../../src/domain/intent.ts';
import { fail, someTerms, startAttempt, succeed, unknown } from '../support/intents.ts';

/**
 * The part of the machine that only real rails need: calls that are made once by a consumer, checks
 * round a window's end, customers who come back, callbacks that are refused.
 */

const CLAIM: Command = { type: 'claim_start', attemptId: 'a' };
const REPORT: Command = { type: 'report_callback', attemptId: 'a' };
const RETURNED: Command = { type: 'customer_returned' };
const TICK: Command = { type: 'tick' };
const QUEUED = startAttempt('a', { flow: 'push', startClaim: 'free', checkAtMs: 10_000 });

type Story = readonly (readonly [nowMs: number, command: Command])[];

function tell(story: Story, kind: IntentKind = 'hosted') {
  let intent: Intent = openIntent(someTerms({ kind }));
  const rejections: (string | null)[] = [];
  const events: string[] = [];
  for (const [nowMs, command] of story) {
    const decision = decide(intent, [command], nowMs);
    intent = decision.intent;
    rejections.push(decision.rejection);
    events.push(...decision.steps.flatMap(({ event }) => event ?? []));
  }
  const [attempt] = intent.attempts;
  if (attempt === undefined) {
    throw new Error('no attempt');
  }
  return { intent, attempt, events, rejections };
}

describe('a start that a consumer claims', () => {
  test('is taken once, and nobody is asked to send it again', () => {
    const { attempt, rejections } = tell([
      [1, QUEUED],
      [2, CLAIM],
      [3, CLAIM],
    ]);
    expect(rejections).toEqual([null, null, 'start_not_claimable']);
    expect(attempt).toMatchObject({ startClaim: 'taken', checkAtMs: null, status: 'processing' });
  });

  test('is not news: no version, no event', () => {
    const before = tell([[1, QUEUED]]);
    const after = tell([
      [1, QUEUED],
      [2, CLAIM],
    ]);
    expect(after.intent.version).toBe(before.intent.version);
    expect(after.events).toEqual([]);
  });

  test.each<[string, Story]>([
    ['nobody claims: the rail is called within the request', [[1, startAttempt('a')]]],
    [
      'that has ended',
      [
        [1, QUEUED],
        [2, fail('a')],
      ],
    ],
    [
      'that was paid',
      [
        [1, QUEUED],
        [2, succeed('a')],
      ],
    ],
    [
      'whose window is over',
      [
        [1, QUEUED],
        [10_000, unknown('a', 40_000)],
        [30_000, unknown('a', 60_000)],
      ],
    ],
  ])('no claim on one %s', (_name, story) => {
    expect(tell([...story, [30_001, CLAIM]]).rejections.at(-1)).toBe('start_not_claimable');
  });

  test('nor on one that does not exist', () => {
    const stranger: Command = { type: 'claim_start', attemptId: 'b' };
    expect(
      tell([
        [1, QUEUED],
        [2, stranger],
      ]).rejections,
    ).toEqual([null, 'attempt_not_found']);
  });

  test.each<[IntentKind, string, readonly string[]]>([
    ['express', 'failed', ['payment_failed']],
    ['hosted', 'open', []],
  ])('never claimed, %s: certainly nobody has paid', (kind, status, events) => {
    const told = tell(
      [
        [1, QUEUED],
        [10_000, unknown('a', 40_000)],
        [30_000, unknown('a', 60_000)],
      ],
      kind,
    );
    expect(told.intent.status).toBe(status);
    expect(told.attempt).toMatchObject({ status: 'expired', failureReason: 'rail_unavailable' });
    expect(told.events).toEqual(events);
  });

  test('claimed, and then silence: nobody knows', () => {
    const { attempt, intent } = tell(
      [
        [1, QUEUED],
        [2, CLAIM],
        [30_000, TICK],
      ],
      'express',
    );
    expect(attempt).toMatchObject({ status: 'unresolved', failureReason: null });
    expect(intent.status).toBe('processing');
  });
});

describe('the end of a window', () => {
  test.each<[string, Story, number]>([
    ['a first check after it comes at it', [[1, startAttempt('a', { checkAtMs: 50_000 })]], 30_000],
    [
      'so does a later one',
      [
        [1, startAttempt('a', { checkAtMs: 5_000 })],
        [5_000, unknown('a', 45_000)],
      ],
      30_000,
    ],
    [
      'one after the end stays where it is',
      [
        [1, startAttempt('a', { checkAtMs: 5_000 })],
        [30_000, unknown('a', 45_000)],
      ],
      45_000,
    ],
  ])('%s', (_name, story, checkAtMs) => {
    expect(tell(story).attempt.checkAtMs).toBe(checkAtMs);
  });

  test('the rail is asked before anybody hears that time is over', () => {
    const asked: Story = [[1, startAttempt('a', { deadlineAtMs: 60_000, checkAtMs: 90_000 })]];
    const { intent } = tell([...asked, [60_000, TICK]], 'express');
    expect(intent.status).toBe('processing');
    expect(attemptsToCheck(intent, 60_000)).toHaveLength(1);
    expect(tell([...asked, [60_000, succeed('a')]], 'express')).toMatchObject({
      intent: { status: 'succeeded', late: false },
      events: ['payment_succeeded'],
    });
    expect(tell([...asked, [60_000, unknown('a', 65_000)]], 'express')).toMatchObject({
      intent: { status: 'expired' },
      attempt: { status: 'unresolved', checkAtMs: 65_000 },
      events: ['payment_expired'],
    });
  });
});

describe('a customer whom the rail sent back', () => {
  const later = (changes: Partial<Attempt>): Story => [
    [1, startAttempt('a', { checkAtMs: 25_000, ...changes })],
  ];

  test('has the rail asked at once, and soon again', () => {
    const { attempt, intent } = tell([
      [1, startAttempt('a', { checkAtMs: 5_000 })],
      [5_000, unknown('a', 25_000)],
      [6_000, RETURNED],
    ]);
    expect(attempt).toMatchObject({ checks: 0, checkAtMs: 6_000 });
    expect(nextWakeAtMs(intent)).toBe(6_000);
    expect(attemptsToCheck(intent, 6_000)).toHaveLength(1);
  });

  test.each<[string, Story, number | null]>([
    ['not when that is due soon', [...later({}), [20_000, RETURNED]], 25_000],
    ['not where nobody can be asked', [...later({ checkAtMs: null }), [2, RETURNED]], null],
    ['not about a prompt on a phone', [...later({ flow: 'push' }), [2, RETURNED]], 25_000],
    ['not about what has ended', [...later({}), [2, fail('a')], [3, RETURNED]], null],
    [
      'also about an attempt that was left',
      [...later({}), [2, { type: 'abandon_attempt', attemptId: 'a' }], [3, RETURNED]],
      3,
    ],
  ])('%s', (_name, story, checkAtMs) => {
    expect(tell(story).attempt.checkAtMs).toBe(checkAtMs);
  });

  test('is no news', () => {
    const { intent, events } = tell([...later({}), [2, RETURNED]]);
    expect(intent.version).toBe(tell(later({})).intent.version);
    expect(events).toEqual([]);
  });
});

describe('a callback that is refused', () => {
  test('is an anomaly once for each attempt, and changes nothing else', () => {
    const before = tell([[1, startAttempt('a')]]);
    const { intent, attempt, events, rejections } = tell([
      [1, startAttempt('a')],
      [2, REPORT],
      [3, REPORT],
    ]);
    expect(intent.anomalies).toEqual([{ kind: 'refused_callback', attemptId: 'a', atMs: 2 }]);
    expect(intent.version).toBe(before.intent.version + 1);
    expect(attempt).toEqual(before.attempt);
    expect([events, rejections]).toEqual([[], [null, null, null]]);
  });

  test('a genuine one counts afterwards', () => {
    const { intent, events } = tell([
      [1, startAttempt('a')],
      [2, REPORT],
      [3, succeed('a')],
    ]);
    expect(intent.status).toBe('succeeded');
    expect(events).toEqual(['payment_succeeded']);
  });

  test('for an attempt that does not exist', () => {
    const stranger: Command = { type: 'report_callback', attemptId: 'b' };
    const { intent, rejections } = tell([
      [1, startAttempt('a')],
      [2, stranger],
    ]);
    expect(rejections).toEqual([null, 'attempt_not_found']);
    expect(intent.anomalies).toEqual([]);
  });
});
