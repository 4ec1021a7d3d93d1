import { tellAlerts } from './client.ts';
import type { EventSubject } from './standing.ts';

/**
 * Events that one isolate tells at once, and then at most once a minute with their number: a queue that
 * is down for a thousand payments makes two calls a minute.
 */
const TOLD_EVERY_MS = 60_000;

interface Untold {
  count: number;
  toldAtMs: number;
}

/** By subject and detail, of which the code has a few. */
const untold = new Map<string, Untold>();

/** Tells the alerts that something happened. Never throws, and nobody needs to wait for it. */
export async function tellHappened(
  env: Env,
  subject: EventSubject,
  detail: string,
  nowMs: number,
): Promise<void> {
  const key = `${subject} ${detail}`;
  const events = untold.get(key) ?? { count: 0, toldAtMs: Number.NEGATIVE_INFINITY };
  untold.set(key, events);
  events.count += 1;
  if (nowMs - events.toldAtMs < TOLD_EVERY_MS) {
    return;
  }
  const { count } = events;
  events.count = 0;
  events.toldAtMs = nowMs;
  if (!(await tellAlerts(env, (alerts) => alerts.happen(subject, count, detail)))) {
    events.count += count;
  }
}

/** For tests, whose gateways share an isolate. */
export function forgetHappenings(): void {
  untold.clear();
}
