import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { QUEUED_LEASE_MS } from '../../src/domain/schedule.ts';
import type { DeliveryReport, ProjectionMessage } from '../../src/intent/protocol.ts';
import { readPage } from '../../src/platform/paging.ts';
import { type EventRow, eventsOf } from '../../src/read-model/events-list.ts';
import {
  ALPHA,
  advance,
  allRows,
  CALLBACK_URL,
  claim,
  clientOf,
  consume,
  createHosted,
  DAY_MS,
  EXPIRE_IN_MS,
  execute,
  fateOf,
  fireAlarm,
  INTERRUPTIONS,
  intentOf,
  lastEvent,
  resolveAttempt,
  SECOND_MS,
  startRedirect,
  storedPayment,
  tenantOf,
  useGateway,
} from './support.ts';

/**
 * Goal: the read model shows the state of each event's delivery, with the same guarantee as for
 * payments: the newest version wins although messages are lost, repeated or reordered, and all of
 * it can be rebuilt from the objects. Method: the test is the queue and the webhook consumer.
 */

const caught = useGateway();
const TENANT = tenantOf(ALPHA);

async function eventRows(): Promise<readonly EventRow[]> {
  const { rows } = await readPage(env.DB, eventsOf(TENANT, {}), null, 100);
  return rows.toReversed();
}

/** Delivers the queued projections, and confirms them to the object. */
async function projectCaught(): Promise<ProjectionMessage[]> {
  const messages = caught.projections.splice(0);
  expect(fateOf(await consume('kefel-projections', messages), messages.length)).toBe('acked');
  return messages;
}

/** A payment whose success is announced and in the read model. Returns the event's sequence. */
async function paid(): Promise<number> {
  await createHosted();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  await projectCaught();
  return (await lastEvent()).sequence;
}

/** One try of an event, as the consumer reports it. */
async function tried(sequence: number, outcome: DeliveryReport['outcome'], httpStatus = 503) {
  const { claimId } = await claim(sequence);
  const log = {
    atMs: Date.now(),
    durationMs: 42,
    httpStatus,
    error: null,
    answerExcerpt: 'a word of the merchant',
  };
  await clientOf().reportDelivery({ sequence, position: 0, claimId, outcome, log });
}

const FAILED: DeliveryReport['outcome'] = {
  type: 'failed',
  retryAfterMs: null,
  isEndpointPaused: false,
};

async function projectionLease(): Promise<number | null> {
  return (await storedPayment()).projectionDueAtMs;
}

describe('the read model shows the state of a delivery', () => {
  test('queued, waiting for its next try, trying, delivered', async () => {
    const sequence = await paid();
    const { eventId } = await lastEvent();
    const { terms } = await intentOf();
    const announced = {
      ...TENANT,
      eventId,
      position: 0,
      deliveryId: `${eventId}.0`,
      endpointId: null,
      paymentUuid: terms.uuid,
      uniqueId: 'order-1',
      sequence,
      type: 'payment_succeeded',
      deliveryStatus: 'queued',
      createdAtMs: Date.now(),
      dueAtMs: null,
      tries: 0,
      lastTryAtMs: null,
      lastHttpStatus: null,
      lastError: null,
      lastDurationMs: null,
      destinationOrigin: new URL(CALLBACK_URL).origin,
    };
    expect(await eventRows()).toEqual([announced]);

    await tried(sequence, FAILED);
    await projectCaught();
    const { dueAtMs } = await lastEvent();
    const failedOnce = {
      ...announced,
      tries: 1,
      lastTryAtMs: Date.now(),
      lastHttpStatus: 503,
      lastDurationMs: 42,
    };
    expect(dueAtMs).toBeGreaterThan(Date.now());
    expect(await eventRows()).toEqual([{ ...failedOnce, deliveryStatus: 'waiting', dueAtMs }]);

    advance((dueAtMs ?? 0) - Date.now());
    await fireAlarm();
    await projectCaught();
    expect(await eventRows()).toEqual([{ ...failedOnce, deliveryStatus: 'queued' }]);

    await tried(sequence, { type: 'delivered' }, 200);
    await projectCaught();
    expect(await eventRows()).toEqual([
      {
        ...failedOnce,
        deliveryStatus: 'delivered',
        tries: 2,
        lastTryAtMs: Date.now(),
        lastHttpStatus: 200,
      },
    ]);
  });

  test.each([
    ['dead', { type: 'gone' }],
    ['undeliverable', { type: 'no_destination' }],
  ] as const)('dead: %s, and sent again by an operator', async (deliveryStatus, outcome) => {
    const sequence = await paid();
    await tried(sequence, outcome);
    await projectCaught();
    expect(await eventRows()).toMatchObject([{ deliveryStatus, tries: 1, dueAtMs: null }]);
    await clientOf().resendEvent(sequence);
    await projectCaught();
    expect(await eventRows()).toMatchObject([{ deliveryStatus: 'queued', tries: 1 }]);
  });

  test('superseded by a later event of the payment', async () => {
    await createHosted();
    await execute(startRedirect('a0', Date.now() + EXPIRE_IN_MS));
    advance(EXPIRE_IN_MS);
    await intentOf();
    await projectCaught();
    // Events of the same millisecond could be listed in any order.
    advance(SECOND_MS);
    await execute(resolveAttempt('a0', 'succeeded'));
    await projectCaught();
    expect(await eventRows()).toMatchObject([
      { type: 'payment_expired', deliveryStatus: 'superseded' },
      { type: 'payment_succeeded', deliveryStatus: 'queued' },
    ]);
  });

  test("no merchant's answer and no event body leaves the object", async () => {
    const sequence = await paid();
    await tried(sequence, FAILED);
    const messages = JSON.stringify(await projectCaught());
    const { results } = await env.DB.prepare('SELECT * FROM webhook_event').all();
    for (const text of [messages, JSON.stringify(results)]) {
      expect(text).not.toContain('a word of the merchant');
      expect(text).not.toContain('totalAmount');
    }
  });

  test('a claim sends no projection', async () => {
    const sequence = await paid();
    await claim(sequence);
    expect(caught.projections).toEqual([]);
    expect(await projectionLease()).toBeNull();
  });
});

