import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { WEBHOOK_FAULTS, type WebhookFault } from '../../../src/engine/domain/webhook-fault.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import {
  alarmsUntil,
  clientIn,
  configureRails,
  EBIRR,
  intentNow,
  payExpress,
  resolveAs,
} from '../rails/support.ts';
import {
  ALPHA,
  type Arrival,
  addEndpoint,
  answerOf,
  consumeAll,
  isGenuine,
  isSignedBy,
  postHosted,
  SECOND_MS,
  useDeliveries,
} from '../support.ts';

/**
 * Goal: a sandbox payment can order each fault of webhook delivery, after which its event arrives
 * as any other, and production ignores the order (docs/sandbox.md#webhooks). Method: the test is
 * the queue and the clock; the merchant's server verifies both signatures of what arrives.
 */

configureRails({ RAIL_E_BIRR_PRODUCTION: EBIRR });
const { arrivals, caught, statuses } = useDeliveries();
const payment = (environment: Environment = 'sandbox') => clientIn(environment);

const ordering = (fault: string) => ({ metadata: { kefel_webhook: fault } });

/** Lets alarms and queues work for so long after the payment's creation. */
async function deliverUntil(ms: number): Promise<void> {
  const { createdAtMs } = (await intentNow(payment())).terms;
  for (let atMs = createdAtMs; atMs <= createdAtMs + ms; atMs += SECOND_MS / 2) {
    await alarmsUntil(Math.max(atMs, Date.now()), payment());
    await consumeAll(caught);
  }
}

/** The payment's events in the order in which they arrive, with whether they verify. */
async function summary() {
  return Promise.all(
    arrivals.map(async (arrival) => [arrival.event.webHookEvent, await isAuthentic(arrival)]),
  );
}

/** Both signatures or neither: a half-forged request would pass for merchants who check one. */
async function isAuthentic(arrival: Arrival): Promise<boolean> {
  const checks = [isSignedBy(ALPHA.webhookSecret, arrival), await isGenuine(arrival)];
  expect(new Set(checks).size).toBe(1);
  return checks.every(Boolean);
}

interface Row {
  /** What has arrived shortly after the payment's end, and later. */
  readonly at: readonly (readonly [ms: number, arrived: readonly (readonly [string, boolean])[]])[];
  /** The texts of the delivery log; null for an accepted try. */
  readonly log: readonly (string | null)[];
}

const RIGHT = ['PAYMENT_SUCCESS', true] as const;
const WRONG = ['PAYMENT_SUCCESS', false] as const;

const ROWS: Readonly<Record<WebhookFault, Row>> = {
  drop: {
    at: [
      [1_000, []],
      [7_000, [RIGHT]],
    ],
    log: ['not sent: sandbox fault drop', null],
  },
  delay: {
    at: [
      [20_000, []],
      [22_000, [RIGHT]],
    ],
    log: ['not sent: sandbox fault delay', null],
  },
  duplicate: { at: [[1_500, [RIGHT, RIGHT]]], log: [null, null] },
  wrong_signature: {
    at: [
      [1_000, [WRONG]],
      [7_000, [WRONG, RIGHT]],
    ],
    log: ['sandbox fault wrong_signature', null],
  },
  // Alone, the only event is late; the test below has two events.
  out_of_order: {
    at: [
      [60_000, []],
      [62_000, [RIGHT]],
    ],
    log: ['not sent: sandbox fault overtaken', null],
  },
};

test.each(WEBHOOK_FAULTS)('%s, then the event arrives as any other', async (fault) => {
  const { at, log } = ROWS[fault];
  await payExpress(ordering(fault), 'sandbox');
  for (const [ms, arrived] of at) {
    await deliverUntil(ms);
    expect(await summary()).toEqual(arrived);
  }
  // A day later nothing more has come.
  const count = arrivals.length;
  await alarmsUntil(Date.now() + 86_400 * SECOND_MS, payment());
  await consumeAll(caught);
  expect(arrivals).toHaveLength(count);
  expect(new Set(arrivals.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1);
  const [event] = await payment().events();
  expect(event?.deliveryStatus).toBe('delivered');
  expect(event?.tries.map(({ error }) => error)).toEqual(log);
  const failing = await env.DB.prepare('SELECT count(*) AS count FROM failing_endpoints').first();
  expect(failing).toEqual({ count: 0 });
});

test('out_of_order: the late success arrives before the expiry that it follows', async () => {
  await payExpress({ ...ordering('out_of_order'), amount: 100.13, expireIn: 5 }, 'sandbox');
  await deliverUntil(30_000);
  expect(await summary()).toEqual([
    ['PAYMENT_SUCCESS', true],
    ['PAYMENT_EXPIRED', true],
  ]);
  const events = await payment().events();
  expect(events.map(({ type, deliveryStatus }) => [type, deliveryStatus])).toEqual([
    ['payment_expired', 'delivered'],
    ['payment_succeeded', 'delivered'],
  ]);
});

test('each endpoint meets the fault by itself', async () => {
  const urls = ['https://one.example.com/hook', 'https://two.example.com/hook'];
  for (const [index, url] of urls.entries()) {
    await addEndpoint(ALPHA, `we_${index}`, { url });
  }
  const late = { callbackUrl: null, amount: 100.13, expireIn: 5 };
  await payExpress({ ...ordering('out_of_order'), ...late }, 'sandbox');
  await deliverUntil(30_000);
  for (const url of urls) {
    const here = arrivals.filter((arrival) => arrival.url === url);
    expect(here.map(({ event }) => event.webHookEvent)).toEqual([
      'PAYMENT_SUCCESS',
      'PAYMENT_EXPIRED',
    ]);
  }
});

test('a forged try ends nothing, not even by 410: the true event follows', async () => {
  statuses.set('', 410);
  await payExpress(ordering('wrong_signature'), 'sandbox');
  await deliverUntil(7_000);
  expect(await summary()).toEqual([WRONG, RIGHT]);
  // The second 410 is an answer to a true event.
  expect(await payment().events()).toMatchObject([{ deliveryStatus: 'dead' }]);
});

test.each(WEBHOOK_FAULTS)('%s: production ignores it and delivers normally', async (fault) => {
  await payExpress({ ...ordering(fault), method: 'E_BIRR' }, 'production');
  // The payment's object has called the provider, for which this server stands too.
  await expect.poll(() => arrivals.splice(0)).toHaveLength(1);
  await resolveAs('succeeded');
  await consumeAll(caught);
  await alarmsUntil(Date.now() + 60 * SECOND_MS, payment('production'));
  await consumeAll(caught);
  expect(arrivals.map(({ event }) => event.webHookEvent)).toEqual(['PAYMENT_SUCCESS']);
  const [arrival] = arrivals;
  expect(isSignedBy(ALPHA.webhookSecret, arrival)).toBe(true);
  const tries = [{ httpStatus: 200, error: null }];
  expect(await payment('production').events()).toMatchObject([
    { deliveryStatus: 'delivered', tries },
  ]);
});

test('refuses a fault that does not exist, in the sandbox only', async () => {
  const { status, envelope } = await answerOf(postHosted(ordering('dropped')));
  expect(status).toBe(400);
  expect(envelope.validationErrors).toEqual({
    'metadata.kefel_webhook':
      'Must be one of drop, delay, duplicate, wrong_signature, out_of_order.',
  });
  await payExpress({ ...ordering('dropped'), method: 'E_BIRR' }, 'production');
  expect((await intentNow(payment('production'))).terms.metadata).toEqual({
    kefel_webhook: 'dropped',
  });
});
