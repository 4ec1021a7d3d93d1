import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { MUTANTS, type Mutant } from './planted.ts';

/**
 * What caught each planted bug the last time: a test file, or the seed of a history. It runs first, so
 * that a run of all bugs takes minutes. A wrong entry costs time and changes no verdict.
 */

const FILE = join(PROJECT_DIRECTORY, 'lab/mutants/catchers.json');
const SEED = /^simulation, seed (\d+)$/;

export function seedCatcher(seed: number): string {
  return `simulation, seed ${seed}`;
}

/** Null when a test file caught the bug. */
export function seedIn(catcher: string): number | null {
  const [, seed] = SEED.exec(catcher) ?? [];
  return seed === undefined ? null : Number(seed);
}

export class Catchers {
  readonly #known: Map<string, string>;

  private constructor(known: Map<string, string>) {
    this.#known = known;
  }

  static async load(): Promise<Catchers> {
    return new Catchers(new Map(Object.entries(JSON.parse(await readFile(FILE, 'utf8')))));
  }

  of(mutant: Mutant): string | undefined {
    return this.#known.get(nameOf(mutant));
  }

  /** Stores it, in the order of the bugs and without bugs that are no more. */
  async note(mutant: Mutant, catcher: string): Promise<void> {
    this.#known.set(nameOf(mutant), catcher);
    const entries = MUTANTS.flatMap((one) => {
      const known = this.of(one);
      return known === undefined ? [] : [[nameOf(one), known] as const];
    });
    await writeFile(FILE, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }
}

function nameOf({ file, breaks }: Mutant): string {
  return `${file}: ${breaks}`;
}
