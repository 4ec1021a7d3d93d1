import * as v from 'valibot';
import type { Route } from '../call-rail.ts';
import {
  choice,
  credential,
  failedStates,
  flag,
  httpUrl,
  settingsObject,
  text,
  windowSeconds,
} from '../setting-fields.ts';

/** Part of the callback URL, where Safaricom advises against the word "mpesa". */
export const RAIL_ID = 'stk-push';

/** `TransactionStatus` of a payment, in upper case. */
export const PAID_STATE = 'COMPLETED';

/** The production host in Safaricom Ethiopia's own SDKs; the test host is apisandbox.safaricom.et. */
const PRODUCTION_BASE_URL = 'https://api.safaricom.et';

/**
 * M-PESA does not document how long a prompt lasts. Integrators see it end within a minute or two and
 * advise waiting two or three.
 */
const PROMPT_WINDOW_SECONDS = 180;

/** Whole birr, as other clients of M-PESA state. */
export const WHOLE_AMOUNTS_ONLY = true;

/** What a status query says in place of the receipt. */
const TRANSACTION_IDS = ['left_out', 'empty', 'checkout_request_id'] as const;

/** Who acts at M-PESA for the short code; an operator may have the right to one thing only. */
const API_OPERATOR = {
  /** "Initiator": the name of the API operator whom the portal lists. */
  initiator: credential(128),
  /**
   * "SecurityCredential": the operator's password, encrypted with M-PESA's certificate, in base64. An
   * RSA key of 1,024 to 4,096 bits makes 128, 256, 384 or 512 bytes of it: a plain password has others.
   */
  securityCredential: text(
    /^(?:[A-Za-z0-9+/]{171}=|[A-Za-z0-9+/]{342}==|[A-Za-z0-9+/]{512}|[A-Za-z0-9+/]{683}=)$/,
    'base64 from npm run mpesa:credential, not the password itself',
  ),
};

/** The operator's secret for this rail. */
export const mpesaSettingsSchema = settingsObject({
  /** The URL of the API, or of a relay with a fixed IP address; paths are appended. */
  baseUrl: v.optional(httpUrl, PRODUCTION_BASE_URL),
  /** "Consumer Key" of the app in the developer portal: the user half of Basic authentication. */
  consumerKey: text(
    /^[!-9;-~]{1,256}$/,
    '1 to 256 printable ASCII characters without spaces or a colon',
  ),
  /** "Consumer Secret" of the same app. */
  consumerSecret: credential(256),
  /** "Business Short Code": the pay bill number or till that receives the payment. */
  shortcode: text(/^\d{3,10}$/, '3 to 10 digits'),
  /**
   * "PartyB", the number that is credited. The SDKs send the short code. Only needed for a till
   * that is credited at another number than the one that signs the request.
   */
  partyB: v.optional(text(/^\d{3,10}$/, '3 to 10 digits')),
  /** "Passkey" of the short code, from the portal or the go-live letter. */
  passkey: credential(512),
  /** "TransactionType": pay bill for a pay bill number, buy goods for a till. */
  transactionType: v.optional(
    choice(['CustomerPayBillOnline', 'CustomerBuyGoodsOnline']),
    'CustomerPayBillOnline',
  ),
  /**
   * How to compute "Password". The documentation's sample is the base64 of a hexadecimal SHA-256;
   * the official Python SDK sends the base64 of the plain text, as in Kenya.
   */
  passwordForm: v.optional(choice(['sha256_hex', 'kenya']), 'sha256_hex'),
  /**
   * Whether M-PESA takes only whole birr, as other clients state. It charges 153.76 as 154, and the
   * callback's amount then differs from ours.
   */
  wholeAmountsOnly: flag(WHOLE_AMOUNTS_ONLY),
  /**
   * How long we wait for a prompt before the customer may retry. A later callback still counts.
   */
  promptWindowSeconds: windowSeconds(PROMPT_WINDOW_SECONDS),
  /**
   * Turns on status queries. Off by default: whether M-PESA finds a push by its CheckoutRequestID is
   * not certain, so the operator must first see that it does.
   */
  statusQuery: v.optional(
    settingsObject({
      ...API_OPERATOR,
      failedStates: failedStates(PAID_STATE),
      /**
       * "TransactionID": the receipt. A push without a callback has none, and the SDKs disagree
       * whether the field may be left out.
       */
      transactionId: v.optional(choice(TRANSACTION_IDS), 'left_out'),
    }),
  ),
  /**
   * Turns on refunds. Off by default: the API operator needs the right to reverse payments, and
   * only a live test can prove the call.
   */
  refunds: v.optional(
    settingsObject({
      ...API_OPERATOR,
      /**
       * Whether M-PESA returns a part of a payment. Kenya's returns only the whole, and a request
       * that it read so would return too much.
       */
      takesParts: flag(false),
      /**
       * "ReceiverParty": the customer's number, as in the published production code, or our short
       * code, as in Kenya's documentation.
       */
      receiverParty: v.optional(choice(['customer', 'shortcode']), 'customer'),
    }),
  ),
});

export type MpesaSettings = v.InferOutput<typeof mpesaSettingsSchema> & Route;
