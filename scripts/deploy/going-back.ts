import { CloudflareError } from '../deployment/cloudflare.ts';
import { setShares, type WorkerVersion } from '../deployment/deployed-worker.ts';
import { SetupProblem } from '../deployment/explain.ts';
import { olderCode } from '../deployment/newest-file.ts';
import type { DeployRun } from './context.ts';

/** Five minutes between them: most faults of a network or of Cloudflare's API pass sooner. */
const TRIES = 31;
const EVERY_MS = 10_000;

/** Cloudflare's answer when a secret has changed since the version was uploaded. */
const OTHER_SECRETS = 10220;

/** A version that must get no more requests still gets some. */
export class StillLive extends SetupProblem {}

/** Cloudflare refuses a version whose secrets have changed since. */
export class OtherSecrets extends StillLive {}

/** Gives all requests to an older version. Throws StillLive when Cloudflare does not do it. */
export async function goBack(
  run: DeployRun,
  name: string,
  to: WorkerVersion,
  from: WorkerVersion,
): Promise<void> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      await setShares(run, name, [{ id: to.id, percentage: 100 }], 'back');
      return;
    } catch (error) {
      if (!(error instanceof CloudflareError)) {
        throw error;
      }
      if (left === 0 || !mayPass(error)) {
        throw stillLive(run, name, to, from, error);
      }
      run.terminal.say(`  ${name}: NOT rolled back yet, trying again: ${error.message}`);
    }
    await run.wait(EVERY_MS);
  }
}

/** A login that has expired is renewed by the client: no answer of Cloudflare's is final then. */
function mayPass({ status }: CloudflareError): boolean {
  return status === null || status === 401 || status === 429 || status >= 500;
}

function stillLive(
  { options, deployment }: DeployRun,
  name: string,
  to: WorkerVersion,
  from: WorkerVersion,
  { message, code }: CloudflareError,
): StillLive {
  if (code === OTHER_SECRETS || /secrets? (?:have|has) changed/i.test(message)) {
    const [, names = 'secrets'] = /have changed: ([\w, ]+)/.exec(message) ?? [];
    return new OtherSecrets(
      `${from.id} IS STILL LIVE: ${name} cannot go back to ${to.id}, which has an old value of ${names.trim()}`,
      `Deploy its code with the current secrets: ${olderCode(to.commit ?? 'ITS-COMMIT')}\nCommit that, and run: ${options.command}`,
    );
  }
  const page = `https://dash.cloudflare.com/${deployment.account.id}/workers/services/view/${name}/production/deployments`;
  return new StillLive(
    `THE BAD VERSION IS STILL LIVE: ${name} was not taken back from ${from.id}: ${message}`,
    `Try at once, until it works: ${options.command} --rollback\nIt must say "back to ${to.id}". Or deploy that version at ${page}`,
  );
}
