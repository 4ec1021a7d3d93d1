import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CustomerAct, Fault, Plan, ReceivedCall } from '../../scripts/stand-ins/stand-in.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted, strayed } from '../support/e2e-rails-answers.ts';
import {
  expectNoMore,
  expectPending,
  expectTold,
  failed,
  PAID,
} from '../support/e2e-rails-endings.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { CELLS, type Cell } from '../support/e2e-rails-table.ts';

/**
 * The status queries that are off by default, when the rail's report is lost. And EthSwitch's other
 * gateway: every callback triggers a query, so a forged one has no effect.
 */

vi.setConfig({ maxConcurrency: 16 });

const rails = new RailsScene('rails-queries', { hasStatusQueries: true, ethswitch: 'cards' });

beforeAll(() => rails.start());

afterAll(() => rails.close());

const OFF_BY_DEFAULT: readonly Method[] = ['E_BIRR', 'TELE_BIRR_USSD', 'M_PESA'];
const QUERIED = CELLS.filter(({ method }) => OFF_BY_DEFAULT.includes(method));

/** A prompt on which the customer has acted, without a report. */
async function unreported(cell: Cell, act: CustomerAct, query?: Fault): Promise<RailPayment> {
  // eBirr would report in its answer, so its connection breaks.
  const lost: Plan = cell.method === 'E_BIRR' ? { start: 'accepted_then_reset' } : {};
  const faulty: Plan = query === undefined ? {} : { query };
  const plan: Plan = { act, callback: 'never', ...lost, ...faulty };
  const payment = await rails.pay(cell, { plan });
  await payment.order();
  return payment;
}

const QUERY = /API_TRANSACTIONSTATUS|>QueryTransactionStatus<|TransactionStatusQuery/;

/** Waits until the gateway has asked the rail about the payment. */
async function queried(payment: RailPayment): Promise<void> {
  const order = await payment.order();
  // M-PESA's queries contain its own id and our address, not our reference.
  const isAbout = (body: string) =>
    body.includes(order.orderId) || body.includes(order.callbackUrl);
  const isQuery = ({ body }: ReceivedCall) => QUERY.test(body) && isAbout(body);
  // Not `expect.poll`, which is lost between tests that run side by side.
  await vi.waitUntil(() => payment.standIn.calls.some(isQuery), { timeout: 60_000 });
}

describe.concurrent('the report is lost', () => {
  it.each(QUERIED)(
    '$method, $kind: a query finds the payment; a late report changes nothing',
    async (cell) => {
      const payment = await unreported(cell, 'pays');
      await expectTold(payment, [PAID]);
      expectAccepted(payment, await (await payment.order()).callback());
      await expectNoMore(payment);
    },
  );

  it.each(QUERIED)('$method, $kind: half an answer proves nothing; the next pays', async (cell) => {
    const payment = await unreported(cell, 'pays', 'truncated');
    await queried(payment);
    await expectPending(payment);
    payment.plan({});
    await expectTold(payment, [PAID]);
  });

  const express = QUERIED.filter(({ kind }) => kind === 'express');

  it.each(express)('$method, express: a query finds the failure', async (cell) => {
    await expectTold(await unreported(cell, 'declines'), [failed('declined')]);
  });

  it.each(QUERIED)(
    '$method, $kind: pending while the rail does not know, then reported',
    async (cell) => {
      const payment = await unreported(cell, 'times_out');
      await expectPending(payment);
      const order = await payment.order();
      expect(order.acted).toBe('times_out');
      expectAccepted(payment, await order.act('pays'));
      await expectTold(payment, [PAID]);
    },
  );
});

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
