import { prepare, type SqlStatement } from '../database.ts';
import { SESSION_IDLE_MS_MAX } from './session.ts';

/** The sessions of members, as rows. A revoked one opens nothing from the next request on. */

export interface OpenSession {
  readonly id: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  /** Where it began, or null where that is not known. */
  readonly address: string | null;
  readonly userAgent: string;
}

/** More browsers than anybody has; bounds the page. */
const SESSIONS_SHOWN_MAX = 100;

/** The member's sessions that still open the dashboard, the one used last first. */
export async function openSessions(
  db: D1Database,
  memberId: string,
  nowMs: number,
): Promise<readonly OpenSession[]> {
  const sql = `SELECT id, created_at_ms AS createdAtMs, last_seen_at_ms AS lastSeenAtMs, address,
      user_agent AS userAgent
    FROM sessions
    WHERE member_id = ?1 AND revoked_at_ms IS NULL AND expires_at_ms > ?2 AND last_seen_at_ms > ?3
    ORDER BY last_seen_at_ms DESC LIMIT ${SESSIONS_SHOWN_MAX}`;
  const params = [memberId, nowMs, nowMs - SESSION_IDLE_MS_MAX];
  const { results } = await prepare(db, { sql, params }).all<OpenSession>();
  return results;
}

/** All sessions of the member. */
export function revokeSessionsOf(memberId: string, nowMs: number): SqlStatement {
  return {
    sql: 'UPDATE sessions SET revoked_at_ms = ?2 WHERE member_id = ?1 AND revoked_at_ms IS NULL',
    params: [memberId, nowMs],
  };
}

/** All sessions of the member but that one. */
export function revokeOtherSessions(memberId: string, id: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE sessions SET revoked_at_ms = ?3
      WHERE member_id = ?1 AND id <> ?2 AND revoked_at_ms IS NULL`,
    params: [memberId, id, nowMs],
  };
}

/** The member's session of that id. */
export function revokeSession(memberId: string, id: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE sessions SET revoked_at_ms = ?3
      WHERE member_id = ?1 AND id = ?2 AND revoked_at_ms IS NULL`,
    params: [memberId, id, nowMs],
  };
}
