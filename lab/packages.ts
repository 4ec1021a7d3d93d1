/**
 * `npm run lab -- packages`: packs the clients and the command line, installs each into an empty project,
 * and makes its README's first payment there, at a gateway of its own. Exits with 1 if one fails.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { numberOption } from '../scripts/project/options.ts';
import { inDirectory } from './harness/directory.ts';
import { withGateway } from './harness/gateway.ts';
import { runLabScript } from './harness/script.ts';
import { checkComposer } from './packages/composer.ts';
import { checkCommandLine, checkTypeScript } from './packages/npm.ts';
import { checkPython } from './packages/python.ts';
import { Stage } from './packages/stage.ts';

const SCRIPT = {
  usage: 'npm run lab -- packages',
  about:
    'Packs the clients and the command line, installs each into an empty project,\nand makes a first payment there, at a gateway of its own.',
  options: {
    output: { value: 'DIR', about: 'keep the packages in this folder' },
    port: numberOption('PORT', 'where the gateway listens', 8_796),
  },
};

const CHECKS: Readonly<Record<string, (stage: Stage) => Promise<string>>> = {
  'clients/typescript': checkTypeScript,
  'clients/cli': checkCommandLine,
  'clients/php': checkComposer,
  'clients/python': checkPython,
};

await runLabScript(SCRIPT, ({ output, port }) =>
  inDirectory(async (scratch) => {
    const packages = output === undefined ? join(scratch, 'packages') : resolve(output);
    await mkdir(packages, { recursive: true });
    return withGateway(port, async (merchant) => {
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
  }),
);
