import { retiredEntry } from '../../src/webhooks/published-keys.ts';
import { type Deployment, isPlainOperatorName } from '../deployment/deployment-file.ts';
import {
  type DerivedRing,
  keyIdAt,
  openRsaRing,
  type Plane,
  type SealedRing,
  sealedRsaKey,
  secretVersion,
} from '../deployment/keys.ts';
import { operatorsOf, writeOperatorsFile } from '../deployment/operators-file.ts';
import type { SecretName } from '../project/secrets.ts';
import type { Setup } from './context.ts';
import { SetupProblem } from './explain.ts';
import { checkOldKeyUnused } from './old-keys.ts';
import type { Step } from './step.ts';
import { uploadSecrets, workerStep } from './workers.ts';

/** What a rotation is called on the command line, and its ring. */
export const DERIVED: Readonly<Record<string, DerivedRing>> = {
  links: 'LINK_SIGNING_KEYS',
  data: 'DATA_ENCRYPTION_KEYS',
  backups: 'BACKUP_KEYS',
  sessions: 'BACK_OFFICE_KEYS',
};
export const SEALED: Readonly<Record<string, SealedRing>> = {
  'webhooks-sandbox': 'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
  'webhooks-production': 'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
};
const RETIRED_VARIABLES: Readonly<Record<SealedRing, string>> = {
  WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: 'WEBHOOK_RETIRED_KEYS_SANDBOX',
  WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION: 'WEBHOOK_RETIRED_KEYS_PRODUCTION',
};

type Ring = DerivedRing | SealedRing;

/** How a rotation ends, or begins. */
export interface Rotation {
  /** Whether to remove the older keys instead of adding one. */
  readonly isFinish: boolean;
  /** Whether an older key was leaked: it goes at once, and no public half of it stays. */
  readonly isLeaked: boolean;
  readonly now: Date;
}

/** The steps of a rotation. Each looks first, so that the same command continues after a failure. */
export function ringSteps(setup: Setup, ring: Ring, rotation: Rotation): readonly Step[] {
  const isSealed = isSealedRing(ring);
  if (!rotation.isFinish) {
    return [newKeyStep(setup, ring, rotation.now), secretStep(setup, ring)];
  }
  return [
    ...(isSealed && !rotation.isLeaked ? retireSteps(setup, ring, rotation.now) : []),
    oldKeyStep(setup, ring, rotation),
    secretStep(setup, ring),
  ];
}

function isSealedRing(ring: Ring): ring is SealedRing {
  return ring in RETIRED_VARIABLES;
}

function newKeyStep(setup: Setup, ring: Ring, now: Date): Step {
  return {
    title: `a new key of ${ring}`,
    why: 'The new key comes first and signs from now on; the old one still verifies and opens.',
    look: async () => {
      const { deployment, terminal } = setup;
      if (deployment.keys[ring].length > 1) {
        terminal.say('  A rotation is under way, so no third key is added. End it with --finish.');
        return [];
      }
      const keyId = keyIdAt(now);
      return [
        {
          what: `add the key ${keyId} to the deployment file`,
          make: async () => {
            const key = isSealedRing(ring)
              ? await sealedRsaKey(await setup.recoveryKey(), ring, keyId)
              : keyId;
            await setup.store({
              ...deployment,
              keys: { ...deployment.keys, [ring]: [key, ...deployment.keys[ring]] },
            });
          },
        },
      ];
    },
  };
}

/** Merchants still verify old events by the public half of an old key (docs/decisions.md#32). */
function retireSteps(setup: Setup, ring: SealedRing, now: Date): readonly Step[] {
  const variable = RETIRED_VARIABLES[ring];
  const list: Step = {
    title: `public halves for ${variable}`,
    why: 'Events that the old key has signed stay verifiable as long as their payments are kept.',
    look: async () => {
      const { deployment } = setup;
      const known = deployment.variables.payments[variable] ?? '';
      const [, ...older] = deployment.keys[ring];
      const missing = older.filter(({ keyId }) => !known.split(',').some(startsWith(`${keyId}:`)));
      return missing.length === 0
        ? []
        : [
            {
              what: `add ${missing.map(({ keyId }) => keyId).join(', ')} to ${variable}`,
              make: async () => {
                const keys = await openRsaRing(deployment, await setup.recoveryKey(), ring);
                const added = keys.filter(({ keyId }) =>
                  missing.some((key) => key.keyId === keyId),
                );
                const entries = await Promise.all(
                  added.map((key) => retiredEntry(key, now.getTime())),
                );
                const text = [...entries, ...(known === '' ? [] : [known])].join(',');
                const payments = { ...deployment.variables.payments, [variable]: text };
                await setup.store({
                  ...deployment,
                  variables: { ...deployment.variables, payments },
                });
              },
            },
          ];
    },
  };
  return [list, workerStep(setup, 'payments')];
}

