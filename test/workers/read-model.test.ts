import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { QUEUED_LEASE_MS } from '../../src/domain/schedule.ts';
import type { ProjectionMessage } from '../../src/intent/protocol.ts';
import { projectionMessage } from './read-model-fixture.ts';
import {
  ALPHA,
  advance,
  alarmOf,
  answerOf,
  BETA,
  call,
  clientOf,
  consume,
  countProjectionRows,
  createHosted,
  DAY_MS,
  execute,
  fateOf,
  fireAlarm,
  firstOf,
  INTERRUPTIONS,
  intentOf,
  loseAlarm,
  payHosted,
  postHosted,
  resolveAttempt,
  startRedirect,
  statusPath,
  storedPayment,
  tenantOf,
  useGateway,
} from './support.ts';

/**
 * Goal: the read model in D1 ends up with the newest version of every payment for every behavior of
 * the queue, and finds a payment for its own tenant only (docs/decisions.md#21). Method: the test
 * is the queue, and reads the rows in D1.
 */

const caught = useGateway();

type Row = { unique_id: string; version: number; status: string; method: string | null };

async function projectionRows(): Promise<Row[]> {
  const { results } = await env.DB.prepare(
    'SELECT unique_id, version, status, method FROM payment ORDER BY unique_id',
  ).all<Row>();
  return results;
}

/** All messages of one payment, oldest first. */
async function wholeLife(): Promise<ProjectionMessage[]> {
  await payHosted();
  const messages = caught.projections.splice(0);
  expect(messages.map(({ version }) => version)).toEqual(
    messages.map(({ version }) => version).sort((one, other) => one - other),
  );
  // Created, paid, and delivered or not; what is between them ended too soon to be shown.
  expect(messages.length).toBeGreaterThanOrEqual(2);
  return messages;
}

/** Every order of a list. */
function permutations<Item>(items: readonly Item[]): Item[][] {
  return items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) =>
        permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
      );
}

test('read model: the newest version wins for every order of messages', async () => {
  const messages = await wholeLife();
  const { version } = await intentOf();
  for (const order of permutations(messages)) {
    await env.DB.exec('DELETE FROM payment');
    for (const message of order) {
      expect(fateOf(await consume('kefel-projections', [message]), 1)).toBe('acked');
    }
    expect(await projectionRows()).toEqual([
      { unique_id: 'order-1', version, status: 'succeeded', method: 'TELE_BIRR' },
    ]);
  }
});

test('read model: duplicates write nothing and change nothing', async () => {
  const messages = await wholeLife();
  await consume('kefel-projections', [...messages, ...messages]);
  const before = await env.DB.prepare('SELECT * FROM payment').all();
  const rows = countProjectionRows();
  for (const message of [...messages, ...messages]) {
    await consume('kefel-projections', [message]);
  }
  expect((await env.DB.prepare('SELECT * FROM payment').all()).results).toEqual(before.results);
  expect(rows.take()).toBe(0);
});

test('read model: writes a batch of messages as one D1 batch with one row per payment', async () => {
  for (let index = 0; index < 5; index += 1) {
    await createHosted({ paymentIntentUniqueId: `order-${index}` });
    await clientOf(`order-${index}`).execute([{ type: 'cancel' }]);
  }
  const messages = caught.projections.splice(0);
  expect(messages).toHaveLength(10);
  const prepare = vi.spyOn(env.DB, 'prepare');
  const batch = vi.spyOn(env.DB, 'batch');
  await consume('kefel-projections', messages.toReversed());
  // The payments have no attempt, phone or event, so only payments are written.
  expect(prepare).toHaveBeenCalledTimes(1);
  expect(batch).toHaveBeenCalledTimes(1);
  expect((await projectionRows()).map(({ status, version }) => [status, version])).toEqual(
    Array.from({ length: 5 }, () => ['canceled', 2]),
  );
});

test('read model: every message is retried and nothing is confirmed while D1 fails', async () => {
  const messages = await wholeLife();
  await env.DB.exec('ALTER TABLE payment RENAME TO payment_away');
  expect(fateOf(await consume('kefel-projections', messages), messages.length)).toBe('retried');
  expect(await projectedState()).toMatchObject({ projectedVersion: 0 });
  await env.DB.exec('ALTER TABLE payment_away RENAME TO payment');
  expect(await projectionRows()).toEqual([]);
  expect(fateOf(await consume('kefel-projections', messages), messages.length)).toBe('acked');
  expect(await projectionRows()).toHaveLength(1);
  expect(await projectedState()).toMatchObject({ projectionDueAtMs: null });
});

