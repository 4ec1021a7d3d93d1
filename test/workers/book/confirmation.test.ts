import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { MerchantBook } from '../../../src/connected-objects.ts';
import {
  CREATION_SHOWN_WITHIN_MS,
  OPEN_PROJECTION_AGAIN_MS,
  PROGRESS_SHOWN_AFTER_MS,
  QUEUED_LEASE_MS,
} from '../../../src/engine/domain/schedule.ts';
import type { Applied } from '../../../src/engine/intent/book-message.ts';
import { simulator } from '../../../src/engine/rails/simulator/rail.ts';
import { SIMULATED_OUTCOME_AFTER_MS } from '../../../src/engine/rails/simulator/scenarios.ts';
import { plantedError } from '../../support/output/planted.ts';
import { bookSql, breakBook } from '../support/book.ts';
import {
  advance,
  alarmOf,
  answerOf,
  BETA,
  booksAreFed,
  call,
  claim,
  consumeAll,
  createHosted,
  DAY_MS,
  execute,
  fireAlarm,
  INTERRUPTIONS,
  intentOf,
  lastEvent,
  loseAlarm,
  merchantServer,
  payHosted,
  postExpress,
  postHosted,
  report,
  reportsAreSent,
  resolveAttempt,
  startRedirect,
  statusPath,
  storedPayment,
  useGateway,
} from '../support.ts';

/**
 * Goal: a payment's object sends what its book must show until the book has it, and its book finds a
 * payment for its own tenant only (docs/decisions.md#21). Method: the book fails, or answers late.
 */

const caught = useGateway();

const payments = () => bookSql('SELECT version, status FROM payment');

async function lease(): Promise<number | null> {
  return (await storedPayment()).projectionDueAtMs;
}

test('a confirmed payment sends nothing more', async () => {
  merchantServer();
  await payHosted();
  await consumeAll(caught);
  expect(await lease()).toBeNull();
  advance(DAY_MS);
  await fireAlarm();
  expect(await booksAreFed(caught)).toEqual([]);
});

test('a payment waits for the first try of its event before it is confirmed', async () => {
  merchantServer();
  await payHosted();
  await booksAreFed(caught);
  expect(await lease()).toBe(Date.now() + QUEUED_LEASE_MS);
  await consumeAll(caught);
  expect(await lease()).toBeNull();
});

test('a payment whose outcome is due in a moment reaches the book once, with its outcome', async () => {
  await postExpress();
  expect(await booksAreFed(caught)).toEqual([]);
  advance(SIMULATED_OUTCOME_AFTER_MS);
  await fireAlarm();
  expect(await booksAreFed(caught)).toMatchObject([{ row: { status: 'succeeded' } }]);
});

test('an outcome that comes in time sends nothing more while the first webhook takes long', async () => {
  await postExpress();
  const { terms } = await intentOf();
  advance(SIMULATED_OUTCOME_AFTER_MS);
  await fireAlarm();
  await booksAreFed(caught);
  expect(await lease()).toBe(Date.now() + QUEUED_LEASE_MS);
  const { sequence } = await lastEvent();
  const { claimId } = await claim(sequence);
  vi.setSystemTime(terms.createdAtMs + CREATION_SHOWN_WITHIN_MS);
  expect(await alarmOf()).toBeGreaterThan(Date.now());
  await fireAlarm();
  expect(await booksAreFed(caught)).toEqual([]);
  await report(sequence, claimId, { type: 'delivered' });
  expect(await booksAreFed(caught)).toHaveLength(1);
  expect(await lease()).toBeNull();
});

test.each(Object.entries(INTERRUPTIONS))(
  'a payment whose outcome does not come in time reaches the book without it (%s)',
  async (_name, interrupt) => {
    vi.spyOn(simulator, 'query').mockRejectedValue(plantedError());
    await postExpress();
    const { terms } = await intentOf();
    await interrupt();
    vi.setSystemTime(terms.createdAtMs + CREATION_SHOWN_WITHIN_MS);
    await fireAlarm();
    expect(await booksAreFed(caught)).toMatchObject([{ row: { status: 'processing' } }]);
    expect(await lease()).toBe(terms.createdAtMs + OPEN_PROJECTION_AGAIN_MS);
  },
);

const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
  'the outcome of a delivery': async () => {
    const { sequence } = await lastEvent();
    const { claimId } = await claim(sequence);
    await report(sequence, claimId, { type: 'delivered' });
  },
  'a receipt that came later': () => execute(resolveReceipt()),
};

test.each(Object.entries(CHANGES))(
  'the answer to an older message does not stop %s',
  async (_name, change) => {
    await createHosted();
    await booksAreFed(caught);
    const answers = [Promise.withResolvers<Applied>(), Promise.withResolvers<Applied>()];
    const apply = vi.fn(() => answers[apply.mock.calls.length - 1]?.promise);
    vi.spyOn(env.MERCHANT_BOOK, 'get').mockReturnValue({ apply } as never);
    await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
    await expect.poll(() => apply).toHaveBeenCalledTimes(1);
    await change();
    await expect.poll(() => apply).toHaveBeenCalledTimes(2);
    answers[1]?.reject(plantedError());
    answers[0]?.resolve({ confirmed: true, othersWithReceipt: [] });
    await reportsAreSent();
    expect(await lease()).toBe(Date.now() + QUEUED_LEASE_MS);
  },
);

