import { randomBytes, randomInt } from 'node:crypto';
import { isNow } from './clock.ts';
import {
  ALREADY_CANCELED,
  DECLINED_STATE,
  EbirrOrder,
  GATEWAY_TIMEOUT,
  NO_CREDIT,
  NOT_AUTHORIZED,
  NOT_FOUND,
  refusal,
} from './ebirr-order.ts';
import {
  type WirePurchase,
  type WireRefund,
  type WireStatusQuery,
  wireRequest,
} from './ebirr-request.ts';
import { minorOf } from './shapes.ts';
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
    return { type: 'answer', status: 404, body: 'Not Found' };
  }

  async function asm({ headers, body }: ReceivedCall): Promise<Reply> {
    const request = wireRequest(body);
    if (headers['content-type'] !== 'application/json') {
      return { type: 'answer', status: 415, body: 'Unsupported Media Type' };
    }
    if (typeof request === 'string' || requestIds.has(request.requestId)) {
      return invalid(`RCS_INVALID_REQUEST (${request})`);
    }
    const { serviceParams } = request;
    const isKnown =
      serviceParams.merchantUid === credentials.merchantUid &&
      serviceParams.apiUserId === credentials.apiUserId &&
      serviceParams.apiKey === credentials.apiKey;
    if (!isKnown) {
      return jsonReply(200, refusal(NOT_AUTHORIZED));
    }
    switch (request.serviceName) {
      case 'API_PURCHASE':
        return purchase(request);
      case 'API_TRANSACTIONSTATUS':
        return status(request);
      default:
        return refund(request);
    }
  }

  async function status({ requestId, serviceParams }: WireStatusQuery): Promise<Reply> {
    requestIds.add(requestId);
    const order = orders.get(serviceParams.referenceId);
    return order === undefined
      ? jsonReply(200, { ...refusal(NOT_FOUND), params: [] })
      : faulty(stage.planOf(order.amountText).query, async () => order.status(requestId));
  }

  async function refund({ requestId, serviceParams }: WireRefund): Promise<Reply> {
    requestIds.add(requestId);
    const { transactionId, referenceId, amount } = serviceParams;
    const order = orders.all.find((known) => known.transactionId === transactionId);
    const amountText = order?.amountText ?? '';
    const returnedText = amount ?? amountText;
    const { fault, refuses } = refundPlanOf(stage.planOf(amountText), minorOf(returnedText));
    if (refuses === 'not_enabled') {
      return jsonReply(200, refusal(NOT_AUTHORIZED));
    }
    const isOther = referenceId !== undefined && referenceId !== order?.orderId;
    if (order === undefined || isOther || refuses === 'declines') {
      return jsonReply(200, { ...refusal(NOT_FOUND), params: [] });
    }
    if (refuses === 'lacks_funds') {
      return jsonReply(200, { ...refusal(NO_CREDIT), params: {} });
    }
    return faulty(fault, async () => {
      if (order.leftMinor < minorOf(returnedText)) {
        return jsonReply(200, { ...refusal(ALREADY_CANCELED), params: {} });
      }
      refunds += 1;
      return order.giveBack(requestId, String(3_000_000 + refunds), returnedText);
    });
  }

  async function purchase(request: WirePurchase): Promise<Reply> {
    const { referenceId, amount } = request.serviceParams.transactionInfo;
    const plan = stage.planOf(amount);
    if (plan.refuses === 'misconfigured') {
      return jsonReply(200, refusal(NOT_AUTHORIZED));
    }
    if (!isNow(request.timestamp, CLOCK_SKEW_MS_MAX)) {
      return invalid('RCS_INVALID_REQUEST (timestamp)');
    }
    if (orders.get(referenceId) !== undefined) {
      return invalid('RCS_DUPLICATE_REFERENCE');
    }
    return plan.refuses === 'unavailable'
      ? jsonReply(200, GATEWAY_TIMEOUT)
      : faulty(plan.start, () => prompt(request, plan));
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
