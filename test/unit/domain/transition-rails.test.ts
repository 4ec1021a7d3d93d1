import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import {
  attemptsToCheck,
  decide,
  nextWakeAtMs,
  openIntent,
} from '../../../src/engine/domain/decide.ts';
import type { IntentKind } from '../../../src/engine/domain/terms.ts';
import {
  abandon,
  accept,
  claimStart,
  fail,
  refuseCallback,
  someTerms,
  startAttempt,
  succeed,
  TICK,
  unknown,
} from '../../support/intents.ts';
import { at, attemptOf, play, type Story } from '../../support/story.ts';

/**
 * The part of the machine that only real rails need: calls that a consumer makes once, checks
 * around a window's end, customers who return, callbacks that are refused.
 */

const CLAIM = claimStart('a', 'first');
const REFUSED = refuseCallback('a');
const RETURNED: Command = { type: 'customer_returned' };
const QUEUED = startAttempt('a', { flow: 'push', startClaim: 'free', checkAtMs: 10_000 });

function playFirst(story: Story, kind: IntentKind = 'hosted') {
  const played = play(story, { kind });
  return { ...played, attempt: attemptOf(played.intent) };
}

describe('a start that a consumer claims', () => {
  test('is claimed once, and the object stops sending it', () => {
    const { attempt, rejections } = playFirst([QUEUED, CLAIM, claimStart('a', 'second')]);
    expect(rejections).toEqual([null, null, 'start_not_claimable']);
    expect(attempt).toMatchObject({
      startClaim: 'taken',
      startClaimId: 'first',
      checkAtMs: null,
      status: 'processing',
    });
  });

  test.each<[string, Story]>([
    ['in time', []],
    ['after the window', [at(50_000, TICK)]],
    ['after the payment', [succeed('a')]],
    ['after the failure', [fail('a')]],
  ])('accepts a repeated claim %s, because the first answer may be lost', (_name, story) => {
    const once = playFirst([QUEUED, CLAIM, ...story]);
    const twice = decide(once.intent, [CLAIM], once.nowMs);
    expect([twice.rejection, twice.intent]).toEqual([null, once.intent]);
  });

  test('starts the rail’s window', () => {
    const { attempt, intent } = playFirst([QUEUED, CLAIM, at(49_999, TICK)]);
    expect(attempt).toMatchObject({ deadlineAtMs: 50_000, status: 'processing' });
    expect(nextWakeAtMs(intent)).toBe(50_000);
  });

  test('makes no version and no event', () => {
    const before = playFirst([QUEUED]);
    const after = playFirst([QUEUED, CLAIM]);
    expect(after.intent.version).toBe(before.intent.version);
    expect(after.events).toEqual([]);
  });

  test.each<[string, Story]>([
    ['whose rail is called within the request', [startAttempt('a')]],
    ['that has ended', [QUEUED, fail('a')]],
    ['that was paid', [QUEUED, succeed('a')]],
    [
      'whose window is over, with a check due at that very moment',
      [QUEUED, at(10_000, unknown('a', 40_000)), at(29_999, TICK)],
    ],
    [
      'of a payment that has expired',
      [
        startAttempt('a', { ...QUEUED.attempt, deadlineAtMs: 90_000 }),
        at(10_000, unknown('a', 80_000)),
        at(60_000, TICK),
      ],
    ],
  ])('rejects a claim on one %s', (_name, story) => {
    const nowMs = Math.max(30_000, play(story).nowMs);
    expect(playFirst([...story, at(nowMs, CLAIM)]).rejections.at(-1)).toBe('start_not_claimable');
  });

  test('rejects a claim after another attempt has paid, so that no customer pays twice', () => {
    const { intent, rejections } = playFirst([
      startAttempt('left'),
      abandon('left'),
      QUEUED,
      succeed('left'),
      CLAIM,
      at(30_000, TICK),
    ]);
    expect(rejections.at(-2)).toBe('start_not_claimable');
    expect(intent.status).toBe('succeeded');
    expect(intent.attempts.map(({ status }) => status)).toEqual(['succeeded', 'expired']);
    expect(intent.anomalies).toEqual([]);
  });

  test.each<[IntentKind, string, readonly string[]]>([
    ['express', 'failed', ['payment_failed']],
    ['hosted', 'open', []],
  ])('never claimed, %s: certainly without a charge', (kind, status, events) => {
    const result = playFirst([QUEUED, at(10_000, unknown('a', 25_000)), at(30_000, TICK)], kind);
    expect(result.intent.status).toBe(status);
    expect(result.attempt).toMatchObject({ status: 'expired', failureReason: 'rail_unavailable' });
    expect(result.events).toEqual(events);
  });

  test('claimed, and then without an answer: unresolved', () => {
    const { attempt, intent } = playFirst([QUEUED, CLAIM, at(50_000, TICK)], 'express');
    expect(attempt).toMatchObject({ status: 'unresolved', failureReason: null });
    expect(intent.status).toBe('processing');
  });
});

