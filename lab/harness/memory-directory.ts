import { existsSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';

/** A directory in memory, where nothing waits for a disk; null where it has less space free. */
export function memoryDirectory(bytesFreeMin: number): string | null {
  if (!existsSync(MEMORY)) {
    return null;
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < bytesFreeMin ? null : MEMORY;
}
