import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CustomerAct, Plan } from '../../scripts/stand-ins/stand-in.ts';
import type { FailureReason } from '../../src/domain/intent.ts';
import { purchaseDescription } from '../../src/rails/ebirr/purchase.ts';
import { type EbirrScene, ebirrScene } from '../support/rails/ebirr-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

/**
 * Goal: each payment sends eBirr exactly one request, in its published format, and a missing or
 * incomplete answer never makes a payment fail.
 */

let scene: EbirrScene;
let rail: ReturnType<EbirrScene['railWith']>;

beforeEach(async () => {
  scene = await ebirrScene();
  rail = scene.railWith();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await scene.stop();
});

describe('the request', () => {
  test('has exactly these fields', async () => {
    const started = scene.order();
    const starting = rail.start(started);
    await (await scene.standIn.order(started.attempt.reference)).act('pays', { silent: true });
    expect(await starting).toMatchObject({
      type: 'resolved',
      outcome: {
        type: 'succeeded',
        receipt: '1000001',
        issuerReceipt: '2000001',
        providerCode: '2001 0 APPROVED',
      },
    });

    expect(scene.standIn.calls).toHaveLength(1);
    const [call] = scene.standIn.calls;
    expect(call?.method).toBe('POST');
    expect(call?.url).toBe('/asm');
    const { host, 'content-length': length, ...headers } = call?.headers ?? {};
    expect(`http://${host}`).toBe(scene.standIn.baseUrl);
    expect(Number(length)).toBe(call?.body.length);
    expect(headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      // Node's own.
      'accept-encoding': 'gzip, deflate',
      'accept-language': '*',
      connection: 'keep-alive',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
    });
    expect(JSON.parse(call?.body ?? '')).toEqual({
      schemaVersion: '1.0',
      requestId: started.attempt.id,
      timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      channelName: 'WEB',
      serviceName: 'API_PURCHASE',
      serviceParams: {
        merchantUid: scene.standIn.settings.merchantUid,
        apiUserId: scene.standIn.settings.apiUserId,
        apiKey: scene.standIn.settings.apiKey,
        paymentMethod: 'MWALLET_ACCOUNT',
        returnUrl: started.callbackUrl,
        payerInfo: { accountNo: '251911234567' },
        transactionInfo: {
          referenceId: started.attempt.reference,
          invoiceId: started.attempt.reference,
          amount: '1500.00',
          currency: 'ETB',
          description: 'Tomoca Coffee',
        },
      },
    });
  });

  test('has a prefix in both places and no returnUrl if the operator says so', async () => {
    const rail = scene.railWith({ prefix: '231438', sendsReturnUrl: false });
    scene.standIn.plan('1500.00', { act: 'pays', callback: 'never' });
    expect((await rail.start(scene.order())).type).toBe('resolved');
    const { serviceParams } = JSON.parse(scene.standIn.calls[0]?.body ?? '');
    expect(serviceParams.prefix).toBe('231438');
    expect(serviceParams.payerInfo).toEqual({ accountNo: '251911234567', prefix: '231438' });
    expect(serviceParams).not.toHaveProperty('returnUrl');
  });

  test.each([
    [1, '0.01'],
    [99, '0.99'],
    [100, '1.00'],
    [115, '1.15'],
    [100_500, '1005.00'],
    [99_999_999_999, '999999999.99'],
  ])('%i minor units are %s', async (chargedMinor, amountText) => {
    scene.standIn.plan(amountText, { act: 'pays', callback: 'never' });
    const result = await rail.start(scene.order({ order: { chargedMinor } }));
    expect(result.type).toBe('resolved');
  });

  test('is sent for Safaricom’s phones if the operator says so', async () => {
    const wider = scene.railWith({ phonePrefixes: ['2519', '2517'] });
    expect(wider.acceptsPhone?.('251711234567')).toBe(true);
    await wider.start(scene.order({ attempt: { phone: '251711234567' } }));
    expect(scene.standIn.calls).toHaveLength(1);
  });

  const ETHIOPIC = 'የኢትዮጵያ ቡና';
  const LONG = 'x\u0000\n"<&>\u202E😀é ቡና '.repeat(100);

  test.each([
    ['Tomoca Coffee', null, 'Tomoca Coffee'],
    ['Cafés Zoë', 'Two bags & a mug', 'Cafes Zoe - Two bags a mug'],
    [ETHIOPIC, null, 'Order REF'],
    [ETHIOPIC, 'Coffee', 'Coffee'],
    ['ab', '', 'Order REF'],
    [' \u0000 ', '\uD800', 'Order REF'],
  ])('merchant %j and description %j become %j', (merchantName, description, expected) => {
    expect(purchaseDescription(merchantName, description, 'REF')).toBe(expected);
  });

  test.each([
    ['a description of 1,000 characters', { description: LONG.slice(0, 1_000) }],
    ['a hostile merchant name', { merchantName: LONG }],
    ['an Ethiopic merchant name', { merchantName: ETHIOPIC, description: ETHIOPIC }],
    [
      'a long name and description',
      { merchantName: 'm'.repeat(1_000), description: 'd'.repeat(1_000) },
    ],
  ])('%s is accepted by the rail', async (_name, terms) => {
    scene.standIn.plan('1500.00', { act: 'pays', callback: 'never' });
    expect((await rail.start(scene.order({ terms }))).type).toBe('resolved');
  });
});

