import * as v from 'valibot';
import type { FailureReason } from '../../domain/intent.ts';
import { windowSeconds } from '../window-setting.ts';

/** Longest credential: 2,048 bits of RSA are 344 characters of base64, and nothing known is longer. */
const TEXT_CHARACTERS_MAX = 2_048;

/**
 * telebirr says nowhere how long a prompt stands; a USSD session that waits for a PIN lasts a minute
 * or less, and the result has to travel after it.
 */
const PROMPT_WINDOW_SECONDS = 120;

/** A token that nobody guesses: 32 characters of hexadecimal are 128 bits. */
const TOKEN_CHARACTERS_MIN = 32;

/** Printable, without user name, backslash and fragment: what `URL` would bend or drop in silence. */
const URL_TEXT = /^https?:\/\/[0-9A-Za-z.:[\]-]+(?:[/?][!"$-[\]-~]*)?$/i;

/** What the protocol itself sets, or `fetch` does not let anybody set. */
const OWN_HEADERS = /^(?:content-type|content-length|soapaction|host)$/i;

/**
 * What a code of telebirr's may mean. `abandoned` is ours alone to say. `unknown`: nothing that is
 * certain, for one that an order of this id is there already.
 */
const MEANINGS = [
  'declined',
  'insufficient_funds',
  'canceled_by_customer',
  'wrong_pin',
  'timed_out',
  'rail_unavailable',
  'misconfigured',
  'unknown',
] as const satisfies readonly (FailureReason | 'unknown')[];

/** No message below contains a value: they end up in logs and terminals. */
const text = v.pipe(
  v.string('Must be a string.'),
  v.regex(/^[!-~](?:[ -~]*[!-~])?$/, 'Must be printable ASCII without spaces round it.'),
  v.maxLength(TEXT_CHARACTERS_MAX, `Must be at most ${TEXT_CHARACTERS_MAX} characters long.`),
);

const url = v.pipe(
  v.string('Must be a string.'),
  v.regex(URL_TEXT, 'Must be an absolute http or https URL.'),
  v.check((value) => URL.canParse(value), 'Must be an absolute http or https URL.'),
);

const baseUrl = v.pipe(
  url,
  v.check((value) => !value.includes('?'), 'Must not have a query.'),
);

const code = v.pipe(
  v.string('Must be a string.'),
  v.regex(/^[0-9A-Za-z_-]{1,32}$/, 'Must be a code of letters and digits.'),
  v.check((value) => value !== '0', 'Must not be 0, which is no failure.'),
);

const headerName = v.pipe(
  v.string('Must be a string.'),
  v.regex(/^[0-9A-Za-z-]{1,64}$/, 'Must be the name of a header.'),
  v.check((name) => !OWN_HEADERS.test(name), 'Must not be a header that the protocol sets.'),
);

/** The operator's secret for telebirr's USSD push, as JSON. */
export const telebirrUssdSettings = v.strictObject(
  {
    /**
     * Where the operator's relay takes requests for telebirr's `APIRequestMgrService`, which answers
     * in a private network only. The relay passes them on and telebirr's answers back, unchanged.
     */
    relayUrl: url,
    /** What opens the relay to us and to nobody else: `{"Authorization": "Bearer …"}`. */
    relayHeaders: v.optional(v.record(headerName, text, 'Must be a JSON object.'), {}),
    /**
     * The base URL under which telebirr reaches Kefel through the relay, where it may not, or shall
     * not, call Kefel's own address. Results go to this and the path of the callback.
     */
    resultBaseUrl: v.optional(v.nullable(baseUrl), null),
    /**
     * A bearer token that the relay adds to the results it passes on. With it, what did not come
     * through the relay, and so not through its list of telebirr's addresses, is refused.
     */
    resultToken: v.optional(
      v.nullable(
        v.pipe(
          text,
          v.minLength(
            TOKEN_CHARACTERS_MIN,
            `Must be at least ${TOKEN_CHARACTERS_MIN} characters long.`,
          ),
        ),
      ),
      null,
    ),
    /** telebirr's `ThirdPartyID`: the name of the calling system. */
    thirdPartyId: text,
    /** The caller's `Password`, as telebirr handed it out: encrypted already. */
    password: text,
    /** The `Identifier` of the short code's operator, who initiates the payments. */
    operatorId: text,
    /** The operator's `SecurityCredential`, as telebirr handed it out: encrypted already. */
    securityCredential: text,
    /** The `ShortCode` that is paid. */
    shortCode: v.pipe(
      v.string('Must be a string.'),
      v.regex(/^[0-9A-Za-z]{1,20}$/, 'Must be a short code: letters and digits.'),
    ),
    /**
     * What telebirr's codes mean (`ResponseCode` and `ResultCode`), out of the document that comes
     * with the credentials: no list is public. A code that is not here is `declined`.
     */
    reasons: v.optional(
      v.record(
        code,
        v.picklist(MEANINGS, `Must be one of ${MEANINGS.join(', ')}.`),
        'Must be a JSON object.',
      ),
      {},
    ),
    /** How long the result of a prompt is waited for, before a customer may try again. */
    promptWindowSeconds: windowSeconds(PROMPT_WINDOW_SECONDS),
  },
  ({ expected }) => (expected === 'never' ? 'Unknown field.' : fieldProblem(expected)),
);

export type TelebirrUssdSettings = v.InferOutput<typeof telebirrUssdSettings>;

function fieldProblem(expected: string | null): string {
  return expected === 'Object' ? 'Must be a JSON object.' : 'This field is required.';
}
