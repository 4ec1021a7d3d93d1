import { addisTime } from './clock.ts';
import type { WirePurchase } from './ebirr-request.ts';
import { minorOf } from './shapes.ts';
import { queryStates, type SentReport, StageOrder } from './stage.ts';
import {
  type CallbackVariant,
  type CustomerAct,
  jsonReply,
  type Reply,
  type StandInRefund,
} from './stand-in.ts';

/** The customer's time according to the vendor. */
const PROMPT_MS = 5 * 60 * 1_000;

export interface Codes {
  readonly responseCode: string;
  readonly errorCode: string;
  readonly responseMsg: string;
}

const SUCCESS: Codes = { responseCode: '2001', errorCode: '0', responseMsg: 'RCS_SUCCESS' };

/** eBirr's codes for what the customer does. */
const CODES: Readonly<Record<CustomerAct, Codes>> = {
  pays: SUCCESS,
  declines: { responseCode: '5310', errorCode: '5310', responseMsg: 'RCS_USER_REJECTED' },
  cancels: {
    responseCode: '5306',
    errorCode: '5306',
    responseMsg: 'RCS_HPP_USERACTION_CANCELLED',
  },
  times_out: {
    responseCode: '5309',
    errorCode: '5309',
    responseMsg: 'RCS_HPP_USERACTION_TIMEOUT',
  },
  lacks_funds: {
    responseCode: '5206',
    errorCode: 'E10205',
    responseMsg: 'RCS_TRAN_FAILED_AT_ISSUER_SYSTEM (Your account balance is not sufficient)',
  },
  mistypes_pin: {
    responseCode: '5206',
    errorCode: 'E10205',
    responseMsg: 'RCS_TRAN_FAILED_AT_ISSUER_SYSTEM (Invalid PIN code)',
  },
};

/** Invented, except for "approved". The gateway gets the state of a failure as a setting. */
export const DECLINED_STATE = 'DECLINED';
const STATUS_STATES = queryStates('PENDING', 'APPROVED', DECLINED_STATE, 'EXPIRED');

/** The vendor's answer about a transaction that it does not know. */
export const NOT_FOUND: Codes = {
  responseCode: '5213',
  errorCode: 'E10206',
  responseMsg: 'RCS_TRAN_NOT_FOUND',
};

/** The vendor's answers about a purchase that was returned before, and to an empty account. */
export const ALREADY_CANCELED: Codes = {
  responseCode: '5202',
  errorCode: 'E10207',
  responseMsg: 'RCS_TRAN_ALREADY_CANCELLED',
};
export const NO_CREDIT: Codes = {
  responseCode: '50333',
  errorCode: '50333',
  responseMsg: 'RCS_ACC_INSUFFICIENT_BALANCE',
};

/** eBirr's closest known code to "unavailable", after which the payment may still be made. */
export const GATEWAY_TIMEOUT: Codes = {
  responseCode: '52061',
  errorCode: 'E102051',
  responseMsg: 'Transaction TIMEOUT (Gateway Timeout Error)',
};

/** The message is from a real answer; the codes are invented. */
export const NOT_AUTHORIZED: Codes = {
  responseCode: '5001',
  errorCode: 'E10001',
  responseMsg: 'RCS_USER_IS_NOT_AUTHZ_TO_ACCESS_API',
};

/** A purchase at eBirr, and the call that waits for its answer. */
export class EbirrOrder extends StageOrder {
  readonly #requestId: string;
  readonly #returnUrl: string | undefined;
  readonly #ids: { readonly transactionId: string; readonly issuerTransactionId: string };
  override readonly refunds: StandInRefund[] = [];
  readonly #answer = Promise.withResolvers<Reply>();
  readonly #promptTimer: NodeJS.Timeout;

