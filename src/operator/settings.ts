import { type Bindings, ConfigError } from '../config.ts';
import { sha256Hex } from '../crypto/encoding.ts';

/** `kfl_op_` and at least 43 digits: 256 random bits. The upper bound keeps the work on any text small. */
const SECRET = /^kfl_op_[A-Za-z0-9_-]{43,200}$/;
/** One in use, one that replaces it, and room for a mistake; each costs a digest once an isolate. */
const SECRETS_MAX = 5;

/** A host name, as Cloudflare gives a team: `example.cloudflareaccess.com`. */
const TEAM_DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
/** The application's audience tag: 64 hexadecimal digits today. */
const AUDIENCE = /^[A-Za-z0-9_-]{1,256}$/;

/** Where Cloudflare Access stands in front of the operator's side. */
export interface AccessSettings {
  readonly teamDomain: string;
  readonly audience: string;
}

export interface OperatorSettings {
  /** SHA-256 of each secret that is valid. */
  readonly secretDigests: ReadonlySet<string>;
  /** Null: the secret alone lets in. */
  readonly access: AccessSettings | null;
}

const parsed = new WeakMap<Bindings, OperatorSettings>();

/**
 * The operator's own settings. Apart from `configOf`, so that a mistake here stops the operator's
 * side alone and no payment. Throws ConfigError naming the first bad variable, never its value.
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

/** Whether a text can be a secret of the operator's at all. */
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
      'ACCESS_TEAM_DOMAIN must be a host name such as example.cloudflareaccess.com, in small letters, beside ACCESS_AUDIENCE',
    );
  }
  if (!audience || !AUDIENCE.test(audience)) {
    throw new ConfigError(
      'ACCESS_AUDIENCE must be the audience tag of the Access application, beside ACCESS_TEAM_DOMAIN',
    );
  }
  return { teamDomain, audience };
}
