/** A value and when the reading that brought it began. */
export interface CacheEntry<Value> {
  readonly value: Value;
  readonly readAtMs: number;
}

/**
 * An isolate's memory of what it read, bounded in size and age. The entry used longest ago makes
 * room for a new one. The clock comes in as an argument. A request awaits a promise of another
 * only beside a timer of its own: the promise never settles if the other request is canceled.
 */
export class BoundedCache<Value> {
  readonly #sizeMax: number;
  readonly #ageMsMax: number;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, CacheEntry<Value>>();

  constructor(limits: { readonly sizeMax: number; readonly ageMsMax: number }) {
    this.#sizeMax = limits.sizeMax;
    this.#ageMsMax = limits.ageMsMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry, or undefined when there is none younger than the age limit at `nowMs`. */
  get(key: string, nowMs: number): CacheEntry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.#entries.delete(key);
    // The distance, not the difference: a clock set back must not keep an entry alive.
    if (Math.abs(nowMs - entry.readAtMs) >= this.#ageMsMax) {
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry;
  }

  /**
   * Keeps `value`, as read at `readAtMs`: the moment before the reading began, so that the age is
   * never understated. A slow reading does not replace the result of one that began later.
   */
  set(key: string, value: Value, readAtMs: number): void {
    const known = this.#entries.get(key);
    if (known !== undefined && known.readAtMs > readAtMs) {
      return;
    }
    this.#entries.delete(key);
    this.#entries.set(key, { value, readAtMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#sizeMax) {
        return;
      }
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
