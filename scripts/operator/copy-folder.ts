import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { MANIFESTS_PREFIX } from '../../src/recovery/backup/names.ts';
import { UsageError } from './command.ts';

/** A folder with a fetched copy: the names of its parts are the paths of its files. */

/** What else lies in the folder is no part. */
const PART = /^(?:payments|registers|databases|runs)\//;

/** The names of all parts, sorted. Throws UsageError without the folder. */
export async function partsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new UsageError(`--from: there is no directory ${folder}`);
  });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .filter((name) => PART.test(name))
    .sort();
}

export function isManifest(name: string): boolean {
  return name.startsWith(MANIFESTS_PREFIX);
}

/** The runs that the folder has, oldest first. */
export function runsAmong(names: readonly string[]): readonly string[] {
  return names.filter(isManifest).map((name) => name.slice(MANIFESTS_PREFIX.length));
}

/** Throws UsageError for a run that the folder does not have. */
export function checkRun(folder: string, names: readonly string[], run: string | undefined): void {
  const known = runsAmong(names);
  if (run === undefined || !known.includes(run)) {
    const wanted = run === undefined ? 'no backup' : `no backup ${run}`;
    throw new UsageError(
      `--from: ${folder} has ${wanted}, but ${known.join(', ') || 'none at all'}`,
    );
  }
}

export function bytesOfPart(folder: string, name: string): Promise<Buffer<ArrayBuffer>> {
  return readFile(join(folder, ...name.split('/')));
}
