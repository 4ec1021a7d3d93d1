import { digitsOf, ethiopianDigits } from '../../../kit/ethiopian-time.ts';
import { majorText } from '../../../kit/money.ts';
import { callRail, type RailAnswer } from '../call-rail.ts';
import type { RailOrder } from '../rail-order.ts';
import type { TelebirrUssdSettings } from './settings.ts';
import { xmlEscape } from './xml.ts';

/** A merchant's payment that the customer confirms by PIN, in a prompt pushed to the phone. */
export const COMMAND_ID = 'InitTrans_BuyGoodsForCustomer';

export const STATUS_COMMAND_ID = 'QueryTransactionStatus';

/** Codes of CPS, the engine behind telebirr, as other clients send them. */
const CALLER_IS_THIRD_PARTY = '2';
const KEY_OWNER = '1';
const IDENTIFIED_BY_PHONE = '1';
const IDENTIFIED_BY_SHORT_CODE = '4';
const IDENTIFIED_BY_OPERATOR = '12';

type Namespace = TelebirrUssdSettings['namespace'];

/** The one service that answers status queries. */
const SYNCHRONOUS: Namespace = 'synccpsinterface';

/** The SOAP message that makes telebirr prompt `phone` for the payment. */
export function paymentRequest(
  settings: TelebirrUssdSettings,
  order: RailOrder,
  phone: string,
  nowMs: number,
): string {
  const { shortCode, namespace } = settings;
  const { callbackUrl } = order;
  const identity = group('req:Identity', [
    initiator(settings),
    party('req:PrimaryParty', IDENTIFIED_BY_PHONE, phone),
    party('req:ReceiverParty', IDENTIFIED_BY_SHORT_CODE, shortCode),
  ]);
  const transaction = group('req:TransactionRequest', [
    group('req:Parameters', [
      leaf('req:Amount', majorText(order.chargedMinor)),
      leaf('req:Currency', order.terms.currency),
    ]),
  ]);
  const header = { commandId: COMMAND_ID, conversationId: order.attempt.reference, callbackUrl };
  return envelope(settings, namespace, header, nowMs, [identity, transaction]);
}

/**
 * The SOAP message that asks CPS's synchronous service for the payment's outcome. It has its own
 * id. CPS knows the payment by the id with which we requested it.
 */
export function statusRequest(
  settings: TelebirrUssdSettings,
  { callbackUrl, reference }: { readonly callbackUrl: string; readonly reference: string },
  queryId: string,
  nowMs: number,
): string {
  const header = { commandId: STATUS_COMMAND_ID, conversationId: queryId, callbackUrl };
  const identity = group('req:Identity', [initiator(settings)]);
  const query = group('req:QueryTransactionStatusRequest', [
    leaf('req:OriginalConversationID', reference),
  ]);
  return envelope(settings, SYNCHRONOUS, header, nowMs, [identity, query]);
}

/** Posts a SOAP message to the relay. */
export function postSoap(
  { relayHeaders, through }: TelebirrUssdSettings,
  relayUrl: string,
  body: string,
  timeoutMs: number,
): Promise<RailAnswer> {
  const headers = {
    ...relayHeaders,
    'content-type': 'text/xml; charset=utf-8',
    // SOAP 1.1 requires it; empty means that the URL identifies the call.
    soapaction: '""',
  };
  return callRail({ through }, relayUrl, { method: 'POST', headers, body }, timeoutMs);
}

function initiator({ operatorId, securityCredential, shortCode }: TelebirrUssdSettings): string {
  return group('req:Initiator', [
    leaf('req:IdentifierType', IDENTIFIED_BY_OPERATOR),
    leaf('req:Identifier', operatorId),
    leaf('req:SecurityCredential', securityCredential),
    leaf('req:ShortCode', shortCode),
  ]);
}

function envelope(
  settings: TelebirrUssdSettings,
  namespace: Namespace,
  header: Readonly<Record<'commandId' | 'conversationId' | 'callbackUrl', string>>,
  nowMs: number,
  body: readonly string[],
): string {
  const base = `http://cps.huawei.com/${namespace}`;
  const { commandId, conversationId, callbackUrl } = header;
  const headerXml = group('req:Header', [
    leaf('req:Version', '1.0'),
    leaf('req:CommandID', commandId),
    leaf('req:OriginatorConversationID', conversationId),
    group('req:Caller', [
      leaf('req:CallerType', CALLER_IS_THIRD_PARTY),
      leaf('req:ThirdPartyID', settings.thirdPartyId),
      leaf('req:Password', settings.password),
      leaf('req:ResultURL', resultUrl(settings, callbackUrl)),
    ]),
    leaf('req:KeyOwner', KEY_OWNER),
    leaf('req:Timestamp', timestamp(namespace, nowMs)),
  ]);
  return (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"' +
    ` xmlns:api="${base}/api_requestmgr" xmlns:req="${base}/request"` +
    ` xmlns:com="${base}/common"><soapenv:Header/>` +
    group('soapenv:Body', [group('api:Request', [headerXml, group('req:Body', body)])]) +
    '</soapenv:Envelope>'
  );
}

/** telebirr documents no time zone, and known clients send several. */
export function timestamp(namespace: Namespace, nowMs: number): string {
  return namespace === SYNCHRONOUS ? digitsOf(nowMs) : ethiopianDigits(nowMs);
}

/** The URL for telebirr's result: the callback URL, or the same path at the relay. */
function resultUrl({ resultBaseUrl }: TelebirrUssdSettings, callbackUrl: string): string {
  return resultBaseUrl === null
    ? callbackUrl
    : resultBaseUrl.replace(/\/$/, '') + new URL(callbackUrl).pathname;
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
