import { describe, expect, it } from 'vitest';
import type { CustomerAct, Fault, Plan } from '../../../scripts/stand-ins/stand-in.ts';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { expectAccepted } from '../../support/e2e-rails-answers.ts';
import { expectPending, expectTold, failed, PAID } from '../../support/e2e-rails-endings.ts';
import type { RailPayment } from '../../support/e2e-rails-payment.ts';
import { ASKABLE, CELLS, type Cell } from '../../support/e2e-rails-table.ts';
import { rails } from './scene.ts';

/**
 * Rails that accept a payment but whose answer is lost. The merchant and the customer see
 * "pending", never "failed" (docs/decisions.md#16), until a query or a callback resolves the
 * attempt.
 */

/** A payment on which the customer has acted, but the answer to its start was lost. */
async function payWithLostAnswer(cell: Cell, fault: Fault, act: CustomerAct): Promise<RailPayment> {
  if (cell.method === 'CBE') {
    // Its start makes no call. The query that confirms its callback fails.
    const payment = await rails.pay(cell, { plan: { query: fault } });
    const answer = await (await payment.order()).act(act);
    // CBE must repeat a callback that says "paid" but is not confirmed.
    expect(answer?.status).toBe(act === 'pays' ? 503 : 200);
    return payment;
  }
  // The rail does not answer queries either, until `recoverRail`.
  const plan: Plan = { start: fault, act, callback: 'never', query: 'reset' };
  const payment = await rails.pay(cell, { plan });
  await payment.order();
  return payment;
}

/** The rail recovers: it answers queries, or without a status query sends its callback. */
async function recoverRail(payment: RailPayment): Promise<void> {
  payment.plan({});
  if (!ASKABLE.includes(payment.cell.method)) {
    expectAccepted(payment, await (await payment.order()).callback());
  }
}

function expectPendingAnswer({ answer, cell }: RailPayment): void {
  if (answer !== null) {
    // CBE's page is reachable all the same.
    const paymentUrl = cell.method === 'CBE' ? expect.any(String) : null;
    expect(answer).toMatchObject({ status: 'SUCCESS', paymentUrl });
  }
}

/** How the answer is lost. */
function lossOf({ kind }: Cell): Fault {
  return kind === 'hosted' ? 'accepted_then_reset' : 'truncated';
}

describe.concurrent('the start times out, but was paid', () => {
  // eBirr answers only after its customer has acted.
  const hanging = CELLS.filter(({ method }) => method !== 'E_BIRR');

  it.each(hanging)('$method, $kind: pending, then PAYMENT_SUCCESS', async (cell) => {
    const payment = await payWithLostAnswer(cell, 'accepted_then_hang', 'pays');
    expectPendingAnswer(payment);
    await expectPending(payment);
    await recoverRail(payment);
    await expectTold(payment, [PAID]);
  });
});

describe.concurrent('the start breaks off, but was paid', () => {
  it.each(CELLS)('$method, $kind: pending, then PAYMENT_SUCCESS', async (cell) => {
    const payment = await payWithLostAnswer(cell, lossOf(cell), 'pays');
    expectPendingAnswer(payment);
    await expectPending(payment);
    await recoverRail(payment);
    await expectTold(payment, [PAID]);
  });
});

describe.concurrent('the start breaks off, and was declined', () => {
  it.each(CELLS)('$method, $kind: pending, then not paid', async (cell) => {
    const reason = cell.method === 'E_BIRR' ? 'canceled_by_customer' : 'declined';
    const payment = await payWithLostAnswer(cell, lossOf(cell), 'declines');
    expectPendingAnswer(payment);
    await expectPending(payment);
    await recoverRail(payment);
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

describe.concurrent('no callback comes', () => {
  const askable = CELLS.filter(({ method }) => ASKABLE.includes(method));

  it.each(askable)('$method, $kind: a query resolves it', async (cell) => {
    const payment = await rails.pay(cell, { plan: { callback: 'never' } });
    await payment.act('pays');
    await expectTold(payment, [PAID]);
  });
});
