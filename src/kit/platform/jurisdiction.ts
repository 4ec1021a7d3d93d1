import { prepare, readInTime, type SqlStatement } from './database.ts';
import { compareJurisdiction, NO_JURISDICTION } from './objects.ts';
import type { Placement } from './placement.ts';

/** The jurisdiction that D1 remembers. No payment waits for this code. */

/** Part of the batch that creates a merchant: the first one fixes the jurisdiction. */
export function rememberJurisdiction({ jurisdiction }: Placement): SqlStatement {
  return {
    sql: `UPDATE gateway_settings SET object_jurisdiction = ?1
      WHERE object_jurisdiction IS NULL`,
    params: [jurisdiction ?? NO_JURISDICTION],
  };
}

/** While D1 fails, books and registers ask it no more often: each would wait for its time limit. */
const ASKED_AGAIN_AFTER_MS = 30_000;

/** When to ask each database of this isolate again; infinite once it has answered. */
const askAgainAtMs = new WeakMap<D1Database, number>();

/** The same by a query of D1, once in an isolate. While D1 fails, this compares nothing. */
export async function checkJurisdiction(db: D1Database, placement: Placement): Promise<void> {
  if (Date.now() < (askAgainAtMs.get(db) ?? 0)) {
    return;
  }
  const known = await readInTime(() => readJurisdiction(db)).catch(() => null);
  if (known === null) {
    askAgainAtMs.set(db, Date.now() + ASKED_AGAIN_AFTER_MS);
    return;
  }
  compareJurisdiction(known.stored, placement);
  askAgainAtMs.set(db, Number.POSITIVE_INFINITY);
}

async function readJurisdiction(db: D1Database) {
  const sql = 'SELECT object_jurisdiction AS stored FROM gateway_settings';
  return { stored: await prepare(db, { sql, params: [] }).first<string>('stored') };
}
