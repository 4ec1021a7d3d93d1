import * as v from 'valibot';

/** Providers' states are a word or two. */
const STATE_CHARACTERS_MAX = 40;

const MESSAGE = `Must be a list of states: 1 to ${STATE_CHARACTERS_MAX} printable characters each.`;

/**
 * An operator's setting: the states with which a status query proves that a payment failed, in upper
 * or lower case. The providers publish none, and a guess could fail a payment that is still made.
 * Without it, a query only ever finds payments. `paidState` must not be in the list.
 */
export function failedStates(paidState: string) {
  return v.optional(
    v.pipe(
      v.array(
        v.pipe(
          v.string(MESSAGE),
          v.regex(/^[ -~]+$/, MESSAGE),
          v.maxLength(STATE_CHARACTERS_MAX, MESSAGE),
          v.transform(normalizedState),
          v.nonEmpty(MESSAGE),
        ),
        MESSAGE,
      ),
      v.check((states) => !states.includes(paidState), `Must not contain ${paidState}.`),
    ),
    [],
  );
}

/** The form in which states are compared. */
export function normalizedState(state: string): string {
  return state.trim().toUpperCase();
}
