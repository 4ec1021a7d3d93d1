/**
 * `npm run rail:check -- M_PESA production < secret.json`: checks a rail's secret as the gateway
 * does, before it is set. With `--live`, also makes one status query. Prints no value of the secret.
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type Bindings, ConfigError } from '../src/config.ts';
import { ENVIRONMENTS, type Environment, METHODS, type Method } from '../src/domain/method.ts';
import { minorFromMajor } from '../src/domain/money.ts';
import { railConfiguration, railSecretName } from '../src/rails/settings.ts';
import { queryLive } from './check-rail/live.ts';

const USAGE = `usage: npm run rail:check -- METHOD ENVIRONMENT < secret.json
       npm run rail:check -- METHOD ENVIRONMENT --live [TRANSACTION_ID] [--amount 150.50]
           [--provider-id ID] [--result-url URL] < secret.json
METHOD is one of ${METHODS.join(', ')}; ENVIRONMENT is ${ENVIRONMENTS.join(' or ')}.
--live asks the provider about one payment, by default one that does not exist. It moves no money.`;

/** Posts to this address get lost: a reserved name (RFC 2606). */
const NO_ADDRESS = 'https://kefel.invalid/rails/check';

async function main(): Promise<void> {
  const { values, positionals } = argumentsOf();
  if (values.help === true) {
    console.log(USAGE);
    return;
  }
  const [method, environment, reference] = positionals;
  const amountMinor = minorFromMajor(Number(values.amount ?? 1));
  if (!isMethod(method) || !isEnvironment(environment) || amountMinor === null) {
    throw new ConfigError(USAGE);
  }
  const name = railSecretName(environment, method);
  const secret = await text(process.stdin);
  const bindings = { [name]: secret } as unknown as Bindings;
  const configuration = railConfiguration(bindings, environment, method);
  if (configuration.state === 'not_configured') {
    throw new ConfigError(`${name}: nothing came on standard input`);
  }
  if (configuration.state === 'misconfigured') {
    throw new ConfigError(configuration.problem);
  }
  const { rail } = configuration;
  console.log(`${name} is good: rail ${rail.id}, ${rail.currencies.join(' and ')}.`);
  if (values.live === true) {
    const query = {
      method,
      environment,
      reference,
      railReference: values['provider-id'],
      amountMinor,
      resultUrl: values['result-url'] ?? NO_ADDRESS,
    };
    for (const line of await queryLive(rail, query, JSON.parse(secret))) {
      console.log(line);
    }
  }
}

function argumentsOf() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        live: { type: 'boolean' },
        amount: { type: 'string' },
        'provider-id': { type: 'string' },
        'result-url': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch {
    throw new ConfigError(USAGE);
  }
}

function isMethod(text: string | undefined): text is Method {
  return METHODS.some((method) => method === text);
}

function isEnvironment(text: string | undefined): text is Environment {
  return ENVIRONMENTS.some((environment) => environment === text);
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
