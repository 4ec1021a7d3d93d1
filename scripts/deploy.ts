/**
 * `npm run deploy`: brings this commit to a gateway, with checks before and after it gets requests, and
 * goes back by itself when one fails. See docs/deploy.md#later-versions.
 */
import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { DeployOptions } from './deploy/context.ts';
import { deployCommit } from './deploy/older-commit.ts';
import { runDeploy } from './deploy/run.ts';
import { cloudflareOf } from './deployment/cloudflare.ts';
import { DEPLOYMENTS_DIRECTORY } from './deployment/deployment-file.ts';
import { DEPLOYMENT_OPTIONS, placesOf } from './deployment/options.ts';
import { runWrangler } from './deployment/wrangler.ts';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { runScript } from './project/options.ts';
import { runSelfCheck } from './setup/self-check.ts';
import { commandOf, processTerminal, type Terminal } from './setup/terminal.ts';

/** What the command can do in place of a deployment. */
const ACTS = ['migrate', 'rollback'] as const;

const SCRIPT = {
  usage: 'npm run deploy',
  about: `Brings this commit to a gateway, and goes back by itself when a check fails.
Run it again to continue an interrupted deployment.`,
  options: {
    env: DEPLOYMENT_OPTIONS.env,
    operators: DEPLOYMENT_OPTIONS.operators,
    directory: DEPLOYMENT_OPTIONS.directory,
    migrate: { value: null, about: 'apply pending migrations, and nothing else' },
    rollback: { value: null, about: 'go back to the version before' },
    yes: { value: null, about: 'ask nothing' },
  },
};

/** A release may need several self-checks of nineteen lines. */
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

await runScript(SCRIPT, async ({ yes, ...given }) => {
  const acts = ACTS.filter((one) => given[one]);
  if (acts.length > 1) {
    throw new Error(`--${acts.join(' and --')} are done one after the other`);
  }
  const { env, operators, directory } = given;
  const places = placesOf({ env, operators, directory, account: undefined, recovery: undefined });
  const options: DeployOptions = {
    name: places.name,
    isYes: yes,
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
      deployCommit: (commit) =>
        deployCommit(commit, [
          ...['--env', env, '--directory', places.directory ?? DEPLOYMENTS_DIRECTORY],
          ...['--operators', places.operatorsFile, '--yes'],
        ]),
      fetch,
      wait: (ms) => setTimeout(ms),
      selfCheck: (origin, operator, headers) =>
        runSelfCheck(origin, operator, onlyWrong(terminal), { mustStart: true, headers }),
    },
    places.directory,
  );
});
