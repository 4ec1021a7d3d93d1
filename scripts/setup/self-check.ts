import { setTimeout as wait } from 'node:timers/promises';
import { VERSION_HEADER } from '../../src/kit/http/common-headers.ts';
import { SetupProblem } from '../deployment/explain.ts';
import { GatewayError, operatorHeaders, send } from '../operator/client.ts';
import type { Gateway } from '../operator/command.ts';
import type { Operator, Setup } from './context.ts';
import type { Terminal } from './terminal.ts';

/** A new address needs a certificate, which takes minutes. */
const REACHABLE_WITHIN_MS = 10 * 60_000;
const POLL_MS = 5_000;
const CHECK_POLL_MS = 1_000;
/** Answers without a key. */
const PUBLIC_PATH = '/api/v1/payment/webhook-keys';

/** Merchants' servers call themselves so; a bot's name is what Cloudflare challenges first. */
const CLIENTS = ['curl/8.5.0', 'GuzzleHttp/7', 'python-requests/2.32.3', 'okhttp/4.12.0'];

/** Looks from outside for challenges of Cloudflare, which no merchant's server can solve. */
async function checkChallenges(origin: string): Promise<void> {
  for (const client of CLIENTS) {
    const headers = { 'user-agent': client };
    const answer = await fetch(`${origin}${PUBLIC_PATH}`, { headers, redirect: 'manual' });
    await answer.body?.cancel();
    if (isChallenge(answer)) {
      throw new SetupProblem(
        `Cloudflare challenges ${client} at ${origin}, so merchants' servers and providers get no answer`,
        'Turn Bot Fight Mode off for the domain, under Security, Settings: no rule of yours can skip it. See docs/deploy.md#bots.',
      );
    }
  }
}

/** https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/ */
function isChallenge({ headers }: Response): boolean {
  return headers.get('cf-mitigated') === 'challenge';
}

/** Waits until the address leads to Kefel: nothing else may get the operator's secret. */
async function waitUntilReachable(
  terminal: Pick<Terminal, 'say'>,
  origin: string,
  path: string,
  pollMs: number,
): Promise<void> {
  const deadlineMs = Date.now() + REACHABLE_WITHIN_MS;
  for (let tries = 1; ; tries += 1) {
    const failure = await failureAt(`${origin}${path}`);
    if (failure === null) {
      return;
    }
    if (Date.now() > deadlineMs) {
      throw new SetupProblem(
        `${origin} does not lead to Kefel yet: ${failure}`,
        'A new domain may need some minutes more for its certificate. Wait, then continue.',
      );
    }
    if (tries === 1) {
      terminal.say(`  Waiting until ${origin} leads to Kefel (up to 10 minutes) …`);
    }
    await wait(pollMs);
  }
}

/** Why the address does not lead to Kefel yet; null when it does. */
async function failureAt(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { redirect: 'manual' });
    if (answer.headers.has(VERSION_HEADER)) {
      return null;
    }
    return isChallenge(answer)
      ? 'Cloudflare challenges this machine (docs/deploy.md#bots)'
      : `something else answers, with status ${answer.status}`;
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

/** The gateway did not let the operator in, so nothing is known about it. */
export class NotChecked extends SetupProblem {}

/** What these find is printed. No deployment has caused it, and taking one back mends nothing. */
const DATA_CHECKS: readonly string[] = ['books'];

/** Checks have found something wrong. */
export class WrongChecks extends SetupProblem {
  readonly names: readonly string[];

  constructor(names: readonly string[], remedy: string) {
    super(`the gateway runs, but not all of it is right: ${names.join(', ')}`, remedy);
    this.names = names;
  }
}

interface GatewayCheckOptions {
  readonly mustStart: boolean;
  /** Before a change: at once, and in silence. */
  readonly isBefore?: boolean;
  readonly pollMs?: number;
}

/** Waits for the addresses, then checks the gateway. */
export async function checkGateway(
  { deployment, terminal }: Pick<Setup, 'deployment' | 'terminal'>,
  operator: Operator,
  { mustStart, isBefore = false, pollMs = POLL_MS }: GatewayCheckOptions,
): Promise<void> {
  const { backOffice, payments } = deployment.addresses;
  if (isBefore) {
    await runSelfCheck(backOffice, operator, { say: () => undefined });
    return;
  }
  // Cloudflare Access may guard the desk, and not these.
  await waitUntilReachable(terminal, backOffice, '/', pollMs);
  await waitUntilReachable(terminal, payments, PUBLIC_PATH, pollMs);
  await checkChallenges(payments);
  await runSelfCheck(backOffice, operator, terminal, { mustStart });
}

/**
 * Starts the self-check, prints each result as soon as it is known, and fails for a wrong one. Returns
 * what each check found. `headers`: which version must answer.
 * `mustStart`: a check that began before, with another version, proves nothing.
 */
export async function runSelfCheck(
  origin: string,
  operator: Operator,
  terminal: Pick<Terminal, 'say'>,
  { mustStart = false, pollMs = CHECK_POLL_MS, environment = process.env, headers = {} } = {},
): Promise<ReadonlyMap<string, string>> {
  const gateway = { origin, headers: { ...operatorHeaders(operator, environment), ...headers } };
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
      const wrong = report.checks.filter(
        ({ name, state }) => state === 'wrong' && !DATA_CHECKS.includes(name),
      );
      if (wrong.length > 0) {
        throw new WrongChecks(
          wrong.map(({ name }) => name),
          [
            ...wrong.map(({ name, remedy }) => `${name}: ${remedy}`),
            `See ${origin}/operator/check.`,
          ].join('\n'),
        );
      }
      return new Map(report.checks.map(({ name, detail }) => [name, detail]));
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
  if (!(error instanceof GatewayError)) {
    return error;
  }
  const { message, status } = error;
  return status !== null && ((status >= 300 && status < 400) || status === 401 || status === 403)
    ? new NotChecked(
        `the gateway did not let the operator in: ${message}`,
        "Look at the operator's secret. Where Cloudflare Access guards the desk, set CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET: docs/operator.md.",
      )
    : new SetupProblem(
        `the gateway did not check itself: ${message}`,
        'Look at its log: docs/night.md#log.',
      );
}
