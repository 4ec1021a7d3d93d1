import { setTimeout as wait } from 'node:timers/promises';
import { readOperatorsFile } from '../deployment/operators-file.ts';
import { GatewayError, send } from '../operator/client.ts';
import type { Setup } from './context.ts';
import { SetupProblem } from './explain.ts';
import type { Step } from './step.ts';

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
            await waitUntilReachable(setup, addresses.backOffice);
            await waitUntilReachable(setup, addresses.payments);
            await check(setup, { name, secret });
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

interface CheckLine {
  readonly name: string;
  readonly state: 'ok' | 'wrong' | 'waiting';
  readonly finding: string;
  readonly details?: Readonly<Record<string, string | number>>;
}

/** Starts the self-check, prints each result as soon as it is known, and fails for a wrong one. */
async function check(
  { deployment, terminal }: Setup,
  operator: { readonly name: string; readonly secret: string },
): Promise<void> {
  const origin = deployment.addresses.backOffice;
  const headers = {
    authorization: `Bearer ${operator.secret}`,
    'x-operator': encodeURIComponent(operator.name),
  };
  const gateway = { origin, headers };
  const printed = new Set<string>();
  let lines = await linesOf(send(gateway, { path: '/check', body: {} }));
  const deadlineMs = Date.now() + REACHABLE_WITHIN_MS;
  for (;;) {
    for (const line of lines) {
      if (line.state !== 'waiting' && !printed.has(line.name)) {
        printed.add(line.name);
        terminal.say(`  ${line.state === 'ok' ? 'ok   ' : 'WRONG'} ${textOf(line)}`);
      }
    }
    if (lines.every(({ state }) => state !== 'waiting') || Date.now() > deadlineMs) {
      break;
    }
    await wait(CHECK_POLL_MS);
    lines = await linesOf(send(gateway, { path: '/check' }));
  }
  const wrong = lines.filter(({ state }) => state !== 'ok');
  if (wrong.length > 0) {
    throw new SetupProblem(
      `${wrong.map(({ name }) => name).join(', ')} of the gateway ${wrong.length === 1 ? 'is' : 'are'} wrong`,
      `See ${origin}/operator/check and docs/operator.md#check.`,
    );
  }
}

async function linesOf(sent: Promise<unknown>): Promise<readonly CheckLine[]> {
  try {
    return ((await sent) as { readonly checks: readonly CheckLine[] }).checks;
  } catch (error) {
    if (error instanceof GatewayError) {
      throw new SetupProblem(
        `the gateway did not check itself: ${error.message}`,
        'Look at the log with `npx wrangler tail`.',
      );
    }
    throw error;
  }
}

function textOf({ name, finding, details = {} }: CheckLine): string {
  const values = Object.entries(details).map(([key, value]) => `${key} ${value}`);
  return [`${name}: ${finding.replaceAll('_', ' ')}`, ...values].join(', ');
}
