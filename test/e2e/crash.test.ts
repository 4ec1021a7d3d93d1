import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Plan } from '../../scripts/stand-ins/stand-in.ts';
import type { Method } from '../../src/domain/method.ts';
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

/** SIGKILL to a gateway at work, again and again, first in production and then in the sandbox. */

// How long a merchant who asks again has to wait.
const rails = new RailsScene('crash', { moreSettings: { TELE_BIRR: { callTimeoutMs: 5_000 } } });

beforeAll(() => rails.start());

afterAll(() => rails.close());

interface UnderWay {
  readonly plan: Plan;
  /** Part of the address of the call that hangs when the power goes. */
  readonly call: string;
  /** How many of the two payments' calls are at the rail then. */
  readonly calls: number;
}

const UNDER_WAY: Readonly<Record<Method, UnderWay>> = {
  TELE_BIRR: { plan: { start: 'accepted_then_hang' }, call: '/merchant/preOrder', calls: 2 },
  TELE_BIRR_USSD: {
    plan: { start: 'accepted_then_hang' },
    call: '/APIRequestMgrService',
    calls: 2,
  },
  // Its start calls nobody: what hangs is the question that confirms its callback.
  CBE: { plan: { query: 'hang' }, call: '/TXNSTAT', calls: 2 },
  ETS_SWITCH: { plan: { start: 'accepted_then_hang' }, call: 'action=order.create', calls: 2 },
  M_PESA: { plan: { start: 'accepted_then_hang' }, call: '/stkpush/v3/processrequest', calls: 2 },
  // Hangs by itself until the customer acts; the other one is still in the queue then.
  E_BIRR: { plan: {}, call: '/asm', calls: 1 },
};

it('SIGKILL during the calls: nobody is charged twice, and no payment is lost', async () => {
  const payments = await Promise.all(
    CELLS.map((cell) => rails.create(cell, { plan: UNDER_WAY[cell.method].plan })),
  );
  const cutOff = payments.map((payment) => begin(payment).catch(() => undefined));
  const references = await Promise.all(payments.map((payment) => payment.reference()));
  await vi.waitFor(expectAllUnderWay, { timeout: 60_000 });
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

const CHARGES = 12;

it('nothing acknowledged and no event is lost by SIGKILL: decisions.md#8, #18', async () => {
  const { scene } = rails;
  // In the merchant's hands when the power goes.
  const held = scene.server.endpoint(HANG, OK);
  const heldBody = expressBody({ callbackUrl: held.url });
  await scene.sandbox.express(heldBody);
  const cutOff = await held.request(0);

  // A page that the customer has open.
  const hosted = await createHosted(scene);
  const simulator = await submit(formTo(await open(hosted.checkoutUrl), '/attempts'), {
    method: 'TELE_BIRR',
  });

  // Charges in every stage of being answered; the kill comes with the first 200.
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
  // Asked again with the same key, each is answered as if nothing had happened.
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

  // The next kill: right after a hosted payment's 200.
  const second = await createHosted(scene, { expireIn: 5 });
  await scene.gateway.kill();
  await scene.gateway.restart();
  expect(await paymentOf(scene, second.uniqueId)).toMatchObject({
    uniqueId: second.uniqueId,
  });

  // The customer goes on where the page was left.
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
    // At least once, and always the same event.
    expect(new Set(hook.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }

  // What the read model had not heard reaches it too.
  const { uuid } = await paymentOf(scene, second.uniqueId);
  await eventually(
    () => scene.sandbox.status(uuid),
    ({ status }) => status === 200,
  );
  expect(await operate(scene.gateway.baseUrl, 'attention')).toBe('Nothing needs a human.\n');
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
