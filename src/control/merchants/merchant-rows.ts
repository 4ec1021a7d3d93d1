import * as v from 'valibot';
import { oneOf } from '../../kit/http/fields.ts';
import { found } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare } from '../../kit/platform/database.ts';
import { type List, when } from '../../kit/platform/paging.ts';
import { type Gateway, list, type Target } from '../operator/call.ts';
import { merchantIdField, pathPart } from '../operator/fields.ts';
import { itemPage, pageEntries } from '../operator/page-query.ts';
import { MERCHANT_STATUSES, type MerchantStatus } from './merchant-status.ts';

export interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly status: MerchantStatus;
  readonly createdAtMs: number;
}

const STATUS = "iif(closed_at_ms IS NULL, status, 'closed')";
const COLUMNS = `id, name, ${STATUS} AS status, created_at_ms AS createdAtMs`;

export async function merchantAt(db: D1Database, id: string): Promise<MerchantRow | null> {
  const sql = `SELECT ${COLUMNS} FROM merchants WHERE id = ?1`;
  return prepare(db, { sql, params: [id] }).first<MerchantRow>();
}

/** The merchant that the path names. Problem 404 when there is none. */
export async function knownMerchant(
  { env }: Pick<Gateway, 'env'>,
  { merchantId }: Target,
): Promise<MerchantRow> {
  return found(await merchantAt(env.DB, pathPart(merchantIdField, merchantId)));
}

/** The names of these merchants, by id. */
export async function merchantNames(
  db: D1Database,
  ids: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const sql = `SELECT id, name FROM merchants WHERE id IN (SELECT value FROM json_each(?1))`;
  const statement = { sql, params: [JSON.stringify([...new Set(ids)])] };
  const { results } = await prepare(db, statement).all<{ id: string; name: string }>();
  return Object.fromEntries(results.map(({ id, name }) => [id, name]));
}

/** Newest first. Problem 400 for a malformed cursor. */
export const merchants = list(
  body({ ...pageEntries, status: v.optional(oneOf(MERCHANT_STATUSES)) }),
  ({ env }, query) => {
    const rows: List<MerchantRow> = {
      columns: COLUMNS,
      table: 'merchants',
      index: 'merchants_by_time',
      timeColumn: 'created_at_ms',
      idColumn: 'id',
      conditions: when(`${STATUS} = ?`, query.status),
      placeOf: ({ createdAtMs, id }) => ({ atMs: createdAtMs, id }),
    };
    return itemPage(env.DB, rows, query);
  },
);
