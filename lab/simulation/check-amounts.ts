import type { Method } from '../../src/domain/method.ts';
import { statusContent } from '../../src/webhooks/payload.ts';
import {
  amountsOf,
  askedOf,
  chargeOf,
  commissionOf,
  type EarlierRefund,
  methodsOf,
  possibleRefunds,
} from './books.ts';
import type { World } from './history.ts';
import type { AnsweredRefund } from './journal.ts';
import type { Plan, PlannedPayment } from './plan.ts';
import type { Ended, Expect } from './verdict.ts';

/** Every amount that merchants see, against the books that the simulation keeps (`books.ts`). */

/** The payment in an event and in the answer of the status call. */
export interface ShownPayment {
  readonly event?: string;
  readonly uniqueId: string;
  readonly status: string;
  readonly totalAmount: number;
  readonly currency: string;
  readonly commission: number;
  readonly chargedAmount: number;
  readonly commissionPaidByCustomer: boolean;
  readonly transaction: { readonly transactionId: string; readonly paymentType: Method } | null;
  readonly refundedAmount?: number;
  readonly refund?: ShownRefund;
  readonly refunds?: readonly ShownRefund[];
}

interface ShownRefund extends AnsweredRefund {
  readonly status: string;
  readonly late: boolean;
}

/** Where and what a payment's amounts are shown, for the checks below. */
interface Books {
  readonly expect: Expect;
  readonly world: World;
  readonly plan: Plan;
  readonly payment: PlannedPayment;
  readonly amountMinor: number;
  /** As the status call shows them at the end. */
  readonly refunds: readonly ShownRefund[];
}

export function checkAmounts(expect: Expect, world: World, plan: Plan, ended: Ended): void {
  const { payment, intent, events } = ended;
  const amounts = amountsOf(world, plan, payment);
  const shown: ShownPayment = JSON.parse(JSON.stringify(statusContent(intent)));
  const amountMinor = amounts.find((amount) => amount === shown.totalAmount) ?? payment.amountMinor;
  const books = { expect, world, plan, payment, amountMinor, refunds: shown.refunds ?? [] };
  checkPayment(books, 'the status call', shown);
  checkCharges(books, ended);
  checkRefundAmounts(books, ended);
  const refundedMinor = sumOf(refundedIn(books, shown, () => true));
  same(books, 'the status call', [['refundedAmount', shown.refundedAmount, refundedMinor]]);
  for (const { merchant, uniqueId, content } of world.journal.reads) {
    if (merchant === payment.merchant && uniqueId === payment.uniqueId) {
      checkPayment(books, 'an answer', content);
    }
  }
  const received = world.merchants.receipts.filter(({ eventId }) =>
    events.some((event) => event.eventId === eventId),
  );
  for (const { body } of received) {
    checkEnvelope(books, ended, JSON.parse(body));
  }
}

function checkEnvelope(
  books: Books,
  { events }: Ended,
  envelope: { readonly webHookEvent: string; readonly status: string; readonly body: string },
): void {
  const content: ShownPayment & { readonly sequence: number } = JSON.parse(envelope.body);
  const { webHookEvent } = envelope;
  checkPayment(books, webHookEvent, content);
  same(books, webHookEvent, [
    ['event', content.event, webHookEvent],
    ['status of the payment', content.status, PAYMENT_STATUSES[webHookEvent]],
  ]);
  const { refund } = content;
  if (refund === undefined) {
    same(books, webHookEvent, [['status', envelope.status, content.status]]);
    return;
  }
  const final = books.refunds.find(
    ({ refundUniqueId }) => refundUniqueId === refund.refundUniqueId,
  );
  same(books, webHookEvent, [
    ['status', envelope.status, REFUND_STATUSES[webHookEvent]],
    ['status of the refund', `REFUND_${refund.status}`, webHookEvent],
    ['transaction', refund.transactionId, final?.transactionId],
    ...amountsShown(books, refund, final),
  ]);
  // Those whose success was announced before, or with this event.
  const returned = refundedIn(books, content, ({ refundUniqueId }) =>
    events.some(
      ({ type, refundId, sequence }) =>
        type === 'refund_succeeded' && refundId === refundUniqueId && sequence <= content.sequence,
    ),
  );
  same(books, webHookEvent, [['refundedAmount', content.refundedAmount, sumOf(returned)]]);
}

