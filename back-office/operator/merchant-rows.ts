import { prepare } from '../../src/database.ts';
import { type List, readPage, when } from '../../src/paging.ts';
import { cursorFrom, type ItemPage } from './page-query.ts';

export interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly createdAtMs: number;
  /** The number of members who may sign in. */
  readonly members: number;
}

const COLUMNS = `id, name, status, created_at_ms AS createdAtMs,
  (SELECT count(*) FROM members
    WHERE members.merchant_id = merchants.id AND removed_at_ms IS NULL) AS members`;

/** The merchant of that id, or null. */
export function merchantAt(db: D1Database, id: string): Promise<MerchantRow | null> {
  const sql = `SELECT ${COLUMNS} FROM merchants WHERE id = ?1`;
  return prepare(db, { sql, params: [id] }).first<MerchantRow>();
}

/** The names of these merchants, by id. */
export async function merchantNames(
  db: D1Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT id, name FROM merchants WHERE id IN (SELECT value FROM json_each(?1))`;
  const statement = { sql, params: [JSON.stringify([...new Set(ids)])] };
  const { results } = await prepare(db, statement).all<{ id: string; name: string }>();
  return new Map(results.map(({ id, name }) => [id, name]));
}

/** Newest first. Problem 400 for a malformed cursor. */
export async function merchantPage(
  db: D1Database,
  query: {
    readonly status: 'active' | 'suspended' | null;
    readonly cursor: string | null;
    readonly limit: number;
  },
): Promise<ItemPage<MerchantRow>> {
  const list: List<MerchantRow> = {
    columns: COLUMNS,
    table: 'merchants',
    index: 'merchants_by_time',
    timeColumn: 'created_at_ms',
    idColumn: 'id',
    conditions: when('status = ?', query.status),
    placeOf: ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }),
  };
  const page = await readPage(db, list, cursorFrom(query.cursor), query.limit);
  return { items: page.rows, nextCursor: page.nextCursor };
}