function startsWith(start: string): (text: string) => boolean {
  return (text) => text.trim().startsWith(start);
}

function oldKeyStep(setup: Setup, ring: Ring, { isLeaked, now }: Rotation): Step {
  return {
    title: `older keys of ${ring}`,
    why: isLeaked
      ? 'Whoever has the leaked key can use it until it is gone.'
      : 'A key goes only when nothing depends on it any more.',
    look: async () => {
      const { deployment } = setup;
      const [newest, ...older] = deployment.keys[ring];
      if (newest === undefined || older.length === 0) {
        return [];
      }
      if (!isLeaked) {
        await checkOldKeyUnused(setup, ring, now);
      }
      return [
        {
          what: `remove ${older.map(idOf).join(', ')} from the deployment file`,
          make: () =>
            setup.store({ ...deployment, keys: { ...deployment.keys, [ring]: [newest] } }),
        },
      ];
    },
  };
}

function idOf(key: string | { readonly keyId: string }): string {
  return typeof key === 'string' ? key : key.keyId;
}

const PLANE_OF: Readonly<Partial<Record<SecretName, Plane>>> = {
  BACK_OFFICE_KEYS: 'backOffice',
  OPERATOR_SECRETS: 'backOffice',
};

function secretStep(setup: Setup, secret: SecretName): Step {
  return {
    title: `the secret ${secret}`,
    why: 'The Worker takes the new value within seconds, without a new version of its code.',
    look: async () => {
      const { deployment } = setup;
      if (deployment.uploaded[secret] === secretVersion(deployment, secret)) {
        return [];
      }
      const worker = (await setup.workers())[PLANE_OF[secret] ?? 'payments'].config.name;
      return [
        {
          what: `set ${secret} of the Worker ${worker}`,
          make: () => uploadSecrets(setup, worker, [secret]),
        },
      ];
    },
  };
}

export interface OperatorRotation {
  readonly name: string;
  readonly change: 'add' | 'finish' | 'remove';
  readonly now: Date;
}

/** Gives an operator a new secret beside the old one, ends the old one, or removes the operator. */
export function operatorSteps(setup: Setup, rotation: OperatorRotation): readonly Step[] {
  return [
    {
      title: `the operator ${rotation.name}`,
      why: 'A secret belongs to one person, whom the audit log then names.',
      look: async () => {
        const { deployment } = setup;
        const operators = changedOperators(deployment, rotation);
        return operators === null
          ? []
          : [
              {
                what: `change ${rotation.name} in the deployment file`,
                make: () => setup.store({ ...deployment, operators: [...operators] }),
              },
            ];
      },
    },
    secretStep(setup, 'OPERATOR_SECRETS'),
    {
      title: 'secrets on this machine',
      why: '`npm run operator` reads them here.',
      look: async () => {
        const { operatorsFile } = setup.options;
        return [
          {
            what: `write ${operatorsFile}`,
            make: async () => {
              const recoveryKey = await setup.recoveryKey();
              await writeOperatorsFile(operatorsFile, operatorsOf(setup.deployment, recoveryKey));
            },
          },
        ];
      },
    },
  ];
}

type Operators = Deployment['operators'];

/** Null when it is so already. */
function changedOperators(
  { operators }: Deployment,
  { name, change, now }: OperatorRotation,
): Operators | null {
  if (!isPlainOperatorName(name)) {
    throw new SetupProblem(
      `"${name}" cannot be an operator's name`,
      'Leave commas and colons out of it.',
    );
  }
  const own = operators.filter((operator) => operator.name === name);
  const others = operators.filter((operator) => operator.name !== name);
  switch (change) {
    case 'add':
      // The same command continues after a failure, and adds no third secret.
      return own.length > 1 ? null : [{ name, keyId: keyIdAt(now) }, ...operators];
    case 'finish':
      return own.length > 1 ? [...own.slice(0, 1), ...others] : null;
    case 'remove':
      if (others.length === 0) {
        throw new SetupProblem(
          `${name} is the only operator`,
          'Add another one first: npm run rotate -- operator NAME.',
        );
      }
      return own.length === 0 ? null : others;
  }
}
