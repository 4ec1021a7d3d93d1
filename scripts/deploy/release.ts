import {
  commitMessage,
  type DeployedWorker,
  deployedWorker,
  setShares,
  type WorkerVersion,
} from '../deployment/deployed-worker.ts';
import type { Plane } from '../deployment/keys.ts';
import { checkAddresses } from '../setup/triggers.ts';
import type { DeployRun } from './context.ts';
import { goBack } from './going-back.ts';
import { recordReleased } from './records.ts';
import { SmokeFailure, selfCheck, smokeTest } from './smoke.ts';

const WHOLE = 100;

/** A version to bring to a Worker's requests. */
export interface Release {
  readonly plane: Plane;
  readonly deployed: DeployedWorker;
  readonly commit: string;
  /** `formatVersionTag` of the code and configuration. */
  readonly tag: string;
  /** Whether schedules, consumers or routes may have changed, which belong to no version. */
  readonly hasOtherConfig: boolean;
}

/** The two versions of a deployment that is under way; null: all requests go to one. */
export function splitOf({ shares }: DeployedWorker) {
  const [old, current] = shares;
  return old === undefined || current === undefined
    ? null
    : { old: old.version, current: current.version, percentage: current.percentage };
}

/** Where an interrupted run left the release; null: it has not begun. */
function interrupted({ deployed, tag }: Release): ReturnType<typeof splitOf> {
  const { shares, isProved, isWhole, previous } = deployed;
  const current = shares.at(-1)?.version;
  return !isProved && shares.length === 1 && current?.tag === tag && previous !== null
    ? { old: previous, current, percentage: isWhole ? WHOLE : 0 }
    : splitOf(deployed);
}

/**
 * Uploads the version without requests, or finds the upload of an interrupted run, asks it by its name,
 * and gives it all requests. Returns false after it went back to the old version.
 */
export async function releaseVersion(run: DeployRun, release: Release): Promise<boolean> {
  const { terminal } = run;
  const { deployed, plane } = release;
  const { name } = deployed;
  const split = interrupted(release);
  const current = split?.current ?? (await uploaded(run, release));
  const old = split?.old ?? (deployed.shares[0]?.version as WorkerVersion);
  const hasAll = split?.percentage === WHOLE;
  const whole = [{ id: current.id, percentage: WHOLE }];
  if (split !== null) {
    terminal.say(`  ${name}: continuing with ${current.id}.`);
  } else {
    // Only a version of the current deployment can be asked for by name.
    const none = [
      { id: current.id, percentage: 0 },
      { id: old.id, percentage: WHOLE },
    ];
    await setShares(run, name, none);
  }
  try {
    await smokeTest(run, plane, name, current.id);
    terminal.say(`  ${name}: the new version answers.`);
    if (!hasAll) {
      if (release.hasOtherConfig) {
        await deployTriggers(run, release);
      }
      await setShares(run, name, whole);
      terminal.say(`  ${name}: all requests go to ${current.id}.`);
    }
    await selfCheck(run, plane, name, current.id);
  } catch (error) {
    if (!(error instanceof SmokeFailure)) {
      throw error;
    }
    terminal.say(`  ${name}: ${error.message}.`);
    await goBack(run, name, old, current);
    await recordReleased(run, plane, [old.id], current.id);
    terminal.say(`  ${name}: rolled back. All requests go to ${old.id} again.`);
    return false;
  }
  await recordReleased(run, plane, [current.id, old.id]);
  // An interrupted run leaves this out, and the next one repeats the checks.
  await setShares(run, name, whole, 'proved');
  return true;
}

/**
 * Before the version gets requests, so that an interrupted run never leaves a finished deployment without them:
 * queues keep what the old version does not consume.
 */
async function deployTriggers(run: DeployRun, { plane, deployed }: Release): Promise<void> {
  const worker = run.workers[plane];
  // Wrangler replaces the DNS record of something else unasked, and one may have been made meanwhile.
  await checkAddresses(run, { [plane]: worker });
  await run.runWrangler(['triggers', 'deploy', '-c', worker.file]);
  run.terminal.say(
    `  ${deployed.name}: schedules, consumers and routes are those of this version.`,
  );
}

async function uploaded(run: DeployRun, release: Release): Promise<WorkerVersion> {
  const { name } = release.deployed;
  const found = ownVersion(release.deployed, release);
  if (found !== null) {
    run.terminal.say(`  ${name}: ${found.id} was uploaded before.`);
    return found;
  }
  await run.runWrangler([
    ...['versions', 'upload', '-c', run.workers[release.plane].uploadFile],
    ...['--tag', release.tag, '--message', commitMessage(release.commit)],
  ]);
  const made = ownVersion(await deployedWorker(run, name), release);
  if (made === null) {
    throw new Error(`wrangler uploaded no version of ${name} with the tag ${release.tag}`);
  }
  run.terminal.say(`  ${name}: uploaded ${made.id}.`);
  return made;
}

/** The newest version with this code, unless a later version is deployed: its secrets differ. */
function ownVersion(
  deployed: DeployedWorker | null,
  { tag, commit }: Release,
): WorkerVersion | null {
  const versions = deployed?.versions ?? [];
  const since = versions.findIndex(({ id }) =>
    deployed?.shares.some((one) => one.version.id === id),
  );
  const newer = since < 0 ? versions : versions.slice(0, since);
  return newer.find((version) => version.tag === tag && version.commit === commit) ?? null;
}
