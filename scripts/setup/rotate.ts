import { SECRETS_MAX as OPERATOR_SECRETS_MAX } from '../../back-office/operator/settings.ts';
import { retiredEntry } from '../../src/engine/webhooks/published-keys.ts';
import {
  type Deployment,
  deploymentFile,
  isPlainOperatorName,
} from '../deployment/deployment-file.ts';
import { SetupProblem } from '../deployment/explain.ts';
import {
  RINGS as ALL_RINGS,
  type DerivedRing,
  idOf,
  newKeyId,
  openRing,
  type Plane,
  type Ring,
  type SealedRing,
  sealedRsaKey,
  secretVersion,
} from '../deployment/keys.ts';
import {
  defaultOperatorsFile,
  handedOutFile,
  newOperatorsFile,
  operatorIn,
  readOperatorsFile,
  writeOperatorsFile,
} from '../deployment/operators-file.ts';
import type { RenderedWorker } from '../deployment/render.ts';
import type { SecretName } from '../project/secrets.ts';
import { rememberReversal, selfCheckStep } from './check-step.ts';
import type { Reversal, Setup } from './context.ts';
import { checkOldKeyUnused, sayRebuilds, uploadedAtMs } from './old-keys.ts';
import { operatorStep } from './operator.ts';
import { isCostAccepted, newRecoveryKeyStep, recoveryFileStep } from './rotate-recovery-key.ts';
import { runSteps, type Step, type Work } from './step.ts';
import { checkDeployment } from './values.ts';
import { checkNotSplit, uploadSecrets, workerStep } from './workers.ts';

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

type SealedKey = Deployment['keys'][SealedRing][number];

const RINGS = { ...DERIVED, ...SEALED };

/** What the command line says. */
export type GivenRotation = Readonly<Record<'finish' | 'leaked' | 'remove', boolean>> & {
  readonly what: readonly string[];
};

/** What follows the self-check. */
const LAST_STEPS: Readonly<Record<string, (setup: Setup, now: Date) => readonly Step[]>> = {
  operator: (setup) => [operatorStep(setup)],
  'recovery-key': (setup, now) => [recoveryFileStep(setup, now)],
};

/** Rotates what the command line names. Throws for options that mean nothing together. */
export async function runRotation(
  setup: Setup,
  given: GivenRotation,
  now = new Date(),
): Promise<boolean> {
  const { options, terminal } = setup;
  // Until the new secret of an operator is known to work, this machine keeps the old one.
  const last = LAST_STEPS[given.what[0] ?? '']?.(setup, now) ?? [];
  if (given.what[0] === 'recovery-key' && !(await isCostAccepted(setup))) {
    return false;
  }
  const steps = [...stepsOf(setup, given, now), selfCheckStep(setup), ...last];
  if (!(await runSteps(steps, terminal, options))) {
    return false;
  }
  if (!options.isDryRun) {
    const file = deploymentFile(options.name, options.directory);
    terminal.say(`\nCommit ${file} or keep a copy elsewhere: only it knows the new keys.`);
    sayWhatStays(setup, given.what);
  }
  return true;
}

/** After a leak, an operator must not believe that the new secret has ended the old one. */
function sayWhatStays(
  { deployment: { keys, operators }, options, terminal }: Setup,
  [first = '', name]: readonly string[],
): void {
  const ring = RINGS[first];
  const known = ring === undefined ? operators.filter((one) => one.name === name) : keys[ring];
  if (known.length > 1) {
    const old = ring === undefined ? `secret of ${name}` : `key of ${ring}`;
    terminal.say(`The old ${old} still works. To end it: ${options.command} --finish`);
  }
}

