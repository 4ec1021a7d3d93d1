import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { problem } from '../http/problem.ts';
import { errorText, log } from '../log.ts';
import type { AccessSettings } from './settings.ts';

/** Cloudflare's clocks and ours. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** A token has about a kilobyte; bounds the work on anything else. */
const TOKEN_LENGTH_MAX = 8_192;

/** By address, so that an isolate asks for the keys once in a while and not for each request. */
const keySets = new Map<string, JWTVerifyGetKey>();

/** Told to whoever comes while Cloudflare does not hand out its keys. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Who Cloudflare Access says that it let through, or null when the token is missing or not valid.
 * Problem 503 while the keys that would tell cannot be had.
 */
export async function accessIdentity(
  request: Request,
  { teamDomain, audience }: AccessSettings,
  nowMs: number,
): Promise<string | null> {
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
      throw problem('access_keys_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    // The library's messages name claims and checks, never the token.
    log('warn', 'access_token_refused', { error: errorText(error) });
    return null;
  }
}

/** Everything else is about the keys on their way here. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    error.code !== errors.JOSEError.code
  );
}

/** People have an address; a service token has the name of its client. */
function identityIn({ email, common_name: commonName }: JWTPayload): string | null {
  const name = [email, commonName].find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : null;
}

function keySetOf(teamDomain: string): JWTVerifyGetKey {
  const address = `https://${teamDomain}/cdn-cgi/access/certs`;
  const keySet = keySets.get(address) ?? createRemoteJWKSet(new URL(address));
  keySets.set(address, keySet);
  return keySet;
}
