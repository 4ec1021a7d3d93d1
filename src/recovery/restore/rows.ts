import { prepare, type SqlStatement } from '../../kit/platform/database.ts';
import type { RowLine } from '../backup/manifest.ts';
import type { ExportedTable } from '../backup/tables.ts';

/** Rows of a backup as statements. Both Workers insert theirs so. */

/** The length of one parameter, as JSON. D1 takes 2 MB. */
const CHUNK_LENGTH_MAX = 500_000;
/** A new gateway has a row of settings and entries of its own. */
const MADE_BY_THE_GATEWAY = ['gateway_settings', 'audit_log'];
const NAME = /^[a-z][a-z0-9_]*$/;

interface Parent {
  readonly columns: readonly string[];
  readonly table: string;
  readonly keys: readonly string[];
}

const MERCHANT: Parent = { columns: ['merchant_id'], table: 'merchants', keys: ['id'] };
const MEMBER: Parent = { columns: ['member_id'], table: 'members', keys: ['id'] };

/** What the rows of both databases refer to, as the migrations say. */
export const PARENTS: Readonly<Record<string, readonly Parent[]>> = {
  merchant_branding: [
    MERCHANT,
    {
      columns: ['merchant_id', 'logo_digest'],
      table: 'merchant_logos',
      keys: ['merchant_id', 'digest'],
    },
  ],
  merchant_logos: [MERCHANT],
  merchant_business: [MERCHANT],
  merchant_limits: [MERCHANT],
  book_volumes: [MERCHANT],
  customer_request_payments: [
    { columns: ['request_id'], table: 'customer_requests', keys: ['id'] },
  ],
  passkeys: [MEMBER],
  invitations: [MEMBER],
};

/**
 * The rows whose parents the database has, and how many have none. It would refuse the whole part of
 * a row whose merchant or member was in a part that is missing.
 */
export async function withParents(
  db: D1Database,
  table: string,
  rows: readonly RowLine[],
): Promise<{ readonly rows: readonly RowLine[]; readonly orphans: number }> {
  const orphans = new Set<number>();
  for (const { columns, table: parent, keys } of rows.length === 0 ? [] : (PARENTS[table] ?? [])) {
    const given = columns.map((_, index) => `value ->> ${index}`);
    const matches = keys.map((key, index) => `${parent}.${key} = ${given[index]}`);
    const sql = `SELECT key FROM json_each(?1)
      WHERE ${given.map((one) => `${one} IS NOT NULL`).join(' AND ')}
        AND NOT EXISTS (SELECT 1 FROM ${parent} WHERE ${matches.join(' AND ')})`;
    const params = [JSON.stringify(rows.map((row) => columns.map((column) => row[column])))];
    const { results } = await prepare(db, { sql, params }).all<{ readonly key: number }>();
    for (const { key } of results) {
      orphans.add(key);
    }
  }
  return { rows: rows.filter((_row, index) => !orphans.has(index)), orphans: orphans.size };
}

/** What a key's or passkey's use writes. */
const WRITTEN_BY_USE = ['last_used_at_ms', 'counter'];

/**
 * How many of the rows the database has with other values, because an operator or a member has made
 * them since. `insertStatements` keeps those.
 */
export async function countOthers(
  db: D1Database,
  tables: readonly ExportedTable[],
  table: string,
  rows: readonly RowLine[],
): Promise<number> {
  const [first] = rows;
  const key = tables.find((known) => known.table === table)?.key;
  if (first === undefined || key === undefined || MADE_BY_THE_GATEWAY.includes(table)) {
    return 0;
  }
  const isSame = (column: string) => `known.${column} IS ${memberOf(column)}`;
  const columns = columnsOf(table, first).filter((column) => !WRITTEN_BY_USE.includes(column));
  const sql = `SELECT count(*) AS count FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM ${table} AS known
    WHERE ${key.map(isSame).join(' AND ')} AND NOT (${columns.map(isSame).join(' AND ')}))`;
  let others = 0;
  for (const chunk of chunks(rows)) {
    others += (await prepare(db, { sql, params: [chunk] }).first<number>('count')) ?? 0;
  }
  return others;
}

/** Statements that add the rows of one table. A row that exists already does not change. */
export function insertStatements(table: string, rows: readonly RowLine[]): SqlStatement[] {
  const [first] = rows;
  if (first === undefined) {
    return [];
  }
  const columns = columnsOf(table, first);
  const each = table === 'audit_log' ? auditSql(columns) : [plainSql(table, columns)];
  return chunks(rows).flatMap((chunk) => each.map((sql) => ({ sql, params: [chunk] })));
}

/** Throws for a name that could be anything else than one of a table or column. */
function columnsOf(table: string, row: RowLine): readonly string[] {
  const columns = Object.keys(row);
  const wrong = [table, ...columns].find((name) => !NAME.test(name));
  if (wrong !== undefined) {
    throw new Error(`not a name of a table or column: ${wrong}`);
  }
  return columns;
}

function plainSql(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${columns.map(memberOf).join(', ')} FROM json_each(?1) WHERE true
    ON CONFLICT DO NOTHING`;
}

/**
 * The new gateway may have entries of its own, such as that of a sign-in: an entry whose id is taken by
 * another one gets a new id, in a statement of its own, because SQLite chooses all rows of a SELECT from
 * the same table before it inserts the first. The order of the log is that of its times.
 */
function auditSql(columns: readonly string[]): readonly string[] {
  const others = columns.filter((column) => column !== 'id');
  const isSame = others.map((column) => `known.${column} IS ${memberOf(column)}`).join(' AND ');
  const missing = `NOT EXISTS (SELECT 1 FROM audit_log AS known
    WHERE known.at_ms = ${memberOf('at_ms')} AND ${isSame})`;
  const insert = (into: readonly string[], condition: string) =>
    `INSERT INTO audit_log (${into.join(', ')})
      SELECT ${into.map(memberOf).join(', ')} FROM json_each(?1) WHERE ${condition}`;
  const isFree = `NOT EXISTS (SELECT 1 FROM audit_log WHERE id = ${memberOf('id')})`;
  return [insert(['id', ...others], `${missing} AND ${isFree}`), insert(others, missing)];
}

function memberOf(column: string): string {
  return `value ->> '$.${column}'`;
}

function chunks(rows: readonly RowLine[]): readonly string[] {
  const done: string[] = [];
  let texts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (texts.length > 0 && length + text.length > CHUNK_LENGTH_MAX) {
      done.push(`[${texts.join(',')}]`);
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length;
  }
  return [...done, `[${texts.join(',')}]`];
}
