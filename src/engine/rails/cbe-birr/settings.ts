import * as v from 'valibot';
import { REFERENCE_LENGTH } from '../../domain/identifiers.ts';
import type { Route } from '../call-rail.ts';
import {
  httpUrl,
  phrase,
  settingsObject,
  states,
  wholeNumber,
  windowSeconds,
} from '../setting-fields.ts';

/** All published material has this one host for test and production; browsers use it too. */
const PRODUCTION_URL = 'https://cbebirrpaymentgateway.cbe.com.et:8888';

/** CBE's page accepts no expiry, and CBE publishes none. */
const PAGE_WINDOW_SECONDS = 300;

/** The longest id that the bank accepts is shorter. */
const ID_CHARACTERS_MAX = 1_000;

/** Longest id seen in public integrations: a UUID. A longer one may be refused, or cut. */
const TRANSACTION_ID_CHARACTERS_MAX = 36;

/** The operator's secret for CBE Birr's web payment gateway, as JSON. */
export const cbeBirrSettingsSchema = v.pipe(
  settingsObject({
    /** CBE's host, where customers go: the page is `<this>/Default.aspx`. */
    baseUrl: v.optional(httpUrl, PRODUCTION_URL),
    /**
     * The host for status queries, if these must go through a relay because of CBE's certificate
     * or its list of allowed addresses. Customers never see it.
     */
    statusBaseUrl: v.optional(v.nullable(httpUrl), null),
    /** `U`: the user that CBE gave. */
    user: phrase,
    /** `W`: that user's password. */
    password: phrase,
    /** `MC` and `Tillcode`: the merchant's till. Text, because it may begin with zeros. */
    tillCode: phrase,
    /** `Key`: the shared secret. It is part of each hash, and its MD5 is the cipher's key. */
    secret: phrase,
    /**
     * `State`s that prove a payment, in upper or lower case. CBE publishes none, and a wrong guess
     * would give goods away: the operator must get them from the bank.
     */
    paidStates: v.pipe(states, v.nonEmpty('must name at least one state')),
    /** `State`s that prove that no payment will come. A state in neither list changes nothing. */
    failedStates: v.optional(states, []),
    /**
     * The longest transaction id that the bank accepts. From ORDER_ID_CHARACTERS on, ids contain
     * the signed link to their payment. Shorter ones are references, which name the merchant.
     */
    transactionIdCharactersMax: v.optional(
      wholeNumber('characters', REFERENCE_LENGTH, ID_CHARACTERS_MAX),
      TRANSACTION_ID_CHARACTERS_MAX,
    ),
    /**
     * How long a customer who opens CBE's page in a payment's last second has to log in and pay
     * before the payment may expire.
     */
    pageWindowSeconds: windowSeconds(PAGE_WINDOW_SECONDS),
  }),
  v.forward(
    v.check(
      ({ paidStates, failedStates }) => !failedStates.some((state) => paidStates.includes(state)),
      'must have no state in common with paidStates',
    ),
    ['failedStates'],
  ),
);

export type CbeBirrSettings = v.InferOutput<typeof cbeBirrSettingsSchema> & Route;
