import { statusContent } from '../../src/engine/webhooks/payload.ts';
import {
  contradictionsIn,
  type Envelope,
  type ShownEvent,
  type ShownPayment,
  type ShownRefund,
} from '../harness/shown.ts';
import {
  amountsOf,
  askedOf,
  chargeOf,
  type EarlierRefund,
  methodsOf,
  possibleRefunds,
  refundedIn,
  sumOf,
} from './books.ts';
import { commissionOf } from './commissions.ts';
import type { Ended } from './ended.ts';
import type { World } from './world.ts';

/** Every amount that merchants see, against the books that the simulation keeps (`books.ts`). */

/** Where and what a payment's amounts are shown, for the checks below. */
interface Books extends Ended {
  readonly world: World;
  readonly amountMinor: number;
  /** As the status call shows them at the end. */
  readonly refunds: readonly ShownRefund[];
  readonly expect: (isKept: boolean, what: string) => void;
  readonly same: (where: string, shown: object | undefined, wanted: object) => void;
}

export function checkAmounts(world: World, ended: Ended): void {
  const { journal } = world;
  const { payment, intent, events } = ended;
  const shown: ShownPayment = JSON.parse(JSON.stringify(statusContent(intent)));
  const amounts = amountsOf(world, payment);
  const books: Books = {
    ...ended,
    world,
    amountMinor: amounts.find((amount) => amount === shown.totalAmount) ?? payment.amountMinor,
    refunds: shown.refunds,
    expect: (isKept, what) => journal.expect('7 amounts', isKept, what),
    same: (where, found, wanted) => journal.same('7 amounts', where, found, wanted),
  };
  checkPayment(books, 'the status call', shown);
  checkCharges(books);
  checkRefundAmounts(books);
  const refundedAmount = sumOf(refundedIn(shown, shown.refunds));
  books.same('the status call', shown, { refundedAmount });
  for (const { payment: read, content } of journal.reads) {
    if (read === payment) {
      checkPayment(books, 'an answer', content);
    }
  }
  for (const { eventId, body } of world.merchants.receipts) {
    if (events.some((event) => event.eventId === eventId)) {
      checkEnvelope(books, JSON.parse(body));
    }
  }
}

function checkEnvelope(books: Books, envelope: Envelope): void {
  const content: ShownEvent = JSON.parse(envelope.body);
  const { webHookEvent } = envelope;
  const { refund } = content;
  checkPayment(books, webHookEvent, content);
  for (const contradiction of contradictionsIn(envelope)) {
    books.expect(false, contradiction);
  }
  if (refund === undefined) {
    return;
  }
  const final = books.refunds.find(
    ({ refundUniqueId }) => refundUniqueId === refund.refundUniqueId,
  );
  books.same(webHookEvent, refund, { transactionId: final?.transactionId });
  checkRefund(books, webHookEvent, refund, final);
  // Those whose success was announced before, or with this event.
  const announced = books.refunds.filter(({ refundUniqueId }) =>
    books.events.some(
      ({ type, refundId, sequence }) =>
        type === 'refund_succeeded' && refundId === refundUniqueId && sequence <= content.sequence,
    ),
  );
  books.same(webHookEvent, content, { refundedAmount: sumOf(refundedIn(content, announced)) });
}

function checkPayment(books: Books, where: string, shown: ShownEvent | ShownPayment): void {
  const { payment, amountMinor, world } = books;
  const { uniqueId, commissionPaidByCustomer } = payment;
  const method = shown.transaction?.paymentType ?? null;
  // Before an attempt, a commission is known only if there is one method.
  const charged = method ?? (payment.kind === 'express' ? payment.method : null);
  const commission = charged === null ? 0 : commissionOf(amountMinor, charged);
  const chargedAmount = amountMinor + (commissionPaidByCustomer ? commission : 0);
  books.same(where, shown, {
    ...{ uniqueId, totalAmount: amountMinor, currency: 'ETB' },
    ...{ commission, commissionPaidByCustomer, chargedAmount },
  });
  const isChosen = method === null || methodsOf(world.plan, payment).includes(method);
  books.expect(isChosen, `${where} names ${method}, which no customer chose`);
  const order = world.provider.orders.get(shown.transaction?.transactionId ?? '');
  const isPaid = order === undefined || order.state === 'paid' || order.hasLied;
  books.expect(shown.status !== 'SUCCESS' || isPaid, `${where} of an unpaid order`);
}

