import { hasEnded, isRefundEvent } from '../../src/engine/domain/intent.ts';
import { LOST_VERSIONS_MAX } from '../../src/engine/domain/restored.ts';
import { DELIVERY_WAITS_MS } from '../../src/engine/domain/schedule.ts';
import type { StoredEvent } from '../../src/engine/intent/store.ts';
import type { Ended } from './ended.ts';
import { callbackHostOf, type Merchant, type Receipt } from './merchants.ts';
import type { World } from './world.ts';

/** From an event to its first try, when nothing fails. */
const FIRST_TRY_MS_MAX = 5_000;

/** A try that had begun may still arrive after the next event. */
const LAST_TRY_MS_MAX = 60_000;

/** Merchants received only what was committed, and only their own. */
export function checkReceipts(world: World, ended: readonly Ended[]): void {
  const { expect } = world.journal;
  for (const { host, body, eventId, atMs } of world.merchants.receipts) {
    if (atMs < (world.disaster?.lostAtMs ?? 0)) {
      // The gateway that committed it is gone.
      continue;
    }
    const owner = ended.find(({ events }) => events.some((event) => event.eventId === eventId));
    expect('2 one commit', owner !== undefined, `${eventId} was never committed`);
    if (owner === undefined) {
      continue;
    }
    const { merchant } = owner.payment;
    const isOwnHost = merchant.hasCallbackUrl
      ? host === callbackHostOf(merchant)
      : host.endsWith('.coffee.example.com');
    const { environment, webHookEvent } = JSON.parse(body);
    const isOfRefund = String(webHookEvent).startsWith('REFUND_');
    const isWanted = isOfRefund ? takesRefunds(merchant) : !host.startsWith('refunds.');
    expect('6 events', isWanted, `${webHookEvent} went to ${host}`);
    const isOwn = isOwnHost && environment === merchant.environment;
    expect('8 tenants', isOwn, `an event of ${merchant.merchantId} went to ${host}`);
  }
}

/** Whether some address of the merchant takes events of refunds. */
function takesRefunds({ hasCallbackUrl, refundEvents }: Merchant): boolean {
  return !hasCallbackUrl || refundEvents;
}

/** One row of history for each version, and each event belongs to one of them. */
export function checkHistory(world: World, { intent, history, events, payment }: Ended): void {
  const { expect } = world.journal;
  const { terms, status } = intent;
  const isOwn =
    terms.merchantId === payment.merchant.merchantId &&
    terms.environment === payment.merchant.environment;
  expect(
    '8 tenants',
    isOwn,
    `an object of ${payment.merchant.merchantId} holds a payment of ${terms.merchantId}`,
  );
  expect('5 expiry', hasEnded(status), `still ${status} after weeks`);
  let version = 0;
  const isComplete =
    history.every((entry) => {
      version += entry.command === 'restore' ? LOST_VERSIONS_MAX : 1;
      return entry.version === version;
    }) && version === intent.version;
  expect('2 one commit', isComplete, `${history.length} of ${intent.version} versions`);
  const last = history.at(-1)?.toStatus;
  expect('2 one commit', last === status, `the history ends with ${last}`);
  for (const end of ['succeeded', 'failed', 'expired'] as const) {
    const entered = history.filter(
      ({ toStatus }, index) => toStatus === end && history[index - 1]?.toStatus !== end,
    ).length;
    const announced = events.filter(({ type }) => type === `payment_${end}`).length;
    expect(
      '3 success',
      announced === entered && announced <= 1,
      `${announced} events ${end}, entered ${entered} times`,
    );
  }
  const endings = history.filter(
    ({ toStatus }) => toStatus !== 'open' && toStatus !== 'processing',
  );
  const isFirstEnd = intent.endedAtMs === (endings[0]?.atMs ?? null);
  expect('3 success', isFirstEnd, 'endedAtMs is not the time of the first end');
  for (const { sequence, body } of events) {
    const isSame = JSON.parse(body).sequence === sequence;
    expect('2 one commit', isSame, `event ${sequence} announces another version`);
  }
}

