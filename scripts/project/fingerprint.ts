import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from './files.ts';

/** SHA-256 in hexadecimal. Changes with any byte or name of the project's files. */
export async function fingerprintOf(
  patterns: readonly string[],
  exclude: readonly string[],
): Promise<string> {
  const files = globSync(patterns, { cwd: PROJECT_DIRECTORY, withFileTypes: true, exclude })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(file.slice(PROJECT_DIRECTORY.length)).update(await readFile(file));
  }
  return hash.digest('hex');
}
