import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** `/proc` counts in hundredths of a second on every Linux (USER_HZ). */
const MS_PER_TICK = 10;
/** utime, stime, cutime and cstime in `statOf`. */
const TIMES = { from: 11, to: 15 };

const POLL_MS = 50;
const QUIET_WAIT_MS = 120_000;

/**
 * The processor time that processes have used, in user and system mode, with all their descendants,
 * those that have ended included. Exact to 10 ms.
 */
export async function treeCpuTimeMs(rootIds: readonly number[]): Promise<number> {
  let sumMs = 0;
  for (const processId of rootIds) {
    const fields = await statOf(processId).catch(() => []);
    const ticks = fields.slice(TIMES.from, TIMES.to).reduce((sum, each) => sum + Number(each), 0);
    sumMs += ticks * MS_PER_TICK;
    sumMs += await treeCpuTimeMs(await childrenOf(processId));
  }
  return sumMs;
}

/** The ids of a process's children. None when it has just ended, and its files with it. */
export async function childrenOf(processId: number | 'self'): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${processId}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) =>
      readFile(`/proc/${processId}/task/${thread}/children`, 'utf8').catch(() => ''),
    ),
  );
  return lists.flatMap((list) => list.split(' ').filter((id) => id !== '')).map(Number);
}

/** The fields of proc_pid_stat(5) after the name, which is in brackets and may hold spaces. */
async function statOf(processId: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

interface Busy {
  cpuTimeMs(): Promise<number>;
}

export interface Quiet {
  /** When the process did its last work, by Date.now(). */
  readonly sinceMs: number;
  readonly cpuTimeMs: number;
}

/** Waits until a server has used at most one tick for `silenceMs`. */
export async function untilQuiet(server: Busy, silenceMs: number): Promise<Quiet> {
  const deadlineMs = Date.now() + QUIET_WAIT_MS;
  let quiet: Quiet = { sinceMs: Date.now(), cpuTimeMs: await server.cpuTimeMs() };
  while (Date.now() - quiet.sinceMs < silenceMs) {
    if (Date.now() > deadlineMs) {
      throw new Error('the server does not come to rest');
    }
    await wait(POLL_MS);
    const used = await server.cpuTimeMs();
    if (used - quiet.cpuTimeMs > MS_PER_TICK) {
      quiet = { sinceMs: Date.now(), cpuTimeMs: used };
    }
  }
  return { sinceMs: quiet.sinceMs, cpuTimeMs: await server.cpuTimeMs() };
}
