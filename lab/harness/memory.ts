import { readFile, writeFile } from 'node:fs/promises';

const KIB_PER_MIB = 1_024;
/** proc_pid_clear_refs(5): sets the peak back to the current size. */
const RESET_PEAK = '5';

/** The most memory that processes have had at once since the last reset, each for itself. */
export async function peakMiB(processIds: readonly number[]): Promise<number> {
  let sumKib = 0;
  for (const processId of processIds) {
    const status = await readFile(`/proc/${processId}/status`, 'utf8');
    sumKib += Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
  }
  return Math.round(sumKib / KIB_PER_MIB);
}

export async function resetPeakMiB(processIds: readonly number[]): Promise<number> {
  for (const processId of processIds) {
    await writeFile(`/proc/${processId}/clear_refs`, RESET_PEAK);
  }
  return peakMiB(processIds);
}
