import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkout as english } from '../../src/i18n/en.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import { EXPIRED, expectTold, paidLate } from '../support/e2e-rails-endings.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { CELLS } from '../support/e2e-rails-table.ts';
import { open } from '../support/e2e-visitor.ts';

/** Nobody acts within the rail's window and the payment's own time; and what is paid after it. */

// Nearly all of this is waiting: longest for eBirr, then for telebirr, whose orders live a minute.
const LONGEST_WINDOW_MS = 130_000;
vi.setConfig({ maxConcurrency: 40, testTimeout: 150_000 });

/** Of each payment: time enough to choose the method. */
const EXPIRE_IN = 15;

/** eBirr's calls wait for each other here, where a queue has one consumer: nearly a minute. */
const EBIRR_EXPIRE_IN = 60;

let rails: RailsScene;

beforeAll(async () => {
  rails = await RailsScene.start({
    moreSettings: {
      TELE_BIRR_USSD: { promptWindowSeconds: 5 },
      CBE: { pageWindowSeconds: 5 },
      ETS_SWITCH: { pageWindowSeconds: 5 },
      M_PESA: { promptWindowSeconds: 5 },
      E_BIRR: { promptWindowSeconds: 5 },
    },
  });
});

afterAll(() => rails?.close());

/** A first event, after more time than an endpoint waits for one. */
function untilTold({ hook }: RailPayment): Promise<void> {
  return vi.waitFor(() => expect(hook.requests).toHaveLength(1), {
    timeout: LONGEST_WINDOW_MS,
    interval: 250,
  });
}

/** What is left to the customer of a hosted payment to see. */
async function expectHeading(payment: RailPayment, heading: string): Promise<void> {
  if (payment.cell.kind === 'hosted') {
    expect((await open(payment.checkoutUrl)).heading).toBe(heading);
  }
}

describe.concurrent('nobody acts', () => {
  /** telebirr closes its orders itself. */
  const staysOpen = CELLS.filter(({ method }) => method !== 'TELE_BIRR');

  it.each(staysOpen)('$method, $kind: expired, and late when paid after all', async (cell) => {
    const expireIn = cell.method === 'E_BIRR' ? EBIRR_EXPIRE_IN : EXPIRE_IN;
    const payment = await rails.pay(cell, { expireIn });
    await untilTold(payment);
    await expectTold(payment, [EXPIRED]);
    await expectHeading(payment, english.expiredTitle);

    await payment.act('pays');
    await expectTold(payment, [EXPIRED, paidLate('EXPIRED')]);
    await expectHeading(payment, english.paidTitle);
  });

  const closes = CELLS.filter(({ method }) => method === 'TELE_BIRR');

  it.each(closes)('$method, $kind: expired when telebirr closes the order', async (cell) => {
    const plan = { callback: 'never' } as const;
    const payment = await rails.pay(cell, { expireIn: EXPIRE_IN, plan });
    // Asked for the first time after the payment's own time.
    await (await payment.order()).act('times_out', { silent: true });
    const closed = { ...EXPIRED, transactionStatus: 'FAILED', failureReason: 'timed_out' } as const;
    await expectTold(payment, [closed]);
    await expectHeading(payment, english.expiredTitle);
  });

  it.each(closes)('$method, $kind: expired, and late when reported after all', async (cell) => {
    const plan = { query: 'http_500', callback: 'never' } as const;
    const payment = await rails.pay(cell, { expireIn: EXPIRE_IN, plan });
    const order = await payment.order();
    await order.act('pays', { silent: true });
    await untilTold(payment);
    await expectTold(payment, [EXPIRED]);

    payment.plan({});
    expectAccepted(payment, await order.callback());
    await expectTold(payment, [EXPIRED, paidLate('EXPIRED')]);
    await expectHeading(payment, english.paidTitle);
  });
});
