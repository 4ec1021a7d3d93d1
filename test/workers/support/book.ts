import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { bookOf } from '../../../src/book/client.ts';
import { bookName } from '../../../src/book/name.ts';
import type { Tenant } from '../../../src/domain/intent.ts';
import type { Applied, ProjectionMessage } from '../../../src/intent/protocol.ts';
import { reachedBookIds } from './gateway.ts';
import { ALPHA, tenantOf } from './merchants.ts';

/** A merchant's book: what it stores, and how many rows a message costs. */

export function bookStub(tenant: Tenant = tenantOf(ALPHA), volume = 0) {
  const namespace = env.MERCHANT_BOOK;
  return namespace.get(namespace.idFromName(bookName(tenant, volume)));
}

/** Runs the alarms of all reached books, whatever their time: each reports to D1 what it has to. */
export async function booksReport(): Promise<void> {
  for (const id of reachedBookIds()) {
    await runInDurableObject(env.MERCHANT_BOOK.get(id), async (book) => {
      await book.alarm();
      await book.report();
    });
  }
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

/** The written rows that the platform counts: all but those of the full-text index's own tables. */
export async function rowsWrittenBy(message: ProjectionMessage): Promise<number> {
  const stub = bookStub(message.row, message.bookVolume);
  return runInDurableObject(stub, (book, { storage }) => {
    let rowsWritten = 0;
    const exec = storage.sql.exec.bind(storage.sql);
    storage.sql.exec = (...args) => {
      const cursor = exec(...args);
      const rows = cursor.toArray();
      rowsWritten += cursor.rowsWritten;
      return { toArray: () => rows, one: () => rows[0] } as never;
    };
    try {
      book.apply(message);
    } finally {
      storage.sql.exec = exec;
    }
    return rowsWritten;
  });
}
