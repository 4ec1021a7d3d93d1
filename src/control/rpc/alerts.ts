import { alertsOf } from '../alerts/ask.ts';
import type { AlertsState } from '../alerts/open-alerts.ts';
import type { Plane } from './plane.ts';

/** The object of the alerts, as the back office may ask it. Nothing here needs D1 to answer. */

export type { TestedChannel } from '../alerts/alert-test.ts';
export { testAlertChannel as test } from '../alerts/alert-test.ts';
export type { AlertsState } from '../alerts/open-alerts.ts';
export type { ChannelState } from '../alerts/sender.ts';

/** What needs a person now, and how each channel does. */
export function state({ env }: Pick<Plane, 'env'>): Promise<AlertsState> {
  return alertsOf(env).state();
}

/** The back office has refused so many sign-ins since it last said so. */
export async function refuseSignIns(
  { env }: Pick<Plane, 'env'>,
  who: 'operators' | 'members',
  count: number,
): Promise<void> {
  await alertsOf(env).happen('sign_ins_refused', count, who);
}
