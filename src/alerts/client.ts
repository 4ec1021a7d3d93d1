import { placementOf } from '../config.ts';
import { errorText, log } from '../platform/log.ts';
import { methodsOf } from '../platform/object-call.ts';
import { objectsIn } from '../platform/objects.ts';
import type { OpenAlerts } from './open-alerts.ts';

/** There is one object for the gateway. */
const NAME = 'gateway';

/** Calls the object of the alerts. Each method throws ObjectUnavailable. */
export function alertsOf(env: Env) {
  const alerts = objectsIn(env.OPERATOR_ALERTS, placementOf(env));
  const id = alerts.idFromName(NAME);
  const method = methodsOf<OpenAlerts>(() => alerts.get(id));
  return {
    stand: method('stand'),
    tally: method('tally'),
    happen: method('happen'),
    look: method('look'),
    state: method('state'),
    testChannel: method('testChannel'),
  };
}

type Alerts = ReturnType<typeof alertsOf>;

/** Tells the alerts something that must not fail its caller. False when they were out of reach. */
export async function tellAlerts(
  env: Env,
  tell: (alerts: Alerts) => Promise<unknown>,
): Promise<boolean> {
  try {
    await tell(alertsOf(env));
    return true;
  } catch (error) {
    log('warn', 'alerts_unavailable', { error: errorText(error) });
    return false;
  }
}