describe('the end of a window', () => {
  test.each<[string, Story, number]>([
    [
      'a first check after the end moves to the end',
      [startAttempt('a', { checkAtMs: 50_000 })],
      30_000,
    ],
    [
      'so does a later one',
      [startAttempt('a', { checkAtMs: 5_000 }), at(5_000, unknown('a', 45_000))],
      30_000,
    ],
    [
      'a check planned after the end keeps its time',
      [startAttempt('a', { checkAtMs: 5_000 }), at(30_000, unknown('a', 45_000))],
      45_000,
    ],
  ])('%s', (_name, story, checkAtMs) => {
    expect(playFirst(story).attempt.checkAtMs).toBe(checkAtMs);
  });

  test('the provider is queried before the expiry is announced', () => {
    const queried: Story = [startAttempt('a', { deadlineAtMs: 60_000, checkAtMs: 90_000 })];
    const { intent } = playFirst([...queried, at(60_000, TICK)], 'express');
    expect(intent.status).toBe('processing');
    expect(attemptsToCheck(intent, 60_000)).toHaveLength(1);
    expect(playFirst([...queried, at(60_000, succeed('a'))], 'express')).toMatchObject({
      intent: { status: 'succeeded', late: false },
      events: ['payment_succeeded'],
    });
    expect(playFirst([...queried, at(60_000, unknown('a', 65_000))], 'express')).toMatchObject({
      intent: { status: 'expired' },
      attempt: { status: 'unresolved', checkAtMs: 65_000 },
      events: ['payment_expired'],
    });
  });
});

describe('a provider that closes its order', () => {
  const closed: Command = {
    type: 'resolve_attempt',
    attemptId: 'a',
    outcome: { type: 'failed', reason: 'timed_out' },
  };
  const queried = startAttempt('a', { deadlineAtMs: 70_000, checkAtMs: 69_000 });

  test.each<[IntentKind, number, string, readonly string[]]>([
    ['express', 59_999, 'failed', ['payment_failed']],
    ['express', 60_000, 'expired', ['payment_expired']],
    ['hosted', 59_999, 'open', []],
    ['hosted', 60_000, 'expired', ['payment_expired']],
  ])('%s at %i: %s', (kind, nowMs, status, events) => {
    const result = playFirst([queried, at(nowMs, closed)], kind);
    expect(result.intent.status).toBe(status);
    expect(result.events).toEqual(events);
    expect(result.attempt).toMatchObject({ status: 'failed', failureReason: 'timed_out' });
  });
});

test.each<[string, Parameters<typeof accept>[1], number]>([
  ['a page', { redirectUrl: 'https://rail.example/1' }, 2],
  ['a reference', { railReference: 'RAIL-7' }, 2],
  ['nothing new', {}, 1],
])('an answer to the start that brings %s', (_name, changes, updatedAtMs) => {
  const { attempt } = playFirst([startAttempt('a'), accept('a', changes)]);
  expect(attempt).toMatchObject({ ...changes, updatedAtMs });
});

test('the first answer to a start counts', () => {
  const { attempt, rejections } = playFirst([
    startAttempt('a'),
    accept('a', { redirectUrl: 'https://rail.example/1' }),
    accept('a', { redirectUrl: 'https://rail.example/2' }),
  ]);
  expect(attempt.redirectUrl).toBe('https://rail.example/1');
  expect(rejections).toEqual([null, null, null]);
});

