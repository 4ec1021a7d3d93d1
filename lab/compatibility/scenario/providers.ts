import { wireAmount } from '../../harness/wire-amount.ts';
import { choose, createHosted, getsWebhook, type Merchant, read } from './merchants.ts';
import { eventually, includes, send } from './play.ts';

/** Payments at providers, which stand-ins play: a slow start by a queue, and a shared address. */

/** eBirr answers a start only after the customer has acted, so a consumer makes the call. */
export async function payByQueue(merchant: Merchant, uniqueId: string): Promise<void> {
  const { rails } = merchant.play;
  rails.E_BIRR.plan(wireAmount(rails.E_BIRR, 32_100), { act: 'pays' });
  const opened = await createHosted(merchant, uniqueId, { amount: 321 }, true);
  await choose(merchant, opened, 'E_BIRR');
  await expectPaid(merchant, uniqueId, 32_100);
}

/** CBE reports to one address, so the register knows which payment a reference belongs to. */
export async function payBySharedAddress(merchant: Merchant, uniqueId: string): Promise<void> {
  const { play } = merchant;
  const { rails, system } = play;
  rails.CBE.plan(wireAmount(rails.CBE, 43_200), { act: 'pays' });
  Object.assign(rails.CBE, { registeredCallbackUrl: `${system.origin}/rails/cbe-birr` });
  const opened = await createHosted(merchant, uniqueId, { amount: 432 }, true);
  // The customer's browser takes the order to the bank's page.
  await send(play, await choose(merchant, opened, 'CBE'));
  await expectPaid(merchant, uniqueId, 43_200);
}

async function expectPaid(merchant: Merchant, uniqueId: string, totalAmount: number) {
  await eventually('the payment is paid', () => read(merchant, uniqueId, true), {
    status: 'SUCCESS',
    totalAmount,
  });
  includes(await getsWebhook(merchant, uniqueId, 'PAYMENT_SUCCESS'), { event: { totalAmount } });
}
