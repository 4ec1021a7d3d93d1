import { afterAll, beforeAll, expect, test } from 'vitest';
import { RailsScene } from '../support/e2e-rails.ts';
import type { RailPayment } from '../support/e2e-rails-payment.ts';
import { eventually } from '../support/e2e-scene.ts';

/**
 * Goal: customers who idle hold up no other customer (docs/decisions.md#59), and a gateway that is
 * killed while they idle prompts nobody twice. Method: methods whose provider answers only after the
 * customer has acted, at the stand-ins.
 */

const METHODS = ['E_BIRR', 'TELE_BIRR_USSD'] as const;
const CUSTOMERS = 12;
const KILLS = 3;

const rails = new RailsScene('rails-idle', { hasOtherForms: true });

beforeAll(() => rails.start());

afterAll(() => rails.close());

/** How often the provider was asked to prompt for this payment. */
async function promptsOf(payment: RailPayment): Promise<number> {
  const reference = await payment.reference();
  return payment.standIn.calls.filter(({ body }) => body.includes(reference)).length;
}

async function expectStatus(payment: RailPayment, status: string): Promise<void> {
  await eventually(
    () => payment.status(),
    (read) => read.status === status,
  );
}

test.each(METHODS)(
  'decisions.md#59: twelve phones ring by %s while no customer acts',
  async (method) => {
    const cell = { method, kind: 'express' } as const;
    const payments = await Promise.all(Array.from({ length: CUSTOMERS }, () => rails.pay(cell)));
    // All prompts are there, though no customer has acted.
    const orders = await Promise.all(payments.map((payment) => payment.order()));
    expect(orders.map(({ acted }) => acted)).toEqual(payments.map(() => null));
    for (const [index, payment] of payments.entries()) {
      await payment.act(index % 2 === 0 ? 'pays' : 'cancels');
    }
    for (const [index, payment] of payments.entries()) {
      await expectStatus(payment, index % 2 === 0 ? 'SUCCESS' : 'FAILED');
      expect(await promptsOf(payment)).toBe(1);
    }
  },
);

test.each(METHODS)(
  `promises.md#4: prompts by %s once though SIGKILL ends ${KILLS} calls`,
  async (method) => {
    const payments: RailPayment[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const payment = await rails.create({ method, kind: 'express' });
      payments.push(payment);
      const sent = payment.callExpress().catch(() => null);
      await eventually(
        () => promptsOf(payment),
        (prompts) => prompts > 0,
      );
      await rails.scene.gateway.kill();
      await sent;
      await rails.scene.gateway.restart();
      await eventually(
        () => payment.callExpress().catch(() => null),
        (answer) => answer?.status === 200,
      );
    }
    for (const payment of payments) {
      await payment.act('pays');
      await expectStatus(payment, 'SUCCESS');
      expect(await promptsOf(payment)).toBe(1);
    }
  },
  600_000,
);
