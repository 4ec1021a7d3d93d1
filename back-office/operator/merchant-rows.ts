import { prepare } from '../../src/database.ts';
import { type List, readPage, when } from '../../src/paging.ts';
import { withMemberCounts } from '../members/members.ts';
import { cursorFrom, type ItemPage } from './page-query.ts';

export interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly createdAtMs: number;
  /** The number of members who may sign in. */
  readonly members: number;
}

type StoredMerchant = Omit<MerchantRow, 'members'>;

const COLUMNS = 'id, name, status, created_at_ms AS createdAtMs';

/** The merchant of that id, or null. */
export async function merchantAt(env: Env, id: string): Promise<MerchantRow | null> {
  const sql = `SELECT ${COLUMNS} FROM merchants WHERE id = ?1`;
  const stored = await prepare(env.DB, { sql, params: [id] }).all<StoredMerchant>();
  const [merchant = null] = await withMemberCounts(env.BACK_OFFICE_DB, stored.results);
  return merchant;
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
  env: Env,
  query: {
    readonly status: 'active' | 'suspended' | null;
    readonly cursor: string | null;
    readonly limit: number;
  },
): Promise<ItemPage<MerchantRow>> {
  const list: List<StoredMerchant> = {
    columns: COLUMNS,
    table: 'merchants',
    index: 'merchants_by_time',
    timeColumn: 'created_at_ms',
    idColumn: 'id',
    conditions: when('status = ?', query.status),
    placeOf: ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }),
  };
  const page = await readPage(env.DB, list, cursorFrom(query.cursor), query.limit);
  const items = await withMemberCounts(env.BACK_OFFICE_DB, page.rows);
  return { items, nextCursor: page.nextCursor };
}