/** The provider took what the payment costs by its method. */
function checkCharges({ intent, world, payment, amountMinor, same: compare }: Books): void {
  for (const { reference, method } of intent.attempts) {
    const order = world.provider.orders.get(reference);
    if (order !== undefined) {
      const charge = chargeOf(payment, amountMinor, order.method);
      compare('the provider', order, { amountMinor: charge, method });
    }
  }
}

/** Each refund has an amount that was asked for, and the commission that goes with it. */
function checkRefundAmounts(books: Books): void {
  const { payment, intent, world, refunds } = books;
  for (const [index, refund] of refunds.entries()) {
    const { refundUniqueId, transactionId, amountMinor, commissionReturnedMinor } = refund;
    const attempt = intent.attempts.find(({ reference }) => reference === transactionId);
    if (attempt === undefined) {
      books.expect(false, `${refundUniqueId} is of no transaction`);
      continue;
    }
    const commissionMinor = commissionOf(books.amountMinor, attempt.method);
    const paid = { amountMinor: books.amountMinor, commissionMinor };
    const others = refunds.slice(0, index).filter((other) => other.transactionId === transactionId);
    const asked = askedOf(world.plan, payment, refundUniqueId);
    const possible = possibleRefunds(paid, others.map(earlierOf), amountMinor);
    // What is left is computed first; an earlier refund may fail before the reservation. It is less
    // after a late refund, which may have returned commission that others had given up.
    const isAllLeft = possible.some(({ isRest }) => isRest) || others.some(({ late }) => late);
    const isAsked = asked.includes(amountMinor) || (asked.includes(null) && isAllLeft);
    const isCommission = possible.some(({ commissionMinor: most }) =>
      // What turns out to have been executed gives up only what is left by then.
      refund.late ? commissionReturnedMinor <= most : commissionReturnedMinor === most,
    );
    books.expect(
      isAsked && isCommission,
      `${refundUniqueId} of ${amountMinor} returns ${commissionReturnedMinor} commission; ` +
        `asked were ${asked.join(' or ')}, paid ${books.amountMinor} and ${commissionMinor}`,
    );
    checkRefund(books, 'the status call', refund, refund);
    const stored = intent.refunds.find(({ id }) => id === refundUniqueId);
    const order = world.provider.orders.get(attempt.reference);
    const known = order?.refunds.get(stored?.reference ?? '');
    if (known !== undefined) {
      books.same('the provider', known, { amountMinor: refund.returnedMinor });
    }
  }
  for (const { payment: asked, refund } of world.journal.refunds) {
    const final = refunds.find(({ refundUniqueId }) => refundUniqueId === refund.refundUniqueId);
    if (asked === payment && final !== undefined) {
      checkRefund(books, 'the answer to a refund', refund, final);
    }
  }
}

function earlierOf({ amountMinor, commissionReturnedMinor, ...other }: ShownRefund): EarlierRefund {
  const mayBeOver = other.late || other.status === 'FAILED' || other.status === 'CANCELED';
  return { amountMinor, commissionMinor: commissionReturnedMinor, mayBeOver };
}

/**
 * A refund's amounts add up and never change, except for one that was executed after it had failed:
 * what it returned stays, but others may have given up its commission.
 */
function checkRefund(
  books: Books,
  where: string,
  refund: ShownRefund,
  final: ShownRefund | undefined,
): void {
  const { refundUniqueId, amountMinor, commissionReturnedMinor, returnedMinor } = refund;
  const at = `${refundUniqueId} in ${where}`;
  const constant = { amountMinor: final?.amountMinor, returnedMinor: final?.returnedMinor };
  books.same(at, refund, { ...constant, currency: 'ETB' });
  if (final?.late !== true) {
    const commission = books.payment.commissionPaidByCustomer ? commissionReturnedMinor : 0;
    books.same(at, refund, { commissionReturnedMinor: final?.commissionReturnedMinor });
    books.same(at, { sum: amountMinor + commission }, { sum: returnedMinor });
  }
}
