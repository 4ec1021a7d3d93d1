import { randomBytes, randomInt } from 'node:crypto';
import { jsonObject } from '../../src/engine/rails/members.ts';
import {
  type Credentials,
  openedOrder,
  sealed,
  sealedCallback,
  sealedStatus,
  sha256,
  TRANSACTION_ID,
} from './cbe-birr-crypto.ts';
import { deskPage } from './desk.ts';
import { type SentReport, Stage, StageOrder } from './stage.ts';
import {
  type CallbackVariant,
  CUSTOMER_ACTS,
  type CustomerAct,
  faulty,
  jsonReply,
  type Plan,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from './stand-in.ts';

export type CbeBirrStandIn = Awaited<ReturnType<typeof startCbeBirrStandIn>>;

/** The real states are not public. These are invented; the gateway gets them as settings. */
const STATE: Readonly<Record<CustomerAct, string>> = {
  pays: 'Birr Moved',
  declines: 'Turned Down',
  lacks_funds: 'Not Moved',
  mistypes_pin: 'Not Moved',
  cancels: 'Walked Away',
  times_out: 'Not Moved',
};
const STATE_WAITING = 'At Counter';
const FAILED_STATES = ['Turned Down', 'Not Moved', 'Walked Away'];

/** The longest transaction id in public integrations. */
const TRANSACTION_ID_CHARACTERS_MAX = 36;

/**
 * A stand-in for CBE Birr's web payment gateway: the customer's page, the status query, and
 * callbacks to one registered URL. An order exists once its page has been opened. `port` 0: any free
 * one.
 */
export async function startCbeBirrStandIn(
  port = 0,
  transactionIdCharactersMax = TRANSACTION_ID_CHARACTERS_MAX,
) {
  const credentials: Credentials = {
    user: `shop${randomInt(1000)}`,
    password: randomBytes(6).toString('base64'),
    tillCode: `00${randomInt(1000, 9999)}`,
    secret: randomBytes(16).toString('hex'),
  };
  const bank = new Bank(credentials, transactionIdCharactersMax);
  const server = await StandInServer.start((call) => bank.answer(call), port);
  return Object.assign(bank, {
    ...bank.stage.standIn(server),
    railId: 'cbe-birr',
    settings: {
      baseUrl: server.baseUrl,
      ...credentials,
      transactionIdCharactersMax,
      paidStates: [STATE.pays],
      failedStates: FAILED_STATES,
    },
  });
}

class Bank {
  /** The URL for all callbacks, which an operator registers with the bank. */
  registeredCallbackUrl: string | null = null;
  /** Whether it answers the call that tries the cipher. */
  hasCipherTrial = true;
  readonly stage = new Stage<BankOrder>();
  readonly credentials: Credentials;
  readonly #transactionIdCharactersMax: number;

  constructor(credentials: Credentials, transactionIdCharactersMax: number) {
    this.credentials = credentials;
    this.#transactionIdCharactersMax = transactionIdCharactersMax;
  }

  async answer(call: ReceivedCall): Promise<Reply> {
    const url = new URL(call.url, 'http://stand-in');
    switch (`${call.method} ${url.pathname}`) {
      case 'GET /Default.aspx':
        return this.#openPage(url);
      case 'POST /Default.aspx':
        return this.#pressButton(call.body);
      case 'POST /api/cbebpg/TXNSTAT':
        return this.#answerQuery(call);
      case 'POST /api/cbebpg/CheckMeENC':
        return this.#tryCipher(call);
      default:
        return { type: 'answer', status: 404, body: 'Not Found' };
    }
  }

  /** Encrypts a name. A public client drops three characters before it decrypts the answer. */
  #tryCipher(call: ReceivedCall): Reply {
    const { MName: name, tillCode } = jsonObject(call.body) ?? {};
    const isKnown = tillCode === this.credentials.tillCode && typeof name === 'string';
    return isKnown && this.hasCipherTrial
      ? { type: 'answer', status: 200, body: `ENC${sealed(this.credentials.secret, name)}` }
      : { type: 'answer', status: 200, body: 'Invalid request' };
  }

  /** The customer's browser brings an encrypted order. */
  async #openPage(url: URL): Promise<Reply> {
    const names = [...url.searchParams.keys()];
    const order =
      names.join() === 'r' ? openedOrder(this.credentials, url.searchParams.get('r') ?? '') : null;
    if (order === null || order.orderId.length > this.#transactionIdCharactersMax) {
      return refusalPage('Invalid request');
    }
    const plan = this.stage.planOf(order.amountText);
    return faulty(plan.start, () => this.#accept(order.orderId, order.amountText, plan));
  }

  async #accept(orderId: string, amountText: string, plan: Plan): Promise<Reply> {
    if (plan.refuses === 'misconfigured' || plan.refuses === 'unavailable') {
      return refusalPage('Service not available');
    }
    const known = this.stage.book.get(orderId);
    if (known !== undefined) {
      // A reload shows the same order while it waits for the customer.
      const isSame = known.amountText === amountText && known.acted === null;
      return isSame ? pageOf(known) : refusalPage('Duplicate transaction');
    }
    const order = new BankOrder(this, orderId, amountText);
    if (plan.refuses !== undefined) {
      await this.stage.open(order, { act: plan.refuses, callback: 'never' });
      return refusalPage('Payment refused');
    }
    await this.stage.open(order, plan);
    return plan.act === undefined ? pageOf(order) : endPage(plan.act);
  }

  async #pressButton(body: string): Promise<Reply> {
    const pressed = this.stage.pressed(body);
    if (pressed === null || pressed.order.acted !== null) {
      return refusalPage('Invalid request');
    }
    const { order, act } = pressed;
    await order.act(act, { silent: true });
    if (this.stage.planOf(order.amountText).callback !== 'never') {
      await order.callback().catch(() => undefined);
    }
    // The request has no return URL, so the page does not send the customer back.
    return endPage(act);
  }

  /** Refuses in plain text, as CBE sometimes does. */
  async #answerQuery(call: ReceivedCall): Promise<Reply> {
    const { secret, tillCode } = this.credentials;
    const query = jsonObject(call.body);
    const transactionId = query?.transactionId;
    if (
      call.headers['content-type'] !== 'application/json' ||
      Object.keys(query ?? {})
        .sort()
        .join() !== 'Signiture,Tillcode,transactionId' ||
      typeof transactionId !== 'string' ||
      !TRANSACTION_ID.test(transactionId) ||
      query?.Tillcode !== tillCode ||
      query.Signiture !==
        sha256(`Key=${secret}&Tillcode=${tillCode}&transactionId=${transactionId}`)
    ) {
      return { type: 'answer', status: 400, body: 'Invalid request' };
    }
    const order = this.stage.book.get(transactionId);
    if (order === undefined) {
      return { type: 'answer', status: 200, body: 'Transaction not found' };
    }
    return faulty(this.stage.planOf(order.amountText).query, async () =>
      jsonReply(200, {
        EncryptedResponseValue: sealedStatus(secret, {
          transactionId,
          tillCode,
          state: order.state,
          date: order.date,
          // Not the form in callbacks, so that the tests cover both.
          hashedDate: order.date.replace(/^(\d{4})-(\d\d)-(\d\d).*$/, '$3-$2-$1'),
        }),
      }),
    );
  }
}

