import type { Refund } from './refund.ts';

/** The times of the webhook schedule and of reconciliation. Callers pass in the random values. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The wait before each of the ten tries, from the try before it (docs/decisions.md#18). */
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
 * The wait before the next try after `triesMade` tries (>= 1), or null when the schedule is used
 * up. `chance` in [0, 1) adds ±10 % jitter. A merchant's Retry-After can lengthen the wait up to
 * the longest wait of the schedule, and never shortens it.
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

/** After its schedule, an event whose endpoint is paused is tried this often. */
export const PAUSED_WAIT_MS = DAY_MS;
/**
 * A paused event is tried for this long after its creation. After that, a person must resend it.
 */
export const PAUSED_TRIES_END_AFTER_MS = 30 * DAY_MS;

/** When a paused event is due again, or null when only a person can resend it. */
export function pausedDueAtMs(createdAtMs: number, nowMs: number): number | null {
  return nowMs - createdAtMs < PAUSED_TRIES_END_AFTER_MS ? nowMs + PAUSED_WAIT_MS : null;
}

const OWN_FAILURE_WAIT_MS = 5 * SECOND_MS;
/** After an outage of D1, this wait still delivers the events soon. */
const OUTAGE_WAIT_MS_MAX = MINUTE_MS;
/** An outage ends sooner. A failure that lasts longer, such as a damaged secret, needs a person. */
const OUTAGE_FAILURES_MAX = 60;
const OWN_FAILURE_WAIT_MS_MAX = HOUR_MS;

/** After a month of hourly retries Kefel visibly gives the event up. */
const OWN_FAILURES_MAX = OUTAGE_FAILURES_MAX + 30 * 24;

/**
 * The wait after a failure of the gateway, which uses up no try. It doubles from 5 s to a minute,
 * and after an hour of that to an hour. It is null after a month.
 */
export function ownFailureWaitMs(timesQueued: number): number | null {
  if (timesQueued >= OWN_FAILURES_MAX) {
    return null;
  }
  const beyond = Math.max(0, timesQueued - OUTAGE_FAILURES_MAX);
  const wait = Math.min(OWN_FAILURE_WAIT_MS * 2 ** Math.min(timesQueued, 10), OUTAGE_WAIT_MS_MAX);
  return Math.min(wait * 2 ** Math.min(beyond, 10), OWN_FAILURE_WAIT_MS_MAX);
}

/** The first lease of a queued message. It doubles each time the message must be sent again. */
export const QUEUED_LEASE_MS = 30 * SECOND_MS;
const QUEUED_LEASE_MS_MAX = HOUR_MS;

/**
 * The lease of a queued message. It backs off, so that a backlog does not multiply its messages.
 */
export function queuedLeaseMs(timesQueued: number): number {
  return Math.min(QUEUED_LEASE_MS * 2 ** Math.min(timesQueued, 10), QUEUED_LEASE_MS_MAX);
}

/**
 * The object waits for no confirmation of a younger payment that has not ended and needs no person.
 * Calls about it may be lost, so the object sends an older payment again until the book confirms it.
 */
export const OPEN_PROJECTION_AGAIN_MS = 15 * MINUTE_MS;
/**
 * Lists show the progress of a payment that has not ended only after this: most payments end
 * sooner, and each shown state costs rows.
 */
export const PROGRESS_SHOWN_AFTER_MS = 30 * SECOND_MS;
/**
 * Lists show a new payment at once, unless its outcome is due sooner than this: then they show both
 * together, which saves a call of the book and two rows.
 */
export const CREATION_SHOWN_WITHIN_MS = 3 * SECOND_MS;

/** A claimed delivery counts as lost after this: twice the 15 s of a call. */
export const CLAIM_LEASE_MS = 30 * SECOND_MS;

/** The first wait between provider queries. A customer's return does not shorten it. */
export const CHECK_WAIT_MS_MIN = 5 * SECOND_MS;
/** A return queries these attempts: the customer paid the latest, or the one before it. */
export const RETURN_ATTEMPTS_MAX = 2;
/** The query that a return triggers comes at least this long after the attempt's last one. */
export const RETURN_QUERY_WAIT_MS = 10 * SECOND_MS;
const CHECK_WAIT_MS_MAX = 6 * HOUR_MS;
/**
 * Provider queries stop after this. Then only an operator or a callback can resolve the attempt.
 */
export const CHECKS_STOP_AFTER_MS = 30 * DAY_MS;

/**
 * When to query the provider again after `checks` inconclusive queries: the wait doubles from 5 s
 * to 6 h. Null after 30 days.
 */
export function nextCheckAtMs(checks: number, startedAtMs: number, nowMs: number): number | null {
  if (nowMs - startedAtMs >= CHECKS_STOP_AFTER_MS) {
    return null;
  }
  return nowMs + Math.min(CHECK_WAIT_MS_MIN * 2 ** Math.min(checks, 20), CHECK_WAIT_MS_MAX);
}

/** The same for a refund, which may have waited long before its provider was asked. */
export function nextRefundCheckAtMs(
  { checks, deadlineAtMs, createdAtMs }: Pick<Refund, 'checks' | 'deadlineAtMs' | 'createdAtMs'>,
  nowMs: number,
): number | null {
  return nextCheckAtMs(checks, deadlineAtMs ?? createdAtMs, nowMs);
}

/**
 * A provider's answer to a refund comes within this, or its caller has died: the longest time-out of
 * a rail's refund call, and time to store the answer.
 */
export const REFUND_WINDOW_MS = MINUTE_MS;

/**
 * How long a receipt can be opened after the payment: a year of returns and bookkeeping, not
 * forever, because its address is on paper that people throw away.
 */
export const RECEIPT_LIFETIME_MS = 365 * DAY_MS;
