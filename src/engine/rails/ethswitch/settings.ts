import * as v from 'valibot';
import type { Route } from '../call-rail.ts';
import {
  flag,
  httpUrl,
  settingsObject,
  text,
  wholeNumber,
  windowSeconds,
} from '../setting-fields.ts';
import { canonicalAddress } from './wire.ts';

/**
 * Callback URLs and attempts contain the rail id. After an operator switches to the other gateway,
 * the attempts of the previous one must not be queried at it, or reported by it.
 */
export const NBG_RAIL_ID = 'ethswitch-nbg';
export const CARDS_RAIL_ID = 'ethswitch-cards';

/** NBG's page stays open for a day, but no customer needs that long to log in and pay. */
const PAGE_WINDOW_SECONDS = 300;

/** Longest credential; real ones have a few dozen characters (SmartVista takes up to 100). */
const CREDENTIAL_CHARACTERS_MAX = 256;
/** Gateways send from fewer addresses, and every callback searches the list. */
const ADDRESSES_MAX = 32;

/** Unguessable, and needs no encoding in a path: 32 hexadecimal characters are 128 bits. */
const CALLBACK_TOKEN = /^[A-Za-z0-9_-]{32,128}$/;

/** A day: banks settle card payments daily, and nothing that is settled can be reversed. */
const REVERSAL_MINUTES_MAX = 1_440;

const credential = text(
  new RegExp(`^.{1,${CREDENTIAL_CHARACTERS_MAX}}$`, 's'),
  `1 to ${CREDENTIAL_CHARACTERS_MAX} characters`,
);

const GATEWAY_MESSAGE = 'must be one of "nbg", "cards"';

/** The National Billing Gateway's hosted page: customers pay from a bank account or wallet. */
export const nbgSettings = settingsObject({
  gateway: v.literal('nbg', GATEWAY_MESSAGE),
  /**
   * The URL before `/user/auth/login` and `/nbg/api/v1/…`, from the agreement with EthSwitch, or
   * a relay's. No default, because the production host is not public.
   */
  baseUrl: httpUrl,
  /** `username` of the login call. */
  username: credential,
  /** `password` of the login call. */
  password: credential,
  /** `X-Biller-BIN`: EthSwitch's identification of the biller, such as NEEUETAA. */
  billerBin: text(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, hyphens or underscores'),
  /**
   * The only IP addresses whose callbacks we accept. NBG does not sign its callbacks and has no
   * status query. Besides the unguessable URL this list is the only protection, so production
   * requires an address. In the sandbox an empty list accepts all.
   */
  callbackAddresses: v.pipe(
    v.array(
      v.pipe(
        v.string('must be an IP address'),
        v.transform(canonicalAddress),
        v.string('must be an IP address'),
      ),
      'must be a list',
    ),
    v.maxLength(ADDRESSES_MAX, `must have at most ${ADDRESSES_MAX} entries`),
  ),
  /**
   * How long a customer who opens NBG's page in a payment's last second has to log in and pay
   * before the payment may expire.
   */
  pageWindowSeconds: windowSeconds(PAGE_WINDOW_SECONDS),
});
export type NbgSettings = v.InferOutput<typeof nbgSettings> & Route;

/** The card gateway (EPG), BPC's SmartVista e-commerce interface. */
export const cardsSettings = settingsObject({
  gateway: v.literal('cards', GATEWAY_MESSAGE),
  /** The URL before `register.do`, such as https://epg.ethswitch.et:9443/epg/rest */
  baseUrl: httpUrl,
  /** `userName` of the API account. */
  userName: credential,
  /** `password` of the API account. */
  password: credential,
  /** `language` of the hosted page, ISO 639-1. */
  language: v.optional(text(/^[a-z]{2}$/, 'two lower-case letters'), 'en'),
  /**
   * Sends `dynamicCallbackUrl` with each order, so that the gateway reports a payment at once
   * instead of waiting for our query. Newer SmartVista versions support it if EthSwitch has
   * enabled it; older ones may refuse the order.
   */
  dynamicCallbackUrl: flag(false),
  /**
   * The secret end of the one callback address that the operator registers for the account:
   * `<gateway>/rails/ethswitch-cards/account/<callbackToken>`. Null: there is no such address.
   */
  callbackToken: v.optional(
    v.nullable(text(CALLBACK_TOKEN, '32 to 128 letters, digits, hyphens or underscores')),
    null,
  ),
  /**
   * How long after a payment its whole amount is reversed instead of refunded, in minutes. Only as
   * agreed with the bank. Null: never.
   */
  reversalMinutes: v.optional(v.nullable(wholeNumber('minutes', 1, REVERSAL_MINUTES_MAX)), null),
  /**
   * Lets an operator send a refund again with the same `externalRefundId` and
   * `expectedDepositedAmount`. Off until a live test has shown that the money is returned once.
   */
  refundRepeats: flag(false),
});
export type CardsSettings = v.InferOutput<typeof cardsSettings> & Route;

/** The operator's secret for EthSwitch: which of its two gateways, and the account there. */
export const ethswitchSettings = v.variant(
  'gateway',
  [nbgSettings, cardsSettings],
  GATEWAY_MESSAGE,
);
export type EthswitchSettings = v.InferOutput<typeof ethswitchSettings> & Route;
