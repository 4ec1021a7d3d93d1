import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Plan } from '../../scripts/stand-ins/stand-in.ts';
import type { Method } from '../../src/domain/method.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import { expectTold, PAID } from '../support/e2e-rails-endings.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { CELLS } from '../support/e2e-rails-table.ts';
import { eventually } from '../support/e2e-scene.ts';

let rails: RailsScene;

beforeAll(async () => {
  // How long a merchant who asks again has to wait.
  rails = await RailsScene.start({ moreSettings: { TELE_BIRR: { callTimeoutMs: 5_000 } } });
});

afterAll(() => rails?.close());

interface UnderWay {
  readonly plan: Plan;
  /** Part of the address of the call that hangs when the power goes. */
  readonly call: string;
  /** How many of the two payments' calls are at the rail then. */
  readonly calls: number;
}

const UNDER_WAY: Readonly<Record<Method, UnderWay>> = {
  TELE_BIRR: { plan: { start: 'taken_then_hang' }, call: '/merchant/preOrder', calls: 2 },
  TELE_BIRR_USSD: { plan: { start: 'taken_then_hang' }, call: '/APIRequestMgrService', calls: 2 },
  // Its start calls nobody: what hangs is the question that confirms its callback.
  CBE: { plan: { query: 'hang' }, call: '/TXNSTAT', calls: 2 },
  ETS_SWITCH: { plan: { start: 'taken_then_hang' }, call: 'action=order.create', calls: 2 },
  M_PESA: { plan: { start: 'taken_then_hang' }, call: '/stkpush/v3/processrequest', calls: 2 },
  // Hangs by itself until the customer acts; the other one is still in the queue then.
  E_BIRR: { plan: {}, call: '/asm', calls: 1 },
};

it('SIGKILL during the calls: nobody is charged twice, and no payment is lost', async () => {
  const payments = await Promise.all(
    CELLS.map((cell) => rails.create(cell, { plan: UNDER_WAY[cell.method].plan })),
  );
  const cutOff = payments.map((payment) => begin(payment).catch(() => undefined));
  const references = await Promise.all(payments.map((payment) => payment.reference()));
  await vi.waitFor(expectAllUnderWay, { timeout: 20_000 });
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
    // Who was sent to CBE has paid before.
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

/** Up to the call that hangs. */
async function begin(payment: RailPayment): Promise<void> {
  await payment.start();
  if (payment.cell.method === 'CBE') {
    await payment.act('pays');
  }
}

function expectAllUnderWay(): void {
  const calls = Object.entries(UNDER_WAY).map(([method, { call }]) => [
    method,
    rails.standIns.byMethod[method as Method].calls.filter(({ url }) => url.includes(call)).length,
  ]);
  expect(calls).toEqual(Object.entries(UNDER_WAY).map(([method, row]) => [method, row.calls]));
}

/** The merchant repeats its call, the customer presses the button again: neither starts anything. */
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

/** How often the rail was asked to charge the customer, or the customer charged themselves. */
async function chargesOf(payment: RailPayment): Promise<number> {
  const { cell, standIn } = payment;
  const { orderId } = await payment.order();
  const address = cell.method === 'CBE' ? '/Default.aspx' : UNDER_WAY[cell.method].call;
  return standIn.calls.filter(
    ({ method, url, body }) => method === 'POST' && url.includes(address) && body.includes(orderId),
  ).length;
}
