import { DAY_MS } from '../../engine/domain/schedule.ts';
import type { AuditAction } from '../../kit/audit/actions.ts';
import { prepare } from '../../kit/platform/database.ts';
import { type AuditRecord, type AuditRow, RECORD_COLUMNS, recordOf } from './read.ts';

/**
 * Entries that the dashboard shows in a notice, because the thief of a session could cause them:
 * they give a person lasting access, or send customers' details to another server.
 */

/** The index `audit_log_of_access` has the same list. */
export const ACCESS_ACTIONS = [
  'member.joined',
  'passkey.added',
  'api_key.created',
  'api_key.rolled',
  'webhook.endpoint_created',
  'webhook.endpoint_changed',
  'webhook.secret_shown',
  'webhook.secret_rotated',
] as const satisfies readonly AuditAction[];

/** Longer than most holidays. The audit log keeps older entries. */
const SHOWN_FOR_MS = 14 * DAY_MS;
/** Entries of one notice. */
export const ACCESS_CHANGES_SHOWN_MAX = 5;

export interface AccessViewer {
  readonly memberId: string;
  readonly merchantId: string;
  /** Owners see those of all members, others only their own. */
  readonly seesAll: boolean;
  /** The time of the last entry that the viewer has dismissed; 0 for none. */
  readonly dismissedAtMs: number;
}

/**
 * Leaves out the viewer's own joining, endpoints that were disabled, because they receive nothing,
 * and the sandbox, which has neither money nor customers.
 */
const SQL = `
  SELECT ${RECORD_COLUMNS} FROM audit_log INDEXED BY audit_log_of_access
  WHERE merchant_id = ?1 AND at_ms > ?2
    AND action IN (${ACCESS_ACTIONS.map((action) => `'${action}'`).join(', ')})
    AND environment IS NOT 'sandbox'
    AND (?3 = 1 OR actor_id = ?4 OR target = ?4)
    AND NOT (action = 'member.joined' AND target = ?4)
    AND NOT (action = 'webhook.endpoint_changed' AND detail ->> 'enabled' = 0)
  ORDER BY at_ms DESC, id DESC LIMIT ${ACCESS_CHANGES_SHOWN_MAX + 1}`;

/** The newest that the viewer has not dismissed, newest first, one more than the notice shows. */
export async function accessChanges(
  db: D1Database,
  { memberId, merchantId, seesAll, dismissedAtMs }: AccessViewer,
  nowMs: number,
): Promise<readonly AuditRecord[]> {
  const sinceMs = Math.max(nowMs - SHOWN_FOR_MS, dismissedAtMs);
  const params = [merchantId, sinceMs, seesAll ? 1 : 0, memberId];
  const { results } = await prepare(db, { sql: SQL, params }).all<AuditRow>();
  return results.map(recordOf);
}
