/** A cached value, and when its read began. */
export interface CacheEntry<Value> {
  readonly value: Value;
  readonly readAtMs: number;
}

/** D1's queries time out before. Two reads further apart than this show a change of the clock. */
const READ_MS_MAX = 10_000;
/** A request may use the result of a read that began at most this long after the request. */
const HEAD_START_MS = 1_000;

/**
 * A cache in an isolate's memory, bounded in size and age. A new entry evicts the least recently
 * used one. Callers pass in the time. No value may be a promise: in a Worker, a request that awaits
 * another's promise may hang.
 */
export class BoundedCache<Value> {
  readonly #sizeMax: number;
  readonly #ageMsMax: number;
  /** Least recently used first, because a Map keeps the order of insertion. */
  readonly #entries = new Map<string, CacheEntry<Value>>();

  constructor(limits: { readonly sizeMax: number; readonly ageMsMax: number }) {
    this.#sizeMax = limits.sizeMax;
    this.#ageMsMax = limits.ageMsMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * The entry if its read began less than `ageMsMax` ago. After the clock was set back, an entry has
   * no known age, so it is not fresh.
   */
  fresh(key: string, nowMs: number, ageMsMax: number): CacheEntry<Value> | undefined {
    const entry = this.get(key, nowMs);
    const ageMs = entry === undefined ? ageMsMax : nowMs - entry.readAtMs;
    return ageMs < ageMsMax && ageMs > -HEAD_START_MS ? entry : undefined;
  }

  /** The entry, or undefined if there is none or it is too old at `nowMs`. */
  get(key: string, nowMs: number): CacheEntry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.#entries.delete(key);
    // The absolute difference, so that a clock that was set back does not keep an entry alive.
    if (Math.abs(nowMs - entry.readAtMs) >= this.#ageMsMax) {
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry;
  }

  /**
   * Stores `value`. `readAtMs` is the time before the read began, so that the age is never
   * understated. A slow read does not replace the result of a read that began later; a read that
   * began much earlier shows that the clock was set back.
   */
  set(key: string, value: Value, readAtMs: number): void {
    const known = this.#entries.get(key);
    const leadMs = (known?.readAtMs ?? 0) - readAtMs;
    if (known !== undefined && leadMs > 0 && leadMs < READ_MS_MAX) {
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
