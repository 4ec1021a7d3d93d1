import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { runProgram } from '../harness/program.ts';
import type { NewShop } from './project/shop.ts';

const DOCUMENT = join(PROJECT_DIRECTORY, 'public', 'openapi.json');
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Installs the generators and Prism into the directory: packages that no developer needs daily. */
export async function installInto(directory: string): Promise<void> {
  await cp(join(import.meta.dirname, 'project'), directory, { recursive: true });
  await cp(DOCUMENT, join(directory, 'openapi.json'));
  await runProgram('npm', INSTALL, directory);
}

/** The generated clients, compiled strictly, behind one interface. */
export async function generatedShops(
  directory: string,
): Promise<Readonly<Record<string, NewShop>>> {
  const node = (program: string, ...args: readonly string[]) =>
    runProgram(process.execPath, [join('node_modules', program), ...args], directory);
  const document = 'openapi.json';
  const types = join('generated', 'openapi-typescript.ts');
  await node('openapi-typescript/bin/cli.js', document, '--output', types);
  const heyApi = ['--output', join('generated', 'hey-api'), '--client', '@hey-api/client-fetch'];
  await node('@hey-api/openapi-ts/bin/run.js', '--input', document, ...heyApi, '--no-log-file');
  await node('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs');
  await node('typescript/bin/tsc', '--project', '.');
  const outfile = join(directory, 'shops.mjs');
  const entryPoints = [join(directory, 'shops.ts')];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', logLevel: 'error' });
  return (await import(pathToFileURL(outfile).href)).SHOPS;
}

/** Validates prices with the reference validator of Python. */
export async function validatePrices(): Promise<void> {
  await runProgram(
    'python3',
    [join(import.meta.dirname, 'prices.py'), DOCUMENT],
    PROJECT_DIRECTORY,
  );
}
