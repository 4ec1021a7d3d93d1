import type { Ended } from './ended.ts';
import type { PlannedPayment } from './plan.ts';
import type { World } from './world.ts';

/** What merchants were told is what is stored. */
export function checkAnswers(world: World, ended: readonly Ended[]): void {
  checkCreated(world, ended);
  const { expect, canceledPayments, refunds, canceledRefunds } = world.journal;
  for (const payment of canceledPayments) {
    const found = endedOf(ended, payment);
    const status = found?.intent.status;
    const isKept = status === 'canceled' || (status === 'succeeded' && found?.intent.late === true);
    expect('6 nothing lost', isKept, `canceled, and then ${status}`);
  }
  for (const { payment, refund } of refunds) {
    const { refundUniqueId, amountMinor, paymentIntentUniqueId } = refund;
    const intent = endedOf(ended, payment)?.intent;
    const stored = intent?.refunds.find(({ id }) => id === refundUniqueId);
    const isKept =
      stored?.amountMinor === amountMinor && paymentIntentUniqueId === payment.uniqueId;
    expect('6 nothing lost', isKept, `${refundUniqueId} of ${amountMinor} is not stored so`);
  }
  for (const { payment, refundId } of canceledRefunds) {
    // The id may belong to another payment of the merchant.
    const stored = ended
      .filter((one) => one.payment.merchant === payment.merchant)
      .flatMap(({ intent }) => intent.refunds)
      .filter(({ id }) => id === refundId);
    const isKept = stored.length === 1 && stored[0]?.status === 'canceled';
    expect('6 nothing lost', isKept, `${refundId} was canceled, and is ${stored[0]?.status}`);
  }
  for (const one of ended) {
    const ids = ended
      .filter((other) => other.payment.merchant === one.payment.merchant)
      .flatMap(({ intent }) => intent.refunds.map(({ id }) => id));
    expect('11 refunds', new Set(ids).size === ids.length, 'two refunds with one id');
  }
}

function endedOf(ended: readonly Ended[], payment: PlannedPayment): Ended | undefined {
  return ended.find(
    (one) => one.payment.merchant === payment.merchant && one.payment.uniqueId === payment.uniqueId,
  );
}

/** Each answer to a create request is about the one payment, with the same content. */
function checkCreated(world: World, ended: readonly Ended[]): void {
  const { expect, created } = world.journal;
  for (const { payment, key, content, isReplay } of created) {
    const found = endedOf(ended, payment);
    expect('6 nothing lost', found !== undefined, `${payment.uniqueId} is not stored`);
    if (found === undefined) {
      continue;
    }
    const { amountMinor } = found.intent.terms;
    expect(
      '1 one owner',
      amountMinor === payment.amountMinor,
      `the answer was about ${payment.amountMinor}, stored are ${amountMinor}`,
    );
    const makers = created.filter(
      (other) => !other.isReplay && endedOf(ended, other.payment) === found,
    );
    expect('1 one owner', makers.length <= 1, `two requests made ${payment.uniqueId}`);
    expect('1 one owner', !isReplay || key !== null, 'a replay without a key');
    if (found.intent.terms.kind === 'express') {
      checkExpressAnswer(world, found, Object(content));
    }
  }
}

function checkExpressAnswer(
  { provider, journal: { expect } }: World,
  { intent }: Ended,
  content: { readonly transactionId?: string; readonly status?: string },
): void {
  const [attempt] = intent.attempts;
  expect(
    '1 one owner',
    content.transactionId === attempt?.reference,
    `the answer names transaction ${content.transactionId}`,
  );
  const order = provider.orders.get(attempt?.reference ?? '');
  const isPaid = order?.state === 'paid' && !order.hasLied;
  expect(
    '4 no blind retry',
    content.status !== 'FAILURE' || !isPaid,
    'the merchant was told FAILURE, and the customer has paid',
  );
}
