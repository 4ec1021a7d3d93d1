import { expect, test } from 'vitest';
import { runHistory, setUp } from '../simulation/history.ts';
import { planOf } from '../simulation/plan.ts';

/** Histories of the simulation, in the process of the test, where a mutant is active. */

const TESTS = 20;
const HISTORIES_PER_TEST = 10;

const setup = setUp('.');

test.each(Array.from({ length: TESTS }, (_, index) => 1 + index * HISTORIES_PER_TEST))(
  'histories from seed %d',
  async (from) => {
    for (let seed = from; seed < from + HISTORIES_PER_TEST; seed += 1) {
      expect((await runHistory(planOf(seed), setup, false)).violations).toEqual([]);
    }
  },
);
