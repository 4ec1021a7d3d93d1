import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, test, vi } from 'vitest';
import { type BookFailure, bookSql, bookStub, breakBook } from '../support/book.ts';
import {
  advance,
  alarmOf,
  clientOf,
  createHosted,
  fireAlarm,
  INTERRUPTIONS,
  SECOND_MS,
  useGateway,
} from '../support.ts';

/**
 * Goal: a payment's book gets every change once, also when calls fail on the way. Method: the calls
 * of the book fail in each way until the payment's alarm fires.
 */

useGateway();

const FAILURES: Readonly<Record<string, BookFailure>> = {
  'the call is lost': {},
  'the answer is lost': { isStored: true },
  'the book is overloaded': { overloaded: true },
  'the book is out of reach': { retryable: true },
};

const payments = () => bookSql('SELECT version, status FROM payment');

const SCENES = Object.entries(FAILURES).flatMap(([name, marks]) =>
  Object.entries(INTERRUPTIONS).map(([interruption, interrupt]) => ({
    name: `${name}, ${interruption}`,
    marks,
    interrupt,
  })),
);

test.each(SCENES)('$name: the end is sent again when its lease expires', async (scene) => {
  await createHosted();
  await expect.poll(payments).toHaveLength(1);
  const { apply, repair } = breakBook(scene.marks);
  await clientOf().execute([{ type: 'cancel' }]);
  await expect.poll(() => apply.mock.calls.length).toBeGreaterThan(0);
  await scene.interrupt();
  repair();
  advance(31 * SECOND_MS);
  await fireAlarm();
  await expect.poll(payments).toEqual([{ version: 2, status: 'canceled' }]);
  expect(await bookSql('SELECT status, payments FROM payment_day')).toEqual([
    { status: 'canceled', payments: 1 },
  ]);
});

it('gets a creation after 30 s if its first call fails', async () => {
  const { apply, repair } = breakBook();
  await createHosted();
  await expect.poll(() => apply.mock.calls.length).toBe(1);
  repair();
  await expect.poll(() => alarmOf()).toBeLessThanOrEqual(Date.now() + 30 * SECOND_MS);
  advance(31 * SECOND_MS);
  await fireAlarm();
  await expect.poll(payments).toEqual([{ version: 1, status: 'open' }]);
});

it('keeps no request waiting while the book does not answer', async () => {
  const apply = vi.fn(() => new Promise(() => undefined));
  vi.spyOn(env.MERCHANT_BOOK, 'get').mockReturnValue({ apply } as never);
  await createHosted();
  await clientOf().execute([{ type: 'cancel' }]);
  await expect.poll(() => apply.mock.calls.length).toBe(2);
});

it('keeps its rows when it is evicted', async () => {
  await createHosted();
  await expect.poll(payments).toHaveLength(1);
  await evictDurableObject(bookStub());
  await clientOf().execute([{ type: 'cancel' }]);
  await expect.poll(payments).toEqual([{ version: 2, status: 'canceled' }]);
});
