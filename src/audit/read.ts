import { prepare } from '../database.ts';
import type { Environment } from '../domain/method.ts';
import type { AuditAction } from './actions.ts';

/** What the audit log tells one merchant: never an entry of another, nor one of no merchant. */

/** Entries on a page. */
const PAGE_SIZE = 50;
/** People to choose from; more than any merchant has. */
const ACTORS_MAX = 500;

export interface AuditRecord {
  /** Rises with time: the cursor of pages. */
  readonly id: number;
  readonly atMs: number;
  readonly environment: Environment | null;
  readonly actorKind: 'member' | 'operator';
  readonly actorName: string;
  readonly address: string | null;
  /** As it was written: perhaps by a newer version that knows more actions. */
  readonly action: AuditAction | (string & {});
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What is left out is not filtered by. */
export interface AuditFilter {
  readonly actions?: readonly AuditAction[];
  /** A member, or whoever acts for the operator. */
  readonly actor?: { readonly memberId: string } | 'operator';
}

/** Where a page begins: right beneath or right above an entry; null: at the newest. */
export type AuditCursor = { readonly before: number } | { readonly after: number } | null;

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditRecord[];
  readonly older: AuditCursor;
  readonly newer: AuditCursor;
}

interface AuditRow extends Omit<AuditRecord, 'detail'> {
  readonly detail: string;
}

/** One page of the merchant's entries: by the index, however deep it is. Throws when D1 fails. */
export async function auditPage(
  db: D1Database,
  merchantId: string,
  filter: AuditFilter,
  cursor: AuditCursor,
): Promise<AuditPage> {
  const isUpwards = cursor !== null && 'after' in cursor;
  const from = cursor === null ? null : 'after' in cursor ? cursor.after : cursor.before;
  const { actions, actor } = filter;
  const sql = `
    SELECT id, at_ms AS atMs, environment, actor_kind AS actorKind, actor_name AS actorName,
      address, action, target, detail
    FROM audit_log
    WHERE merchant_id = ?1 AND (?2 IS NULL OR id ${isUpwards ? '>' : '<'} ?2)
      AND (?3 IS NULL OR action IN (SELECT value FROM json_each(?3)))
      AND (?4 IS NULL OR actor_kind = ?4) AND (?5 IS NULL OR actor_id = ?5)
    ORDER BY id ${isUpwards ? 'ASC' : 'DESC'} LIMIT ${PAGE_SIZE + 1}`;
  const params = [
    merchantId,
    from,
    actions === undefined ? null : JSON.stringify(actions),
    actor === undefined ? null : actor === 'operator' ? 'operator' : 'member',
    typeof actor === 'object' ? actor.memberId : null,
  ];
  const { results } = await prepare(db, { sql, params }).all<AuditRow>();
  const rows = results.slice(0, PAGE_SIZE);
  const entries = (isUpwards ? rows.reverse() : rows).map(recordOf);
  return { entries, ...ways(entries, cursor, results.length > PAGE_SIZE) };
}

/** Where one came from there is something; the other way only if more was found. */
function ways(
  entries: readonly AuditRecord[],
  cursor: AuditCursor,
  hasMore: boolean,
): Pick<AuditPage, 'older' | 'newer'> {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) {
    return { older: null, newer: null };
  }
  const isUpwards = cursor !== null && 'after' in cursor;
  return {
    older: isUpwards || hasMore ? { before: last.id } : null,
    newer: (isUpwards && hasMore) || (cursor !== null && !isUpwards) ? { after: first.id } : null,
  };
}

function recordOf(row: AuditRow): AuditRecord {
  return { ...row, detail: JSON.parse(row.detail) as AuditRecord['detail'] };
}

/** The merchant's people, those who have left as well: they stand in the log. */
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
