/**
 * `npm run deploy`: brings this commit to a gateway in steps, with checks before and between them, and
 * goes back by itself when a check fails. See docs/deploy.md#later-versions.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type DeployOptions, NOT_UNDERSTOOD } from './deploy/context.ts';
import { runDeploy } from './deploy/run.ts';
import { cloudflareOf } from './deployment/cloudflare.ts';
import { DEPLOYMENT_OPTIONS, placesOf, REPLACE_DNS } from './deployment/options.ts';
import { runWrangler } from './deployment/wrangler.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { numberOption, runScript } from './project/options.ts';
import { SetupProblem } from './setup/explain.ts';
import { runSelfCheck } from './setup/self-check.ts';
import { commandOf, processTerminal, type Terminal } from './setup/terminal.ts';

const STEPS = '10,50,100';
/** Long enough for the self-check and for some customers; Cloudflare's counts come later. */
const WAIT_SECONDS = 60;
const WHOLE = 100;
/** What the command can do in place of a deployment. */
const ACTS = ['migrate', 'classes', 'rollback'] as const;

const SCRIPT = {
  usage: 'npm run deploy',
  about: `Brings this commit to a gateway in steps, and goes back by itself when a check fails.
Run it again to continue an interrupted deployment.`,
  options: {
    env: DEPLOYMENT_OPTIONS.env,
    operators: DEPLOYMENT_OPTIONS.operators,
    directory: DEPLOYMENT_OPTIONS.directory,
    steps: {
      value: 'LIST',
      about: `percent of the requests that get the new version (default: ${STEPS})`,
      read: stepsIn,
    },
    wait: numberOption('SECONDS', 'how long to watch each step', WAIT_SECONDS, 0),
    migrate: { value: null, about: 'apply pending migrations, and nothing else' },
    classes: { value: null, about: 'deploy changed classes of objects, all at once' },
    rollback: { value: null, about: 'go back to the version before' },
    'without-comparison': {
      value: null,
      about: 'deploy although the deployed commit is unknown, and cannot be run beside this one',
    },
    'replace-dns': REPLACE_DNS,
    yes: { value: null, about: 'ask nothing' },
  },
};

/** Rising percentages that end at 100. */
function stepsIn(text: string | undefined, name: string): readonly number[] {
  const steps = (text ?? STEPS).split(',').map(Number);
  const isRising = steps.every((step, index) => step > (steps[index - 1] ?? 0));
  if (!isRising || !steps.every(Number.isInteger) || steps.at(-1) !== WHOLE) {
    throw new Error(`--${name} takes rising whole numbers up to 100, such as ${STEPS}`);
  }
  return steps;
}

/** A step may need five self-checks of nineteen lines. */
function onlyWrong({ say }: Terminal): Pick<Terminal, 'say'> {
  return {
    say: (text) => {
      if (text.includes('WRONG')) {
        say(text);
      }
    },
  };
}

async function git(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: PROJECT_DIRECTORY })).stdout;
}

async function isCompatible(commit: string): Promise<boolean> {
  const file = join(PROJECT_DIRECTORY, 'lab', 'compatibility.ts');
  const child = spawn(process.execPath, [file, '--with', commit], { stdio: 'inherit' });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0 && exitCode !== NOT_UNDERSTOOD) {
    throw new SetupProblem(
      `the code of commit ${commit} could not be run beside this one`,
      'Read above what failed. A process may use the port, or that commit could not be built.',
    );
  }
  return exitCode === 0;
}

await runScript(SCRIPT, async ({ steps, wait, yes, ...given }) => {
  const acts = ACTS.filter((one) => given[one]);
  if (acts.length > 1) {
    throw new Error(`--${acts.join(' and --')} are done one after the other`);
  }
  const { env, operators, directory } = given;
  const places = placesOf({ env, operators, directory, account: undefined, recovery: undefined });
  const options: DeployOptions = {
    name: places.name,
    steps,
    waitMs: wait * 1_000,
    isYes: yes,
    replaceDns: given['replace-dns'],
    isWithoutComparison: given['without-comparison'],
    act: acts[0] ?? 'deploy',
    operatorsFile: places.operatorsFile,
    command: commandOf(
      'deploy',
      env,
      ACTS.map((act) => `--${act}`),
    ),
  };
  const terminal = processTerminal();
  return runDeploy(
    options,
    {
      terminal,
      cloudflare: await cloudflareOf(process.env),
      runWrangler,
      git,
      isCompatible,
      fetch,
      wait: (ms) => setTimeout(ms),
      selfCheck: (origin, operator, headers) =>
        runSelfCheck(origin, operator, onlyWrong(terminal), { mustStart: true, headers }),
    },
    places.directory,
  );
});
