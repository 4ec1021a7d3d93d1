import { base64FromBytes, sha256Hex, utf8 } from '../../crypto/encoding.ts';
import { ethiopianDigits } from '../../domain/ethiopian-time.ts';
import { majorText } from '../../domain/money.ts';
import type { RailAnswer } from '../call-rail.ts';
import { jsonObject, type Members, scalarOf, textOf } from '../members.ts';
import { plainAscii } from '../plain-text.ts';
import type { StartResult } from '../rail.ts';
import type { RailLogEntry } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { meaningOfStatus, STATUSES, startByStatus } from '../statuses.ts';
import {
  REFUSAL_BY_ERROR_CODE,
  REFUSAL_BY_RESPONSE_CODE,
  SUCCESS_CODE,
  TOKEN_ERROR_CODES,
  TOKEN_REFUSAL_CODES,
} from './codes.ts';
import type { MpesaSettings } from './settings.ts';

/** Maximum length of "AccountReference" and "TransactionDesc" in the SDKs' documentation. */
const ACCOUNT_REFERENCE_LENGTH = 12;
const DESCRIPTION_LENGTH = 13;

/** Only a name's first characters can matter, and merchants' names may have 1,000. */
const NAME_PART_LENGTH = 100;

/** Longest id of M-PESA's that we store; a real one has about 40 characters. */
const CHECKOUT_REQUEST_ID_LENGTH_MAX = 128;

/**
 * The body of an STK push. Written member by member, because the amount must be a JSON number with
 * exactly our decimals, never a float.
 */
export async function pushBody(
  settings: MpesaSettings,
  order: RailOrder,
  phone: string,
  nowMs: number,
): Promise<string> {
  const { reference } = order.attempt;
  // The documentation names no time zone; in Kenya, where the API comes from, it is local time. The
  // password repeats it, so M-PESA need only compare the two.
  const timestamp = ethiopianDigits(nowMs);
  const members: readonly (readonly [name: string, json: string])[] = [
    ['MerchantRequestID', JSON.stringify(reference)],
    ['BusinessShortCode', JSON.stringify(settings.shortcode)],
    ['Password', JSON.stringify(await passwordText(settings, timestamp))],
    ['Timestamp', JSON.stringify(timestamp)],
    ['TransactionType', JSON.stringify(settings.transactionType)],
    ['Amount', amountText(order.chargedMinor)],
    ['PartyA', JSON.stringify(phone)],
    ['PartyB', JSON.stringify(settings.partyB ?? settings.shortcode)],
    ['PhoneNumber', JSON.stringify(phone)],
    ['CallBackURL', JSON.stringify(order.callbackUrl)],
    // The customer and the statement see the beginning of the merchant's `transactionId`.
    ['AccountReference', JSON.stringify(reference.slice(0, ACCOUNT_REFERENCE_LENGTH))],
    ['TransactionDesc', JSON.stringify(descriptionText(order.terms.merchantName))],
    ['ReferenceData', JSON.stringify([{ Key: 'ThirdPartyReference', Value: reference }])],
  ];
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

/** The "Password" of a request with this "Timestamp". */
export async function passwordText(
  { shortcode, passkey, passwordForm }: MpesaSettings,
  timestamp: string,
): Promise<string> {
  const plain = `${shortcode}${passkey}${timestamp}`;
  // The digest's hexadecimal text, not its bytes, as in the documentation's sample.
  const hashed = passwordForm === 'kenya' ? plain : await sha256Hex(plain);
  return base64FromBytes(utf8(hashed));
}

/** 150050 as `1500.5`, 150000 as `1500`: as any JSON library writes the same number. */
export function amountText(amountMinor: number): string {
  return majorText(amountMinor).replace(/\.00$|0$/, '');
}

/**
 * What the customer reads beside the amount: the merchant's name in ASCII letters, digits and
 * spaces. According to reports from Kenya, other characters make the API fail silently, so Ethiopic
 * letters are dropped too.
 */
export function descriptionText(merchantName: string): string {
  const plain = plainAscii(merchantName.slice(0, NAME_PART_LENGTH), /[^A-Za-z0-9]+/g);
  return plain.slice(0, DESCRIPTION_LENGTH).trim() || 'Payment';
}

/** M-PESA refused the bearer token without reading the push, so a retry with another is safe. */
export type PushResult =
  | StartResult
  | { readonly type: 'token_refused'; readonly providerCode?: string | null };

/** What the answer to a push proves; `unknown` if M-PESA may have sent a prompt. */
export function readPush(answer: RailAnswer): PushResult {
  const meaning = meaningOfStatus(answer, STATUSES.mpesa);
  if (meaning === 'token_refused') {
    return { type: 'token_refused' };
  }
  const fields = jsonObject(answer.text);
  const byStatus = startByStatus(meaning);
  if (byStatus !== null || fields === null) {
    return byStatus ?? { type: 'unknown' };
  }
  const responseCode = scalarOf(fields.ResponseCode);
  if (responseCode === SUCCESS_CODE) {
    return readAccepted(answer.status, fields);
  }
  const errorCode = scalarOf(fields.errorCode) ?? '';
  if (responseCode === null && TOKEN_ERROR_CODES.has(errorCode)) {
    return { type: 'token_refused' };
  }
  const reason =
    responseCode === null
      ? refusalWithoutPush(errorCode, scalarOf(fields.resultCode))
      : REFUSAL_BY_RESPONSE_CODE.get(responseCode);
  return reason === undefined ? { type: 'unknown' } : { type: 'refused', reason };
}

/** The code in the answer to a push, in any of its three formats, for the log. */
export function pushLogFields({
  status,
  text,
}: RailAnswer): Pick<RailLogEntry, 'status' | 'providerCode'> {
  const fields = jsonObject(text);
  const code = fields?.ResponseCode ?? fields?.errorCode ?? fields?.resultCode;
  return { status, providerCode: scalarOf(code) };
}

/** Refusals by the gateway in front of the service, one of whose formats is a refused token's. */
function refusalWithoutPush(errorCode: string, resultCode: string | null) {
  return TOKEN_REFUSAL_CODES.has(resultCode)
    ? 'misconfigured'
    : REFUSAL_BY_ERROR_CODE.get(errorCode);
}

function readAccepted(status: number | null, fields: Members): PushResult {
  const railReference = textOf(fields.CheckoutRequestID, CHECKOUT_REQUEST_ID_LENGTH_MAX);
  return status === 200 && railReference !== null
    ? { type: 'accepted', redirectUrl: null, railReference }
    : { type: 'unknown' };
}