/** An event of a refund shows the payment, which stays paid. */
const PAYMENT_STATUSES: Readonly<Record<string, string>> = {
  PAYMENT_SUCCESS: 'SUCCESS',
  PAYMENT_FAILED: 'FAILED',
  PAYMENT_EXPIRED: 'EXPIRED',
  REFUND_REQUIRES_ACTION: 'SUCCESS',
  REFUND_SUCCESS: 'SUCCESS',
  REFUND_FAILED: 'SUCCESS',
};

/** Of the envelope: a receiver that reads only this must not take a refund for a payment. */
const REFUND_STATUSES: Readonly<Record<string, string>> = {
  REFUND_REQUIRES_ACTION: 'REFUND_REQUIRES_ACTION',
  REFUND_SUCCESS: 'REFUNDED',
  REFUND_FAILED: 'REFUND_FAILED',
};

function checkPayment(books: Books, where: string, shown: ShownPayment): void {
  const { payment, amountMinor, plan, expect, world } = books;
  const method = shown.transaction?.paymentType ?? null;
  // Before an attempt, a commission is known only if there is one method.
  const charged = method ?? (payment.kind === 'express' ? payment.method : null);
  const commission = charged === null ? 0 : commissionOf(amountMinor, charged);
  same(books, where, [
    ['uniqueId', shown.uniqueId, payment.uniqueId],
    ['totalAmount', shown.totalAmount, amountMinor],
    ['currency', shown.currency, 'ETB'],
    ['commission', shown.commission, commission],
    ['commissionPaidByCustomer', shown.commissionPaidByCustomer, payment.commissionPaidByCustomer],
    [
      'chargedAmount',
      shown.chargedAmount,
      amountMinor + (payment.commissionPaidByCustomer ? commission : 0),
    ],
  ]);
  const isChosen = method === null || methodsOf(plan, payment).includes(method);
  expect(isChosen, '7 amounts', () => `${where} names ${method}, which no customer chose`);
  const order = world.provider.orders.get(shown.transaction?.transactionId ?? '');
  const isPaid = order === undefined || order.state === 'paid' || order.hasLied;
  expect(shown.status !== 'SUCCESS' || isPaid, '7 amounts', () => `${where} of an unpaid order`);
}

/** The provider took what the payment costs by its method. */
function checkCharges(books: Books, { intent }: Ended): void {
  for (const { reference, method } of intent.attempts) {
    const order = books.world.provider.orders.get(reference);
    if (order !== undefined) {
      const charge = chargeOf(books.payment, books.amountMinor, order.method);
      same(books, 'the provider', [
        ['amount', order.amountMinor, charge],
        ['method', order.method, method],
      ]);
    }
  }
}

