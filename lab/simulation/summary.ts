/** What histories came to: one, those of a process, or all of a run. */
export interface Summary {
  readonly histories: number;
  readonly events: number;
  /** The exclusive or of all hashes with their seeds: the same for any order. */
  readonly hash: number;
  /** How often each kind of fault has struck. */
  readonly faults: Counts;
  /** How many histories reached each state, for the report on coverage. */
  readonly reached: Counts;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly seed: number;
  readonly violations: readonly { readonly promise: string; readonly what: string }[];
  /** Of the shrunk history. */
  readonly lines: readonly string[];
  readonly kept: string;
}

type Counts = Readonly<Record<string, number>>;

export const NOTHING: Summary = {
  ...{ histories: 0, events: 0, hash: 0, faults: {}, reached: {}, failures: [] },
};

export function added(one: Summary, other: Summary): Summary {
  return {
    histories: one.histories + other.histories,
    events: one.events + other.events,
    hash: (one.hash ^ other.hash) >>> 0,
    faults: addedCounts(one.faults, other.faults),
    reached: addedCounts(one.reached, other.reached),
    failures: [...one.failures, ...other.failures],
  };
}

function addedCounts(one: Counts, other: Counts): Counts {
  const names = Object.keys({ ...one, ...other });
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
