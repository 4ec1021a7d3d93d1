import { fork } from 'node:child_process';
import { added, NOTHING, type Summary } from './summary.ts';

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

/** The part of a run that one process does: each `workers`th seed. */
export interface Share {
  /** The repository, or a copy of it. */
  readonly root: string;
  readonly firstSeed: number;
  readonly lastSeed: number;
  readonly run: Run;
}

const RUN_MS_MAX = 60 * 60 * 1_000;

/** Runs the bundled simulation and adds up what its processes report. */
export async function runSimulation(bundle: string, root: string, run: Run): Promise<Summary> {
  const { from, seeds, workers, shrinks, msMax = RUN_MS_MAX } = run;
  const stop = new AbortController();
  const shares = Array.from({ length: Math.min(workers, seeds) }, (_, index) =>
    runShare(
      bundle,
      { root, firstSeed: from + index, lastSeed: from + seeds - 1, run },
      { signal: stop.signal, timeout: msMax },
    ),
  );
  try {
    const all = Promise.all(shares).then((summaries) => summaries.reduce(added, NOTHING));
    return await (shrinks ? all : Promise.race([...shares.map(onlyFailing), all]));
  } finally {
    stop.abort();
    await Promise.allSettled(shares);
  }
}

/** Without the shrinker, the first process that finds something broken ends the run. */
async function onlyFailing(share: Promise<Summary>): Promise<Summary> {
  const summary = await share;
  return summary.failures.length > 0 ? summary : new Promise(() => undefined);
}

function runShare(
  bundle: string,
  share: Share,
  limits: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Summary> {
  const child = fork(bundle, [JSON.stringify(share)], { execArgv: ['--no-warnings'], ...limits });
  return new Promise((resolve, reject) => {
    child.on('message', (summary) => resolve(summary as Summary));
    child.on('error', reject);
    child.on('close', (code, killedBy) =>
      reject(new Error(`the simulation ended with ${killedBy ?? `code ${code}`}`)),
    );
  });
}
