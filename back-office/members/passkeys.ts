import { prepare, type SqlStatement } from '../../src/kit/platform/database.ts';
import type { KnownPasskey, NewPasskey, StoredPasskey, VerifiedAssertion } from './verification.ts';

/** The passkeys of members, as rows. */

/** A passkey and its member, for signing in. */
export interface OwnedPasskey extends StoredPasskey {
  readonly name: string;
  readonly memberId: string;
  readonly memberName: string;
  readonly merchantId: string;
}

/** The passkey of that id, or null. */
export async function findPasskey(
  db: D1Database,
  credentialId: string,
): Promise<OwnedPasskey | null> {
  const sql = `SELECT passkeys.credential_id AS credentialId, passkeys.public_key AS publicKey,
      passkeys.counter, passkeys.name, members.id AS memberId, members.name AS memberName,
      members.merchant_id AS merchantId
    FROM passkeys JOIN members ON members.id = passkeys.member_id
    WHERE passkeys.credential_id = ?1 AND members.removed_at_ms IS NULL`;
  return prepare(db, { sql, params: [credentialId] }).first<OwnedPasskey>();
}

/** The member's passkeys, so that an authenticator that has one makes no second. */
export async function knownPasskeys(
  db: D1Database,
  memberId: string,
): Promise<readonly KnownPasskey[]> {
  const sql = 'SELECT credential_id, transports FROM passkeys WHERE member_id = ?1';
  const { results } = await prepare(db, { sql, params: [memberId] }).all<{
    readonly credential_id: string;
    readonly transports: string;
  }>();
  return results.map((row) => ({ id: row.credential_id, transports: JSON.parse(row.transports) }));
}

const UNUSED_SINCE = `credential_id = ?1 AND member_id = ?2 AND counter = ?3
  AND member_id IN (SELECT id FROM members WHERE removed_at_ms IS NULL)`;

/**
 * Finds the passkey unless its member was removed, or another request has advanced its counter
 * meanwhile.
 */
export function unusedSince({ credentialId, memberId, counter }: OwnedPasskey): SqlStatement {
  return {
    sql: `SELECT 1 FROM passkeys WHERE ${UNUSED_SINCE}`,
    params: [credentialId, memberId, counter],
  };
}

/** Stores that the passkey has signed. Changes no row when `unusedSince` finds none. */
export function usePasskey(
  passkey: OwnedPasskey,
  { counter, isBackedUp }: VerifiedAssertion,
  nowMs: number,
): SqlStatement {
  return {
    sql: `UPDATE passkeys SET counter = ?4, backed_up = ?5, last_used_at_ms = ?6
      WHERE ${UNUSED_SINCE}`,
    params: [
      passkey.credentialId,
      passkey.memberId,
      passkey.counter,
      counter,
      isBackedUp ? 1 : 0,
      nowMs,
    ],
  };
}

/** Changes no row for a removed member. */
export function insertPasskey(
  memberId: string,
  passkey: NewPasskey,
  name: string,
  nowMs: number,
): SqlStatement {
  return {
    sql: `INSERT INTO passkeys (credential_id, member_id, public_key, counter, transports, name,
        backed_up, created_at_ms)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
      WHERE EXISTS (SELECT 1 FROM members WHERE id = ?2 AND removed_at_ms IS NULL)`,
    params: [
      passkey.credentialId,
      memberId,
      passkey.publicKey,
      passkey.counter,
      JSON.stringify(passkey.transports),
      name,
      passkey.isBackedUp ? 1 : 0,
      nowMs,
    ],
  };
}

export interface ListedPasskey {
  readonly credentialId: string;
  readonly name: string;
  readonly isBackedUp: boolean;
  readonly createdAtMs: number;
  /** Null until it has signed its member in. */
  readonly lastUsedAtMs: number | null;
}

/** The member's passkeys, oldest first. */
export async function passkeysOf(
  db: D1Database,
  memberId: string,
): Promise<readonly ListedPasskey[]> {
  const sql = `SELECT credential_id AS credentialId, name, backed_up AS isBackedUp,
      created_at_ms AS createdAtMs, last_used_at_ms AS lastUsedAtMs
    FROM passkeys WHERE member_id = ?1 ORDER BY created_at_ms, credential_id`;
  const { results } = await prepare(db, { sql, params: [memberId] }).all<
    Omit<ListedPasskey, 'isBackedUp'> & { readonly isBackedUp: 0 | 1 }
  >();
  return results.map((row) => ({ ...row, isBackedUp: row.isBackedUp === 1 }));
}

/** Changes no row when the member has no such passkey. */
export function renamePasskey(memberId: string, credentialId: string, name: string): SqlStatement {
  return {
    sql: 'UPDATE passkeys SET name = ?3 WHERE credential_id = ?1 AND member_id = ?2',
    params: [credentialId, memberId, name],
  };
}

/**
 * Changes no row for the member's last passkey, without which they could not sign in. Two removals
 * at once leave one.
 */
export function removePasskey(memberId: string, credentialId: string): SqlStatement {
  return {
    sql: `DELETE FROM passkeys WHERE credential_id = ?1 AND member_id = ?2
      AND (SELECT count(*) FROM passkeys WHERE member_id = ?2) > 1`,
    params: [credentialId, memberId],
  };
}

/** Deletes all of a member's passkeys, before another is added. */
export function deletePasskeysOf(memberId: string): SqlStatement {
  return { sql: 'DELETE FROM passkeys WHERE member_id = ?1', params: [memberId] };
}

/** Ends the member's other sessions that a passkey began, if it was deleted. */
export function revokeSessionsOfRemoved(
  memberId: string,
  credentialId: string,
  exceptId: string,
  nowMs: number,
): SqlStatement {
  return {
    sql: `UPDATE sessions SET revoked_at_ms = ?4
      WHERE member_id = ?1 AND credential_id = ?2 AND id <> ?3 AND revoked_at_ms IS NULL
        AND NOT EXISTS (SELECT 1 FROM passkeys WHERE credential_id = ?2)`,
    params: [memberId, credentialId, exceptId, nowMs],
  };
}
