import { auditEntry } from '../../src/kit/audit/log.ts';
import { base64UrlFromBytes, sha256Hex, utf8 } from '../../src/kit/crypto/encoding.ts';
import type { KeyRing } from '../../src/kit/crypto/key-ring.ts';
import { signBytes, verifyBytes } from '../../src/kit/crypto/signed-bytes.ts';
import { type Cookie, clearCookie, cookieValue, setCookie } from '../../src/kit/http/cookie.ts';
import { prepare, type SqlStatement } from '../../src/kit/platform/database.ts';
import type { BackOfficeConfig } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import type { PaymentsPlane } from '../payments-plane.ts';
import { newId } from './members.ts';
import type { Role } from './permissions.ts';

/** A session ends after this long even when used: no browser stays signed in for longer. */
export const SESSION_AGE_MS_MAX = 7 * 24 * 60 * 60 * 1_000;
/** A session unused for this long ends: a working day with its breaks. */
export const SESSION_IDLE_MS_MAX = 12 * 60 * 60 * 1_000;
/** The last use is stored at most this often, not once for each page. */
export const LAST_SEEN_EVERY_MS = 5 * 60 * 1_000;

/** 256 random bits: cannot be guessed. */
const TOKEN_BYTES = 32;
/** The token's MAC rejects an invented cookie without a query (docs/promises.md#8). */
const TOKEN_PURPOSE = 'session';

const SESSION_COOKIE: Cookie = {
  name: 'kefel_session',
  path: '/',
  sameSite: 'Lax',
  maxAgeSeconds: SESSION_AGE_MS_MAX / 1_000,
  boundToHost: true,
};

/** A signed-in member. */
export interface Session {
  /** Identifies the session on pages. */
  readonly id: string;
  /** The digest of its token: the session's key in D1 and in rate limits. */
  readonly digest: string;
  readonly memberId: string;
  readonly memberName: string;
  readonly role: Role;
  readonly merchantId: string;
  readonly merchantName: string;
  /** Members of a suspended merchant can read but not change anything. */
  readonly isSuspended: boolean;
  /** The same holds for members of all merchants while the operator pauses changes. */
  readonly areChangesPaused: boolean;
  /** The gateway takes no new payments and refunds. */
  readonly isInMaintenance: boolean;
  /** When the member signed in. */
  readonly createdAtMs: number;
  /** What a form of this session must bring back. */
  readonly csrfToken: string;
}

