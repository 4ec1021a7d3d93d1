import { deploymentFile, readDeployment } from '../deployment/deployment-file.ts';
import { explained } from '../deployment/explain.ts';
import { accountStep } from './account.ts';
import { commandWith, type SetupOptions, wantedOf } from './answers.ts';
import { selfCheckStep } from './check-step.ts';
import { Setup, type Tools } from './context.ts';
import { operatorStep } from './operator.ts';
import { recoveryStep } from './recovery.ts';
import { bucketStep, databasesStep, queuesStep } from './resources.ts';
import { runSteps } from './step.ts';
import { triggersStep } from './triggers.ts';
import { tablesStep, workerStep } from './workers.ts';

/** Sets a gateway up, or completes it. Returns false after a failure, which it has explained. */
export async function runSetup(options: SetupOptions, tools: Tools): Promise<boolean> {
  const { terminal } = tools;
  try {
    const stored = await readDeployment(options.name, options.directory);
    sayFirst(options, stored === null, terminal);
    const wanted = await wantedOf(options, stored, terminal);
    const command = stored === null ? commandWith(wanted, options) : options.command;
    const setup = new Setup({ ...options, command }, tools, stored);
    const steps = [
      accountStep(setup, wanted),
      recoveryStep(setup, wanted),
      databasesStep(setup),
      queuesStep(setup),
      bucketStep(setup),
      tablesStep(setup),
      workerStep(setup, 'payments'),
      workerStep(setup, 'backOffice'),
      triggersStep(setup),
      operatorStep(setup),
      selfCheckStep(setup),
    ];
    if (!(await runSteps(steps, terminal, { isDryRun: options.isDryRun, command }))) {
      return false;
    }
    sayNext(setup);
    return true;
  } catch (error) {
    const { problem, remedy } = explained(error);
    terminal.say(`${problem}\n${remedy}`);
    return false;
  }
}

function sayFirst(
  { name, isDryRun }: SetupOptions,
  isFirst: boolean,
  terminal: Tools['terminal'],
): void {
  terminal.say(
    [
      `This ${isFirst ? 'sets up' : 'completes and repairs'} the gateway "${name}". Each step looks first, and says what it does before it does it.`,
      ...(isFirst && !isDryRun && terminal.isInteractive
        ? ['Nothing is created before you confirm the account. Ctrl-C stops it at any time.\n']
        : []),
    ].join('\n'),
  );
}

function sayNext({ options, deployment, terminal }: Setup): void {
  if (options.isDryRun) {
    terminal.say('\nNothing was changed. Leave --dry-run out to do this.');
    return;
  }
  const { payments, backOffice } = deployment.addresses;
  const desk = `${backOffice}/operator`;
  terminal.say(`
The gateway "${options.name}" is set up.
  Payments:      ${payments}
  Desk:          ${desk}
  Self-check:    ${desk}/check
  Recovery file: ${options.recoveryFile}   Keep it elsewhere, too.
  Its keys:      ${deploymentFile(options.name, options.directory)}   Commit it, or keep a copy elsewhere.
  Your secret:   in ${options.operatorsFile}; the desk asks for it, and this command reads it:
                 npm run operator -- attention --env ${options.name}
Next: create the first merchant and connect the providers, docs/deploy.md#next.`);
}
