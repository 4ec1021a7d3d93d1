/** `npm run teardown`: deletes a deployment that was a trial. See docs/deploy.md#delete-a-trial. */
import { checkDeploymentName } from './deployment/names.ts';
import { DEPLOYMENT_OPTIONS, placesOf } from './deployment/options.ts';
import { runScript } from './project/options.ts';
import { processTools } from './setup/process-tools.ts';
import { runTeardown } from './setup/teardown.ts';
import { commandOf } from './setup/terminal.ts';

const SCRIPT = {
  usage: 'npm run teardown',
  about: `Deletes a deployment with all its payments. Asks for the account's name first, and for
production for the deployment's name, too.
The recovery file stays, and so do backups.`,
  options: {
    ...DEPLOYMENT_OPTIONS,
    env: {
      value: 'NAME',
      about: 'the deployment to delete',
      read: (text: string | undefined) => {
        if (text === undefined) {
          throw new Error('name the deployment to delete, such as --env staging');
        }
        return checkDeploymentName(text);
      },
    },
    account: { value: 'NAME', about: "the account's name, which confirms without a question" },
    deployment: {
      value: 'NAME',
      about: 'the same name again, which confirms for production without a question',
    },
    'with-backups': { value: null, about: 'delete the backups, too' },
    'dry-run': { value: null, about: 'say what it would delete, and delete nothing' },
  },
};

await runScript(SCRIPT, async (given) => {
  const options = {
    ...placesOf({ ...given, account: undefined }),
    accountName: given.account,
    deploymentName: given.deployment,
    isWithBackups: given['with-backups'],
    isDryRun: given['dry-run'],
    isYes: false,
    command: commandOf('teardown', given.env),
  };
  return runTeardown(options, await processTools());
});
