import type { MethodTally, Standing, ToldOutage } from '../../engine/alerts/standing.ts';
import type { Method } from '../../engine/domain/method.ts';
import type { Memory } from './memory.ts';
import {
  countAttempts,
  isFailing,
  knownOutage,
  type MethodHealth,
  NEW_METHOD,
} from './method-health.ts';

/**
 * A method that succeeds as usual is stored this rarely, because each report would cost a row. What a
 * dead object forgets of it is no fault.
 */
const STORE_EVERY_MS = 5 * 60_000;
/** A method without an attempt for so long may be withdrawn, and then no success would end its alert. */
const SAID_MS = 24 * 60 * 60_000;

const PREFIX = 'method/';

function methodIn(name: string): Method {
  return name.slice(PREFIX.length) as Method;
}

/** How each method of production does. */
export class Methods {
  readonly #memory: Memory;
  readonly #known: Map<string, MethodHealth>;
  readonly #storedAtMs = new Map<string, number>();

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#known = new Map(memory.all<MethodHealth>(PREFIX));
  }

  count({ environment, method, ...counts }: MethodTally, nowMs: number): void {
    if (environment !== 'production') {
      return;
    }
    const name = `${PREFIX}${method}`;
    const before = this.#known.get(name) ?? NEW_METHOD;
    const after = countAttempts(before, counts, nowMs);
    this.#known.set(name, after);
    const isAsUsual = before.missed === 0 && after.missed === 0;
    if (!isAsUsual || nowMs - (this.#storedAtMs.get(name) ?? 0) >= STORE_EVERY_MS) {
      this.#storedAtMs.set(name, nowMs);
      this.#memory.put(name, after);
    }
  }

  /** What isolates are told of each method that has had an attempt. */
  outages(nowMs: number): readonly ToldOutage[] {
    return [...this.#known].map(([name, health]) => ({
      method: methodIn(name),
      ...knownOutage(health, nowMs),
    }));
  }

  standings(nowMs: number): readonly Standing[] {
    return [...this.#known].flatMap(([name, health]) =>
      isFailing(health) &&
      health.missedSinceMs !== null &&
      nowMs - (health.missedAtMs ?? 0) < SAID_MS
        ? [
            {
              subject: 'method_failing' as const,
              count: health.missed,
              sinceAtMs: health.missedSinceMs,
              detail: methodIn(name),
            },
          ]
        : [],
    );
  }
}
