import { isOperatorName, OPERATOR_LENGTH_MAX } from '../../src/engine/domain/operator-name.ts';
import type { Actor } from '../../src/kit/audit/log.ts';
import { sha256Hex } from '../../src/kit/crypto/encoding.ts';
import { type Problem, problem } from '../../src/kit/http/problem.ts';
import { clientAddress, clientNetwork, isWithinLimit } from '../../src/kit/http/rate-limit.ts';
import type { BackOfficeConfig } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import { tellRefusedSignIn } from '../refused-sign-ins.ts';
import { accessIdentity } from './access.ts';
import { deskSessionOf } from './desk-session.ts';
import { operatorProblem } from './problems.ts';
import { isSecret, operatorSettings } from './settings.ts';

/** The limit's period in wrangler.toml. */
const FAILED_KEY_PERIOD_SECONDS = 60;
export const NAMELESS = 'operator';
/** Longer than a scheme and a secret. Bounds the work on hostile headers. */
const AUTHORIZATION_LENGTH_MAX = 2_048;

/** What identifies an operator. */
interface Credentials {
  /** SHA-256 of the secret; null for a text that cannot be one. */
  readonly digest: string | null;
  /** The name that the operator claims. */
  readonly name: string;
}

/** Where a route takes credentials from. A program sends a bearer secret to any route. */
export type CredentialSource = 'bearer' | 'bearer_or_desk_session';

/**
 * The operator who acts. The name is proved if Cloudflare Access or a secret that only one person has
 * proves it: people who share a secret, and programs, claim their name. Problems: 401 without valid
 * credentials or, if Cloudflare Access is configured, without its token; 429 for an address with too
 * many failures; 400 for an invalid name. Uses neither D1 nor objects.
 */
export async function authenticateOperator(
  request: Request,
  env: BackOfficeEnv,
  config: BackOfficeConfig,
  source: CredentialSource,
  nowMs: number,
): Promise<Actor> {
  const session =
    source === 'bearer_or_desk_session' ? await deskSessionOf(request, config, nowMs) : null;
  const credentials = session ?? (await bearerCredentials(request));
  return operatorWith(credentials, request, env, config, nowMs);
}

/** `authenticateOperator` for a secret that the operator types. */
export async function signInOperator(
  { secret, name }: { readonly secret: string; readonly name: string },
  request: Request,
  env: BackOfficeEnv,
  config: BackOfficeConfig,
  nowMs: number,
): Promise<Actor> {
  return operatorWith({ digest: await digestOf(secret), name }, request, env, config, nowMs);
}

async function operatorWith(
  credentials: Credentials | null,
  request: Request,
  env: BackOfficeEnv,
  config: BackOfficeConfig,
  nowMs: number,
): Promise<Actor> {
  const settings = await operatorSettings(env);
  const address = clientAddress(request);
  const headers = { 'www-authenticate': 'Bearer' };
  const refuse = async (unauthorized: Problem): Promise<never> => {
    const key = `operator/${clientNetwork(request)}`;
    if (!(await isWithinLimit(config, env.FAILED_KEY_RATE_LIMIT, key))) {
      throw problem('too_many_requests', { retryAfterSeconds: FAILED_KEY_PERIOD_SECONDS });
    }
    throw unauthorized;
  };
  if (credentials === null) {
    return refuse(operatorProblem('credentials_missing', { headers }));
  }
  // Compares digests, so that timing reveals nothing.
  const person = credentials.digest === null ? undefined : settings.persons.get(credentials.digest);
  if (person === undefined) {
    await tellRefusedSignIn(env, 'operators', nowMs);
    return refuse(operatorProblem('operator_secret_invalid', { headers }));
  }
  const identity =
    settings.access === null ? null : await accessIdentity(request, settings.access, nowMs);
  if (settings.access !== null && identity === null) {
    await tellRefusedSignIn(env, 'operators', nowMs);
    return refuse(operatorProblem('access_token_invalid', { headers }));
  }
  const name = checkedName(identity?.name ?? person ?? credentials.name);
  // With Access, only its names count: a person with a secret too could act as two operators.
  const isProved = identity === null ? person !== null : identity.isPerson;
  const provedBy = identity === null ? 'secret' : 'access';
  return { kind: 'operator', id: name, name, isProved, ...(isProved && { provedBy }), address };
}

async function bearerCredentials(request: Request): Promise<Credentials | null> {
  const header = request.headers.get('authorization') ?? '';
  const [, secret] =
    header.length > AUTHORIZATION_LENGTH_MAX ? [] : (/^bearer +(\S+)$/i.exec(header) ?? []);
  return secret === undefined ? null : { digest: await digestOf(secret), name: nameIn(request) };
}

async function digestOf(secret: string): Promise<string | null> {
  return isSecret(secret) ? sha256Hex(secret) : null;
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
