import {
  CLAIM_LEASE_MS,
  DELIVERY_WAITS_MS,
  deliveryWaitMs,
  ownFailureWaitMs,
  pausedDueAtMs,
  queuedLeaseMs,
} from '../domain/schedule.ts';
import type { ChosenEndpoint, DeliveryReport, DeliveryStatus } from './protocol.ts';
import type { StoredDelivery } from './store.ts';

/**
 * The states of an event's delivery to one address, as pure steps:
 *
 *   queued → claimed → delivered
 *                    → waiting → queued (the next try)
 *                    → dead (schedule used up, or 410) · undeliverable (no address)
 *                    → skipped (no endpoint takes the event's type)
 *                    → paused (schedule used up, endpoint paused) → queued (a day later)
 *   any but delivered and skipped → superseded, when the payment announces a later event
 *
 * When a lease expires in `queued` or `claimed`, the message or its consumer is lost, and the event
 * returns to `queued`.
 */

/** Tries in a delivery's log: enough for the whole schedule and many manual re-sends. */
const LOG_ENTRIES_MAX = 40;

/** Tries of the schedule, including the first. */
const DELIVERY_TRIES = DELIVERY_WAITS_MS.length;

/** A later event of the payment does not supersede these. */
const FINAL: readonly DeliveryStatus[] = ['delivered', 'skipped', 'superseded'];

/** A delivery that is about to be sent. `origin` null: its endpoint is not chosen yet. */
export function newDelivery(
  address: Pick<StoredDelivery, 'endpointId' | 'origin'>,
  nowMs: number,
): StoredDelivery {
  return {
    endpointId: address.endpointId,
    origin: address.origin,
    deliveryStatus: 'queued',
    claimId: null,
    dueAtMs: nowMs + queuedLeaseMs(0),
    timesQueued: 0,
    tries: 0,
    log: [],
    revision: 0,
  };
}

/**
 * One delivery for each endpoint, in place of one whose endpoints are not chosen yet: the first gets
 * its lease and its log. Endpoints are chosen once, so a repeated call adds none. Before the first
 * try, those of people come beside a callbackUrl. `isOnly`: the event has no other delivery.
 */
export function addressed(
  delivery: StoredDelivery,
  endpoints: readonly ChosenEndpoint[],
  nowMs: number,
  isOnly = false,
): readonly [StoredDelivery, ...StoredDelivery[]] {
  const { origin, endpointId, log } = delivery;
  const mayAdd = origin === null || (isOnly && endpointId === null && log.length === 0);
  const [first, ...others] = origin === null ? endpoints : [delivery, ...endpoints];
  return !mayAdd || first === undefined
    ? [delivery]
    : [{ ...delivery, ...first }, ...others.map((endpoint) => newDelivery(endpoint, nowMs))];
}

/** Whether the alarm must handle this delivery. */
export function isDue(delivery: StoredDelivery, nowMs: number): boolean {
  return delivery.dueAtMs !== null && delivery.dueAtMs <= nowMs;
}

/** Queues the delivery, after an expired lease or at the end of a wait. */
export function queued(delivery: StoredDelivery, nowMs: number): StoredDelivery {
  // The end of a wait starts a new try. Only messages that were re-sent back off.
  const isNewTry = delivery.deliveryStatus === 'waiting' || delivery.deliveryStatus === 'paused';
  const timesQueued = isNewTry ? 0 : delivery.timesQueued + 1;
  return {
    ...delivery,
    deliveryStatus: 'queued',
    claimId: null,
    timesQueued,
    dueAtMs: nowMs + queuedLeaseMs(timesQueued),
  };
}

/** Restarts the schedule, for a manual re-send. */
export function resent(delivery: StoredDelivery, nowMs: number): StoredDelivery {
  return {
    ...delivery,
    deliveryStatus: 'queued',
    claimId: null,
    timesQueued: 0,
    tries: 0,
    dueAtMs: nowMs + queuedLeaseMs(0),
  };
}

