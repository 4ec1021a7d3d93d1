/**
 * The text of every exception that a test plants in an object or a trigger. workerd prints each that
 * leaves an object; `watch-runtime.ts` leaves out those with this text and fails the run for others.
 */
export const PLANTED = 'planted by a test';

/** `what` says what the exception stands for, such as "the process ended". */
export function plantedError(what = 'sabotage'): Error {
  return new Error(`${what}, ${PLANTED}`);
}
