/**
 * `npm run rail:check -- M_PESA production < secret.json`: checks a rail's secret as the gateway
 * does, before it is set. With `--live`, also tries it at the provider. Prints no value of the secret.
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { METHODS } from '../src/engine/domain/method.ts';
import { railSecretName } from '../src/engine/rails/settings.ts';
import { ConfigError } from '../src/kit/config-error.ts';
import { minorFromMajor } from '../src/kit/money.ts';
import { ENVIRONMENTS } from '../src/kit/tenant.ts';
import { environmentIn, methodIn, railIn } from './check-rail/given.ts';
import { probeLive, queryLive } from './check-rail/live.ts';
import { PROBE_EXIT_CODES } from './check-rail/probe-text.ts';
import './project/node-md5.ts';

const USAGE = `usage: npm run rail:check -- METHOD ENVIRONMENT < secret.json
       npm run rail:check -- METHOD ENVIRONMENT --live [TRANSACTION_ID] [--amount 150.50]
           [--provider-id ID] [--result-url URL] < secret.json
METHOD is one of ${METHODS.join(', ')}; ENVIRONMENT is ${ENVIRONMENTS.join(' or ')}.
--live signs in at the provider and asks about an order that does not exist; with TRANSACTION_ID or
--provider-id, also about that payment. It moves no money and prompts no phone.

Exit codes:
  0  the secret is valid; with --live, the provider accepts the credentials
  1  the secret is not valid
  2  the command is not valid
  3  reached: the provider answers, but that proves nothing about the credentials
  4  refused: by the provider, or by us, because its answer has the wrong signature or secret
  5  unreachable: no connection, no answer in time, or a gateway that cannot reach the provider`;

const EXIT_INVALID = 1;
const EXIT_USAGE = 2;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Posts to this address get lost: a reserved name (RFC 2606). */
const NO_ADDRESS = 'https://kefel.invalid/rails/check';

async function main(): Promise<void> {
  const { values, positionals } = argumentsOf();
  if (values.help === true) {
    console.log(USAGE);
    return;
  }
  const [givenMethod, givenEnvironment, reference] = positionals;
  const amountMinor = minorFromMajor(Number(values.amount ?? 1));
  if (givenMethod === undefined || givenEnvironment === undefined || amountMinor === null) {
    throw new UsageError(USAGE);
  }
  const { method, environment } = named(givenMethod, givenEnvironment);
  const name = railSecretName(environment, method);
  const secret = await text(process.stdin);
  const rail = railIn(secret, environment, method);
  console.log(`${name} is valid: rail ${rail.id}, ${rail.currencies.join(' and ')}.`);
  if (values.live !== true) {
    return;
  }
  const settings: unknown = JSON.parse(secret);
  const { 'result-url': resultUrl = NO_ADDRESS, 'provider-id': railReference } = values;
  const { result, lines } = await probeLive(rail, resultUrl, settings);
  console.log(lines.join('\n'));
  process.exitCode = PROBE_EXIT_CODES[result.outcome];
  if (reference !== undefined || railReference !== undefined) {
    const query = { method, environment, reference, railReference, amountMinor, resultUrl };
    console.log((await queryLive(rail, query, settings)).join('\n'));
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
    throw new UsageError(USAGE);
  }
}

function named(method: string, environment: string) {
  try {
    return { method: methodIn(method), environment: environmentIn(environment) };
  } catch (error) {
    throw new UsageError(error instanceof ConfigError ? error.message : USAGE);
  }
}

main().catch((error: unknown) => {
  const isExplained = error instanceof ConfigError || error instanceof UsageError;
  console.error(isExplained ? error.message : error);
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_INVALID;
});
