import { createHmac, randomInt, randomUUID } from 'node:crypto';
import { deskPage } from './desk.ts';
import { CardsRefunds, wrongRefundField } from './ethswitch-cards-refunds.ts';
import {
  acceptsCard,
  type CardsOrder,
  REGISTER_FIELDS,
  type Registered,
  statusReply,
  wrongFieldOf,
} from './ethswitch-cards-rules.ts';
import { Stage } from './stage.ts';
import {
  type CallbackVariant,
  CUSTOMER_ACTS,
  type CustomerAct,
  faulty,
  jsonReply,
  postCallback,
  type ReceivedCall,
  type Reply,
  refundPlanOf,
  type StandIn,
  StandInServer,
} from './stand-in.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const REST = '/epg/rest';
const PAGE = '/epg/merchants/kefel/payment_en.html?mdOrder=';

export interface CardsStandIn extends StandIn {
  readonly settings: Readonly<Record<string, string | boolean>>;
  /**
   * The URL that an operator registers for the account. Callbacks there have their parameters in the
   * query of a POST, those to an order's own URL in the body.
   */
  registeredCallbackUrl: string | null;
  /** The body of the next callback for an order. */
  callbackBody(orderId: string): string;
}

/** EthSwitch's card gateway, as BPC documents SmartVista's e-commerce interface. */
export async function startEthswitchCardsStandIn(port = 0): Promise<CardsStandIn> {
  const userName = `kefel-${randomUUID()}-api`;
  const password = randomUUID();
  const callbackSecret = randomUUID();
  const callbackToken = randomUUID();
  let registeredCallbackUrl: string | null = null;
  const stage = new Stage<CardsOrder>();
  const { book } = stage;
  const server = await StandInServer.start(handle, port);

  async function handle(call: ReceivedCall): Promise<Reply> {
    switch (call.url) {
      case `${REST}/register.do`:
        return call.method === 'POST' ? register(call) : notFound();
      case `${REST}/getOrderStatusExtended.do`:
        return call.method === 'POST' ? status(call) : notFound();
      case `${REST}/refund.do`:
        return call.method === 'POST' ? giveBack(call, 'refund') : notFound();
      case `${REST}/reverse.do`:
        return call.method === 'POST' ? giveBack(call, 'reverse') : notFound();
      default: {
        const order = book.all.find(
          ({ registered }) => call.url === `${PAGE}${registered.mdOrder}`,
        );
        return order === undefined ? notFound() : page(call, order);
      }
    }
  }

  /** The form; null when malformed, with a duplicate field or with wrong credentials. */
  function authenticForm({ headers, body }: ReceivedCall): ReadonlyMap<string, string> | null {
    const form = new URLSearchParams(body);
    const fields = new Map(form);
    const isForm = headers['content-type'] === FORM_TYPE && fields.size === [...form].length;
    const isKnown = fields.get('userName') === userName && fields.get('password') === password;
    return isForm && isKnown ? fields : null;
  }

  async function register(call: ReceivedCall): Promise<Reply> {
    const form = authenticForm(call);
    const field = (name: string) => form?.get(name) ?? '';
    if (form === null) {
      return problem(5, 'Access denied');
    }
    const missing = REGISTER_FIELDS.find((name) => field(name) === '');
    if (missing !== undefined) {
      return problem(4, `[${missing}] is empty`);
    }
    const wrong = wrongFieldOf(form);
    if (wrong !== null) {
      return problem(wrong === 'currency' ? 3 : 5, `[${wrong}] is invalid`);
    }
    const amountText = field('amount');
    const orderNumber = field('orderNumber');
    if (book.get(orderNumber) !== undefined) {
      return problem(1, 'Order number is duplicated');
    }
    const plan = stage.planOf(amountText);
    switch (plan.refuses) {
      case undefined:
        break;
      case 'misconfigured':
        return problem(5, 'Access denied');
      case 'unavailable':
        return problem(7, 'System error');
      default:
        throw new Error('The card gateway accepts orders before it knows the customer');
    }
    return faulty(plan.start, async () => {
      const order = cardsOrder(orderNumber, amountText, {
        mdOrder: randomUUID(),
        currency: field('currency'),
        description: field('description'),
        returnUrl: field('returnUrl'),
        failUrl: field('failUrl'),
        callbackUrl: form.get('dynamicCallbackUrl') ?? null,
        registeredAtMs: Date.now(),
        authRefNum: `7${randomInt(1e10, 9e10)}`,
        endsAtMs: Date.now() + Number(field('sessionTimeoutSecs')) * 1_000,
      });
      await stage.open(order, plan);
      const { mdOrder } = order.registered;
      return jsonReply(200, { orderId: mdOrder, formUrl: `${server.baseUrl}${PAGE}${mdOrder}` });
    });
  }

  async function status(call: ReceivedCall): Promise<Reply> {
    const form = authenticForm(call);
    if (form === null) {
      return problem(5, 'Access denied');
    }
    const names = [...form.keys()].sort().join();
    if (
      names !== 'language,orderId,password,userName' &&
      names !== 'language,orderNumber,password,userName'
    ) {
      return problem(1, 'Expected [orderId] or [orderNumber]');
    }
    const order = book.all.find(
      ({ orderId, registered }) =>
        orderId === form.get('orderNumber') || registered.mdOrder === form.get('orderId'),
    );
    if (order === undefined) {
      return problem(6, 'Unknown order id');
    }
    return faulty(stage.planOf(order.amountText).query, async () => statusReply(order));
  }

  async function giveBack(received: ReceivedCall, call: 'refund' | 'reverse'): Promise<Reply> {
    const form = authenticForm(received);
    if (form === null) {
      return problem(5, 'Access denied');
    }
    const wrong = wrongRefundField(form, call);
    if (wrong !== null) {
      return problem(5, `[${wrong}] is invalid`);
    }
    const order = book.all.find(({ registered }) => registered.mdOrder === form.get('orderId'));
    if (order === undefined) {
      return problem(6, 'Unknown order id');
    }
    const amountMinor = Number(form.get('amount') ?? order.amountText);
    const plan = refundPlanOf(stage.planOf(order.amountText), amountMinor);
    return faulty(plan.fault, async () => {
      const isPaid = order.acted === 'pays';
      const refused =
        call === 'refund'
          ? order.returned.refund(form, isPaid, plan)
          : order.returned.reverse(isPaid, plan);
      return refused === null
        ? jsonReply(200, { errorCode: '0', errorMessage: 'Success' })
        : problem(refused.code, refused.message);
    });
  }

  function cardsOrder(orderId: string, amountText: string, registered: Registered): CardsOrder {
    let acted: CustomerAct | null = null;
    const returned = new CardsRefunds(Number(amountText));
    return {
      orderId,
      amountText,
      phone: null,
      registered,
      returned,
      refunds: returned.all,
      get acted() {
        return acted;
      },
      async act(act, options) {
        if (!acceptsCard(this)) {
          throw new Error(`${orderId} already has an outcome`);
        }
        acted = act;
        return options?.silent === true || !this.reports(act) ? null : this.callback();
      },
      reports: (act) => act !== 'cancels' && registered.callbackUrl !== null,
      get callbackUrl() {
        if (registered.callbackUrl === null) {
          throw new Error('The gateway has sent no dynamicCallbackUrl');
        }
        return registered.callbackUrl;
      },
      async callback(variant = 'genuine', address) {
        const parameters = notice(this, variant);
        return address !== undefined && address === registeredCallbackUrl
          ? postCallback(`${address}?${parameters}`, FORM_TYPE, '')
          : postCallback(address ?? this.callbackUrl, FORM_TYPE, parameters);
      },
    };
  }

  /** All variants but the genuine one claim a payment. The vendor's checksum has sorted parameters. */
  function notice(order: CardsOrder, variant: CallbackVariant = 'genuine'): string {
    const isPaid = order.acted === 'pays' || variant !== 'genuine';
    const parameters: Record<string, string> = {
      amount: variant === 'wrong_amount' ? '1' : order.amountText,
      mdOrder: variant === 'other_order' ? randomUUID() : order.registered.mdOrder,
      operation: order.acted === 'times_out' ? 'declinedByTimeout' : 'deposited',
      orderNumber: variant === 'other_order' ? 'A'.repeat(20) : order.orderId,
      status: isPaid || order.acted === 'times_out' ? '1' : '0',
    };
    const secret = variant === 'forged' ? 'guessed' : callbackSecret;
    const signed = Object.entries(parameters).map(([name, value]) => `${name};${value};`);
    const checksum = createHmac('sha256', secret).update(signed.join('')).digest('hex');
    return variant === 'unreadable'
      ? 'mdOrde'
      : `${new URLSearchParams({ ...parameters, checksum: checksum.toUpperCase() })}`;
  }

  async function page(call: ReceivedCall, order: CardsOrder): Promise<Reply> {
    const { currency, failUrl, mdOrder, returnUrl } = order.registered;
    const isOpen = acceptsCard(order);
    if (call.method === 'GET') {
      const acts = isOpen ? CUSTOMER_ACTS : [];
      const amountText = `${order.amountText} minor units of currency ${currency}`;
      return deskPage('EthSwitch: card payment', [
        { orderId: order.orderId, amountText, phone: null, action: call.url, acts },
      ]);
    }
    const known = stage.pressed(call.body)?.act;
    if (call.method !== 'POST' || known === undefined || !isOpen) {
      return { type: 'answer', status: 400, body: 'The order is not open' };
    }
    await order.act(known, { silent: stage.planOf(order.amountText).callback === 'never' });
    const location = new URL(known === 'pays' ? returnUrl : failUrl);
    location.searchParams.set('orderId', mdOrder);
    return { type: 'answer', status: 303, headers: { location: location.href }, body: '' };
  }

  return {
    ...stage.standIn(server),
    railId: 'ethswitch-cards',
    settings: {
      gateway: 'cards',
      baseUrl: `${server.baseUrl}${REST}/`,
      userName,
      password,
      dynamicCallbackUrl: true,
      callbackToken,
    },
    get registeredCallbackUrl() {
      return registeredCallbackUrl;
    },
    set registeredCallbackUrl(url) {
      registeredCallbackUrl = url;
    },
    plan(amountText, plan) {
      if (plan.refund?.isSlow === true) {
        throw new Error('The card gateway refunds at once or not at all');
      }
      stage.plan(amountText, plan);
    },
    callbackBody(orderId) {
      const order = book.get(orderId);
      if (order === undefined) {
        throw new Error(`No order ${orderId}`);
      }
      return notice(order);
    },
  };
}

/** The gateway answers errors with HTTP 200. */
function problem(errorCode: number, errorMessage: string): Reply {
  return jsonReply(200, { errorCode: String(errorCode), errorMessage });
}

function notFound(): Reply {
  return { type: 'answer', status: 404, body: 'Not found' };
}
