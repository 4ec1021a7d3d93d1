import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { addisDigits } from './clock.ts';
import { deskPage } from './desk.ts';
import { minorOf } from './shapes.ts';
import { Stage } from './stage.ts';
import {
  type Fault,
  faulty,
  jsonReply,
  type Plan,
  type ReceivedCall,
  type Reply,
  refundPlanOf,
  StandInServer,
} from './stand-in.ts';
import { type NotificationForm, TelebirrOrder } from './telebirr-h5-order.ts';
import {
  APP_ORDER_RULES,
  bareBase64,
  CODE_CREDENTIALS,
  CODE_DUPLICATE,
  CODE_NO_ORDER,
  checkHeaders,
  checkMessage,
  checkPage,
  checkRawRequest,
  type KeyPair,
  NOT_SUBSCRIBED,
  PRE_ORDER_RULES,
  QUERY_RULES,
  QUOTA_REFUSED,
  REFUND_RULES,
  Refusal,
  rsaKeyPair,
  rsaSign,
  type Scheme,
  SIGN_REFUSED,
  signedText,
  type Texts,
  tradeTypeOf,
} from './telebirr-h5-wire.ts';
import { Tokens } from './tokens.ts';

const GATEWAY = '/apiaccess/payment/gateway';
const PAGE = '/payment/web/paygate';
/** In place of telebirr's app, which no browser has. */
const APP = '/app';
/** The two addresses of `createOrder` in the documentation. */
export const CREATE_ORDER = {
  table: `${GATEWAY}/payment/v1/inapp/createOrder`,
  sample: `${GATEWAY}/payment/v1/merchant/inapp/createOrder`,
};

export type TelebirrH5StandIn = Awaited<ReturnType<typeof startTelebirrH5StandIn>>;

export interface Behavior {
  /** The padding that merchants' signatures must have. */
  requiredScheme: Scheme;
  readonly notification: NotificationForm;
  /** Lifetime of new tokens. */
  tokenLifetimeSeconds: number;
  /** Whether it signs the answer about an unknown order, and with whose key. */
  unknownOrder: 'unsigned' | 'signed' | 'signed_by_another';
  /** Where `createOrder` is. */
  createOrder: keyof typeof CREATE_ORDER;
  /** What it answers: the documentation's example has no `prepay_id`, and a client saw no code. */
  appAnswer: 'whole' | 'without_prepay_id' | 'without_receive_code';
  /** Whether the account is subscribed to paying in the app. */
  isSubscribed: boolean;
  /** Fault of every token request while this is set. */
  token: Fault | 'quota' | undefined;
}

/** What telebirr's SDK gets from a merchant's app, or its JavaScript interface from a mini app. */
export type AppOpening =
  | Readonly<Record<'appId' | 'shortCode' | 'receiveCode', string>>
  | Readonly<Record<'rawRequest', string>>;

type Credentials = Readonly<
  Record<'fabricAppId' | 'appSecret' | 'merchantAppId' | 'merchantCode', string>
>;

/**
 * A stand-in for telebirr's H5 web payment: the API, the payment page and notifications. `port` 0:
 * any free one.
 */
export async function startTelebirrH5StandIn(port = 0) {
  const credentials: Credentials = {
    fabricAppId: randomUUID(),
    appSecret: randomBytes(16).toString('hex'),
    merchantAppId: String(randomInt(1e11, 9e11)).padEnd(16, '1'),
    merchantCode: String(randomInt(100_000, 999_999)),
  };
  const telebirr = new Telebirr(credentials);
  const server = await StandInServer.start((call) => telebirr.answer(call), port);
  return {
    ...telebirr.stage.standIn(server),
    railId: 'telebirr-h5',
    settings: {
      ...credentials,
      apiBaseUrl: `${server.baseUrl}${GATEWAY}`,
      webPageUrl: `${server.baseUrl}${PAGE}`,
      merchantPrivateKey: bareBase64(telebirr.merchant.privateKey),
      telebirrPublicKey: bareBase64(telebirr.platform.publicKey),
    },
    /** What telebirr does for all orders. */
    behavior: telebirr.behavior,
    /** A page that stands for the app, opened by a merchant's app or by a mini app. */
    appUrl: (opening: AppOpening) =>
      `${server.baseUrl}${APP}?${new URLSearchParams({ ...opening })}`,
    /** Invalidates all tokens, as after a restart of telebirr. */
    dropTokens: () => telebirr.tokens.clear(),
  };
}