export function claimed(delivery: StoredDelivery, claimId: string, nowMs: number): StoredDelivery {
  return {
    ...delivery,
    deliveryStatus: 'claimed',
    claimId,
    // The lease backs off too, because a claim whose consumer never reports would repeat every 30 s
    // forever.
    dueAtMs: nowMs + Math.max(CLAIM_LEASE_MS, queuedLeaseMs(delivery.timesQueued)),
  };
}

export function superseded(delivery: StoredDelivery): StoredDelivery {
  return FINAL.includes(delivery.deliveryStatus)
    ? delivery
    : { ...delivery, deliveryStatus: 'superseded', dueAtMs: null };
}

interface ReportContext {
  /** When the event happened. */
  readonly createdAtMs: number;
  /** The jitter of the next wait, in [0, 1). */
  readonly chance: number;
  readonly nowMs: number;
}

/** Applies a consumer's report. */
export function reported(
  delivery: StoredDelivery,
  report: DeliveryReport,
  { createdAtMs, chance, nowMs }: ReportContext,
): StoredDelivery {
  const log =
    report.log === null ? delivery.log : [...delivery.log, report.log].slice(-LOG_ENTRIES_MAX);
  const logged = { ...delivery, log };
  if (report.outcome.type === 'delivered') {
    return { ...logged, deliveryStatus: 'delivered', claimId: null, dueAtMs: null };
  }
  if (delivery.deliveryStatus !== 'claimed' || delivery.claimId !== report.claimId) {
    return logged;
  }
  const released = { ...logged, claimId: null };
  const tried = { ...released, tries: delivery.tries + 1, timesQueued: 0 };
  switch (report.outcome.type) {
    case 'not_sent': {
      const waitMs = ownFailureWaitMs(delivery.timesQueued);
      return waitMs === null
        ? { ...released, deliveryStatus: 'dead', dueAtMs: null }
        : { ...released, deliveryStatus: 'queued', dueAtMs: nowMs + waitMs };
    }
    case 'paused':
      return paused({ ...released, timesQueued: 0 }, createdAtMs, nowMs);
    case 'gone':
      return { ...tried, deliveryStatus: 'dead', dueAtMs: null };
    case 'no_destination':
      return { ...tried, deliveryStatus: 'undeliverable', dueAtMs: null };
    case 'not_subscribed':
      return { ...released, deliveryStatus: 'skipped', dueAtMs: null };
    case 'failed':
      return failed(tried, report.outcome, { createdAtMs, chance, nowMs });
  }
}

/** Schedules the next try after a failed one, or ends the schedule. */
function failed(
  tried: StoredDelivery,
  outcome: Extract<DeliveryReport['outcome'], { type: 'failed' }>,
  { createdAtMs, chance, nowMs }: ReportContext,
): StoredDelivery {
  // After a pause, a resumed endpoint that fails again gets a whole new schedule.
  const isRestarted = tried.tries > DELIVERY_TRIES && !outcome.isEndpointPaused;
  const tries = isRestarted ? 1 : tried.tries;
  const waitMs = deliveryWaitMs(tries, chance, outcome.retryAfterMs);
  if (waitMs !== null) {
    return { ...tried, tries, deliveryStatus: 'waiting', dueAtMs: nowMs + waitMs };
  }
  return outcome.isEndpointPaused
    ? paused(tried, createdAtMs, nowMs)
    : { ...tried, deliveryStatus: 'dead', dueAtMs: null };
}

function paused(delivery: StoredDelivery, createdAtMs: number, nowMs: number): StoredDelivery {
  return { ...delivery, deliveryStatus: 'paused', dueAtMs: pausedDueAtMs(createdAtMs, nowMs) };
}

export function isScheduleUsedUp(delivery: StoredDelivery): boolean {
  return delivery.tries >= DELIVERY_TRIES;
}
