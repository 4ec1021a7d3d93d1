import type { MethodTally } from '../../engine/alerts/standing.ts';
import {
  isRecent,
  type KnownOutage,
  type MerchantCount,
  sightOf,
} from '../../engine/domain/method-outage.ts';

/** Whether payments by a method still succeed (docs/decisions.md#63). Pure. */

export interface MethodHealth {
  /** The share of ended attempts that succeed, from 0 to 1, while nothing is wrong. */
  readonly usualShare: number;
  /** Attempts without a success since the last one, and those of them that reached no provider. */
  readonly missed: number;
  readonly unreached: number;
  /** When the first of them was counted; null: the last attempt succeeded. */
  readonly missedSinceMs: number | null;
  /** When the last of them was counted. */
  readonly missedAtMs: number | null;
  /** The row of attempts that never reached the provider. Absent without one. */
  readonly row?: FailedRow;
  /** When the last success was counted; absent: not since the object began to count it. */
  readonly succeededAtMs?: number | null;
}

/** What customers' pages say of the method follows from it (docs/decisions.md#66). */
interface FailedRow {
  readonly sinceMs: number;
  readonly atMs: number;
  readonly counts: readonly MerchantCount[];
}

type Tally = Omit<MethodTally, 'environment' | 'method'>;

/** Before a method has a history, half of its attempts may fail. */
export const NEW_METHOD: MethodHealth = {
  usualShare: 0.5,
  missed: 0,
  unreached: 0,
  missedSinceMs: null,
  missedAtMs: null,
};

/** So many attempts in a row that reach no provider are no coincidence. */
const UNREACHED_MAX = 5;
/** A row of attempts without success means a fault when chance makes one in 10,000 rows as long. */
const CHANCE_MIN = 1 / 10_000;
/** A method whose customers nearly always pay is not suspected before so many have failed. */
const MISSED_MIN = 10;
/** Beyond this a share tells nothing: always or never. */
const SHARE_MIN = 0.1;
const SHARE_MAX = 0.95;
/** The weight of one attempt in the usual share: about the last 100 attempts count. */
const WEIGHT = 0.01;

/** One success ends a row of failures: the provider works. */
export function countAttempts(health: MethodHealth, tally: Tally, nowMs: number): MethodHealth {
  const { row: _, ...counted } = countEnded(health, tally, nowMs);
  const row = rowAfter(health.row, tally, nowMs);
  return { ...counted, ...(row && { row }) };
}

function countEnded(
  health: MethodHealth,
  { succeeded, refused, unreached, succeededAtMs }: Tally,
  nowMs: number,
): MethodHealth {
  const ended = succeeded + refused + unreached;
  if (ended === 0) {
    return health;
  }
  if (succeeded > 0) {
    // A fault that is over is not what is usual.
    const missed = isFailing(health) ? 0 : health.missed;
    const kept = (1 - WEIGHT) ** (ended + missed);
    const share = succeeded / (ended + missed);
    const usualShare = health.usualShare * kept + share * (1 - kept);
    return { ...NEW_METHOD, usualShare, succeededAtMs: succeededAtMs ?? nowMs };
  }
  return {
    ...health,
    missed: health.missed + ended,
    // A provider that refuses a customer was reached.
    unreached: refused > 0 ? unreached : health.unreached + unreached,
    missedSinceMs: health.missedSinceMs ?? nowMs,
    missedAtMs: nowMs,
  };
}

export function isFailing({ usualShare, missed, unreached }: MethodHealth): boolean {
  const share = Math.min(SHARE_MAX, Math.max(SHARE_MIN, usualShare));
  return unreached >= UNREACHED_MAX || (missed >= MISSED_MIN && (1 - share) ** missed < CHANCE_MIN);
}

/** Merchants whose failures are counted: enough to see whose payments they are. */
const MERCHANTS_MAX = 20;
/** A book that does not name its merchant is an older one's. */
const UNKNOWN_MERCHANT = '';

/**
 * One success ends the row, unless it is older: books report successes up to a minute later. Refusals
 * do not, because a customer may decline a prompt of before the outage.
 */
function rowAfter(before: FailedRow | undefined, tally: Tally, nowMs: number): FailedRow | null {
  const { neverReached = 0, succeeded, merchantId = UNKNOWN_MERCHANT } = tally;
  const succeededAtMs = succeeded > 0 ? (tally.succeededAtMs ?? nowMs) : 0;
  const fromMs = tally.neverReachedFromMs ?? nowMs;
  const isOver = !isRecent(before?.atMs ?? null, nowMs) || succeededAtMs >= (before?.sinceMs ?? 0);
  const known = isOver ? undefined : before;
  if (neverReached <= 0 || succeededAtMs >= fromMs) {
    return known ?? null;
  }
  return {
    sinceMs: known?.sinceMs ?? fromMs,
    atMs: nowMs,
    counts: countedFor(known?.counts ?? [], merchantId, neverReached),
  };
}

function countedFor(counts: readonly MerchantCount[], merchantId: string, failures: number) {
  const before = counts.find(([id]) => id === merchantId)?.[1] ?? 0;
  const others = counts.filter(([id]) => id !== merchantId);
  const added: MerchantCount = [merchantId, before + failures];
  return [...others, added].slice(-MERCHANTS_MAX);
}

/** What isolates, the desk and the dashboard are told of the method. */
export function knownOutage(
  { row, succeededAtMs = null }: MethodHealth,
  nowMs: number,
): KnownOutage {
  const sight =
    row === undefined || !isRecent(row.atMs, nowMs) ? null : sightOf(row.counts, UNREACHED_MAX);
  return {
    outage: row && sight ? { ...sight, sinceMs: row.sinceMs, atMs: row.atMs } : null,
    succeededAtMs,
  };
}
