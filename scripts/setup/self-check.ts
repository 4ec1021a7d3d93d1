import { setTimeout as wait } from 'node:timers/promises';
import { readOperatorsFile } from '../deployment/operators-file.ts';
import { type Gateway, GatewayError, send } from '../operator/client.ts';
import type { Operator, Setup } from './context.ts';
import { SetupProblem } from './explain.ts';
import type { Step } from './step.ts';
import type { Terminal } from './terminal.ts';

/** A new address needs a certificate, which takes minutes. */
const REACHABLE_WITHIN_MS = 10 * 60_000;
const POLL_MS = 5_000;
const CHECK_POLL_MS = 1_000;

/** Proves that the gateway works: its bindings, and a sandbox payment from end to end. */
export function selfCheckStep(setup: Setup): Step {
  const { options, terminal } = setup;
  return {
    title: 'self-check',
    why: 'The gateway looks at itself, and makes a payment in its sandbox.',
    look: async () => {
      const { addresses } = setup.deployment;
      if (options.isDryRun) {
        return [{ what: `check the gateway at ${addresses.backOffice}`, make: async () => {} }];
      }
      const operators = await readOperatorsFile(options.operatorsFile);
      const [name, secret] = Object.entries(operators?.secrets ?? {})[0] ?? [];
      if (name === undefined || secret === undefined) {
        terminal.say(
          `  No operator's secret is here: open ${addresses.backOffice}/operator/check.`,
        );
        return [];
      }
      return [
        {
          what: `check the gateway at ${addresses.backOffice}`,
          make: async () => {
            await setup.checkGateway(setup, { name, secret });
          },
        },
      ];
    },
  };
}

/** Waits for the network to know a new address. */
async function waitUntilReachable({ terminal }: Setup, origin: string): Promise<void> {
  const deadlineMs = Date.now() + REACHABLE_WITHIN_MS;
  for (let tries = 1; ; tries += 1) {
    const failure = await failureAt(origin);
    if (failure === null) {
      return;
    }
    if (Date.now() > deadlineMs) {
      throw new SetupProblem(
        `${origin} does not answer yet: ${failure}`,
        'A new domain may need some minutes more for its certificate. Wait, then continue.',
      );
    }
    if (tries === 1) {
      terminal.say(`  Waiting until the internet knows ${origin} (up to 10 minutes) …`);
    }
    await wait(POLL_MS);
  }
}

/** Why Cloudflare does not lead the address to a Worker yet; null when it does. */
async function failureAt(origin: string): Promise<string | null> {
  try {
    const { status } = await fetch(`${origin}/operator/v1/check`, { redirect: 'manual' });
    // The Worker answers 4xx: without a secret, or because it is the payments' Worker.
    return status < 500 ? null : `status ${status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}

interface Report {
  readonly checks: readonly {
    readonly name: string;
    readonly state: 'ok' | 'wrong' | 'waiting';
    readonly detail: string;
    readonly remedy: string | null;
  }[];
  /** Null while a check is waiting. */
  readonly finishedAt: string | null;
}

/** Waits for the addresses, then checks the gateway. */
export async function checkGateway(setup: Setup, operator: Operator): Promise<void> {
  const { addresses } = setup.deployment;
  await waitUntilReachable(setup, addresses.backOffice);
  await waitUntilReachable(setup, addresses.payments);
  await runSelfCheck(addresses.backOffice, operator, setup.terminal);
}

/**
 * Starts the self-check, prints each result as soon as it is known, and fails for a wrong one.
 * `mustStart`: a check that began before, with another version, proves nothing.
 */
export async function runSelfCheck(
  origin: string,
  operator: Operator,
  terminal: Pick<Terminal, 'say'>,
  { mustStart = false, pollMs = CHECK_POLL_MS } = {},
): Promise<void> {
  const headers = {
    authorization: `Bearer ${operator.secret}`,
    'x-operator': encodeURIComponent(operator.name),
  };
  const gateway = { origin, headers };
  const printed = new Set<string>();
  const begin = () => startCheck(gateway, mustStart ? pollMs : null);
  for (let report = await begin(); ; report = await reportOf(gateway)) {
    for (const { name, state, detail } of report.checks) {
      if (state !== 'waiting' && !printed.has(name)) {
        printed.add(name);
        terminal.say(`  ${state === 'ok' ? 'ok   ' : 'WRONG'} ${name}: ${detail}`);
      }
    }
    if (report.finishedAt !== null) {
      const wrong = report.checks.filter(({ state }) => state === 'wrong');
      if (wrong.length > 0) {
        throw new SetupProblem(
          `the gateway runs, but not all of it is right: ${wrong.map(({ name }) => name).join(', ')}`,
          [
            ...wrong.map(({ name, remedy }) => `${name}: ${remedy}`),
            `See ${origin}/operator/check.`,
          ].join('\n'),
        );
      }
      return;
    }
    await wait(pollMs);
  }
}

/**
 * The gateway starts one check a minute. Without `againMs`, a check of less than a minute ago is as
 * good; with it, tries again until the gateway starts a new one.
 */
async function startCheck(gateway: Gateway, againMs: number | null): Promise<Report> {
  try {
    return (await send(gateway, { path: '/check', body: {} })) as Report;
  } catch (error) {
    if (!(error instanceof GatewayError && error.message.startsWith('429:'))) {
      throw checkProblem(error);
    }
  }
  if (againMs === null) {
    return reportOf(gateway);
  }
  await wait(againMs);
  return startCheck(gateway, againMs);
}

async function reportOf(gateway: Gateway): Promise<Report> {
  try {
    return (await send(gateway, { path: '/check' })) as Report;
  } catch (error) {
    throw checkProblem(error);
  }
}

function checkProblem(error: unknown): unknown {
  return error instanceof GatewayError
    ? new SetupProblem(
        `the gateway did not check itself: ${error.message}`,
        'Look at its log with `npx wrangler tail`.',
      )
    : error;
}
