import { isDeepStrictEqual } from 'node:util';
import { type Deployment, deploymentFile, readDeployment } from '../deployment/deployment-file.ts';
import { checkFingerprint, createKeys, keyIdAt } from '../deployment/keys.ts';
import {
  checkRecoveryFile,
  createRecoveryFile,
  readRecoveryFile,
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
      const key = await readRecoveryFile(file);
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
        what: `write the deployment file ${place}`,
        make: async () => setup.store(await withKeys(setup.deployment, file, operator)),
      };
      if (key !== null) {
        terminal.say(`  The recovery key of ${file} is used; nothing replaces it.`);
        return [store];
      }
      return [create, store];
    },
  };
}

async function withKeys(
  planned: Deployment,
  file: string,
  operator: string | null,
): Promise<Deployment> {
  const key = await readRecoveryFile(file);
  if (key === null) {
    throw new Error('the work before has made the file');
  }
  const now = new Date();
  return {
    ...planned,
    recoveryKey: fingerprintOf(key),
    keys: await createKeys(key, now),
    operators: operator === null ? [] : [{ name: operator, keyId: keyIdAt(now) }],
  };
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
