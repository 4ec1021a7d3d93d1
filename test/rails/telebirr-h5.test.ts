import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CUSTOMER_ACTS } from '../../scripts/stand-ins/stand-in.ts';
import { bareBase64, rsaKeyPair } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import { FAULTS } from '../support/rails/faults.ts';
import {
  CALL_TIMEOUT_MS,
  railOf,
  type TelebirrScene,
  telebirrScene,
} from '../support/rails/telebirr-h5-scene.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/** Goal: for any answer of telebirr's, the payment's state is one that telebirr has proven. */

const MINUTE_MS = 60_000;
/** The start's timeout in these tests: two calls. */
const START_MS = 2 * CALL_TIMEOUT_MS;

let scene: TelebirrScene;
beforeAll(async () => {
  scene = await telebirrScene();
});
afterAll(() => scene.stop());

function amountOf({ chargedMinor }: RailOrder): string {
  return (chargedMinor / 100).toFixed(2);
}

function callsSince(index: number): string[] {
  return scene.telebirr.calls.slice(index).map(({ url }) => url.split('/').at(-1) ?? '');
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
    const { terms } = scene.order({ terms: { expiresAtMs: now + lifetimeMs } });
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
    const order = scene.order({ terms: { expiresAtMs: Date.now() + lifetimeMs } });
    expect((await scene.rail.start(order)).type).toBe('accepted');
    expect(scene.telebirr.calls.at(-1)?.body).toContain(`"timeout_express":"${expectedTimeout}"`);
  });

  test.each([
    [undefined, 35_000],
    [30_000, 65_000],
    [12_501, 30_002],
    [12_500, 30_000],
    [100, 30_000],
  ])('the first query comes after the order: calls of %j ms, %i ms', (callTimeoutMs, firstMs) => {
    const rail = railOf({
      ...scene.telebirr.settings,
      ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
    });
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
  const DECLINED = { type: 'failed', reason: 'declined' };

  test('is made on the page and proven by a query', async () => {
    const order = scene.order();
    const started = await scene.rail.start(order);
    const { prepayId, transId } = Object(await scene.telebirr.order(order.attempt.reference));
    const redirectUrl = expect.stringContaining(`&prepay_id=${prepayId}&`);
    expect(started).toEqual({
      type: 'accepted',
      redirectUrl,
      railReference: null,
      providerCode: '0',
    });
    expect((await scene.rail.query(order, Date.now())).type).toBe('unknown');

    const page = await fetch((started.type === 'accepted' && started.redirectUrl) || '');
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('<b>This is a STAND-IN');
    expect(html).toContain(order.attempt.reference);
    expect(html).toContain(`ETB ${amountOf(order)}`);
    const action = /action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&#38;', '&') ?? '';
    const pressed = await fetch(new URL(action, page.url), {
      method: 'POST',
      body: new URLSearchParams({ orderId: order.attempt.reference, act: 'pays' }),
      redirect: 'manual',
    });
    expect(pressed.status).toBe(303);
    const returned = new URL(pressed.headers.get('location') ?? '');
    expect(`${returned.origin}${returned.pathname}`).toBe(order.returnUrl);
    expect(returned.searchParams.get('trade_status')).toBe('PAY_SUCCESS');

    const outcome = await scene.rail.query(order, Date.now());
    expect(outcome).toEqual({ ...PAID, receipt: transId, providerCode: 'PAY_SUCCESS' });
  });

  test('needs a valid signature in the URL of the page', async () => {
    const started = await scene.rail.start(scene.order());
    const url = (started.type === 'accepted' && started.redirectUrl) || '';
    expect((await fetch(url.replace(/timestamp=\d/, 'timestamp=9'))).status).toBe(400);
  });

  test.each([
    ['pays', PAID, 'PAY_SUCCESS'],
    ['declines', DECLINED, 'PAY_FAILED'],
    ['lacks_funds', DECLINED, 'PAY_FAILED'],
    ['mistypes_pin', DECLINED, 'PAY_FAILED'],
    ['cancels', DECLINED, 'PAY_FAILED'],
    ['times_out', { type: 'failed', reason: 'timed_out' }, 'ORDER_CLOSED'],
  ] as const)('the customer %s', async (act, outcome, providerCode) => {
    const order = scene.order();
    await scene.rail.start(order);
    await (await scene.telebirr.order(order.attempt.reference)).act(act, { silent: true });
    expect(await scene.rail.query(order, Date.now())).toEqual({ ...outcome, providerCode });
    expect(CUSTOMER_ACTS).toContain(act);
  });

  test('has no page before telebirr has created the order', () => {
    expect(scene.rail).not.toHaveProperty('page');
  });
});