test('an answer to the start that arrives after the end changes no time', () => {
  const { attempt } = playFirst([
    startAttempt('a'),
    succeed('a'),
    accept('a', { railReference: 'RAIL-7' }),
  ]);
  expect(attempt).toMatchObject({ railReference: 'RAIL-7', updatedAtMs: 2, status: 'succeeded' });
});

describe('a customer who returns from the provider', () => {
  const later = (changes: Partial<Attempt>): Story => [
    startAttempt('a', { checkAtMs: 25_000, ...changes }),
  ];

  const answered = (answersCheckAtMs: number, checkAtMs: number): Command => ({
    type: 'resolve_attempt',
    attemptId: 'a',
    outcome: { type: 'unknown', checkAtMs },
    answersCheckAtMs,
  });

  test('triggers a query at once', () => {
    const { attempt, intent } = playFirst([
      startAttempt('a', { checkAtMs: 5_000 }),
      at(5_000, unknown('a', 25_000)),
      at(6_000, RETURNED),
    ]);
    expect(attempt).toMatchObject({ checks: 0, checkAtMs: 6_000 });
    expect(nextWakeAtMs(intent)).toBe(6_000);
    expect(attemptsToCheck(intent, 6_000)).toHaveLength(1);
  });

  test.each<[string, Story, number | null]>([
    ['moves no check that is due soon', [...later({}), at(20_000, RETURNED)], 25_000],
    [
      'triggers another query soon when one is running',
      [...later({ deadlineAtMs: 60_000 }), at(26_000, RETURNED)],
      31_000,
    ],
    ['at the end at the latest', [...later({}), at(26_000, RETURNED)], 30_000],
    ['moves no check after the end', [...later({}), at(30_000, RETURNED)], 25_000],
    [
      'moves no check that is due at the end',
      [...later({ checkAtMs: 30_000 }), at(30_000, RETURNED)],
      30_000,
    ],
    [
      'triggers another query soon when one is due now',
      [...later({ deadlineAtMs: 60_000 }), at(25_000, RETURNED)],
      30_000,
    ],
    [
      'triggers a query at once after the end, when the next one is far',
      [...later({}), at(30_000, unknown('a', 45_000)), at(31_000, RETURNED)],
      31_000,
    ],
    [
      'waits ten seconds after a query',
      [...later({ checkAtMs: 5_000 }), at(5_000, answered(5_000, 29_000)), at(8_000, RETURNED)],
      15_000,
    ],
    [
      'triggers a query at once after those ten seconds',
      [...later({ checkAtMs: 5_000 }), at(5_000, answered(5_000, 29_000)), at(16_000, RETURNED)],
      16_000,
    ],
    [
      'leaves a check that comes before those ten seconds',
      [...later({ checkAtMs: 5_000 }), at(5_000, answered(5_000, 12_000)), at(8_000, RETURNED)],
      12_000,
    ],
    [
      'waits no longer than the window',
      [
        ...later({ checkAtMs: 5_000, deadlineAtMs: 14_000 }),
        at(5_000, answered(5_000, 20_000)),
        at(8_000, RETURNED),
      ],
      14_000,
    ],
    [
      'triggers no query without a status query',
      [...later({ checkAtMs: null }), at(2, RETURNED)],
      null,
    ],
    [
      'triggers no query about a prompt on a phone',
      [...later({ flow: 'push' }), at(2, RETURNED)],
      25_000,
    ],
    [
      'triggers no query about an ended attempt',
      [...later({}), at(2, fail('a')), at(3, RETURNED)],
      null,
    ],
    [
      'triggers a query about an abandoned attempt too',
      [...later({}), at(2, abandon('a')), at(3, RETURNED)],
      3,
    ],
  ])('%s', (_name, story, checkAtMs) => {
    expect(playFirst(story).attempt.checkAtMs).toBe(checkAtMs);
  });

  test('who returns repeatedly during slow queries causes one query in five seconds', () => {
    let intent = openIntent(someTerms());
    const run = (nowMs: number, command: Command) => {
      intent = decide(intent, [command], nowMs).intent;
    };
    run(1, startAttempt('a', { checkAtMs: 5_000, deadlineAtMs: 50_000 }));
    let queries = 0;
    for (let nowMs = 5_000; nowMs < 65_000; nowMs += 200) {
      run(nowMs, RETURNED);
      for (const { id, checkAtMs, checks } of attemptsToCheck(intent, nowMs)) {
        queries += 1;
        run(nowMs + 100, RETURNED);
        run(nowMs + 190, {
          type: 'resolve_attempt',
          attemptId: id,
          outcome: { type: 'unknown', checkAtMs: nowMs + 5_000 * 2 ** checks },
          answersCheckAtMs: checkAtMs,
        });
      }
    }
    expect(queries).toBeLessThanOrEqual(60 / 5 + 1);
    expect(intent.status).toBe('expired');
  });

  test('does not restart the back-off of a check that stays', () => {
    const { attempt } = playFirst([
      ...later({ checkAtMs: 5_000 }),
      at(5_000, answered(5_000, 12_000)),
      at(8_000, RETURNED),
    ]);
    expect(attempt).toMatchObject({ checks: 1, queriedAtMs: 5_000 });
  });

  test.each([
    ['no other one is planned', null, 20_000, 20_000],
    ['it asks for none', 25_000, null, 25_000],
    ['the other one is earlier', 25_000, 28_000, 25_000],
    ['the other one is later', 25_000, 20_000, 20_000],
  ])('an answer to an older query, when %s', (_name, planned, asked, checkAtMs) => {
    const outcome = { type: 'unknown', checkAtMs: asked } as const;
    const command = { type: 'resolve_attempt', attemptId: 'a', outcome } as const;
    const { attempt } = playFirst([
      ...later({ checkAtMs: planned }),
      at(2, { ...command, answersCheckAtMs: 5_000 }),
    ]);
    expect(attempt).toMatchObject({ checks: 0, checkAtMs });
  });

  test('triggers queries about the last two attempts', () => {
    const tries = ['a', 'b', 'c'].flatMap(
      (id): Story => [startAttempt(id, { checkAtMs: 25_000 }), abandon(id)],
    );
    const { intent } = playFirst([...tries, at(3, RETURNED)]);
    expect(intent.attempts.map(({ checkAtMs }) => checkAtMs)).toEqual([25_000, 3, 3]);
  });

  test('gets a new query although an older answer arrives', () => {
    const before: Command = {
      type: 'resolve_attempt',
      attemptId: 'a',
      outcome: { type: 'unknown', checkAtMs: 29_000 },
      answersCheckAtMs: 5_000,
    };
    const queried: Story = [startAttempt('a', { checkAtMs: 5_000 })];
    expect(playFirst([...queried, at(7_000, before)]).attempt).toMatchObject({
      checks: 1,
      checkAtMs: 29_000,
    });
    expect(playFirst([...queried, at(6_000, RETURNED), at(7_000, before)]).attempt).toMatchObject({
      checks: 0,
      checkAtMs: 11_000,
    });
  });

  test('makes no version and no event', () => {
    const { intent, events } = playFirst([...later({}), at(2, RETURNED)]);
    expect(intent.version).toBe(playFirst(later({})).intent.version);
    expect(events).toEqual([]);
  });
});

describe('a callback that is refused', () => {
  test('is an anomaly once per attempt, and changes nothing else', () => {
    const before = playFirst([startAttempt('a')]);
    const { intent, attempt, events, rejections } = playFirst([
      startAttempt('a'),
      REFUSED,
      REFUSED,
    ]);
    expect(intent.anomalies).toEqual([{ kind: 'refused_callback', attemptId: 'a', atMs: 2 }]);
    expect(intent.version).toBe(before.intent.version + 1);
    expect(attempt).toEqual(before.attempt);
    expect([events, rejections]).toEqual([[], [null, null, null]]);
  });

  test('does not stop a genuine one', () => {
    const { intent, events } = playFirst([startAttempt('a'), REFUSED, succeed('a')]);
    expect(intent.status).toBe('succeeded');
    expect(events).toEqual(['payment_succeeded']);
  });

  test('is recorded for each attempt', () => {
    const { intent } = playFirst([
      startAttempt('a'),
      REFUSED,
      fail('a'),
      startAttempt('b'),
      refuseCallback('b'),
    ]);
    expect(intent.anomalies.map(({ attemptId }) => attemptId)).toEqual(['a', 'b']);
  });
});
