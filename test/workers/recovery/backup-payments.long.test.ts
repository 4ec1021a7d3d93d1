import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, test, vi } from 'vitest';
import { MerchantBook } from '../../../src/connected-objects.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { IDS_PER_MS } from '../../../src/lists/book/schema.ts';
import { continueBackup } from '../../../src/recovery/backup/daily.ts';
import { sealPart } from '../../../src/recovery/backup/part.ts';
import { BookBackup } from '../../../src/recovery/payments/book-backup.ts';
import { eraseFromBackup } from '../../../src/recovery/payments/erase.ts';
import { plantedError } from '../../support/output/planted.ts';
import { linesOf, partNames, paymentLines, replacePut } from '../support/backup.ts';
import { bookSql, bookStub } from '../support/book.ts';
import {
  ALPHA,
  abortObjects,
  advance,
  booksAreFed,
  consumeAll,
  createHosted,
  DAY_MS,
  fireAlarm,
  HOUR_MS,
  logged,
  merchantServer,
  objectSql,
  storedPayment,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: docs/decisions.md#49: after any failure, a payment that its object has is in the bucket a day
 * later, and no sequence has two parts. Method: payments through the API, the book's alarm, and a
 * bucket that fails before or after it writes.
 */

const caught = useGateway();

const OTHER_KEY = { keyId: 'gone', base64: btoa('k'.repeat(32)) };

async function create(...uniqueIds: string[]): Promise<void> {
  for (const paymentIntentUniqueId of uniqueIds) {
    await createHosted({ paymentIntentUniqueId });
    advance(1);
  }
  await booksAreFed(caught);
}

/** The payment expires. */
async function end(uniqueId: string): Promise<void> {
  advance(HOUR_MS);
  expect(await fireAlarm(uniqueId)).toBe(true);
  await booksAreFed(caught);
}

/** The payment is past its retention: its object keeps only the tombstone. */
async function purge(uniqueId: string): Promise<void> {
  merchantServer();
  await consumeAll(caught);
  advance(401 * DAY_MS);
  await fireAlarm(uniqueId);
  expect((await storedPayment(uniqueId)).intent).toBeNull();
}

async function alarm(): Promise<void> {
  await runDurableObjectAlarm(bookStub());
}

async function round(): Promise<void> {
  advance(DAY_MS);
  await alarm();
}

const sequences = async () =>
  (await partNames('payments/')).map((name) => name.split('/')[5]?.split('-')[0]);

it('copies each payment as its object stores it, a day later at most', async () => {
  await create('order-1', 'order-2');
  await round();
  const [name = ''] = await partNames('payments/');
  const lines = await linesOf(name);
  const rows = await Promise.all(
    ['order-1', 'order-2'].map((uniqueId) => objectSql('SELECT * FROM record', uniqueId)),
  );
  expect(lines.map(({ records }) => records)).toEqual(rows);
  const ids = lines.map(({ id }) => id);
  expect(name).toMatch(
    new RegExp(`^payments/sandbox/${ALPHA.id}/0/[0-9a-f-]{36}/00000001-${ids[0]}-${ids[1]}$`),
  );
});

it('copies only what changed since, and nothing when nothing did', async () => {
  await create('order-1', 'order-2');
  await round();
  await round();
  expect(await sequences()).toEqual(['00000001']);
  await end('order-2');
  await round();
  expect(Object.values(await paymentLines())).toEqual([['order-1', 'order-2'], ['order-2']]);
  const [line] = await linesOf((await partNames('payments/'))[1] ?? '');
  expect(line?.records).toEqual(await objectSql('SELECT * FROM record', 'order-2'));
  expect(await bookSql('SELECT * FROM backup_later')).toEqual([]);
});

it('waits an hour with a young payment, so that most are copied once', async () => {
  await create('order-1');
  advance(HOUR_MS / 2);
  await alarm();
  await end('order-1');
  expect(await partNames()).toEqual([]);
  await round();
  expect(Object.values(await paymentLines())).toEqual([['order-1']]);
});

it('copies again what changes between reading a payment and writing its part', async () => {
  await create('order-1');
  const bucket = replacePut(async (put) => {
    bucket.repair();
    await end('order-1');
    return put();
  });
  await round();
  expect(Object.values(await paymentLines())).toEqual([['order-1'], ['order-1']]);
  const [, last = ''] = await partNames('payments/');
  expect((await linesOf(last))[0]?.records).toEqual(await objectSql('SELECT * FROM record'));
});

describe.each([
  ['before', 'an error'],
  ['after', 'an error'],
  ['before', 'a killed book'],
  ['after', 'a killed book'],
])('a failure %s a part is written, by %s', (when, what) => {
  test('leaves one part of each sequence, with what the objects have in the end', async () => {
    await create('order-1', 'order-2');
    let isReached = false;
    const bucket = replacePut(async (put) => {
      if (when === 'after') {
        await put();
      }
      isReached = true;
      if (what === 'an error') {
        throw plantedError();
      }
      return new Promise(() => undefined);
    });
    advance(DAY_MS);
    const alarmed = alarm().catch(() => undefined);
    await expect.poll(() => isReached).toBe(true);
    if (what === 'an error') {
      await alarmed;
    } else {
      await abortObjects();
    }
    bucket.repair();
    // Later payments, and changes of claimed ones, must not change the name of the part.
    await create('order-3');
    await end('order-1');
    advance(2 * HOUR_MS);
    await alarm();
    expect(await sequences()).toEqual(['00000001', '00000002', '00000003']);
    expect(Object.values(await paymentLines())).toEqual([
      ['order-1', 'order-2'],
      ['order-3'],
      ['order-1'],
    ]);
    const [state] = await bookSql('SELECT sequence, payments, claim, failures FROM backup');
    expect(state).toEqual({ sequence: 3, payments: 3, claim: null, failures: 0 });
  });
});

it('lets payments go on while the bucket is down, and retries with longer waits', async () => {
  await create('order-1');
  const bucket = replacePut(() => Promise.reject(plantedError()));
  advance(DAY_MS);
  const waits: number[] = [];
  for (let tries = 0; tries < 9; tries += 1) {
    await alarm();
    const atMs = await runInDurableObject(bookStub(), (_book, { storage }) => storage.getAlarm());
    waits.push((atMs ?? 0) - Date.now());
    advance(waits.at(-1) ?? 0);
  }
  expect(waits.map((wait) => wait / 60_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(logged.some((line) => line.includes('"backup_failed"'))).toBe(true);
  await create('order-2');
  bucket.repair();
  await round();
  expect(Object.values(await paymentLines()).flat()).toEqual(['order-1', 'order-2']);
});

it('copies the others when one object is out of reach, and that one later', async () => {
  await create('order-1', 'order-2', 'order-3');
  const { exportRecords } = PaymentIntentObject.prototype;
  const broken = vi
    .spyOn(PaymentIntentObject.prototype, 'exportRecords')
    .mockImplementation(async function (this: PaymentIntentObject) {
      const records = await exportRecords.call(this);
      if (JSON.stringify(records).includes('order-2')) {
        throw plantedError();
      }
      return records;
    });
  await round();
  expect(Object.values(await paymentLines())).toEqual([['order-1', 'order-3']]);
  broken.mockRestore();
  advance(HOUR_MS);
  await alarm();
  expect(Object.values(await paymentLines())).toEqual([['order-1', 'order-3'], ['order-2']]);
});

it('copies payments that do not fit into a part with the next one, new ones and changed ones', async () => {
  const uniqueIds = Array.from({ length: 31 }, (_, index) => `order-${index}`);
  await create(...uniqueIds);
  const { exportRecords } = PaymentIntentObject.prototype;
  vi.spyOn(PaymentIntentObject.prototype, 'exportRecords').mockImplementation(async function (
    this: PaymentIntentObject,
  ) {
    const records = await exportRecords.call(this);
    // The first 30 payments fill a part.
    return records?.map((row) => ({ ...row, content: row.content.padEnd(300_000) })) ?? null;
  });
  await round();
  const sizes = async () => Object.values(await paymentLines()).map(({ length }) => length);
  expect(await sizes()).toEqual([30, 1]);
  for (const uniqueId of uniqueIds) {
    await fireAlarm(uniqueId);
  }
  await booksAreFed(caught);
  await round();
  expect(await sizes()).toEqual([30, 1, 30, 1]);
});

it('starts a new generation when the book was set back, so that no part is lost', async () => {
  await create('order-1');
  await round();
  const before = await bookSql('SELECT * FROM backup');
  await create('order-2');
  await round();
  await runInDurableObject(bookStub(), (_book, { storage: { sql } }) => {
    sql.exec("DELETE FROM payment WHERE unique_id = 'order-2'");
    sql.exec('UPDATE backup SET sequence = ?, to_id = ?', 1, Number(before[0]?.to_id));
  });
  await create('order-3');
  await round();
  expect(Object.values(await paymentLines())).toEqual([
    ['order-1'],
    ['order-2'],
    ['order-1', 'order-3'],
  ]);
});

it('deletes a part 35 days after its payments’ retention, unless a payment still has its data', async () => {
  await create('order-1', 'order-2');
  await end('order-2');
  await round();
  const [first = ''] = await partNames('payments/');
  // The other object has lost its alarm and keeps its data, as a held payment does.
  await purge('order-2');
  await alarm();
  expect(await partNames('payments/')).toContain(first);
  advance(35 * DAY_MS);
  await alarm();
  expect(Object.values(await paymentLines())).toEqual([['order-1']]);
  expect(await partNames('payments/')).not.toContain(first);
  expect(await bookSql('SELECT kept_from, sequence FROM backup')).toEqual([
    { kept_from: 2, sequence: 2 },
  ]);
});

it('deletes no part while a restore is under way, which may need it, and does so a day later', async () => {
  await create('order-1');
  await end('order-1');
  await round();
  const [first = ''] = await partNames('payments/');
  await purge('order-1');
  await env.DB.exec("INSERT INTO restore VALUES (1, 'r', 1, 'Hana', '{}', '{}', NULL)");
  advance(100 * DAY_MS);
  await alarm();
  await alarm();
  expect(await partNames('payments/')).toContain(first);
  await env.DB.exec('UPDATE restore SET finished_at_ms = 1');
  await round();
  expect(await partNames('payments/')).not.toContain(first);
});

it('deletes no part with a payment whose object is lost, and reports it', async () => {
  await create('order-1', 'order-2');
  await round();
  const [first = ''] = await partNames('payments/');
  await objectSql('DROP TABLE record', 'order-1');
  await abortObjects();
  advance(500 * DAY_MS);
  await alarm();
  expect(await partNames('payments/')).toContain(first);
  expect(logged.some((line) => line.includes('"backup_failed"'))).toBe(true);
});

it('deletes an old part with a payment whose id another payment has taken after a loss', async () => {
  await create('order-1', 'order-2');
  await round();
  const [first = ''] = await partNames('payments/');
  await objectSql(
    "UPDATE record SET content = json_set(content, '$.intent.terms.uuid', 'another')",
    'order-1',
  );
  await bookSql("DELETE FROM payment WHERE unique_id = 'order-1'");
  advance(500 * DAY_MS);
  await alarm();
  expect(await partNames('payments/')).not.toContain(first);
  expect(Object.values(await paymentLines())).toEqual([['order-2']]);
});

it.each([
  ['whose key has left BACKUP_KEYS', (name: string) => sealPart([OTHER_KEY], name, [])],
  ['that is damaged', async () => new Uint8Array(3)],
])('an old part %s is deleted after its payments are copied again', async (_what, bytesOf) => {
  await create('order-1', 'order-2');
  await end('order-2');
  await round();
  const [name = ''] = await partNames('payments/');
  await purge('order-2');
  const customMetadata = (await env.BACKUPS.head(name))?.customMetadata ?? {};
  await env.BACKUPS.put(name, await bytesOf(name), { customMetadata });
  advance(35 * DAY_MS);
  await alarm();
  expect(Object.values(await paymentLines())).toEqual([['order-1']]);
  expect(await partNames('payments/')).not.toContain(name);
  expect(await bookSql('SELECT failures FROM backup')).toEqual([{ failures: 0 }]);
  expect(logged.some((line) => line.includes('"backup_part_unreadable"'))).toBe(true);
});

it('gives every line of an erased payment what its object has left, and may be repeated', async () => {
  await create('order-1', 'order-2');
  await round();
  await end('order-1');
  await round();
  const [first, second] = await bookSql<{ id: number }>('SELECT id FROM payment ORDER BY id');
  const erase = (id = 0, uniqueId = '') =>
    eraseFromBackup(env, tenantOf(ALPHA), { volume: 0, id, uniqueId });
  await purge('order-1');
  expect(await erase(first?.id, 'order-1')).toBe(2);
  expect(await erase(first?.id, 'order-1')).toBe(0);
  expect(Object.values(await paymentLines())).toEqual([['order-2'], []]);
  // This one keeps what the law demands, without its answer to the merchant.
  await objectSql("UPDATE record SET content = json_remove(content, '$.answer')", 'order-2');
  expect(await erase(second?.id, 'order-2')).toBe(1);
  const [line] = await linesOf((await partNames('payments/'))[0] ?? '');
  expect(line?.records).toEqual(await objectSql('SELECT * FROM record', 'order-2'));
});

it('erases payments whose rebuilt book has given them other rows of their milliseconds', async () => {
  await create('order-1', 'order-2');
  await round();
  const [first, second] = await bookSql<{ id: number }>(
    `SELECT id - id % ${IDS_PER_MS} AS id FROM payment ORDER BY id`,
  );
  const rows = { 'order-1': first?.id ?? 0, 'order-2': (second?.id ?? 0) + IDS_PER_MS - 1 };
  for (const [uniqueId, id] of Object.entries(rows)) {
    await objectSql("UPDATE record SET content = json_remove(content, '$.answer')", uniqueId);
    expect(await eraseFromBackup(env, tenantOf(ALPHA), { volume: 0, id, uniqueId })).toBe(1);
  }
});

it('keeps the lines of a payment whose object is lost, because they are the only copy', async () => {
  await create('order-1', 'order-2');
  await round();
  const [payment] = await bookSql<{ id: number }>('SELECT id FROM payment ORDER BY id');
  await objectSql('DROP TABLE record', 'order-1');
  await abortObjects();
  const named = { volume: 0, id: payment?.id ?? 0, uniqueId: 'order-1' };
  await expect(eraseFromBackup(env, tenantOf(ALPHA), named)).rejects.toThrow('the only copy');
  expect(Object.values(await paymentLines())).toEqual([['order-1', 'order-2']]);
});

it('erases a payment from a part that was read before and is written after the erasure', async () => {
  await create('order-1');
  let isReached = false;
  let isOpen = false;
  const bucket = replacePut(async (put) => {
    isReached = true;
    while (!isOpen) {
      await scheduler.wait(1);
    }
    return put();
  });
  const { settleBackup } = MerchantBook.prototype;
  vi.spyOn(MerchantBook.prototype, 'settleBackup').mockImplementation(function (
    this: MerchantBook,
  ) {
    isOpen = true;
    return settleBackup.call(this);
  });
  advance(DAY_MS);
  const alarmed = alarm();
  await expect.poll(() => isReached).toBe(true);
  await objectSql("UPDATE record SET content = json_remove(content, '$.answer')");
  const [payment] = await bookSql<{ id: number }>('SELECT id FROM payment');
  const named = { volume: 0, id: payment?.id ?? 0, uniqueId: 'order-1' };
  expect(await eraseFromBackup(env, tenantOf(ALPHA), named)).toBe(1);
  isOpen = true;
  await alarmed;
  bucket.repair();
  const [line] = await linesOf((await partNames('payments/'))[0] ?? '');
  expect(line?.records).toEqual(await objectSql('SELECT * FROM record'));
});

it('erases two payments of one part at the same moment', async () => {
  await create('order-1', 'order-2', 'order-3');
  await round();
  const payments = await bookSql<{ id: number; uniqueId: string }>(
    'SELECT id, unique_id AS uniqueId FROM payment ORDER BY id LIMIT 2',
  );
  const change = "UPDATE record SET content = json_remove(content, '$.answer')";
  await Promise.all(payments.map(({ uniqueId }) => objectSql(change, uniqueId)));
  const erased = payments.map((payment) =>
    eraseFromBackup(env, tenantOf(ALPHA), { volume: 0, ...payment }),
  );
  expect(await Promise.all(erased)).toEqual([1, 1]);
  const lines = await linesOf((await partNames('payments/'))[0] ?? '');
  for (const [index, { uniqueId }] of payments.entries()) {
    expect(lines[index]?.records).toEqual(await objectSql('SELECT * FROM record', uniqueId));
  }
});

it('makes no backup without a bucket, and payments go on', async () => {
  const bindings = { ...env, BACKUPS: undefined } as never;
  await create('order-1');
  await runInDurableObject(bookStub(), async (_book, { storage }) => {
    const backup = new BookBackup(storage, bindings);
    expect(await backup.work(Date.now() + DAY_MS)).toBe(false);
    expect(backup.wakeAtMs()).toBe(Date.now() + 2 * DAY_MS);
  });
  const named = { volume: 0, id: 1, uniqueId: 'order-1' };
  expect(await eraseFromBackup(bindings, tenantOf(ALPHA), named)).toBe(0);
  expect(await continueBackup(bindings, Date.now())).toEqual({ state: 'idle', run: null });
  expect(logged.some((line) => line.includes('"backup_without_bucket"'))).toBe(true);
});