/** Each event arrived, or was visibly given up; its bytes are the same on every try. */
export function checkEvents(world: World, ended: Ended): void {
  const { expect } = world.journal;
  const { intent, events } = ended;
  for (const event of events) {
    checkAddresses(world, ended, event);
    const received = world.merchants.receipts.filter(({ eventId }) => eventId === event.eventId);
    const bodies = new Set(received.map(({ body }) => body));
    expect('6 events', bodies.size <= 1, `${bodies.size} bodies of ${event.eventId}`);
    checkDeliveries(world, ended, event, received);
    const next = events.find(
      ({ sequence, refundId }) => sequence > event.sequence && refundId === event.refundId,
    );
    const outdatedAtMs = (next?.createdAtMs ?? Number.POSITIVE_INFINITY) + LAST_TRY_MS_MAX;
    const isOutdated =
      received.some(({ atMs }) => atMs > outdatedAtMs) &&
      !world.journal.resentEvents.has(event.eventId);
    expect('6 events', !isOutdated, `${event.eventId} was sent after its successor`);
    const waitedMs = (received[0]?.atMs ?? event.createdAtMs) - event.createdAtMs;
    const isPrompt = !world.isCalm || waitedMs < FIRST_TRY_MS_MAX;
    expect('6 events', isPrompt, `${event.eventId} was sent after ${waitedMs} ms`);
  }
  for (const { id, status } of intent.refunds) {
    const own = events.filter(({ refundId }) => refundId === id);
    const last = own.at(-1)?.type ?? null;
    const wanted = ANNOUNCED.includes(status) ? `refund_${status}` : null;
    expect('6 events', last === wanted, `${id} is ${status}, its last event is ${last}`);
    const passed = ended.history
      .flatMap(({ detail }) => (detail?.refund?.id === id ? [detail.refund.status] : []))
      .filter((now, index, all) => ANNOUNCED.includes(now) && all[index - 1] !== now);
    const told = own.map(({ type }) => type.replace('refund_', ''));
    const isEach = told.join() === passed.join();
    expect('6 events', isEach, `${id} passed to ${passed}, its events say: ${told}`);
  }
}

const ANNOUNCED: readonly string[] = ['requires_action', 'succeeded', 'failed'];

/** Each endpoint that takes the event has a delivery of its own. */
function checkAddresses(
  { journal: { expect } }: World,
  { payment }: Ended,
  { eventId, type, deliveries }: StoredEvent,
): void {
  const isChosen = deliveries[0]?.origin !== null;
  const wanted = !payment.merchant.hasCallbackUrl && isRefundEvent(type) ? 2 : 1;
  const isRight = !isChosen || deliveries.length === wanted;
  expect('6 events', isRight, `${eventId} has ${deliveries.length} deliveries`);
}

const GIVEN_UP = ['dead', 'superseded', 'undeliverable', 'skipped', 'paused'];

function checkDeliveries(
  { journal: { expect } }: World,
  { payment, events }: Ended,
  { eventId, sequence, refundId, type, deliveries }: StoredEvent,
  received: readonly Receipt[],
): void {
  const isAccepted = received.some(({ status }) => status === 200);
  const isRefused = received.some(({ status }) => status === 410);
  const isOutdated = events.some(
    (later) => later.sequence > sequence && later.refundId === refundId,
  );
  for (const { deliveryStatus: status, tries } of deliveries) {
    const isFinal = status === 'delivered' || GIVEN_UP.includes(status);
    expect('6 events', isFinal, `${eventId} is ${status} after weeks`);
    const reasons: Readonly<Record<string, boolean>> = {
      delivered: isAccepted,
      dead: isRefused || tries >= DELIVERY_WAITS_MS.length,
      superseded: isOutdated,
      // Each merchant has an address for every event, but one for events of refunds.
      skipped: isRefundEvent(type) && !takesRefunds(payment.merchant),
      undeliverable: false,
    };
    const isDeserved = reasons[status] ?? true;
    expect('6 events', isDeserved, `${type} ${eventId} is ${status} after ${tries} tries`);
  }
  expect('6 events', !isRefundEvent(type) || refundId !== null, `${eventId} of no refund`);
}
