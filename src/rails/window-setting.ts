import * as v from 'valibot';
import { wholeNumber } from './whole-number-setting.ts';

/** No customer finds the phone and types a PIN faster. */
const WINDOW_SECONDS_MIN = 5;
/** eBirr answers after the window, and the queue consumer that waits may run for 15 minutes. */
const WINDOW_SECONDS_MAX = 720;

/**
 * An operator's setting, in seconds: how long the customer has to pay, for a rail that publishes no
 * limit. If it is too short, merchants see "expired" for payments that customers still make. If it
 * is too long, customers wait before they can retry.
 */
export function windowSeconds(defaultSeconds: number) {
  return v.optional(wholeNumber('seconds', WINDOW_SECONDS_MIN, WINDOW_SECONDS_MAX), defaultSeconds);
}