class Telebirr {
  readonly merchant = rsaKeyPair();
  readonly platform = rsaKeyPair();
  /** Keys of an attacker, not of telebirr. */
  readonly attackerKeys: KeyPair = rsaKeyPair();
  readonly stage = new Stage<TelebirrOrder>({ knowsNoCustomer: true });
  readonly tokens = new Tokens();
  readonly behavior: Behavior = {
    requiredScheme: 'pss32',
    notification: { scheme: 'pss32', keepsEmpties: false, as: 'json', transIdAs: 'transId' },
    tokenLifetimeSeconds: 3_600,
    unknownOrder: 'unsigned',
    createOrder: 'table',
    appAnswer: 'whole',
    isSubscribed: true,
    token: undefined,
  };
  readonly #credentials: Credentials;
  readonly #nonces = new Set<string>();

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  async answer(call: ReceivedCall): Promise<Reply> {
    try {
      return await this.#routed(call);
    } catch (error) {
      if (error instanceof Refusal) {
        return error.reply;
      }
      throw error;
    }
  }

  async #routed(call: ReceivedCall): Promise<Reply> {
    const url = new URL(call.url, 'http://stand-in');
    switch (`${call.method} ${url.pathname}`) {
      case `POST ${GATEWAY}/payment/v1/token`:
        return this.#token(call);
      case `POST ${GATEWAY}/payment/v1/merchant/preOrder`:
        return this.#preOrder(call);
      case `POST ${CREATE_ORDER[this.behavior.createOrder]}`:
        return this.#createOrder(call);
      case `POST ${GATEWAY}/payment/v1/merchant/queryOrder`:
        return this.#queryOrder(call);
      case `POST ${GATEWAY}/payment/v1/merchant/refund`:
        return this.#refund(call);
      case `GET ${PAGE}`:
        return this.#page(call, this.#signedOrder(url.searchParams));
      case `GET ${APP}`:
        return this.#page(call, this.#openedOrder(url.searchParams));
      case `POST ${PAGE}/act`:
        return this.#page(call, this.stage.pressed(call.body)?.order);
      default:
        throw new Refusal(404, '49401026001', 'API not found.');
    }
  }

  async #token(call: ReceivedCall): Promise<Reply> {
    checkHeaders(call);
    if (this.behavior.token === 'quota') {
      throw QUOTA_REFUSED();
    }
    const { appSecret, fabricAppId } = this.#credentials;
    return faulty(this.behavior.token, async () => {
      const isKnown =
        call.headers['x-app-key'] === fabricAppId && call.body === JSON.stringify({ appSecret });
      if (!isKnown) {
        throw new Refusal(401, CODE_CREDENTIALS, 'The app secret is wrong.');
      }
      const { tokenLifetimeSeconds } = this.behavior;
      const token = this.tokens.issue(randomBytes(16).toString('hex'), tokenLifetimeSeconds);
      return jsonReply(200, {
        effectiveDate: addisDigits(Date.now()),
        expirationDate: addisDigits(Date.now() + tokenLifetimeSeconds * 1_000),
        token: `Bearer ${token}`,
      });
    });
  }

  async #preOrder(call: ReceivedCall): Promise<Reply> {
    const isInApp = tradeTypeOf(call) === 'InApp';
    return this.#order(call, isInApp ? APP_ORDER_RULES : PRE_ORDER_RULES, (order) => ({
      merch_order_id: order.orderId,
      prepay_id: order.prepayId,
    }));
  }

  async #createOrder(call: ReceivedCall): Promise<Reply> {
    const { appAnswer } = this.behavior;
    return this.#order(call, APP_ORDER_RULES, ({ orderId, prepayId, receiveCode }) => ({
      merch_order_id: orderId,
      ...(appAnswer !== 'without_prepay_id' && { prepay_id: prepayId }),
      ...(appAnswer !== 'without_receive_code' && { receiveCode }),
    }));
  }

  /** `shown`: `biz_content` of the answer. */
  async #order(
    call: ReceivedCall,
    rules: typeof PRE_ORDER_RULES,
    shown: (order: TelebirrOrder) => Texts,
  ): Promise<Reply> {
    const content = this.#checked(call, 'payment.preorder', rules);
    if (content.trade_type === 'InApp' && !this.behavior.isSubscribed) {
      throw NOT_SUBSCRIBED();
    }
    const plan = this.stage.planOf(content.total_amount ?? '');
    if (plan.refuses !== undefined) {
      throw plan.refuses === 'misconfigured' ? SIGN_REFUSED() : QUOTA_REFUSED();
    }
    return faulty(plan.start, async () => this.#success(shown(await this.#accept(content, plan))));
  }

  async #accept(content: Texts, plan: Plan): Promise<TelebirrOrder> {
    if (this.stage.book.get(content.merch_order_id ?? '') !== undefined) {
      throw new Refusal(400, CODE_DUPLICATE, 'The merchant order id is taken.');
    }
    const { notification } = this.behavior;
    const order = new TelebirrOrder(content, this.platform, this.attackerKeys, notification);
    await this.stage.open(order, plan);
    return order;
  }

  async #queryOrder(call: ReceivedCall): Promise<Reply> {
    const content = this.#checked(call, 'payment.queryorder', QUERY_RULES);
    if (
      this.behavior.unknownOrder !== 'unsigned' &&
      !this.stage.book.get(content.merch_order_id ?? '')
    ) {
      const keys = this.behavior.unknownOrder === 'signed' ? this.platform : this.attackerKeys;
      const answer = { result: 'FAIL', code: CODE_NO_ORDER, msg: 'The order does not exist.' };
      const sign = rsaSign(signedText(answer), keys.privateKey, 'pss32');
      return jsonReply(200, { ...answer, sign, sign_type: 'SHA256WithRSA' });
    }
    const order = this.#known(content);
    const fault = this.stage.planOf(order.amountText).query;
    return faulty(fault, async () => this.#success(order.status()));
  }

  async #refund(call: ReceivedCall): Promise<Reply> {
    const content = this.#checked(call, 'payment.refund', REFUND_RULES);
    const order = this.#known(content);
    const amountMinor = minorOf(content.actual_amount ?? '');
    const plan = refundPlanOf(this.stage.planOf(order.amountText), amountMinor);
    return faulty(plan.fault, async () => this.#success(order.refund(content, plan)));
  }

  #known({ merch_order_id = '' }: Texts): TelebirrOrder {
    const order = this.stage.book.get(merch_order_id);
    if (order === undefined) {
      throw new Refusal(400, CODE_NO_ORDER, 'The order does not exist.');
    }
    return order;
  }

  /** `biz_content` of a valid call. */
  #checked(call: ReceivedCall, method: string, rules: typeof PRE_ORDER_RULES): Texts {
    checkHeaders(call);
    const isKnown = call.headers['x-app-key'] === this.#credentials.fabricAppId;
    if (!isKnown || !this.tokens.admit(call.headers)) {
      throw new Refusal(401, CODE_CREDENTIALS, 'The token is invalid.');
    }
    const { requiredScheme } = this.behavior;
    const checked = checkMessage(call, method, rules, this.merchant.publicKey, requiredScheme);
    const { message, content } = checked;
    const { merchantAppId, merchantCode } = this.#credentials;
    if (content.appid !== merchantAppId || content.merch_code !== merchantCode) {
      throw new Refusal(400, '60200087', 'Organization does not exist.');
    }
    const nonce = message.nonce_str ?? '';
    if (this.#nonces.has(nonce) || (content.payee_identifier ?? merchantCode) !== merchantCode) {
      throw new Refusal(400, '49401024995', 'Parameter: type mismatch.');
    }
    this.#nonces.add(nonce);
    return content;
  }

  #success(content: Texts): Reply {
    const answer = {
      result: 'SUCCESS',
      code: '0',
      msg: 'success',
      nonce_str: randomBytes(16).toString('hex'),
      biz_content: content,
    };
    const sign = rsaSign(signedText(answer), this.platform.privateKey, 'pss32');
    return jsonReply(200, { ...answer, sign, sign_type: 'SHA256WithRSA' });
  }

  /** The order whose page the customer's browser opens by a URL that the merchant signed. */
  #signedOrder(parameters: URLSearchParams): TelebirrOrder | undefined {
    const signed = checkPage(parameters, this.merchant.publicKey, this.behavior.requiredScheme);
    const { merchantAppId, merchantCode } = this.#credentials;
    const isOurs = signed?.appid === merchantAppId && signed.merch_code === merchantCode;
    return isOurs ? this.#prepaid(signed.prepay_id, false) : undefined;
  }

  /** The order that telebirr's app opens for a merchant's app or a mini app. */
  #openedOrder(opening: URLSearchParams): TelebirrOrder | undefined {
    const { merchantAppId, merchantCode } = this.#credentials;
    const rawRequest = opening.get('rawRequest');
    if (rawRequest !== null) {
      const { requiredScheme } = this.behavior;
      const signed = checkRawRequest(rawRequest, this.merchant.publicKey, requiredScheme);
      const isOurs = signed?.appid === merchantAppId && signed.merch_code === merchantCode;
      return isOurs ? this.#prepaid(signed.prepay_id, true) : undefined;
    }
    const receiveCode = opening.get('receiveCode') ?? '';
    const isOurs =
      opening.get('appId') === merchantAppId && opening.get('shortCode') === merchantCode;
    const order = this.#prepaid(receiveCode.split('$')[4], true);
    return isOurs && order?.receiveCode === receiveCode ? order : undefined;
  }

  /** An order opens where it was made for: on the page, or in the app. */
  #prepaid(prepayId: string | undefined, isInApp: boolean): TelebirrOrder | undefined {
    return this.stage.book.all.find(
      (order) => order.prepayId === prepayId && order.isInApp === isInApp,
    );
  }

  #page(call: ReceivedCall, order: TelebirrOrder | undefined): Reply | Promise<Reply> {
    if (order === undefined) {
      return endPage('telebirr: invalid request');
    }
    const page = { title: 'telebirr', action: `${PAGE}/act`, after: () => order.returnUrl() };
    return order.isOpen
      ? this.stage.page(call, order, page)
      : endPage('telebirr: this order is closed');
  }
}

function endPage(title: string): Reply {
  const page = deskPage(title, []);
  return page.type === 'answer' ? { ...page, status: 400 } : page;
}
