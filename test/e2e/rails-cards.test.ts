import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RailsScene } from '../support/e2e-rails.ts';
import { strayed } from '../support/e2e-rails-answers.ts';
import { expectPending, expectTold, failed, PAID } from '../support/e2e-rails-endings.ts';
import { CELLS } from '../support/e2e-rails-table.ts';

/** EthSwitch's other gateway. Every callback triggers a query, so a forged one has no effect. */

vi.setConfig({ maxConcurrency: 16 });

const rails = new RailsScene('rails-cards', { ethswitch: 'cards' });

beforeAll(() => rails.start());

afterAll(() => rails.close());

const CARDS = CELLS.filter(({ method }) => method === 'ETS_SWITCH');

/** With the secret that the operator has set. */
function accountAddress(): string {
  const { callbackToken } = rails.standIns.byMethod.ETS_SWITCH.settings;
  return `${rails.scene.gateway.baseUrl}/rails/ethswitch-cards/account/${callbackToken}`;
}

describe.concurrent('cards', () => {
  it.each(CARDS)('$kind: paid, with a single event', async (cell) => {
    const payment = await rails.pay(cell);
    const order = await payment.order();
    await payment.act('pays');
    expect(await order.callback()).toMatchObject({ status: 200 });
    await expectTold(payment, [PAID]);
  });

  it.each(CARDS)(
    '$kind: paid with another card after one with insufficient funds',
    async (cell) => {
      const payment = await rails.pay(cell);
      const order = await payment.order();
      await order.act('lacks_funds', { silent: true });
      expect(await order.callback()).toMatchObject({ status: 200 });
      await expectPending(payment);
      await order.act('pays');
      await expectTold(payment, [PAID]);
    },
  );

  it.each(CARDS)('$kind: paid by a report to the account’s address', async (cell) => {
    const payment = await rails.pay(cell, { plan: { callback: 'never' } });
    const order = await payment.order();
    await order.act('pays', { silent: true });
    const address = accountAddress();
    const forged = await order.callback('genuine', strayed(address));
    expect(forged).toMatchObject({ status: 401 });
    expect(await order.callback('genuine', address)).toMatchObject({ status: 200 });
    await expectTold(payment, [PAID]);
  });

  it('express: fails for insufficient funds once the page has ended', async () => {
    const cell = { method: 'ETS_SWITCH', kind: 'express' } as const;
    // The shortest payment by cards.
    const payment = await rails.pay(cell, { expireIn: 80 });
    await (await payment.order()).act('lacks_funds', { silent: true });
    await expectTold(payment, [failed('insufficient_funds')]);
  });

  it.each(CARDS)('$kind: queried when the customer returns without a callback', async (cell) => {
    const payment = await rails.pay(cell, { plan: { callback: 'never' } });
    await payment.act('pays');
    await expectTold(payment, [PAID]);
  });

  it.each(CARDS)('$kind: queried after a start that broke off', async (cell) => {
    const plan = { start: 'accepted_then_reset', act: 'pays', callback: 'never' } as const;
    const payment = await rails.pay(cell, { plan });
    await expectTold(payment, [PAID]);
  });

  it.each(CARDS)('$kind: not paid by a callback alone', async (cell) => {
    const payment = await rails.pay(cell);
    const order = await payment.order();
    for (const variant of ['forged', 'wrong_amount'] as const) {
      expect(await order.callback(variant)).toMatchObject({ status: 200 });
    }
    await expectPending(payment);
    expect(await order.callback('other_order')).toMatchObject({ status: 400 });
    await expectPending(payment, ['refused_callback']);
    await payment.act('pays');
    await expectTold(payment, [PAID], ['refused_callback']);
  });
});