test('the answer about an open payment does not stop a change that waits to be shown', async () => {
  await createHosted();
  await booksAreFed(caught);
  const answer = Promise.withResolvers<Applied>();
  const apply = vi.fn(() => answer.promise);
  vi.spyOn(env.MERCHANT_BOOK, 'get').mockReturnValue({ apply } as never);
  advance(OPEN_PROJECTION_AGAIN_MS);
  await fireAlarm();
  await expect.poll(() => apply).toHaveBeenCalledTimes(1);
  await execute(startRedirect('a0'));
  answer.resolve({ confirmed: true, othersWithReceipt: [] });
  await reportsAreSent();
  expect(await lease()).toBe(Date.now() + PROGRESS_SHOWN_AFTER_MS);
});

function resolveReceipt() {
  const outcome = { type: 'succeeded', receipt: 'R-77' } as const;
  return { type: 'resolve_attempt', attemptId: 'a0', outcome } as const;
}

test.each(Object.entries(INTERRUPTIONS))(
  'an unconfirmed change is sent again, at growing intervals (%s)',
  async (_name, interrupt) => {
    await createHosted();
    await booksAreFed(caught);
    const { apply, repair } = breakBook();
    await execute({ type: 'cancel' });
    await reportsAreSent();
    const gaps: number[] = [];
    for (let times = 0; times < 10; times += 1) {
      apply.mockClear();
      const dueAtMs = (await lease()) ?? 0;
      expect(await alarmOf()).toBe(dueAtMs);
      gaps.push(dueAtMs - Date.now());
      await interrupt();
      vi.setSystemTime(dueAtMs - 1);
      await fireAlarm();
      await reportsAreSent();
      expect(apply).not.toHaveBeenCalled();
      vi.setSystemTime(dueAtMs);
      await fireAlarm();
      await reportsAreSent();
      expect(apply).toHaveBeenCalled();
    }
    expect(gaps).toEqual([...gaps].sort((one, other) => one - other));
    repair();
    expect(await payments()).toMatchObject([{ status: 'open' }]);
    vi.setSystemTime((await lease()) ?? 0);
    await fireAlarm();
    await reportsAreSent();
    expect(await payments()).toEqual([{ version: 2, status: 'canceled' }]);
  },
);

test('a visit sends the change again when the alarm is lost too', async () => {
  await createHosted();
  const { repair } = breakBook();
  await execute({ type: 'cancel' });
  await reportsAreSent();
  repair();
  await loseAlarm();
  advance(10 * 60_000);
  await call(statusPath('order-1'));
  await expect.poll(payments).toEqual([{ version: 2, status: 'canceled' }]);
});

test('decisions.md#21: the uuid and the integer id find the payment', async () => {
  await createHosted();
  const { terms } = await intentOf();
  const ids = [terms.uuid, String(terms.number)];
  await booksAreFed(caught);
  for (const id of ids) {
    for (const path of [statusPath(id), statusPath(id).replace('/intent/', '/checkout/')]) {
      const { status, envelope } = await answerOf(call(path));
      expect(status).toBe(200);
      expect(envelope.content).toMatchObject({
        uniqueId: 'order-1',
        uuid: terms.uuid,
        paymentIntentId: terms.number,
      });
    }
  }
});

test('decisions.md#21: a payment found by uuid is shown in its current state, although the book lags', async () => {
  await createHosted();
  await booksAreFed(caught);
  vi.spyOn(MerchantBook.prototype, 'apply').mockImplementation(() => {
    throw plantedError();
  });
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  const { terms } = await intentOf();
  for (const uuid of [terms.uuid, terms.uuid.toUpperCase()]) {
    const { envelope } = await answerOf(call(statusPath(uuid)));
    expect(envelope.content).toMatchObject({ uuid: terms.uuid, status: 'SUCCESS' });
  }
  expect(await payments()).toMatchObject([{ status: 'open' }]);
});

test('decisions.md#21: every id is first read as the unique id', async () => {
  await createHosted();
  const { terms } = await intentOf();
  await createHosted({ paymentIntentUniqueId: String(terms.number) });
  await booksAreFed(caught);
  const { envelope } = await answerOf(call(statusPath(String(terms.number))));
  expect(envelope.content).toMatchObject({ uniqueId: String(terms.number) });
});

test('decisions.md#29: a foreign uuid finds nothing, not even the own payment with the same unique id', async () => {
  await createHosted();
  const { terms } = await intentOf();
  expect((await postHosted({}, { apiKey: BETA.apiKeys.sandbox })).status).toBe(200);
  await booksAreFed(caught);
  for (const id of [terms.uuid, String(terms.number)]) {
    expect((await call(statusPath(id), { apiKey: BETA.apiKeys.sandbox })).status).toBe(404);
    expect((await call(statusPath(id))).status).toBe(200);
  }
});
