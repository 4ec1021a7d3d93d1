import { createHash } from 'node:crypto';

const UINT32_RANGE = 2 ** 32;

/**
 * Seeded random numbers (mulberry32). Each party has its own generator, identified by `seeds`, so
 * that the choices of one do not shift those of another.
 */
export class Chance {
  #state: number;

  constructor(...seeds: readonly (string | number)[]) {
    this.#state = createHash('sha256').update(JSON.stringify(seeds)).digest().readUInt32LE();
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32_RANGE;
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** From `min` to `max`, both inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  oneOf<const T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0];
  }

  /** A name with a probability in proportion to its weight, of those that `isPossible` allows. */
  weighted<Name extends string>(
    weights: Readonly<Record<Name, number>>,
    isPossible: (name: Name) => boolean,
  ): Name {
    const possible = (Object.keys(weights) as Name[]).filter(isPossible);
    let rest = this.next() * possible.reduce((sum, name) => sum + weights[name], 0);
    const chosen = possible.find((name) => {
      rest -= weights[name];
      return rest < 0;
    });
    if (chosen === undefined) {
      throw new Error('nothing to choose from');
    }
    return chosen;
  }
}