class BankOrder extends StageOrder {
  override readonly receipt = null;
  /** `TNDDate`. */
  readonly date = new Date().toISOString().replace('T', ' ').slice(0, 19);
  readonly #bank: Bank;

  constructor(bank: Bank, orderId: string, amountText: string) {
    super(orderId, amountText);
    this.#bank = bank;
  }

  get state(): string {
    return this.acted === null ? STATE_WAITING : STATE[this.acted];
  }

  /** The page takes one act, but a test may repeat it. */
  override get isOpen(): boolean {
    return true;
  }

  override async act(act: CustomerAct, options?: { readonly silent?: boolean }) {
    // A paid order stays paid.
    return super.act(this.acted === 'pays' ? 'pays' : act, options);
  }

  override get callbackUrl(): string {
    const url = this.#bank.registeredCallbackUrl;
    if (url === null) {
      throw new Error('No callback URL is registered with the stand-in');
    }
    return url;
  }

  override reportOf(variant: CallbackVariant): SentReport {
    const { secret } = this.#bank.credentials;
    const { orderId: transactionId, state, date } = this;
    const fields = { transactionId, state, date };
    const sent = (EncVal: string) => ({ body: JSON.stringify({ EncVal }) });
    switch (variant) {
      case 'genuine':
        return sent(sealedCallback(secret, fields));
      case 'forged':
        return sent(sealedCallback('a guessed secret', { ...fields, state: STATE.pays }));
      case 'wrong_amount': {
        // Callbacks contain no amount. The closest attack: someone who has only the cipher's key (or
        // reorders blocks) encrypts a report with an invalid hash.
        const plain = { TransactionId: transactionId, State: STATE.pays, TNDDate: date };
        return sent(
          sealed(secret, JSON.stringify({ ...plain, Signiture: sha256('another amount') })),
        );
      }
      case 'other_order': {
        // A letter of both formats that leaves the last bits of a long id as they must be.
        const last = transactionId.endsWith('A') ? 'Q' : 'A';
        const other = { ...fields, transactionId: transactionId.slice(0, -1) + last };
        return sent(sealedCallback(secret, { ...other, state: STATE.pays }));
      }
      case 'unreadable':
        return { body: '<callback/>' };
    }
  }
}

function pageOf({ orderId, amountText }: BankOrder): Reply {
  return deskPage('CBE Birr', [
    {
      orderId,
      amountText: `ETB ${amountText}`,
      phone: null,
      action: '/Default.aspx',
      acts: CUSTOMER_ACTS,
    },
  ]);
}

function endPage(act: CustomerAct): Reply {
  return deskPage(act === 'pays' ? 'CBE Birr: paid' : 'CBE Birr: not paid', []);
}

function refusalPage(text: string): Reply {
  const page = deskPage(`CBE Birr: ${text}`, []);
  return page.type === 'answer' ? { ...page, status: 400 } : page;
}
