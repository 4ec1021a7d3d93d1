import { logRailAnswer, type RailLogEntry } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';

/** Part of the callback URL, where Safaricom advises against the word "mpesa". */
export const RAIL_ID = 'stk-push';

export function logAnswer(
  call: string,
  { attempt: { reference } }: RailOrder,
  logFields: Pick<RailLogEntry, 'status' | 'providerCode' | 'level'>,
): void {
  // Without the CheckoutRequestID, which ends with the customer's phone number.
  logRailAnswer({ rail: RAIL_ID, call, reference, ...logFields });
}
