import type { AuditAction } from '../../kit/audit/actions.ts';
import { prepare } from '../../kit/platform/database.ts';
import {
  type Condition,
  type Cursor,
  pageStatement,
  parseCursor,
  when,
} from '../../kit/platform/paging.ts';
import type { Environment } from '../../kit/tenant.ts';
import { timesOfMonth } from '../operator/fields.ts';

/**
 * The audit log of one database: a merchant's own, or for the operator everything. Payments and the
 * back office have one each; `back-office/audit.ts` shows both as one.
 */

/** Entries on a page. */
export const AUDIT_PAGE_ROWS = 50;
/**
 * Entries of one page of a file. The desk's file needs two calls for each page, and a Worker may make
 * 1,000.
 */
export const AUDIT_FILE_PAGE_ROWS = 1_000;

export interface AuditRecord {
  readonly id: number;
  readonly atMs: number;
  /** Null for an action that concerns no single merchant. */
  readonly merchantId: string | null;
  readonly environment: Environment | null;
  readonly actorKind: 'member' | 'operator' | 'api_key';
  readonly actorName: string;
  /** Whether an operator's name was proved; null for other actors. */
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
 * The entries from the cursor on, in its direction, one more than a page shows; without a cursor the
 * newest. Null for the operator: entries of all merchants and of none. Throws when D1 does not answer.
 */
export async function auditEntries(
  db: D1Database,
  merchantId: string | null,
  { actions, actor }: AuditFilter,
  cursor: Cursor | null,
): Promise<readonly AuditRecord[]> {
  const kind = typeof actor === 'object' ? 'member' : actor;
  const memberId = typeof actor === 'object' ? actor.memberId : null;
  const index = merchantId === null ? 'audit_log_by_time' : 'audit_log_by_merchant';
  const conditions = [
    ...when('merchant_id = ?', merchantId),
    ...when('action IN (SELECT value FROM json_each(?))', actions && JSON.stringify(actions)),
    ...when('actor_kind = ?', kind),
    ...when('actor_id = ?', memberId),
  ];
  return await entriesIn(db, index, conditions, cursor, AUDIT_PAGE_ROWS);
}

/**
 * The entries of a month of Addis Ababa behind the cursor, of all merchants and of none, newest
 * first; one more than a page of the file has.
 */
export function auditEntriesOfMonth(
  db: D1Database,
  month: string,
  cursor: Cursor,
): Promise<readonly AuditRecord[]> {
  const { fromMs } = timesOfMonth(month);
  const conditions = when('at_ms >= ?', fromMs);
  return entriesIn(db, 'audit_log_by_time', conditions, cursor, AUDIT_FILE_PAGE_ROWS);
}

/** Where the file of a month begins, or goes on. */
export function monthCursor(month: string, place: string | null): Cursor {
  const { toMs } = timesOfMonth(month);
  const cursor = place === null ? null : parseCursor(place);
  return cursor?.direction === 'older' && cursor.atMs < toMs
    ? cursor
    : { direction: 'older', atMs: toMs, id: '0' };
}

async function entriesIn(
  db: D1Database,
  index: string,
  conditions: readonly Condition[],
  cursor: Cursor | null,
  rows: number,
): Promise<readonly AuditRecord[]> {
  const columns = { columns: RECORD_COLUMNS, timeColumn: 'at_ms', idColumn: 'id' };
  const list = { ...columns, table: 'audit_log', index, conditions };
  const { results } = await prepare(db, pageStatement(list, cursor, rows)).all<AuditRow>();
  return results.map(recordOf);
}

export function recordOf({ actorProved, detail, ...row }: AuditRow): AuditRecord {
  const isActorProved = actorProved === null ? null : actorProved === 1;
  return { ...row, isActorProved, detail: JSON.parse(detail) as AuditRecord['detail'] };
}
