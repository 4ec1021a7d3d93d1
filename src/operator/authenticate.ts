import type { Actor } from '../audit/log.ts';
import type { Config } from '../config.ts';
import { bytesFromBase64, sha256Hex } from '../crypto/encoding.ts';
import { Problem, tooManyRequestsProblem } from '../http/problem.ts';
import { accessIdentity } from './access.ts';
import { isSecret, operatorSettings } from './settings.ts';

/** The limit's period in wrangler.toml. */
const FAILED_KEY_PERIOD_SECONDS = 60;
/** Longest name of whoever acts: it stands in every line of the audit log. */
export const OPERATOR_NAME_CHARACTERS_MAX = 100;
const NAMELESS = 'operator';
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Name, colon, secret in base64: far below; bounds the work on any header. */
const AUTHORIZATION_LENGTH_MAX = 2_048;

/** How a way in is written: programs send a bearer secret, browsers ask for a name and a password. */
export type Scheme = 'Bearer' | 'Basic';

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
  schemes: readonly Scheme[],
  nowMs: number,
): Promise<Actor> {
  const settings = await operatorSettings(env);
  const address = request.headers.get('cf-connecting-ip');
  const refuse = async (message: string): Promise<never> => {
    const key = `operator/${address ?? 'unknown'}`;
    if (config.rateLimits && !(await env.FAILED_KEY_RATE_LIMIT.limit({ key })).success) {
      throw tooManyRequestsProblem(FAILED_KEY_PERIOD_SECONDS);
    }
    throw new Problem(401, message, { headers: { 'www-authenticate': challenge(schemes) } });
  };
  const credentials = credentialsIn(request, schemes);
  if (credentials === null || !isSecret(credentials.secret)) {
    return refuse(
      credentials === null ? `${schemes.join(' or ')} authorization is missing` : 'Invalid secret',
    );
  }
  // Digests are compared, so that timing tells nothing.
  if (!settings.secretDigests.has(await sha256Hex(credentials.secret))) {
    return refuse('Invalid secret');
  }
  const identity =
    settings.access === null ? null : await accessIdentity(request, settings.access, nowMs);
  if (settings.access !== null && identity === null) {
    return refuse('The token of Cloudflare Access is missing or not valid');
  }
  const name = checkedName(identity ?? credentials.name ?? nameIn(request));
  return { kind: 'operator', id: name, name, address };
}

/** Basic alone where it will do: Chromium asks for nothing when one header offers two schemes. */
function challenge(schemes: readonly Scheme[]): string {
  return schemes.includes('Basic') ? 'Basic realm="Kefel", charset="UTF-8"' : schemes.join(', ');
}

function credentialsIn(request: Request, schemes: readonly Scheme[]): Credentials | null {
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
  if (name === '' || name.length > OPERATOR_NAME_CHARACTERS_MAX || UNPRINTABLE.test(name)) {
    throw new Problem(
      400,
      `The operator's name (x-operator) must be 1 to ${OPERATOR_NAME_CHARACTERS_MAX} printable characters`,
    );
  }
  return name;
}
