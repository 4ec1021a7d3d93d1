import { randomBytes, randomInt } from 'node:crypto';
import { checkoutRequestId, DECLINED_STATE, MpesaOrder, statusResult } from './mpesa-order.ts';
import {
  passwordOf,
  readPush,
  readReversalRequest,
  readStatusRequest,
  tokenProblem,
} from './mpesa-request.ts';
import { MpesaReversal } from './mpesa-reversal.ts';
import { Stage } from './stage.ts';
import {
  faulty,
  jsonReply,
  type Plan,
  postCallback,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from './stand-in.ts';
import { Tokens } from './tokens.ts';

export type MpesaStandIn = Awaited<ReturnType<typeof startMpesaStandIn>>;

/** As in the sample answer. */
const TOKEN_LIFETIME_SECONDS = 3_599;

/**
 * M-PESA of Safaricom Ethiopia, as its SDKs describe its calls, with results as in Kenya. `port` 0:
 * any free one.
 */
export async function startMpesaStandIn(port = 0) {
  const account = {
    consumerKey: `key${randomBytes(12).toString('hex')}`,
    consumerSecret: `secret${randomBytes(12).toString('hex')}`,
    shortcode: String(randomInt(1_000, 1_000_000)),
    passkey: randomBytes(32).toString('hex'),
    transactionType: 'CustomerPayBillOnline',
    passwordForm: 'sha256_hex',
  };
  const initiator = {
    initiator: `operator${randomInt(1_000)}`,
    securityCredential: randomBytes(256).toString('base64'),
  };
  // 1500.00, 1500.0 and 1500 are the same amount.
  const stage = new Stage<MpesaOrder>({ keyOf: (amountText) => String(Number(amountText)) });
  const orders = stage.book;
  const reversals = new Map<string, MpesaReversal>();
  const tokens = new Tokens();
  let tokenReply: Reply | null = null;
  let lifetimeSeconds = TOKEN_LIFETIME_SECONDS;

  function token(call: ReceivedCall): Reply {
    const problem = tokenProblem(call, account);
    if (problem !== null) {
      return jsonReply(400, problem);
    }
    return jsonReply(200, {
      access_token: tokens.issue(randomBytes(14).toString('base64url'), lifetimeSeconds),
      token_type: 'Bearer',
      expires_in: String(lifetimeSeconds),
    });
  }

  /** Accepts a status query; its result follows, unless the query is planned to fail. */
  async function status(call: ReceivedCall): Promise<Reply> {
    const request = readStatusRequest(call, account, initiator);
    if (typeof request === 'string') {
      return apiError(400, '400.002.02', `Bad Request - Invalid ${request}`);
    }
    const order = orders.all.find(
      ({ checkoutRequestId: id }) => id === request.OriginalConcersationID,
    );
    const fault = order && stage.planOf(order.amountText).query;
    return faulty(fault, async () => {
      if (fault === undefined) {
        const body = JSON.stringify(statusResult(request, order));
        await stage.report('after_answer', () =>
          postCallback(request.ResultURL, 'application/json', body),
        );
      }
      const id = randomBytes(8).toString('hex');
      const text = 'Accept the service request successfully.';
      return jsonReply(200, acknowledgement(id, `AG_${id}`, '0', text));
    });
  }

  /** Accepts a reversal; its result follows, unless it is planned to be lost. */
  async function reverse(call: ReceivedCall): Promise<Reply> {
    const request = readReversalRequest(call, account, initiator);
    if (typeof request === 'string') {
      return apiError(400, '400.002.02', `Bad Request - Invalid ${request}`);
    }
    const paid = ({ receipt, acted }: MpesaOrder) =>
      receipt === request.TransactionID && acted === 'pays';
    const order = orders.all.find(paid);
    const plan = stage.planOf(order?.amountText ?? '').refund ?? {};
    if (plan.refuses === 'not_enabled') {
      return apiError(403, '403.001.01', 'Access Denied - Invalid Credentials');
    }
    return faulty(plan.fault, async () => {
      if (reversals.get(request.OriginatorConversationID) !== undefined) {
        return jsonReply(200, acknowledgement('', '', '15', 'Duplicate OriginatorConversationID'));
      }
      const reversal = new MpesaReversal(request, order, plan.refuses);
      reversals.set(request.OriginatorConversationID, reversal);
      order?.refunds.push(reversal);
      await stage.report(plan.report, () => reversal.report());
      const { reference, conversationId } = reversal;
      const text = 'Accept the service request successfully.';
      return jsonReply(200, acknowledgement(reference, conversationId, '0', text));
    });
  }

  async function push(call: ReceivedCall): Promise<Reply> {
    const request = readPush(call, account);
    if (typeof request === 'string') {
      return apiError(400, '400.002.02', `Bad Request - Invalid ${request}`);
    }
    const { MerchantRequestID: orderId, Password, Timestamp } = request;
    if (Password !== passwordOf(account, Timestamp)) {
      const text = 'Forbidden request as the provided Password is incorrect';
      return pushReply(orderId, 'SVC0403', text);
    }
    const plan = stage.planOf(request.amountText);
    if (plan.refuses !== undefined) {
      return refusal(orderId, plan.refuses);
    }
    return faulty(plan.start, async () => {
      if (orders.get(orderId) !== undefined) {
        return pushReply(orderId, '1', 'Duplicate MerchantRequestID');
      }
      const order = new MpesaOrder(request, orders);
      await stage.open(order, plan);
      return pushReply(orderId, '0', 'Request accepted for processing', order.checkoutRequestId);
    });
  }

  const calls: Readonly<Record<string, (call: ReceivedCall) => Promise<Reply>>> = {
    'POST /mpesa/stkpush/v3/processrequest': push,
    'POST /mpesa/transactionstatus/v1/query': status,
    'POST /mpesa/reversal/v2/request': reverse,
  };

  async function handle(call: ReceivedCall): Promise<Reply> {
    const address = `${call.method} ${new URL(call.url, 'http://rail').pathname}`;
    if (address === 'GET /v1/token/generate') {
      return tokenReply ?? token(call);
    }
    const play = calls[address];
    if (play !== undefined) {
      return tokens.admit(call.headers)
        ? play(call)
        : apiError(404, '404.001.03', 'Invalid Access Token');
    }
    return apiError(404, '404.001.01', 'Resource not found');
  }

  const server = await StandInServer.start(handle, port);
  return {
    ...stage.standIn(server),
    railId: 'stk-push',
    settings: { baseUrl: server.baseUrl, ...account },
    statusQuery: { ...initiator, failedStates: [DECLINED_STATE] },
    refundSettings: { refunds: initiator },
    /** Answers token requests with this reply; null restores the normal answer. */
    answerTokens: (reply: Reply | null) => {
      tokenReply = reply;
    },
    /** The lifetime of new tokens. */
    setTokenLifetime: (seconds: number) => {
      lifetimeSeconds = seconds;
    },
    /** Refuses all tokens issued so far, even if they have not expired. */
    revokeTokens: () => tokens.clear(),
  };
}

function refusal(orderId: string, refuses: NonNullable<Plan['refuses']>): Reply {
  switch (refuses) {
    case 'misconfigured':
      return apiError(403, '403.001.01', 'Access Denied - Invalid Credentials');
    case 'unavailable':
      return apiError(429, '429.001.01', 'Spike arrest violation');
    case 'declines':
      return pushReply(orderId, '1', 'Failed');
    default:
      return pushReply(orderId, '3007', 'Failed');
  }
}

function pushReply(orderId: string, code: string, text: string, checkoutId = ''): Reply {
  return jsonReply(200, {
    MerchantRequestID: `${orderId.slice(0, 5)}-${orderId.slice(5, 13)}-1`,
    CheckoutRequestID: checkoutId === '' ? checkoutRequestId('251700000000') : checkoutId,
    ResponseCode: code,
    ResponseDescription: text,
    CustomerMessage: text,
  });
}

/** The answer to a call whose result follows. */
function acknowledgement(originatorId: string, conversationId: string, code: string, text: string) {
  return {
    OriginatorConversationID: originatorId,
    ConversationID: conversationId,
    ResponseCode: code,
    ResponseDescription: text,
  };
}

function apiError(status: number, errorCode: string, errorMessage: string): Reply {
  return jsonReply(status, { requestId: randomBytes(8).toString('hex'), errorCode, errorMessage });
}