/** A new recovery key, and under it a new key of each ring. */
function recoveryKeySteps(setup: Setup, now: Date): readonly Step[] {
  // Its older keys are those of before, sealed under the new recovery key.
  const secrets = ALL_RINGS.map((ring) => secretStep(setup, ring, now, () => setup.deployment));
  return afterCheck([newRecoveryKeyStep(setup, now), ...secrets], async () => {
    for (const { config } of Object.values(await setup.workers())) {
      await checkNotSplit(setup, config.name);
    }
  });
}

function stepsOf(setup: Setup, { what, finish, leaked, remove }: GivenRotation, now: Date) {
  const [first = '', name, ...more] = what;
  if (leaked && !finish) {
    throw new Error('--leaked belongs to --finish: rotate first, then add both');
  }
  if (first === 'operator' && name !== undefined && more.length === 0) {
    if (leaked || (remove && finish)) {
      throw new Error(
        'for an operator, give --finish or --remove alone: both end a secret at once',
      );
    }
    const change = remove ? 'remove' : finish ? 'finish' : 'add';
    return operatorSteps(setup, { name, change, now });
  }
  if (first === 'recovery-key' && name === undefined) {
    if (finish || remove) {
      throw new Error('for the recovery key, give no option: finish each ring by its own name');
    }
    return recoveryKeySteps(setup, now);
  }
  const ring = RINGS[first];
  if (ring === undefined || name !== undefined) {
    throw new Error(`name one of ${Object.keys(RINGS).join(', ')}, recovery-key, or operator NAME`);
  }
  if (remove) {
    throw new Error('--remove removes an operator; --finish removes the old key of a ring');
  }
  return ringSteps(setup, ring, { isFinish: finish, isLeaked: leaked, now });
}

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
  const { isFinish, isLeaked, now } = rotation;
  // A leaked key does not come back.
  const { deployment: before } = setup;
  const secret = secretStep(setup, ring, now, () => (isLeaked ? null : before));
  const steps = isFinish
    ? [
        ...(isSealedRing(ring) && !isLeaked ? retireSteps(setup, ring, now) : []),
        oldKeyStep(setup, ring, rotation),
        secret,
      ]
    : [newKeyStep(setup, ring, now), secret];
  return afterCheck(steps, async () => {
    await checkSecretCanChange(setup, ring);
    if (isFinish && setup.deployment.keys[ring].length > 1) {
      uploadedAtMs(setup.deployment, ring);
    }
  });
}

/** The steps. The first one also makes this check. */
function afterCheck([first, ...rest]: readonly Step[], check: () => Promise<void>) {
  if (first === undefined) {
    return rest;
  }
  const look: Step['look'] = async (hasChanged) => {
    await check();
    return first.look(hasChanged);
  };
  return [{ ...first, look }, ...rest];
}

/** Before anything is stored that only the upload makes true. */
async function checkSecretCanChange(setup: Setup, secret: SecretName): Promise<void> {
  await checkNotSplit(setup, (await workerOf(setup, secret)).config.name);
}

