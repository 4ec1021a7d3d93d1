/**
 * `npm run backup:secrets -- --from FOLDER --run RUN --out FILE`: takes the payments' secrets out of a
 * fetched backup, with the recovery file, as JSON for `wrangler secret bulk`.
 */
import { writeFile } from 'node:fs/promises';
import { DEPLOYMENT_OPTIONS, placesOf } from './deployment/options.ts';
import { recoveredSecrets } from './deployment/recovered-secrets.ts';
import { requireRecoveryFile } from './deployment/recovery-file.ts';
import { runScript } from './project/options.ts';

const { env, recovery } = DEPLOYMENT_OPTIONS;

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
    out: { value: 'FILE', about: 'a new file, which only you can read', isRequired: true as const },
    env,
    recovery,
  },
};

await runScript(SCRIPT, async ({ from = '', run = '', out = '', ...place }) => {
  const none = { account: undefined, operators: undefined, directory: undefined };
  const { recoveryFile } = placesOf({ ...place, ...none });
  const secrets = await recoveredSecrets(from, run, await requireRecoveryFile(recoveryFile));
  await writeFile(out, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  console.log(
    `Wrote ${Object.keys(secrets).length} secrets to ${out}. Delete it when they are set.`,
  );
});
