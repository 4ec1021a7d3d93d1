import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../scripts/project/exit-on-signals.ts';

/** In memory on every Linux: tmpfs. */
export const MEMORY_DIRECTORY = '/dev/shm';

/** Runs `use` with a new folder, which is gone afterwards. */
export async function inDirectory<Result>(
  use: (directory: string) => Promise<Result>,
  parent = tmpdir(),
): Promise<Result> {
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'kefel-lab-'));
  directories.add(directory);
  try {
    return await use(directory);
  } finally {
    directories.delete(directory);
    await rm(directory, { recursive: true, maxRetries: 5 });
  }
}

/** What an interrupted run must not leave behind. */
const directories = new Set<string>();
process.on('exit', () => {
  for (const directory of directories) {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
