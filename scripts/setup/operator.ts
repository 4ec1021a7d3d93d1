import { rm } from 'node:fs/promises';
import type { Deployment } from '../deployment/deployment-file.ts';
import {
  handedOutFile,
  isSecretOf,
  type OperatorsFile,
  readOperatorsFile,
  writeOperatorsFile,
} from '../deployment/operators-file.ts';
import type { Setup } from './context.ts';
import type { Step, Work } from './step.ts';

/**
 * Keeps the file of the operator who works on this machine as the gateway is: its address, and the
 * secret that the operator got last. No other person's secret ever comes into it.
 */
export function operatorStep(setup: Setup): Step {
  return {
    title: "the operator's secret on this machine",
    why: 'Each operator signs in with a secret of their own, so that the audit log names a person.',
    look: async () => {
      const known = await readOperatorsFile(setup.options.operatorsFile);
      const owner = known?.name ?? onlyName(setup.deployment);
      const works = owner === undefined ? [] : await ownWorks(setup, owner, known);
      // Only the dry run of a first setup has not made it yet.
      if (known === null && works.length === 0 && setup.isStored) {
        sayMissing(setup);
      }
      await sayHandedOut(setup, owner);
      return works;
    },
  };
}

function onlyName({ operators }: Deployment): string | undefined {
  const names = new Set(operators.map(({ name }) => name));
  return names.size === 1 ? [...names][0] : undefined;
}

async function ownWorks(
  { deployment, options: { operatorsFile } }: Setup,
  owner: string,
  known: OperatorsFile | null,
): Promise<readonly Work[]> {
  const newest = deployment.operators.find(({ name }) => name === owner);
  if (newest === undefined) {
    const what = `delete ${operatorsFile}, because ${owner} is no operator any more`;
    return [{ what, make: () => rm(operatorsFile) }];
  }
  const place = handedOutFile(operatorsFile, newest.keyId);
  const handedOut = await readOperatorsFile(place);
  const isNew = !isSecretOf(known, newest) && isSecretOf(handedOut, newest);
  const own = isNew ? handedOut : known;
  const url = deployment.addresses.backOffice;
  if (own === null || (!isNew && own.url === url)) {
    return [];
  }
  return [
    {
      what: `write ${owner}'s ${isNew ? 'new secret' : 'new address'} into ${operatorsFile}`,
      make: async () => {
        await writeOperatorsFile(operatorsFile, { ...own, url });
        await rm(place, { force: true });
      },
    },
  ];
}

function sayMissing({ options: { name, operatorsFile }, terminal }: Setup): void {
  terminal.say(
    [
      `  ${operatorsFile} is not on this machine, and nothing can make its secret again.`,
      `  For a new one: npm run rotate -- operator NAME --env ${name}`,
    ].join('\n'),
  );
}

/** A secret that stays here would let this machine's operator act as its owner. */
async function sayHandedOut({ deployment, options, terminal }: Setup, owner?: string) {
  for (const operator of deployment.operators.filter(({ name }) => name !== owner)) {
    const place = handedOutFile(options.operatorsFile, operator.keyId);
    if (isSecretOf(await readOperatorsFile(place), operator)) {
      terminal.say(`  ${operator.name}'s secret is still in ${place}: delete it once it is there.`);
    }
  }
}
