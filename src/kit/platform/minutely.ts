/**
 * What happens often in an outage or an attack is told at once, and then once a minute, or when so many
 * have come, with its number, by each isolate: a burst may be over within the minute.
 */
const TOLD_EVERY_MS = 60_000;
const TOLD_AT = 25;

interface Untold {
  count: number;
  toldAtMs: number;
}

/** By what happens, of which the code has a few. */
const untold = new Map<string, Untold>();

/** Counts one, and calls `tell` with the number if it is due. A number that `tell` loses is kept. */
export async function tellMinutely(
  what: string,
  nowMs: number,
  tell: (count: number) => Promise<boolean>,
): Promise<void> {
  const events = untold.get(what) ?? { count: 0, toldAtMs: Number.NEGATIVE_INFINITY };
  untold.set(what, events);
  events.count += 1;
  if (nowMs - events.toldAtMs < TOLD_EVERY_MS && events.count < TOLD_AT) {
    return;
  }
  const { count } = events;
  events.count = 0;
  events.toldAtMs = nowMs;
  if (!(await tell(count))) {
    events.count += count;
  }
}

/** For tests, whose gateways share an isolate. */
export function forgetUntold(): void {
  untold.clear();
}
