import { base64FromBytes, sha256Hex, utf8 } from '../../../kit/crypto/encoding.ts';
import { ethiopianDigits } from '../../../kit/ethiopian-time.ts';
import { majorText } from '../../../kit/money.ts';
import { jsonNumber, type RailAnswer } from '../call-rail.ts';
import { jsonObject, type Members, scalarOf, textOf } from '../members.ts';
import { plainAscii } from '../plain-text.ts';
import type { StartResult } from '../rail.ts';
import type { RailOrder } from '../rail-order.ts';
import { meaningOfStatus, STATUSES, startByStatus } from '../statuses.ts';
import {
  REFUSAL_BY_ERROR_CODE,
  REFUSAL_BY_RESPONSE_CODE,
  SUCCESS_CODE,
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
 * The body of an STK push. The amount is a JSON number with exactly our decimals, never a float.
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
  return JSON.stringify({
    MerchantRequestID: reference,
    BusinessShortCode: settings.shortcode,
    Password: await passwordText(settings, timestamp),
    Timestamp: timestamp,
    TransactionType: settings.transactionType,
    Amount: jsonNumber(amountText(order.chargedMinor)),
    PartyA: phone,
    PartyB: settings.partyB ?? settings.shortcode,
    PhoneNumber: phone,
    CallBackURL: order.callbackUrl,
    // The customer and the statement see the beginning of the merchant's `transactionId`.
    AccountReference: reference.slice(0, ACCOUNT_REFERENCE_LENGTH),
    TransactionDesc: descriptionText(order.terms.merchantName),
    ReferenceData: [{ Key: 'ThirdPartyReference', Value: reference }],
  });
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

/** What the answer to a push proves; `unknown` if M-PESA may have sent a prompt. */
export function readPush(answer: RailAnswer): StartResult {
  const fields = jsonObject(answer.text);
  const byStatus = startByStatus(meaningOfStatus(answer, STATUSES.mpesa));
  if (byStatus !== null || fields === null) {
    return byStatus ?? { type: 'unknown' };
  }
  const responseCode = scalarOf(fields.ResponseCode);
  if (responseCode === SUCCESS_CODE) {
    return readAccepted(answer.status, fields);
  }
  const reason =
    responseCode === null ? refusalWithoutPush(fields) : REFUSAL_BY_RESPONSE_CODE.get(responseCode);
  return reason === undefined ? { type: 'unknown' } : { type: 'refused', reason };
}

/** Refusals by the gateway in front of the service, one of whose formats is a refused token's. */
function refusalWithoutPush({ errorCode, resultCode }: Members) {
  return TOKEN_REFUSAL_CODES.has(scalarOf(resultCode))
    ? 'misconfigured'
    : REFUSAL_BY_ERROR_CODE.get(scalarOf(errorCode) ?? '');
}

function readAccepted(status: number | null, fields: Members): StartResult {
  const railReference = textOf(fields.CheckoutRequestID, CHECKOUT_REQUEST_ID_LENGTH_MAX);
  return status === 200 && railReference !== null
    ? { type: 'accepted', redirectUrl: null, railReference }
    : { type: 'unknown' };
}
