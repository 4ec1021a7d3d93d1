import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/kefel.ts';
import { SCENARIOS } from '../../src/engine/rails/simulator/scenarios.ts';
import {
  type Behavior,
  ENDLESS,
  HANG,
  OK,
  RESET,
  type ReceivedRequest,
  STALLED_BODY,
  status,
} from '../support/e2e-merchant-server.ts';
import {
  createHosted,
  createSimulated,
  expressBody,
  joinScene,
  press,
  type Scene,
  webhook,
} from '../support/e2e-scene.ts';
import { formTo, open, submit } from '../support/e2e-visitor.ts';
import { verifiedWebhook } from '../support/e2e-webhook.ts';

/** Deliveries of one merchant: as many as may hang at once, and some that wait for them. */
const HANGING = 20;
/** Maximum of concurrent deliveries per merchant (docs/decisions.md#18). */
const HANGING_ON_THE_WIRE = 16;
const SECOND_TRY_AFTER_MS = 5_000;
const JITTER = 0.1;
const TRY_TIMEOUT_MS = 15_000;
/** Longer than the schedule's delay with its jitter. */
const RETRY_AFTER_SECONDS = 7;
/** Enough time for a customer to act. */
const LONG_RETRY_AFTER_SECONDS = 15;

let scene: Scene;
/** A merchant whose server never answers. */
let stuck: Scene;

beforeAll(async () => {
  [scene, stuck] = await Promise.all([joinScene(), joinScene('stuck')]);
});

afterAll(async () => {
  await scene?.close();
  await stuck?.close();
});

/** Two tries of one event have the same bytes and id, but a new timestamp and signature. */
function expectSameEvent(first: ReceivedRequest, second: ReceivedRequest): void {
  expect(second.rawBody.equals(first.rawBody)).toBe(true);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  const [before, after] = [first, second].map((request) => verifiedWebhook(request, scene.keys));
  expect(after?.timestampSeconds).toBeGreaterThan(before?.timestampSeconds ?? 0);
  expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
}

/** Checks only the minimum. The rest depends on the machine; the schedule's next step is minutes later. */
function expectWait(first: ReceivedRequest, second: ReceivedRequest, minMs: number): void {
  expect(second.receivedAtMs - first.receivedAtMs).toBeGreaterThan(minMs - 50);
}

/** An answer that asks for a pause. */
function busyFor(seconds: number, code = 503): Behavior {
  return status(code, { 'retry-after': String(seconds) });
}

