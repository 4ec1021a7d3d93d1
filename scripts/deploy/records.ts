import { requireDeployment, writeDeployment } from '../deployment/deployment-file.ts';
import type { Plane } from '../deployment/keys.ts';
import { longestExpiry } from '../deployment/render.ts';
import type { DeployRun } from './context.ts';

/** What deployments write into the deployment file. */

/** A release makes three deployments, each changed secret one more, and Cloudflare lists ten. */
const RELEASED_MAX = 10;

/** Remembers the versions that had all requests, the newest first, and forgets one that was taken back. */
export async function recordReleased(
  { options, directory }: DeployRun,
  plane: Plane,
  versions: readonly string[],
  takenBack: string | null = null,
): Promise<void> {
  const deployment = await requireDeployment(options.name, directory);
  const { released } = deployment;
  const others = released[plane].filter((id) => !versions.includes(id) && id !== takenBack);
  const own = [...versions, ...others].slice(0, RELEASED_MAX);
  const changed = { ...deployment, released: { ...released, [plane]: own } };
  await writeDeployment(options.name, changed, directory);
}

/** Links that the new version makes may live longer than all before: `npm run rotate` waits for them. */
export async function recordExpiry({ options, directory, workers }: DeployRun): Promise<void> {
  const deployment = await requireDeployment(options.name, directory);
  const expireInSecondsMax = longestExpiry(deployment, workers);
  if (expireInSecondsMax > deployment.expireInSecondsMax) {
    await writeDeployment(options.name, { ...deployment, expireInSecondsMax }, directory);
  }
}
