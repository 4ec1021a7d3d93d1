import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'smol-toml';
import { newSqlite } from './database.ts';
import { replaceGlobals } from './globals.ts';
import { runHistory, type Setup } from './history.ts';
import { planOf } from './plan.ts';
import { shrunk } from './shrink.ts';

/**
 * Runs the histories of some seeds and prints one JSON line of results: `lab/simulate.ts` bundles
 * this file, runs it in one process for each core and adds the results up.
 */

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: '.' },
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    shrink: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    'failures-max': { type: 'string', default: '3' },
  },
});

/** The results of a run, or of a part of it. */
export interface Summary {
  histories: number;
  events: number;
  /** The exclusive or of all hashes with their seeds: the same for any order. */
  hash: number;
  faults: Record<string, number>;
  reached: Record<string, number>;
  failures: Failure[];
}

interface Failure {
  readonly seed: number;
  readonly violations: readonly { readonly promise: string; readonly what: string }[];
  /** Of the shrunk history. */
  readonly lines: readonly string[];
  readonly kept: string;
}

const write = process.stdout.write.bind(process.stdout);
const wrangler = parse(readFileSync(join(values.root, 'wrangler.toml'), 'utf8'));
const setup: Setup = {
  sqlite: newSqlite(values.root),
  variables: wrangler.vars as Setup['variables'],
};
replaceGlobals();
const summary: Summary = {
  histories: 0,
  events: 0,
  hash: 0,
  faults: {},
  reached: {},
  failures: [],
};
const from = Number(values.from);
const last = from + Number(values.seeds) * Number(values.step);
for (let seed = from; seed < last; seed += Number(values.step)) {
  const plan = planOf(seed);
  const result = await runHistory(plan, setup, values.trace);
  summary.histories += 1;
  summary.events += result.events;
  summary.hash =
    (summary.hash ^ Number.parseInt(result.hash.slice(0, 8), 16) ^ Math.imul(seed, 0x9e3779b1)) >>>
    0;
  for (const [fault, count] of result.faults) {
    summary.faults[fault] = (summary.faults[fault] ?? 0) + count;
  }
  for (const state of result.reached) {
    summary.reached[state] = (summary.reached[state] ?? 0) + 1;
  }
  if (result.lines !== null) {
    write(`${result.lines.join('\n')}\nhash ${result.hash}\n`);
  }
  const [violation] = result.violations;
  if (violation !== undefined) {
    const smallest = values.shrink ? await shrunk(plan, violation.promise, setup) : plan;
    const again = await runHistory(smallest, setup, true);
    summary.failures.push({
      seed,
      violations: result.violations,
      lines: again.lines ?? [],
      kept: JSON.stringify(smallest.weather),
    });
    if (summary.failures.length >= Number(values['failures-max'])) {
      break;
    }
  }
}
write(`${JSON.stringify(summary)}\n`);
