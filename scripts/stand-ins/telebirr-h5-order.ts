import { randomBytes, randomInt } from 'node:crypto';
import { addisTime } from './clock.ts';
import { minorOf } from './shapes.ts';
import { type SentReport, StageOrder } from './stage.ts';
import type { CallbackVariant, CustomerAct, RefundPlan, StandInRefund } from './stand-in.ts';
import {
  CODE_TOO_MUCH,
  type KeyPair,
  PLATFORM_FAILED,
  Refusal,
  rsaSign,
  type Scheme,
  signedText,
  type Texts,
} from './telebirr-h5-wire.ts';

/** The format of notifications, which varies in live systems. */
export interface NotificationForm {
  scheme: Scheme;
  keepsEmpties: boolean;
  as: 'json' | 'form' | 'json_as_form_name' | 'wrapped_json';
  /** The live host signs `trans_id` and sends it as `transId`. */
  transIdAs: 'trans_id' | 'transId' | 'signed_transId';
}

interface StateNames {
  /** The state in answers to queries. */
  readonly order: string;
  /** The state in notifications. */
  readonly notified: string;
  /** The state in the return URL. */
  readonly returned: string;
}

const WAITING: StateNames = { order: 'WAIT_PAY', notified: 'Pending', returned: 'PAY_FAILED' };
const CLOSED: StateNames = { order: 'ORDER_CLOSED', notified: 'Expired', returned: 'PAY_FAILED' };
const FAILED: StateNames = { order: 'PAY_FAILED', notified: 'Failure', returned: 'PAY_FAILED' };
const PAID: StateNames = { order: 'PAY_SUCCESS', notified: 'Completed', returned: 'PAY_SUCCESS' };

const STATES: Readonly<Record<CustomerAct, StateNames>> = {
  pays: PAID,
  declines: FAILED,
  lacks_funds: FAILED,
  mistypes_pin: FAILED,
  cancels: { ...FAILED, returned: 'PAY_CANCEL' },
  times_out: CLOSED,
};

const MINUTE_MS = 60_000;
const TRANSACTION_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** A refund at telebirr, which answers only about the order of it afterwards. */
class TelebirrRefund implements StandInRefund {
  readonly refundOrderId = String(randomInt(1e11, 9e11)).padStart(24, '0');
  /** `refund_request_no`, as received. */
  readonly number: string;
  readonly amountText: string;
  readonly #ending: 'REFUND_SUCCESS' | 'REFUND_FAILED';
  #isOpen: boolean;

  constructor(
    number: string,
    amountText: string,
    { refuses, isSlow = false, endsAfterMs }: RefundPlan,
  ) {
    this.number = number;
    this.amountText = amountText;
    this.#ending = refuses === undefined ? 'REFUND_SUCCESS' : 'REFUND_FAILED';
    this.#isOpen = isSlow;
    if (endsAfterMs !== undefined) {
      setTimeout(() => this.end(), endsAfterMs).unref();
    }
  }

  get state(): 'REFUNDING' | 'REFUND_SUCCESS' | 'REFUND_FAILED' {
    return this.#isOpen ? 'REFUNDING' : this.#ending;
  }

  get isReturned(): boolean {
    return this.state === 'REFUND_SUCCESS';
  }

  end(): void {
    this.#isOpen = false;
  }
}

/** An order at telebirr. */
export class TelebirrOrder extends StageOrder {
  readonly prepayId = `0${randomBytes(18).toString('hex')}`;
  readonly paymentOrderId = String(randomInt(1e11, 9e11)).padStart(24, '0');
  readonly transId = Array.from({ length: 10 }, () => TRANSACTION_ALPHABET[randomInt(36)]).join('');
  readonly #content: Texts;
  readonly #platform: KeyPair;
  readonly #attackerKeys: KeyPair;
  readonly #form: NotificationForm;
  readonly #closesAtMs: number;
  override readonly refunds: TelebirrRefund[] = [];

  constructor(content: Texts, platform: KeyPair, attackerKeys: KeyPair, form: NotificationForm) {
    super(content.merch_order_id ?? '', content.total_amount ?? '');
    this.#content = content;
    this.#platform = platform;
    this.#attackerKeys = attackerKeys;
    this.#form = form;
    const minutes = Number.parseInt(content.timeout_express ?? '', 10);
    this.#closesAtMs = Date.now() + minutes * MINUTE_MS;
  }

  override get receipt(): string {
    return this.transId;
  }

  /** Whether the customer pays in the app; otherwise on the page. */
  get isInApp(): boolean {
    return this.#content.trade_type === 'InApp';
  }

  /** What the merchant's app hands to telebirr's SDK. */
  get receiveCode(): string {
    const { merch_code, total_amount, timeout_express } = this.#content;
    return `TELEBIRR$BUYGOODS$${merch_code}$${total_amount}$${this.prepayId}$${timeout_express}`;
  }

  override get isOpen(): boolean {
    return this.acted === null && Date.now() < this.#closesAtMs;
  }

