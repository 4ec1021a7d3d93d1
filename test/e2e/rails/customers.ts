import { describe, expect, it } from 'vitest';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import {
  ABANDONED,
  expectNoMore,
  expectTold,
  failed,
  PAID,
  paidLate,
} from '../../support/e2e-rails-endings.ts';
import { CELLS, EXPRESS, HOSTED, REDIRECTS } from '../../support/e2e-rails-table.ts';
import { formTo, open, submit } from '../../support/e2e-visitor.ts';
import { FACTS } from '../../support/method-facts.ts';
import { rails } from './scene.ts';

/**
 * Outcomes of production payments by the customers' acts, with stand-ins as strict as the rails.
 * test/smoke/gateway.test.ts has those that are paid at once.
 */

describe.concurrent('the customer is refused', () => {
  it.each(EXPRESS)('$method, express: PAYMENT_FAILED has the reason', async (cell) => {
    const { act, reason } = FACTS[cell.method].unpaid;
    const payment = await rails.pay(cell);
    const order = await payment.order();
    await payment.act(act);
    await expectTold(payment, [failed(reason)]);

    // The rail reports twice, but the merchant gets one event.
    await order.callback();
    await expectTold(payment, [failed(reason)]);
  });

  it.each(HOSTED)(
    '$method, hosted: the page shows the reason and accepts another attempt',
    async (cell) => {
      const { act, reason } = FACTS[cell.method].unpaid;
      const payment = await rails.pay(cell);
      const first = await payment.reference();
      await payment.act(act);

      const page = await payment.payablePage();
      expect(page.text).toContain({ ...english.failure, abandoned: english.leftLead }[reason]);
      expect(payment.hook.requests).toEqual([]);

      await payment.start();
      await payment.act('pays');
      const { transaction } = await expectTold(payment, [PAID]);
      expect(transaction?.transactionId).not.toBe(first);
    },
  );
});

/** The start makes no call to CBE. */
const CALLED = CELLS.filter(({ method }) => method !== 'CBE');

describe.concurrent('the rail refuses our credentials', () => {
  it.each(CALLED)('$method, $kind: misconfigured', async (cell) => {
    const payment = await rails.pay(cell, { plan: { refuses: 'misconfigured' } });
    if (cell.kind === 'express') {
      // At the time of the merchant's answer, eBirr's call is still in the queue.
      expect(payment.answer?.status).toBe(cell.method === 'E_BIRR' ? 'SUCCESS' : 'FAILURE');
      await expectTold(payment, [failed('misconfigured')]);
      return;
    }
    const page = await payment.payablePage();
    expect(page.text).toContain(english.failure.misconfigured);
    payment.plan({});
    await payment.start();
    await payment.act('pays');
    await expectTold(payment, [PAID]);
  });
});

describe.concurrent('the customer leaves the page of', () => {
  const left = HOSTED.filter(({ method }) => REDIRECTS.includes(method));

  it.each(left)(
    '$method and abandons the payment: paid late if it is paid after all',
    async (cell) => {
      const payment = await rails.pay(cell);
      const giveUp = formTo(await open(payment.checkoutUrl), '/give-up');
      expect((await submit(giveUp)).heading).toBe(english.failedTitle);
      await expectTold(payment, [ABANDONED]);

      // The rail's page is still open in another tab.
      await payment.act('pays');
      await expectTold(payment, [ABANDONED, paidLate('FAILED')]);
      expect((await open(payment.checkoutUrl)).heading).toBe(english.paidTitle);
    },
  );

  it.each(left)('$method for another attempt, and pays both: decisions.md#31', async (cell) => {
    const payment = await rails.pay(cell);
    const firstOrder = await payment.order();
    const first = await payment.reference();
    const abandon = formTo(await open(payment.checkoutUrl), '/abandon');
    expect((await submit(abandon)).text).toContain(english.leftLead);

    await payment.start();
    await payment.act('pays');
    await expectTold(payment, [PAID]);
    const second = await payment.reference();

    expect(await firstOrder.act('pays')).toMatchObject({ status: 200 });
    await expectNoMore(payment);
    const status = await payment.status();
    expect(status).toMatchObject({ status: 'SUCCESS', transaction: { transactionId: second } });
    expect(status.anomalies).toMatchObject([{ type: 'duplicate_payment', transactionId: first }]);
  });
});
