import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from './files.ts';

/** SHA-256 in hexadecimal. Changes with any byte or name of the project's files. */
export function fingerprintOf(patterns: readonly string[], exclude: readonly string[]): string {
  const files = globSync(patterns, { cwd: PROJECT_DIRECTORY, withFileTypes: true, exclude })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) {
    // Many small files: synchronous reads take a quarter of the processor time.
    hash.update(file.slice(PROJECT_DIRECTORY.length)).update(readFileSync(file));
  }
  return hash.digest('hex');
}
