import { errorText, log } from '../../kit/platform/log.ts';
import { objectClient } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import { placementOf } from '../config.ts';
import type { EventSubject, MethodTally, Source, Standing, ToldOutage } from './standing.ts';

/** What the parts of the gateway may tell the object of the alerts. `OpenAlerts` says what it does. */
export interface AlertReports {
  stand(source: Source, standings: readonly Standing[]): Promise<void>;
  tally(tallies: readonly MethodTally[]): Promise<void>;
  happen(subject: EventSubject, count: number, detail: string | null): Promise<void>;
  look(): Promise<void>;
}

/** What the object tells the isolates that serve payments. */
export interface AlertAnswers {
  outages(): readonly ToldOutage[];
}

/** There is one object for the gateway. */
const NAME = 'gateway';

/** Calls the object of the alerts. Each method throws ObjectUnavailable. */
export function alertsClient<Target extends AlertReports | AlertAnswers>(env: Env) {
  const alerts = objectsIn(env.OPERATOR_ALERTS, placementOf(env));
  const id = alerts.idFromName(NAME);
  return objectClient<Target>(() => alerts.get(id));
}

/**
 * Tells the alerts something that must not fail its caller. False when they were out of reach.
 */
export async function tellAlerts(
  env: Env,
  tell: (alerts: AlertReports) => Promise<unknown>,
): Promise<boolean> {
  try {
    await tell(alertsClient<AlertReports>(env));
    return true;
  } catch (error) {
    log('warn', 'alerts_unavailable', { error: errorText(error) });
    return false;
  }
}
