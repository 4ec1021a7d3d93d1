import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Method } from '../../src/engine/domain/method.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import { expectTold, PAID } from '../support/e2e-rails-endings.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { CELLS } from '../support/e2e-rails-table.ts';
import { eventually } from '../support/e2e-scene.ts';
import { factOfAll } from '../support/method-facts.ts';

/** SIGKILL to a gateway in the middle of the calls to every provider. */

// `callTimeoutMs` determines how long a merchant who retries has to wait.
const rails = new RailsScene('crash', { moreSettings: { TELE_BIRR: { callTimeoutMs: 5_000 } } });

beforeAll(() => rails.start());

afterAll(() => rails.close());

const CRASHES = factOfAll('crash');

test('charges no customer twice and loses no payment after SIGKILL during the calls', async () => {
  const payments = await Promise.all(
    CELLS.map((cell) => rails.create(cell, { plan: CRASHES[cell.method].plan })),
  );
  const cutOff = payments.map((payment) => begin(payment).catch(() => undefined));
  const references = await Promise.all(payments.map((payment) => payment.reference()));
  await vi.waitFor(expectAllPending, { timeout: 60_000 });
  await rails.scene.gateway.kill();
  await Promise.all(cutOff);
  expect(rails.scene.server.requests()).toEqual([]);

  await rails.scene.gateway.restart();
  for (const payment of payments) {
    payment.plan({});
  }
  await Promise.all(payments.map((payment, index) => tryAgain(payment, references[index] ?? '')));
  for (const payment of payments) {
    const order = await payment.order();
    // The customer has already paid at CBE.
    if (payment.cell.method !== 'CBE') {
      expectAccepted(payment, await order.act('pays'));
    }
  }
  for (const [index, payment] of payments.entries()) {
    const { transaction } = await expectTold(payment, [PAID]);
    expect(transaction?.transactionId).toBe(references[index]);
    expect([payment.cell, await chargesOf(payment)]).toEqual([payment.cell, 1]);
  }
}, 180_000);

/** Starts the payment, up to the call that hangs. */
async function begin(payment: RailPayment): Promise<void> {
  await payment.start();
  if (payment.cell.method === 'CBE') {
    await payment.act('pays');
  }
}

function expectAllPending(): void {
  const calls = Object.entries(CRASHES).map(([method, { call }]) => [
    method,
    rails.standIns.byMethod[method as Method].calls.filter(({ url }) => url.includes(call)).length,
  ]);
  expect(calls).toEqual(Object.entries(CRASHES).map(([method, row]) => [method, row.calls]));
}

/** The merchant retries and the customer presses the button again, which must start nothing. */
async function tryAgain(payment: RailPayment, reference: string): Promise<void> {
  if (payment.cell.kind === 'hosted') {
    await payment.startAgain();
    return;
  }
  const repeated = await eventually(
    () => payment.callExpress(),
    ({ status }) => status === 200,
  );
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect(repeated.body.content).toMatchObject({ status: 'SUCCESS', transactionId: reference });
}

/** How often the gateway asked the rail for a charge, or the customer paid on the rail's page. */
async function chargesOf(payment: RailPayment): Promise<number> {
  const { cell, standIn } = payment;
  const { orderId } = await payment.order();
  const address = cell.method === 'CBE' ? '/Default.aspx' : CRASHES[cell.method].call;
  return standIn.calls.filter(
    ({ method, url, body }) => method === 'POST' && url.includes(address) && body.includes(orderId),
  ).length;
}
