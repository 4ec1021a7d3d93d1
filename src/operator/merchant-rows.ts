import { prepare } from '../database.ts';
import { validationProblem } from '../http/problem.ts';

export interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly createdAtMs: number;
  /** People who may sign in. */
  readonly members: number;
}

export interface MerchantPage {
  readonly items: readonly MerchantRow[];
  /** Of the next page, or null when this is the last. */
  readonly nextCursor: string | null;
}

const COLUMNS = `id, name, status, created_at_ms AS createdAtMs,
  (SELECT count(*) FROM members
    WHERE members.merchant_id = merchants.id AND removed_at_ms IS NULL) AS members`;

/** The merchant of that id, or null. */
export function merchantAt(db: D1Database, id: string): Promise<MerchantRow | null> {
  const sql = `SELECT ${COLUMNS} FROM merchants WHERE id = ?1`;
  return prepare(db, { sql, params: [id] }).first<MerchantRow>();
}

/** A place between two merchants: when the one before was made, and its id. */
const CURSOR = /^(\d{1,15})\.([A-Za-z0-9_-]{1,64})$/;

/** Newest first. Problem 400 for a cursor that is none of ours. */
export async function merchantPage(
  db: D1Database,
  query: {
    readonly status: 'active' | 'suspended' | null;
    readonly cursor: string | null;
    readonly limit: number;
  },
): Promise<MerchantPage> {
  const { status, cursor, limit } = query;
  const place = cursor === null ? null : CURSOR.exec(cursor);
  if (cursor !== null && place === null) {
    throw validationProblem({ cursor: 'Is not a cursor.' });
  }
  const sql = `SELECT ${COLUMNS} FROM merchants
    WHERE (?1 IS NULL OR status = ?1) AND (?2 IS NULL OR (created_at_ms, id) < (?2, ?3))
    ORDER BY created_at_ms DESC, id DESC LIMIT ?4`;
  const params = [
    status,
    place?.[1] === undefined ? null : Number(place[1]),
    place?.[2] ?? '',
    limit + 1,
  ];
  const { results } = await prepare(db, { sql, params }).all<MerchantRow>();
  const items = results.slice(0, limit);
  const last = items.at(-1);
  const hasMore = results.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? `${last.createdAtMs}.${last.id}` : null };
}
