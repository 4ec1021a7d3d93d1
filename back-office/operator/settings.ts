import { isOperatorName } from '../../src/engine/domain/operator-name.ts';
import { ConfigError } from '../../src/kit/config-error.ts';
import { sha256Hex } from '../../src/kit/crypto/encoding.ts';
import type { BackOfficeEnv } from '../env.ts';

/** `kfl_op_` and at least 43 characters: 256 random bits. The upper bound limits the work. */
const SECRET = /^kfl_op_[A-Za-z0-9_-]{43,200}$/;
/** In place of a secret, its SHA-256: neither the setting nor the person who makes it has the secret. */
const DIGEST = /^sha256-([0-9a-f]{64})$/;
/** The secret of each person of a team, and successors. Each costs a digest per isolate. */
export const SECRETS_MAX = 20;

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
  /**
   * The one person who has each valid secret, by the secret's SHA-256; null for a shared secret.
   */
  readonly persons: ReadonlyMap<string, string | null>;
  /** Null: the secret alone is enough. */
  readonly access: AccessSettings | null;
}

const parsed = new WeakMap<BackOfficeEnv, OperatorSettings>();

/**
 * The operator's settings. Separate from `backOfficeConfigOf`, so that a mistake here does not stop the dashboard.
 * Throws ConfigError naming the first bad variable, never its value.
 */
export async function operatorSettings(env: BackOfficeEnv): Promise<OperatorSettings> {
  const known = parsed.get(env);
  if (known !== undefined) {
    return known;
  }
  const access = accessSettings(env.ACCESS_TEAM_DOMAIN, env.ACCESS_AUDIENCE);
  const settings = { persons: await personsIn(env.OPERATOR_SECRETS), access };
  parsed.set(env, settings);
  return settings;
}

/** Whether a text has the form of an operator's secret. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

interface NamedSecret {
  /** Null: several people share it. */
  readonly person: string | null;
  /** Or its digest. */
  readonly secret: string;
}

async function personsIn(list: string | undefined): Promise<OperatorSettings['persons']> {
  const secrets = (list ?? '').split(',').map((entry) => namedSecret(entry.trim()));
  const isReadable = secrets.length <= SECRETS_MAX && secrets.every(isWellFormed);
  const entries = isReadable ? await Promise.all(secrets.map(byDigest)) : [];
  const persons = new Map(entries);
  // One secret of two people would let one person act as both.
  if (persons.size !== secrets.length) {
    throw new ConfigError(
      `OPERATOR_SECRETS must be 1 to ${SECRETS_MAX} different secrets, separated by commas; each kfl_op_ and at least 43 letters, digits, - or _, or sha256- and its digest, after the name of its only owner and a colon if one person has it`,
    );
  }
  return persons;
}

async function byDigest({ person, secret }: NamedSecret) {
  return [DIGEST.exec(secret)?.[1] ?? (await sha256Hex(secret)), person] as const;
}

function namedSecret(entry: string): NamedSecret {
  const colon = entry.lastIndexOf(':');
  return colon < 0
    ? { person: null, secret: entry }
    : { person: entry.slice(0, colon).trim(), secret: entry.slice(colon + 1) };
}

function isWellFormed({ person, secret }: NamedSecret): boolean {
  return (isSecret(secret) || DIGEST.test(secret)) && (person === null || isOperatorName(person));
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
