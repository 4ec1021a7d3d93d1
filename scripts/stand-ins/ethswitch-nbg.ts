import { randomUUID } from 'node:crypto';
import { BILLER_BIN, hasExactly, isJson, problemOf, recordIn } from './ethswitch-nbg-rules.ts';
import { type SentReport, Stage, StageOrder } from './stage.ts';
import {
  type CallbackVariant,
  type CustomerAct,
  faulty,
  jsonReply,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from './stand-in.ts';
import { Tokens } from './tokens.ts';

const TOKEN_LIFETIME_SECONDS = 300;
const ORDER_LIFETIME_MS = 24 * 60 * 60 * 1_000;
const CREATE_PATH = '/nbg/api/v1/payment/order/handle?action=order.create';

/** The order from `order.create`. */
interface OrderBody {
  readonly currency: string;
  readonly merchant_order_number: string;
  readonly success_url: string;
  readonly cancel_url: string;
  readonly callback_url: string;
}

class NbgOrder extends StageOrder {
  override readonly receipt = null;
  readonly hppToken = randomUUID();
  readonly body: OrderBody;
  readonly isLowerCaseWithFee: boolean;

  constructor(amountText: string, body: OrderBody, isLowerCaseWithFee: boolean) {
    super(body.merchant_order_number, amountText);
    this.body = body;
    this.isLowerCaseWithFee = isLowerCaseWithFee;
  }

  override get callbackUrl(): string {
    return this.body.callback_url;
  }

  /** NBG sends a customer who leaves the page back, without a callback. */
  override reports(act: CustomerAct): boolean {
    return act !== 'cancels' && act !== 'times_out';
  }

  override reportOf(variant: CallbackVariant): SentReport {
    return { body: callbackOf(this, variant) };
  }
}

export type NbgStandIn = Awaited<ReturnType<typeof startNbgStandIn>>;

export interface NbgOptions {
  /** States in lower case, and a total that includes a fee of NBG's. */
  readonly isLowerCaseWithFee?: boolean;
}

/** What NBG takes from the customer on top. */
const FEE_MINOR = 250;

/** EthSwitch's National Billing Gateway, as its published API collection shows it. */
export async function startNbgStandIn(port = 0, { isLowerCaseWithFee = false }: NbgOptions = {}) {
  const username = `kefel-${randomUUID()}@example.et`;
  const password = randomUUID();
  const tokens = new Tokens();
  const stage = new Stage<NbgOrder>({ knowsNoCustomer: true });
  const { book } = stage;
  const server = await StandInServer.start(handle, port);

  async function handle(call: ReceivedCall): Promise<Reply> {
    if (call.url === '/user/auth/login') {
      return login(call);
    }
    if (call.url === CREATE_PATH) {
      return create(call);
    }
    const hppToken = /^\/nbg\/pay\/([0-9a-f-]{36})$/.exec(call.url)?.[1];
    const order = book.all.find((candidate) => candidate.hppToken === hppToken);
    return order === undefined
      ? failure(404, 'Not found')
      : stage.page(call, order, {
          title: 'EthSwitch: National Billing Gateway',
          acts: ['pays', 'declines', 'cancels'],
          after: (act) => (act === 'pays' ? order.body.success_url : order.body.cancel_url),
        });
  }

  function login({ method, headers, body }: ReceivedCall): Reply {
    const sent = method === 'POST' && isJson(headers) ? recordIn(body) : null;
    if (sent === null || !hasExactly(sent, ['username', 'password'])) {
      return failure(400, 'Malformed login request');
    }
    if (sent.username !== username || sent.password !== password) {
      return failure(401, 'Bad credentials');
    }
    const token = tokens.issue(`${randomUUID()}.${randomUUID()}`, TOKEN_LIFETIME_SECONDS);
    return jsonReply(200, { access_token: token, expires_in: TOKEN_LIFETIME_SECONDS });
  }

  async function create(call: ReceivedCall): Promise<Reply> {
    if (call.method !== 'POST' || !tokens.admit(call.headers)) {
      return failure(401, 'Unauthorized');
    }
    const problem = problemOf(call);
    if (problem !== null) {
      return failure(400, problem);
    }
    const body = JSON.parse(call.body) as OrderBody;
    const orderId = body.merchant_order_number;
    if (book.get(orderId) !== undefined) {
      return failure(409, 'Duplicate merchant order number');
    }
    const amountText = /"amount":([\d.]+)/.exec(call.body)?.[1] ?? '';
    const plan = stage.planOf(amountText);
    if (plan.refuses !== undefined) {
      return plan.refuses === 'misconfigured'
        ? failure(403, 'Biller is not active')
        : jsonReply(429, { message: 'API rate limit exceeded' });
    }
    return faulty(plan.start, async () => {
      const order = new NbgOrder(amountText, body, isLowerCaseWithFee);
      await stage.open(order, plan);
      return jsonReply(201, {
        order_reference: randomUUID(),
        hpp_url: `${server.baseUrl}/nbg/pay/${order.hppToken}`,
        expires_at: new Date(Date.now() + ORDER_LIFETIME_MS).toISOString(),
        biller_name: 'Kefel',
        merchant_order_number: orderId,
        hpp_token: order.hppToken,
        amount: Number(amountText),
        currency: 'ETB',
      });
    });
  }

  return {
    ...stage.standIn(server),
    railId: 'ethswitch-nbg',
    settings: {
      gateway: 'nbg',
      baseUrl: server.baseUrl,
      username,
      password,
      billerBin: BILLER_BIN,
      // Where this stand-in calls from; production accepts no empty list.
      callbackAddresses: ['127.0.0.1', '::1'],
    },
    /** Invalidates all tokens, as after a restart. */
    expireTokens: () => tokens.clear(),
    /** The body of the next callback for an order; `brief`: only the outer members. */
    callbackBody(orderId: string, options?: { readonly brief?: boolean }) {
      return notice(book.known(orderId), options?.brief === true ? { data: undefined } : {});
    },
  };
}

function callbackOf(order: NbgOrder, variant: CallbackVariant): string {
  switch (variant) {
    case 'genuine':
      return notice(order);
    case 'forged':
      return notice(order, {}, { biller: { billerIdentificationNumber: 'OTHRETAA' } });
    case 'wrong_amount':
      return notice(order, {}, { bill_info: billInfo(order, '1.0000') });
    case 'other_order':
      return notice(order, {}, { request_id: 'A'.repeat(20) });
    case 'unreadable':
      return notice(order).slice(0, 100);
  }
}

/** NBG's callbacks have amounts with four decimals, which `JSON.stringify` cannot write. */
function billInfo(order: NbgOrder, amountText: string): Readonly<Record<string, unknown>> {
  return {
    billId: order.orderId,
    billType: 'BILL',
    currency: order.body.currency,
    amountDue: `#${amountText}#`,
    // EthSwitch's own sample of a payment still says QUERIED.
    status: 'QUERIED',
    billNumber: order.orderId,
    lineItems: null,
    ...(order.isLowerCaseWithFee
      ? { fee: `#${fourDecimals(FEE_MINOR)}#`, totalAmount: `#${withFee(amountText)}#` }
      : { totalAmount: `#${amountText}#` }),
    remark: null,
  };
}

function withFee(amountText: string): string {
  return fourDecimals(Math.round(Number(amountText) * 100) + FEE_MINOR);
}

function fourDecimals(amountMinor: number): string {
  return (amountMinor / 100).toFixed(4);
}

/** The payment completion callback; all variants but the genuine one claim a payment. */
function notice(order: NbgOrder, outer: object = {}, inner: object = {}): string {
  const isClaim = Object.keys(inner).length > 0;
  const isPaid = isClaim || order.acted === 'pays';
  const upper = isPaid ? 'PAID' : 'FAILED';
  const status = order.isLowerCaseWithFee ? upper.toLowerCase() : upper;
  const body = {
    status,
    current_status: status,
    message: isPaid ? 'Payment successfully processed' : 'Payment failed',
    errors: null,
    timestamp: new Date().toISOString(),
    correlation_id: `corr-${randomUUID()}`,
    transaction_id: isPaid ? `PAY${order.hppToken.slice(0, 8).toUpperCase()}` : null,
    http_status: 200,
    content_type: 'application/json',
    data: {
      bill_payment_request_id: randomUUID(),
      request_id: order.orderId,
      transaction_type: 'PAYMENT',
      channel: 'WEB',
      current_status: status,
      payer: { payerId: randomUUID(), payerName: 'Almaz', accountNumber: null },
      biller: { billerIdentificationNumber: BILLER_BIN, billerName: 'Kefel', branchCode: 'AA01' },
      bill_info: billInfo(order, `${order.amountText}00`),
      ...inner,
    },
    ...outer,
  };
  return JSON.stringify(body).replaceAll(/"#([\d.]+)#"/g, '$1');
}

/** NBG's envelope; its messages for errors are not public. */
function failure(httpStatus: number, message: string): Reply {
  return jsonReply(httpStatus, {
    status: 'error',
    message,
    errors: [message],
    timestamp: new Date().toISOString(),
    correlation_id: `corr-${randomUUID()}`,
    http_status: httpStatus,
    content_type: 'application/json',
  });
}