test('read model: an outage of D1 causes no dead letters and one log line per batch', async () => {
  const messages = await wholeLife();
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await env.DB.exec('ALTER TABLE payment RENAME TO payment_away');
  // The object's lease repeats the change, so the queue can drop it.
  const result = await consume('kefel-projections', messages, env, 5);
  expect(fateOf(result, messages.length)).toBe('acked');
  expect(warned).toHaveBeenCalledOnce();
  expect(await projectedState()).toMatchObject({ projectionDueAtMs: expect.any(Number) });
  await env.DB.exec('ALTER TABLE payment_away RENAME TO payment');
});

test('read model: one row that D1 rejects does not block the others', async () => {
  await createHosted({ paymentIntentUniqueId: 'order-2' });
  const good = firstOf(caught.projections.splice(0));
  const { objectId } = clientOf('order-3');
  const bad = { ...good, objectId, row: { ...good.row, uuid: 'bad', environment: 'nowhere' } };
  const result = await consume('kefel-projections', [bad as unknown as ProjectionMessage, good]);
  expect(fateOf(result, 2)).toBe('mixed');
  expect(result.explicitAcks).toEqual(['message-1']);
  expect((await projectionRows()).map(({ unique_id }) => unique_id)).toEqual(['order-2']);
});

async function projectedState() {
  const { projectedVersion, projectionDueAtMs } = await storedPayment();
  return { projectedVersion, projectionDueAtMs };
}

test('read model: the object gets the stored version, and stops sending', async () => {
  const messages = await wholeLife();
  const { version } = await intentOf();
  await consume('kefel-projections', messages);
  expect(await projectedState()).toEqual({
    projectedVersion: version,
    projectionDueAtMs: null,
  });
  advance(DAY_MS);
  await fireAlarm();
  expect(caught.projections).toEqual([]);
});

test('read model: the confirmation of an older version does not stop the newest', async () => {
  const messages = await wholeLife();
  await consume('kefel-projections', messages.slice(0, 1));
  const { projectionDueAtMs: dueAtMs } = await projectedState();
  expect(dueAtMs).toBeLessThanOrEqual(Date.now() + QUEUED_LEASE_MS);
  advance(QUEUED_LEASE_MS);
  await fireAlarm();
  expect(caught.projections.map(({ row }) => row.status)).toEqual(['succeeded']);
});

test('read model: the confirmation of an older message does not stop a receipt that came later', async () => {
  await createHosted();
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  const messages = caught.projections.splice(0);
  const outcome = { type: 'succeeded', receipt: 'R-77' } as const;
  await execute({ type: 'resolve_attempt', attemptId: 'a0', outcome });
  // The message with the receipt is lost.
  caught.projections.length = 0;
  await consume('kefel-projections', messages);
  advance(QUEUED_LEASE_MS);
  await fireAlarm();
  expect(caught.projections.at(-1)?.receiptKeys).toEqual(['receipt:R77']);
});

test.each(Object.entries(INTERRUPTIONS))(
  'read model: an unconfirmed change is sent again, at growing intervals (%s)',
  async (_name, interrupt) => {
    await createHosted();
    await execute({ type: 'cancel' });
    const gaps: number[] = [];
    for (let times = 0; times < 10; times += 1) {
      caught.projections.length = 0;
      const dueAtMs = (await projectedState()).projectionDueAtMs ?? 0;
      expect(await alarmOf()).toBe(dueAtMs);
      gaps.push(dueAtMs - Date.now());
      await interrupt();
      vi.setSystemTime(dueAtMs - 1);
      await fireAlarm();
      expect(caught.projections).toEqual([]);
      vi.setSystemTime(dueAtMs);
      await fireAlarm();
      expect(caught.projections).toMatchObject([{ version: 2, row: { status: 'canceled' } }]);
    }
    expect(gaps).toEqual([...gaps].sort((one, other) => one - other));
    await consume('kefel-projections', caught.projections.splice(0));
    expect(await projectionRows()).toMatchObject([{ version: 2, status: 'canceled' }]);
    expect((await projectedState()).projectionDueAtMs).toBeNull();
  },
);

