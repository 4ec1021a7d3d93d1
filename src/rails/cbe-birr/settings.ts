import * as v from 'valibot';
import { REFERENCE_LENGTH } from '../../domain/identifiers.ts';
import { isPlainHttpUrl } from '../http-url.ts';
import { windowSeconds } from '../window-setting.ts';

/** All published material has this one host for test and production; browsers use it too. */
const PRODUCTION_URL = 'https://cbebirrpaymentgateway.cbe.com.et:8888';

const STATE_LENGTH_MAX = 100;

/** CBE's page accepts no expiry, and CBE publishes none. */
const PAGE_WINDOW_SECONDS = 300;

/** Longest id seen in public integrations: a UUID. A longer one may be refused, or cut. */
const TRANSACTION_ID_CHARACTERS_MAX = 36;

const text = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

/** Without this check, the first customer would be the one to find a stray space or line break. */
const credential = v.pipe(
  v.string('must be text'),
  v.regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII without spaces around it'),
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
      /** CBE's host, where customers go: the page is `<this>/Default.aspx`. */
      baseUrl: v.optional(httpUrl, PRODUCTION_URL),
      /**
       * The host for status queries, if these must go through a relay because of CBE's certificate
       * or its list of allowed addresses. Customers never see it.
       */
      statusBaseUrl: v.optional(v.nullable(httpUrl), null),
      /** `U`: the user that CBE gave. */
      user: credential,
      /** `W`: that user's password. */
      password: credential,
      /** `MC` and `Tillcode`: the merchant's till. Text, because it may begin with zeros. */
      tillCode: credential,
      /** `Key`: the shared secret. It is part of each hash, and its MD5 is the cipher's key. */
      secret: credential,
      /**
       * `State`s that prove a payment, in upper or lower case. CBE publishes none, and a wrong guess
       * would give goods away: the operator must get them from the bank.
       */
      paidStates: v.pipe(states, v.nonEmpty('must name at least one state')),
      /** `State`s that prove that no payment will come. A state in neither list changes nothing. */
      failedStates: v.optional(states, []),
      /**
       * The longest transaction id that the bank accepts. From ORDER_ID_CHARACTERS on, ids contain
       * the signed link to their payment. Shorter ones are references that the read model finds.
       */
      transactionIdCharactersMax: v.optional(
        v.pipe(
          v.number('must be a number'),
          v.integer('must be an integer'),
          v.minValue(REFERENCE_LENGTH, `must be at least ${REFERENCE_LENGTH}`),
        ),
        TRANSACTION_ID_CHARACTERS_MAX,
      ),
      /**
       * How long a customer who opens CBE's page in a payment's last second has to log in and pay
       * before the payment may expire.
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
    return 'must be left out: it is not a setting of this rail';
  }
  return received === 'undefined' ? 'is missing' : 'must be an object';
}

/** The form in which states are compared: CBE does not publish how it writes them. */
export function normalizedState(state: string): string {
  return state.trim().toUpperCase();
}
