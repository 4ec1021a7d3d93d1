import { createHash } from 'node:crypto';
import { isNow } from './clock.ts';
import { faultOf, parsed, type Shape } from './shapes.ts';
import type { ReceivedCall } from './stand-in.ts';

const CLOCK_SKEW_MS_MAX = 5 * 60_000;

/** The operator's account with the rail. */
export type MpesaAccount = Readonly<
  Record<'consumerKey' | 'consumerSecret' | 'shortcode' | 'passkey', string>
>;

/** The account of the operator's API user, who asks for a status or reverses a payment. */
export type MpesaInitiator = Readonly<Record<'initiator' | 'securityCredential', string>>;

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

const CHECKOUT_REQUEST_ID = /^ws_CO_\d{10,40}$/;
const REFERENCE = /^[A-Z0-9]{20}$/;
const PHONE = /^2517\d{8}$/;
/** Where M-PESA would post. */
const ADDRESS = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)[:/])\S+$/;
const REMARK = /^.{1,100}$/;

/** A push with valid fields. */
export interface PushRequest {
  readonly MerchantRequestID: string;
  readonly Password: string;
  readonly Timestamp: string;
  readonly PhoneNumber: string;
  readonly CallBackURL: string;
  /** As written. */
  readonly amountText: string;
}

/** The request, or the name of its first wrong field. */
export function readPush(call: ReceivedCall, { shortcode }: MpesaAccount): PushRequest | string {
  const { Amount: _, ReferenceData, ...fields } = Object(parsed(call.body));
  const push = fieldsOf<Omit<PushRequest, 'amountText'>>(call, fields, {
    MerchantRequestID: REFERENCE,
    BusinessShortCode: shortcode,
    Password: /^[A-Za-z0-9+/]+=*$/,
    Timestamp: /^\d{14}$/,
    TransactionType: 'CustomerPayBillOnline',
    PartyA: PHONE,
    PartyB: shortcode,
    PhoneNumber: PHONE,
    CallBackURL: ADDRESS,
    AccountReference: /^[A-Za-z0-9]{1,12}$/,
    TransactionDesc: /^[A-Za-z0-9](?:[A-Za-z0-9 ]{0,11}[A-Za-z0-9])?$/,
  });
  if (typeof push === 'string') {
    return push;
  }
  // Checks the amount's text, because parsing it as a number loses its format.
  const amountText = /"Amount":([^,}]*)/.exec(call.body)?.[1] ?? '';
  if (!/^(?:0|[1-9]\d*)(?:\.\d{1,2})?$/.test(amountText) || Number(amountText) <= 0) {
    return 'Amount';
  }
  if (!isNow(push.Timestamp, CLOCK_SKEW_MS_MAX)) {
    return 'Timestamp';
  }
  if (!isReferenceData(ReferenceData)) {
    return 'ReferenceData';
  }
  return fields.PartyA === push.PhoneNumber ? { ...push, amountText } : 'PartyA';
}

/** A status query with valid fields; the spelling is M-PESA's. */
export interface StatusRequest {
  readonly OriginalConcersationID: string;
  readonly Occasion: string;
  readonly ResultURL: string;
}

/** The status query, or the name of its first wrong field. */
export function readStatusRequest(
  call: ReceivedCall,
  { shortcode }: MpesaAccount,
  { initiator, securityCredential }: MpesaInitiator,
): StatusRequest | string {
  return fieldsOf(call, parsed(call.body), {
    Initiator: initiator,
    SecurityCredential: securityCredential,
    CommandID: 'TransactionStatusQuery',
    'TransactionID?': /^(?:ws_CO_\d{10,40})?$/,
    OriginalConcersationID: CHECKOUT_REQUEST_ID,
    PartyA: shortcode,
    IdentifierType: '4',
    ResultURL: ADDRESS,
    QueueTimeOutURL: ADDRESS,
    Remarks: REMARK,
    Occasion: REMARK,
  });
}

/** A reversal with valid fields. */
export interface ReversalRequest {
  readonly OriginatorConversationID: string;
  /** The payment's receipt. */
  readonly TransactionID: string;
  readonly Amount: string;
  readonly ResultURL: string;
}

/** The reversal, or the name of its first wrong field. */
export function readReversalRequest(
  call: ReceivedCall,
  { shortcode }: MpesaAccount,
  { initiator, securityCredential }: MpesaInitiator,
): ReversalRequest | string {
  return fieldsOf(call, parsed(call.body), {
    OriginatorConversationID: REFERENCE,
    Initiator: initiator,
    SecurityCredential: securityCredential,
    CommandID: 'TransactionReversal',
    TransactionID: /^[A-Z0-9]{10}$/,
    Amount: /^[1-9]\d*$/,
    'OriginalConcersationID?': CHECKOUT_REQUEST_ID,
    PartyA: shortcode,
    RecieverIdentifierType: '11',
    ReceiverParty: PHONE,
    ResultURL: ADDRESS,
    QueueTimeOutURL: ADDRESS,
    Remarks: /^.{2,100}$/,
    Occasion: REMARK,
  });
}

function fieldsOf<Fields>(call: ReceivedCall, fields: unknown, shape: Shape): Fields | string {
  const isJson = call.headers['content-type'] === 'application/json';
  return isJson ? (faultOf(fields, shape) ?? (fields as Fields)) : 'Content-Type';
}

function isReferenceData(value: unknown): boolean {
  const isPair = (pair: unknown) =>
    faultOf(pair, { Key: /^[\w-]{1,50}$/, Value: /^[\w-]{1,50}$/ }) === null;
  return Array.isArray(value) && value.length > 0 && value.every(isPair);
}

export function passwordOf({ shortcode, passkey }: MpesaAccount, timestamp: string): string {
  const digest = createHash('sha256').update(`${shortcode}${passkey}${timestamp}`).digest('hex');
  return Buffer.from(digest).toString('base64');
}