describe('the start', () => {
  const attackerKeys = rsaKeyPair();
  test.each([
    ['the secret', { appSecret: 'another' }],
    ['the Fabric App ID', { fabricAppId: '00000000-0000-4000-8000-000000000000' }],
    ['the merchant app id', { merchantAppId: '1' }],
    ['the merchant code', { merchantCode: '1000000' }],
    ['the key', { merchantPrivateKey: bareBase64(attackerKeys.privateKey) }],
    ['the padding', { signatureScheme: 'pkcs1' }],
  ])('refused for %s: ours to mend', async (_what, changed) => {
    const result = await scene.railWith(changed).start(scene.order());
    expect(result).toMatchObject({ type: 'refused', reason: 'misconfigured' });
  });

  test('is refused without a call when a URL is too long', async () => {
    const callsBefore = scene.telebirr.calls.length;
    for (const name of ['callbackUrl', 'returnUrl']) {
      const order = scene.order({ order: { [name]: `https://e.example/${'a'.repeat(500)}` } });
      expect(await scene.rail.start(order)).toEqual({ type: 'refused', reason: 'misconfigured' });
    }
    expect(callsSince(callsBefore)).toEqual([]);
  });

  test('is resolved by a query when the answer to an accepted order is lost', async () => {
    const order = scene.order();
    scene.telebirr.plan(amountOf(order), { start: 'accepted_then_reset', act: 'pays' });
    expect(await scene.rail.start(order)).toEqual({ type: 'unknown' });
    expect((await scene.rail.query(order, Date.now())).type).toBe('succeeded');
  });

  test('is refused when telebirr already has the order id: the answer offers no page', async () => {
    const order = scene.order();
    await scene.rail.start(order);
    expect(await scene.rail.start(order)).toMatchObject({ type: 'refused', reason: 'declined' });
  });

  const ALL_BYTES = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));
  test.each([
    ['emoji and Ethiopic', `${'ቡና ☕️🧾👩🏾‍💻'.repeat(80)}`, 'ቶሞካ ቡና'],
    ['control characters', ALL_BYTES.repeat(4).slice(0, 1_000), 'A\u0000B\u202eC'],
    ['half a character', '\ud800'.repeat(1_000), '\udfff'],
    ['one long expansion', '\ufdfa'.repeat(1_000), 'Café Ñandú'],
    ['nothing', ' ', ' '],
    ['injection', 'x&total_amount=0.01&"}{<script>', "O'Brien & Söhne, Ltd."],
  ])('takes texts of %s', async (_what, description, merchantName) => {
    const order = scene.order({ terms: { description, merchantName } });
    expect((await scene.rail.start(order)).type).toBe('accepted');
  });

  test.each([
    ['Café Ñandú', null, 'Cafe Nandu'],
    ["O'Brien & Söhne", 'size: 4 (blue)', 'O Brien Sohne size 4 blue'],
    ['ቶሞካ', 'ቡና 2 kg', '2 kg'],
    ['a'.repeat(300), 'b', 'a'.repeat(200)],
  ])('the title of %j and %j', async (merchantName, description, title) => {
    await scene.rail.start(scene.order({ terms: { merchantName, description } }));
    expect(scene.telebirr.calls.at(-1)?.body).toContain(`"title":"${title}"`);
  });

  test('has the reference as its title when the texts have no plain letter', async () => {
    const order = scene.order({ terms: { merchantName: 'ቶሞካ', description: null } });
    await scene.rail.start(order);
    const title = `"title":"Payment ${order.attempt.reference}"`;
    expect(scene.telebirr.calls.at(-1)?.body).toContain(title);
  });

  test.each([
    [1, '0.01'],
    [100, '1.00'],
    [99_999_999_999, '999999999.99'],
    [110_010, '1100.10'],
  ])('%i minor units', async (chargedMinor, text) => {
    await scene.rail.start(scene.order({ order: { chargedMinor } }));
    expect(scene.telebirr.calls.at(-1)?.body).toContain(`"total_amount":"${text}"`);
  });
});

describe('a query', () => {
  test.each(FAULTS)('proves nothing after %s, and is repeated later', async (fault) => {
    endTimeoutsOnSilence();
    const order = scene.order({ attempt: { checks: 3 } });
    await scene.rail.start(order);
    await (await scene.telebirr.order(order.attempt.reference)).act('pays', { silent: true });
    scene.telebirr.plan(amountOf(order), { query: fault });
    const now = Date.now();
    expect(await scene.rail.query(order, now)).toEqual({
      type: 'unknown',
      checkAtMs: now + 40_000,
    });
  });

  test('of an order that telebirr does not know proves nothing', async () => {
    expect((await scene.rail.query(scene.order(), Date.now())).type).toBe('unknown');
  });

  test('is not repeated indefinitely', async () => {
    const order = scene.order({ attempt: { startedAtMs: Date.now() - 31 * 86_400_000 } });
    const outcome = await scene.rail.query(order, Date.now());
    expect(outcome).toMatchObject({ type: 'unknown', checkAtMs: null });
  });
});
