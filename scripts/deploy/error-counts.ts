import { CloudflareError } from '../deployment/cloudflare.ts';
import type { DeployRun } from './context.ts';
import { SmokeFailure } from './smoke.ts';

/** Fewer errors may come from anything, such as a customer who hangs up. */
const ERRORS_MIN = 3;
/** A working version has almost none: refused requests are no errors. */
const ERROR_RATE_MAX = 0.01;
/** An outage of D1 or of a provider raises the old version's errors, too. */
const OLD_RATE_FACTOR = 2;

interface Counts {
  readonly requests: number;
  readonly errors: number;
}

/** Uncaught errors and exceeded limits of each version: Cloudflare counts them minutes late. */
const QUERY = `query Query($account: string, $script: string, $since: string) {
  viewer { accounts(filter: { accountTag: $account }) {
    workersInvocationsAdaptive(limit: 100, filter: { scriptName: $script, datetime_geq: $since }) {
      dimensions { scriptVersion status }
      sum { requests errors }
    }
  } }
}`;

interface Answer {
  readonly viewer: {
    readonly accounts: readonly {
      readonly workersInvocationsAdaptive: readonly {
        readonly dimensions: { readonly scriptVersion: string };
        readonly sum: Counts;
      }[];
    }[];
  };
}

/** Compares the errors of the new version with those of the old one. Throws SmokeFailure. */
export async function compareErrors(
  run: DeployRun,
  name: string,
  versions: { readonly newId: string; readonly oldId: string },
  sinceMs: number,
): Promise<void> {
  const { terminal } = run;
  const found = await countsSince(run, name, sinceMs);
  if (found === null) {
    return;
  }
  const { newId, oldId } = versions;
  if (found.size > 0 && !found.has(newId) && !found.has(oldId)) {
    terminal.say(
      `  Errors are not compared: Cloudflare counts by ${[...found.keys()].join(', ')}.`,
    );
    return;
  }
  const current = found.get(newId) ?? { requests: 0, errors: 0 };
  const old = found.get(oldId) ?? { requests: 0, errors: 0 };
  const text = ({ requests, errors }: Counts) => `${errors} errors in ${requests} requests`;
  terminal.say(`  New version: ${text(current)}. Old version: ${text(old)}.`);
  const limit = Math.max(ERROR_RATE_MAX, OLD_RATE_FACTOR * rateOf(old));
  if (current.errors >= ERRORS_MIN && rateOf(current) > limit) {
    throw new SmokeFailure(`the new version had ${text(current)}, the old one ${text(old)}`);
  }
}

function rateOf({ requests, errors }: Counts): number {
  return requests === 0 ? 0 : errors / requests;
}

/** By version. Says why errors can't be counted, and then is null. */
async function countsSince(
  { cloudflare, deployment, terminal }: DeployRun,
  name: string,
  sinceMs: number,
): Promise<ReadonlyMap<string, Counts> | null> {
  const counts = new Map<string, Counts>();
  try {
    const { viewer } = await cloudflare.query<Answer>(QUERY, {
      account: deployment.account.id,
      script: name,
      since: new Date(sinceMs).toISOString(),
    });
    for (const { dimensions, sum } of viewer.accounts[0]?.workersInvocationsAdaptive ?? []) {
      const known = counts.get(dimensions.scriptVersion) ?? { requests: 0, errors: 0 };
      const requests = known.requests + sum.requests;
      counts.set(dimensions.scriptVersion, { requests, errors: known.errors + sum.errors });
    }
    return counts;
  } catch (error) {
    if (!(error instanceof CloudflareError)) {
      throw error;
    }
    terminal.say(`  Errors are not counted: ${error.message}`);
    if (/auth|permission|access/i.test(error.message) || error.status === 403) {
      terminal.say('  The token needs the permission "Account: Account Analytics: Read".');
    }
    return null;
  }
}
