import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Plan } from '../../scripts/stand-ins/stand-in.ts';
import type { FailureReason } from '../../src/engine/domain/attempt.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import {
  expectNoMore,
  expectPending,
  expectTold,
  failed,
  PAID,
} from '../support/e2e-rails-endings.ts';
import { APP_CELLS, CELLS, type Cell } from '../support/e2e-rails-table.ts';

/**
 * The other form of each protocol that has two: telebirr in its app, telebirr USSD's synchronous
 * service, NBG's states in lower case and a fee on top, and long transaction ids at CBE.
 */

vi.setConfig({ maxConcurrency: 16 });

const rails = new RailsScene('rails-other-forms', { hasOtherForms: true, hasAppForms: true });

beforeAll(() => rails.start());

afterAll(() => rails.close());

const OTHER: readonly Method[] = ['TELE_BIRR_USSD', 'ETS_SWITCH', 'CBE'];
const OTHERS = CELLS.filter(({ method }) => OTHER.includes(method));
const SYNCHRONOUS = CELLS.filter(({ method }) => method === 'TELE_BIRR_USSD');

/** What the customer does if they do not pay. */
const REFUSED = {
  TELE_BIRR: { act: 'declines', reason: 'declined' },
  TELE_BIRR_USSD: { act: 'lacks_funds', reason: 'insufficient_funds' },
  ETS_SWITCH: { act: 'declines', reason: 'declined' },
  CBE: { act: 'declines', reason: 'declined' },
} as const satisfies Partial<Record<Method, { act: Plan['act']; reason: FailureReason }>>;

describe.concurrent('other forms', () => {
  const paid = async (cell: Cell) => {
    const payment = await rails.pay(cell);
    await payment.act('pays');
    await expectTold(payment, [PAID]);
    expectAccepted(payment, await (await payment.order()).callback());
    await expectNoMore(payment);
  };

  it.each(OTHERS)('$method, $kind: paid, with a single event', paid);
  it.each(APP_CELLS)('$method, $telebirrForm: paid, with a single event', paid);

  const express = OTHERS.filter(({ kind }) => kind === 'express');

  const refused = async (cell: Cell) => {
    const { act, reason } = REFUSED[cell.method as keyof typeof REFUSED];
    const payment = await rails.pay(cell);
    await payment.order();
    await payment.act(act);
    await expectTold(payment, [failed(reason)]);
  };

  it.each(express)('$method, express: PAYMENT_FAILED has the reason', refused);
  it.each(APP_CELLS)('$method, $telebirrForm: PAYMENT_FAILED has the reason', refused);

  it.each(SYNCHRONOUS)('$method, $kind: paid by the answer alone', async (cell) => {
    const payment = await rails.pay(cell, { plan: { act: 'pays', callback: 'never' } });
    await expectTold(payment, [PAID]);
  });

  it.each(SYNCHRONOUS)('$method, $kind: pending after a lost answer, then paid', async (cell) => {
    const plan = { start: 'accepted_then_reset', act: 'pays', callback: 'never' } as const;
    const payment = await rails.pay(cell, { plan });
    const order = await payment.order();
    await expectPending(payment);
    expectAccepted(payment, await order.callback());
    await expectTold(payment, [PAID]);
  });

  it('TELE_BIRR_USSD, express: accepted before the customer acts', async () => {
    const payment = await rails.pay({ method: 'TELE_BIRR_USSD', kind: 'express' });
    expect(payment.answer).toMatchObject({ status: 'SUCCESS', paymentUrl: null });
    await payment.order();
    await expectPending(payment);
    await payment.act('pays');
    await expectTold(payment, [PAID]);
  });
});
