import {
  CLAIM_LEASE_MS,
  DELIVERY_WAITS_MS,
  deliveryWaitMs,
  ownFailureWaitMs,
  pausedDueAtMs,
  queuedLeaseMs,
} from '../domain/schedule.ts';
import type { DeliveryReport } from './protocol.ts';
import type { StoredEvent } from './store.ts';

/**
 * The states of one event's delivery, as pure steps over its row:
 *
 *   queued → claimed → delivered
 *                    → waiting → queued (the next try)
 *                    → dead (schedule used up, or 410) · undeliverable (no address)
 *                    → paused (schedule used up, endpoint paused) → queued (a day later)
 *   any but delivered → superseded, when the payment announces a later event
 *
 * When a lease expires in `queued` or `claimed`, the message or its consumer is lost, and the event
 * returns to `queued`.
 */

/** Tries in a row's log: enough for the whole schedule and many manual re-sends. */
const LOG_ENTRIES_MAX = 40;

/** Tries of the schedule, including the first. */
const DELIVERY_TRIES = DELIVERY_WAITS_MS.length;

/** Whether the alarm must handle this event. */
export function isDue(event: StoredEvent, nowMs: number): boolean {
  return event.dueAtMs !== null && event.dueAtMs <= nowMs;
}

/** Queues the event, after an expired lease or at the end of a wait. */
export function queued(event: StoredEvent, nowMs: number): StoredEvent {
  // The end of a wait starts a new try. Only messages that were re-sent back off.
  const isNewTry = event.deliveryStatus === 'waiting' || event.deliveryStatus === 'paused';
  const timesQueued = isNewTry ? 0 : event.timesQueued + 1;
  return {
    ...event,
    deliveryStatus: 'queued',
    claimId: null,
    timesQueued,
    dueAtMs: nowMs + queuedLeaseMs(timesQueued),
  };
}

/** Restarts the schedule, for a manual re-send. */
export function resent(event: StoredEvent, nowMs: number): StoredEvent {
  return {
    ...event,
    deliveryStatus: 'queued',
    claimId: null,
    timesQueued: 0,
    tries: 0,
    dueAtMs: nowMs + queuedLeaseMs(0),
  };
}

export function claimed(
  event: StoredEvent,
  claimId: string,
  signature: string,
  nowMs: number,
): StoredEvent {
  return {
    ...event,
    deliveryStatus: 'claimed',
    claimId,
    signature,
    // Backs off too, because a claim whose consumer never reports would repeat every 30 s forever.
    dueAtMs: nowMs + Math.max(CLAIM_LEASE_MS, queuedLeaseMs(event.timesQueued)),
  };
}

export function superseded(event: StoredEvent): StoredEvent {
  const isFinal = event.deliveryStatus === 'delivered' || event.deliveryStatus === 'superseded';
  return isFinal ? event : { ...event, deliveryStatus: 'superseded', dueAtMs: null };
}

/** Applies a consumer's report. `chance` in [0, 1) is the jitter. */
export function reported(
  event: StoredEvent,
  report: DeliveryReport,
  chance: number,
  nowMs: number,
): StoredEvent {
  const log = report.log === null ? event.log : [...event.log, report.log].slice(-LOG_ENTRIES_MAX);
  const logged = { ...event, log };
  if (report.outcome.type === 'delivered') {
    return { ...logged, deliveryStatus: 'delivered', claimId: null, dueAtMs: null };
  }
  if (event.deliveryStatus !== 'claimed' || event.claimId !== report.claimId) {
    return logged;
  }
  const released = { ...logged, claimId: null };
  const tried = { ...released, tries: event.tries + 1, timesQueued: 0 };
  switch (report.outcome.type) {
    case 'not_sent': {
      const waitMs = ownFailureWaitMs(event.timesQueued);
      return waitMs === null
        ? { ...released, deliveryStatus: 'dead', dueAtMs: null }
        : { ...released, deliveryStatus: 'queued', dueAtMs: nowMs + waitMs };
    }
    case 'paused':
      return paused({ ...released, timesQueued: 0 }, nowMs);
    case 'gone':
      return { ...tried, deliveryStatus: 'dead', dueAtMs: null };
    case 'no_destination':
      return { ...tried, deliveryStatus: 'undeliverable', dueAtMs: null };
    case 'failed':
      return failed(tried, report.outcome, chance, nowMs);
  }
}

/** Schedules the next try after a failed one, or ends the schedule. */
function failed(
  tried: StoredEvent,
  outcome: Extract<DeliveryReport['outcome'], { type: 'failed' }>,
  chance: number,
  nowMs: number,
): StoredEvent {
  // After a pause, a resumed endpoint that fails again gets a whole new schedule.
  const isRestarted = tried.tries > DELIVERY_TRIES && !outcome.isEndpointPaused;
  const tries = isRestarted ? 1 : tried.tries;
  const waitMs = deliveryWaitMs(tries, chance, outcome.retryAfterMs);
  if (waitMs !== null) {
    return { ...tried, tries, deliveryStatus: 'waiting', dueAtMs: nowMs + waitMs };
  }
  return outcome.isEndpointPaused
    ? paused(tried, nowMs)
    : { ...tried, deliveryStatus: 'dead', dueAtMs: null };
}

function paused(event: StoredEvent, nowMs: number): StoredEvent {
  return { ...event, deliveryStatus: 'paused', dueAtMs: pausedDueAtMs(event.createdAtMs, nowMs) };
}

export function isScheduleUsedUp(event: StoredEvent): boolean {
  return event.tries >= DELIVERY_TRIES;
}
