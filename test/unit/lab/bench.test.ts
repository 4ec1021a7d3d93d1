import { expect, test } from 'vitest';
import { type Round, TABLE_HEAD, tableRow } from '../../../lab/bench/table.ts';

/** Goal: the figures of docs/benchmarks.md follow from the measurements as the page says. */

/** A round in which Kefel takes this many times the processor time of its floor, at half the rate. */
function round(cpuRatio: number): Round {
  return {
    kefel: { ratePerSecond: 100, cpuMsPerUnit: cpuRatio * 0.5, p50Ms: 2, p95Ms: 4 },
    floor: { ratePerSecond: 200, cpuMsPerUnit: 0.5, p50Ms: 1, p95Ms: 2 },
  };
}

function row(rounds: readonly Round[]): string {
  return tableRow({ about: 'hosted create', clients: 8, rounds });
}

test('a row has the medians of the rounds and the spread of their ratios', () => {
  expect(`${TABLE_HEAD}\n${row([1.5, 1.4, 1.6].map(round))}`.split('\n')).toEqual([
    '| case | clients | per second | floor | ratio | CPU ms | floor | ratio | p50 ms | p95 ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| hosted create | 8 | 100 | 200 | 0.50 (0.50–0.50) | 0.75 | 0.50 | 1.50 (1.40–1.60) | 2.0 | 4.0 |',
  ]);
});

test('a ratio divides the two servers of one round, not their medians', () => {
  const slow = { ratePerSecond: 10, cpuMsPerUnit: 4, p50Ms: 1, p95Ms: 1 };
  const fast = { ratePerSecond: 40, cpuMsPerUnit: 1, p50Ms: 1, p95Ms: 1 };
  const rounds = [slow, fast, slow].map((same) => ({ kefel: same, floor: same }));
  expect(row(rounds)).toContain('| 1.00 (1.00–1.00) | 4.00 | 4.00 | 1.00 (1.00–1.00) |');
});

test('a row leaves out latencies where a unit has no request', () => {
  const due = { ...round(1).kefel, p50Ms: Number.NaN, p95Ms: Number.NaN };
  expect(row([{ kefel: due, floor: due }])).toMatch(/\| {2}\| {2}\|$/);
});
