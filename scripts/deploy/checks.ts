import type { DeployedWorker } from '../deployment/deployed-worker.ts';
import { SetupProblem } from '../deployment/explain.ts';
import type { Plane } from '../deployment/keys.ts';
import type { Work } from '../setup/step.ts';
import { missingMigrations } from '../setup/workers.ts';
import type { DeployRun } from './context.ts';

/** The project without its deployment files, for git. */
const CODE = ['.', ':!deployments'];

/** What must hold before a version is uploaded. */

/** The commit of the project. Throws for changes that no commit has. */
export async function committed({ git }: DeployRun): Promise<string> {
  // Setup, rotations and deployments write into the folder of deployment files.
  const changes = (await git('status', '--porcelain', '--', ...CODE)).trim();
  if (changes !== '') {
    throw new SetupProblem(
      `the folder has changes that no commit has:\n${changes}`,
      'Commit them: a version is named by its commit, and a rollback finds it by that.',
    );
  }
  return (await git('rev-parse', 'HEAD')).trim();
}

/** The migrations that the databases of both Workers lack. */
export async function pendingMigrations(run: DeployRun): Promise<readonly Work[]> {
  const works = await Promise.all(
    [run.workers.payments, run.workers.backOffice].map((worker) => missingMigrations(run, worker)),
  );
  return works.flat();
}

export function checkSecrets(run: DeployRun, plane: Plane, deployed: DeployedWorker): void {
  const required = run.workers[plane].config.secrets?.required ?? [];
  const missing = required.filter((name) => !deployed.secrets.includes(name));
  if (missing.length > 0) {
    throw new SetupProblem(
      `${deployed.name} has no ${missing.join(', ')}`,
      `Run \`npm run setup -- --env ${run.options.name}\`: it sets what is missing.`,
    );
  }
}

/** How the classes of objects differ from the deployed ones; null: they do not. */
export function changedClasses(
  run: DeployRun,
  plane: Plane,
  { name, classes }: DeployedWorker,
): string | null {
  const exported = Object.keys(run.workers[plane].config.exports ?? {});
  const added = exported.filter((one) => !classes.includes(one));
  const removed = classes.filter((one) => !exported.includes(one));
  const parts = [
    ...(added.length > 0 ? [`adds ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removes ${removed.join(', ')}`] : []),
  ];
  return parts.length === 0 ? null : `${name} ${parts.join(' and ')}`;
}
