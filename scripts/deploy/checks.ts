import type { DeployedWorker } from '../deployment/deployed-worker.ts';
import type { Plane } from '../deployment/keys.ts';
import { SetupProblem } from '../setup/explain.ts';
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
      'Commit them: a version is named by its commit, and the next one is compared with it.',
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

/**
 * Runs the code of the deployed versions beside this one. Throws when they do not understand each
 * other, or, unless a person says so, when it cannot know what is deployed.
 */
export async function checkCompatibility(
  run: DeployRun,
  deployed: readonly DeployedWorker[],
): Promise<void> {
  const { terminal, isCompatible } = run;
  const compared: string[] = [];
  const unknown: string[] = [];
  for (const { name, shares } of deployed) {
    for (const { version } of shares) {
      const { commit } = version;
      if (commit === null || !(await hasCommit(run, commit))) {
        const what = commit === null ? 'an unknown commit' : `commit ${commit}, which is not here`;
        unknown.push(`${name} runs ${what}`);
      } else if (!(await hasCodeOf(run, commit, compared))) {
        compared.push(commit);
        terminal.say(
          `  Running the code of commit ${commit} beside this one, which takes some minutes …`,
        );
        if (!(await isCompatible(commit))) {
          throw new SetupProblem(
            `this version and commit ${commit} do not understand each other, and a deployment mixes them`,
            'See docs/changing.md, "Change an RPC or a queue message".',
          );
        }
      }
    }
  }
  if (unknown.length > 0) {
    await goWithoutComparison(run, unknown.join(', and '));
  }
}

/** Whether a commit has the same code as one of others: a deployment file has its own commits. */
async function hasCodeOf(
  { git }: DeployRun,
  commit: string,
  others: readonly string[],
): Promise<boolean> {
  for (const other of others) {
    if (
      other === commit ||
      (await git('diff', '--name-only', other, commit, '--', ...CODE)) === ''
    ) {
      return true;
    }
  }
  return false;
}

async function goWithoutComparison({ options, terminal }: DeployRun, why: string): Promise<void> {
  const problem = `${why}: its code cannot be run beside this one`;
  if (!options.isWithoutComparison) {
    if (options.isYes || !terminal.isInteractive) {
      throw new SetupProblem(problem, 'Get that commit, or add --without-comparison.');
    }
    terminal.say(`  ${problem}.`);
    if ((await terminal.ask('Go on without the comparison? Type yes: ')).trim() !== 'yes') {
      throw new SetupProblem(problem, 'Get that commit first.');
    }
  }
  terminal.say(`  SKIPPED: ${problem}.`);
}

async function hasCommit({ git }: DeployRun, commit: string): Promise<boolean> {
  try {
    await git('cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}
