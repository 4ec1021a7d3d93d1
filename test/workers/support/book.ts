import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { Applied, ProjectionMessage } from '../../../src/engine/intent/book-message.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import { bookName } from '../../../src/lists/book/schema.ts';
import { BookBackup } from '../../../src/recovery/payments/book-backup.ts';
import { plantedError } from '../../support/output/planted.ts';
import { reachedBookIds } from './gateway.ts';
import { ALPHA, tenantOf } from './merchants.ts';

/** A merchant's book: what it stores, and how many rows a message costs. */

export function bookStub(tenant: Tenant = tenantOf(ALPHA), volume = 0) {
  const namespace = env.MERCHANT_BOOK;
  return namespace.get(namespace.idFromName(bookName(tenant, volume)));
}

export async function fireBookAlarm(tenant: Tenant = tenantOf(ALPHA)): Promise<void> {
  await runDurableObjectAlarm(bookStub(tenant));
}

/** Runs the alarms of all reached books before their time: each reports to D1. */
export async function booksReport(): Promise<void> {
  for (const id of reachedBookIds()) {
    await runInDurableObject(env.MERCHANT_BOOK.get(id), async (book) => {
      await book.alarm();
      await book.report();
    });
  }
}

/** For tests with many payments that have no objects: the alarm would ask each of them. */
export function withoutBackup(): void {
  vi.spyOn(BookBackup.prototype, 'work').mockResolvedValue(false);
  vi.spyOn(BookBackup.prototype, 'wakeAtMs').mockReturnValue(null);
}

export function applyToBook(message: ProjectionMessage): Promise<Applied> {
  return bookOf(env, message.row, message.bookVolume).apply(message);
}

export function bookSql<Row extends Record<string, SqlStorageValue>>(
  sql: string,
  tenant: Tenant = tenantOf(ALPHA),
  volume = 0,
): Promise<Row[]> {
  return runInDurableObject(bookStub(tenant, volume), (_book, { storage }) =>
    storage.sql.exec<Row>(sql).toArray(),
  );
}

export interface WrittenRows {
  /** What the platform counts: all but the full-text index's own tables. */
  readonly rows: number;
  /** With those. */
  readonly withFullText: number;
}

/** Applies a message and counts the rows that it writes. */
export async function rowsWrittenBy(message: ProjectionMessage): Promise<WrittenRows> {
  const { row, bookVolume } = message;
  const changes = async () => {
    const [total] = await bookSql<{ changes: number }>(TOTAL_CHANGES, row, bookVolume);
    return total?.changes ?? 0;
  };
  const before = await changes();
  const counted = await runInDurableObject(bookStub(row, bookVolume), async (book, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    let rows = 0;
    let ofStatements = 0;
    storage.sql.exec = (...args) => {
      const known = exec<{ changes: number }>(TOTAL_CHANGES).one().changes;
      const cursor = exec(...args);
      const found = cursor.toArray();
      rows += cursor.rowsWritten;
      ofStatements += exec<{ changes: number }>(TOTAL_CHANGES).one().changes - known;
      return { toArray: () => found, one: () => found[0] } as never;
    };
    try {
      await book.apply(message);
    } finally {
      storage.sql.exec = exec;
    }
    return { rows, ofStatements };
  });
  const { rows, ofStatements } = counted;
  // The full-text index writes its own tables when the transaction ends.
  return { rows, withFullText: rows + (await changes()) - before - ofStatements };
}

const TOTAL_CHANGES = 'SELECT total_changes() AS changes';

const TOTALS = ['payment_day', 'failure_day', 'attempt_day'] as const;
const OWN_TABLES = ['payment', ...TOTALS, 'delivery', 'refund'] as const;

/** What a book stores about payments, by table, in the order of their keys. */
export async function bookRows(
  tenant: Tenant = tenantOf(ALPHA),
  volume = 0,
): Promise<Record<string, Record<string, SqlStorageValue>[]>> {
  const tables = OWN_TABLES.map(
    async (table) => [table, await bookSql(`SELECT * FROM ${table}`, tenant, volume)] as const,
  );
  return Object.fromEntries(await Promise.all(tables));
}

export interface BookFailure {
  readonly isStored?: boolean;
  readonly overloaded?: boolean;
  readonly retryable?: boolean;
}

/** Calls of the book fail until it is repaired. */
export function breakBook({ isStored = false, ...marks }: BookFailure = {}) {
  const get = env.MERCHANT_BOOK.get.bind(env.MERCHANT_BOOK);
  const apply = vi.fn(async (id: DurableObjectId, message: never) => {
    if (isStored) {
      await get(id).apply(message);
    }
    throw Object.assign(plantedError(), marks);
  });
  const spy = vi
    .spyOn(env.MERCHANT_BOOK, 'get')
    .mockImplementation((id) => ({ apply: (message: never) => apply(id, message) }) as never);
  return { apply, repair: () => spy.mockRestore() };
}
