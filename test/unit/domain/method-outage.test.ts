import { describe, expect, test } from 'vitest';
import {
  countAttempts,
  knownOutage,
  type MethodHealth,
  NEW_METHOD,
} from '../../../src/control/alerts/method-health.ts';
import { commandFor } from '../../../src/engine/attempts/start.ts';
import {
  afterStart,
  isSeenBy,
  type KnownOutage,
  type MethodStarts,
  NO_STARTS,
  OUTAGE_ENDS_AFTER_MS,
  outageIn,
  outageSinceMs,
} from '../../../src/engine/domain/method-outage.ts';

/**
 * Goal: docs/decisions.md#66: when a method counts as not working, for whom, since when, and what ends
 * it. Method: stories of starts in one isolate, stories of books' reports, and what both say together.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const NOW_MS = Date.UTC(2026, 10, 29, 8, 0);

type Start = readonly [payment: string, afterMs: number, hasReached?: boolean];

/** `alpha/1`: the first payment of the merchant alpha. */
function isolate(starts: readonly Start[]): MethodStarts {
  return starts.reduce<MethodStarts>((known, [payment, afterMs, hasReached = false]) => {
    const [merchantId = ''] = payment.split('/');
    return afterStart(known, { merchantId, paymentUuid: payment, hasReached }, NOW_MS + afterMs);
  }, NO_STARTS);
}

/** Who is told at the time of the last start, and since when. */
function seen(starts: readonly Start[], afterMs = starts.at(-1)?.[1] ?? 0) {
  const outage = outageIn(isolate(starts), NOW_MS + afterMs);
  const merchants = ['alpha', 'beta', 'gamma'].filter((id) => outage && isSeenBy(outage, id));
  return [merchants.join(' '), outage && outage.sinceMs - NOW_MS];
}

const THREE: readonly Start[] = [
  ['alpha/1', 0],
  ['alpha/2', 1_000],
  ['alpha/3', 2_000],
];
const ALL = 'alpha beta gamma';

describe('the starts of an isolate', () => {
  test.each<[string, readonly Start[], string, number | null, number?]>([
    ['none', [], '', null],
    ['two payments', THREE.slice(0, 2), '', null],
    ['three of one merchant: its customers alone are told', THREE, 'alpha', 0],
    ['one payment, tried again and again', Array(20).fill(['alpha/1', 0]), '', null],
    [
      'three merchants: everybody is told',
      [
        ['alpha/1', 0],
        ['beta/1', 1_000],
        ['gamma/1', 2_000],
      ],
      ALL,
      0,
    ],
    ['many of one and one of another: everybody is not', [...THREE, ['beta/1', 3_000]], 'alpha', 0],
    ['two of another', [...THREE, ['beta/1', 3_000], ['beta/2', 4_000]], ALL, 0],
    ['one that reaches the provider ends it', [...THREE, ['beta/1', 3_000, true]], '', null],
    [
      'a method that flaps is not marked, however long',
      Array.from({ length: 300 }, (_, index): Start => [`alpha/${index}`, index, index % 3 === 2]),
      '',
      null,
    ],
    [
      'it begins anew after the provider was reached',
      [
        ['alpha/0', 0],
        ['alpha/0', 1_000, true],
        ['alpha/1', 2_000],
        ['alpha/2', 3_000],
        ['alpha/3', 4_000],
      ],
      'alpha',
      2_000,
    ],
    ['it lasts while starts fail', [...THREE, ['alpha/4', 9 * MINUTE_MS]], 'alpha', 0],
    ['it ends by itself without a start', THREE, '', null, 2_000 + OUTAGE_ENDS_AFTER_MS],
    ['a moment before, it has not', THREE, 'alpha', 0, 2_000 + OUTAGE_ENDS_AFTER_MS - 1],
    [
      'after such a pause, old failures do not count',
      [...THREE.slice(0, 2), ['alpha/3', 1_000 + OUTAGE_ENDS_AFTER_MS]],
      '',
      null,
    ],
    [
      'a busy merchant does not push the others out',
      [
        ['beta/1', 0],
        ['gamma/1', 0],
        ...Array.from({ length: 100 }, (_, index): Start => [`alpha/${index}`, 1_000 + index]),
      ],
      ALL,
      0,
    ],
  ])('%s', (_, starts, merchants, since, afterMs) => {
    expect(seen(starts, afterMs)).toEqual([merchants, since]);
  });

  test('a thousand merchants fill no memory', () => {
    const starts = Array.from({ length: 1_000 }, (_, index): Start => [`m${index}/1`, index]);
    expect(isolate(starts).failed.length).toBeLessThanOrEqual(12);
    expect(seen(starts)).toEqual([ALL, 0]);
  });

  test('a clock that was set back does not make it last', () => {
    expect(seen(THREE, -OUTAGE_ENDS_AFTER_MS)).toEqual(['', null]);
  });
});

interface Report {
  readonly by: string;
  readonly afterMs: number;
  readonly failed?: number;
  /** When the first of them failed, if the book has kept them for a while. */
  readonly failedFromMs?: number;
  readonly paid?: number;
  readonly paidMs?: number;
  readonly refused?: number;
}

/** The reports of several books, as the operator's object counts them. */
function books(reports: readonly Report[]): MethodHealth {
  return reports.reduce<MethodHealth>((health, one) => {
    const { by, afterMs, failed = 0, paid = 0, refused = 0 } = one;
    const tally = {
      merchantId: by,
      succeeded: paid,
      refused,
      unreached: failed,
      neverReached: failed,
      neverReachedFromMs: failed > 0 ? NOW_MS + (one.failedFromMs ?? afterMs) : null,
      succeededAtMs: paid > 0 ? NOW_MS + (one.paidMs ?? afterMs) : null,
    };
    return countAttempts(health, tally, NOW_MS + afterMs);
  }, NEW_METHOD);
}

