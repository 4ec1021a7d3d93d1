import { isDeepStrictEqual } from 'node:util';
import { type Deployment, deploymentFile, readDeployment } from '../deployment/deployment-file.ts';
import { checkFingerprint, createKeys, keyIdAt } from '../deployment/keys.ts';
import {
  newOperatorsFile,
  operatorIn,
  readOperatorsFile,
  writeOperatorsFile,
} from '../deployment/operators-file.ts';
import {
  checkRecoveryFile,
  createRecoveryFile,
  readRecoveryFile,
  recoveryKeyAt,
} from '../deployment/recovery-file.ts';
import { fingerprintOf } from '../deployment/recovery-key.ts';
import type { Wanted } from './answers.ts';
import type { Setup } from './context.ts';
import type { Step } from './step.ts';

/** Makes the recovery file and the deployment file before anything that depends on their keys. */
export function recoveryStep(setup: Setup, { operator }: Wanted): Step {
  const { terminal, options } = setup;
  return {
    title: 'recovery file and deployment file',
    why: 'Keys are made from one recovery key, and the ids in the deployment file; both must be kept.',
    look: async () => {
      const file = checkRecoveryFile(options.recoveryFile);
      const place = deploymentFile(options.name, options.directory);
      const key = setup.isStored
        ? await recoveryKeyAt(file, setup.deployment)
        : await readRecoveryFile(file);
      if (setup.isStored) {
        if (key !== null) {
          checkFingerprint(setup.deployment, key);
        }
        const stored = await readDeployment(options.name, options.directory);
        return isDeepStrictEqual(stored, setup.deployment)
          ? []
          : [
              {
                what: `write the new addresses and settings into ${place}`,
                make: () => setup.store(setup.deployment),
              },
            ];
      }
      const create = {
        what: `write the recovery key into ${file}`,
        make: async () => {
          await createRecoveryFile(file, options.name);
          sayLoudly(setup, file, place);
        },
      };
      const store = {
        what: `write the deployment file ${place}, and the operator's secret into ${options.operatorsFile}, which only you can read`,
        make: async () => {
          const keyed = await withKeys(setup.deployment, file);
          await setup.store(operator === null ? keyed : await withOperator(setup, keyed, operator));
        },
      };
      if (key !== null) {
        terminal.say(`  The recovery key of ${file} is used; nothing replaces it.`);
        return [store];
      }
      return [create, store];
    },
  };
}

async function withKeys(planned: Deployment, file: string): Promise<Deployment> {
  const key = await readRecoveryFile(file);
  if (key === null) {
    throw new Error('the work before has made the file');
  }
  return {
    ...planned,
    recoveryKey: fingerprintOf(key),
    keys: await createKeys(key, keyIdAt(new Date())),
  };
}

/** Writes the secret of the first operator first: the deployment file has only its digest. */
async function withOperator(
  { options: { operatorsFile } }: Setup,
  deployment: Deployment,
  name: string,
): Promise<Deployment> {
  const known = await readOperatorsFile(operatorsFile);
  // A run may have stopped between the two files, or the deployment file been lost.
  const made =
    known?.name === name ? known : newOperatorsFile(deployment.addresses.backOffice, name);
  await writeOperatorsFile(operatorsFile, made);
  return { ...deployment, operators: [operatorIn(made, new Date())] };
}

function sayLoudly({ terminal }: Setup, file: string, deployment: string): void {
  const lines = [
    'KEEP THIS FILE, AND KEEP IT ELSEWHERE, TOO:',
    file,
    'Copy it to two safe places outside this machine, or print it. A person who has it',
    'can act as the gateway. Without it, no backup can be read and no key be made again.',
    '',
    'AND KEEP THIS SECOND FILE, WHICH HAS NO SECRET IN PLAIN TEXT:',
    deployment,
    'Commit it or copy it after each setup and rotation: only it has the RSA keys, sealed,',
    'and the ids from which the recovery key makes the other keys.',
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const border = `  +${'-'.repeat(width + 2)}+`;
  terminal.say([border, ...lines.map((line) => `  | ${line.padEnd(width)} |`), border].join('\n'));
}
