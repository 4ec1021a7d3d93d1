import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** `/proc` counts in hundredths of a second on every Linux (USER_HZ). */
const MS_PER_TICK = 10;
/** Fields of `/proc/PID/stat` after the name, see proc_pid_stat(5): utime and stime. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

const POLL_MS = 50;
const QUIET_WAIT_MS = 120_000;

/** The processor time that a process has used, in user and system mode. Exact to 10 ms. */
export async function cpuTimeMs(processId: number): Promise<number> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8');
  // The name is in brackets and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * MS_PER_TICK;
}

export interface Quiet {
  /** When the process did its last work, by Date.now(). */
  readonly sinceMs: number;
  readonly cpuTimeMs: number;
}

/** Waits until a process has used at most one tick for `silenceMs`. */
export async function untilQuiet(processId: number, silenceMs: number): Promise<Quiet> {
  const deadlineMs = Date.now() + QUIET_WAIT_MS;
  let quiet: Quiet = { sinceMs: Date.now(), cpuTimeMs: await cpuTimeMs(processId) };
  while (Date.now() - quiet.sinceMs < silenceMs) {
    if (Date.now() > deadlineMs) {
      throw new Error(`process ${processId} does not come to rest`);
    }
    await wait(POLL_MS);
    const used = await cpuTimeMs(processId);
    if (used - quiet.cpuTimeMs > MS_PER_TICK) {
      quiet = { sinceMs: Date.now(), cpuTimeMs: used };
    }
  }
  return { sinceMs: quiet.sinceMs, cpuTimeMs: await cpuTimeMs(processId) };
}