function told(reports: readonly Report[], afterMs = reports.at(-1)?.afterMs ?? 0) {
  const { outage } = knownOutage(books(reports), NOW_MS + afterMs);
  const merchants = ['alpha', 'beta', 'gamma'].filter((id) => outage && isSeenBy(outage, id));
  return [merchants.join(' '), outage && outage.sinceMs - NOW_MS];
}

const FIVE: Report = { by: 'alpha', afterMs: 0, failed: 5 };

describe('the reports of the books', () => {
  test.each<[string, readonly Report[], string, number | null, number?]>([
    ['four failures', [{ ...FIVE, failed: 4 }], '', null],
    ['five of one book: its customers alone are told', [FIVE], 'alpha', 0],
    [
      'five of two books: everybody is told',
      [
        { by: 'alpha', afterMs: 0, failed: 3 },
        { by: 'beta', afterMs: 1_000, failed: 2 },
      ],
      ALL,
      0,
    ],
    [
      'two books that disagree: one merchant’s success ends the other’s outage',
      [FIVE, { by: 'beta', afterMs: 2_000, paid: 1 }],
      '',
      null,
    ],
    [
      'two books that disagree: a success before the outage, told a minute later, does not',
      [FIVE, { by: 'beta', afterMs: MINUTE_MS, paid: 1, paidMs: -1 }],
      'alpha',
      0,
    ],
    [
      'two books that disagree: a success since the outage began, told a minute later, ends it',
      [FIVE, { by: 'beta', afterMs: MINUTE_MS, paid: 1, paidMs: 1_000 }],
      '',
      null,
    ],
    [
      'two books that disagree for long: the one that works is never told',
      Array.from({ length: 60 }, (_, index): readonly Report[] => [
        { by: 'alpha', afterMs: index * 5_000, failed: 5 },
        { by: 'beta', afterMs: index * 5_000 + 1_000, paid: 1 },
        { by: 'alpha', afterMs: index * 5_000 + 2_000, failed: 5 },
      ]).flat(),
      'alpha',
      59 * 5_000 + 2_000,
    ],
    [
      'a report with a success after its failures',
      [{ ...FIVE, paid: 1, failedFromMs: -1_000, paidMs: 0 }],
      '',
      null,
    ],
    [
      'a report with a success before its failures',
      [{ ...FIVE, paid: 1, failedFromMs: 0, paidMs: -1_000 }],
      'alpha',
      0,
    ],
    [
      'a prompt of before the outage that its customer declines does not end it',
      [FIVE, { by: 'beta', afterMs: 1_000, refused: 1 }],
      'alpha',
      0,
    ],
    ['it ends by itself', [FIVE], '', null, OUTAGE_ENDS_AFTER_MS],
  ])('%s', (_, reports, merchants, since, afterMs) => {
    expect(told(reports, afterMs)).toEqual([merchants, since]);
  });

  test('a book of an older version names no failures: nobody is told', () => {
    const health = countAttempts(NEW_METHOD, { succeeded: 0, refused: 0, unreached: 9 }, NOW_MS);
    expect(knownOutage(health, NOW_MS).outage).toBeNull();
  });
});

test.each([
  ['not_needed', true],
  ['free', undefined],
  ['taken', undefined],
] as const)(
  'a refusal for an outage, of a start whose claim is %s: never reached: %s',
  (startClaim, neverReached) => {
    const attempt = { id: 'a', startClaim, startedAtMs: 0 };
    // One that waits for the customer may be refused after the phone has rung.
    const command = commandFor({ type: 'refused', reason: 'rail_unavailable' }, attempt, 1);
    const outcome = command.type === 'resolve_attempt' ? command.outcome : null;
    expect(outcome).toEqual({
      type: 'failed',
      reason: 'rail_unavailable',
      providerCode: null,
      ...(neverReached && { neverReached }),
    });
  },
);

describe('both together', () => {
  const NOTHING: KnownOutage = { outage: null, succeededAtMs: null };
  const down = (sinceMs: number, atMs: number): KnownOutage => ({
    outage: { isForAll: true, merchantIds: [], sinceMs: NOW_MS + sinceMs, atMs: NOW_MS + atMs },
    succeededAtMs: null,
  });
  const worked = (atMs: number): KnownOutage => ({ outage: null, succeededAtMs: NOW_MS + atMs });

  test.each<[string, readonly Start[], KnownOutage, number | null]>([
    ['neither knows of one', [], NOTHING, null],
    ['the isolate’s own starts suffice', THREE, NOTHING, 0],
    ['what the object knows suffices', [], down(-5_000, 0), -5_000],
    ['the earlier one counts', THREE, down(-5_000, 0), -5_000],
    ['a success elsewhere after the isolate’s starts ends it', THREE, worked(2_500), null],
    ['one before them does not', THREE, worked(1_500), 0],
    [
      'a start that reached the provider ends it',
      [['beta/1', 0, true]],
      down(-5_000, -1_000),
      null,
    ],
    ['also while old failures arrive', [['beta/1', 0, true]], down(-5_000, 4_000), null],
    ['an outage that began after it counts', [['beta/1', 0, true]], down(1_000, 4_000), 1_000],
    [
      'what the object said long ago does not count',
      [],
      down(-OUTAGE_ENDS_AFTER_MS, -595_001),
      null,
    ],
  ])('%s', (_, starts, known, since) => {
    const sinceMs = outageSinceMs(isolate(starts), known, 'alpha', NOW_MS + 5_000);
    expect(sinceMs).toBe(since === null ? null : NOW_MS + since);
  });
});
