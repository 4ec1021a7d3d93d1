/**
 * `npm run rotate -- links`: gives a ring a new key, or an operator a new secret. `--finish` removes
 * the old one when nothing depends on it. See docs/operations.md#rotate-keys.
 */
import { requireDeployment } from './deployment/deployment-file.ts';
import { DEPLOYMENT_OPTIONS, placesOf } from './deployment/options.ts';
import { runScript } from './project/options.ts';
import { Setup } from './setup/context.ts';
import { processTools } from './setup/process-tools.ts';
import { DERIVED, runRotation, SEALED } from './setup/rotate.ts';
import { commandOf } from './setup/terminal.ts';

const { account: _account, ...PLACES } = DEPLOYMENT_OPTIONS;

const SCRIPT = {
  usage: 'npm run rotate',
  about: `Gives a ring a new key beside the old one: ${[...Object.keys(DERIVED), ...Object.keys(SEALED)].join(', ')}.
Or gives an operator a new secret, also a new operator: operator NAME.
Or makes a new recovery key, and under it a new key of each ring: recovery-key.`,
  options: {
    what: {
      value: 'RING | operator NAME | recovery-key',
      about: 'what to rotate',
      isWords: true as const,
      isRepeatable: true as const,
      read: (_text: string | undefined, _name: string, all: readonly string[]) => all,
    },
    finish: { value: null, about: 'remove the old key or secret, if nothing depends on it' },
    leaked: {
      value: null,
      about: 'with --finish: remove it at once, even if something depends on it',
    },
    remove: { value: null, about: 'remove the operator' },
    ...PLACES,
    'dry-run': { value: null, about: 'say what it would do, and change nothing' },
  },
};

await runScript(SCRIPT, async (given) => {
  const options = {
    ...placesOf({ ...given, account: undefined }),
    isDryRun: given['dry-run'],
    isYes: false,
    command: commandOf('rotate', given.env),
  };
  const deployment = await requireDeployment(options.name, options.directory);
  const setup = new Setup(options, await processTools(), deployment);
  return runRotation(setup, given);
});
