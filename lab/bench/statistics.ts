import { median } from '../harness/quantile.ts';

/** What a round measured on one server. */
export interface Sample {
  readonly ratePerSecond: number;
  readonly cpuMsPerUnit: number;
  /** Of requests; NaN where a unit has none. */
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Kefel and what it is compared with in one round, one right after the other. */
export interface Round {
  readonly kefel: Sample;
  readonly baseline: Sample;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Summary {
  readonly kefel: Sample;
  readonly baseline: Sample;
  /** Kefel's divided by the baseline's, of each round: what disturbs the machine slows both. */
  readonly rateRatio: Spread;
  readonly cpuRatio: Spread;
}

/** Medians of all rounds. */
export function summaryOf(rounds: readonly Round[]): Summary {
  return {
    kefel: medianSample(rounds.map(({ kefel }) => kefel)),
    baseline: medianSample(rounds.map(({ baseline }) => baseline)),
    rateRatio: spreadOf(
      rounds.map(({ kefel, baseline }) => kefel.ratePerSecond / baseline.ratePerSecond),
    ),
    cpuRatio: spreadOf(
      rounds.map(({ kefel, baseline }) => kefel.cpuMsPerUnit / baseline.cpuMsPerUnit),
    ),
  };
}

function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

function medianSample(samples: readonly Sample[]): Sample {
  const of = (name: keyof Sample) => median(samples.map((sample) => sample[name]));
  return {
    ratePerSecond: of('ratePerSecond'),
    cpuMsPerUnit: of('cpuMsPerUnit'),
    p50Ms: of('p50Ms'),
    p95Ms: of('p95Ms'),
  };
}
