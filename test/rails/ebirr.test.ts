import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { ebirrReport, meaningOf } from '../../src/engine/rails/ebirr/answer.ts';
import { purchaseDescription, purchaseRequest } from '../../src/engine/rails/ebirr/purchase.ts';
import { ebirrRail } from '../../src/engine/rails/ebirr/rail.ts';
import { ebirrSettingsSchema } from '../../src/engine/rails/ebirr/settings.ts';
import { claimedWindowEndMs } from '../../src/engine/rails/phone-prompt.ts';
import { ebirrSample } from '../support/rails/ebirr.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/** Goal: eBirr gets exactly one request for each payment, in its published format. */

const scene = await useRailScene(PLAYERS.ebirr);

describe('the request', () => {
  test('has exactly these fields', async () => {
    const { order, atProvider, started } = await scene.place();
    await atProvider.act('pays', { silent: true });
    expect(await started).toMatchObject({ type: 'resolved' });
    const [call, ...others] = scene.standIn.calls;
    expect(others).toEqual([]);
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
      requestId: order.attempt.id,
      timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      channelName: 'WEB',
      serviceName: 'API_PURCHASE',
      serviceParams: {
        merchantUid: scene.standIn.settings.merchantUid,
        apiUserId: scene.standIn.settings.apiUserId,
        apiKey: scene.standIn.settings.apiKey,
        paymentMethod: 'MWALLET_ACCOUNT',
        returnUrl: order.callbackUrl,
        payerInfo: { accountNo: '251911234567' },
        transactionInfo: {
          referenceId: order.attempt.reference,
          invoiceId: order.attempt.reference,
          amount: atProvider.amountText,
          currency: 'ETB',
          description: 'Tomoca Coffee',
        },
      },
    });
  });

  test('has a prefix in both places and no returnUrl if the operator says so', async () => {
    const rail = scene.railWith({ prefix: '231438', sendsReturnUrl: false });
    const order = scene.order({ act: 'pays', callback: 'never' });
    expect((await rail.start(order)).type).toBe('resolved');
    const { serviceParams } = JSON.parse(scene.standIn.calls.at(-1)?.body ?? '');
    expect(serviceParams.prefix).toBe('231438');
    expect(serviceParams.payerInfo).toEqual({ accountNo: '251911234567', prefix: '231438' });
    expect(serviceParams).not.toHaveProperty('returnUrl');
  });

  test('is sent for Safaricom’s phones if the operator says so', async () => {
    const wider = scene.railWith({ phonePrefixes: ['2519', '2517'] });
    expect(wider.acceptsPhone?.('251711234567')).toBe(true);
    const { length } = scene.standIn.calls;
    await wider.start(scene.order({}, { attempt: { phone: '251711234567' } }));
    expect(scene.standIn.calls).toHaveLength(length + 1);
  });

  const ETHIOPIC = 'የኢትዮጵያ ቡና';

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

  test('to another URL than eBirr’s endpoint is misconfigured, and logged', async () => {
    const lines = watchRailAnswers();
    const rail = scene.railWith({ baseUrl: `${scene.standIn.baseUrl}/nowhere` });
    const refused = { type: 'refused', reason: 'misconfigured' };
    expect(await rail.start(scene.order())).toEqual(refused);
    const line = { level: 'warn', call: 'API_PURCHASE', status: 404, providerCode: null };
    expect(lines).toMatchObject([line]);
  });
});

describe('the plan', () => {
  test('is a prompt that the object may start until a call would end, without a final window', () => {
    const { terms } = scene.order({}, { terms: { expiresAtMs: 600_000 } });
    const rail = scene.railWith({ statusQuery: undefined });
    const plan = rail.plan(terms, 'E_BIRR', 10_000);
    expect(plan).toEqual({
      flow: 'push',
      // The claim sets a new deadline, by the longest duration of the call.
      deadlineAtMs: claimedWindowEndMs(rail, 10_000),
      windowIsFinal: false,
      checkAtMs: null,
    });
    // The object may not claim it after the payment's expiry.
    const soon = rail.plan({ ...terms, expiresAtMs: 15_000 }, 'E_BIRR', 10_000);
    expect(soon).toEqual({ ...plan, deadlineAtMs: 15_000 });
  });

  test('has no status query until the operator turns them on', () => {
    expect(scene.railWith({ statusQuery: undefined })).not.toHaveProperty('query');
    expect(scene.rail).toHaveProperty('query');
  });
});

function meaning(text: string) {
  const report = ebirrReport(text);
  return report === null ? 'no report' : meaningOf(report);
}

describe('the published samples', () => {
  const settings = v.parse(ebirrSettingsSchema, {
    merchantUid: 'M0000000',
    apiUserId: '1000000',
    apiKey: 'API-xxxxxxxx',
    sendsReturnUrl: false,
  });

  test('reproduces the request byte for byte', () => {
    const order = orderFor(ebirrRail(settings), 'E_BIRR', {
      terms: { amountMinor: 1_000, merchantName: 'Order 0001', description: null },
      attempt: { id: 'b3b3a9a0-1111-4222-8333-444444444444', reference: 'ORDER-0001' },
    });
    const atMs = Date.UTC(2026, 0, 31, 9, 34, 56);
    const request = purchaseRequest(settings, order, '251911223344', atMs);
    expect(`${JSON.stringify(request)}\n`).toBe(ebirrSample('purchase_request'));
  });

  test('defaults to the production URL', () => {
    expect(settings.baseUrl).toBe('https://payments.ebirr.com/asm');
  });

  test.each([
    ['purchase_response_ok', { type: 'succeeded', receipt: '1000001', issuerReceipt: '2000001' }],
    ['purchase_response_rejected', { type: 'failed', reason: 'canceled_by_customer' }],
    ['purchase_response_timeout', { type: 'unknown', checkAtMs: null }],
    ['callback', { type: 'succeeded', receipt: '1000001', issuerReceipt: '2000001' }],
  ])('reads %s', (name, expected) => {
    expect(meaning(ebirrSample(name))).toEqual(expected);
  });
});
