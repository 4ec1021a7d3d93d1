import { CloudflareError } from '../deployment/cloudflare.ts';
import { setShares, type WorkerVersion } from '../deployment/deployed-worker.ts';
import { SetupProblem } from '../deployment/explain.ts';
import { readOperatorsFile } from '../deployment/operators-file.ts';
import type { Operator, Reversal, Setup } from './context.ts';
import { NotChecked, WrongChecks } from './self-check.ts';
import type { Step } from './step.ts';

/** Proves that the gateway works: its bindings, and a sandbox payment from end to end. */
export function selfCheckStep(setup: Setup): Step {
  const { options, terminal } = setup;
  return {
    title: 'self-check',
    why: 'The gateway looks at itself, and makes a payment in its sandbox.',
    look: async (hasChanged) => {
      const { addresses } = setup.deployment;
      const what = `check the gateway at ${addresses.backOffice}`;
      if (options.isDryRun) {
        return [{ what, make: async () => {} }];
      }
      const operator = await operatorHere(setup);
      if (operator === null) {
        terminal.say(
          `  No operator's secret is here: open ${addresses.backOffice}/operator/check.`,
        );
        return [];
      }
      return [{ what, make: () => checkOrGoBack(setup, operator, hasChanged) }];
    },
  };
}

/** An operator whose secret this machine has. */
async function operatorHere({ options }: Setup): Promise<Operator | null> {
  const own = await readOperatorsFile(options.operatorsFile);
  return own === null ? null : { name: own.name, secret: own.secret };
}

/**
 * Looks at the gateway before a change. Only what worked until then takes the change back: a repair must
 * not be undone for something else that is wrong.
 */
export async function rememberReversal(setup: Setup, reversal: Reversal): Promise<void> {
  if (setup.reversals.length === 0) {
    const operator = await operatorHere(setup);
    setup.wrongBefore = operator === null ? null : await wrongChecks(setup, operator);
  }
  setup.reversals.push(reversal);
}

/** The version that had all requests before this one, as it was. */
export function toVersion(setup: Setup, name: string, { id }: WorkerVersion): Reversal {
  return {
    what: `all requests of ${name} go to ${id} again`,
    make: () =>
      setShares(
        { cloudflare: setup.cloudflare, path: (below) => setup.path(below), changed: new Set() },
        name,
        [{ id, percentage: 100 }],
        'back',
      ),
  };
}

/** Null for a gateway that could not even check itself. */
async function wrongChecks(setup: Setup, operator: Operator): Promise<ReadonlySet<string> | null> {
  try {
    await setup.checkGateway(setup, operator, { mustStart: false, isBefore: true });
    return new Set();
  } catch (error) {
    if (error instanceof WrongChecks) {
      return new Set(error.names);
    }
    if (error instanceof SetupProblem) {
      return null;
    }
    throw error;
  }
}

/** The gateway's self-check. When it fails because of this run's changes, they are taken back. */
async function checkOrGoBack(setup: Setup, operator: Operator, mustStart: boolean): Promise<void> {
  try {
    await setup.checkGateway(setup, operator, { mustStart });
  } catch (error) {
    if (!(error instanceof SetupProblem) || error instanceof NotChecked) {
      throw error;
    }
    throw await wentBack(setup, error);
  }
}

async function wentBack(setup: Setup, failure: SetupProblem): Promise<SetupProblem> {
  const { reversals, wrongBefore } = setup;
  const names = failure instanceof WrongChecks ? failure.names : [];
  const isNew =
    wrongBefore !== null && !(names.length > 0 && names.every((one) => wrongBefore.has(one)));
  if (reversals.length === 0 || !isNew) {
    return failure;
  }
  for (const { what, make } of reversals.toReversed()) {
    try {
      await make();
    } catch (error) {
      if (!(error instanceof CloudflareError)) {
        throw error;
      }
      return new SetupProblem(
        `${failure.problem}.\nTHE CHANGE IS STILL LIVE: ${what}: ${error.message}`,
        failure.remedy,
      );
    }
    setup.terminal.say(`  Went back: ${what}.`);
  }
  return new SetupProblem(
    `${failure.problem}.\nThe gateway is as it was before, and the deployment file still has the change`,
    `${failure.remedy}\nCorrect the deployment file first: the next run makes its changes again.`,
  );
}