  get #state(): StateNames {
    if (this.acted !== null) {
      return STATES[this.acted];
    }
    return this.isOpen ? WAITING : CLOSED;
  }

  override get callbackUrl(): string {
    return this.#content.notify_url ?? '';
  }

  /** `biz_content` of the answer to a refund. A repeated number moves no money. */
  refund(content: Texts, plan: RefundPlan): Texts {
    const { refund_request_no: number = '', actual_amount: amountText = '' } = content;
    const known = this.refunds.find((refund) => refund.number === number);
    if (known !== undefined) {
      return { ...this.#refundAnswer(known), refund_status: 'REFUND_DUPLICATED' };
    }
    if (this.acted !== 'pays' || plan.refuses === 'not_enabled') {
      throw PLATFORM_FAILED();
    }
    const taken = this.refunds.filter(({ state }) => state !== 'REFUND_FAILED');
    const takenMinor = taken.reduce((sum, refund) => sum + minorOf(refund.amountText), 0);
    if (takenMinor + minorOf(amountText) > minorOf(this.amountText)) {
      throw new Refusal(400, CODE_TOO_MUCH, 'The refund exceeds the order.');
    }
    const refund = new TelebirrRefund(number, amountText, plan);
    this.refunds.push(refund);
    return this.#refundAnswer(refund);
  }

  #refundAnswer({ amountText, refundOrderId, state }: TelebirrRefund): Texts {
    const isDone = state === 'REFUND_SUCCESS';
    return {
      merch_code: this.#content.merch_code ?? '',
      merch_order_id: this.orderId,
      trans_order_id: this.paymentOrderId,
      refund_order_id: refundOrderId,
      refund_amount: amountText,
      refund_currency: 'ETB',
      refund_status: state,
      ...(isDone ? { refund_time: String(Date.now()) } : {}),
    };
  }

  /** `biz_content` of the answer to a query: of all its refunds, only the last one shows. */
  status(): Texts {
    const order_status = this.refunds.at(-1)?.state ?? this.#state.order;
    const known = { merch_order_id: this.orderId, order_status };
    const total = { trans_currency: 'ETB', total_amount: this.amountText };
    return this.acted === 'pays'
      ? {
          ...known,
          payment_order_id: this.paymentOrderId,
          trans_time: addisTime(this.actedAtMs),
          ...total,
          trans_id: this.transId,
        }
      : { ...known, ...total };
  }

  /** Where telebirr sends the customer afterwards. */
  returnUrl(): string {
    const parameters = this.#signed({
      merch_order_id: this.orderId,
      payment_order_id: this.paymentOrderId,
      trade_status: this.#state.returned,
      total_amount: this.amountText,
      trans_currency: 'ETB',
      trans_end_time: String(Date.now()),
    });
    const url = new URL(this.#content.redirect_url ?? '');
    for (const [name, value] of Object.entries(parameters)) {
      url.searchParams.append(name, value);
    }
    return url.href;
  }

  override reportOf(variant: CallbackVariant): SentReport {
    if (variant === 'unreadable') {
      return { body: '{"merch_order_id": ' };
    }
    const fields: Record<string, string> = {
      notify_url: this.callbackUrl,
      appid: this.#content.appid ?? '',
      notify_time: String(Date.now()),
      merch_code: this.#content.merch_code ?? '',
      merch_order_id: this.orderId,
      payment_order_id: this.paymentOrderId,
      total_amount: this.amountText,
      [this.#form.transIdAs === 'signed_transId' ? 'transId' : 'trans_id']: this.transId,
      trans_currency: 'ETB',
      trade_status: variant === 'genuine' ? this.#state.notified : PAID.notified,
      trans_end_time: String(Date.now()),
      callback_info: this.#content.callback_info ?? '',
      attach: '',
    };
    if (variant === 'wrong_amount') {
      fields.total_amount = `9${this.amountText}`;
    }
    if (variant === 'other_order') {
      fields.merch_order_id = `${this.orderId.slice(0, -1)}${this.orderId.endsWith('0') ? '1' : '0'}`;
    }
    const keys = variant === 'forged' ? this.#attackerKeys : this.#platform;
    const signed = this.#signed(fields, keys);
    if (this.#form.transIdAs === 'transId') {
      signed.transId = signed.trans_id ?? '';
      delete signed.trans_id;
    }
    const json = JSON.stringify(signed);
    const form = 'application/x-www-form-urlencoded';
    switch (this.#form.as) {
      case 'json':
        return { body: json };
      case 'wrapped_json':
        return { body: `{"data":${json}}` };
      case 'form':
        return { contentType: form, body: new URLSearchParams(signed).toString() };
      case 'json_as_form_name':
        return { contentType: form, body: new URLSearchParams({ [json]: '' }).toString() };
    }
  }

  #signed(fields: Texts, keys = this.#platform): Record<string, string> {
    const { scheme, keepsEmpties } = this.#form;
    const sign = rsaSign(signedText(fields, keepsEmpties), keys.privateKey, scheme);
    return { ...fields, sign, sign_type: 'SHA256WithRSA' };
  }
}
