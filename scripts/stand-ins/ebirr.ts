import { randomBytes, randomInt } from 'node:crypto';
import {
  ALREADY_CANCELED,
  DECLINED_STATE,
  EbirrOrder,
  GATEWAY_TIMEOUT,
  minorOf,
  NO_CREDIT,
  NOT_AUTHORIZED,
  NOT_FOUND,
  refusal,
} from './ebirr-order.ts';
import {
  serviceNameOf,
  type WirePurchase,
  type WireRefund,
  type WireStatusQuery,
  wirePurchase,
  wireRefund,
  wireStatusQuery,
} from './ebirr-request.ts';
import { Stage } from './stage.ts';
import {
  faulty,
  jsonReply,
  type Plan,
  type ReceivedCall,
  type Reply,
  refundPlanOf,
  type StandIn,
  StandInServer,
} from './stand-in.ts';

/** How much eBirr's clock may differ from ours. */
const CLOCK_SKEW_MS_MAX = 10 * 60 * 1_000;

/**
 * A stand-in for eBirr: one endpoint that accepts purchases and holds each call open until the
 * customer has acted. Its page at `/` shows the prompts.
 */
export async function startEbirrStandIn(port = 0): Promise<StandIn> {
  const credentials = {
    merchantUid: `M${randomInt(1_000_000, 9_999_999)}`,
    apiUserId: String(randomInt(1_000_000, 9_999_999)),
    apiKey: `API-${randomBytes(12).toString('hex')}`,
  };
  const stage = new Stage<EbirrOrder>();
  const orders = stage.book;
  const requestIds = new Set<string>();
  let refunds = 0;

  async function handle(call: ReceivedCall): Promise<Reply> {
    if (`${call.method} ${call.url}` === 'POST /asm') {
      return asm(call);
    }
    const phones = await stage.phones('eBirr', call);
    return phones ?? { type: 'answer', status: 404, body: 'Not Found' };
  }

  async function asm(call: ReceivedCall): Promise<Reply> {
    switch (serviceNameOf(call.body)) {
      case 'API_TRANSACTIONSTATUS':
        return status(call);
      case 'API_CANCELPURCHASE':
      case 'API_REVERSAL':
      case 'API_REFUND':
        return refund(call);
      default:
        return purchase(call);
    }
  }

  function isKnown({ serviceParams }: WirePurchase | WireStatusQuery | WireRefund): boolean {
    return (
      serviceParams.merchantUid === credentials.merchantUid &&
      serviceParams.apiUserId === credentials.apiUserId &&
      serviceParams.apiKey === credentials.apiKey
    );
  }

  async function status(call: ReceivedCall): Promise<Reply> {
    const request = wireStatusQuery(call.body);
    if (typeof request === 'string' || requestIds.has(request.requestId)) {
      return invalid(`RCS_INVALID_REQUEST (${request})`);
    }
    requestIds.add(request.requestId);
    if (!isKnown(request)) {
      return jsonReply(200, refusal(NOT_AUTHORIZED));
    }
    const order = orders.get(request.serviceParams.referenceId);
    return order === undefined
      ? jsonReply(200, { ...Object(refusal(NOT_FOUND)), params: [] })
      : faulty(stage.planOf(order.amountText).query, async () => order.status(request.requestId));
  }

  async function refund(call: ReceivedCall): Promise<Reply> {
    const request = wireRefund(call.body);
    if (typeof request === 'string' || requestIds.has(request.requestId)) {
      return invalid(`RCS_INVALID_REQUEST (${request})`);
    }
    requestIds.add(request.requestId);
    const { transactionId, referenceId, amount } = request.serviceParams;
    const order = orders.all.find((known) => known.transactionId === transactionId);
    const amountText = order?.amountText ?? '';
    const returnedText = amount ?? amountText;
    const { fault, refuses } = refundPlanOf(stage.planOf(amountText), minorOf(returnedText));
    if (!isKnown(request) || refuses === 'not_enabled') {
      return jsonReply(200, refusal(NOT_AUTHORIZED));
    }
    const isOther = referenceId !== undefined && referenceId !== order?.orderId;
    if (order === undefined || isOther || refuses === 'declines') {
      return jsonReply(200, { ...Object(refusal(NOT_FOUND)), params: [] });
    }
    if (refuses === 'lacks_funds') {
      return jsonReply(200, { ...Object(refusal(NO_CREDIT)), params: {} });
    }
    return faulty(fault, async () => {
      if (order.leftMinor < minorOf(returnedText)) {
        return jsonReply(200, { ...Object(refusal(ALREADY_CANCELED)), params: {} });
      }
      refunds += 1;
      return order.giveBack(request.requestId, String(3_000_000 + refunds), returnedText);
    });
  }

  async function purchase(call: ReceivedCall): Promise<Reply> {
    if (call.headers['content-type'] !== 'application/json') {
      return { type: 'answer', status: 415, body: 'Unsupported Media Type' };
    }
    const request = wirePurchase(call.body);
    if (typeof request === 'string') {
      return invalid(`RCS_INVALID_REQUEST (${request})`);
    }
    const { serviceParams } = request;
    const { referenceId, amount } = serviceParams.transactionInfo;
    const plan = stage.planOf(amount);
    if (!isKnown(request) || plan.refuses === 'misconfigured') {
      return jsonReply(200, refusal(NOT_AUTHORIZED));
    }
    if (Math.abs(atMsOf(request.timestamp) - Date.now()) > CLOCK_SKEW_MS_MAX) {
      return invalid('RCS_INVALID_REQUEST (timestamp)');
    }
    if (requestIds.has(request.requestId) || orders.get(referenceId) !== undefined) {
      return invalid('RCS_DUPLICATE_REFERENCE');
    }
    if (plan.refuses === 'unavailable') {
      return jsonReply(200, GATEWAY_TIMEOUT);
    }
    return faulty(plan.start, () => prompt(request, plan));
  }

  /** Prompts the customer; replies once the customer has acted. */
  async function prompt(request: WirePurchase, plan: Plan): Promise<Reply> {
    requestIds.add(request.requestId);
    const order = new EbirrOrder(request, orders.all.length + 1);
    const { refuses } = plan;
    const isRefused =
      refuses !== undefined && refuses !== 'misconfigured' && refuses !== 'unavailable';
    await stage.open(order, isRefused ? { act: refuses, callback: 'never' } : plan);
    return order.answered;
  }

  const server = await StandInServer.start(handle, port);
  const offered = stage.standIn(server);
  return {
    ...offered,
    railId: 'ebirr',
    settings: { baseUrl: `${server.baseUrl}/asm`, ...credentials },
    statusQuery: { failedStates: [DECLINED_STATE] },
    refundSettings: { refundService: 'API_CANCELPURCHASE' },
    async stop() {
      for (const order of orders.all) {
        order.forget();
      }
      await offered.stop();
    },
  };
}

/** eBirr's codes for a bad request are not public; these are invented. */
function invalid(responseMsg: string): Reply {
  return jsonReply(200, refusal({ responseCode: '5002', errorCode: 'E10002', responseMsg }));
}

/** In East Africa Time. */
function atMsOf(timestamp: string): number {
  return Date.parse(`${timestamp.replace(' ', 'T')}+03:00`);
}
