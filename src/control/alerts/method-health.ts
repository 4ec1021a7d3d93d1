import type { MethodTally } from '../../engine/alerts/standing.ts';

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
}

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
export function countAttempts(
  health: MethodHealth,
  { succeeded, refused, unreached }: Omit<MethodTally, 'environment' | 'method'>,
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
    return { usualShare, missed: 0, unreached: 0, missedSinceMs: null, missedAtMs: null };
  }
  return {
    usualShare: health.usualShare,
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
