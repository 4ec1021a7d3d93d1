import { text } from 'node:stream/consumers';
import { railSecretName } from '../../src/engine/rails/settings.ts';
import { ConfigError } from '../../src/kit/config-error.ts';
import { minorFromMajor } from '../../src/kit/money.ts';
import { environmentIn, methodIn, railIn } from '../check-rail/given.ts';
import { NO_ADDRESS, probeLive, queryLive } from '../check-rail/live.ts';
import { directLines, formLines, PROBE_EXIT_CODES } from '../check-rail/probe-text.ts';
import '../project/node-md5.ts';
import { FoundError, type Given, UsageError } from './command.ts';

/** What a check found, as lines for a terminal, and the exit code that says so. */
export interface RailCheck {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/**
 * Reads a rail's secret as the gateway does, before it is set. With `--live`, also tries it at the
 * provider. Yields no value of the secret.
 */
export async function* checkRail(given: Given): AsyncGenerator<RailCheck> {
  const { method, environment, amountMinor } = checked(given);
  const secret = await text(process.stdin);
  try {
    const { rail, through } = railIn(secret, environment, method);
    const name = railSecretName(environment, method);
    yield {
      lines: [
        `${name} is valid: rail ${rail.id}, ${rail.currencies.join(' and ')}${through === null ? '' : `, through ${through}`}.`,
        ...formLines(rail),
      ],
      exitCode: 0,
    };
    if (!given.has('live')) {
      return;
    }
    const settings: unknown = JSON.parse(secret);
    const resultUrl = given.option('result-url') ?? NO_ADDRESS;
    const { result, lines } = await probeLive(rail, resultUrl, settings);
    yield {
      lines: [...lines, ...directLines(through)],
      exitCode: PROBE_EXIT_CODES[result.outcome],
    };
    const reference = given.option('payment');
    const railReference = given.option('provider-id');
    if (reference !== undefined || railReference !== undefined) {
      const query = { method, environment, reference, railReference, amountMinor, resultUrl };
      yield { lines: await queryLive(rail, query, settings), exitCode: 0 };
    }
  } catch (error) {
    throw error instanceof ConfigError ? new FoundError(error.message) : error;
  }
}

function checked(given: Given) {
  const amountMinor = minorFromMajor(Number(given.option('amount') ?? 1));
  if (amountMinor === null) {
    throw new UsageError('--amount must be an amount such as 150.50');
  }
  try {
    return {
      method: methodIn(given.at('METHOD')),
      environment: environmentIn(given.at('ENVIRONMENT')),
      amountMinor,
    };
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}
