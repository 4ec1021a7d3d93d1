import { base64FromBytes, sha256Hex, utf8 } from '../../crypto/encoding.ts';
import { majorText } from '../../domain/money.ts';
import { jsonObject, type RailAnswer } from '../call-rail.ts';
import type { RailOrder, StartResult } from '../rail.ts';
import type { RailLogEntry } from '../rail-log.ts';
import {
  codeText,
  REFUSAL_BY_ERROR_CODE,
  REFUSAL_BY_RESPONSE_CODE,
  SUCCESS_CODE,
  TOKEN_ERROR_CODES,
  TOKEN_REFUSAL_CODES,
} from './codes.ts';
import type { MpesaSettings } from './settings.ts';

/** Ethiopia has kept UTC+3, without summer time, since it has a zone of its own. */
const ADDIS_ABABA_OFFSET_MS = 3 * 60 * 60 * 1_000;

/** Longest "AccountReference" and "TransactionDesc" in the SDKs' documentation. */
const ACCOUNT_REFERENCE_LENGTH = 12;
const DESCRIPTION_LENGTH = 13;

/** A name's first characters are all that can matter; merchants' names may have 1,000. */
const NAME_PART_LENGTH = 100;

/** Longest id of the rail's that we keep; a real one has about 40 characters. */
const CHECKOUT_REQUEST_ID_LENGTH_MAX = 128;

/**
 * The body of an STK push. Written member by member, because the amount must be a JSON number of
 * exactly our decimals and no float is to touch it.
 */
export async function pushBody(
  settings: MpesaSettings,
  order: RailOrder,
  phone: string,
  nowMs: number,
): Promise<string> {
  const { reference } = order.attempt;
  const timestamp = timestampText(nowMs);
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
    // The merchant's transactionId begins with what the customer and the statement show.
    ['AccountReference', JSON.stringify(reference.slice(0, ACCOUNT_REFERENCE_LENGTH))],
    ['TransactionDesc', JSON.stringify(descriptionText(order.terms.merchantName))],
    ['ReferenceData', JSON.stringify([{ Key: 'ThirdPartyReference', Value: reference }])],
  ];
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

/**
 * `yyyyMMddHHmmss` in Addis Ababa. The documentation names the form and no zone; it is local time in
 * Kenya, from where the API comes. The password repeats it, so the rail need only compare the two.
 */
export function timestampText(nowMs: number): string {
  const local = new Date(nowMs + ADDIS_ABABA_OFFSET_MS).toISOString();
  return local.replaceAll(/\D/g, '').slice(0, 14);
}

/** "Password" of a request made at `timestamp`. */
export async function passwordText(
  { shortcode, passkey, passwordForm }: MpesaSettings,
  timestamp: string,
): Promise<string> {
  const plain = `${shortcode}${passkey}${timestamp}`;
  // The hexadecimal text of the digest, not its bytes: so does the printed sample decode.
  const hashed = passwordForm === 'kenya' ? plain : await sha256Hex(plain);
  return base64FromBytes(utf8(hashed));
}

/** 150050 as `1500.5`, 150000 as `1500`: what every client's JSON writes for the same number. */
export function amountText(amountMinor: number): string {
  return majorText(amountMinor).replace(/\.00$|0$/, '');
}

/**
 * What the customer reads beside the amount: the merchant's name in plain letters, digits and
 * spaces. Other signs make the API refuse in silence (reports from Kenya); Ethiopic has no place.
 */
export function descriptionText(merchantName: string): string {
  const plain = merchantName
    .slice(0, NAME_PART_LENGTH)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim();
  return plain.slice(0, DESCRIPTION_LENGTH).trim() || 'Payment';
}

/** The bearer token was not taken, so the push was not looked at: it may be tried with another. */
export type PushResult =
  | StartResult
  | { readonly type: 'token_refused'; readonly providerCode?: string | null };

const TOKEN_REFUSED: PushResult = { type: 'token_refused' };

/** What the answer to a push proves. Whatever leaves open that a prompt was sent is unknown. */
export function readPush(answer: RailAnswer, reference: string): PushResult {
  if (answer.type === 'no_answer' || answer.status >= 500) {
    return { type: 'unknown' };
  }
  if (answer.status === 401) {
    return TOKEN_REFUSED;
  }
  if (answer.status === 429) {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  const fields = jsonObject(answer.text);
  if (fields === null) {
    return { type: 'unknown' };
  }
  const responseCode = codeText(fields.ResponseCode);
  if (responseCode === SUCCESS_CODE) {
    return readAccepted(answer.status, fields, reference);
  }
  const errorCode = codeText(fields.errorCode) ?? '';
  if (responseCode === null && TOKEN_ERROR_CODES.has(errorCode)) {
    return TOKEN_REFUSED;
  }
  const reason =
    responseCode === null
      ? refusalWithoutPush(errorCode, codeText(fields.resultCode))
      : REFUSAL_BY_RESPONSE_CODE.get(responseCode);
  return reason === undefined ? { type: 'unknown' } : { type: 'refused', reason };
}

/** The code in the answer to a push, of whichever of the three forms; for the log. */
export function pushLogFields(answer: RailAnswer): Pick<RailLogEntry, 'status' | 'providerCode'> {
  if (answer.type === 'no_answer') {
    return { providerCode: null };
  }
  const fields = jsonObject(answer.text);
  const code = fields?.ResponseCode ?? fields?.errorCode ?? fields?.resultCode;
  return { status: answer.status, providerCode: codeText(code) };
}

/** Of the gateway before the service, which also answers in the form of a refused token. */
function refusalWithoutPush(errorCode: string, resultCode: string | null) {
  return TOKEN_REFUSAL_CODES.has(resultCode)
    ? 'misconfigured'
    : REFUSAL_BY_ERROR_CODE.get(errorCode);
}

function readAccepted(
  status: number,
  fields: Readonly<Record<string, unknown>>,
  reference: string,
): PushResult {
  const railReference = fields.CheckoutRequestID;
  const isOurs = status === 200 && fields.MerchantRequestID === reference;
  const isId =
    typeof railReference === 'string' &&
    railReference !== '' &&
    railReference.length <= CHECKOUT_REQUEST_ID_LENGTH_MAX;
  return isOurs && isId
    ? { type: 'accepted', redirectUrl: null, railReference }
    : { type: 'unknown' };
}
