import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CALL_TIMEOUT_MS,
  type TelebirrScene,
  telebirrScene,
} from '../support/rails/telebirr-h5.ts';

/** Goal: for any answer of telebirr's, the payment's state is one that telebirr has proven. */

const MINUTE_MS = 60_000;
/** The start's timeout in these tests: two calls. */
const START_MS = 2 * CALL_TIMEOUT_MS;

let scene: TelebirrScene;
beforeAll(async () => {
  scene = await telebirrScene();
});
afterAll(() => scene.stop());

function callsSince(index: number): string[] {
  return scene.standIn.calls.slice(index).map(({ url }) => url.split('/').at(-1) ?? '');
}

describe('the plan', () => {
  const now = 1_800_000_000_000;
  test.each([
    [15 * MINUTE_MS, 15 * MINUTE_MS],
    [MINUTE_MS + START_MS, MINUTE_MS + START_MS],
    [120 * MINUTE_MS + START_MS, 120 * MINUTE_MS + START_MS],
    // telebirr's longest order.
    [30 * 86_400_000, 120 * MINUTE_MS + START_MS],
    // telebirr's shortest order, which outlasts the payment.
    [MINUTE_MS + START_MS - 1, MINUTE_MS + START_MS],
    [5_000, MINUTE_MS + START_MS],
  ])('a payment of %i ms has an order that closes by %i ms', (lifetimeMs, closedByMs) => {
    const { terms } = scene.order({}, { terms: { expiresAtMs: now + lifetimeMs } });
    expect(scene.rail.plan(terms, 'TELE_BIRR', now)).toEqual({
      flow: 'redirect',
      deadlineAtMs: now + closedByMs,
      windowIsFinal: false,
      checkAtMs: now + 30_000,
    });
  });

  test.each([
    [5_000, '1m'],
    [61 * MINUTE_MS + START_MS + 500, '61m'],
    [61 * MINUTE_MS + START_MS - 2_000, '60m'],
    [120 * MINUTE_MS + START_MS, '120m'],
    [MINUTE_MS + START_MS, '1m'],
    [30 * 86_400_000, '120m'],
  ])('telebirr gets the payment’s lifetime: %i ms', async (lifetimeMs, expectedTimeout) => {
    const order = scene.order({}, { terms: { expiresAtMs: Date.now() + lifetimeMs } });
    expect((await scene.rail.start(order)).type).toBe('accepted');
    expect(scene.standIn.calls.at(-1)?.body).toContain(`"timeout_express":"${expectedTimeout}"`);
  });

  test.each([
    [undefined, 35_000],
    [30_000, 65_000],
    [12_501, 30_002],
    [12_500, 30_000],
    [100, 30_000],
  ])('the first query comes after the order: calls of %j ms, %i ms', (callTimeoutMs, firstMs) => {
    const rail = scene.railWith({ callTimeoutMs });
    const { terms } = scene.order();
    const { checkAtMs } = rail.plan(terms, 'TELE_BIRR', now);
    expect(checkAtMs).toBe(now + firstMs);
    expect(firstMs).toBeGreaterThanOrEqual(rail.startTimeoutMs + 5_000);
  });
});

describe('a payment', () => {
  const PAID = {
    type: 'succeeded',
    receipt: expect.stringMatching(/^[A-Z0-9]{10}$/),
    paidAtMs: expect.any(Number),
  };

  test('is proven by a query, with telebirr’s time and receipt', async () => {
    const order = scene.order();
    const started = await scene.rail.start(order);
    const { prepayId, transId } = Object(await scene.standIn.order(order.attempt.reference));
    const redirectUrl = expect.stringContaining(`&prepay_id=${prepayId}&`);
    expect(started).toEqual({
      type: 'accepted',
      redirectUrl,
      railReference: null,
      providerCode: '0',
    });
    expect((await scene.rail.query?.(order, Date.now()))?.type).toBe('unknown');

    await (await scene.standIn.order(order.attempt.reference)).act('pays', { silent: true });
    const outcome = await scene.rail.query?.(order, Date.now());
    expect(outcome).toEqual({ ...PAID, receipt: transId, providerCode: 'PAY_SUCCESS' });
  });

  test('needs a valid signature in the URL of the page', async () => {
    const started = await scene.rail.start(scene.order());
    const url = (started.type === 'accepted' && started.redirectUrl) || '';
    expect((await fetch(url.replace(/timestamp=\d/, 'timestamp=9'))).status).toBe(400);
  });

  test('has no page before telebirr has created the order', () => {
    expect(scene.rail).not.toHaveProperty('page');
  });
});

describe('the start', () => {
  test('is refused without a call when a URL is too long', async () => {
    const callsBefore = scene.standIn.calls.length;
    for (const name of ['callbackUrl', 'returnUrl']) {
      const order = scene.order({}, { order: { [name]: `https://e.example/${'a'.repeat(500)}` } });
      expect(await scene.rail.start(order)).toEqual({ type: 'refused', reason: 'misconfigured' });
    }
    expect(callsSince(callsBefore)).toEqual([]);
  });

  test.each([
    ['Café Ñandú', null, 'Cafe Nandu'],
    ["O'Brien & Söhne", 'size: 4 (blue)', 'O Brien Sohne size 4 blue'],
    ['ቶሞካ', 'ቡና 2 kg', '2 kg'],
    ['a'.repeat(300), 'b', 'a'.repeat(200)],
  ])('the title of %j and %j', async (merchantName, description, title) => {
    await scene.rail.start(scene.order({}, { terms: { merchantName, description } }));
    expect(scene.standIn.calls.at(-1)?.body).toContain(`"title":"${title}"`);
  });

  test('uses the reference as its title when the texts have no plain letter', async () => {
    const order = scene.order({}, { terms: { merchantName: 'ቶሞካ', description: null } });
    await scene.rail.start(order);
    const title = `"title":"Payment ${order.attempt.reference}"`;
    expect(scene.standIn.calls.at(-1)?.body).toContain(title);
  });
});