  constructor({ requestId, serviceParams }: WirePurchase, number: number) {
    const { transactionInfo, payerInfo, returnUrl } = serviceParams;
    super(transactionInfo.referenceId, transactionInfo.amount, payerInfo.accountNo);
    this.#requestId = requestId;
    this.#returnUrl = returnUrl;
    this.#ids = {
      transactionId: String(1_000_000 + number),
      issuerTransactionId: String(2_000_000 + number),
    };
    this.#promptTimer = setTimeout(() => this.act('times_out').catch(() => null), PROMPT_MS);
    this.#promptTimer.unref();
  }

  /** The answer to the call that asked for the payment. */
  get answered(): Promise<Reply> {
    return this.#answer.promise;
  }

  override act(act: CustomerAct, options?: { readonly silent?: boolean }) {
    const acting = super.act(act, options);
    if (this.acted === act) {
      this.forget();
      this.#answer.resolve(this.#reply(act));
    }
    return acting;
  }

  override reports(): boolean {
    return this.#returnUrl !== undefined;
  }

  override get callbackUrl(): string {
    if (this.#returnUrl === undefined) {
      throw new Error('The purchase has no returnUrl');
    }
    return this.#returnUrl;
  }

  /** Unsigned, but an attacker does not know the URL. */
  override async callback(variant: CallbackVariant = 'genuine', url = this.callbackUrl) {
    const guessed = url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    return super.callback(variant, variant === 'forged' ? guessed : url);
  }

  override reportOf(variant: CallbackVariant): SentReport {
    const act = variant === 'genuine' ? this.reported : 'pays';
    const isPaid = act === 'pays';
    const isOther = variant === 'other_order';
    const body = JSON.stringify({
      referenceId: isOther ? this.orderId.split('').reverse().join('') : this.orderId,
      ...CODES[act],
      params: {
        ...(isPaid && { state: 'APPROVED' }),
        ...(variant === 'wrong_amount' && { txAmount: `9${this.amountText}` }),
      },
      ...(isPaid && this.#ids),
    });
    return { body: variant === 'unreadable' ? body.slice(0, -2) : body };
  }

  /** The answer to a status query. Its form is not public: this is a purchase's. */
  status(requestId: string): Reply {
    const state = STATUS_STATES[this.acted ?? 'nothing'];
    const ids = state === 'APPROVED' ? this.#ids : {};
    const params = { state, referenceId: this.orderId, ...ids, txAmount: this.amountText };
    return this.#succeeded(requestId, params);
  }

  override get receipt(): string {
    return this.#ids.transactionId;
  }

  /** Refunds name the order by this id; null unless it is paid. */
  get transactionId(): string | null {
    return this.acted === 'pays' ? this.#ids.transactionId : null;
  }

  /** What is left to return, in cents. */
  get leftMinor(): number {
    const returned = this.refunds.map(({ amountText }) => minorOf(amountText));
    return returned.reduce((left, minor) => left - minor, minorOf(this.amountText));
  }

  /** Returns all or a part of the payment, and answers. */
  giveBack(requestId: string, transactionId: string, amountText: string): Reply {
    this.refunds.push({ amountText, isReturned: true });
    // The refund's own transaction, in lower case, as in the vendor's sample.
    const params = { description: 'success', state: 'approved', transactionId };
    return this.#succeeded(requestId, { ...params, referenceId: this.orderId });
  }

  forget(): void {
    clearTimeout(this.#promptTimer);
  }

  #reply(act: CustomerAct): Reply {
    if (act !== 'pays') {
      return jsonReply(200, refusal(CODES[act]));
    }
    const params = {
      state: 'APPROVED',
      referenceId: this.orderId,
      ...this.#ids,
      txAmount: this.amountText,
      accountNo: this.phone?.replace(/^(.{4}).*(?=..)/, '$1****') ?? '',
      accountType: 'MWALLET_ACCOUNT',
      merchantCharges: '0.00',
    };
    return this.#succeeded(this.#requestId, params);
  }

  #succeeded(responseId: string, params: Readonly<Record<string, string>>): Reply {
    const timestamp = `${addisTime(Date.now())}.000`;
    const head = { schemaVersion: '1.0', timestamp, responseId };
    return jsonReply(200, { ...head, ...SUCCESS, params });
  }
}

/** As short as the published refusals. */
export function refusal(codes: Codes) {
  return { schemaVersion: '1.0', ...codes };
}
