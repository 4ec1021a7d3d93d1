import { tellMinutely } from '../../kit/platform/minutely.ts';
import { tellAlerts } from './client.ts';
import type { EventSubject } from './standing.ts';

/** Tells the alerts that something happened. Never throws. The caller need not wait. */
export function tellHappened(
  env: Env,
  subject: EventSubject,
  detail: string,
  nowMs: number,
): Promise<void> {
  return tellMinutely(`${subject} ${detail}`, nowMs, (count) =>
    tellAlerts(env, (alerts) => alerts.happen(subject, count, detail)),
  );
}
