import * as v from 'valibot';

/** Nobody finds a phone and types a PIN sooner. */
const WINDOW_SECONDS_MIN = 5;
/** eBirr's answer comes after it, and the queue consumer that waits for that may take 15 minutes. */
const WINDOW_SECONDS_MAX = 720;

const MESSAGE = `Must be a whole number of seconds, ${WINDOW_SECONDS_MIN} to ${WINDOW_SECONDS_MAX}.`;

/**
 * An operator's setting: how long the customer has for a rail whose own limit is not published;
 * seconds. Too short tells merchants "expired" of payments that are still made; too long keeps
 * customers from trying again.
 */
export function windowSeconds(defaultSeconds: number) {
  return v.optional(
    v.pipe(
      v.number(MESSAGE),
      v.integer(MESSAGE),
      v.minValue(WINDOW_SECONDS_MIN, MESSAGE),
      v.maxValue(WINDOW_SECONDS_MAX, MESSAGE),
    ),
    defaultSeconds,
  );
}
