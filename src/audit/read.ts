import { prepare } from '../database.ts';
import type { Environment } from '../domain/method.ts';
import { type Condition, type Cursor, type List, type Page, readPage, when } from '../paging.ts';
import type { AuditAction } from './actions.ts';

/** The audit log: a merchant's own, or for the operator everything. */

/** Entries on a page. */
const PAGE_ROWS = 50;
/** Members in the filter: more than any merchant has. */
const ACTORS_MAX = 500;

export interface AuditRecord {
  readonly id: number;
  readonly atMs: number;
  /** Null for an action that concerns no single merchant. */
  readonly merchantId: string | null;
  readonly environment: Environment | null;
  readonly actorKind: 'member' | 'operator' | 'api_key';
  readonly actorName: string;
  /** Of an operator: whether the name was proved; null for others. */
  readonly isActorProved: boolean | null;
  readonly address: string | null;
  /** May be an action of a newer release. */
  readonly action: AuditAction | (string & {});
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An absent member does not restrict. */
export interface AuditFilter {
  readonly actions?: readonly AuditAction[];
  /** A member, or any person who acts for the operator. */
  readonly actor?: { readonly memberId: string } | 'operator';
}

/** As D1 returns it. */
export interface AuditRow extends Omit<AuditRecord, 'detail' | 'isActorProved'> {
  readonly actorProved: number | null;
  readonly detail: string;
}

/** The columns of a row. */
export const RECORD_COLUMNS = `id, at_ms AS atMs, merchant_id AS merchantId, environment,
  actor_kind AS actorKind, actor_name AS actorName, actor_proved AS actorProved, address, action,
  target, detail`;

/**
 * One page of the merchant's entries, newest first, without those of others and of no merchant.
 * Throws when D1 does not answer.
 */
export async function auditPage(
  db: D1Database,
  merchantId: string,
  { actions, actor }: AuditFilter,
  cursor: Cursor | null,
): Promise<Page<AuditRecord>> {
  const kind = typeof actor === 'object' ? 'member' : actor;
  const memberId = typeof actor === 'object' ? actor.memberId : null;
  return readEntries(db, cursor, 'audit_log_by_merchant', [
    { sql: 'merchant_id = ?', params: [merchantId] },
    ...when('action IN (SELECT value FROM json_each(?))', actions && JSON.stringify(actions)),
    ...when('actor_kind = ?', kind),
    ...when('actor_id = ?', memberId),
  ]);
}

/** For the operator: entries of one merchant, or of all and of none with null; newest first. */
export function auditPageOfAll(
  db: D1Database,
  merchantId: string | null,
  cursor: Cursor | null,
): Promise<Page<AuditRecord>> {
  return merchantId === null
    ? readEntries(db, cursor, 'audit_log_by_time', [])
    : auditPage(db, merchantId, {}, cursor);
}

async function readEntries(
  db: D1Database,
  cursor: Cursor | null,
  index: string,
  conditions: readonly Condition[],
): Promise<Page<AuditRecord>> {
  const list: List<AuditRow> = {
    columns: RECORD_COLUMNS,
    table: 'audit_log',
    index,
    timeColumn: 'at_ms',
    idColumn: 'id',
    conditions,
    placeOf: ({ atMs, id }) => ({ atMs, id: String(id) }),
  };
  const page = await readPage(db, list, cursor, PAGE_ROWS);
  return { ...page, rows: page.rows.map(recordOf) };
}

export function recordOf({ actorProved, detail, ...row }: AuditRow): AuditRecord {
  const isActorProved = actorProved === null ? null : actorProved === 1;
  return { ...row, isActorProved, detail: JSON.parse(detail) as AuditRecord['detail'] };
}

/** The merchant's members, including removed ones, whose entries remain in the log. */
export async function auditActors(
  db: D1Database,
  merchantId: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const sql = `SELECT id, name FROM members WHERE merchant_id = ?1
    ORDER BY removed_at_ms IS NOT NULL, created_at_ms LIMIT ${ACTORS_MAX}`;
  const { results } = await prepare(db, { sql, params: [merchantId] }).all<{
    id: string;
    name: string;
  }>();
  return results;
}
