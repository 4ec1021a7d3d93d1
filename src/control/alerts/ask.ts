import { alertsClient } from '../../engine/alerts/client.ts';
import type { OpenAlerts } from './open-alerts.ts';

/** Asks the object of the alerts. Each method throws ObjectUnavailable. */
export const alertsOf = alertsClient<OpenAlerts>;
