import { sha256Hex } from '../../src/kit/crypto/encoding.ts';
import { signText, verifyText } from '../../src/kit/crypto/signed-bytes.ts';
import { type Cookie, clearCookie, cookieValue, setCookie } from '../../src/kit/http/cookie.ts';
import type { BackOfficeConfig } from '../config.ts';

/** An unused session ends after half an hour: the operator may have left the browser open. */
export const DESK_IDLE_MS_MAX = 30 * 60 * 1_000;
/** The operator types the secret at least once each working day. */
export const DESK_AGE_MS_MAX = 12 * 60 * 60 * 1_000;
/** The cookie is renewed at most this often, not with each page. */
const RENEWED_EVERY_MS = 60_000;

const COOKIE: Cookie = {
  name: 'kefel_desk',
  path: '/',
  // A link in a message to the operator opens the desk. Forms need the token of their page.
  sameSite: 'Lax',
  maxAgeSeconds: DESK_AGE_MS_MAX / 1_000,
  boundToHost: true,
};

/**
 * Who uses the desk in a browser. The signed cookie holds all of it, so that a session needs no
 * database. It ends with its secret, whose digest it names.
 */
export interface DeskSession {
  readonly startedAtMs: number;
  readonly seenAtMs: number;
  /** SHA-256 of the operator's secret. */
  readonly digest: string;
  /** What the operator entered as the name. */
  readonly name: string;
}

type Keys = Pick<BackOfficeConfig, 'backOfficeKeys'>;

/** The `Set-Cookie` that signs the browser in. */
export async function startedDeskCookie(
  request: Request,
  keys: Keys,
  { secret, name }: { readonly secret: string; readonly name: string },
  nowMs: number,
): Promise<string> {
  const digest = await sha256Hex(secret);
  return cookieOf(request, keys, { startedAtMs: nowMs, seenAtMs: nowMs, digest, name });
}

/** The session in the request's cookie; null without a genuine one, or when it has ended. */
export async function deskSessionOf(
  request: Request,
  { backOfficeKeys }: Keys,
  nowMs: number,
): Promise<DeskSession | null> {
  const cookie = cookieValue(request, COOKIE);
  const text = cookie && (await verifyText(backOfficeKeys, 'session/operator', cookie));
  if (!text) {
    return null;
  }
  const session: DeskSession = JSON.parse(text);
  const { startedAtMs, seenAtMs } = session;
  return nowMs < Math.min(startedAtMs + DESK_AGE_MS_MAX, seenAtMs + DESK_IDLE_MS_MAX)
    ? session
    : null;
}

/** The `Set-Cookie` that keeps a used session open; null while none is due. */
export async function renewedDeskCookie(
  request: Request,
  keys: Keys,
  nowMs: number,
): Promise<string | null> {
  const session = await deskSessionOf(request, keys, nowMs);
  return session !== null && nowMs >= session.seenAtMs + RENEWED_EVERY_MS
    ? cookieOf(request, keys, { ...session, seenAtMs: nowMs })
    : null;
}

/** The `Set-Cookie` that signs the browser out. */
export function endedDeskCookie(request: Request): string {
  return clearCookie(request, COOKIE);
}

async function cookieOf(request: Request, { backOfficeKeys }: Keys, session: DeskSession) {
  const text = await signText(backOfficeKeys, 'session/operator', JSON.stringify(session));
  return setCookie(request, COOKIE, text);
}