describe.concurrent('webhooks on the wire: decisions.md#18', () => {
  test('another merchant’s event for my order at my address is genuine, and not mine', async () => {
    const { hook, uniqueId } = await createSimulated(scene);
    verifiedWebhook(await hook.request(0), scene.keys);
    await stuck.sandbox.express(
      expressBody({ paymentIntentUniqueId: uniqueId, callbackUrl: hook.url }),
    );
    const forged = await hook.request(1);
    // The gateway signed it, with the key and the secret of the other merchant.
    const { payment } = verifiedWebhook(forged, stuck.keys);
    expect(payment).toMatchObject({ uniqueId, merchantId: stuck.keys.merchantId });
    const raw = forged.rawBody.toString('utf8');
    for (const secret of [scene.keys.secret, stuck.keys.secret]) {
      await expect(verifyWebhook(raw, forged.headers, secret, scene.keys)).rejects.toThrow(
        WebhookVerificationError,
      );
    }
  });

  test('cuts off a hanging merchant at 15 s without delaying other merchants', async () => {
    const stuckHook = stuck.server.endpoint(HANG);
    const bodies = Array.from({ length: HANGING }, () =>
      expressBody({ callbackUrl: stuckHook.url }),
    );
    await Promise.all(bodies.map((body) => stuck.sandbox.express(body)));
    await stuckHook.until(
      'deliveries that hang',
      () => stuckHook.requests.length >= HANGING_ON_THE_WIRE,
    );
    expect(stuckHook.requests).toHaveLength(HANGING_ON_THE_WIRE);

    const healthy = await Promise.all([1, 2, 3].map(() => createSimulated(scene)));
    await Promise.all(healthy.map(({ hook }) => hook.request(0)));
    // All of them arrived before the first hanging delivery ended.
    expect(stuckHook.requests.map(({ closedAtMs }) => closedAtMs)).toEqual(
      Array(HANGING_ON_THE_WIRE).fill(null),
    );

    const first = await stuckHook.request(0);
    verifiedWebhook(first, stuck.keys);
    await first.closed;
    const heldMs = (first.closedAtMs ?? 0) - first.receivedAtMs;
    // The request may arrive long after the gateway started its clock.
    expect(heldMs).toBeGreaterThan(TRY_TIMEOUT_MS / 2);
    // The waiting deliveries then get their turn.
    const ids = () => new Set(stuckHook.requests.map(({ headers }) => headers['webhook-id']));
    await stuckHook.until('the deliveries that waited', () => ids().size === HANGING);
  });

  test('accepts any 2xx, and cuts off an endless body', async () => {
    const deliveries = [
      await createSimulated(scene, [status(204)]),
      await createSimulated(scene, [status(299)]),
      await createSimulated(scene, [ENDLESS]),
      await createSimulated(scene, [STALLED_BODY]),
    ];
    const endless = await deliveries[2]?.hook.request(0);
    await endless?.closed;
    expect((endless?.closedAtMs ?? 0) - (endless?.receivedAtMs ?? 0)).toBeLessThan(TRY_TIMEOUT_MS);
    // The 200 counts, even if the body stalls.
    await (await deliveries[3]?.hook.request(0))?.closed;
    const witness = await createSimulated(scene, [busyFor(RETRY_AFTER_SECONDS), OK]);
    await witness.hook.request(1);
    for (const { hook } of deliveries) {
      expect(hook.requests).toHaveLength(1);
    }
  });

  test('retries after 5 s with the same bytes and id and a new timestamp: decisions.md#17', async () => {
    const { uniqueId, hook } = await createSimulated(scene, [status(500), OK]);
    const first = await hook.request(0);
    const second = await hook.request(1);
    expectSameEvent(first, second);
    expectWait(first, second, SECOND_TRY_AFTER_MS * (1 - JITTER));
    expect(verifiedWebhook(second, scene.keys).paymentIntentUniqueId).toBe(uniqueId);
  });

  test('stops after a 410, and waits for the Retry-After of a 429', async () => {
    const gone = await createSimulated(scene, [status(410)]);
    await gone.hook.request(0);
    const busy = await createSimulated(scene, [busyFor(RETRY_AFTER_SECONDS, 429), OK]);
    const [first, second] = [await busy.hook.request(0), await busy.hook.request(1)];
    expectSameEvent(first, second);
    expectWait(first, second, RETRY_AFTER_SECONDS * 1_000);
    // A second try would have come long before.
    expect(gone.hook.requests).toHaveLength(1);
  });

  test('sends a later event at once, which supersedes an undelivered earlier one: decisions.md#31', async () => {
    const { checkoutUrl, hook } = await createHosted(scene, {}, [
      busyFor(LONG_RETRY_AFTER_SECONDS),
      OK,
    ]);
    const form = formTo(await open(checkoutUrl), '/attempts');
    const oldTab = await submit(form, { method: 'TELE_BIRR' });
    await submit(formTo(await open(checkoutUrl), '/give-up'));
    const refused = await hook.request(0);
    const failed = verifiedWebhook(refused, scene.keys);
    await press(oldTab, 'approve');
    const paid = await hook.request(1);
    const late = verifiedWebhook(paid, scene.keys);
    expect([failed.webHookEvent, late.webHookEvent]).toEqual(['PAYMENT_FAILED', 'PAYMENT_SUCCESS']);
    expect(late.id).not.toBe(failed.id);
    expect(late.payment.sequence).toBeGreaterThan(failed.payment.sequence);
    expect(paid.receivedAtMs - refused.receivedAtMs).toBeLessThan(LONG_RETRY_AFTER_SECONDS * 1_000);
    // This retry is so late that a second try of the earlier event would have come before.
    const witness = await createSimulated(scene, [busyFor(LONG_RETRY_AFTER_SECONDS), OK]);
    await witness.hook.request(1);
    expect(hook.requests).toHaveLength(2);
  });

  test('brings a late success before the expiry that it follows, when the sandbox must', async () => {
    const { hook } = await createSimulated(scene, [], {
      amount: SCENARIOS.paid_late.amountMinor / 100,
      expireIn: 5,
      metadata: { kefel_webhook: 'out_of_order' },
    });
    const { payment: first } = await webhook(scene, hook, 0);
    const { payment: second } = await webhook(scene, hook, 1);
    expect(first).toMatchObject({ event: 'PAYMENT_SUCCESS', late: true });
    expect(second).toMatchObject({ event: 'PAYMENT_EXPIRED', late: false });
    expect(first.sequence).toBeGreaterThan(second.sequence);
  });

  test('retries after a refused connection', async () => {
    const { hook } = await createSimulated(scene, [RESET, OK]);
    expectSameEvent(await hook.request(0), await hook.request(1));
  });
});
