import * as v from 'valibot';
import { windowSeconds } from '../window-setting.ts';
import { canonicalAddress } from './wire.ts';

/**
 * Callback addresses name the rail, and attempts keep it: once an operator goes over to the other
 * gateway, attempts of the one before must not be asked about, or reported, there.
 */
export const NBG_RAIL_ID = 'ethswitch-nbg';
export const CARDS_RAIL_ID = 'ethswitch-cards';

/** NBG's own page lives for a day, but no customer needs that long to log in and pay. */
const PAGE_WINDOW_SECONDS = 300;

/** Longest credential; real ones have a few dozen characters (SmartVista takes up to 100). */
const CREDENTIAL_CHARACTERS_MAX = 256;
const URL_CHARACTERS_MAX = 512;
/** Nobody runs more gateways towards one merchant; the list is read for every callback. */
const ADDRESSES_MAX = 32;

/** An absolute http or https URL to which paths can be appended: no user name, query or fragment. */
const BASE_URL = /^https?:\/\/[^\s/\\?#@]+(?:\/[^\s\\?#@]*)?$/i;

/** Valibot's own message for a wrong set of fields, without what stands in them. */
function fieldsMessage({ expected }: v.BaseIssue<unknown>): string {
  if (expected === 'never') {
    return 'Unknown field.';
  }
  return expected === 'Object' ? 'Must be a JSON object.' : 'This field is required.';
}

const credential = v.pipe(
  v.string('Must be a text.'),
  v.nonEmpty('Must not be empty.'),
  v.maxLength(
    CREDENTIAL_CHARACTERS_MAX,
    `Must be at most ${CREDENTIAL_CHARACTERS_MAX} characters long.`,
  ),
);

const baseUrl = v.pipe(
  v.string('Must be a text.'),
  v.maxLength(URL_CHARACTERS_MAX, `Must be at most ${URL_CHARACTERS_MAX} characters long.`),
  v.check(
    (url) => BASE_URL.test(url) && URL.canParse(url),
    'Must be an http or https URL without user name, query or fragment.',
  ),
  v.transform((url) => url.replace(/\/$/, '')),
);

/** The National Billing Gateway's hosted page: customers pay from a bank account or wallet. */
export const nbgSettings = v.strictObject(
  {
    gateway: v.literal('nbg', 'Must be "nbg" or "cards".'),
    /**
     * What stands before `/user/auth/login` and `/nbg/api/v1/…`: EthSwitch names it in the
     * agreement, or a relay's address. There is no public production host to default to.
     */
    baseUrl,
    /** `username` of the login call. */
    username: credential,
    /** `password` of the login call. */
    password: credential,
    /** `X-Biller-BIN`: EthSwitch's identification of the biller, such as NEEUETAA. */
    billerBin: v.pipe(
      v.string('Must be a text.'),
      v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'Must be 1 to 64 letters, digits, hyphens or underscores.'),
    ),
    /**
     * The only IP addresses that callbacks are taken from; empty takes them from anywhere. NBG does
     * not sign its callbacks and cannot be asked: besides the unguessable address this is the only
     * guard, so that doing without it has to be said.
     */
    callbackAddresses: v.pipe(
      v.array(
        v.pipe(
          v.string('Must be a text.'),
          v.check((text) => canonicalAddress(text) !== null, 'Must be an IP address.'),
          v.transform((text) => canonicalAddress(text) ?? text),
        ),
        'Must be an array.',
      ),
      v.maxLength(ADDRESSES_MAX, `Must have at most ${ADDRESSES_MAX} entries.`),
    ),
    /**
     * How long a customer who is sent to NBG's page in a payment's last second still has to log in
     * and pay, before the payment may expire.
     */
    pageWindowSeconds: windowSeconds(PAGE_WINDOW_SECONDS),
  },
  fieldsMessage,
);
export type NbgSettings = v.InferOutput<typeof nbgSettings>;

/** The card gateway (EPG), BPC's SmartVista e-commerce interface. */
export const cardsSettings = v.strictObject(
  {
    gateway: v.literal('cards', 'Must be "nbg" or "cards".'),
    /** What stands before `register.do`, such as https://epg.ethswitch.et:9443/epg/rest */
    baseUrl,
    /** `userName` of the API account. */
    userName: credential,
    /** `password` of the API account. */
    password: credential,
    /** `language` of the hosted page, ISO 639-1. */
    language: v.optional(
      v.pipe(v.string('Must be a text.'), v.regex(/^[a-z]{2}$/, 'Must be two small letters.')),
      'en',
    ),
    /**
     * Sends `dynamicCallbackUrl` with each order, so that the gateway tells us of a payment at once
     * and not only when asked. Newer SmartVista knows it, if EthSwitch has switched it on; an older
     * one may refuse it.
     */
    dynamicCallbackUrl: v.optional(v.boolean('Must be true or false.'), false),
  },
  fieldsMessage,
);
export type CardsSettings = v.InferOutput<typeof cardsSettings>;

/** The operator's secret for EthSwitch: which of its two gateways, and the account there. */
export const ethswitchSettings = v.variant(
  'gateway',
  [nbgSettings, cardsSettings],
  'Must be "nbg" or "cards".',
);
export type EthswitchSettings = v.InferOutput<typeof ethswitchSettings>;