test('read model: a visit sends the change again when the alarm is lost too', async () => {
  await createHosted();
  await execute({ type: 'cancel' });
  caught.projections.length = 0;
  await loseAlarm();
  advance(10 * 60_000);
  await call(statusPath('order-1'));
  await expect.poll(() => caught.projections).toHaveLength(1);
});

test('read model: the row is stored and the change comes again when the confirmation fails', async () => {
  const messages = await wholeLife();
  const foreign = { ...messages.at(-1), objectId: 'no id at all' } as ProjectionMessage;
  expect(fateOf(await consume('kefel-projections', [foreign]), 1)).toBe('acked');
  expect(await projectionRows()).toHaveLength(1);
  expect((await projectedState()).projectionDueAtMs).not.toBeNull();
});

test('decisions.md#21: the uuid and the integer id find the payment of the own tenant only', async () => {
  await createHosted();
  const { terms } = await intentOf();
  const ids = [terms.uuid, String(terms.number)];
  // Not yet in the read model, which may lag.
  for (const id of ids) {
    expect((await call(statusPath(id))).status).toBe(404);
  }
  await consume('kefel-projections', caught.projections.splice(0));
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
    const strangers: [string, string][] = [
      [statusPath(id), BETA.apiKeys.sandbox],
      [statusPath(id, 'production'), ALPHA.apiKeys.production],
      [statusPath(id, 'production'), BETA.apiKeys.production],
    ];
    for (const [path, apiKey] of strangers) {
      expect((await call(path, { apiKey })).status).toBe(404);
    }
  }
});

test('decisions.md#21: a payment found by uuid is shown in its current state, although the read model lags', async () => {
  await createHosted();
  await consume('kefel-projections', caught.projections.splice(0));
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  const { terms } = await intentOf();
  const { envelope } = await answerOf(call(statusPath(terms.uuid)));
  expect(envelope.content).toMatchObject({ status: 'SUCCESS' });
  expect((await projectionRows())[0]?.status).toBe('open');
});

test('decisions.md#21: every id is first read as the unique id', async () => {
  await createHosted();
  const { terms } = await intentOf();
  await createHosted({ paymentIntentUniqueId: String(terms.number) });
  await consume('kefel-projections', caught.projections.splice(0));
  const { envelope } = await answerOf(call(statusPath(String(terms.number))));
  expect(envelope.content).toMatchObject({ uniqueId: String(terms.number) });
});

test('decisions.md#29: a foreign uuid finds nothing, not even the own payment with the same unique id', async () => {
  await createHosted();
  const { terms } = await intentOf();
  expect((await postHosted({}, { apiKey: BETA.apiKeys.sandbox })).status).toBe(200);
  await consume('kefel-projections', caught.projections.splice(0));
  for (const id of [terms.uuid, String(terms.number)]) {
    expect((await call(statusPath(id), { apiKey: BETA.apiKeys.sandbox })).status).toBe(404);
    expect((await call(statusPath(id))).status).toBe(200);
  }
});

/** Cloudflare's limit for a text in D1. The local runtime has none. */
const D1_TEXT_BYTES_MAX = 2_000_000;

test('read model: a batch that is too large for one write of D1 takes several', async () => {
  // What 20 entries of 500 Amharic letters need, sealed.
  const sealedDetails = `d1.${'x'.repeat(45_000)}`;
  const messages = Array.from({ length: 100 }, (_, index) =>
    projectionMessage(tenantOf(ALPHA, 'sandbox'), index + 1, {}, { sealedDetails }),
  );
  const bind = vi.spyOn(Object.getPrototypeOf(env.DB.prepare('SELECT 1')), 'bind');
  const result = await consume('kefel-projections', messages);
  expect(fateOf(result, messages.length)).toBe('acked');
  const sizes = bind.mock.calls.flat().map((text) => new TextEncoder().encode(`${text}`).length);
  expect(Math.max(...sizes)).toBeGreaterThan(D1_TEXT_BYTES_MAX / 8);
  expect(Math.max(...sizes)).toBeLessThan(D1_TEXT_BYTES_MAX);
  expect(await projectionRows()).toHaveLength(100);
});
