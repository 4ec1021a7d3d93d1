import { alertsMethods } from '../../engine/alerts/client.ts';
import type { OpenAlerts } from './open-alerts.ts';

/** Asks the object of the alerts. Each method throws ObjectUnavailable. */
export function alertsOf(env: Env) {
  const method = alertsMethods<OpenAlerts>(env);
  return {
    stand: method('stand'),
    happen: method('happen'),
    look: method('look'),
    outages: method('outages'),
    state: method('state'),
    testChannel: method('testChannel'),
  };
}
