/**
 * Whether a concurrent history is linearizable: whether every operation can be given one moment
 * between its request and its answer, so that a sequential model gives the same answers. The search
 * is Wing and Gong's, with Lowe's memory of what was tried.
 */

export interface Interval {
  readonly invokedAt: number;
  /** Infinity: never answered. Such an operation may have taken effect, or not. */
  readonly answeredAt: number;
}

export interface Model<State, Step> {
  readonly initial: State;
  /** The states in which the step may leave the model with the given answer; empty: impossible. */
  next(state: State, step: Step): readonly State[];
  /** The same text for states that no later answer can tell apart. */
  keyOf(state: State): string;
}

export type Linearization =
  | { readonly type: 'linearizable' }
  /** `order`: positions of the longest sequence of steps that the model explains. */
  | { readonly type: 'contradiction'; readonly order: readonly number[] };

export function linearize<State, Step extends Interval>(
  model: Model<State, Step>,
  steps: readonly Step[],
): Linearization {
  const tried = new Set<string>();
  const answered = steps.filter(({ answeredAt }) => answeredAt !== Number.POSITIVE_INFINITY).length;
  let longest: readonly number[] = [];
  const order: number[] = [];

  const explain = (done: bigint, left: number, state: State): boolean => {
    if (left === 0) {
      return true;
    }
    const key = `${done} ${model.keyOf(state)}`;
    if (tried.has(key)) {
      return false;
    }
    tried.add(key);
    for (const index of candidates(steps, done)) {
      const step = steps[index] as Step;
      const isAnswered = step.answeredAt !== Number.POSITIVE_INFINITY;
      order.push(index);
      for (const next of model.next(state, step)) {
        if (order.length > longest.length) {
          longest = [...order];
        }
        if (explain(done | (1n << BigInt(index)), left - (isAnswered ? 1 : 0), next)) {
          return true;
        }
      }
      order.pop();
    }
    return false;
  };

  return explain(0n, answered, model.initial)
    ? { type: 'linearizable' }
    : { type: 'contradiction', order: longest };
}

/** The steps that may come next: none of the others was answered before they began. */
function candidates(steps: readonly Interval[], done: bigint): readonly number[] {
  const left = [...steps.keys()].filter((index) => ((done >> BigInt(index)) & 1n) === 0n);
  const firstAnsweredAt = Math.min(
    ...left.map((index) => steps[index]?.answeredAt ?? Number.POSITIVE_INFINITY),
  );
  return left.filter((index) => (steps[index]?.invokedAt ?? 0) < firstAnsweredAt);
}
