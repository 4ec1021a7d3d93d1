import * as v from 'valibot';
import type { FailureReason } from '../../domain/attempt.ts';
import type { Route } from '../call-rail.ts';
import {
  choice,
  failedStates,
  flag,
  phonePrefixes,
  phrase,
  settingsObject,
  text,
  windowSeconds,
} from '../setting-fields.ts';

export const RAIL_ID = 'telebirr-ussd';

/** `TransactionStatus` of a payment, in upper case. */
export const PAID_STATE = 'COMPLETED';

/** The part of CPS's namespaces that differs between its two services. */
const NAMESPACES = ['cpsinterface', 'synccpsinterface'] as const;

/** All mobile numbers of Ethiopia. */
export const PHONE_PREFIXES = ['2519', '2517'] as const;

/**
 * telebirr does not document how long a prompt lasts. A USSD session that waits for a PIN lasts a
 * minute or less, and then the result must reach us.
 */
const PROMPT_WINDOW_SECONDS = 120;

/** Long enough to be unguessable: 32 hexadecimal characters are 128 bits. */
const TOKEN_CHARACTERS_MIN = 32;

/** Printable, without user name, backslash and fragment, which `URL` silently changes or drops. */
const URL_TEXT = /^https?:\/\/[0-9A-Za-z.:[\]-]+(?:[/?][!"$-[\]-~]*)?$/i;

/** Headers that the protocol itself sets, or that `fetch` does not let callers set. */
const OWN_HEADERS = /^(?:content-type|content-length|soapaction|host)$/i;

/**
 * What a code of telebirr's may mean. `abandoned` is missing, because only Kefel sets it. `unknown`:
 * the code proves nothing, for example that an order with this id already exists.
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

const url = v.pipe(
  text(URL_TEXT, 'an absolute http or https URL'),
  v.check((value) => URL.canParse(value), 'must be an absolute http or https URL'),
);

const baseUrl = v.pipe(
  url,
  v.check((value) => !value.includes('?'), 'must not have a query'),
);

const code = v.pipe(
  text(/^[0-9A-Za-z_-]{1,32}$/, 'a code of letters and digits'),
  v.check((value) => value !== '0', 'must not be 0, which is not a failure'),
);

const headerName = v.pipe(
  text(/^[0-9A-Za-z-]{1,64}$/, 'the name of a header'),
  v.check((name) => !OWN_HEADERS.test(name), 'must not be a header that the protocol sets'),
);

/** The operator's secret for telebirr's USSD push, as JSON. */
export const telebirrUssdSettings = settingsObject({
  /**
   * The URL of the operator's relay to telebirr's service, which is only reachable in a private
   * network. The relay passes on requests and answers unchanged.
   */
  relayUrl: url,
  /**
   * The namespaces of requests: those of `APIRequestMgrService`, or those of
   * `SYNCAPIRequestMgrService`, whose clients also write times in UTC.
   */
  namespace: v.optional(choice(NAMESPACES), NAMESPACES[0]),
  /**
   * Whether the answer to a request comes only after the customer has acted, with the result. Known
   * clients wait for it with either namespace, or get the result at `ResultURL` with either.
   */
  waitsForResult: flag(false),
  /** Headers that authenticate us at the relay: `{"Authorization": "Bearer …"}`. */
  relayHeaders: v.optional(v.record(headerName, phrase, 'must be a JSON object'), {}),
  /**
   * The base URL at which telebirr reaches Kefel through the relay, if it cannot or must not call
   * Kefel directly. telebirr posts results to this URL with the path of the callback.
   */
  resultBaseUrl: v.optional(v.nullable(baseUrl), null),
  /**
   * A bearer token that the relay adds to the results that it passes on. We then refuse results
   * that did not come through the relay and its allowlist of telebirr's addresses.
   */
  resultToken: v.optional(
    v.nullable(
      v.pipe(
        phrase,
        v.minLength(TOKEN_CHARACTERS_MIN, `must have at least ${TOKEN_CHARACTERS_MIN} characters`),
      ),
    ),
    null,
  ),
  /** telebirr's `ThirdPartyID`: the name of the calling system. */
  thirdPartyId: phrase,
  /** The caller's `Password` as telebirr issues it: already encrypted. */
  password: phrase,
  /** The `Identifier` of the short code's operator, who initiates the payments. */
  operatorId: phrase,
  /** The operator's `SecurityCredential` as telebirr issues it: already encrypted. */
  securityCredential: phrase,
  /** The `ShortCode` that receives the payment. */
  shortCode: text(/^[0-9A-Za-z]{1,20}$/, 'a short code: letters and digits'),
  /**
   * What telebirr's codes mean (`ResponseCode` and `ResultCode`), from the document that comes with
   * the credentials: no list is public. A code that is not listed is `declined`.
   */
  reasons: v.optional(v.record(code, choice(MEANINGS), 'must be a JSON object'), {}),
  /** Prefixes of the numbers that have telebirr accounts. */
  phonePrefixes: phonePrefixes(PHONE_PREFIXES),
  /** How long we wait for the result of a prompt before the customer may retry. */
  promptWindowSeconds: windowSeconds(PROMPT_WINDOW_SECONDS),
  /**
   * Turns on status queries (`QueryTransactionStatus`). Off by default: they were only seen at other
   * operators of CPS, so Kefel's operator must first see that they work. `relayUrl`: the URL of the
   * relay to CPS's synchronous service, which alone answers queries.
   */
  statusQuery: v.optional(
    settingsObject({ relayUrl: url, failedStates: failedStates(PAID_STATE) }),
  ),
});

export type TelebirrUssdSettings = v.InferOutput<typeof telebirrUssdSettings> & Route;
