import { isDeepStrictEqual } from 'node:util';
import {
  operatorsOf,
  readOperatorsFile,
  writeOperatorsFile,
} from '../deployment/operators-file.ts';
import { readRecoveryFile } from '../deployment/recovery-file.ts';
import type { Setup } from './context.ts';
import type { Step } from './step.ts';

/** Lets the operator in: writes the secret where `npm run operator` finds it. */
export function operatorStep(setup: Setup): Step {
  const { options, terminal } = setup;
  return {
    title: 'the first operator',
    why: 'Each operator signs in with a secret of their own, so that the audit log names a person.',
    look: async () => {
      const file = options.operatorsFile;
      // Only the dry run of a first setup has not made it yet.
      const isPlanned = options.isDryRun && !setup.isStored;
      if (!isPlanned && (await readRecoveryFile(options.recoveryFile)) === null) {
        terminal.say('  The recovery file is not on this machine, so no secret is written here.');
        return [];
      }
      const wanted = setup.isStored
        ? operatorsOf(setup.deployment, await setup.recoveryKey())
        : null;
      const known = await readOperatorsFile(file);
      return wanted !== null && isDeepStrictEqual(known, wanted)
        ? []
        : [
            {
              what: `write the operator's secret into ${file}, which only you can read`,
              make: async () => {
                await writeOperatorsFile(
                  file,
                  operatorsOf(setup.deployment, await setup.recoveryKey()),
                );
              },
            },
          ];
    },
  };
}
