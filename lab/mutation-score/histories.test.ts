import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { newSqlite } from '../simulation/database.ts';
import { replaceGlobals } from '../simulation/globals.ts';
import { runHistory, type Setup } from '../simulation/history.ts';
import { planOf } from '../simulation/plan.ts';

/** Histories of the simulation, in the process of the test, where a mutant is active. */

const TESTS = 20;
const HISTORIES_PER_TEST = 10;

const setup: Setup = {
  sqlite: newSqlite('.'),
  variables: parse(readFileSync('wrangler.toml', 'utf8')).vars as Setup['variables'],
};
replaceGlobals();

test.each(Array.from({ length: TESTS }, (_, index) => 1 + index * HISTORIES_PER_TEST))(
  'histories from seed %d',
  async (from) => {
    for (let seed = from; seed < from + HISTORIES_PER_TEST; seed += 1) {
      expect((await runHistory(planOf(seed), setup, false)).violations).toEqual([]);
    }
  },
);
