import { randomUUID } from 'node:crypto';
import type { StandIn } from '../../scripts/stand-ins/stand-in.ts';
import { until } from '../harness/until.ts';
import { expressPayment, hostedPayment, type Shop } from './project/shop.ts';

/**
 * What a merchant does first: creates a hosted payment, charges a phone, waits until it is paid,
 * returns a part of the money, and waits until it has arrived. Throws when a step has another
 * outcome. `amount`: of the payment, of which the stand-in plays the customer.
 */
export async function payAndRefund(shop: Shop, standIn: StandIn, amount: number): Promise<void> {
  standIn.plan(String(amount), { act: 'pays' });
  const page = await shop.create(hostedPayment(randomUUID()));
  expectEqual(new URL(page).pathname.startsWith('/checkout/'), true);
  const id = randomUUID();
  expectEqual(await shop.charge(expressPayment(id, amount)), 'SUCCESS');
  await until('paid payment', async () => (await shop.paymentStatus(id)) === 'SUCCESS');
  const refundUniqueId = randomUUID();
  const refund = { paymentIntentUniqueId: id, refundUniqueId, amountMinor: amount * 100 };
  expectEqual(await shop.refund(refund), 'PENDING');
  await until(
    'returned money',
    async () => (await shop.refundStatus(refundUniqueId)) === 'SUCCESS',
  );
}

function expectEqual<Value>(found: Value, expected: Value): void {
  if (found !== expected) {
    throw new Error(`expected ${expected}, but found ${found}`);
  }
}