/** Each refund has an amount that was asked for, and the commission that goes with it. */
function checkRefundAmounts(books: Books, { intent }: Ended): void {
  const { expect, plan, payment, world, refunds } = books;
  for (const [index, refund] of refunds.entries()) {
    const { refundUniqueId, transactionId, amountMinor, commissionReturnedMinor } = refund;
    const attempt = intent.attempts.find(({ reference }) => reference === transactionId);
    if (attempt === undefined) {
      expect(false, '7 amounts', () => `${refundUniqueId} is of no transaction`);
      continue;
    }
    const commissionMinor = commissionOf(books.amountMinor, attempt.method);
    const paid = { amountMinor: books.amountMinor, commissionMinor };
    const others = refunds.slice(0, index).filter((other) => other.transactionId === transactionId);
    const asked = askedOf(plan, payment, refundUniqueId);
    const possible = possibleRefunds(paid, others.map(earlierOf), amountMinor);
    // What is left is computed first; an earlier refund may fail before the reservation. It is less
    // after a late refund, which may have returned commission that others had given up.
    const isAllLeft = possible.some(({ isRest }) => isRest) || others.some(({ late }) => late);
    const isAsked = asked.includes(amountMinor) || (asked.includes(null) && isAllLeft);
    const isCommission = possible.some(({ commissionMinor: most }) =>
      // What turns out to have been executed gives up only what is left by then.
      refund.late ? commissionReturnedMinor <= most : commissionReturnedMinor === most,
    );
    expect(
      isAsked && isCommission,
      '7 amounts',
      () =>
        `${refundUniqueId} of ${amountMinor} returns ${commissionReturnedMinor} commission; ` +
        `asked were ${asked.join(' or ')}, paid ${books.amountMinor} and ${commissionMinor}`,
    );
    same(books, 'the status call', amountsShown(books, refund, refund));
    const stored = intent.refunds.find(({ id }) => id === refundUniqueId);
    const known = world.provider.orders.get(transactionId)?.refunds.get(stored?.reference ?? '');
    if (known !== undefined) {
      same(books, 'the provider', [['returned', known.amountMinor, refund.returnedMinor]]);
    }
  }
  for (const { payment: asked, refund } of world.journal.refunds) {
    const final = refunds.find(({ refundUniqueId }) => refundUniqueId === refund.refundUniqueId);
    if (asked === payment && final !== undefined) {
      same(books, 'the answer to a refund', amountsShown(books, refund, final));
    }
  }
}

function earlierOf({ amountMinor, commissionReturnedMinor, ...other }: ShownRefund): EarlierRefund {
  const mayBeOver = other.late || other.status === 'FAILED' || other.status === 'CANCELED';
  return { amountMinor, commissionMinor: commissionReturnedMinor, mayBeOver };
}

type Comparison = readonly [name: string, shown: unknown, wanted: unknown];

/**
 * A refund's amounts add up and never change, except for one that was executed after it had failed:
 * what it returned stays, but others may have given up its commission.
 */
function amountsShown(
  { payment }: Books,
  refund: AnsweredRefund,
  final: ShownRefund | undefined,
): readonly Comparison[] {
  const { amountMinor, commissionReturnedMinor, returnedMinor } = refund;
  const commission = payment.commissionPaidByCustomer ? commissionReturnedMinor : 0;
  const changing: readonly Comparison[] = [
    ['commissionReturnedMinor', commissionReturnedMinor, final?.commissionReturnedMinor],
    ['the sum of a refund', amountMinor + commission, returnedMinor],
  ];
  return [
    ['amountMinor', amountMinor, final?.amountMinor],
    ['returnedMinor', returnedMinor, final?.returnedMinor],
    ['currency', refund.currency, 'ETB'],
    ...(final?.late === true ? [] : changing),
  ];
}

/** The refunds of the transaction that paid which succeeded and meet a condition. */
function refundedIn(
  { refunds }: Books,
  { status, transaction }: ShownPayment,
  condition: (refund: ShownRefund) => boolean,
): readonly ShownRefund[] {
  return refunds.filter(
    (refund) =>
      status === 'SUCCESS' &&
      refund.transactionId === transaction?.transactionId &&
      refund.status === 'SUCCESS' &&
      condition(refund),
  );
}

export function sumOf(refunds: readonly AnsweredRefund[]): number {
  return refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

function same(books: Books, where: string, comparisons: readonly Comparison[]): void {
  for (const [name, shown, wanted] of comparisons) {
    books.expect(
      shown === wanted,
      '7 amounts',
      () => `${name} of ${where} is ${String(shown)}, and must be ${String(wanted)}`,
    );
  }
}
