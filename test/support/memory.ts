import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** The tests need a tenth of it; containers often have 64 MB. */
const BYTES_FREE_MIN = 40_000_000;

/**
 * A directory in memory, where SQLite's commits do not wait for a disk; otherwise the usual one.
 */
export function memoryDirectory(): string {
  if (!existsSync(MEMORY)) {
    return tmpdir();
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < BYTES_FREE_MIN ? tmpdir() : MEMORY;
}
