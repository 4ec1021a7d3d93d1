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
  /** The state, and those that it may have changed to by itself before this step. */
  before(state: State, step: Step): readonly State[];
  /** The states in which the step may leave the model with the given answer; empty: impossible. */
  next(state: State, step: Step): readonly State[];
  /** The same text for states that no later answer can tell apart. */
  keyOf(state: State): string;
}

export type Linearization =
  | { readonly type: 'linearizable' }
  /** `order`: positions of the longest sequence of steps that the model explains. */
  | { readonly type: 'contradiction'; readonly order: readonly number[] }
  /** Too many orders are possible, because many steps have no answer. */
  | { readonly type: 'undecided' };

/** About ten seconds. */
const TRIED_MAX = 20_000;

export function linearize<State, Step extends Interval>(
  model: Model<State, Step>,
  steps: readonly Step[],
): Linearization {
  const tried = new Set<string>();
  const answered = steps.filter(isAnswered).length;
  let longest: readonly number[] = [];
  const order: number[] = [];

  const explain = (done: bigint, left: number, state: State): boolean => {
    if (left === 0) {
      return true;
    }
    const key = `${done} ${model.keyOf(state)}`;
    if (tried.has(key) || tried.size >= TRIED_MAX) {
      return false;
    }
    tried.add(key);
    for (const index of candidates(steps, done)) {
      const step = steps[index] as Step;
      order.push(index);
      for (const next of successors(model, state, step)) {
        if (order.length > longest.length) {
          longest = [...order];
        }
        if (explain(done | (1n << BigInt(index)), left - (isAnswered(step) ? 1 : 0), next)) {
          return true;
        }
      }
      order.pop();
    }
    return false;
  };

  if (explain(0n, answered, model.initial)) {
    return { type: 'linearizable' };
  }
  return tried.size >= TRIED_MAX
    ? { type: 'undecided' }
    : { type: 'contradiction', order: longest };
}

function isAnswered({ answeredAt }: Interval): boolean {
  return answeredAt !== Number.POSITIVE_INFINITY;
}

/** A step without an answer and without an effect explains nothing, so it is left out. */
function successors<State, Step extends Interval>(
  model: Model<State, Step>,
  state: State,
  step: Step,
): readonly State[] {
  return model.before(state, step).flatMap((at) => {
    const next = model.next(at, step);
    return isAnswered(step) ? next : next.filter((after) => model.keyOf(after) !== model.keyOf(at));
  });
}

/** The steps that may come next: none of the others was answered before they began. */
function candidates(steps: readonly Interval[], done: bigint): readonly number[] {
  const left = [...steps.keys()].filter((index) => ((done >> BigInt(index)) & 1n) === 0n);
  const firstAnsweredAt = Math.min(
    ...left.map((index) => steps[index]?.answeredAt ?? Number.POSITIVE_INFINITY),
  );
  // What was answered first probably happened first.
  return left
    .filter((index) => (steps[index]?.invokedAt ?? 0) < firstAnsweredAt)
    .sort((one, other) => (steps[one]?.answeredAt ?? 0) - (steps[other]?.answeredAt ?? 0));
}