/** A new signed token. Only the member's browser stores it in plain text. */
export function newSessionToken(keys: KeyRing): Promise<string> {
  return signBytes(keys, TOKEN_PURPOSE, crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
}

export interface NewSession {
  readonly id: string;
  readonly digest: string;
  readonly memberId: string;
  readonly credentialId: string;
  readonly createdAtMs: number;
  readonly address: string | null;
  readonly userAgent: string;
}

/** A user agent has about a hundred characters; a longer one is cut. */
const USER_AGENT_LENGTH_MAX = 300;

export function insertSession(session: NewSession): SqlStatement {
  return {
    sql: `INSERT INTO sessions (digest, id, member_id, credential_id, created_at_ms, last_seen_at_ms,
        expires_at_ms, revoked_at_ms, address, user_agent)
      VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, NULL, ?7, ?8)`,
    params: [
      session.digest,
      session.id,
      session.memberId,
      session.credentialId,
      session.createdAtMs,
      session.createdAtMs + SESSION_AGE_MS_MAX,
      session.address,
      session.userAgent.slice(0, USER_AGENT_LENGTH_MAX),
    ],
  };
}

export interface SessionStart {
  readonly statements: readonly SqlStatement[];
  /** The `Set-Cookie` that signs the browser in. */
  readonly cookie: string;
}

export interface Starter {
  readonly memberId: string;
  readonly memberName: string;
  readonly merchantId: string;
  readonly credentialId: string;
  readonly passkeyName: string;
}

/** A session for the browser that sent the request. It exists once the statements have run. */
export async function startSession(
  call: {
    readonly request: Request;
    readonly config: BackOfficeConfig;
    readonly address: string | null;
    readonly nowMs: number;
  },
  starter: Starter,
): Promise<SessionStart> {
  const { request, config, address, nowMs } = call;
  const { memberId, memberName, merchantId, credentialId } = starter;
  const token = await newSessionToken(config.backOfficeKeys);
  const id = newId('ses');
  const replaced = await sessionTokenOf(request, config);
  const statements = [
    // The browser forgets the session that it has now, so only a thief could still use it.
    ...(replaced === null
      ? []
      : [
          {
            sql: 'UPDATE sessions SET revoked_at_ms = ?2 WHERE digest = ?1 AND revoked_at_ms IS NULL',
            params: [replaced.digest, nowMs],
          },
        ]),
    // Nothing reads the member's expired sessions.
    {
      sql: 'DELETE FROM sessions WHERE member_id = ?1 AND expires_at_ms <= ?2',
      params: [memberId, nowMs],
    },
    insertSession({
      id,
      digest: await sha256Hex(token),
      memberId,
      credentialId,
      createdAtMs: nowMs,
      address,
      userAgent: request.headers.get('user-agent') ?? '',
    }),
    auditEntry({
      actor: { kind: 'member', id: memberId, name: memberName, address },
      merchantId,
      environment: null,
      action: 'session.started',
      target: id,
      detail: { passkey: starter.passkeyName },
      atMs: nowMs,
    }),
  ];
  return { statements, cookie: setCookie(request, SESSION_COOKIE, token) };
}

const SESSION_SQL = `
  SELECT sessions.id, sessions.created_at_ms AS createdAtMs, last_seen_at_ms AS lastSeenAtMs,
    members.id AS memberId, members.name AS memberName, members.role,
    members.merchant_id AS merchantId
  FROM sessions JOIN members ON members.id = sessions.member_id
  WHERE sessions.digest = ?1 AND sessions.revoked_at_ms IS NULL AND sessions.expires_at_ms > ?2
    AND sessions.last_seen_at_ms > ?3 AND members.removed_at_ms IS NULL`;

type SessionRow = Pick<
  Session,
  'id' | 'createdAtMs' | 'memberId' | 'memberName' | 'role' | 'merchantId'
> & { readonly lastSeenAtMs: number };

/** The token of a session that this gateway began, from the request's cookie. */
export interface SessionToken {
  readonly token: string;
  /** SHA-256 of the token. */
  readonly digest: string;
}

/** The genuine token in the request's cookie, or null. Does not query D1. */
export async function sessionTokenOf(
  request: Request,
  { backOfficeKeys }: Pick<BackOfficeConfig, 'backOfficeKeys'>,
): Promise<SessionToken | null> {
  const token = cookieValue(request, SESSION_COOKIE);
  const isGenuine =
    token !== null && (await verifyBytes(backOfficeKeys, TOKEN_PURPOSE, token)) !== null;
  return isGenuine ? { token, digest: await sha256Hex(token) } : null;
}

/** What sessions and invitations are read with. */
export interface MembersCall {
  readonly env: Pick<BackOfficeEnv, 'BACK_OFFICE_DB'>;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  readonly payments: PaymentsPlane;
  readonly nowMs: number;
}

/**
 * The valid session of a genuine token, or null. Read for each request, so that a revoked session or
 * a removed member is out at once, and a suspended merchant's only reads, as all do during a pause. Throws when D1 or the
 * payments plane does not answer.
 */
export async function sessionOf(
  { token, digest }: SessionToken,
  { env, ctx, payments, nowMs }: MembersCall,
): Promise<Session | null> {
  const database = env.BACK_OFFICE_DB;
  const params = [digest, nowMs, nowMs - SESSION_IDLE_MS_MAX];
  const row = await prepare(database, { sql: SESSION_SQL, params }).first<SessionRow>();
  const merchant = row && (await payments.settings.merchant(row.merchantId));
  if (row === null || merchant === null) {
    return null;
  }
  const { lastSeenAtMs, ...session } = row;
  if (nowMs - lastSeenAtMs >= LAST_SEEN_EVERY_MS) {
    const sql = 'UPDATE sessions SET last_seen_at_ms = ?2 WHERE digest = ?1';
    ctx.waitUntil(prepare(database, { sql, params: [digest, nowMs] }).run());
  }
  return {
    ...session,
    digest,
    merchantName: merchant.name,
    isSuspended: merchant.isSuspended,
    areChangesPaused: merchant.areChangesPaused,
    isInMaintenance: merchant.isInMaintenance,
    csrfToken: await csrfTokenOf(token),
  };
}

/** Derived from the session's token, which it does not reveal. */
async function csrfTokenOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(`kefel/csrf/${token}`));
  return base64UrlFromBytes(new Uint8Array(digest));
}

/** Whether the form holds its session's token. Compares digests, so timing reveals nothing. */
export async function isCsrfTokenOf(session: Session, text: string): Promise<boolean> {
  return (await sha256Hex(session.csrfToken)) === (await sha256Hex(text));
}

/** The `Set-Cookie` that signs the browser out. */
export function endedSessionCookie(request: Request): string {
  return clearCookie(request, SESSION_COOKIE);
}

export interface OpenSession {
  readonly id: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  /** Where it began, or null where unknown. */
  readonly address: string | null;
  readonly userAgent: string;
}

/** More browsers than a member uses; bounds the page. */
const SESSIONS_SHOWN_MAX = 100;

/** The member's sessions that are still valid, most recently used first. */
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

export function revokeSessionsOf(memberId: string, nowMs: number): SqlStatement {
  return {
    sql: 'UPDATE sessions SET revoked_at_ms = ?2 WHERE member_id = ?1 AND revoked_at_ms IS NULL',
    params: [memberId, nowMs],
  };
}

/** All sessions of the member except that one. */
export function revokeOtherSessions(memberId: string, id: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE sessions SET revoked_at_ms = ?3
      WHERE member_id = ?1 AND id <> ?2 AND revoked_at_ms IS NULL`,
    params: [memberId, id, nowMs],
  };
}

export function revokeSession(memberId: string, id: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE sessions SET revoked_at_ms = ?3
      WHERE member_id = ?1 AND id = ?2 AND revoked_at_ms IS NULL`,
    params: [memberId, id, nowMs],
  };
}
