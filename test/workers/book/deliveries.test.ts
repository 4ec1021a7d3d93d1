import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { QUEUED_LEASE_MS } from '../../../src/engine/domain/schedule.ts';
import type { ProjectionMessage } from '../../../src/engine/intent/book-message.ts';
import type { DeliveryReport } from '../../../src/engine/intent/protocol.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import type { EventRow } from '../../../src/lists/book/rows.ts';
import { applyToBook, bookRows, breakBook } from '../support/book.ts';
import {
  ALPHA,
  advance,
  allRows,
  booksAreFed,
  CALLBACK_URL,
  claim,
  clientOf,
  createHosted,
  DAY_MS,
  EXPIRE_IN_MS,
  execute,
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
} from '../support.ts';
import { applyAll } from './fixture.ts';

/**
 * Goal: the book shows the state of each event's delivery, with the same guarantee as for
 * payments: the newest version wins although messages are lost, repeated or reordered, and all of
 * it can be rebuilt from the objects. Method: the test is the queue and the webhook consumer.
 */

const caught = useGateway();
const TENANT = tenantOf(ALPHA);

async function eventRows(): Promise<readonly EventRow[]> {
  const { rows } = await (await readerOf(env, TENANT)).events({}, null, 100);
  return rows.toReversed();
}

/** Waits until the book has all messages. */
const projectCaught = () => booksAreFed(caught);

/** A payment whose success is announced and in the book, untried. Returns the event's sequence. */
async function paid(): Promise<number> {
  await createHosted();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  advance(QUEUED_LEASE_MS);
  await fireAlarm();
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

describe('the book shows the state of a delivery', () => {
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
      createdAtMs: Date.now() - QUEUED_LEASE_MS,
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
    advance(QUEUED_LEASE_MS);
    await fireAlarm();
    await projectCaught();
    expect(await eventRows()).toMatchObject([
      { type: 'payment_expired', deliveryStatus: 'superseded' },
      { type: 'payment_succeeded', deliveryStatus: 'queued' },
    ]);
  });

  test("the object keeps merchants' answers and event bodies to itself", async () => {
    const sequence = await paid();
    await tried(sequence, FAILED);
    const messages = JSON.stringify(await projectCaught());
    for (const text of [messages, JSON.stringify(await bookRows())]) {
      expect(text).not.toContain('a word of the merchant');
      expect(text).not.toContain('totalAmount');
    }
  });

  test('a claim sends no projection', async () => {
    const sequence = await paid();
    await claim(sequence);
    expect(await projectCaught()).toEqual([]);
    expect(await projectionLease()).toBeNull();
  });
});

test.each(Object.entries(INTERRUPTIONS))(
  'a lost delivery message is sent again (%s)',
  async (_name, interrupt) => {
    const sequence = await paid();
    const { repair } = breakBook();
    await tried(sequence, { type: 'delivered' }, 200);
    await projectCaught();
    expect(await projectionLease()).toBe(Date.now() + QUEUED_LEASE_MS);
    await interrupt();
    repair();
    advance(QUEUED_LEASE_MS);
    await fireAlarm();
    await projectCaught();
    expect(await eventRows()).toMatchObject([{ deliveryStatus: 'delivered' }]);
    expect(await projectionLease()).toBeNull();
  },
);

test("the book gets the delivery's outcome before the payment is forgotten", async () => {
  const sequence = await paid();
  await tried(sequence, { type: 'gone' }, 410);
  await projectCaught();
  advance(400 * DAY_MS - 1);
  await clientOf().resendEvent(sequence);
  await projectCaught();
  advance(1);
  const { repair } = breakBook();
  await tried(sequence, { type: 'delivered' }, 200);
  await projectCaught();
  repair();
  await fireAlarm();
  advance(QUEUED_LEASE_MS);
  await fireAlarm();
  await projectCaught();
  expect(await eventRows()).toMatchObject([{ deliveryStatus: 'delivered' }]);
  await fireAlarm();
  expect(await allRows()).toEqual({ record: [expect.objectContaining({ id: 0 })] });
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

test("the book is the same for every order and repetition of a payment's messages", async () => {
  const messages = await wholeLife();
  expect(messages.length).toBeGreaterThan(5);
  const expected = withoutPlaces(await bookRows());
  const orders = [
    messages.toReversed(),
    [...messages, ...messages],
    // Each message is once the last.
    ...messages.map((last) => [...messages.filter((message) => message !== last), last]),
  ];
  for (const [index, order] of orders.entries()) {
    const bookVolume = index + 1;
    for (const message of order) {
      await applyToBook({ ...message, bookVolume });
    }
    expect(withoutPlaces(await bookRows(TENANT, bookVolume))).toEqual(expected);
  }
});

/** Places in the stream show the order in which rows arrived; empty totals stay. */
function withoutPlaces(rows: Awaited<ReturnType<typeof bookRows>>) {
  const { delivery = [], payment_day: days = [], failure_day: failures = [], ...others } = rows;
  return {
    ...others,
    delivery: delivery.map(({ stream_place: _place, ...row }) => row),
    days: days.filter(({ payments }) => payments !== 0),
    failures: failures.filter(({ payments }) => payments !== 0),
  };
}

test('an older delivery state does not overwrite a newer one, although it made more tries', async () => {
  const sequence = await paid();
  await tried(sequence, { type: 'gone' }, 410);
  const [dead] = (await projectCaught()).slice(-1);
  // A person resends the event: its tries start at none again.
  await clientOf().resendEvent(sequence);
  await projectCaught();
  expect(await eventRows()).toMatchObject([{ deliveryStatus: 'queued' }]);
  await applyAll(dead === undefined ? [] : [dead]);
  expect(dead?.events).toMatchObject([{ deliveryStatus: 'dead' }]);
  expect(await eventRows()).toMatchObject([{ deliveryStatus: 'queued' }]);
});
