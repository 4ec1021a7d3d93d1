import { runHistory } from './history.ts';
import type { Plan } from './plan.ts';
import type { Setup } from './world.ts';

/** Histories that the shrinker tries at most. */
const RUNS_MAX = 2_000;

/**
 * A smaller plan that breaks the same promise: without kinds of faults, steps, payments and single
 * strikes that it does not need.
 */
export async function shrunk(plan: Plan, promise: string, setup: Setup): Promise<Plan> {
  let runs = 0;
  const fails = async (candidate: Plan): Promise<boolean> => {
    runs += 1;
    const { violations } = await runHistory(candidate, setup, false);
    return runs <= RUNS_MAX && violations.some((violation) => violation.promise === promise);
  };
  let smallest = plan;
  for (let before = ''; before !== sizeOf(smallest); ) {
    before = sizeOf(smallest);
    for (const candidates of [withoutWeather, withoutSteps]) {
      for (const candidate of candidates(smallest)) {
        const tried = candidate(smallest);
        if (tried !== null && (await fails(tried))) {
          smallest = tried;
        }
      }
    }
  }
  const { faults } = await runHistory(smallest, setup, false);
  const strikes = [...faults].flatMap(([fault, count]) =>
    Array.from({ length: count }, (_, index) => `${fault}#${index + 1}`),
  );
  for (const strike of strikes) {
    const tried = { ...smallest, spared: new Set([...smallest.spared, strike]) };
    if (await fails(tried)) {
      smallest = tried;
    }
  }
  return smallest;
}

type Cut = (plan: Plan) => Plan | null;

function withoutWeather({ weather }: Plan): readonly Cut[] {
  return Object.keys(weather).map((fault) => (plan) => {
    const { [fault as keyof typeof weather]: _cut, ...others } = plan.weather;
    return fault in plan.weather ? { ...plan, weather: others } : null;
  });
}

function withoutSteps({ steps }: Plan): readonly Cut[] {
  return steps.map(
    (step) => (plan) =>
      plan.steps.includes(step)
        ? { ...plan, steps: plan.steps.filter((other) => other !== step) }
        : null,
  );
}

function sizeOf({ weather, steps }: Plan): string {
  return `${Object.keys(weather).length}/${steps.length}`;
}
