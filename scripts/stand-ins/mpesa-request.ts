import { createHash } from 'node:crypto';
import type { ReceivedCall } from './stand-in.ts';

const CLOCK_SKEW_MAX_MS = 5 * 60_000;
const ADDIS_ABABA_OFFSET_MS = 3 * 60 * 60_000;

/** The operator's account with the rail. */
export type MpesaAccount = Readonly<
  Record<'consumerKey' | 'consumerSecret' | 'shortcode' | 'passkey', string>
>;

/** A push with valid fields. */
export interface PushRequest {
  readonly orderId: string;
  readonly amountText: string;
  readonly phone: string;
  readonly callbackUrl: string;
  readonly password: string;
  readonly timestamp: string;
}

/** M-PESA's error for a token request, or null. */
export function tokenProblem(call: ReceivedCall, account: MpesaAccount): unknown {
  const grant = new URL(call.url, 'http://rail').searchParams.get('grant_type');
  const basic = /^Basic (\S+)$/.exec(call.headers.authorization ?? '')?.[1];
  const [key, ...secret] = Buffer.from(basic ?? '', 'base64')
    .toString('utf8')
    .split(':');
  if (basic === undefined) {
    const resultDesc = 'Invalid Authentication passed. Incorrect authorization type.';
    return { resultCode: '999996', resultDesc };
  }
  if (key !== account.consumerKey) {
    return { resultCode: '999991', resultDesc: 'Invalid client id passed.' };
  }
  if (secret.join(':') !== account.consumerSecret) {
    return { resultCode: '999997', resultDesc: 'Invalid Authorization Header.' };
  }
  const resultDesc = 'Required parameter [grant_type] is invalid or empty.';
  return grant === 'client_credentials' ? null : { resultCode: '999998', resultDesc };
}

/** The account of the operator's API user, who asks for a status or reverses a payment. */
export type MpesaInitiator = Readonly<Record<'initiator' | 'securityCredential', string>>;

/** A status query with valid fields. */
export interface StatusRequest {
  readonly checkoutRequestId: string;
  readonly occasion: string;
  readonly resultUrl: string;
}

const CHECKOUT_REQUEST_ID = /^ws_CO_\d{10,40}$/;

/** The status query, or the name of its first wrong field. */
export function readStatusRequest(
  call: ReceivedCall,
  account: MpesaAccount,
  { initiator, securityCredential }: MpesaInitiator,
): StatusRequest | string {
  const forms: Readonly<Record<string, (text: string) => boolean>> = {
    Initiator: (text) => text === initiator,
    SecurityCredential: (text) => text === securityCredential,
    CommandID: (text) => text === 'TransactionStatusQuery',
    'TransactionID?': (text) => text === '' || CHECKOUT_REQUEST_ID.test(text),
    OriginalConcersationID: (text) => CHECKOUT_REQUEST_ID.test(text),
    PartyA: (text) => text === account.shortcode,
    IdentifierType: (text) => text === '4',
    ResultURL: callbackAddress,
    QueueTimeOutURL: callbackAddress,
    Remarks: (text) => /^.{1,100}$/.test(text),
    Occasion: (text) => /^.{1,100}$/.test(text),
  };
  const text = fieldsOf(call, forms);
  if (typeof text === 'string') {
    return text;
  }
  return {
    checkoutRequestId: text('OriginalConcersationID'),
    occasion: text('Occasion'),
    resultUrl: text('ResultURL'),
  };
}

/** Whether M-PESA would post to it. */
export function callbackAddress(text: string): boolean {
  return /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])\S+$/.test(text);
}

/**
 * The text of each field, or the name of the first wrong one. All must be strings; `name?` is
 * optional, and no others are allowed.
 */
