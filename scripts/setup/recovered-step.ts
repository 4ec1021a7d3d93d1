import { networksIn } from '../check-rail/given.ts';
import { deployedWorker } from '../deployment/deployed-worker.ts';
import type { Deployment } from '../deployment/deployment-file.ts';
import { SetupProblem } from '../deployment/explain.ts';
import { recoveredSecrets } from '../deployment/recovered-secrets.ts';
import { isOptionalSecret } from '../project/secrets.ts';
import type { Setup } from './context.ts';
import type { Step } from './step.ts';
import { checkNotSplit } from './workers.ts';

/**
 * Gives the payments' Worker the secrets of rails and alerts that a backup has. The deployment file
 * makes the key rings, and knows nothing of these. One that the Worker has already is not replaced.
 */
export function recoveredStep(setup: Setup, from: string, run: string): Step {
  return {
    title: 'secrets of rails and alerts',
    why: 'The backup has them; without a rail’s secret, its method is not enabled.',
    look: async () => {
      const { name } = (await setup.workers()).payments.config;
      const deployed = await deployedWorker(setup, name);
      if (deployed === null) {
        throw new SetupProblem(`there is no Worker ${name}`, 'Run `npm run setup` first.');
      }
      const all = await recoveredSecrets(from, run, await setup.recoveryKey(), setup.deployment);
      const secrets = Object.entries(all).filter(([secret]) => isOptionalSecret(secret));
      const missing = secrets.filter(([secret]) => !deployed.secrets.includes(secret));
      const names = missing.map(([secret]) => secret);
      checkNetworks(setup.deployment, missing);
      const known = secrets.length - missing.length;
      setup.terminal.say(`  The backup has ${secrets.length}; the Worker has ${known} of these.`);
      return names.length === 0
        ? []
        : [
            {
              what: `set ${names.join(', ')} of the Worker ${name}`,
              make: async () => {
                await checkNotSplit(setup, name);
                const texts = missing.map(([secret, text]) => [
                  secret,
                  { name: secret, text, type: 'secret_text' },
                ]);
                await setup.cloudflare.call({
                  method: 'PATCH',
                  path: setup.path(`workers/scripts/${name}/secrets-bulk`),
                  headers: { 'content-type': 'application/merge-patch+json' },
                  body: { secrets: Object.fromEntries(texts) },
                });
              },
            },
          ];
    },
  };
}

/** A rail whose secret names a binding that the Worker lacks would not be enabled. */
function checkNetworks(
  { vpcServices = {} }: Deployment,
  secrets: readonly (readonly [name: string, text: string])[],
): void {
  for (const [name, text] of secrets) {
    const lacking = networksIn(text).find((network) => !Object.hasOwn(vpcServices, network));
    if (name.startsWith('RAIL_') && lacking !== undefined) {
      throw new SetupProblem(
        `${name} goes through ${lacking}, which the deployment does not have`,
        'Put it under vpcServices in the deployment file, and run `npm run setup` again.',
      );
    }
  }
}
