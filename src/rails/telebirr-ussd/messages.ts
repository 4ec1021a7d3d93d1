import type { CallbackReply } from '../callback.ts';
import { type XmlShape, xmlEscape, xmlTexts } from './xml.ts';

/** Our id of a payment and telebirr's; all messages about it contain both. */
export interface Conversation {
  /** Our reference; empty when telebirr omits it. */
  readonly originatorConversationId: string;
  /** telebirr's id, `AG_…`; null when there is none. */
  readonly conversationId: string | null;
}

/** telebirr's answer to a request: whether it accepts the request, not whether it was paid. */
export interface Acknowledgement extends Conversation {
  readonly responseCode: string;
  readonly serviceStatus: string;
}

/**
 * What telebirr posts after the customer has acted. It has no amount and no signature. It contains
 * the customer's remaining balance (`DebitBalance`), which we never read.
 */
export interface PaymentResult extends Conversation {
  readonly resultType: string;
  readonly resultCode: string;
  /** telebirr's receipt number for a successful payment. */
  readonly transactionId: string | null;
}

/** CPS's answer to a status query: about the query, and within it about the payment. */
export interface StatusResult extends Conversation {
  readonly resultType: string;
  readonly resultCode: string;
  readonly transactionStatus: string | null;
  readonly receipt: string | null;
  /** The payment's own id and amount; the known answers contain neither. */
  readonly originalConversationId: string | null;
  readonly amount: string | null;
}

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

/** Parses an acknowledgement; null for anything else. */
export function readAcknowledgement(xml: string): Acknowledgement | null {
  const texts = xmlTexts(xml, ACKNOWLEDGEMENT);
  const responseCode = texts?.get('ResponseCode');
  const serviceStatus = texts?.get('ServiceStatus');
  if (!texts || responseCode === undefined || serviceStatus === undefined) {
    return null;
  }
  return { ...conversationIn(texts), responseCode, serviceStatus };
}

/** Parses a result; null for anything else. */
export function readResult(xml: string): PaymentResult | null {
  const texts = xmlTexts(xml, RESULT);
  const resultType = texts?.get('ResultType');
  const resultCode = texts?.get('ResultCode');
  if (!texts || resultType === undefined || resultCode === undefined) {
    return null;
  }
  const transactionId = identifierOf(texts.get('TransactionID'));
  return { ...conversationIn(texts), resultType, resultCode, transactionId };
}

/** Parses the answer to a status query; null for anything else. */
export function readStatusResult(xml: string): StatusResult | null {
  const texts = xmlTexts(xml, STATUS_RESULT);
  const resultType = texts?.get('ResultType');
  const resultCode = texts?.get('ResultCode');
  if (!texts || resultType === undefined || resultCode === undefined) {
    return null;
  }
  return {
    ...conversationIn(texts),
    resultType,
    resultCode,
    transactionStatus: texts.get('TransactionStatus') ?? null,
    receipt: identifierOf(texts.get('ReceiptNumber')),
    originalConversationId: texts.get('OriginalConversationID') ?? null,
    amount: texts.get('Amount') ?? null,
  };
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

function conversationIn(texts: ReadonlyMap<string, string>): Conversation {
  return {
    originatorConversationId: texts.get('OriginatorConversationID') ?? '',
    conversationId: identifierOf(texts.get('ConversationID')),
  };
}

function identifierOf(text: string | undefined): string | null {
  return text !== undefined && IDENTIFIER.test(text) ? text : null;
}
