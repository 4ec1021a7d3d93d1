/**
 * `npm run backup:secrets -- --from FOLDER --run RUN`: takes the payments' secrets out of a fetched
 * backup, with the recovery file. `--set` gives the deployed Worker those of rails and alerts that it
 * lacks; `--out FILE` writes all, as JSON for `wrangler secret bulk`.
 */
import { writeFile } from 'node:fs/promises';
import { readDeployment, requireDeployment } from './deployment/deployment-file.ts';
import { DEPLOYMENT_OPTIONS, placesOf } from './deployment/options.ts';
import { recoveredSecrets } from './deployment/recovered-secrets.ts';
import { requireRecoveryFile } from './deployment/recovery-file.ts';
import { runScript } from './project/options.ts';

const { env, recovery, directory } = DEPLOYMENT_OPTIONS;

const SCRIPT = {
  usage: 'npm run backup:secrets',
  about: "Takes the payments' secrets, also the providers', out of a fetched backup.",
  options: {
    from: {
      value: 'FOLDER',
      about: 'where `backup fetch` wrote the run',
      isRequired: true as const,
    },
    run: { value: 'RUN', about: 'the run, such as 20261127T013700Z', isRequired: true as const },
    set: { value: null, about: 'set those of rails and alerts that the deployed Worker lacks' },
    out: { value: 'FILE', about: 'write all into a new file, which only you can read' },
    env,
    recovery,
    directory,
    'dry-run': { value: null, about: 'with --set: say what it would set, and change nothing' },
  },
};

await runScript(SCRIPT, async (given) => {
  const { from = '', run = '', out, set, 'dry-run': isDryRun, ...place } = given;
  const places = placesOf({ ...place, account: undefined, operators: undefined });
  if (set === (out !== undefined)) {
    throw new Error('give either --set, or --out FILE');
  }
  if (out !== undefined) {
    const secrets = await recoveredSecrets(
      from,
      run,
      await requireRecoveryFile(places.recoveryFile),
      await readDeployment(places.name, places.directory),
    );
    await writeFile(out, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    const count = Object.keys(secrets).length;
    console.log(`Wrote ${count} secrets to ${out}. Delete it when they are set.`);
    return true;
  }
  const { Setup } = await import('./setup/context.ts');
  const { processTools } = await import('./setup/process-tools.ts');
  const { recoveredStep } = await import('./setup/recovered-step.ts');
  const { runSteps } = await import('./setup/step.ts');
  const { commandOf } = await import('./setup/terminal.ts');
  const deployment = await requireDeployment(places.name, places.directory);
  const command = commandOf('backup:secrets', given.env);
  const options = { ...places, isDryRun, isYes: true, command };
  const setup = new Setup(options, await processTools(), deployment);
  return runSteps([recoveredStep(setup, from, run)], setup.terminal, options);
});
