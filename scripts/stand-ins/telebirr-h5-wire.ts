import { constants, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { faultOf, parsed } from './shapes.ts';
import { jsonReply, type ReceivedCall, type Reply } from './stand-in.ts';

/**
 * telebirr's checks of a message, written from its documentation with Node's own crypto, so that
 * they do not repeat a mistake in the adapter.
 */

export type Scheme = 'pss32' | 'pssmax' | 'pkcs1';
export type Texts = Readonly<Record<string, string>>;

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export function rsaKeyPair(): KeyPair {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** As the portal issues it: base64 without PEM headers. */
export function bareBase64(key: KeyObject): string {
  const type = key.type === 'private' ? 'pkcs8' : 'spki';
  return key.export({ format: 'der', type }).toString('base64');
}

const UNSIGNED = /^(sign|sign_type|header|refund_info|openType|raw_request|biz_content)$/;

export function signedText(
  message: Readonly<Record<string, unknown>>,
  keepsEmpties = false,
): string {
  const flat = { ...message, ...Object(message.biz_content) };
  const names = Object.keys(flat).filter((name) => !UNSIGNED.test(name));
  const kept = names.filter((name) => keepsEmpties || flat[name] !== '');
  return kept
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((name) => `${name}=${flat[name]}`)
    .join('&');
}

function padding(scheme: Scheme): { padding: number; saltLength?: number } {
  return scheme === 'pkcs1'
    ? { padding: constants.RSA_PKCS1_PADDING }
    : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme === 'pss32' ? 32 : 222 };
}

export function rsaSign(text: string, key: KeyObject, scheme: Scheme): string {
  return sign('sha256', Buffer.from(text), { key, ...padding(scheme) }).toString('base64');
}

export function rsaVerify(
  text: string,
  key: KeyObject,
  scheme: Scheme,
  signature: string,
): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return (
    bytes.toString('base64') === signature &&
    verify('sha256', Buffer.from(text), { key, ...padding(scheme) }, bytes)
  );
}

/** telebirr's refusal of a request. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(status: number, errorCode: string, errorMsg: string) {
    super(errorMsg);
    this.reply = jsonReply(status, { errorCode, errorMsg, errorSolution: 'Check the request.' });
  }
}

/** The real values of these four codes are not public. */
export const CODE_CREDENTIALS = '49401020001';
export const CODE_DUPLICATE = '60201001';
export const CODE_NO_ORDER = '60201002';
export const CODE_TOO_MUCH = '60201003';

export const SIGN_REFUSED = () => new Refusal(500, '60200099', 'Verify the sign field failed.');
/** "Payment platform failed": the account has no refunds, or the order cannot be refunded. */
export const PLATFORM_FAILED = () => new Refusal(500, '60320025', 'Payment platform failed.');
/** The account has no contract for paying in the app. */
export const NOT_SUBSCRIBED = () => new Refusal(400, '60200098', 'The product is not subscribed.');
export const QUOTA_REFUSED = () => new Refusal(400, '49401021002', 'quotaControl rate limit');

function mismatch(name: string): Refusal {
  return new Refusal(400, '49401024995', `Parameter: ${name} type mismatch.`);
}

type Rules = Readonly<Record<string, RegExp>>;

const MESSAGE_RULES: Rules = {
  timestamp: /^\d{10}$/,
  nonce_str: /^[A-Za-z0-9]{32}$/,
  method: /^[a-z.]+$/,
  version: /^1\.0$/,
  sign: /^[A-Za-z0-9+/]{342}==$/,
  sign_type: /^SHA256WithRSA$/,
};

const ORDER_RULES: Rules = {
  appid: /^\d{1,32}$/,
  merch_code: /^[1-9]\d{1,15}$/,
  merch_order_id: /^[A-Za-z0-9]{1,32}$/,
};

export const QUERY_RULES = ORDER_RULES;

const AMOUNT = /^(?!0+\.00$)(0|[1-9]\d{0,9})\.\d\d$/;

export const REFUND_RULES: Rules = {
  ...ORDER_RULES,
  refund_request_no: /^[A-Za-z0-9]{1,64}$/,
  actual_amount: AMOUNT,
  trans_currency: /^ETB$/,
};

