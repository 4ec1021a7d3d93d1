import type { Actor } from '../../src/kit/audit/log.ts';
import { base64UrlFromBytes, sha256Hex } from '../../src/kit/crypto/encoding.ts';
import { prepare, type SqlStatement } from '../../src/kit/platform/database.ts';
import { newId } from './members.ts';
import type { Role } from './permissions.ts';
import type { MembersCall } from './sessions.ts';

/**
 * Members join through one-time links. An invitation makes a new member; a recovery link,
 * which names a member, gives a new passkey to one who lost theirs.
 */

/** Enough to reach a person who is away for some days. */
export const INVITATION_MS = 7 * 24 * 60 * 60 * 1_000;
/** Shorter, because the link opens an existing account, and its member waits for it. */
export const RECOVERY_MS = 24 * 60 * 60 * 1_000;

/** 256 random bits: cannot be guessed. */
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface InvitationRequest {
  readonly merchantId: string;
  /** The name of the person invited, 1 to NAME_LENGTH_MAX characters. */
  readonly name: string;
  /** The new member's role; in a recovery link the member's present role, for the page. */
  readonly role: Role;
  /** Null for a new member; else the member of this merchant who gets a new passkey. */
  readonly memberId: string | null;
  readonly invitedBy: Pick<Actor, 'kind' | 'id' | 'name'>;
  readonly nowMs: number;
}

export interface NewInvitation {
  /** Appears in plain text only here and in the link (`invitationPath`). */
  readonly token: string;
  /** Names the invitation; not secret. */
  readonly id: string;
  /**
   * Changes no row when the member to recover is not the merchant's, or when the inviter is not an
   * owner anymore: a link must not outlive the rights of its inviter.
   */
  readonly statement: SqlStatement;
  readonly expiresAtMs: number;
}

