import type { SqlStatement } from '../../database.ts';

/** The sessions of members, as rows. A revoked one opens nothing from the next request on. */

/** All sessions of the member. */
export function revokeSessionsOf(memberId: string, nowMs: number): SqlStatement {
  return {
    sql: 'UPDATE sessions SET revoked_at_ms = ?2 WHERE member_id = ?1 AND revoked_at_ms IS NULL',
    params: [memberId, nowMs],
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
