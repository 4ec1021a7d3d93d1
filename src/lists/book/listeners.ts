/**
 * Requests that wait for an event of one book. They wait in the object, because polling would cost
 * a question a second for each.
 */

/** The limit of a merchant over all locations. Each listener keeps the object in memory. */
export const LISTENERS_MAX = 50;

export type News = 'news' | 'quiet' | 'full';

export class Listeners {
  readonly #waiting = new Set<() => void>();

  /** Waits until `wake`, for at most `waitMs`. `full`: too many wait already. */
  async wait(waitMs: number): Promise<News> {
    if (this.#waiting.size >= LISTENERS_MAX) {
      return 'full';
    }
    let wake: () => void = () => undefined;
    const woken = new Promise<News>((resolve) => {
      wake = () => resolve('news');
    });
    this.#waiting.add(wake);
    const over = new AbortController();
    const isQuiet = (): News => 'quiet';
    const quiet = scheduler.wait(waitMs, { signal: over.signal }).then(isQuiet, isQuiet);
    try {
      return await Promise.race([woken, quiet]);
    } finally {
      over.abort();
      this.#waiting.delete(wake);
    }
  }

  wake(): void {
    for (const wake of this.#waiting) {
      wake();
    }
  }
}
