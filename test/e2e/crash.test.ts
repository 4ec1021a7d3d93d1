import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Method } from '../../src/engine/domain/method.ts';
import { HANG, OK } from '../support/e2e-merchant-server.ts';
import { operate } from '../support/e2e-operator.ts';
import { RailsScene } from '../support/e2e-rails.ts';
import { expectAccepted } from '../support/e2e-rails-answers.ts';
import { expectTold, PAID } from '../support/e2e-rails-endings.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { CELLS } from '../support/e2e-rails-table.ts';
import {
  createHosted,
  eventually,
  expressBody,
  fence,
  newId,
  paymentOf,
  press,
  webhook,
} from '../support/e2e-scene.ts';
import { formTo, open, submit } from '../support/e2e-visitor.ts';
import { factOfAll } from '../support/method-facts.ts';

/** Repeated SIGKILL to a working gateway, first in production and then in the sandbox. */

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

const CHARGES = 12;

test('loses no acknowledged payment and no event after SIGKILL: decisions.md#8, #18', async () => {
  const { scene } = rails;
  // Answered before the kill.
  const held = scene.server.endpoint(HANG, OK);
  const heldBody = expressBody({ callbackUrl: held.url });
  await scene.sandbox.express(heldBody);
  const cutOff = await held.request(0);

  // A page that the customer has opened.
  const hosted = await createHosted(scene);
  const simulator = await submit(formTo(await open(hosted.checkoutUrl), '/attempts'), {
    method: 'TELE_BIRR',
  });

  // Charges in every stage of their answer; the kill comes with the first 200.
  const charges = Array.from({ length: CHARGES }, () => {
    const hook = scene.server.endpoint();
    const body = expressBody({ callbackUrl: hook.url });
    const headers = { 'idempotency-key': newId() };
    return { hook, send: () => scene.sandbox.express(body, headers), body, headers };
  });
  const answers = charges.map(({ send }) => send().catch(() => null));
  expect((await Promise.race(answers))?.status).toBe(200);
  await scene.gateway.kill();
  const acknowledged = await Promise.all(answers);

  await scene.gateway.restart();
  // A retry with the same key is answered as if the gateway had never stopped.
  for (const [index, { send, body, headers }] of charges.entries()) {
    const repeated = await eventually(send, ({ status }) => status === 200);
    const first = acknowledged[index] ?? null;
    if (first !== null) {
      expect([first.status, repeated.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(repeated.raw).toBe(first.raw);
    }
    const changed = await scene.sandbox.express({ ...body, amount: 1 }, headers);
    expect(changed.status).toBe(422);
  }

  // The next kill comes right after a hosted payment's 200.
  const second = await createHosted(scene, { expireIn: 5 });
  await scene.gateway.kill();
  await scene.gateway.restart();
  expect(await paymentOf(scene, second.uniqueId)).toMatchObject({
    uniqueId: second.uniqueId,
  });

  // The customer continues on the same page.
  expect((await press(simulator, 'approve')).heading).toBe('Payment successful');

  const events = await Promise.all([
    webhook(scene, held, 1),
    webhook(scene, hosted.hook),
    webhook(scene, second.hook),
  ]);
  expect(events.map(({ webHookEvent }) => webHookEvent)).toEqual([
    'PAYMENT_SUCCESS',
    'PAYMENT_SUCCESS',
    'PAYMENT_EXPIRED',
  ]);
  for (const { hook, body } of charges) {
    expect(await webhook(scene, hook)).toMatchObject({
      webHookEvent: 'PAYMENT_SUCCESS',
      paymentIntentUniqueId: body.paymentIntentUniqueId,
    });
  }
  const again = await held.request(1);
  expect(again.rawBody.equals(cutOff.rawBody)).toBe(true);
  expect(again.headers['webhook-id']).toBe(cutOff.headers['webhook-id']);
  expect(again.headers['webhook-timestamp']).not.toBe(cutOff.headers['webhook-timestamp']);

  await fence(scene);
  expect(held.requests).toHaveLength(2);
  for (const hook of [hosted.hook, second.hook, ...charges.map((charge) => charge.hook)]) {
    // The event arrives at least once, and is always the same.
    expect(new Set(hook.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }

  // The book receives the projections that were pending.
  const { uuid } = await paymentOf(scene, second.uniqueId);
  await eventually(
    () => scene.sandbox.status(uuid),
    ({ status }) => status === 200,
  );
  expect(await operate(scene.gateway.baseUrl, 'attention')).toBe('Nothing needs attention.\n');
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
