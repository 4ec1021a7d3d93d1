import * as v from 'valibot';
import type { Route } from '../call-rail.ts';
import {
  choice,
  credential,
  failedStates,
  flag,
  httpUrl,
  phonePrefixes,
  settingsObject,
  text,
  windowSeconds,
} from '../setting-fields.ts';

export const EBIRR_RAIL_ID = 'ebirr';

/** eBirr's production address; its test system is `https://testpayments.ebirr.com/asm`. */
const PRODUCTION_URL = 'https://payments.ebirr.com/asm';

/** The value for a wallet in eBirr's own examples and its vendor's documentation. */
const PAYMENT_METHOD = 'MWALLET_ACCOUNT';

/**
 * The vendor gives the customer five minutes to enter the PIN, but each second that an object waits
 * costs money, and many relays end a silent call after 100 s. eBirr's report brings a later payment.
 */
const PROMPT_WINDOW_SECONDS = 60;

/** The prefix of Ethio telecom, which integrators require. */
export const PHONE_PREFIXES = ['2519'] as const;

/** The ids and the key are short and printable; the vendor documents at most 40 characters. */
const CREDENTIAL = credential(128);

/**
 * The state of a paid payment in purchases and status queries; the vendor also writes it in lower
 * case.
 */
export const PAID_STATE = 'APPROVED';

/** The calls that return a payment. Only the last one returns a part of it. */
const REFUND_SERVICES = ['API_CANCELPURCHASE', 'API_REVERSAL', 'API_REFUND'] as const;
export type RefundService = (typeof REFUND_SERVICES)[number];

/** The operator's secret for eBirr: the ids and the key that eBirr issues to a merchant. */
export const ebirrSettingsSchema = settingsObject({
  /** The complete URL of eBirr's only endpoint, or of a relay to it. */
  baseUrl: v.optional(httpUrl, PRODUCTION_URL),
  /** `merchantUid`, such as M1234567. */
  merchantUid: CREDENTIAL,
  /** `apiUserId`: a number, written as a string. */
  apiUserId: CREDENTIAL,
  /** `apiKey`, such as API-…: the only credential, sent in the body of each request. */
  apiKey: CREDENTIAL,
  /** `paymentMethod`: another value only when eBirr says so. */
  paymentMethod: v.optional(
    text(/^[A-Za-z_]{5,20}$/, '5 to 20 letters and underscores'),
    PAYMENT_METHOD,
  ),
  /** `prefix`: the customers' institution, such as Kaafi's or Coopay's; only where eBirr gave one. */
  prefix: v.optional(text(/^[A-Za-z0-9]{1,20}$/, '1 to 20 letters and digits')),
  /**
   * Whether to send `returnUrl`, which makes eBirr report the result to us a second time. eBirr
   * asked one integrator to leave it out. Without it, a payment whose answer was lost needs a
   * manual resolution.
   */
  sendsReturnUrl: flag(true),
  /**
   * Prefixes of the numbers that have eBirr wallets. Integrators require 2519, Ethio telecom's
   * prefix. Operators can add Safaricom's 2517 when eBirr confirms it.
   */
  phonePrefixes: phonePrefixes(PHONE_PREFIXES),
  /** How long eBirr gives the customer to enter the PIN. We wait a little longer for the answer. */
  promptWindowSeconds: windowSeconds(PROMPT_WINDOW_SECONDS),
  /**
   * Turns on status queries (`API_TRANSACTIONSTATUS`). Off by default: no published code sends them
   * to eBirr's own hosts, so the operator must first see that they work.
   */
  statusQuery: v.optional(settingsObject({ failedStates: failedStates(PAID_STATE) })),
  /**
   * Turns on refunds, by the vendor's documented call or by one that only clients' code or the
   * vendor's own SDKs show. Off by default: no published code sends any to eBirr's own hosts.
   */
  refundService: v.optional(choice(REFUND_SERVICES)),
});

export type EbirrSettings = v.InferOutput<typeof ebirrSettingsSchema> & Route;
