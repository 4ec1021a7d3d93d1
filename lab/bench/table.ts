import { median } from '../harness/quantile.ts';

/** What a round measured on one server. */
export interface Sample {
  readonly ratePerSecond: number;
  readonly cpuMsPerUnit: number;
  /** The median latency of requests; NaN where a unit has none. */
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Kefel and its floor in one round, one right after the other. */
export interface Round {
  readonly kefel: Sample;
  readonly floor: Sample;
}

export interface Measurement {
  readonly about: string;
  readonly clients: number;
  readonly rounds: readonly Round[];
}

/** The head of a Markdown table of measurements. */
export const TABLE_HEAD = [
  '| case | clients | per second | floor | ratio | CPU ms | floor | ratio | p50 ms | p95 ms |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
].join('\n');

/** Medians of all rounds, and Kefel's part of the floor's. */
export function tableRow({ about, clients, rounds }: Measurement): string {
  const of = (side: keyof Round, name: keyof Sample) =>
    median(rounds.map((round) => round[side][name]));
  const compared = (name: 'ratePerSecond' | 'cpuMsPerUnit', digits: number) => [
    of('kefel', name).toFixed(digits),
    of('floor', name).toFixed(digits),
    // The ratio of each round: a disturbance of the machine slows both servers.
    spreadText(rounds.map(({ kefel, floor }) => kefel[name] / floor[name])),
  ];
  const cells = [
    ...[about, String(clients), ...compared('ratePerSecond', 0), ...compared('cpuMsPerUnit', 2)],
    ...[msText(of('kefel', 'p50Ms')), msText(of('kefel', 'p95Ms'))],
  ];
  return `| ${cells.join(' | ')} |`;
}

function spreadText(values: readonly number[]): string {
  const [middle, min, max] = [median(values), Math.min(...values), Math.max(...values)];
  return `${middle.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

function msText(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(1);
}