/** A change of the deployment file. A dry run plans it, so that later steps say what follows. */
export function change(
  setup: Setup,
  what: string,
  planned: Deployment,
  whole: () => Promise<Deployment> = async () => planned,
): Work {
  if (setup.options.isDryRun) {
    setup.plan(planned);
  }
  return {
    what,
    make: async () => {
      const changed = await whole();
      await checkDeployment(setup, changed);
      await setup.store(changed);
    },
  };
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
      if (ring === 'DATA_ENCRYPTION_KEYS') {
        await sayRebuilds(setup);
      }
      if (deployment.keys[ring].length > 1) {
        terminal.say('  A rotation is under way, so no third key is added. End it with --finish.');
        return [];
      }
      const keyId = newKeyId(deployment.keys, now);
      const withKey = (key: string | SealedKey) => ({
        ...deployment,
        keys: { ...deployment.keys, [ring]: [key, ...deployment.keys[ring]] },
      });
      const what = `add the key ${keyId} to the deployment file`;
      if (!isSealedRing(ring)) {
        return [change(setup, what, withKey(keyId))];
      }
      const unsealed = withKey({ keyId, sealed: '' });
      return [
        change(setup, what, unsealed, async () =>
          withKey(await sealedRsaKey(await setup.recoveryKey(), ring, keyId)),
        ),
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
      if (missing.length === 0) {
        return [];
      }
      const withRetired = (entries: readonly string[]) => {
        const text = [...entries, ...(known === '' ? [] : [known])].join(',');
        const payments = { ...deployment.variables.payments, [variable]: text };
        return { ...deployment, variables: { ...deployment.variables, payments } };
      };
      const ids = missing.map(({ keyId }) => keyId);
      return [
        change(setup, `add ${ids.join(', ')} to ${variable}`, withRetired(ids), async () => {
          const keys = await openRing(deployment, await setup.recoveryKey(), ring);
          const added = keys.filter(({ keyId }) => ids.includes(keyId));
          return withRetired(
            await Promise.all(added.map((key) => retiredEntry(key, now.getTime()))),
          );
        }),
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
      ? 'A thief can use the leaked key until it is removed.'
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
      if (ring === 'DATA_ENCRYPTION_KEYS') {
        await sayRebuilds(setup);
      }
      return [
        change(setup, `remove ${older.map(idOf).join(', ')} from the deployment file`, {
          ...deployment,
          keys: { ...deployment.keys, [ring]: [newest] },
        }),
      ];
    },
  };
}

const PLANE_OF: Readonly<Partial<Record<SecretName, Plane>>> = {
  BACK_OFFICE_KEYS: 'backOffice',
  OPERATOR_SECRETS: 'backOffice',
};

async function workerOf(setup: Setup, secret: SecretName): Promise<RenderedWorker> {
  return (await setup.workers())[PLANE_OF[secret] ?? 'payments'];
}

/** `before`: what a change that the gateway does not work with goes back to; null: it stays. */
function secretStep(
  setup: Setup,
  secret: SecretName,
  now: Date,
  before: () => Deployment | null,
): Step {
  return {
    title: `the secret ${secret}`,
    why: 'The Worker takes the new value within seconds, without a new version of its code.',
    look: async () => {
      const { deployment } = setup;
      if (deployment.uploaded[secret] === secretVersion(deployment, secret)) {
        return [];
      }
      const worker = (await workerOf(setup, secret)).config.name;
      return [
        {
          what: `set ${secret} of the Worker ${worker}`,
          make: async () => {
            const known = before();
            const sent = known === null ? null : uploadedOf(known, secret);
            if (sent !== null) {
              await rememberReversal(setup, toValues(setup, worker, secret, sent));
            }
            await uploadSecrets(setup, worker, [secret], now);
          },
        },
      ];
    },
  };
}

/** The deployment with the keys of a secret that Cloudflare has; null when it no longer knows them all. */
function uploadedOf(deployment: Deployment, secret: SecretName): Deployment | null {
  const { keys, operators, uploaded } = deployment;
  const sent = uploaded[secret]?.split(',') ?? [];
  const known = {
    ...deployment,
    ...(secret === 'OPERATOR_SECRETS'
      ? { operators: operators.filter(({ name, keyId }) => sent.includes(`${name}:${keyId}`)) }
      : { keys: { ...keys, [secret]: keys[secret].filter((key) => sent.includes(idOf(key))) } }),
  };
  return secretVersion(known, secret) === uploaded[secret] ? known : null;
}

/**
 * Sets the secret of before again. The deployment file keeps each key that was ever used, so that the
 * same command continues, and what the new key has sealed meanwhile can be opened then.
 */
