import { describe, expect, it } from 'vitest';
import type { CustomerAct, Fault, Plan } from '../../../scripts/stand-ins/stand-in.ts';
import { checkout as english } from '../../../src/i18n/en.ts';
import { expectAccepted } from '../../support/e2e-rails-answers.ts';
import { expectPending, expectTold, failed, PAID } from '../../support/e2e-rails-endings.ts';
import type { RailPayment } from '../../support/e2e-rails-payment.ts';
import { ASKABLE, CELLS, type Cell } from '../../support/e2e-rails-table.ts';
import { rails } from './scene.ts';

/**
 * Rails that take a payment and whose answer never comes. The merchant and the customer hear
 * "pending", never "failed" (docs/decisions.md#16), until the rail is asked again or speaks by
 * itself.
 */

/** A payment on which the customer has acted, and whose start was not answered. */
async function lost(cell: Cell, fault: Fault, act: CustomerAct): Promise<RailPayment> {
  if (cell.method === 'CBE') {
    // Its start calls nobody. What fails is the question that confirms its callback.
    const payment = await rails.pay(cell, { plan: { query: fault } });
    const answer = await (await payment.order()).act(act);
    // What says "paid" and cannot be confirmed shall be said again.
    expect(answer?.status).toBe(act === 'pays' ? 503 : 200);
    return payment;
  }
  // Asked, the rail does not answer either, until `heard`.
  const plan: Plan = { start: fault, act, callback: 'never', query: 'reset' };
  const payment = await rails.pay(cell, { plan });
  await payment.order();
  return payment;
}

/** The rail is back: where it can be asked, it will be; else it reports by itself. */
async function heard(payment: RailPayment): Promise<void> {
  payment.plan({});
  if (!ASKABLE.includes(payment.cell.method)) {
    expectAccepted(payment, await (await payment.order()).callback());
  }
}

function expectPendingAnswer({ answer, cell }: RailPayment): void {
  if (answer !== null) {
    // CBE's page can be reached all the same.
    const paymentUrl = cell.method === 'CBE' ? expect.any(String) : null;
    expect(answer).toMatchObject({ status: 'SUCCESS', paymentUrl });
  }
}

/** The ways in which an answer is lost. */
function broken({ kind }: Cell): Fault {
  return kind === 'hosted' ? 'accepted_then_reset' : 'truncated';
}

describe.concurrent('the start runs into a time-out, and was paid', () => {
  // eBirr's queue has one consumer here, which a call that hangs would keep from all others: see
  // `rails-windows.test.ts`.
  const hanging = CELLS.filter(({ method }) => method !== 'E_BIRR');

  it.each(hanging)('$method, $kind: pending, then PAYMENT_SUCCESS', async (cell) => {
    const payment = await lost(cell, 'accepted_then_hang', 'pays');
    expectPendingAnswer(payment);
    await expectPending(payment);
    await heard(payment);
    await expectTold(payment, [PAID]);
  });
});

describe.concurrent('the start breaks off, and was paid', () => {
  it.each(CELLS)('$method, $kind: pending, then PAYMENT_SUCCESS', async (cell) => {
    const payment = await lost(cell, broken(cell), 'pays');
    expectPendingAnswer(payment);
    await expectPending(payment);
    await heard(payment);
    await expectTold(payment, [PAID]);
  });
});

describe.concurrent('the start breaks off, and was declined', () => {
  it.each(CELLS)('$method, $kind: pending, then not paid', async (cell) => {
    const reason = cell.method === 'E_BIRR' ? 'canceled_by_customer' : 'declined';
    const payment = await lost(cell, broken(cell), 'declines');
    expectPendingAnswer(payment);
    await expectPending(payment);
    await heard(payment);
    if (cell.kind === 'express') {
      await expectTold(payment, [failed(reason)]);
      return;
    }
    expect((await payment.payablePage()).text).toContain(english.failure[reason]);
    await payment.start();
    await payment.act('pays');
    await expectTold(payment, [PAID]);
  });
});

describe.concurrent('no callback ever comes', () => {
  const askable = CELLS.filter(({ method }) => ASKABLE.includes(method));

  it.each(askable)('$method, $kind: the rail is asked', async (cell) => {
    const payment = await rails.pay(cell, { plan: { callback: 'never' } });
    await payment.act('pays');
    await expectTold(payment, [PAID]);
  });
});
