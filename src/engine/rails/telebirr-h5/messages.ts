import { base32FromBytes } from '../../../kit/crypto/encoding.ts';
import { majorText } from '../../../kit/money.ts';
import type { AttemptPlan } from '../../domain/attempt.ts';
import type { IntentTerms } from '../../domain/terms.ts';
import type { Members } from '../members.ts';
import { plainAscii } from '../plain-text.ts';
import type { RailOrder } from '../rail-order.ts';
import type { TelebirrH5Settings } from './settings.ts';
import { canonicalText, type Sign } from './signature.ts';

export const RAIL_ID = 'telebirr-h5';

/** The only currency of a telebirr wallet. */
export const CURRENCY = 'ETB';

const MINUTE_MS = 60_000;
/** `timeout_express`: telebirr keeps an order open for whole minutes, 1 to 120. */
const OPEN_MINUTES_MIN = 1;
const OPEN_MINUTES_MAX = 120;
/** Milliseconds pass between the plan and the start; they must not cost a minute. */
const PLANNING_MS = 1_000;

/** Maximum length of `notify_url` and `redirect_url`. */
const URL_CHARACTERS_MAX = 512;

/** The documentation allows 512 characters, but an SDK considers 200 safe. */
const TITLE_CHARACTERS_MAX = 200;

/** `sign_type` of every message, independent of the padding. */
const SIGN_TYPE = 'SHA256WithRSA';
const VERSION = '1.0';

/**
 * `callback_info`: some hosts refuse an order without it. One word, because the signature covers it
 * and a space may arrive as `+`.
 */
const CALLBACK_INFO = 'web';

/** `payee_identifier` is a short code. */
const PAYEE_BY_SHORT_CODE = '04';

/** 32 letters and digits in base32. */
const NONCE_BYTES = 20;

/** The calls to telebirr: their paths, and their names in the message. */
export const CALLS = {
  preOrder: { path: '/payment/v1/merchant/preOrder', method: 'payment.preorder' },
  createOrder: { path: '/payment/v1/inapp/createOrder', method: 'payment.preorder' },
  merchantCreateOrder: {
    path: '/payment/v1/merchant/inapp/createOrder',
    method: 'payment.preorder',
  },
  queryOrder: { path: '/payment/v1/merchant/queryOrder', method: 'payment.queryorder' },
  refund: { path: '/payment/v1/merchant/refund', method: 'payment.refund' },
} as const;
export type Call = keyof typeof CALLS;

/**
 * When telebirr has closed an order that we create now: by the payment's expiry, so that no customer
 * pays for goods that the merchant has released, or after telebirr's shortest time if the payment has
 * less left. telebirr counts from the order's creation, which may be as late as our timeout.
 */
export function closedByMs(
  settings: TelebirrH5Settings,
  { expiresAtMs }: Pick<IntentTerms, 'expiresAtMs'>,
  nowMs: number,
): number {
  const createdByMs = nowMs + startTimeoutMsOf(settings);
  const shortestMs = createdByMs + OPEN_MINUTES_MIN * MINUTE_MS;
  const longestMs = createdByMs + OPEN_MINUTES_MAX * MINUTE_MS;
  return Math.min(Math.max(expiresAtMs, shortestMs), longestMs);
}

/** Time for two calls: the token and the order. */
export function startTimeoutMsOf({ callTimeoutMs }: TelebirrH5Settings): number {
  return 2 * callTimeoutMs;
}

/** How many minutes the order stays open, as the attempt was planned. */
function openMinutes(
  settings: TelebirrH5Settings,
  { deadlineAtMs, startedAtMs }: AttemptPlan & { readonly startedAtMs: number },
): number {
  const openMs = deadlineAtMs - startTimeoutMsOf(settings) - startedAtMs;
  const minutes = Math.floor((openMs + PLANNING_MS) / MINUTE_MS);
  return Math.min(Math.max(minutes, OPEN_MINUTES_MIN), OPEN_MINUTES_MAX);
}

