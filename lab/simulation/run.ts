import { spawn } from 'node:child_process';
import type { Summary } from './main.ts';

export interface Run {
  /** The first seed. */
  readonly from: number;
  readonly seeds: number;
  /** Processes that run side by side. */
  readonly workers: number;
  /** A worker stops after so many failing histories. */
  readonly failuresMax: number;
  /** Cut failing histories down to what they need. */
  readonly shrinks: boolean;
  /** Print every line of every history. */
  readonly isTraced: boolean;
  /** A mistake can make a history endless. */
  readonly msMax?: number;
}

const RUN_MS_MAX = 60 * 60 * 1_000;

/** Runs the bundled simulation and adds up what its processes report. */
export async function runSimulation(bundle: string, root: string, run: Run): Promise<Summary> {
  const { from, seeds, workers, failuresMax, shrinks, isTraced, msMax = RUN_MS_MAX } = run;
  const stop = new AbortController();
  const shares = Array.from({ length: Math.min(workers, seeds) }, (_, index) =>
    runShare(
      bundle,
      [
        ...['--root', root],
        ...['--from', String(from + index)],
        ...['--step', String(workers)],
        ...['--seeds', String(Math.ceil((seeds - index) / workers))],
        ...['--failures-max', String(failuresMax)],
        ...(shrinks ? ['--shrink'] : []),
        ...(isTraced ? ['--trace'] : []),
      ],
      { signal: stop.signal, timeout: msMax },
    ),
  );
  try {
    return shrinks ? (await Promise.all(shares)).reduce(added) : await firstFailing(shares);
  } finally {
    stop.abort();
    await Promise.allSettled(shares);
  }
}

/** The summary of the first process that finds something broken; the sum of all when none does. */
function firstFailing(shares: readonly Promise<Summary>[]): Promise<Summary> {
  const failing = shares.map(async (share) => {
    const summary = await share;
    return summary.failures.length > 0 ? summary : never<Summary>();
  });
  return Promise.race([...failing, Promise.all(shares).then((all) => all.reduce(added))]);
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** The last line that the process prints is its summary; the others are traces. */
function runShare(
  bundle: string,
  options: readonly string[],
  limits: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Summary> {
  const child = spawn(process.execPath, ['--no-warnings', bundle, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...limits,
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      const lines = output.trimEnd().split('\n');
      const summary = lines.pop() ?? '';
      for (const line of lines) {
        console.log(line);
      }
      if (code === 0) {
        resolve(JSON.parse(summary) as Summary);
      } else {
        reject(new Error(`the simulation ended with ${killedBy ?? `code ${code}`}`));
      }
    });
  });
}

function added(one: Summary, other: Summary): Summary {
  return {
    histories: one.histories + other.histories,
    events: one.events + other.events,
    hash: (one.hash ^ other.hash) >>> 0,
    faults: addedCounts(one.faults, other.faults),
    reached: addedCounts(one.reached, other.reached),
    failures: [...one.failures, ...other.failures],
  };
}

type Counts = Readonly<Record<string, number>>;

function addedCounts(one: Counts, other: Counts): Record<string, number> {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) {
    sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}
