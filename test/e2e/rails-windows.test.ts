import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import { EXPIRED, expectTold, failed, paidLate } from '../support/e2e-rails-endings.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { CELLS, type Cell } from '../support/e2e-rails-table.ts';
import { open } from '../support/e2e-visitor.ts';

/** The customer does not act within the rail's window and the payment's lifetime, or pays later. */

// Most of the time is waiting: longest for eBirr, whose payment lasts 130 s.
const LONGEST_WINDOW_MS = 150_000;
vi.setConfig({ maxConcurrency: 40, testTimeout: 180_000 });

/** Each payment's lifetime: what the settings below need, so that no attempt holds up the expiry. */
function expireInOf({ method }: Cell): number {
  switch (method) {
    case 'E_BIRR':
      return 130;
    case 'TELE_BIRR':
      return 102;
    default:
      return 35;
  }
}

const rails = new RailsScene('rails-windows', {
  moreSettings: {
    TELE_BIRR: { callTimeoutMs: 6_000 },
    TELE_BIRR_USSD: { promptWindowSeconds: 5 },
    CBE: { pageWindowSeconds: 5 },
    ETS_SWITCH: { pageWindowSeconds: 5 },
    M_PESA: { promptWindowSeconds: 5 },
    E_BIRR: { promptWindowSeconds: 5 },
  },
});

beforeAll(() => rails.start());

afterAll(() => rails.close());

/** Waits for the first event, longer than an endpoint's own wait. */
function untilFirstEvent({ hook }: RailPayment): Promise<void> {
  return vi.waitFor(() => expect(hook.requests).toHaveLength(1), {
    timeout: LONGEST_WINDOW_MS,
    interval: 250,
  });
}

/** Checks the page that the customer of a hosted payment sees. */
async function expectHeading(payment: RailPayment, heading: string): Promise<void> {
  if (payment.cell.kind === 'hosted') {
    expect((await open(payment.checkoutUrl)).heading).toBe(heading);
  }
}

describe.concurrent('the customer does not act', () => {
  // telebirr closes its orders itself.
  const staysOpen = CELLS.filter(({ method }) => method !== 'TELE_BIRR');

  it.each(staysOpen)('$method, $kind: expired, and paid late', async (cell) => {
    const payment = await rails.pay(cell, { expireIn: expireInOf(cell) });
    await untilFirstEvent(payment);
    await expectTold(payment, [EXPIRED]);
    await expectHeading(payment, english.expiredTitle);

    await payment.act('pays');
    await expectTold(payment, [EXPIRED, paidLate('EXPIRED')]);
    await expectHeading(payment, english.paidTitle);
  });

  const closes = CELLS.filter(({ method }) => method === 'TELE_BIRR');

  it.each(closes)('$method, $kind: telebirr has closed the order early', async (cell) => {
    const plan = { callback: 'never' } as const;
    const payment = await rails.pay(cell, { expireIn: expireInOf(cell), plan });
    await (await payment.order()).act('times_out', { silent: true });
    await untilFirstEvent(payment);
    // A hosted payment reopens, until it expires.
    const timedOut = failed('timed_out');
    const { transactionStatus, failureReason } = timedOut;
    const expired = {
      ...EXPIRED,
      previousStatus: 'OPEN',
      transactionStatus,
      failureReason,
    } as const;
    await expectTold(payment, [cell.kind === 'express' ? timedOut : expired]);
    await expectHeading(payment, english.expiredTitle);
  });

  it.each(closes)('$method, $kind: expired, and paid late when reported', async (cell) => {
    const plan = { query: 'http_500', callback: 'never' } as const;
    const payment = await rails.pay(cell, { expireIn: expireInOf(cell), plan });
    const order = await payment.order();
    await order.act('pays', { silent: true });
    await untilFirstEvent(payment);
    await expectTold(payment, [EXPIRED]);

    payment.plan({});
    expectAccepted(payment, await order.callback());
    await expectTold(payment, [EXPIRED, paidLate('EXPIRED')]);
    await expectHeading(payment, english.paidTitle);
  });
});