/** `biz_content` of the order, or null when telebirr would not accept it. */
export function preOrderContent(settings: TelebirrH5Settings, order: RailOrder): Members | null {
  const { attempt, callbackUrl, returnUrl, terms } = order;
  const isInApp = terms.appForm !== undefined;
  const isTooLong = Math.max(callbackUrl.length, returnUrl.length) > URL_CHARACTERS_MAX;
  if (isTooLong || terms.currency !== CURRENCY) {
    return null;
  }
  return {
    notify_url: callbackUrl,
    redirect_url: returnUrl,
    ...queryOrderContent(settings, order),
    trade_type: isInApp ? 'InApp' : 'Checkout',
    title: titleOf(terms) || `Payment ${attempt.reference}`,
    total_amount: majorText(order.chargedMinor),
    trans_currency: CURRENCY,
    timeout_express: `${openMinutes(settings, attempt)}m`,
    business_type: 'BuyGoods',
    payee_identifier: settings.merchantCode,
    payee_identifier_type: PAYEE_BY_SHORT_CODE,
    payee_type: (isInApp ? settings.appPayeeType : undefined) ?? settings.payeeType,
    callback_info: CALLBACK_INFO,
  };
}

/** `biz_content` of the status query for the order. */
export function queryOrderContent(
  { merchantAppId, merchantCode }: TelebirrH5Settings,
  { attempt }: { readonly attempt: Pick<RailOrder['attempt'], 'reference'> },
): Members {
  return { appid: merchantAppId, merch_code: merchantCode, merch_order_id: attempt.reference };
}

/**
 * The merchant and what the payment is for. telebirr forbids most punctuation and does not document
 * other scripts, whose encoding the signature depends on, so we send only ASCII letters and digits.
 */
function titleOf({ merchantName, description }: IntentTerms): string {
  return plainAscii(`${merchantName} ${description ?? ''}`, /[^A-Za-z0-9_.]+/g)
    .slice(0, TITLE_CHARACTERS_MAX)
    .trim();
}

/** The complete, signed message around `content`; null when our key cannot sign. */
export async function signedMessage(
  call: Call,
  content: Members,
  sign: Sign,
  nowMs: number,
): Promise<string | null> {
  const message = {
    ...freshness(nowMs),
    method: CALLS[call].method,
    version: VERSION,
    biz_content: content,
  };
  const signature = await sign(canonicalText(message));
  return signature === null
    ? null
    : JSON.stringify({ ...message, sign: signature, sign_type: SIGN_TYPE });
}

/** What opens the order `prepayId`, by name; null when our key cannot sign. */
export async function signedOpening(
  { merchantAppId: appid, merchantCode: merch_code }: TelebirrH5Settings,
  prepayId: string,
  sign: Sign,
  { nonce_str, timestamp }: ReturnType<typeof freshness>,
): Promise<Readonly<Record<string, string>> | null> {
  // The signature covers exactly these five, in the documentation's order.
  const signed = { appid, merch_code, nonce_str, prepay_id: prepayId, timestamp };
  const signature = await sign(canonicalText(signed));
  return signature === null ? null : { ...signed, sign: signature, sign_type: SIGN_TYPE };
}

/** The page where the customer pays the order; null when our key cannot sign. */
export async function payPageUrl(
  settings: TelebirrH5Settings,
  ...order: [prepayId: string, sign: Sign, fresh: ReturnType<typeof freshness>]
): Promise<string | null> {
  const opening = await signedOpening(settings, ...order);
  const page = { version: VERSION, trade_type: 'Checkout' };
  return opening && `${settings.webPageUrl}?${new URLSearchParams({ ...opening, ...page })}`;
}

/** The fields that make two messages with equal content differ. */
export function freshness(nowMs: number) {
  const nonce_str = base32FromBytes(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  return { timestamp: String(Math.floor(nowMs / 1_000)), nonce_str };
}
