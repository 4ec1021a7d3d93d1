import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { JOSEError, JWKSInvalid, JWKSNoMatchingKey } from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { jwtVerify } from 'jose/jwt/verify';
import { errorText, log } from '../../src/kit/platform/log.ts';
import { operatorProblem } from './problems.ts';
import type { AccessSettings } from './settings.ts';

/** The possible difference between Cloudflare's clocks and ours. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** Tokens have about a kilobyte. Bounds the work on hostile text. */
const TOKEN_LENGTH_MAX = 8_192;

/** How long we accept a key that Cloudflare has removed. */
const KEYS_AGE_MS_MAX = 600_000;
/** So that tokens with invented key ids do not fetch the keys for each request. */
const KEYS_AGE_MS_MIN = 30_000;
const FETCH_TIMEOUT_MS = 5_000;

interface KeySet {
  readonly keyOf: JWTVerifyGetKey;
  readonly fetchedAtMs: number;
}

/** Each team's keys, by its domain, so that an isolate does not fetch them for each request. */
const keySets = new Map<string, KeySet>();

/** For requests while Cloudflare's keys are unavailable. */
const RETRY_AFTER_SECONDS = 5;

/**
 * The identity in the token of Cloudflare Access, or null when the token is missing or not valid.
 * Problem 503 while Cloudflare's keys are unavailable.
 */
export async function accessIdentity(
  request: Request,
  { teamDomain, audience }: AccessSettings,
  nowMs: number,
): Promise<AccessIdentity | null> {
  const token = request.headers.get('cf-access-jwt-assertion');
  if (token === null || token.length > TOKEN_LENGTH_MAX) {
    return null;
  }
  try {
    const { payload } = await jwtVerify(token, keyGetter(teamDomain, nowMs), {
      algorithms: ['RS256'],
      issuer: `https://${teamDomain}`,
      audience,
      requiredClaims: ['exp', 'iat'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
    });
    return identityIn(payload);
  } catch (error) {
    if (!isAboutToken(error)) {
      log('error', 'access_keys_unavailable', { error: errorText(error) });
      throw operatorProblem('access_keys_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    // The library's messages name claims and checks, never the token.
    log('warn', 'access_token_refused', { error: errorText(error) });
    return null;
  }
}

/** Whether the token is at fault, not Cloudflare's keys. */
function isAboutToken(error: unknown): boolean {
  return error instanceof JOSEError && !(error instanceof JWKSInvalid);
}

/** Who passed Cloudflare Access. */
export interface AccessIdentity {
  readonly name: string;
  /** False for a service token, which any program that has it can send. */
  readonly isPerson: boolean;
}

/** The token of a person contains an email address, a service token the name of its client. */
function identityIn({ email, common_name: commonName }: JWTPayload): AccessIdentity | null {
  if (typeof email === 'string' && email !== '') {
    return { name: email, isPerson: true };
  }
  return typeof commonName === 'string' && commonName !== ''
    ? { name: commonName, isPerson: false }
    : null;
}

/** Finds the key that signed a token. Fetches the keys when they are old or lack the token's key. */
function keyGetter(teamDomain: string, nowMs: number): JWTVerifyGetKey {
  return async (header, token) => {
    const known = keySets.get(teamDomain);
    const ageMs = known === undefined ? KEYS_AGE_MS_MAX : nowMs - known.fetchedAtMs;
    if (known !== undefined && ageMs < KEYS_AGE_MS_MAX) {
      try {
        return await known.keyOf(header, token);
      } catch (error) {
        if (!(error instanceof JWKSNoMatchingKey) || ageMs < KEYS_AGE_MS_MIN) {
          throw error;
        }
      }
    }
    const keyOf = await fetchedKeys(teamDomain);
    keySets.set(teamDomain, { keyOf, fetchedAtMs: nowMs });
    return keyOf(header, token);
  };
}

/** Throws when the team's keys are not available. */
async function fetchedKeys(teamDomain: string): Promise<JWTVerifyGetKey> {
  const response = await fetch(`https://${teamDomain}/cdn-cgi/access/certs`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) {
    throw new Error(`The keys were answered with ${response.status}`);
  }
  return createLocalJWKSet(await response.json());
}
