import { type Bindings, ConfigError } from '../config.ts';
import { sha256Hex } from '../crypto/encoding.ts';

/** `kfl_op_` and at least 43 characters: 256 random bits. The upper bound limits the work. */
const SECRET = /^kfl_op_[A-Za-z0-9_-]{43,200}$/;
/** The current secret, its successor, and some more. Each costs a digest per isolate. */
const SECRETS_MAX = 5;

/** A host name that Cloudflare assigns to a team: `example.cloudflareaccess.com`. */
const TEAM_DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
/** The application's audience tag: 64 hexadecimal digits today. */
const AUDIENCE = /^[A-Za-z0-9_-]{1,256}$/;

/** Cloudflare Access in front of the operator's API and desk. */
export interface AccessSettings {
  readonly teamDomain: string;
  readonly audience: string;
}

export interface OperatorSettings {
  /** SHA-256 of each secret that is valid. */
  readonly secretDigests: ReadonlySet<string>;
  /** Null: the secret alone is enough. */
  readonly access: AccessSettings | null;
}

const parsed = new WeakMap<Bindings, OperatorSettings>();

/**
 * The operator's settings. Separate from `configOf`, so that a mistake here does not stop payments.
 * Throws ConfigError naming the first bad variable, never its value.
 */
export async function operatorSettings(env: Bindings): Promise<OperatorSettings> {
  const known = parsed.get(env);
  if (known !== undefined) {
    return known;
  }
  const access = accessSettings(env.ACCESS_TEAM_DOMAIN, env.ACCESS_AUDIENCE);
  const secrets = secretsIn(env.OPERATOR_SECRETS);
  const settings = { secretDigests: new Set(await Promise.all(secrets.map(sha256Hex))), access };
  parsed.set(env, settings);
  return settings;
}

/** Whether a text has the form of an operator's secret. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

function secretsIn(list: string | undefined): readonly string[] {
  const secrets = (list ?? '').split(',').map((entry) => entry.trim());
  if (secrets.length > SECRETS_MAX || !secrets.every(isSecret)) {
    throw new ConfigError(
      `OPERATOR_SECRETS must be 1 to ${SECRETS_MAX} secrets, newest first, separated by commas; each kfl_op_ and at least 43 letters, digits, - or _`,
    );
  }
  return secrets;
}

function accessSettings(
  teamDomain: string | undefined,
  audience: string | undefined,
): AccessSettings | null {
  if (!teamDomain && !audience) {
    return null;
  }
  if (!teamDomain || !TEAM_DOMAIN.test(teamDomain)) {
    throw new ConfigError(
      'ACCESS_TEAM_DOMAIN must be a host name such as example.cloudflareaccess.com, in lower case, and ACCESS_AUDIENCE must be set too',
    );
  }
  if (!audience || !AUDIENCE.test(audience)) {
    throw new ConfigError(
      'ACCESS_AUDIENCE must be the audience tag of the Access application, and ACCESS_TEAM_DOMAIN must be set too',
    );
  }
  return { teamDomain, audience };
}
