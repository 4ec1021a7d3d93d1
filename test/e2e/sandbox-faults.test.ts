import { describe, expect, test } from 'vitest';
import type { WebhookFault } from '../../src/domain/webhook-fault.ts';
import { SCENARIOS, type ScenarioName } from '../../src/rails/simulator/scenarios.ts';
import { type Endpoint, steadyNowMs } from '../support/e2e-merchant-server.ts';
import {
  createHosted,
  createSimulated,
  eventually,
  expressBody,
  newId,
  paymentOf,
  useScene,
  webhook,
} from '../support/e2e-scene.ts';
import { formTo, open, submit } from '../support/e2e-visitor.ts';
import { verifiedWebhook } from '../support/e2e-webhook.ts';

/**
 * Goal: every row of the sandbox's tables (docs/sandbox.md) comes true on a running gateway, in
 * real time. Method: one payment for each row, all at once; the slowest takes half a minute.
 */

const scene = await useScene();

const amountOf = (name: ScenarioName) => SCENARIOS[name].amountMinor / 100;

interface Row {
  readonly answered: 'SUCCESS' | 'FAILURE';
  /** What the webhooks of the payment say, in order. */
  readonly events: readonly object[];
}

const failed = (reason: string, answered: Row['answered'] = 'SUCCESS'): Row => ({
  answered,
  events: [
    {
      event: 'PAYMENT_FAILED',
      reason,
      transaction: expect.objectContaining({ failureReason: reason }),
    },
  ],
});
const PAID = { event: 'PAYMENT_SUCCESS', late: false, reason: null };
const EXPIRED = { event: 'PAYMENT_EXPIRED', late: false };

const ROWS: Readonly<Record<ScenarioName, Row>> = {
  declined: failed('declined'),
  insufficient_funds: failed('insufficient_funds'),
  canceled_by_customer: failed('canceled_by_customer'),
  wrong_pin: failed('wrong_pin'),
  abandoned: failed('abandoned'),
  timed_out: failed('timed_out'),
  rail_unavailable: failed('rail_unavailable', 'FAILURE'),
  misconfigured: failed('misconfigured', 'FAILURE'),
  paid_slowly: { answered: 'SUCCESS', events: [PAID] },
  unknown_then_paid: { answered: 'SUCCESS', events: [PAID] },
  paid_late: { answered: 'SUCCESS', events: [EXPIRED, { event: 'PAYMENT_SUCCESS', late: true }] },
  paid_twice: { answered: 'SUCCESS', events: [PAID] },
  expired: { answered: 'SUCCESS', events: [EXPIRED] },
  expired_held: { answered: 'SUCCESS', events: [EXPIRED] },
  paid_held: { answered: 'SUCCESS', events: [{ event: 'PAYMENT_SUCCESS', late: true }] },
};

/** Long enough for the slowest payment, except of those that are about the expiry. */
const SHORT: readonly ScenarioName[] = ['paid_late', 'expired', 'expired_held', 'paid_held'];
const expireIn = (name: ScenarioName) => (SHORT.includes(name) ? 5 : 60);

describe.concurrent('the sandbox plays', () => {
  test.each(Object.entries(ROWS) as [ScenarioName, Row][])(
    'express: %s',
    async (name, { answered, events }) => {
      const hook = scene.server.endpoint();
      const uniqueId = newId();
      const answer = await scene.sandbox.express(
        expressBody({
          amount: amountOf(name),
          expireIn: expireIn(name),
          paymentIntentUniqueId: uniqueId,
          callbackUrl: hook.url,
        }),
      );
      expect(answer.body.content).toMatchObject({
        status: answered,
        failureReason: answered === 'FAILURE' ? name : null,
      });
      expect(await paymentsIn(hook, events.length)).toMatchObject(events);
      expect(await paymentOf(scene, uniqueId)).toMatchObject({ anomalies: [] });
    },
  );

  test('hosted: paid_twice, by a customer who takes another method', async () => {
    const { uniqueId, checkoutUrl, hook } = await createHosted(scene, {
      amount: amountOf('paid_twice'),
    });
    const waiting = await choose(checkoutUrl);
    await choose((await submit(formTo(waiting, '/abandon'))).url);
    const payment = await eventually(
      () => paymentOf(scene, uniqueId),
      ({ anomalies = [] }) => anomalies.length > 0,
    );
    expect(payment).toMatchObject({
      status: 'SUCCESS',
      anomalies: [{ type: 'duplicate_payment' }],
    });
    expect(await paymentsIn(hook, 1)).toMatchObject([PAID]);
  });

  type LoneFault = Exclude<WebhookFault, 'out_of_order'>;

  /** Whether each request verifies, in order. */
  const arrivals: Readonly<Record<LoneFault, readonly boolean[]>> = {
    drop: [true],
    delay: [true],
    duplicate: [true, true],
    wrong_signature: [false, true],
  };

  test.each(Object.keys(arrivals) as LoneFault[])(
    'webhook: %s, then the event arrives',
    async (fault) => {
      const startedAtMs = steadyNowMs();
      const { hook } = await createSimulated(scene, [], { metadata: { kefel_webhook: fault } });
      const requests = await Promise.all(arrivals[fault].map((_, index) => hook.request(index)));
      const verified = requests.map((request) => {
        try {
          return verifiedWebhook(request, scene.keys).webHookEvent === 'PAYMENT_SUCCESS';
        } catch {
          return false;
        }
      });
      expect(verified).toEqual(arrivals[fault]);
      expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      const heldBackMs = { drop: 4_500, delay: 20_000 };
      const atLeastMs = Object.entries(heldBackMs).find(([name]) => name === fault)?.[1] ?? 0;
      expect((requests[0]?.receivedAtMs ?? 0) - startedAtMs).toBeGreaterThanOrEqual(atLeastMs);
    },
  );

  test('webhook: out_of_order, a late success arrives before the expiry', async () => {
    const { hook } = await createSimulated(scene, [], {
      amount: amountOf('paid_late'),
      expireIn: 5,
      metadata: { kefel_webhook: 'out_of_order' },
    });
    const [first, second] = await paymentsIn(hook, 2);
    expect([first, second]).toMatchObject([{ event: 'PAYMENT_SUCCESS', late: true }, EXPIRED]);
    expect(first?.sequence).toBeGreaterThan(second?.sequence ?? Number.POSITIVE_INFINITY);
  });
});

/** Chooses telebirr on the checkout page. Returns the page that follows. */
async function choose(checkoutUrl: string) {
  const form = formTo(await open(checkoutUrl), '/attempts');
  return submit(form, { method: 'TELE_BIRR' });
}

/** The payments inside the first webhooks of an endpoint, all of them verified. */
function paymentsIn(hook: Endpoint, count: number) {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => (await webhook(scene, hook, index)).payment),
  );
}
