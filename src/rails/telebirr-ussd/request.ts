import { majorText } from '../../domain/money.ts';
import type { RailOrder } from '../rail.ts';
import type { TelebirrUssdSettings } from './settings.ts';
import { xmlEscape } from './xml.ts';

/** A merchant's payment that the customer confirms by PIN, in a prompt pushed to the phone. */
export const COMMAND_ID = 'InitTrans_BuyGoodsForCustomer';

/** Codes of CPS, the engine behind telebirr, as other clients send them. */
const CALLER_IS_THIRD_PARTY = '2';
const KEY_OWNER = '1';
const IDENTIFIED_BY_PHONE = '1';
const IDENTIFIED_BY_SHORT_CODE = '4';
const IDENTIFIED_BY_OPERATOR = '12';

/** What differs between CPS's two services, as known clients have it. */
const DIALECTS: Readonly<
  Record<TelebirrUssdSettings['dialect'], { namespace: string; offsetMs: number }>
> = {
  // telebirr's local time. It documents no time zone, and known clients send several.
  asynchronous: { namespace: 'http://cps.huawei.com/cpsinterface', offsetMs: 3 * 60 * 60 * 1_000 },
  synchronous: { namespace: 'http://cps.huawei.com/synccpsinterface', offsetMs: 0 },
};

/** The SOAP message that makes telebirr prompt `phone` for the payment. */
export function paymentRequest(
  settings: TelebirrUssdSettings,
  order: RailOrder,
  phone: string,
  nowMs: number,
): string {
  const { shortCode, dialect } = settings;
  const { namespace } = DIALECTS[dialect];
  const header = group('req:Header', [
    leaf('req:Version', '1.0'),
    leaf('req:CommandID', COMMAND_ID),
    leaf('req:OriginatorConversationID', order.attempt.reference),
    group('req:Caller', [
      leaf('req:CallerType', CALLER_IS_THIRD_PARTY),
      leaf('req:ThirdPartyID', settings.thirdPartyId),
      leaf('req:Password', settings.password),
      leaf('req:ResultURL', resultUrl(settings, order.callbackUrl)),
    ]),
    leaf('req:KeyOwner', KEY_OWNER),
    leaf('req:Timestamp', timestamp(dialect, nowMs)),
  ]);
  const identity = group('req:Identity', [
    group('req:Initiator', [
      leaf('req:IdentifierType', IDENTIFIED_BY_OPERATOR),
      leaf('req:Identifier', settings.operatorId),
      leaf('req:SecurityCredential', settings.securityCredential),
      leaf('req:ShortCode', shortCode),
    ]),
    party('req:PrimaryParty', IDENTIFIED_BY_PHONE, phone),
    party('req:ReceiverParty', IDENTIFIED_BY_SHORT_CODE, shortCode),
  ]);
  const transaction = group('req:TransactionRequest', [
    group('req:Parameters', [
      leaf('req:Amount', majorText(order.chargedMinor)),
      leaf('req:Currency', order.terms.currency),
    ]),
  ]);
  return (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"' +
    ` xmlns:api="${namespace}/api_requestmgr" xmlns:req="${namespace}/request"` +
    ` xmlns:com="${namespace}/common"><soapenv:Header/>` +
    group('soapenv:Body', [
      group('api:Request', [header, group('req:Body', [identity, transaction])]),
    ]) +
    '</soapenv:Envelope>'
  );
}

/** `yyyyMMddHHmmss` in Addis Ababa, or in UTC for the synchronous service. */
export function timestamp(dialect: TelebirrUssdSettings['dialect'], nowMs: number): string {
  const local = new Date(nowMs + DIALECTS[dialect].offsetMs);
  return local.toISOString().replaceAll(/\D/g, '').slice(0, 14);
}

/** The URL for telebirr's result: the callback URL, or the same path at the relay. */
function resultUrl({ resultBaseUrl }: TelebirrUssdSettings, callbackUrl: string): string {
  if (resultBaseUrl === null) {
    return callbackUrl;
  }
  const base = resultBaseUrl.endsWith('/') ? resultBaseUrl.slice(0, -1) : resultBaseUrl;
  return base + new URL(callbackUrl).pathname;
}

function party(name: string, identifierType: string, identifier: string): string {
  return group(name, [
    leaf('req:IdentifierType', identifierType),
    leaf('req:Identifier', identifier),
  ]);
}

function leaf(name: string, value: string): string {
  return `<${name}>${xmlEscape(value)}</${name}>`;
}

function group(name: string, children: readonly string[]): string {
  return `<${name}>${children.join('')}</${name}>`;
}