test.each(Object.entries(INTERRUPTIONS))(
  'a lost delivery message is sent again (%s)',
  async (_name, interrupt) => {
    const sequence = await paid();
    await tried(sequence, { type: 'delivered' }, 200);
    expect(caught.projections.splice(0)).toHaveLength(1);
    expect(await projectionLease()).toBe(Date.now() + QUEUED_LEASE_MS);
    await interrupt();
    advance(QUEUED_LEASE_MS);
    await fireAlarm();
    await projectCaught();
    expect(await eventRows()).toMatchObject([{ deliveryStatus: 'delivered' }]);
    expect(await projectionLease()).toBeNull();
  },
);

test("the read model gets the delivery's outcome before the payment is forgotten", async () => {
  const sequence = await paid();
  await tried(sequence, { type: 'gone' }, 410);
  await projectCaught();
  advance(400 * DAY_MS - 1);
  await clientOf().resendEvent(sequence);
  await projectCaught();
  advance(1);
  await tried(sequence, { type: 'delivered' }, 200);
  // Its only message is lost.
  expect(caught.projections.splice(0)).toHaveLength(1);
  await fireAlarm();
  advance(QUEUED_LEASE_MS);
  await fireAlarm();
  await projectCaught();
  expect(await eventRows()).toMatchObject([{ deliveryStatus: 'delivered' }]);
  await fireAlarm();
  expect(await allRows()).toEqual({ record: [expect.objectContaining({ id: 0 })] });
});

test("the confirmation of an older version does not stop the delivery's projection", async () => {
  await createHosted();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  const before = caught.projections.splice(0);
  await tried((await lastEvent()).sequence, { type: 'delivered' }, 200);
  caught.projections.length = 0;
  await consume('kefel-projections', before);
  expect(await projectionLease()).not.toBeNull();
  advance(QUEUED_LEASE_MS);
  await fireAlarm();
  await projectCaught();
  expect(await eventRows()).toMatchObject([{ deliveryStatus: 'delivered' }]);
});

/** Every message of a payment with failures, a retry, a resending and a delivery. */
async function wholeLife(): Promise<ProjectionMessage[]> {
  const messages: ProjectionMessage[] = [];
  const keep = async () => {
    messages.push(...(await projectCaught()));
  };
  await createHosted();
  await keep();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  await keep();
  const { sequence } = await lastEvent();
  await tried(sequence, FAILED);
  await keep();
  advance(DAY_MS);
  await fireAlarm();
  await keep();
  await tried(sequence, { type: 'gone' }, 410);
  await keep();
  await clientOf().resendEvent(sequence);
  await keep();
  await tried(sequence, { type: 'delivered' }, 200);
  await keep();
  return messages;
}

async function projectionRows(): Promise<unknown> {
  const tables = ['payment', 'payment_search_key', 'webhook_event', 'payment_day'];
  const rows = await Promise.all(
    tables.map((table) =>
      env.DB.prepare(`SELECT * FROM ${table}`).all<{ id?: number; stream_place?: number }>(),
    ),
  );
  // Two columns only show the order in which rows arrived.
  return rows.map(({ results }) =>
    results
      .map(({ id: _id, stream_place: _place, ...row }) => row)
      .filter((row) => !('payments' in row && row.payments === 0)),
  );
}

test("the read model is the same for every order and repetition of a payment's messages", async () => {
  const messages = await wholeLife();
  const versions = messages.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
  expect(messages.length).toBeGreaterThan(6);
  const expected = await projectionRows();
  const orders = [
    messages.toReversed(),
    [...messages, ...messages],
    // Each message is once the last.
    ...messages.map((last) => [...messages.filter((message) => message !== last), last]),
  ];
  for (const order of orders) {
    await env.DB.exec(
      'DELETE FROM payment; DELETE FROM webhook_event; DELETE FROM payment_search_key',
    );
    for (const message of order) {
      await consume('kefel-projections', [message]);
    }
    expect(await projectionRows()).toEqual(expected);
  }
});

test('an older delivery state does not overwrite a newer one, although it made more tries', async () => {
  const sequence = await paid();
  await tried(sequence, { type: 'gone' }, 410);
  const [dead] = caught.projections.splice(0).slice(-1);
  // A person resends the event: its tries start at none again.
  await clientOf().resendEvent(sequence);
  await projectCaught();
  expect(await eventRows()).toMatchObject([{ deliveryStatus: 'queued' }]);
  await consume('kefel-projections', dead === undefined ? [] : [dead]);
  expect(dead?.events).toMatchObject([{ deliveryStatus: 'dead' }]);
  expect(await eventRows()).toMatchObject([{ deliveryStatus: 'queued' }]);
});
