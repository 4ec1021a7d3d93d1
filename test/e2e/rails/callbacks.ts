import { describe, expect, it } from 'vitest';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { expectAccepted, expectRefusalLogged, strayed } from '../../support/e2e-rails-answers.ts';
import {
  expectNoMore,
  expectPending,
  expectTold,
  failed,
  PAID,
} from '../../support/e2e-rails-endings.ts';
import { CELLS, type Cell } from '../../support/e2e-rails-table.ts';
import { open } from '../../support/e2e-visitor.ts';
import { rails } from './scene.ts';

/** Rails' callbacks that are repeated, early or not genuine. */

/** A payment that was paid at the rail without a callback yet. */
async function paidWithoutCallback(cell: Cell) {
  // eBirr would report the payment in its answer, so its connection breaks.
  const plan =
    cell.method === 'E_BIRR'
      ? ({ start: 'accepted_then_reset', act: 'pays', callback: 'never' } as const)
      : {};
  const payment = await rails.pay(cell, { plan });
  const order = await payment.order();
  if (cell.method !== 'E_BIRR') {
    await order.act('pays', { silent: true });
  }
  return { payment, order };
}

describe.concurrent('repeated callbacks', () => {
  it.each(CELLS)('$method, $kind: acknowledged, with a single event', async (cell) => {
    const { payment, order } = await paidWithoutCallback(cell);
    const answers = await Promise.all([order.callback(), order.callback(), order.callback()]);
    for (const answer of answers) {
      expectAccepted(payment, answer);
    }
    await expectTold(payment, [PAID]);
    expectAccepted(payment, await order.callback());
    await expectNoMore(payment);
  });
});

/** Every other method's are in `test/support/rails/contract.ts`. */
describe.concurrent('a callback that is not genuine', () => {
  const cell = { method: 'TELE_BIRR', kind: 'hosted' } as const;
  const refused = ['refused_callback'];

  it.each([
    ['forged', 403, 'not_authentic'],
    ['wrong_amount', 409, 'wrong_amount'],
    ['other_order', 409, 'other_order'],
  ] as const)('%s: refused and logged; the genuine one pays', async (...row) => {
    const [variant, status, suspicion] = row;
    const { payment, order } = await paidWithoutCallback(cell);
    expect(await order.callback(variant)).toMatchObject({ status });
    await expectPending(payment, refused);
    await expectRefusalLogged(payment, suspicion);

    expectAccepted(payment, await order.callback());
    await expectTold(payment, [PAID], refused);
  });

  it('is not found at a guessed URL', async () => {
    const { payment, order } = await paidWithoutCallback(cell);
    const address = strayed(order.callbackUrl);
    expect(await order.callback('genuine', address)).toMatchObject({ status: 404 });
    await expectPending(payment);

    expectAccepted(payment, await order.callback());
    await expectTold(payment, [PAID]);
  });

  it('of another order, which is paid, does not pay this one', async () => {
    const { payment, order } = await paidWithoutCallback(cell);
    const other = await paidWithoutCallback(cell);
    expect(await other.order.callback('genuine', order.callbackUrl)).toMatchObject({ status: 409 });
    await expectRefusalLogged(payment, 'other_order');
    await expectPending(payment, refused);
    await expectPending(other.payment);

    expectAccepted(other.payment, await other.order.callback());
    await expectTold(other.payment, [PAID]);
    expectAccepted(payment, await order.callback());
    await expectTold(payment, [PAID], refused);
  });
});

describe.concurrent('a callback before our own answer', () => {
  it.each(CELLS)('$method, $kind: paid', async (cell) => {
    const plan = { act: 'pays', callback: 'before_answer' } as const;
    const payment = await rails.pay(cell, { plan });
    await expectTold(payment, [PAID]);
    if (cell.kind === 'hosted') {
      expect((await open(payment.checkoutUrl)).heading).toBe(english.paidTitle);
    } else {
      expect(payment.answer?.status).toBe('SUCCESS');
    }
  });

  it.each(CELLS)('$method, $kind: declined', async (cell) => {
    const plan = { act: 'declines', callback: 'before_answer' } as const;
    const reason = cell.method === 'E_BIRR' ? 'canceled_by_customer' : 'declined';
    const payment = await rails.pay(cell, { plan });
    if (cell.kind === 'express') {
      // The customer calls CBE, and the queue calls eBirr, after the merchant's answer.
      const isCalledLater = cell.method === 'CBE' || cell.method === 'E_BIRR';
      expect(payment.answer?.status).toBe(isCalledLater ? 'SUCCESS' : 'FAILURE');
      await expectTold(payment, [failed(reason)]);
      return;
    }
    expect((await payment.payablePage()).text).toContain(english.failure[reason]);
    payment.plan({});
    await payment.start();
    await payment.act('pays');
    await expectTold(payment, [PAID]);
  });
});
