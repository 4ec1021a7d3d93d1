import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { StandIn } from '../../scripts/stand-ins/stand-in.ts';
import { expressPayment, hostedPayment, type Shop } from './project/shop.ts';

const POLL_MS = 100;
const WAIT_MS = 60_000;

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
  await until('SUCCESS', () => shop.paymentStatus(id));
  const refundUniqueId = randomUUID();
  const refund = { paymentIntentUniqueId: id, refundUniqueId, amountMinor: amount * 100 };
  expectEqual(await shop.refund(refund), 'PENDING');
  await until('SUCCESS', () => shop.refundStatus(refundUniqueId));
}

async function until(expected: string, read: () => Promise<string>): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS;
  for (;;) {
    const found = await read();
    if (found === expected || performance.now() > deadlineMs) {
      expectEqual(found, expected);
      return;
    }
    await wait(POLL_MS);
  }
}

function expectEqual<Value>(found: Value, expected: Value): void {
  if (found !== expected) {
    throw new Error(`expected ${expected}, but found ${found}`);
  }
}