export function fieldsOf(
  call: ReceivedCall,
  forms: Readonly<Record<string, (text: string) => boolean>>,
): ((name: string) => string) | string {
  const fields = objectOf(call.body);
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const isWrong = (form: string) => {
    const name = form.replace('?', '');
    const isLeftOut = form !== name && !(name in fields);
    return !isLeftOut && !forms[form]?.(text(name));
  };
  const names = Object.keys(forms);
  const wrong = names.find(isWrong);
  const extra = Object.keys(fields).find(
    (name) => !names.includes(name) && !names.includes(`${name}?`),
  );
  const problem = wrong ?? extra;
  if (call.headers['content-type'] !== 'application/json' || problem !== undefined) {
    return problem ?? 'Content-Type';
  }
  return text;
}

/** The request, or the name of its first wrong field. */
export function readRequest(call: ReceivedCall, account: MpesaAccount): PushRequest | string {
  if (call.headers['content-type'] !== 'application/json') {
    return 'Content-Type';
  }
  // Checks the amount's text, because parsing it as a number loses its format.
  const amountText = /"Amount":([^,}]*)/.exec(call.body)?.[1] ?? '';
  const fields = objectOf(call.body);
  const forms: Readonly<Record<string, RegExp>> = {
    MerchantRequestID: /^[A-Z0-9]{20}$/,
    BusinessShortCode: new RegExp(`^${account.shortcode}$`),
    Password: /^[A-Za-z0-9+/]+=*$/,
    Timestamp: /^\d{14}$/,
    TransactionType: /^CustomerPayBillOnline$/,
    PartyA: /^2517\d{8}$/,
    PartyB: new RegExp(`^${account.shortcode}$`),
    PhoneNumber: /^2517\d{8}$/,
    CallBackURL: /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])\S+$/,
    AccountReference: /^[A-Za-z0-9]{1,12}$/,
    TransactionDesc: /^[A-Za-z0-9](?:[A-Za-z0-9 ]{0,11}[A-Za-z0-9])?$/,
  };
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const wrong = Object.keys(forms).find((name) => !forms[name]?.test(text(name)));
  const extra = Object.keys(fields).find(
    (name) => !(name in forms) && !['Amount', 'ReferenceData'].includes(name),
  );
  if (wrong !== undefined || extra !== undefined) {
    return wrong ?? extra ?? '';
  }
  if (!/^(?:0|[1-9]\d*)(?:\.\d{1,2})?$/.test(amountText) || Number(amountText) <= 0) {
    return 'Amount';
  }
  if (Math.abs(timeOf(text('Timestamp')) - Date.now()) > CLOCK_SKEW_MAX_MS) {
    return 'Timestamp';
  }
  if (!isReferenceData(fields.ReferenceData)) {
    return 'ReferenceData';
  }
  if (text('PartyA') !== text('PhoneNumber')) {
    return 'PartyA';
  }
  return {
    orderId: text('MerchantRequestID'),
    amountText,
    phone: text('PhoneNumber'),
    callbackUrl: text('CallBackURL'),
    password: text('Password'),
    timestamp: text('Timestamp'),
  };
}

function isReferenceData(value: unknown): boolean {
  const isPair = (pair: Readonly<Record<string, unknown>>) =>
    Object.keys(pair).sort().join() === 'Key,Value' &&
    Object.values(pair).every((text) => typeof text === 'string' && /^[\w-]{1,50}$/.test(text));
  return Array.isArray(value) && value.length > 0 && value.every(isPair);
}

export function passwordOf({ shortcode, passkey }: MpesaAccount, timestamp: string): string {
  const digest = createHash('sha256').update(`${shortcode}${passkey}${timestamp}`).digest('hex');
  return Buffer.from(digest).toString('base64');
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

export function addisTimestamp(nowMs: number): string {
  const local = new Date(nowMs + ADDIS_ABABA_OFFSET_MS).toISOString();
  return local.slice(0, 19).replaceAll(/[-T:]/g, '');
}

function timeOf(timestamp: string): number {
  const parts = timestamp.match(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/)?.slice(1) ?? [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - ADDIS_ABABA_OFFSET_MS;
}
