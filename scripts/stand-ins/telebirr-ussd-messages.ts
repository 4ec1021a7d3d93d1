import { readFileSync } from 'node:fs';

/**
 * CPS's messages as in the public samples, read and written without the adapter's code. Requests
 * are checked more strictly than by CPS: they must have exactly the elements of the sample.
 */

const FIXTURES = new URL('../../test/fixtures/rails/telebirr-ussd/', import.meta.url);

type Sample = 'request' | 'ack' | 'result' | 'query_request' | 'query_result';

export function sample(name: Sample): string {
  return readFileSync(new URL(`${name}.xml`, FIXTURES), 'utf8');
}

/** The namespaces of CPS's two services. */
export type Namespace = 'cpsinterface' | 'synccpsinterface';

/** A sample's message in these namespaces. */
function inNamespace(namespace: Namespace, xml: string): string {
  return namespace === 'cpsinterface'
    ? xml
    : xml
        .replaceAll('/cpsinterface/', '/synccpsinterface/')
        .replaceAll('/api_resultmgr', '/api_requestmgr');
}

/** The contents of a request. */
export interface CpsRequest {
  readonly orderId: string;
  readonly thirdPartyId: string;
  readonly password: string;
  readonly resultUrl: string;
  readonly timestamp: string;
  readonly operatorId: string;
  readonly securityCredential: string;
  readonly shortCode: string;
  readonly phone: string;
  readonly receiver: string;
  readonly amount: string;
  readonly currency: string;
}

/** The texts of the sample that vary between requests, in order. */
const CHANGING = [
  ['orderId', 'ORDER0001'],
  ['thirdPartyId', 'THIRDPARTY'],
  ['password', 'ENCRYPTED_BASE64_GIVEN'],
  ['resultUrl', 'https://pay.example.et/n/telebirr-ussd/secret'],
  ['timestamp', '20260131123456'],
  ['operatorId', 'OPERATOR'],
  ['securityCredential', 'ENCRYPTED_BASE64_GIVEN'],
  ['shortCode', '200001'],
  ['phone', '251911223344'],
  ['receiver', '200001'],
  ['amount', '10.00'],
  ['currency', 'ETB'],
] as const;

const REQUEST: Readonly<Record<Namespace, RegExp>> = {
  cpsinterface: requestPattern('cpsinterface'),
  synccpsinterface: requestPattern('synccpsinterface'),
};

function requestPattern(namespace: Namespace): RegExp {
  return patternOf(inNamespace(namespace, sample('request').trim()), CHANGING);
}

/** A request for the status of a payment. */
export type CpsQuery = Pick<
  CpsRequest,
  | 'orderId'
  | 'thirdPartyId'
  | 'password'
  | 'resultUrl'
  | 'timestamp'
  | 'operatorId'
  | 'securityCredential'
  | 'shortCode'
> & { readonly queryId: string };

const CHANGING_IN_QUERY = [
  ['queryId', 'QUERY0001'],
  ...CHANGING.slice(1, 4),
  ['timestamp', '20260131093456'],
  ...CHANGING.slice(5, 8),
  ['orderId', 'ORDER0001'],
] as const;

const QUERY = patternOf(sample('query_request').trim(), CHANGING_IN_QUERY);

/** Parses a status query; null when it does not have the sample's format. */
export function cpsQueryIn(xml: string): CpsQuery | null {
  return valuesIn<CpsQuery>(xml, QUERY, CHANGING_IN_QUERY);
}

/** The answer about a payment in this state, with the receipt of a completed one. */
export function statusXml(queryId: string, state: string, receipt: string | null): string {
  return sample('query_result')
    .replace('>QUERY0001<', `>${queryId}<`)
    .replace('>Completed<', `>${state}<`)
    .replace(/<res:ReceiptNumber>.*<\/res:BOCompletedTime>/, (known) =>
      receipt === null ? '' : known.replace('AJH40OGEZK', receipt),
    );
}

/** No status: by default CPS's internal error, which it also returns for an unknown payment. */
export function noStatusXml(queryId: string, code = '-1'): string {
  return sample('query_result')
    .replace('>QUERY0001<', `>${queryId}<`)
    .replace('<res:ResultCode>0<', `<res:ResultCode>${code}<`)
    .replace(/<res:QueryTransactionStatusResult>.*<\/res:QueryTransactionStatusResult>/, '');
}

type Changing = readonly (readonly [name: string, text: string])[];

/** `text` with the values of `changing`, which occur in this order, as named groups. */
function patternOf(text: string, changing: Changing): RegExp {
  let rest = text;
  let pattern = '^';
  for (const [name, text] of changing) {
    const start = rest.indexOf(`>${text}<`) + 1;
    pattern += `${quoted(rest.slice(0, start))}(?<${name}>[^<>]+)`;
    rest = rest.slice(start + text.length);
  }
  return new RegExp(`${pattern}${quoted(rest)}$`);
}

/** Parses a request; null when it does not have the sample's format. */
export function cpsRequestIn(namespace: Namespace, xml: string): CpsRequest | null {
  return valuesIn<CpsRequest>(xml, REQUEST[namespace], CHANGING);
}

function valuesIn<Values>(xml: string, pattern: RegExp, changing: Changing): Values | null {
  const groups = pattern.exec(xml)?.groups;
  const values = changing.map(([name]) => unescaped(groups?.[name]));
  return values.includes(null)
    ? null
    : (Object.fromEntries(changing.map(([name], index) => [name, values[index]])) as Values);
}

export function acknowledgementXml(
  orderId: string,
  conversationId: string,
  responseCode: string,
  serviceStatus: string,
): string {
  return sample('ack')
    .replace('>ORDER0001<', `>${orderId}<`)
    .replace('>AG_20260131_70101ef1abddd338afdf<', `>${conversationId}<`)
    .replace('<res:ResponseCode>0<', `<res:ResponseCode>${responseCode}<`)
    .replace('<res:ServiceStatus>0<', `<res:ServiceStatus>${serviceStatus}<`);
}

export function paidXml(
  namespace: Namespace,
  orderId: string,
  conversationId: string,
  transactionId: string,
): string {
  return inNamespace(namespace, sample('result'))
    .replace('>ORDER0001<', `>${orderId}<`)
    .replace('>AG_20260131_70101ef1abddd338afdf<', `>${conversationId}<`)
    .replace('>AJH40OGEZK<', `>${transactionId}<`);
}

/** No sample of a failure is public, so this is the success without its result. */
export function failureXml(
  namespace: Namespace,
  orderId: string,
  conversationId: string,
  resultCode: string,
): string {
  return paidXml(namespace, orderId, conversationId, '')
    .replace('<res:ResultCode>0<', `<res:ResultCode>${resultCode}<`)
    .replace(/<res:TransactionResult>.*<\/res:TransactionResult>/s, '');
}

/** The answer that a client of telebirr's payouts got to a malformed request. */
export const FAULT_XML =
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>' +
  '<soapenv:Fault xmlns:axis2ns9="http://www.w3.org/2003/05/soap-envelope">' +
  '<faultcode>axis2ns9:Sender</faultcode><faultstring>Internal Server Exception</faultstring>' +
  '<detail /></soapenv:Fault></soapenv:Body></soapenv:Envelope>';

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

/** Null for a text with an unescaped `&`. */
function unescaped(text: string | undefined): string | null {
  if (text === undefined || /&(?!(?:amp|lt|gt|quot|apos);)/.test(text)) {
    return null;
  }
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
