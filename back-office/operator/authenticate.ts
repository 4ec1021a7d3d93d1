import type { Actor } from '../../src/audit/log.ts';
import { bytesFromBase64, sha256Hex } from '../../src/crypto/encoding.ts';
import { isOperatorName, OPERATOR_LENGTH_MAX } from '../../src/domain/operator-name.ts';
import { type Problem, problem } from '../../src/http/problem.ts';
import { clientAddress, clientNetwork, isWithinLimit } from '../../src/http/rate-limit.ts';
import type { BackOfficeConfig } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import { accessIdentity } from './access.ts';
import { operatorProblem } from './problems.ts';
import { isSecret, operatorSettings } from './settings.ts';

/** The limit's period in wrangler.toml. */
const FAILED_KEY_PERIOD_SECONDS = 60;
const NAMELESS = 'operator';
/** Longer than a name, a colon and a secret in base64. Bounds the work on hostile headers. */
const AUTHORIZATION_LENGTH_MAX = 2_048;

/** Programs send a bearer secret. Browsers ask their user for a name and a password. */
export type Scheme = 'Bearer' | 'Basic';
/** The accepted schemes. A 401 names the first. */
export type Schemes = readonly [Scheme, ...Scheme[]];

interface Credentials {
  readonly secret: string;
  /** The user name that a browser sent; null for a bearer secret. */
  readonly name: string | null;
}

/**
 * The operator who acts. The name is proved if Cloudflare Access or a secret that only one person has
 * proves it: people who share a secret, and programs, claim their name. Problems: 401 without a valid secret in one of `schemes` or, if
 * Cloudflare Access is configured, without its token; 429 for an address with too many failures;
 * 400 for an invalid name. Uses neither D1 nor objects.
 */
export async function authenticateOperator(
  request: Request,
  env: BackOfficeEnv,
  config: BackOfficeConfig,
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
    return refuse(
      operatorProblem('credentials_missing', { schemes: schemes.join(' or '), headers }),
    );
  }
  // Compares digests, so that timing reveals nothing.
  const person = isSecret(credentials.secret)
    ? settings.persons.get(await sha256Hex(credentials.secret))
    : undefined;
  if (person === undefined) {
    return refuse(operatorProblem('operator_secret_invalid', { headers }));
  }
  const identity =
    settings.access === null ? null : await accessIdentity(request, settings.access, nowMs);
  if (settings.access !== null && identity === null) {
    return refuse(operatorProblem('access_token_invalid', { headers }));
  }
  const claimed = credentials.name ?? nameIn(request);
  const name = checkedName(identity?.name ?? person ?? claimed);
  // With Access, only its names count: a person with a secret too could act as two operators.
  const isProved = identity === null ? person !== null : identity.isPerson;
  return { kind: 'operator', id: name, name, isProved, address };
}

/** Names only the first scheme: with two in one header, browsers show no password prompt. */
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

/** Parses base64 of `name:secret` (RFC 7617); null when malformed. */
function basicCredentials(base64: string): Credentials | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytesFromBase64(base64));
    const colon = text.indexOf(':');
    return colon < 0
      ? null
      : { name: text.slice(0, colon).trim() || NAMELESS, secret: text.slice(colon + 1) };
  } catch {
    // Not base64, or not UTF-8.
    return null;
  }
}

/** May be percent-encoded, because headers cannot contain Amharic. */
function nameIn(request: Request): string {
  const header = request.headers.get('x-operator') ?? NAMELESS;
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

function checkedName(name: string): string {
  if (!isOperatorName(name)) {
    throw operatorProblem('operator_name_invalid', { charactersMax: OPERATOR_LENGTH_MAX });
  }
  return name;
}
