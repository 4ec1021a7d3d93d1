import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { errorText, log } from '../log.ts';
import { operatorProblem } from './problems.ts';
import type { AccessSettings } from './settings.ts';

/** The possible difference between Cloudflare's clocks and ours. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** Tokens have about a kilobyte. Bounds the work on hostile text. */
const TOKEN_LENGTH_MAX = 8_192;

/** Cached by URL, so that an isolate does not fetch the keys for each request. */
const keySets = new Map<string, JWTVerifyGetKey>();

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
    const { payload } = await jwtVerify(token, keySetOf(teamDomain), {
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

/** Whether the token is at fault. Other errors come from fetching the keys. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    error.code !== errors.JOSEError.code
  );
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

function keySetOf(teamDomain: string): JWTVerifyGetKey {
  const address = `https://${teamDomain}/cdn-cgi/access/certs`;
  const keySet = keySets.get(address) ?? createRemoteJWKSet(new URL(address));
  keySets.set(address, keySet);
  return keySet;
}
