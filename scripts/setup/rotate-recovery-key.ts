import { rename } from 'node:fs/promises';
import type { Deployment } from '../deployment/deployment-file.ts';
import { keyIdAt, newKeyId, rekeyed } from '../deployment/keys.ts';
import {
  checkRecoveryFile,
  createRecoveryFile,
  nextRecoveryFile,
  readRecoveryFile,
  requireRecoveryFile,
} from '../deployment/recovery-file.ts';
import { fingerprintOf } from '../deployment/recovery-key.ts';
import type { Setup } from './context.ts';
import type { Step } from './step.ts';
import { checkDeployment } from './values.ts';

/** Says what the rotation costs. Whether to go on, where a person can answer. */
export async function isCostAccepted({ terminal, options }: Setup): Promise<boolean> {
  terminal.say(`A new recovery key, and under it a new key of each ring. What that costs:
  - Nothing stops working now. Links, receipts, API keys, sessions, webhooks and backups of before go on
    under their old keys, which the deployment file keeps, sealed under the new recovery key.
  - A person who has the old file and an old deployment file knows these old keys. They end with
    \`npm run rotate -- RING --finish\` for each ring when nothing needs them, or at once with --leaked:
    then open links and receipts answer 404, members sign in again, and merchants replace API keys and
    webhook secrets.
  - That person can read each copy of the backup that they have, and nothing can prevent that.
  - Every copy of the recovery file and of the deployment file must be replaced. Without the deployment
    file, only the OLD recovery file opens older parts of the backup: keep one copy for as long as they
    are kept, docs/backup.md#how-long, and then destroy it.
  - Operators' secrets do not depend on it. End those of a person who has left:
    \`npm run rotate -- operator NAME --remove\`.`);
  if (!terminal.isInteractive || options.isDryRun) {
    return true;
  }
  const isAccepted = (await terminal.ask('Go on? yes or no > ')) === 'yes';
  if (!isAccepted) {
    terminal.say('Nothing was changed.');
  }
  return isAccepted;
}

/** Makes the next recovery file, and the deployment file under its key. */
export function newRecoveryKeyStep(setup: Setup, now: Date): Step {
  const file = checkRecoveryFile(setup.options.recoveryFile);
  const next = nextRecoveryFile(file);
  return {
    title: 'a new recovery key',
    why: 'Who has the recovery key can make every key that is derived from it, also later ones.',
    look: async () => {
      const { deployment, options } = setup;
      const made = await readRecoveryFile(next);
      if (made !== null && fingerprintOf(made) === deployment.recoveryKey) {
        setup.terminal.say('  Its rotation is under way, and goes on.');
        return [];
      }
      const old = await setup.recoveryKey();
      if (options.isDryRun) {
        setup.plan(planned(deployment, newKeyId(deployment.keys, now)));
      }
      const create = {
        what: `write a new recovery key into ${next}`,
        make: async () => {
          await createRecoveryFile(next, options.name);
        },
      };
      const store = {
        what: 'put a new key of each ring first in the deployment file, and seal the older ones again',
        make: async () => {
          const changed = await rekeyed(deployment, old, await requireRecoveryFile(next), now);
          await checkDeployment(setup, changed);
          await setup.store(changed);
        },
      };
      return made === null ? [create, store] : [store];
    },
  };
}

/** Only for a dry run, whose later steps compare the ids of keys. */
function planned(deployment: Deployment, keyId: string): Deployment {
  const { keys } = deployment;
  const rings = Object.entries(keys).map(([ring, older]) => {
    return [ring, [{ keyId, sealed: '' }, ...older]];
  });
  return { ...deployment, keys: Object.fromEntries(rings) };
}

/** Puts the new recovery file in the place of the old one, which stays beside it. */
export function recoveryFileStep(setup: Setup, now: Date): Step {
  const file = checkRecoveryFile(setup.options.recoveryFile);
  const next = nextRecoveryFile(file);
  const kept = `${file.replace(/\.txt$/, '')}-until-${keyIdAt(now)}.txt`;
  return {
    title: 'the recovery file',
    why: 'Until here, the old one was in its place, so that the same command continues.',
    look: async () => {
      const made = await readRecoveryFile(next);
      if (made === null && !setup.options.isDryRun) {
        return [];
      }
      return [
        {
          what: `keep the old recovery file as ${kept}, and the new one as ${file}`,
          make: async () => {
            // A run may have stopped between the two.
            if ((await readRecoveryFile(file)) !== null) {
              await rename(file, kept);
            }
            await rename(next, file);
            sayNext(setup, file, kept);
          },
        },
      ];
    },
  };
}

function sayNext({ terminal, options }: Setup, file: string, kept: string): void {
  terminal.say(`
NOW REPLACE EACH COPY of the recovery file, and of the deployment file:
  New:  ${file}   Copy it to two safe places.
  Old:  ${kept}   Lock one copy away for older backups; destroy all others.
Then make a backup under the new key, and finish each ring when the command lets you:
  npm run operator -- backup now --env ${options.name}
  npm run rotate -- links --finish --env ${options.name}   and sessions, data, backups, webhooks-sandbox, webhooks-production`);
}
