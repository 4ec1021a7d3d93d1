import type { Actor } from '../audit/log.ts';
import type { Config } from '../config.ts';
import { bytesFromBase64, sha256Hex } from '../crypto/encoding.ts';
import { isPrintable } from '../domain/text.ts';
import { type Problem, problem } from '../http/problem.ts';
import { clientAddress, clientNetwork, isWithinLimit } from '../http/rate-limit.ts';
import { accessIdentity } from './access.ts';
import { isSecret, operatorSettings } from './settings.ts';

/** The limit's period in wrangler.toml. */
const FAILED_KEY_PERIOD_SECONDS = 60;
/** Longest name of whoever acts: it stands in every line of the audit log. */
export const OPERATOR_NAME_CHARACTERS_MAX = 100;
const NAMELESS = 'operator';
/** Name, colon, secret in base64: far below; bounds the work on any header. */
const AUTHORIZATION_LENGTH_MAX = 2_048;

/** How a way in is written: programs send a bearer secret, browsers ask for a name and a password. */
export type Scheme = 'Bearer' | 'Basic';
/** The first is the one that is asked for. */
export type Schemes = readonly [Scheme, ...Scheme[]];

interface Credentials {
  readonly secret: string;
  /** Only what a browser was told as the user's name. */
  readonly name: string | null;
}

/**
 * Who the operator is that sends the request. Problems: 401 without a valid secret in one of
 * `schemes` or, where Cloudflare Access is set up, without its token; 429 for an address that has
 * tried too often; 400 for an unusable name. D1 and objects are not touched.
 */
export async function authenticateOperator(
  request: Request,
  env: Env,
  config: Config,
  schemes: Schemes,
  nowMs: number,
): Promise<Actor> {
  const settings = await operatorSettings(env);
  const address = clientAddress(request);
  const headers = { 'www-authenticate': challenge(schemes) };
  const refuse = async (unauthorized: Problem): Promise<never> => {
    const key = `operator/${clientNetwork(request)}`;
    if (!(await isWithinLimit(config, env.FAILED_KEY_RATE_LIMIT, key))) {
      throw problem('too_many_requests', { retryAfterSeconds: FAILED_KEY_PERIOD_SECONDS });
    }
    throw unauthorized;
  };
  const credentials = credentialsIn(request, schemes);
  if (credentials === null) {
    return refuse(problem('credentials_missing', { schemes: schemes.join(' or '), headers }));
  }
  // Digests are compared, so that timing tells nothing.
  if (
    !isSecret(credentials.secret) ||
    !settings.secretDigests.has(await sha256Hex(credentials.secret))
  ) {
    return refuse(problem('operator_secret_invalid', { headers }));
  }
  const identity =
    settings.access === null ? null : await accessIdentity(request, settings.access, nowMs);
  if (settings.access !== null && identity === null) {
    return refuse(problem('access_token_invalid', { headers }));
  }
  const name = checkedName(identity ?? credentials.name ?? nameIn(request));
  return { kind: 'operator', id: name, name, address };
}

/** Only the first: browsers that are offered two in one header ask for neither. */
function challenge([scheme]: Schemes): string {
  return scheme === 'Basic' ? 'Basic realm="Kefel", charset="UTF-8"' : scheme;
}

function credentialsIn(request: Request, schemes: Schemes): Credentials | null {
  const header = request.headers.get('authorization') ?? '';
  const parts = header.length > AUTHORIZATION_LENGTH_MAX ? null : /^(\w+) +(\S+)$/.exec(header);
  const [, given = '', value = ''] = parts ?? [];
  const scheme = schemes.find((known) => known.toLowerCase() === given.toLowerCase());
  if (scheme === undefined) {
    return null;
  }
  return scheme === 'Bearer' ? { secret: value, name: null } : basicCredentials(value);
}

/** Base64 of `name:secret` (RFC 7617), or null for anything else. */
function basicCredentials(base64: string): Credentials | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytesFromBase64(base64));
    const colon = text.indexOf(':');
    return colon < 0
      ? null
      : { name: text.slice(0, colon).trim() || NAMELESS, secret: text.slice(colon + 1) };
  } catch {
    // No base64, or no text in it.
    return null;
  }
}

/** Percent-encoded, because a header holds no Amharic; plain names mean themselves. */
function nameIn(request: Request): string {
  const header = request.headers.get('x-operator') ?? NAMELESS;
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

function checkedName(name: string): string {
  if (name === '' || name.length > OPERATOR_NAME_CHARACTERS_MAX || !isPrintable(name)) {
    throw problem('operator_name_invalid', { charactersMax: OPERATOR_NAME_CHARACTERS_MAX });
  }
  return name;
}
