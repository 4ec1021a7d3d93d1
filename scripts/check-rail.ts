/**
 * `npm run rail:check -- M_PESA production < secret.json`: checks a rail's secret as the gateway
 * does, before it is set. Prints no value of it.
 */
import { text } from 'node:stream/consumers';
import { type Bindings, ConfigError } from '../src/config.ts';
import { ENVIRONMENTS, type Environment, METHODS, type Method } from '../src/domain/method.ts';
import { railConfiguration, railSecretName } from '../src/rails/settings.ts';

const USAGE = `usage: npm run rail:check -- METHOD ENVIRONMENT < secret.json
METHOD is one of ${METHODS.join(', ')}; ENVIRONMENT is ${ENVIRONMENTS.join(' or ')}.`;

async function main([method, environment]: readonly string[]): Promise<void> {
  if (!isMethod(method) || !isEnvironment(environment)) {
    throw new ConfigError(USAGE);
  }
  const name = railSecretName(environment, method);
  const bindings = { [name]: await text(process.stdin) } as unknown as Bindings;
  const configuration = railConfiguration(bindings, environment, method);
  if (configuration.state === 'not_configured') {
    throw new ConfigError(`${name}: nothing came on standard input`);
  }
  if (configuration.state === 'misconfigured') {
    throw new ConfigError(configuration.problem);
  }
  const { rail } = configuration;
  console.log(`${name} is good: rail ${rail.id}, ${rail.currencies.join(' and ')}.`);
}

function isMethod(text: string | undefined): text is Method {
  return METHODS.some((method) => method === text);
}

function isEnvironment(text: string | undefined): text is Environment {
  return ENVIRONMENTS.some((environment) => environment === text);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
