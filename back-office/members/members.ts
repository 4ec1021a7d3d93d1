import { hexFromBytes } from '../../src/kit/crypto/encoding.ts';
import { prepare, type SqlStatement } from '../../src/kit/platform/database.ts';
import { isPrintable } from '../../src/kit/text.ts';
import type { Role } from './permissions.ts';

/**
 * The members of merchants, as rows. A merchant always has an owner: the statements
 * themselves ensure it, so that two owners who demote or remove each other at once leave one.
 */

/** Characters of the name of a person or of a passkey, after trimming. */
export const NAME_LENGTH_MAX = 100;

/** The trimmed name of a person or of a passkey, or null when it is not valid. */
export function nameFrom(text: string): string | null {
  const name = text.trim();
  const fits = name !== '' && name.length <= NAME_LENGTH_MAX && isPrintable(name);
  return fits ? name : null;
}

/** 128 random bits: unique, and cannot be guessed. */
const ID_BYTES = 16;

/** The id of a new member, invitation, session or refund, on pages, in forms and in the audit log. */
export function newId(prefix: 'mem' | 'inv' | 'ses' | 'rfd'): string {
  return `${prefix}_${hexFromBytes(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
}

export interface NewMember {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
}

export function insertMember(member: NewMember): SqlStatement {
  return {
    sql: `INSERT INTO members (id, merchant_id, name, role, created_at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5)`,
    params: [member.id, member.merchantId, member.name, member.role, member.createdAtMs],
  };
}

/** Finds the member unless they were removed. */
export function presentMember(id: string): SqlStatement {
  return { sql: 'SELECT 1 FROM members WHERE id = ?1 AND removed_at_ms IS NULL', params: [id] };
}

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly passkeys: number;
  /** Null without a stored session. */
  readonly lastSeenAtMs: number | null;
}

/** More members than a merchant has; bounds the page. */
const MEMBERS_SHOWN_MAX = 500;

const MEMBER_SQL = `
  SELECT id, name, role, created_at_ms AS createdAtMs,
    (SELECT count(*) FROM passkeys WHERE member_id = members.id) AS passkeys,
    (SELECT max(last_seen_at_ms) FROM sessions WHERE member_id = members.id) AS lastSeenAtMs
  FROM members WHERE merchant_id = ?1 AND removed_at_ms IS NULL`;

/** The merchant's members, oldest first. */
export async function membersOf(db: D1Database, merchantId: string): Promise<readonly Member[]> {
  const sql = `${MEMBER_SQL} ORDER BY created_at_ms, id LIMIT ${MEMBERS_SHOWN_MAX}`;
  const { results } = await prepare(db, { sql, params: [merchantId] }).all<Member>();
  return results;
}

/** The merchant's member of that id, or null. */
export function findMember(db: D1Database, merchantId: string, id: string): Promise<Member | null> {
  const sql = `${MEMBER_SQL} AND id = ?2`;
  return prepare(db, { sql, params: [merchantId, id] }).first<Member>();
}

/** What an owner changes about a member, perhaps about themselves. */
export interface MemberChange {
  readonly merchantId: string;
  readonly memberId: string;
  /** The owner. Changes nothing if they are not an owner anymore. */
  readonly actorId: string;
}

const OWNER_REMAINS = `(role <> 'owner' OR EXISTS (
  SELECT 1 FROM members AS other WHERE other.merchant_id = ?1 AND other.id <> ?2
    AND other.role = 'owner' AND other.removed_at_ms IS NULL))`;

const MAY_CHANGE = `merchant_id = ?1 AND id = ?2 AND removed_at_ms IS NULL
  AND EXISTS (
    SELECT 1 FROM members AS actor WHERE actor.id = ?3 AND actor.merchant_id = ?1
      AND actor.role = 'owner' AND actor.removed_at_ms IS NULL)`;

/** Changes no row for the last owner, or when the role is the same. */
export function changeRole(change: MemberChange, role: Role): SqlStatement {
  return {
    sql: `UPDATE members SET role = ?4
      WHERE ${MAY_CHANGE} AND role <> ?4 AND ${OWNER_REMAINS}`,
    params: [change.merchantId, change.memberId, change.actorId, role],
  };
}

/** Changes no row for the last owner. Follow it with `afterRemoval`. */
export function removeMember(change: MemberChange, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE members SET removed_at_ms = ?4 WHERE ${MAY_CHANGE} AND ${OWNER_REMAINS}`,
    params: [change.merchantId, change.memberId, change.actorId, nowMs],
  };
}

/** Deletes the passkeys and ends the sessions of the member, if they were removed. */
export function afterRemoval(memberId: string, nowMs: number): readonly SqlStatement[] {
  const isRemoved =
    'member_id IN (SELECT id FROM members WHERE id = ?1 AND removed_at_ms IS NOT NULL)';
  return [
    { sql: `DELETE FROM passkeys WHERE ${isRemoved}`, params: [memberId] },
    {
      sql: `UPDATE sessions SET revoked_at_ms = ?2 WHERE ${isRemoved} AND revoked_at_ms IS NULL`,
      params: [memberId, nowMs],
    },
  ];
}

/** Ends the open links of a former owner, who could otherwise let themselves in again. */
export function revokeInvitationsBy(memberId: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE invitations SET revoked_at_ms = ?2
      WHERE invited_by_id = ?1 AND used_at_ms IS NULL AND revoked_at_ms IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM members WHERE id = ?1 AND role = 'owner' AND removed_at_ms IS NULL)
        AND merchant_id IN (SELECT merchant_id FROM members WHERE id = ?1)`,
    params: [memberId, nowMs],
  };
}

/** The merchants with the number of their members who may sign in. */
export async function withMemberCounts<Merchant extends { readonly id: string }>(
  db: D1Database,
  merchants: readonly Merchant[],
): Promise<readonly (Merchant & { readonly members: number })[]> {
  const sql = `SELECT merchant_id AS id, count(*) AS members FROM members
    WHERE merchant_id IN (SELECT value FROM json_each(?1)) AND removed_at_ms IS NULL
    GROUP BY merchant_id`;
  const params = [JSON.stringify(merchants.map(({ id }) => id))];
  const { results } = await prepare(db, { sql, params }).all<{ id: string; members: number }>();
  const counts = new Map(results.map(({ id, members }) => [id, members]));
  return merchants.map((merchant) => ({ ...merchant, members: counts.get(merchant.id) ?? 0 }));
}

/**
 * Members that the audit log may name, including removed ones, whose entries remain.
 */
export async function formerAndPresentMembers(
  db: D1Database,
  merchantId: string,
): Promise<readonly Pick<Member, 'id' | 'name'>[]> {
  const sql = `SELECT id, name FROM members WHERE merchant_id = ?1
    ORDER BY removed_at_ms IS NOT NULL, created_at_ms LIMIT ${MEMBERS_SHOWN_MAX}`;
  const { results } = await prepare(db, { sql, params: [merchantId] }).all<
    Pick<Member, 'id' | 'name'>
  >();
  return results;
}

/** The names of a merchant's members with these ids, removed ones included. */
export async function memberNames(
  db: D1Database,
  merchantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) {
    return new Map();
  }
  const sql = `SELECT id, name FROM members
    WHERE merchant_id = ?1 AND id IN (SELECT value FROM json_each(?2))`;
  const params = [merchantId, JSON.stringify(ids)];
  const { results } = await prepare(db, { sql, params }).all<Pick<Member, 'id' | 'name'>>();
  return new Map(results.map(({ id, name }) => [id, name]));
}
