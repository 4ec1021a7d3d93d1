import type { CpuProfile, ProfileNode } from './inspector.ts';

/** Where a function of the bundle comes from. */
export interface Place {
  /** A file of the sources, the name of a package, or workerd's own. */
  readonly file: string;
  /** Name, file and line. */
  readonly name: string;
}

/** Milliseconds by name, the most first. */
export type Times = readonly (readonly [name: string, ms: number])[];

export interface ProfileTimes {
  readonly busyMs: number;
  readonly byFile: Times;
  /** Without what a function called. */
  readonly selfByFunction: Times;
  /** With all that it called, until its first `await`. */
  readonly totalByFunction: Times;
}

/**
 * The sampler counts only while the isolate runs, so a longer gap before a sample is time of other
 * isolates or of none.
 */
const SAMPLE_US_MAX = 500;
const IDLE = '(idle)';

/** Adds up a profile's samples. */
export function timesOf(profile: CpuProfile, placeOf: (node: ProfileNode) => Place): ProfileTimes {
  const stacks = stacksOf(profile, placeOf);
  const byFile = new Map<string, number>();
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  let busyMs = 0;
  for (const [index, sample] of profile.samples.entries()) {
    const stack = stacks.get(sample) ?? [];
    const [top] = stack;
    if (top === undefined || top.name.startsWith(IDLE)) {
      continue;
    }
    const ms = Math.min(profile.timeDeltas[index] ?? 0, SAMPLE_US_MAX) / 1_000;
    busyMs += ms;
    add(byFile, top.file, ms);
    add(self, top.name, ms);
    // A recursive function counts once.
    for (const name of new Set(stack.map(({ name }) => name))) {
      add(total, name, ms);
    }
  }
  return {
    busyMs,
    byFile: mostFirst(byFile),
    selfByFunction: mostFirst(self),
    totalByFunction: mostFirst(total),
  };
}

/** The functions on the stack at each node, the innermost first, without the root. */
function stacksOf(
  { nodes }: CpuProfile,
  placeOf: (node: ProfileNode) => Place,
): ReadonlyMap<number, readonly Place[]> {
  const stacks = new Map<number, readonly Place[]>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (node: ProfileNode, stack: readonly Place[]): void => {
    stacks.set(node.id, stack);
    for (const child of node.children ?? []) {
      const called = byId.get(child);
      if (called !== undefined) {
        visit(called, [placeOf(called), ...stack]);
      }
    }
  };
  const [root] = nodes;
  if (root !== undefined) {
    visit(root, []);
  }
  return stacks;
}

function add(sums: Map<string, number>, name: string, ms: number): void {
  sums.set(name, (sums.get(name) ?? 0) + ms);
}

function mostFirst(sums: ReadonlyMap<string, number>): Times {
  return [...sums].sort(([, one], [, other]) => other - one);
}
