import type { Bindings } from '../../src/engine/config.ts';
import { METHODS, type Method } from '../../src/engine/domain/method.ts';
import { isNetworkName } from '../../src/engine/rails/network-name.ts';
import type { Rail } from '../../src/engine/rails/rail.ts';
import { railSecretName, readRailSecret } from '../../src/engine/rails/settings.ts';
import { ConfigError } from '../../src/kit/config-error.ts';
import { ENVIRONMENTS, type Environment } from '../../src/kit/tenant.ts';

/** The method that a person has typed. Throws ConfigError, which asks for the one that was meant. */
export function methodIn(text: string): Method {
  const plain = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '');
  const [meant] = METHODS.filter((method) => plain(method) === plain(text));
  if (meant === text) {
    return meant;
  }
  throw new ConfigError(
    meant === undefined
      ? `there is no method "${text}": name one of ${METHODS.join(', ')}`
      : `there is no method "${text}": did you mean ${meant}?`,
  );
}

export function environmentIn(text: string): Environment {
  const found = ENVIRONMENTS.find((environment) => environment === text);
  if (found === undefined) {
    throw new ConfigError(`there is no environment "${text}": name ${ENVIRONMENTS.join(' or ')}`);
  }
  return found;
}

/** A rail of a secret, on this machine. */
export interface RailHere {
  readonly rail: Rail;
  /** The binding that the gateway's calls go through. This machine has none, and calls directly. */
  readonly through: string | null;
}

/**
 * The rail of a secret, read as the gateway does. `networks`: the bindings that the gateway has;
 * undefined: any. Throws ConfigError, which names the wrong fields.
 */
export function railIn(
  secret: string,
  environment: Environment,
  method: Method,
  networks: readonly string[] = networksIn(secret),
): RailHere {
  const name = railSecretName(environment, method);
  const direct = { fetch: (...given: Parameters<typeof fetch>) => fetch(...given) };
  const stand = Object.fromEntries(networks.map((network) => [network, direct]));
  const bindings = { ...stand, [name]: secret } as unknown as Bindings;
  const configuration = readRailSecret(bindings, environment, method);
  if (configuration.state === 'configured') {
    return configuration;
  }
  throw new ConfigError(
    configuration.state === 'misconfigured'
      ? configuration.problem
      : `${name}: nothing came on standard input`,
  );
}

/** The binding that a secret names, of a secret that is text from a person. */
export function networksIn(secret: string): readonly string[] {
  try {
    const { through } = Object(JSON.parse(secret));
    return isNetworkName(through) ? [through] : [];
  } catch {
    return [];
  }
}
