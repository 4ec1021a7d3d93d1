import type { CallbackReply } from '../callback.ts';
import { matching } from '../members.ts';
import { type XmlShape, xmlEscape, xmlTexts } from './xml.ts';

const HEADER: XmlShape = { OriginatorConversationID: 'text', ConversationID: 'text' };

const ACKNOWLEDGEMENT: XmlShape = {
  Envelope: {
    Body: {
      Response: { Header: HEADER, Body: { ResponseCode: 'text', ServiceStatus: 'text' } },
    },
  },
};

const RESULT = resultWith({ TransactionResult: { TransactionID: 'text' } });

const STATUS_RESULT = resultWith({
  QueryTransactionStatusResult: {
    TransactionStatus: 'text',
    ReceiptNumber: 'text',
    OriginalConversationID: 'text',
    Amount: 'text',
  },
});

/** A result that has these members besides its codes. */
function resultWith(members: XmlShape): XmlShape {
  const body = { ResultType: 'text', ResultCode: 'text', ...members } as const;
  return { Envelope: { Body: { Result: { Header: HEADER, Body: body } } } };
}

/** An id of telebirr's that we store: `AG_20260131_70101ef1abddd338afdf`, `AJH40OGEZK`. */
const IDENTIFIER = /^[0-9A-Za-z_-]{1,64}$/;

/** Our id of a payment and telebirr's; all messages about it contain both. */
export interface Conversation {
  /** Our reference; empty when telebirr omits it. */
  readonly originatorConversationId: string;
  /** telebirr's id, `AG_…`; null when there is none. */
  readonly conversationId: string | null;
}

function conversationIn(texts: ReadonlyMap<string, string>): Conversation {
  return {
    originatorConversationId: texts.get('OriginatorConversationID') ?? '',
    conversationId: matching(texts.get('ConversationID'), IDENTIFIER),
  };
}

export type Acknowledgement = NonNullable<ReturnType<typeof readAcknowledgement>>;

/**
 * Reads telebirr's answer to a request: whether it accepts the request, not whether it was paid.
 * Null for anything else.
 */
export function readAcknowledgement(xml: string) {
  const texts = xmlTexts(xml, ACKNOWLEDGEMENT);
  const responseCode = texts?.get('ResponseCode');
  const serviceStatus = texts?.get('ServiceStatus');
  return !texts || responseCode === undefined || serviceStatus === undefined
    ? null
    : { ...conversationIn(texts), responseCode, serviceStatus };
}

export type PaymentResult = NonNullable<ReturnType<typeof readResult>>;

/**
 * Reads what telebirr posts after the customer has acted. It has no amount and no signature. It
 * contains the customer's remaining balance (`DebitBalance`), which we never read. Null for anything
 * else.
 */
export function readResult(xml: string) {
  const read = resultIn(xml, RESULT);
  return (
    read && {
      ...read.result,
      /** telebirr's receipt number for a successful payment. */
      transactionId: matching(read.texts.get('TransactionID'), IDENTIFIER),
    }
  );
}

export type StatusResult = NonNullable<ReturnType<typeof readStatusResult>>;

/**
 * Reads CPS's answer to a status query: about the query, and within it about the payment. Null for
 * anything else.
 */
export function readStatusResult(xml: string) {
  const read = resultIn(xml, STATUS_RESULT);
  return (
    read && {
      ...read.result,
      transactionStatus: read.texts.get('TransactionStatus') ?? null,
      receipt: matching(read.texts.get('ReceiptNumber'), IDENTIFIER),
      // The payment's own id and amount; the known answers contain neither.
      originalConversationId: read.texts.get('OriginalConversationID') ?? null,
      amount: read.texts.get('Amount') ?? null,
    }
  );
}

function resultIn(xml: string, shape: XmlShape) {
  const texts = xmlTexts(xml, shape);
  const resultType = texts?.get('ResultType');
  const resultCode = texts?.get('ResultCode');
  return !texts || resultType === undefined || resultCode === undefined
    ? null
    : { texts, result: { ...conversationIn(texts), resultType, resultCode } };
}

/** The reply to a result that CPS posted; code `0` accepts it. */
export function resultReply(
  status: number,
  conversation: Conversation | null,
  responseCode: string,
  description: string,
): CallbackReply {
  const { originatorConversationId = '', conversationId = null } = conversation ?? {};
  const xml =
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>' +
    '<api:Response xmlns:api="http://cps.huawei.com/cpsinterface/api_resultmgr"' +
    ' xmlns:res="http://cps.huawei.com/cpsinterface/response"><res:Header>' +
    '<res:Version>1.0</res:Version>' +
    `<res:OriginatorConversationID>${xmlEscape(originatorConversationId)}</res:OriginatorConversationID>` +
    `<res:ConversationID>${xmlEscape(conversationId ?? '')}</res:ConversationID>` +
    `</res:Header><res:Body><res:ResponseCode>${xmlEscape(responseCode)}</res:ResponseCode>` +
    `<res:ResponseDesc>${xmlEscape(description)}</res:ResponseDesc>` +
    '<res:ServiceStatus>0</res:ServiceStatus></res:Body></api:Response>' +
    '</soapenv:Body></soapenv:Envelope>';
  const headers = { 'content-type': 'text/xml; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers, body: xml };
}
