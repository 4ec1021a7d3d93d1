/**
 * `npm run rotate -- links`: gives a ring a new key, or an operator a new secret. `--finish` removes
 * the old one when nothing depends on it. See docs/operations.md#rotate-keys.
 */
import { requireDeployment } from './deployment/deployment-file.ts';
import { DEPLOYMENT_OPTIONS, placesOf } from './deployment/options.ts';
import { runScript } from './project/options.ts';
import { Setup } from './setup/context.ts';
import { processTools } from './setup/process-tools.ts';
import { DERIVED, operatorSteps, ringSteps, SEALED } from './setup/rotate.ts';
import { runSteps } from './setup/step.ts';
import { commandOf } from './setup/terminal.ts';

const RINGS = { ...DERIVED, ...SEALED };
const { account: _account, ...PLACES } = DEPLOYMENT_OPTIONS;

const SCRIPT = {
  usage: 'npm run rotate',
  about: `Gives a ring a new key beside the old one: ${Object.keys(RINGS).join(', ')}.
Or gives an operator a new secret, also a new operator: operator NAME.`,
  options: {
    what: {
      value: 'RING | operator NAME',
      about: 'what to rotate',
      isWords: true as const,
      isRepeatable: true as const,
      read: (_text: string | undefined, _name: string, all: readonly string[]) => all,
    },
    finish: { value: null, about: 'remove the old key or secret, if nothing depends on it' },
    leaked: { value: null, about: 'with --finish: remove it at once, whatever depends on it' },
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
    replaceDns: [],
    command: commandOf('rotate'),
  };
  const deployment = await requireDeployment(options.name, options.directory);
  const setup = new Setup(options, await processTools(), deployment);
  return runSteps(stepsOf(setup, given), setup.terminal, options);
});

type Given = Readonly<Record<'finish' | 'leaked' | 'remove', boolean>> & {
  readonly what: readonly string[];
};

function stepsOf(setup: Setup, { what, finish, leaked, remove }: Given) {
  const now = new Date();
  const [first = '', name, ...more] = what;
  if (first === 'operator' && name !== undefined && more.length === 0) {
    const change = remove ? 'remove' : finish ? 'finish' : 'add';
    return operatorSteps(setup, { name, change, now });
  }
  const ring = RINGS[first];
  if (ring === undefined || name !== undefined) {
    throw new Error(`name one of ${Object.keys(RINGS).join(', ')}, or operator NAME`);
  }
  return ringSteps(setup, ring, { isFinish: finish, isLeaked: leaked, now });
}
