/** Times of the webhook schedule and of reconciliation. Pure: chance comes in as an argument. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Waits before each try, after the one before it (docs/decisions.md#18): ten tries in all. */
export const DELIVERY_WAITS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

const DELIVERY_JITTER = 0.1;

/**
 * Wait before the next delivery after `triesMade` tries (>= 1), or null when all are used up.
 * `chance` in [0, 1) spreads it by ±10 %. A merchant's Retry-After can lengthen the wait, never
 * shorten it, and at most to the longest wait of the schedule.
 */
export function deliveryWaitMs(
  triesMade: number,
  chance: number,
  retryAfterMs: number | null,
): number | null {
  const wait = DELIVERY_WAITS_MS[triesMade];
  if (wait === undefined) {
    return null;
  }
  const jittered = Math.round(wait * (1 - DELIVERY_JITTER + 2 * DELIVERY_JITTER * chance));
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, DAY_MS));
}

/** A delivery that used up the schedule while its endpoint was paused tries again this often. */
export const PAUSED_WAIT_MS = DAY_MS;
/** A paused event tries by itself for this long after its creation; then a person resends it. */
export const PAUSED_TRIES_END_AFTER_MS = 30 * DAY_MS;

/** When a paused event is due again, or null when only a person can resend it. */
export function pausedDueAtMs(createdAtMs: number, nowMs: number): number | null {
  return nowMs - createdAtMs < PAUSED_TRIES_END_AFTER_MS ? nowMs + PAUSED_WAIT_MS : null;
}

const OWN_FAILURE_WAIT_MS = 5 * SECOND_MS;
const OWN_FAILURE_WAIT_MS_MAX = MINUTE_MS;

/** Wait after a failure of our own, which uses no try: doubles from 5 s to a minute. */
export function ownFailureWaitMs(timesQueued: number): number {
  return Math.min(OWN_FAILURE_WAIT_MS * 2 ** Math.min(timesQueued, 10), OWN_FAILURE_WAIT_MS_MAX);
}

/** First lease of a delivery that waits in the queue; doubled each time it had to be sent again. */
export const QUEUED_LEASE_MS = 30 * SECOND_MS;
const QUEUED_LEASE_MS_MAX = HOUR_MS;

/** Lease of a queued message: backs off, so that a backlog does not multiply its own messages. */
export function queuedLeaseMs(timesQueued: number): number {
  return Math.min(QUEUED_LEASE_MS * 2 ** Math.min(timesQueued, 10), QUEUED_LEASE_MS_MAX);
}

/** A claimed delivery is given up as lost after this: the 15 s of the call and room around it. */
export const CLAIM_LEASE_MS = 30 * SECOND_MS;

/** The first wait. A customer who comes back does not shorten a wait of this. */
export const CHECK_WAIT_MS_MIN = 5 * SECOND_MS;
const CHECK_WAIT_MS_MAX = 6 * HOUR_MS;
/** An unresolved attempt is asked about for this long; then only a human or a callback helps. */
export const CHECKS_STOP_AFTER_MS = 30 * DAY_MS;

/** When to ask a rail again after `checks` fruitless checks: doubling from 5 s to 6 h, 30 days. */
export function nextCheckAtMs(checks: number, startedAtMs: number, nowMs: number): number | null {
  if (nowMs - startedAtMs >= CHECKS_STOP_AFTER_MS) {
    return null;
  }
  return nowMs + Math.min(CHECK_WAIT_MS_MIN * 2 ** Math.min(checks, 20), CHECK_WAIT_MS_MAX);
}

/** After this long in its final state a payment keeps only a tombstone (docs/decisions.md#24). */
export const RETENTION_MS = 400 * DAY_MS;
