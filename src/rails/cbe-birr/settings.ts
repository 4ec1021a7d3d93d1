import * as v from 'valibot';
import { isPlainHttpUrl } from '../http-url.ts';
import { windowSeconds } from '../window-setting.ts';

/** One host for test and production in everything that was published; browsers reach it too. */
const PRODUCTION_URL = 'https://cbebirrpaymentgateway.cbe.com.et:8888';

const STATE_LENGTH_MAX = 100;

/** CBE's page takes no expiry and names none. */
const PAGE_WINDOW_SECONDS = 300;

const text = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

/** A stray space, or line break, would only be found out by the first customer. */
const credential = v.pipe(
  v.string('must be text'),
  v.regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII without spaces round it'),
);

const httpUrl = v.pipe(
  text,
  v.check(isPlainHttpUrl, 'must be an http: or https: address without query, fragment or password'),
  v.transform((url) => url.replace(/\/$/, '')),
);

const states = v.array(
  v.pipe(
    text,
    v.maxLength(STATE_LENGTH_MAX, `must have at most ${STATE_LENGTH_MAX} characters`),
    v.transform(normalizedState),
    v.nonEmpty('must not be blank'),
  ),
  'must be a list of texts',
);

/** The operator's secret for CBE Birr's web payment gateway, as JSON. */
export const cbeBirrSettingsSchema = v.pipe(
  v.strictObject(
    {
      /** Where customers are sent: CBE's host. The page is `<this>/Default.aspx`. */
      baseUrl: v.optional(httpUrl, PRODUCTION_URL),
      /**
       * Where the gateway itself asks for a status, when that must go through a relay because of
       * CBE's certificate or its list of allowed addresses. Customers never see it.
       */
      statusBaseUrl: v.optional(v.nullable(httpUrl), null),
      /** `U`: the user that CBE gave. */
      user: credential,
      /** `W`: that user's password. */
      password: credential,
      /** `MC` and `Tillcode`: the merchant's till. Text, for it may begin with zeros. */
      tillCode: credential,
      /** `Key`: the shared secret. It goes into each hash, and the cipher's key is its MD5. */
      secret: credential,
      /**
       * `State`s that prove a payment, in any case of letters. CBE publishes none, and a guess
       * would give goods away: the bank must say them.
       */
      paidStates: v.pipe(states, v.nonEmpty('must name at least one state')),
      /** `State`s that prove that no payment will come. One that is in neither list changes nothing. */
      failedStates: v.optional(states, []),
      /**
       * How long a customer who is sent to CBE's page in a payment's last second still has to log
       * in and pay, before the payment may expire.
       */
      pageWindowSeconds: windowSeconds(PAGE_WINDOW_SECONDS),
    },
    wrongObject,
  ),
  v.forward(
    v.check(
      ({ paidStates, failedStates }) => !failedStates.some((state) => paidStates.includes(state)),
      'must have no state in common with paidStates',
    ),
    ['failedStates'],
  ),
);

export type CbeBirrSettings = v.InferOutput<typeof cbeBirrSettingsSchema>;

function wrongObject({ expected, received }: v.BaseIssue<unknown>): string {
  if (expected === 'never') {
    return 'must not be here: there is no such setting';
  }
  return received === 'undefined' ? 'must be here' : 'must be an object';
}

/** How states are compared: nothing is known of how CBE writes them. */
export function normalizedState(state: string): string {
  return state.trim().toUpperCase();
}