/** An invitation, or a recovery link if `memberId` is given. It exists once `statement` has run. */
export async function newInvitation(request: InvitationRequest): Promise<NewInvitation> {
  const token = base64UrlFromBytes(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
  const id = newId('inv');
  const { nowMs, memberId } = request;
  const expiresAtMs = nowMs + (memberId === null ? INVITATION_MS : RECOVERY_MS);
  const statement = {
    sql: `INSERT INTO invitations (digest, id, merchant_id, member_id, role, name, invited_by_id,
        invited_by, created_at_ms, expires_at_ms)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
      WHERE (?4 IS NULL OR EXISTS (
          SELECT 1 FROM members WHERE id = ?4 AND merchant_id = ?3 AND removed_at_ms IS NULL))
        AND (?11 = 'operator' OR EXISTS (
          SELECT 1 FROM members WHERE id = ?7 AND merchant_id = ?3 AND role = 'owner'
            AND removed_at_ms IS NULL))`,
    params: [
      await sha256Hex(token),
      id,
      request.merchantId,
      memberId,
      request.role,
      request.name,
      request.invitedBy.id,
      request.invitedBy.name,
      nowMs,
      expiresAtMs,
      request.invitedBy.kind,
    ],
  };
  return { token, id, statement, expiresAtMs };
}

export const JOIN_PATH = '/dashboard/join';

/**
 * The link's path on the dashboard's origin. The token is in the query, which request logs
 * omit (`redact_query_string`), so that a reader of the logs cannot use an open link.
 */
export function invitationPath(token: string): `${typeof JOIN_PATH}?token=${string}` {
  return `${JOIN_PATH}?token=${token}`;
}

/** What the holder of a link may see. */
export interface Invitation {
  readonly digest: string;
  readonly id: string;
  readonly merchantId: string;
  readonly merchantName: string;
  /** Null when the link makes a new member. */
  readonly memberId: string | null;
  readonly role: Role;
  readonly name: string;
  readonly invitedBy: string;
  readonly expiresAtMs: number;
  /** The operator pauses changes by members, so the link works later. */
  readonly isPaused: boolean;
}

/** A usable link, while its merchant is active: the member to recover was not removed. */
const USABLE = `invitations.used_at_ms IS NULL AND invitations.revoked_at_ms IS NULL
  AND invitations.expires_at_ms > ?2
  AND (invitations.member_id IS NULL
    OR invitations.member_id IN (SELECT id FROM members WHERE removed_at_ms IS NULL))`;

const INVITATION_SQL = `
  SELECT invitations.digest, invitations.id, invitations.merchant_id AS merchantId,
    invitations.member_id AS memberId,
    coalesce(members.role, invitations.role) AS role, coalesce(members.name, invitations.name) AS name,
    invitations.invited_by AS invitedBy, invitations.expires_at_ms AS expiresAtMs
  FROM invitations
  LEFT JOIN members ON members.id = invitations.member_id
  WHERE invitations.digest = ?1 AND ${USABLE}`;

/**
 * The invitation of a token, or null when it is unknown, used, revoked or expired, or while its
 * merchant is suspended.
 */
export async function findInvitation(
  { env, payments, nowMs }: Omit<MembersCall, 'ctx'>,
  token: string,
): Promise<Invitation | null> {
  if (!TOKEN.test(token)) {
    return null;
  }
  const params = [await sha256Hex(token), nowMs];
  const row = await prepare(env.BACK_OFFICE_DB, { sql: INVITATION_SQL, params }).first<
    Omit<Invitation, 'merchantName' | 'isPaused'>
  >();
  const merchant = row && (await payments.settings.merchant(row.merchantId));
  return row === null || merchant === null || merchant.isSuspended
    ? null
    : { ...row, merchantName: merchant.name, isPaused: merchant.areChangesPaused };
}

/** Finds the link while it is usable. */
export function usableInvitation(digest: string, nowMs: number): SqlStatement {
  return {
    sql: `SELECT 1 FROM invitations WHERE digest = ?1 AND ${USABLE}`,
    params: [digest, nowMs],
  };
}

/** Uses the link; changes no row when it is not usable anymore. */
export function useInvitation(digest: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE invitations SET used_at_ms = ?2 WHERE digest = ?1 AND ${USABLE}`,
    params: [digest, nowMs],
  };
}

/** Ends an open link; changes no row when the merchant has none of that id. */
export function revokeInvitation(merchantId: string, id: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE invitations SET revoked_at_ms = ?3
      WHERE id = ?1 AND merchant_id = ?2 AND used_at_ms IS NULL AND revoked_at_ms IS NULL`,
    params: [id, merchantId, nowMs],
  };
}

/** Ends a member's open recovery links, after one of them was used. */
export function revokeRecoveriesOf(memberId: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE invitations SET revoked_at_ms = ?2
      WHERE member_id = ?1 AND used_at_ms IS NULL AND revoked_at_ms IS NULL`,
    params: [memberId, nowMs],
  };
}

export interface OpenInvitation {
  readonly id: string;
  /** Null when the link makes a new member. */
  readonly memberId: string | null;
  readonly role: Role;
  readonly name: string;
  readonly invitedBy: string;
  readonly expiresAtMs: number;
}

/** More open links than a merchant has; bounds the page. */
const OPEN_INVITATIONS_SHOWN_MAX = 100;

/** The usable links of an active merchant, newest first. */
export async function openInvitations(
  db: D1Database,
  merchantId: string,
  nowMs: number,
): Promise<readonly OpenInvitation[]> {
  const sql = `SELECT id, member_id AS memberId, role, name, invited_by AS invitedBy,
      expires_at_ms AS expiresAtMs
    FROM invitations WHERE merchant_id = ?1 AND ${USABLE}
    ORDER BY created_at_ms DESC LIMIT ${OPEN_INVITATIONS_SHOWN_MAX}`;
  const { results } = await prepare(db, { sql, params: [merchantId, nowMs] }).all<OpenInvitation>();
  return results;
}
