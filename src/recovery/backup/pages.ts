import { prepare } from '../../kit/platform/database.ts';
import type { RowLine } from './manifest.ts';
import { AUDIT_LOG, type ExportedTable } from './tables.ts';

/** Reads a database table by table, in pages that can be continued at any time. */

export type Key = readonly (string | number)[];

/** Where the next page begins. */
export interface Place {
  readonly table: string;
  /** The number of the table's next part, from 1. */
  readonly part: number;
  /** The key of the last row that was exported; null: none of the table. */
  readonly after: Key | null;
}

/** What a run exports of an audit log: the entries after the first id, up to the second. */
export interface AuditRange {
  readonly auditFromId: number;
  readonly auditToId: number;
}

export interface TablePage {
  readonly table: string;
  readonly part: number;
  readonly rows: readonly RowLine[];
  /** Null after the last page of the last table. */
  readonly next: Place | null;
}

/** The page at a place; null: the beginning. */
export async function readPage(
  db: D1Database,
  tables: readonly ExportedTable[],
  place: Place | null,
  { auditFromId, auditToId }: AuditRange,
): Promise<TablePage> {
  const index = place === null ? 0 : tables.findIndex(({ table }) => table === place.table);
  const found = tables[index];
  if (found === undefined) {
    throw new Error(`no table ${place?.table}`);
  }
  const { table, key, pageRows } = found;
  const isAudit = table === AUDIT_LOG.table;
  const part = place?.part ?? 1;
  const after = place?.after ?? (isAudit ? [auditFromId] : null);
  const columns = key.join(', ');
  const conditions = [
    ...(after === null ? [] : [`(${columns}) > (${key.map(() => '?').join(', ')})`]),
    ...(isAudit ? ['id <= ?'] : []),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const { results: rows } = await prepare(db, {
    sql: `SELECT * FROM ${table} ${where} ORDER BY ${columns} LIMIT ${pageRows}`,
    params: [...(after ?? []), ...(isAudit ? [auditToId] : [])],
  }).all<RowLine>();
  const last = rows.at(-1);
  if (last !== undefined && rows.length === pageRows) {
    const reached = key.map((column) => last[column] as string | number);
    return { table, part, rows, next: { table, part: part + 1, after: reached } };
  }
  const following = tables[index + 1];
  const next = following === undefined ? null : { table: following.table, part: 1, after: null };
  return { table, part, rows, next };
}

/** What a run must know of a database before it begins. */
export interface DatabaseFacts {
  readonly migrations: readonly string[];
  readonly tables: readonly string[];
  readonly auditToId: number;
}

export async function databaseFacts(
  db: D1Database,
  tables: readonly ExportedTable[],
): Promise<DatabaseFacts> {
  const migrations = await prepare(db, {
    sql: 'SELECT name FROM d1_migrations ORDER BY id',
    params: [],
  }).all<{ name: string }>();
  const auditToId = await prepare(db, {
    sql: 'SELECT COALESCE(MAX(id), 0) AS id FROM audit_log',
    params: [],
  }).first<number>('id');
  return {
    migrations: migrations.results.map(({ name }) => name),
    tables: tables.map(({ table }) => table),
    auditToId: auditToId ?? 0,
  };
}