function toValues(setup: Setup, worker: string, secret: SecretName, before: Deployment): Reversal {
  return {
    what: `${worker} has ${secret} of before`,
    make: async () => {
      const { keys, operators } = setup.deployment;
      setup.plan({ ...setup.deployment, keys: before.keys, operators: before.operators });
      await uploadSecrets(setup, worker, [secret]);
      const isMore =
        secret !== 'OPERATOR_SECRETS' && keys[secret].length > before.keys[secret].length;
      await setup.store({ ...setup.deployment, operators, ...(isMore && { keys }) });
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
  const { deployment: before } = setup;
  const steps: readonly Step[] = [
    {
      title: `the operator ${rotation.name}`,
      why: 'A secret belongs to one person, whom the audit log then names.',
      look: async () => {
        const { name } = rotation;
        const { deployment, options } = setup;
        const { addresses } = deployment;
        const file = newOperatorsFile(addresses.backOffice, name);
        const operator = operatorIn(file, rotation.now);
        const operators = changedOperators(deployment, rotation, operator);
        if (operators === null) {
          return [];
        }
        const planned = { ...deployment, operators: [...operators] };
        const changed = change(setup, `change ${name} in the deployment file`, planned);
        if (rotation.change !== 'add') {
          return [changed];
        }
        const place = handedOutFile(options.operatorsFile, operator.keyId);
        const handOut = {
          what: `write ${name}'s secret into ${place}, which only you can read`,
          make: async () => {
            await checkDeployment(setup, planned);
            await writeOperatorsFile(place, file);
            await sayHandOut(setup, name);
          },
        };
        // The secret comes first: the deployment file has only its digest.
        return [handOut, changed];
      },
    },
    // A person whose secret ended does not come back.
    secretStep(setup, 'OPERATOR_SECRETS', rotation.now, () =>
      rotation.change === 'add' ? before : null,
    ),
  ];
  return afterCheck(steps, () => checkSecretCanChange(setup, 'OPERATOR_SECRETS'));
}

/** Says what only a person can do: bring the secret to its owner. */
async function sayHandOut({ options, terminal }: Setup, name: string): Promise<void> {
  const { operatorsFile } = options;
  if ((await readOperatorsFile(operatorsFile))?.name !== name) {
    terminal.say(
      [
        `  Bring this file to ${name} alone, who keeps it as ${defaultOperatorsFile(options.name)} on a machine`,
        '  of their own. Then delete it here. Nothing can make this secret again.',
      ].join('\n'),
    );
  }
}

type Operators = Deployment['operators'];

/** Null when it is so already. */
function changedOperators(
  { operators, uploaded }: Deployment,
  { name, change }: OperatorRotation,
  added: Operators[number],
): Operators | null {
  if (!isPlainOperatorName(name)) {
    throw new SetupProblem(
      `"${name}" cannot be an operator's name`,
      'Leave commas and colons out of it.',
    );
  }
  const own = operators.filter((operator) => operator.name === name);
  const others = operators.filter((operator) => operator.name !== name);
  const [newest] = own;
  const entries = uploaded.OPERATOR_SECRETS?.split(',') ?? [];
  const isPending = newest !== undefined && !entries.includes(`${name}:${newest.keyId}`);
  switch (change) {
    case 'add':
      // The same command continues after a failure, and adds no other secret.
      if (own.length > 1 || isPending) {
        return null;
      }
      if (operators.length >= OPERATOR_SECRETS_MAX) {
        throw new SetupProblem(
          `OPERATOR_SECRETS takes ${OPERATOR_SECRETS_MAX} secrets, and there are as many`,
          'Remove an operator with --remove, or end a rotation with --finish.',
        );
      }
      return [added, ...operators];
    case 'finish':
      if (own.length > 1 && isPending) {
        throw new SetupProblem(
          `the new secret of ${name} has not been uploaded, so the old one is still in use`,
          'Run the same command without --finish first.',
        );
      }
      return own.length > 1 ? [...own.slice(0, 1), ...others] : null;
    case 'remove':
      if (others.length === 0) {
        throw new SetupProblem(
          `${name} is the only operator`,
          'Add another one first: the same command with the new name, without --remove.',
        );
      }
      return own.length === 0 ? null : others;
  }
}
