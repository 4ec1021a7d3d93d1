import { randomBytes, randomInt } from 'node:crypto';
import { addisDigits } from './clock.ts';
import type { PushRequest, StatusRequest } from './mpesa-request.ts';
import { type MpesaReversal, randomReceipt } from './mpesa-reversal.ts';
import { queryStates, type SentReport, StageOrder } from './stage.ts';
import type { CallbackVariant, CustomerAct, OrderBook } from './stand-in.ts';

const RESULTS: Readonly<Record<CustomerAct, { code: number | string; text: string }>> = {
  pays: { code: 0, text: 'The service request is processed successfully.' },
  declines: { code: '17', text: 'M-PESA system internal error' },
  lacks_funds: { code: 1, text: 'The balance is insufficient for the transaction.' },
  mistypes_pin: { code: 'TP40087', text: 'Wrong PIN' },
  cancels: { code: 1032, text: 'Request cancelled by user' },
  times_out: { code: 1037, text: 'DS timeout user cannot be reached' },
};

/** Invented, except for "Completed". The gateway gets the state of a failure as a setting. */
export const DECLINED_STATE = 'Declined';
const STATES = queryStates('Pending', 'Completed', DECLINED_STATE, 'Expired');

/** A push at M-PESA, and its callbacks. */
export class MpesaOrder extends StageOrder {
  readonly checkoutRequestId: string;
  readonly callbackUrl: string;
  override readonly receipt = randomReceipt();
  override readonly refunds: MpesaReversal[] = [];
  readonly #all: OrderBook<MpesaOrder>;

  constructor(request: PushRequest, all: OrderBook<MpesaOrder>) {
    super(request.MerchantRequestID, request.amountText, request.PhoneNumber);
    this.callbackUrl = request.CallBackURL;
    this.checkoutRequestId = checkoutRequestId(request.PhoneNumber);
    this.#all = all;
  }

  /** The parameters of a status query's result. */
  statusParameters(): readonly { readonly Key: string; readonly Value?: unknown }[] {
    const receipt = this.acted === 'pays' ? [{ Key: 'ReceiptNo', Value: this.receipt }] : [];
    return [
      { Key: 'DebitPartyName', Value: `${this.phone} - Customer` },
      { Key: 'TransactionReason' },
      { Key: 'TransactionStatus', Value: STATES[this.acted ?? 'nothing'] },
      { Key: 'Amount', Value: Number(this.amountText) },
      ...receipt,
    ];
  }

  override reportOf(variant: CallbackVariant): SentReport {
    const other = this.#all.all.find((order) => order !== this);
    const guessed = checkoutRequestId(this.phone ?? '');
    switch (variant) {
      case 'genuine':
        return { body: JSON.stringify(this.#result(this.reported)) };
      case 'forged':
        // From an attacker who knows the order but not M-PESA's id of it.
        return { body: JSON.stringify(this.#result('pays', { id: guessed })) };
      case 'wrong_amount': {
        const amount = Math.floor(Number(this.amountText)) + 1;
        return { body: JSON.stringify(this.#result('pays', { amount })) };
      }
      case 'other_order': {
        const orderId = other?.orderId ?? 'A0A0A0A0A0A0A0A0A0A0';
        const id = other?.checkoutRequestId ?? guessed;
        return { body: JSON.stringify(this.#result('pays', { orderId, id })) };
      }
      case 'unreadable':
        return { body: JSON.stringify(this.#result('pays')).slice(0, -10) };
    }
  }

  #result(
    act: CustomerAct,
    { orderId = this.orderId, id = this.checkoutRequestId, amount = Number(this.amountText) } = {},
  ): unknown {
    const { code, text } = RESULTS[act];
    const Item = [
      { Name: 'Amount', Value: amount },
      { Name: 'MpesaReceiptNumber', Value: this.receipt },
      { Name: 'TransactionDate', Value: Number(addisDigits(this.actedAtMs)) },
      { Name: 'PhoneNumber', Value: Number(this.phone) },
    ];
    const stkCallback = {
      // Not the reference of the push: the published samples name another one.
      MerchantRequestID: `${orderId.slice(0, 5)}-${orderId.slice(5, 13)}-1`,
      CheckoutRequestID: id,
      ResultCode: code,
      ResultDesc: text,
      ...(act === 'pays' ? { CallbackMetadata: { Item } } : {}),
    };
    return { Envelope: { Body: { stkCallback } } };
  }
}

/** The result of a status query in Kenya's format; without an order: nothing was found. */
export function statusResult(
  { Occasion }: StatusRequest,
  order: MpesaOrder | undefined,
): Readonly<Record<string, unknown>> {
  const head = {
    ResultType: 0,
    OriginatorConversationID: `${randomInt(1_000, 10_000)}-${randomInt(1_000_000)}-1`,
    ConversationID: `AG_${addisDigits(Date.now()).slice(0, 8)}_${randomBytes(10).toString('hex')}`,
    TransactionID: randomBytes(5).toString('hex').toUpperCase(),
    ReferenceData: { ReferenceItem: { Key: 'Occasion', Value: Occasion } },
  };
  return order === undefined
    ? // The code is invented.
      { Result: { ...head, ResultCode: 2099, ResultDesc: 'The transaction was not found.' } }
    : {
        Result: {
          ...head,
          ResultCode: 0,
          ResultDesc: 'The service request is processed successfully.',
          ResultParameters: { ResultParameter: order.statusParameters() },
        },
      };
}

let issued = 0;

/** In the samples' format: the time, and M-PESA's own digits. */
export function checkoutRequestId(phone: string): string {
  // Random digits would give two pushes of one second the same id now and then.
  issued = (issued + 1) % 9_000;
  const suffix = `${1_000 + issued}${phone.slice(3)}`;
  return `ws_CO_${addisDigits(Date.now())}${suffix}`;
}