describe('the plan', () => {
  test('is a prompt, which the queue has a minute to start, without a final window', () => {
    const { terms } = scene.order({ terms: { expiresAtMs: 600_000 } });
    const plan = rail.plan(terms, 'E_BIRR', 10_000);
    expect(plan).toEqual({
      flow: 'push',
      // The consumer's claim sets a new deadline, by the longest duration of the call.
      deadlineAtMs: 70_000,
      windowIsFinal: false,
      checkAtMs: null,
    });
    // No consumer may claim it after the payment's expiry.
    const soon = rail.plan({ ...terms, expiresAtMs: 15_000 }, 'E_BIRR', 10_000);
    expect(soon).toEqual({ ...plan, deadlineAtMs: 15_000 });
    expect(rail.startTimeoutMs).toBe(90_000);
    expect(rail.startWaitsForCustomer).toBe(true);
    expect(rail.currencies).toEqual(['ETB']);
  });

  test('has no status query until the operator turns them on', () => {
    expect(rail).not.toHaveProperty('query');
    expect(scene.railWith({ statusQuery: {} })).toHaveProperty('query');
  });
});

describe('the answer to the purchase', () => {
  const REASONS: readonly (readonly [CustomerAct, FailureReason, string])[] = [
    ['declines', 'canceled_by_customer', '5310'],
    ['cancels', 'canceled_by_customer', '5306'],
    ['lacks_funds', 'insufficient_funds', '5206 E10205'],
    ['mistypes_pin', 'wrong_pin', '5206 E10205'],
    ['times_out', 'timed_out', '5309'],
  ];

  test.each(REASONS)('the customer %s: %s, by %s', async (act, reason, providerCode) => {
    const started = scene.order();
    const starting = rail.start(started);
    await (await scene.standIn.order(started.attempt.reference)).act(act, { silent: true });
    expect(await starting).toEqual({ type: 'refused', reason, providerCode });
  });

  test('comes after the customer has acted', async () => {
    const started = scene.order();
    let isAnswered = false;
    const starting = rail.start(started).then((result) => {
      isAnswered = true;
      return result;
    });
    const prompted = await scene.standIn.order(started.attempt.reference);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAnswered).toBe(false);
    await prompted.act('pays', { silent: true });
    expect((await starting).type).toBe('resolved');
  });

  test('is misconfigured when eBirr does not know the credentials', async () => {
    const rail = scene.railWith({ apiKey: 'API-000000000000' });
    expect(await rail.start(scene.order())).toEqual({
      type: 'refused',
      reason: 'misconfigured',
      providerCode: '5001 E10001',
    });
  });

  test('is misconfigured when the URL is not eBirr’s endpoint', async () => {
    const rail = scene.railWith({ baseUrl: `${scene.standIn.baseUrl}/nowhere` });
    expect(await rail.start(scene.order())).toEqual({ type: 'refused', reason: 'misconfigured' });
  });

  test('is unknown after eBirr’s own timeout, which may hide a payment', async () => {
    scene.standIn.plan('1500.00', { refuses: 'unavailable' });
    expect(await rail.start(scene.order())).toEqual({
      type: 'unknown',
      providerCode: '52061 E102051',
    });
  });

  test('does not treat the error of a second purchase as a refusal', async () => {
    scene.standIn.plan('1500.00', { act: 'pays', callback: 'never' });
    const started = scene.order();
    expect((await rail.start(started)).type).toBe('resolved');
    expect(await rail.start(started)).toMatchObject({ type: 'unknown' });
  });

  test('has its codes logged, unless it is a payment', async () => {
    const lines = watchRailAnswers();
    const startOnce = async (plan: Plan, changed = {}) => {
      scene.standIn.plan('1500.00', plan);
      const attempt = { id: crypto.randomUUID(), reference: `H7K2M9QX4T0B8ZC3VN5${lines.length}` };
      await scene.railWith(changed).start(scene.order({ attempt }));
    };
    await startOnce({ refuses: 'lacks_funds' });
    await startOnce({ refuses: 'misconfigured' });
    await startOnce({ refuses: 'unavailable' });
    await startOnce({}, { baseUrl: `${scene.standIn.baseUrl}/nowhere` });
    await startOnce({ start: 'reset' });
    await startOnce({ act: 'pays', callback: 'never' });
    const line = { rail: 'ebirr', call: 'API_PURCHASE' };
    const reference = (number: number) => ({ reference: `H7K2M9QX4T0B8ZC3VN5${number}` });
    expect(lines).toEqual([
      { level: 'info', ...line, ...reference(0), status: 200, providerCode: '5206 E10205' },
      { level: 'warn', ...line, ...reference(1), status: 200, providerCode: '5001 E10001' },
      { level: 'warn', ...line, ...reference(2), status: 200, providerCode: '52061 E102051' },
      { level: 'warn', ...line, ...reference(3), status: 404, providerCode: null },
      { level: 'warn', ...line, ...reference(4), providerCode: null },
    ]);
  });
});
