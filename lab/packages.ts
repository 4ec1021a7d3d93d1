/**
 * `npm run packages`: packs the clients and the command line, installs each into an empty project,
 * and makes its README's first payment there, at a gateway of its own. Exits with 1 if one fails.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withOwnGateway } from '../scripts/gateway/own-gateway.ts';
import { commandLine } from '../scripts/project/options.ts';
import { givenNumber } from '../scripts/project/whole-number.ts';
import { checkComposer } from './packages/composer.ts';
import { checkCommandLine, checkTypeScript } from './packages/npm.ts';
import { checkPython } from './packages/python.ts';
import { Stage } from './packages/stage.ts';

const DEFAULT_PORT = 8796;

const SCRIPT = {
  usage: 'npm run packages',
  about:
    'Packs the clients and the command line, installs each into an empty project,\nand makes a first payment there, at a gateway of its own.',
  options: {
    output: { value: 'DIR', about: 'keep the packages in this folder' },
    port: { value: 'PORT', about: `where the gateway listens (default: ${DEFAULT_PORT})` },
  },
};

const CHECKS: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  'clients/typescript': checkTypeScript,
  'clients/cli': checkCommandLine,
  'clients/php': checkComposer,
  'clients/python': checkPython,
};

async function main(): Promise<boolean> {
  const { output, port } = commandLine(SCRIPT, (given) => ({
    output: given.get('output')?.[0],
    port: givenNumber(given, 'port', DEFAULT_PORT),
  }));
  const scratch = await mkdtemp(join(tmpdir(), 'kefel-packages-'));
  const packages = output === undefined ? join(scratch, 'packages') : resolve(output);
  await mkdir(packages, { recursive: true });
  try {
    return await withOwnGateway(port, async ({ merchant }) => {
      const stage = new Stage(packages, scratch, merchant);
      let isGood = true;
      for (const [name, check] of Object.entries(CHECKS)) {
        try {
          console.log(`${name}: ${await check(stage)}`);
        } catch (error) {
          console.error(`${name}: FAILED`, error);
          isGood = false;
        }
      }
      return isGood;
    });
  } finally {
    await rm(scratch, { recursive: true });
  }
}

process.exitCode = (await main()) ? 0 : 1;
