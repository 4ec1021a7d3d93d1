import type { CardsRefunds } from './ethswitch-cards-refunds.ts';
import { type CustomerAct, jsonReply, type Reply } from './stand-in.ts';

/** What the card gateway's stand-in requires of an order, and the order's states. */

/** The order from `register.do`. */
export interface Registered {
  readonly mdOrder: string;
  readonly currency: string;
  readonly description: string;
  readonly returnUrl: string;
  readonly failUrl: string;
  readonly callbackUrl: string | null;
  readonly registeredAtMs: number;
  /** The receipt, once it is paid. No two payments have the same. */
  readonly authRefNum: string;
  readonly endsAtMs: number;
}

/** What states depend on. */
interface Played {
  readonly acted: CustomerAct | null;
  readonly registered: Registered;
  readonly returned: CardsRefunds;
}

/** What the gateway says of an order. */
interface Stated extends Played {
  readonly orderId: string;
  readonly amountText: string;
}

interface CardsState {
  readonly orderStatus: number;
  readonly actionCode: number;
  readonly paymentState: string;
}

const REGISTERED: CardsState = { orderStatus: 0, actionCode: -100, paymentState: 'CREATED' };

const REVERSED: CardsState = { orderStatus: 3, actionCode: 0, paymentState: 'REVERSED' };
/** After a part, too. */
const REFUNDED: CardsState = { orderStatus: 4, actionCode: 0, paymentState: 'REFUNDED' };

/** The state after an act. A customer who cancels leaves the page; the order stays open. */
const STATE_AFTER: Readonly<Record<CustomerAct, CardsState>> = {
  pays: { orderStatus: 2, actionCode: 0, paymentState: 'DEPOSITED' },
  declines: { orderStatus: 6, actionCode: 5, paymentState: 'DECLINED' },
  lacks_funds: { orderStatus: 6, actionCode: 116, paymentState: 'DECLINED' },
  mistypes_pin: { orderStatus: 6, actionCode: 117, paymentState: 'DECLINED' },
  cancels: REGISTERED,
  times_out: { orderStatus: 6, actionCode: -2_007, paymentState: 'DECLINED' },
};

function stateOf({ acted, registered, returned }: Played): CardsState {
  if (returned.all.length > 0) {
    return returned.isReversed ? REVERSED : REFUNDED;
  }
  const state = acted === null ? REGISTERED : STATE_AFTER[acted];
  const isOver = state.orderStatus === 0 && Date.now() >= registered.endsAtMs;
  return isOver ? STATE_AFTER.times_out : state;
}

/** Whether the page accepts a card: also after a decline, until the session ends. */
export function acceptsCard(order: Played): boolean {
  const { orderStatus } = stateOf(order);
  const mayTryAgain = order.acted !== 'times_out' && Date.now() < order.registered.endsAtMs;
  return orderStatus === 0 || (orderStatus === 6 && mayTryAgain);
}

const ADDRESS = /^https?:\/\/\S{1,500}$/;

/** The fields of `register.do`. */
export const REGISTER_FORM = {
  userName: /./,
  password: /./,
  orderNumber: /^[A-Z0-9]{20}$/,
  amount: /^[1-9]\d{0,11}$/,
  currency: /^(?:230|840)$/,
  returnUrl: ADDRESS,
  failUrl: ADDRESS,
  'dynamicCallbackUrl?': ADDRESS,
  // An old installation's database may support only these; the vendor forbids `%` and `+`.
  description: /^[\x20-\x24\x26-\x2a\x2c-\x7e]{1,512}$/,
  language: /^[a-z]{2}$/,
  sessionTimeoutSecs: /^(?:[1-9]\d{0,2}|1[01]\d\d|1200)$/,
};

export function statusReply(order: Stated): Reply {
  const { authRefNum, currency, description, mdOrder, registeredAtMs } = order.registered;
  const { orderStatus, actionCode, paymentState } = stateOf(order);
  const isPaid = order.acted === 'pays';
  const paidMinor = isPaid ? Number(order.amountText) : 0;
  const { isReversed, listed, returnedMinor } = order.returned;
  return jsonReply(200, {
    errorCode: '0',
    errorMessage: 'Success',
    orderNumber: order.orderId,
    orderStatus,
    actionCode,
    actionCodeDescription: '',
    amount: Number(order.amountText),
    currency,
    date: registeredAtMs,
    orderDescription: description,
    merchantOrderParams: [],
    attributes: [{ name: 'mdOrder', value: mdOrder }],
    ...(isPaid ? { authRefNum, terminalId: '123456' } : {}),
    paymentAmountInfo: {
      paymentState,
      approvedAmount: isReversed ? 0 : paidMinor,
      depositedAmount: paidMinor - returnedMinor,
      refundedAmount: isReversed ? 0 : returnedMinor,
    },
    refunds: listed,
    bankInfo: { bankCountryCode: 'ET', bankCountryName: 'Ethiopia' },
  });
}
