import type { World } from './history.ts';
import type { PlannedPayment } from './plan.ts';
import type { Ended, Expect } from './verdict.ts';

/** What merchants were told is what is stored. */
export function checkAnswers(expect: Expect, world: World, ended: readonly Ended[]): void {
  checkCreated(expect, world, ended);
  const { canceledPayments, refunds, canceledRefunds } = world.journal;
  for (const payment of canceledPayments) {
    const found = endedOf(ended, payment);
    const status = found?.intent.status;
    const isKept = status === 'canceled' || (status === 'succeeded' && found?.intent.late === true);
    expect(isKept, '6 nothing lost', () => `canceled, and then ${status}`);
  }
  for (const { payment, refund } of refunds) {
    const { refundUniqueId, amountMinor, paymentIntentUniqueId } = refund;
    const intent = endedOf(ended, payment)?.intent;
    const stored = intent?.refunds.find(({ id }) => id === refundUniqueId);
    const isKept =
      stored?.amountMinor === amountMinor && paymentIntentUniqueId === payment.uniqueId;
    expect(isKept, '6 nothing lost', () => `${refundUniqueId} of ${amountMinor} is not stored so`);
  }
  for (const { payment, refundId } of canceledRefunds) {
    // The id may belong to another payment of the merchant.
    const stored = ended
      .filter((one) => one.payment.merchant === payment.merchant)
      .flatMap(({ intent }) => intent.refunds)
      .filter(({ id }) => id === refundId);
    const isKept = stored.length === 1 && stored[0]?.status === 'canceled';
    expect(isKept, '6 nothing lost', () => `${refundId} was canceled, and is ${stored[0]?.status}`);
  }
  for (const one of ended) {
    const ids = ended
      .filter((other) => other.payment.merchant === one.payment.merchant)
      .flatMap(({ intent }) => intent.refunds.map(({ id }) => id));
    expect(new Set(ids).size === ids.length, '11 refunds', () => 'two refunds with one id');
  }
}

function endedOf(ended: readonly Ended[], payment: PlannedPayment): Ended | undefined {
  return ended.find(
    (one) => one.payment.merchant === payment.merchant && one.payment.uniqueId === payment.uniqueId,
  );
}

/** Each answer to a create request is about the one payment, with the same content. */
function checkCreated(expect: Expect, world: World, ended: readonly Ended[]): void {
  const { created } = world.journal;
  for (const { payment, key, content, isReplay } of created) {
    const found = endedOf(ended, payment);
    expect(found !== undefined, '6 nothing lost', () => `${payment.uniqueId} is not stored`);
    if (found === undefined) {
      continue;
    }
    const { amountMinor } = found.intent.terms;
    expect(
      amountMinor === payment.amountMinor,
      '1 one owner',
      () => `the answer was about ${payment.amountMinor}, stored are ${amountMinor}`,
    );
    const makers = created.filter(
      (other) => !other.isReplay && endedOf(ended, other.payment) === found,
    );
    expect(makers.length <= 1, '1 one owner', () => `two requests made ${payment.uniqueId}`);
    expect(!isReplay || key !== null, '1 one owner', () => 'a replay without a key');
    if (found.intent.terms.kind === 'express') {
      checkExpressAnswer(expect, world, found, Object(content));
    }
  }
}

function checkExpressAnswer(
  expect: Expect,
  { provider }: World,
  { intent }: Ended,
  content: { readonly transactionId?: string; readonly status?: string },
): void {
  const [attempt] = intent.attempts;
  expect(
    content.transactionId === attempt?.reference,
    '1 one owner',
    () => `the answer names transaction ${content.transactionId}`,
  );
  const order = provider.orders.get(attempt?.reference ?? '');
  const isPaid = order?.state === 'paid' && !order.hasLied;
  expect(
    content.status !== 'FAILURE' || !isPaid,
    '4 no blind retry',
    () => 'the merchant was told FAILURE, and the customer has paid',
  );
}
