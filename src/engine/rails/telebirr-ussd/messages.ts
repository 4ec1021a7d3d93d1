import type { CallbackReply } from '../callback.ts';
import { matching } from '../members.ts';
import { OK } from './codes.ts';
import { type XmlShape, xmlEscape, xmlTexts } from './xml.ts';

const HEADER: XmlShape = { OriginatorConversationID: 'text', ConversationID: 'text' };

const ACKNOWLEDGEMENT: XmlShape = {
  Envelope: {
    Body: {
      Response: { Header: HEADER, Body: { ResponseCode: 'text', ServiceStatus: 'text' } },
    },
  },
};

const RESULT: XmlShape = {
  Envelope: {
    Body: {
      Result: {
        Header: HEADER,
        Body: {
          ResultType: 'text',
          ResultCode: 'text',
          TransactionResult: { TransactionID: 'text' },
          QueryTransactionStatusResult: {
            TransactionStatus: 'text',
            ReceiptNumber: 'text',
            OriginalConversationID: 'text',
            Amount: 'text',
          },
        },
      },
    },
  },
};

/** An id of telebirr's that we store: `AG_20260131_70101ef1abddd338afdf`, `AJH40OGEZK`. */
const IDENTIFIER = /^[0-9A-Za-z_-]{1,64}$/;

/** Our id of a payment and telebirr's; all messages about it contain both. */
function conversationIn(texts: ReadonlyMap<string, string>) {
  return {
    /** Our reference; empty when telebirr omits it. */
    originatorConversationId: texts.get('OriginatorConversationID') ?? '',
    /** telebirr's id, `AG_…`; null when there is none. */
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

export type CpsResult = NonNullable<ReturnType<typeof readResult>>;

/**
 * Reads what telebirr posts after the customer has acted, or CPS's answer to a status query: about the
 * query, and within it about the payment. A payment's result has no amount and no signature. It
 * contains the customer's remaining balance (`DebitBalance`), which we never read. Null for anything
 * else.
 */
export function readResult(xml: string) {
  const texts = xmlTexts(xml, RESULT);
  const resultType = texts?.get('ResultType');
  const resultCode = texts?.get('ResultCode');
  return !texts || resultType === undefined || resultCode === undefined
    ? null
    : {
        ...conversationIn(texts),
        resultType,
        resultCode,
        /** telebirr's receipt number for a successful payment. */
        transactionId: matching(texts.get('TransactionID'), IDENTIFIER),
        /** The others are of a queried payment. */
        transactionStatus: texts.get('TransactionStatus') ?? null,
        receipt: matching(texts.get('ReceiptNumber'), IDENTIFIER),
        // Its own id and amount; the known answers contain neither.
        originalConversationId: texts.get('OriginalConversationID') ?? null,
        amount: texts.get('Amount') ?? null,
      };
}

/** The provider's code or state in a result, for the log and the operator. */
export function codeOf({ resultType, resultCode, transactionStatus }: CpsResult): string {
  if (resultType !== OK) {
    return `ResultType ${resultType}`;
  }
  return resultCode === OK ? (transactionStatus ?? OK) : resultCode;
}

/** The reply to a result that CPS posted; code `0` accepts it. */
export function resultReply(
  status: number,
  conversation: CpsResult | null,
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
