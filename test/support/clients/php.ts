import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPhp, startPhp, writeIntoPhp } from '../../../lab/harness/php.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { type Driver, lineDriver } from './driver.ts';

/** Where the runtime sees the project. */
const ROOT = '/kefel';
const CLIENT = 'clients/php/Kefel.php';
const DRIVER = 'test/support/clients/driver.php';

export async function phpDriver(): Promise<Driver> {
  const php = await startPhpWith(CLIENT, DRIVER);
  const scriptPath = join(ROOT, DRIVER);
  return lineDriver((line) => runPhp(php, { scriptPath, method: 'POST', body: line }));
}

/** What a program prints that uses the client. */
export async function printedByPhp(program: string): Promise<string> {
  const php = await startPhpWith(CLIENT);
  const printed = await runPhp(php, { code: `<?php require '${join(ROOT, CLIENT)}'; ${program}` });
  php.exit();
  return printed;
}

async function startPhpWith(...paths: readonly string[]) {
  const php = await startPhp();
  for (const path of paths) {
    writeIntoPhp(php, join(ROOT, path), readFileSync(join(PROJECT_DIRECTORY, path)));
  }
  return php;
}
