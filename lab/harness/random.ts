import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

const UINT32_RANGE = 2 ** 32;

/**
 * Seeded random numbers. Each purpose draws from a stream of its own, so that one more draw in one
 * place changes nothing elsewhere: that keeps a history alike while the shrinker cuts it down.
 */
export class Random {
  readonly #generator: ReturnType<typeof xoroshiro128plusFromState>;

  constructor(seed: number, ...stream: readonly (string | number)[]) {
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, ...stream]))
      .digest();
    this.#generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => digest.readInt32LE(at)));
  }

  uint32(): number {
    return this.#generator.next() >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    return this.uint32() / UINT32_RANGE;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return uniformInt(this.#generator, min, max);
  }

  /** Of a list that is not empty. */
  pick<const T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }

  /** One of them, with a probability in proportion to its weight. */
  weighted<T>(choices: readonly T[], weightOf: (choice: T) => number): T {
    let rest = this.next() * choices.reduce((sum, choice) => sum + weightOf(choice), 0);
    const chosen = choices.find((choice) => {
      rest -= weightOf(choice);
      return rest < 0;
    });
    if (chosen === undefined) {
      throw new Error('nothing to choose from');
    }
    return chosen;
  }
}
