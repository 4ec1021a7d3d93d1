import type { Bindings } from '../../src/engine/config.ts';
import { METHODS, type Method } from '../../src/engine/domain/method.ts';
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

/** The rail of a secret, read as the gateway does. Throws ConfigError, which names the wrong fields. */
export function railIn(secret: string, environment: Environment, method: Method): Rail {
  const name = railSecretName(environment, method);
  const bindings = { [name]: secret } as unknown as Bindings;
  const configuration = readRailSecret(bindings, environment, method);
  if (configuration.state === 'configured') {
    return configuration.rail;
  }
  throw new ConfigError(
    configuration.state === 'misconfigured'
      ? configuration.problem
      : `${name}: nothing came on standard input`,
  );
}