export const PRE_ORDER_RULES: Rules = {
  ...ORDER_RULES,
  notify_url: /^https?:\/\/[\x21-\x7e]{1,504}$/,
  redirect_url: /^https?:\/\/[\x21-\x7e]{1,504}$/,
  trade_type: /^Checkout$/,
  title: /^[A-Za-z0-9_.]([A-Za-z0-9 _.]{0,198}[A-Za-z0-9_.])?$/,
  total_amount: AMOUNT,
  trans_currency: /^ETB$/,
  timeout_express: /^([1-9]\d?|1[01]\d|120)m$/,
  business_type: /^BuyGoods$/,
  payee_identifier: /^[1-9]\d{1,15}$/,
  payee_identifier_type: /^04$/,
  payee_type: /^[35]000$/,
  callback_info: /^[A-Za-z0-9]{1,128}$/,
};

/** An order that is paid in the app. */
export const APP_ORDER_RULES: Rules = { ...PRE_ORDER_RULES, trade_type: /^InApp$/ };

const HEADERS = { 'content-type': /^application\/json$/, 'x-app-key': /^[0-9a-f-]{36}$/ };

/** Requires exactly the members in `rules`, each matching its rule. */
function checkMembers(value: unknown, rules: Rules): Texts {
  const fault = faultOf(Object(value), rules);
  if (fault !== null && [undefined, ''].includes(Object(value)[fault])) {
    throw new Refusal(400, '60320006', `Parameter: ${fault} is empty.`);
  }
  if (fault !== null) {
    throw mismatch(fault);
  }
  return value as Texts;
}

export function checkHeaders(call: ReceivedCall): void {
  for (const [name, rule] of Object.entries(HEADERS)) {
    if (!rule.test(call.headers[name] ?? '')) {
      throw mismatch(name);
    }
  }
}

export interface CheckedMessage {
  readonly message: Texts;
  readonly content: Texts;
}

/** The kind of the order in a message that is not checked yet. */
export function tradeTypeOf(call: ReceivedCall): unknown {
  return Object(Object(parsed(call.body)).biz_content).trade_type;
}

/** Checks a message's format, time and signature, but not whose order it is. */
export function checkMessage(
  call: ReceivedCall,
  method: string,
  rules: Rules,
  merchantKey: KeyObject,
  scheme: Scheme,
): CheckedMessage {
  const body: Readonly<Record<string, unknown>> = Object(parsed(call.body));
  const { biz_content, ...rest } = body;
  const message = checkMembers(rest, MESSAGE_RULES);
  const content = checkMembers(biz_content, rules);
  const ageSeconds = Date.now() / 1_000 - Number(message.timestamp);
  if (message.method !== method || Math.abs(ageSeconds) > 60) {
    throw mismatch(message.method === method ? 'timestamp' : 'method');
  }
  if (!rsaVerify(signedText(body), merchantKey, scheme, message.sign ?? '')) {
    throw SIGN_REFUSED();
  }
  return { message, content };
}

/** The parameters of the page's URL, in the documented order. */
const PAGE_NAMES =
  'appid,merch_code,nonce_str,prepay_id,timestamp,sign,sign_type,version,trade_type';
const PAGE_SIGNED = ['appid', 'merch_code', 'nonce_str', 'prepay_id', 'timestamp'];

/** The parameters from the customer's browser; null when the merchant did not sign them. */
export function checkPage(
  parameters: URLSearchParams,
  merchantKey: KeyObject,
  scheme: Scheme,
): Texts | null {
  const texts = Object.fromEntries(parameters);
  const signed = PAGE_SIGNED.map((name) => `${name}=${texts[name]}`).join('&');
  const isGood =
    [...parameters.keys()].join() === PAGE_NAMES &&
    /^[A-Za-z0-9]{32}$/.test(texts.nonce_str ?? '') &&
    /^\d{10}$/.test(texts.timestamp ?? '') &&
    texts.sign_type === 'SHA256WithRSA' &&
    texts.version === '1.0' &&
    texts.trade_type === 'Checkout' &&
    rsaVerify(signed, merchantKey, scheme, texts.sign ?? '');
  return isGood ? texts : null;
}

const RAW_REQUEST = new RegExp(
  `^${PAGE_SIGNED.map((name) => `${name}=[\\w-]+`).join('&')}` +
    '&sign=(?<sign>[A-Za-z0-9+/]{342}==)&sign_type=SHA256WithRSA$',
);

/** What a mini app hands to the app, where nothing is percent-encoded; null unless the merchant signed it. */
export function checkRawRequest(
  rawRequest: string,
  merchantKey: KeyObject,
  scheme: Scheme,
): Texts | null {
  const sign = RAW_REQUEST.exec(rawRequest)?.groups?.sign ?? '';
  const signed = rawRequest.slice(0, rawRequest.indexOf('&sign='));
  return sign !== '' && rsaVerify(signed, merchantKey, scheme, sign)
    ? Object.fromEntries(new URLSearchParams(signed))
    : null;
}
