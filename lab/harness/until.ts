import { setTimeout as wait } from 'node:timers/promises';

/** Repeats `read` until it finds something, and returns that. Throws when it finds nothing in time. */
export async function until<Found>(
  what: string,
  read: () => Promise<Found | false | null>,
  { everyMs = 100, forMs = 60_000 } = {},
): Promise<Found> {
  const deadlineMs = performance.now() + forMs;
  for (;;) {
    const found = await read();
    if (found !== null && found !== false) {
      return found;
    }
    if (performance.now() > deadlineMs) {
      throw new Error(`after ${forMs / 1_000} s: no ${what}`);
    }
    await wait(everyMs);
  }
}
