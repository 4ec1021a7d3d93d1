import * as v from 'valibot';

/**
 * What the operator's secrets are made of. No message contains a value: it is a secret, or may be one
 * in the wrong field, and messages appear in logs and terminals.
 */

/** Far longer than any known credential: 2,048 bits of RSA are 344 characters of base64. */
const PHRASE_CHARACTERS_MAX = 2_048;
/** Providers' states are a word or two. */
const STATE_CHARACTERS_MAX = 100;
/** The fastest customer needs this long to find the phone and type a PIN. */
const WINDOW_SECONDS_MIN = 5;
/** eBirr answers after the window, and Cloudflare keeps the object that waits for 15 minutes. */
const WINDOW_SECONDS_MAX = 720;
/** The first digits of Ethio telecom's mobile numbers, and of Safaricom's. */
const PHONE_PREFIXES = ['2519', '2517'] as const;

/** A JSON object with these settings and no others. */
export function settingsObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, problemOfKey);
}

function problemOfKey({ expected }: v.StrictObjectIssue): string {
  switch (expected) {
    case 'never':
      return 'is not a setting of this rail';
    case 'Object':
      return 'must be a JSON object';
    default:
      return 'is missing';
  }
}

/** A string of this form; `what` says the form. */
export function text(form: RegExp, what: string) {
  const message = `must be ${what}`;
  return v.pipe(v.string(message), v.regex(form, message));
}

/** An id, a key or a password that has no spaces. */
export function credential(charactersMax: number) {
  const what = `1 to ${charactersMax} printable ASCII characters without spaces`;
  return text(new RegExp(`^[!-~]{1,${charactersMax}}$`), what);
}

/** A credential that may have spaces within. A stray one around it would fail the first payment. */
export const phrase = text(
  new RegExp(`^(?=.{1,${PHRASE_CHARACTERS_MAX}}$)[!-~](?:[ -~]*[!-~])?$`),
  `printable ASCII without spaces around it, at most ${PHRASE_CHARACTERS_MAX} characters`,
);

export function choice<const Values extends readonly [string, string, ...string[]]>(
  values: Values,
) {
  return v.picklist(values, `must be one of "${values.join('", "')}"`);
}

export function flag(otherwise: boolean) {
  return v.optional(v.boolean('must be true or false'), otherwise);
}

/** A whole number of `unit`, such as seconds. */
export function wholeNumber(unit: string, min: number, max: number) {
  const message = `must be a whole number of ${unit}, ${min} to ${max}`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/**
 * How long the customer has to pay, in seconds, for a rail that publishes no limit. If it is too
 * short, merchants see "expired" for payments that customers still make. If it is too long, customers
 * wait before they can retry.
 */
export function windowSeconds(defaultSeconds: number) {
  return v.optional(wholeNumber('seconds', WINDOW_SECONDS_MIN, WINDOW_SECONDS_MAX), defaultSeconds);
}

const URL_MESSAGE = 'must be an http or https URL without user, query or fragment';

/**
 * The absolute URL to which paths are appended, or a complete one. Without a user name or password,
 * which would appear in each log of the URL. Drops a final slash and a final question mark.
 */
export const httpUrl = v.pipe(
  v.string(URL_MESSAGE),
  v.trim(),
  v.transform((url) => url.replace(/[/?]+$/, '')),
  v.check((url) => /^https?:\/\/[^@?#\s\\]+$/i.test(url) && URL.canParse(url), URL_MESSAGE),
);

/** The first digits of the phone numbers that have accounts at the provider. */
export function phonePrefixes(defaultPrefixes: readonly (typeof PHONE_PREFIXES)[number][]) {
  return v.optional(
    v.pipe(
      v.array(choice(PHONE_PREFIXES), 'must be a list'),
      v.minLength(1, 'must name at least one prefix'),
    ),
    [...defaultPrefixes],
  );
}

const STATES_MESSAGE = `must be a list of states of 1 to ${STATE_CHARACTERS_MAX} printable characters`;

/** States of payments at the provider, in upper or lower case. */
export const states = v.array(
  v.pipe(
    v.string(STATES_MESSAGE),
    v.regex(/^\P{Cc}+$/u, STATES_MESSAGE),
    v.maxLength(STATE_CHARACTERS_MAX, STATES_MESSAGE),
    v.transform(normalizedState),
    v.nonEmpty(STATES_MESSAGE),
  ),
  STATES_MESSAGE,
);

/**
 * The states with which a status query proves that a payment failed. The providers publish none,
 * and a guess could fail a payment that the customer still makes. Without it, a query only ever
 * finds payments. `paidState` must not be in the list.
 */
export function failedStates(paidState: string) {
  return v.optional(
    v.pipe(
      states,
      v.check((list) => !list.includes(paidState), `must not contain ${paidState}`),
    ),
    [],
  );
}

/** The form in which states are compared: providers do not publish how they write them. */
export function normalizedState(state: string): string {
  return state.trim().toUpperCase();
}
