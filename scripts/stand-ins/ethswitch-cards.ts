import { createHmac, randomInt, randomUUID } from 'node:crypto';
import { CardsRefunds, RETURN_FORMS } from './ethswitch-cards-refunds.ts';
import {
  acceptsCard,
  REGISTER_FORM,
  type Registered,
  statusReply,
} from './ethswitch-cards-rules.ts';
import { faultOf } from './shapes.ts';
import { type SentReport, Stage, StageOrder } from './stage.ts';
import {
  type CallbackVariant,
  type CustomerAct,
  faulty,
  jsonReply,
  postCallback,
  type ReceivedCall,
  type Reply,
  refundPlanOf,
  type StandInRefund,
  StandInServer,
} from './stand-in.ts';

type Fields = Readonly<Record<string, string>>;

const FORM_TYPE = 'application/x-www-form-urlencoded';
const REST = '/epg/rest';
const PAGE = '/epg/merchants/kefel/payment_en.html?mdOrder=';

export type CardsStandIn = Awaited<ReturnType<typeof startEthswitchCardsStandIn>>;

/** EthSwitch's card gateway, as BPC documents SmartVista's e-commerce interface. */
export async function startEthswitchCardsStandIn(port = 0) {
  const userName = `kefel-${randomUUID()}-api`;
  const password = randomUUID();
  const account: Account = { registeredCallbackUrl: null, callbackSecret: randomUUID() };
  const stage = new Stage<CardsOrder>({ knowsNoCustomer: true, refundsAtOnce: true });
  const { book } = stage;
  const calls: Readonly<Record<string, (form: Fields) => Promise<Reply>>> = {
    [`${REST}/register.do`]: register,
    [`${REST}/getOrderStatusExtended.do`]: status,
    [`${REST}/refund.do`]: (form) => giveBack(form, 'refund'),
    [`${REST}/reverse.do`]: (form) => giveBack(form, 'reverse'),
  };
  const server = await StandInServer.start(handle, port);

  async function handle(call: ReceivedCall): Promise<Reply> {
    const order = book.all.find(({ registered }) => call.url === `${PAGE}${registered.mdOrder}`);
    if (order !== undefined) {
      const { currency, failUrl, mdOrder, returnUrl } = order.registered;
      return stage.page(call, order, {
        title: 'EthSwitch: card payment',
        amountText: `${order.amountText} minor units of currency ${currency}`,
        after(act) {
          const location = new URL(act === 'pays' ? returnUrl : failUrl);
          location.searchParams.set('orderId', mdOrder);
          return location.href;
        },
      });
    }
    const form = authenticForm(call);
    const play = call.method === 'POST' && calls[call.url];
    if (!play) {
      return { type: 'answer', status: 404, body: 'Not found' };
    }
    return form === null ? problem(5, 'Access denied') : play(form);
  }

  /** The form; null when malformed, with a duplicate field or with wrong credentials. */
  function authenticForm({ headers, body }: ReceivedCall): Fields | null {
    const form = new URLSearchParams(body);
    const fields = Object.fromEntries(form);
    const isForm =
      headers['content-type'] === FORM_TYPE && Object.keys(fields).length === [...form].length;
    const isKnown = fields.userName === userName && fields.password === password;
    return isForm && isKnown ? fields : null;
  }

  async function register(form: Fields): Promise<Reply> {
    const { orderNumber = '', amount: amountText = '' } = form;
    const wrong = faultOf(form, REGISTER_FORM);
    if (wrong !== null) {
      const code = (form[wrong] ?? '') === '' ? 4 : wrong === 'currency' ? 3 : 5;
      return problem(code, `[${wrong}] is ${code === 4 ? 'empty' : 'invalid'}`);
    }
    if (book.get(orderNumber) !== undefined) {
      return problem(1, 'Order number is duplicated');
    }
    const plan = stage.planOf(amountText);
    if (plan.refuses !== undefined) {
      return plan.refuses === 'misconfigured'
        ? problem(5, 'Access denied')
        : problem(7, 'System error');
    }
    return faulty(plan.start, async () => {
      const order = new CardsOrder(orderNumber, amountText, account, {
        mdOrder: randomUUID(),
        currency: form.currency ?? '',
        description: form.description ?? '',
        returnUrl: form.returnUrl ?? '',
        failUrl: form.failUrl ?? '',
        callbackUrl: form.dynamicCallbackUrl ?? null,
        registeredAtMs: Date.now(),
        authRefNum: `7${randomInt(1e10, 9e10)}`,
        endsAtMs: Date.now() + Number(form.sessionTimeoutSecs) * 1_000,
      });
      await stage.open(order, plan);
      const { mdOrder } = order.registered;
      return jsonReply(200, { orderId: mdOrder, formUrl: `${server.baseUrl}${PAGE}${mdOrder}` });
    });
  }

  async function status(form: Fields): Promise<Reply> {
    const names = Object.keys(form).sort().join();
    if (
      names !== 'language,orderId,password,userName' &&
      names !== 'language,orderNumber,password,userName'
    ) {
      return problem(1, 'Expected [orderId] or [orderNumber]');
    }
    const order = book.all.find(
      ({ orderId, registered }) =>
        orderId === form.orderNumber || registered.mdOrder === form.orderId,
    );
    if (order === undefined) {
      return problem(6, 'Unknown order id');
    }
    return faulty(stage.planOf(order.amountText).query, async () => statusReply(order));
  }

  async function giveBack(form: Fields, call: 'refund' | 'reverse'): Promise<Reply> {
    const wrong = faultOf(form, RETURN_FORMS[call]);
    if (wrong !== null) {
      return problem(5, `[${wrong}] is invalid`);
    }
    const order = book.all.find(({ registered }) => registered.mdOrder === form.orderId);
    if (order === undefined) {
      return problem(6, 'Unknown order id');
    }
    const amountMinor = Number(form.amount ?? order.amountText);
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

  return Object.assign(account, {
    ...stage.standIn(server),
    railId: 'ethswitch-cards',
    settings: {
      gateway: 'cards',
      baseUrl: `${server.baseUrl}${REST}/`,
      userName,
      password,
      dynamicCallbackUrl: true,
      callbackToken: randomUUID(),
    },
    /** The body of the next callback for an order. */
    callbackBody: (orderId: string) => book.known(orderId).reportOf('genuine').body,
  });
}

/** What the bank knows of the merchant. */
interface Account {
  /**
   * The URL that an operator registers for the account. Callbacks there have their parameters in the
   * query of a POST, those to an order's own URL in the body.
   */
  registeredCallbackUrl: string | null;
  readonly callbackSecret: string;
}

export class CardsOrder extends StageOrder {
  readonly registered: Registered;
  readonly returned: CardsRefunds;
  override readonly refunds: readonly StandInRefund[];
  readonly #account: Account;

  constructor(orderId: string, amountText: string, account: Account, registered: Registered) {
    super(orderId, amountText);
    this.registered = registered;
    this.returned = new CardsRefunds(Number(amountText));
    this.refunds = this.returned.all;
    this.#account = account;
  }

  override get receipt(): string {
    return this.registered.authRefNum;
  }

  override minorOf(amountText: string): number {
    return Number(amountText);
  }

  override get isOpen(): boolean {
    return acceptsCard(this);
  }

  override reports(act: CustomerAct): boolean {
    return act !== 'cancels' && this.registered.callbackUrl !== null;
  }

  override get callbackUrl(): string {
    if (this.registered.callbackUrl === null) {
      throw new Error('The gateway has sent no dynamicCallbackUrl');
    }
    return this.registered.callbackUrl;
  }

  /** At the account's address, the parameters are in the query. */
  override async callback(variant: CallbackVariant = 'genuine', address = this.callbackUrl) {
    return address === this.#account.registeredCallbackUrl
      ? postCallback(`${address}?${this.reportOf(variant).body}`, FORM_TYPE, '')
      : super.callback(variant, address);
  }

  /** The vendor's checksum has sorted parameters. */
  override reportOf(variant: CallbackVariant): SentReport {
    const isOther = variant === 'other_order';
    const isPaid = this.acted === 'pays' || variant !== 'genuine';
    const isOver = this.acted === 'times_out';
    const parameters = {
      amount: variant === 'wrong_amount' ? '1' : this.amountText,
      mdOrder: isOther ? randomUUID() : this.registered.mdOrder,
      operation: isOver ? 'declinedByTimeout' : 'deposited',
      orderNumber: isOther ? 'A'.repeat(20) : this.orderId,
      status: isPaid || isOver ? '1' : '0',
    };
    const secret = variant === 'forged' ? 'guessed' : this.#account.callbackSecret;
    const signed = Object.entries(parameters).map(([name, value]) => `${name};${value};`);
    const checksum = createHmac('sha256', secret).update(signed.join('')).digest('hex');
    const body = `${new URLSearchParams({ ...parameters, checksum: checksum.toUpperCase() })}`;
    return { contentType: FORM_TYPE, body: variant === 'unreadable' ? 'mdOrde' : body };
  }
}

/** The gateway answers errors with HTTP 200. */
function problem(errorCode: number, errorMessage: string): Reply {
  return jsonReply(200, { errorCode: String(errorCode), errorMessage });
}
