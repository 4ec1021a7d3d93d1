/**
 * Seeded random numbers (sfc32). Each purpose draws from a stream of its own, so that one more draw
 * in one place changes nothing elsewhere: that keeps a history alike while the shrinker cuts it down.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, stream: string) {
    this.#a = seed | 0;
    this.#b = hashOf(stream);
    this.#c = Math.floor(seed / 2 ** 32) | 0;
    for (let round = 0; round < 12; round += 1) {
      this.uint32();
    }
  }

  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    return this.uint32() / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<const T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0];
  }
}

/** FNV-1a, 32 bits. */
export function hashOf(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
