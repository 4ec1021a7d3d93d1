import { fork } from 'node:child_process';
import type { Violation } from './journal.ts';

export interface Run {
  /** The first seed. */
  readonly from: number;
  readonly seeds: number;
  /** Processes that run side by side. */
  readonly workers: number;
  /** The run stops after so many failing histories. */
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

/** What a process sends about a history; null at its end. */
export type Report = {
  readonly seed: number;
  readonly hash: number;
  readonly events: number;
  readonly faults: Counts;
  readonly reached: Counts;
  readonly lines: readonly string[] | null;
  readonly failure: Failure | null;
} | null;

type Counts = Readonly<Record<string, number>>;

export interface Failure {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Of the shrunk history. */
  readonly lines: readonly string[];
  readonly kept: string;
}

/** What all histories of a run came to. */
export interface Summary {
  histories: number;
  events: number;
  /** The exclusive or of all hashes with their seeds: the same for any order. */
  hash: number;
  /** How often each kind of fault has struck. */
  readonly faults: Record<string, number>;
  /** How many histories reached each state, for the report on coverage. */
  readonly reached: Record<string, number>;
  readonly failures: Failure[];
}

const RUN_MS_MAX = 60 * 60 * 1_000;

/** Runs the bundled simulation and adds up what its processes report. */
export async function runSimulation(bundle: string, root: string, run: Run): Promise<Summary> {
  const { from, seeds, workers, failuresMax, msMax = RUN_MS_MAX } = run;
  const summary: Summary = {
    ...{ histories: 0, events: 0, hash: 0, faults: {}, reached: {}, failures: [] },
  };
  const stop = new AbortController();
  const add = ({ seed, hash, events, faults, reached, lines, failure }: NonNullable<Report>) => {
    summary.histories += 1;
    summary.events += events;
    summary.hash = (summary.hash ^ hash ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
    count(summary.faults, faults);
    count(summary.reached, reached);
    if (lines !== null) {
      console.log([...lines, `hash ${hash.toString(16)}`].join('\n'));
    }
    if (failure !== null && summary.failures.push(failure) >= failuresMax) {
      stop.abort();
    }
  };
  const shares = Array.from({ length: Math.min(workers, seeds) }, (_, index) => {
    const share: Share = { root, firstSeed: from + index, lastSeed: from + seeds - 1, run };
    return runShare(bundle, share, { signal: stop.signal, timeout: msMax }, add);
  });
  try {
    await Promise.all(shares);
  } catch (error) {
    if (!stop.signal.aborted) {
      stop.abort();
      throw error;
    }
  }
  return summary;
}

function runShare(
  bundle: string,
  share: Share,
  limits: { readonly signal: AbortSignal; readonly timeout: number },
  add: (report: NonNullable<Report>) => void,
): Promise<void> {
  const child = fork(bundle, [JSON.stringify(share)], { execArgv: ['--no-warnings'], ...limits });
  return new Promise((resolve, reject) => {
    child.on('message', (report) => (report === null ? resolve() : add(report as never)));
    child.on('error', reject);
    child.on('close', (code, killedBy) =>
      reject(new Error(`the simulation ended with ${killedBy ?? `code ${code}`}`)),
    );
  });
}

function count(sums: Record<string, number>, counts: Counts): void {
  for (const [name, more] of Object.entries(counts)) {
    sums[name] = (sums[name] ?? 0) + more;
  }
}
