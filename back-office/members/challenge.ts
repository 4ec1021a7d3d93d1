import { base64UrlFromBytes, bytesFromBase64Url, utf8 } from '../../src/kit/crypto/encoding.ts';
import { signText, verifyText } from '../../src/kit/crypto/signed-bytes.ts';
import { type Cookie, clearCookie, cookieValue, setCookie } from '../../src/kit/http/cookie.ts';
import type { SqlStatement } from '../../src/kit/platform/database.ts';
import type { BackOfficeConfig } from '../config.ts';

/**
 * The challenge that a passkey signs. Asking for one stores nothing: it travels in a signed cookie,
 * and D1 stores it only once it has been used.
 */

/** Time to find a phone or a security key. */
export const CHALLENGE_MS = 5 * 60 * 1_000;
/** A used challenge is stored this much longer than it is valid, because clocks differ. */
const SPENT_LONGER_MS = 60 * 1_000;
/** 256 random bits: twice what WebAuthn requires. */
const CHALLENGE_BYTES = 32;

const CHALLENGE_COOKIE: Cookie = {
  name: 'kefel_challenge',
  path: '/',
  sameSite: 'Strict',
  maxAgeSeconds: CHALLENGE_MS / 1_000,
  boundToHost: true,
};

export type Ceremony =
  | 'sign-in'
  | 'join'
  | 'confirm-passkey'
  | 'add-passkey'
  | 'api-key'
  | 'bank-code'
  | 'invitation'
  | 'recovery'
  | 'role'
  | 'refund'
  | 'webhook-secret'
  | 'webhook-endpoint'
  | 'webhook-enable';

export interface Challenge {
  /** base64url. */
  readonly challenge: string;
  /**
   * Digest of the invitation, of the session or of the session's action that it was issued for;
   * empty for signing in.
   */
  readonly issuedFor: string;
  /** The member who gets or uses the passkey; empty for signing in. */
  readonly memberId: string;
  readonly expiresAtMs: number;
}

export interface IssuedChallenge {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The `Set-Cookie` that carries the challenge. */
  readonly cookie: string;
}

interface Context {
  readonly request: Request;
  readonly config: BackOfficeConfig;
  readonly nowMs: number;
}

/** Issues a challenge for one ceremony of one link or session. */
export async function issueChallenge(
  { request, config, nowMs }: Context,
  ceremony: Ceremony,
  { issuedFor, memberId }: Pick<Challenge, 'issuedFor' | 'memberId'>,
): Promise<IssuedChallenge> {
  const bytes = crypto.getRandomValues(new Uint8Array(CHALLENGE_BYTES));
  const text = [nowMs + CHALLENGE_MS, base64UrlFromBytes(bytes), issuedFor, memberId].join('.');
  const value = await signText(config.backOfficeKeys, `challenge/${ceremony}`, text);
  return { bytes, cookie: setCookie(request, CHALLENGE_COOKIE, value) };
}

/** The challenge that this browser was given for the ceremony; null for none, expired or forged. */
export async function challengeOf(
  { request, config, nowMs }: Context,
  ceremony: Ceremony,
  issuedFor: string,
): Promise<Challenge | null> {
  const value = cookieValue(request, CHALLENGE_COOKIE) ?? '';
  const text = await verifyText(config.backOfficeKeys, `challenge/${ceremony}`, value);
  const [expiresAt, challenge, owner, memberId] = text?.split('.') ?? [];
  if (challenge === undefined || memberId === undefined || owner !== issuedFor) {
    return null;
  }
  const expiresAtMs = Number(expiresAt);
  return expiresAtMs > nowMs ? { challenge, issuedFor, memberId, expiresAtMs } : null;
}

/**
 * First in the batch of a ceremony. The batch fails, and changes nothing, when the challenge was used
 * before or when `required` finds no row: what the ceremony depends on has changed meanwhile.
 */
export function spendChallenge(
  { challenge, expiresAtMs }: Challenge,
  required: SqlStatement,
): SqlStatement {
  const { length } = required.params;
  return {
    // NULL violates the column's constraint, which fails the batch.
    sql: `INSERT INTO spent_challenges (challenge, expires_at_ms)
      VALUES (?${length + 1}, CASE WHEN EXISTS (${required.sql}) THEN ?${length + 2} END)`,
    params: [...required.params, challenge, expiresAtMs + SPENT_LONGER_MS],
  };
}

/** Deletes those that have expired: an expired challenge is refused anyway. */
export function forgetSpentChallenges(nowMs: number): SqlStatement {
  return { sql: 'DELETE FROM spent_challenges WHERE expires_at_ms <= ?1', params: [nowMs] };
}

/** The `Set-Cookie` that removes a used challenge. */
export function endedChallengeCookie(request: Request): string {
  return clearCookie(request, CHALLENGE_COOKIE);
}

/** The bytes of a member's id, which authenticators store with the passkey. */
export function userHandleOf(memberId: string): Uint8Array<ArrayBuffer> {
  return utf8(memberId);
}

/** The member's id in a handle that a browser sent, or null for a malformed one. */
export function memberIdIn(userHandle: string): string | null {
  const bytes = bytesFromBase64Url(userHandle);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}
