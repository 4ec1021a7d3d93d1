import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startMpesaStandIn } from '../../scripts/stand-ins/mpesa.ts';
import { jsonReply, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import { ethiopianDigits } from '../../src/domain/ethiopian-time.ts';
import { mpesaRail } from '../../src/rails/mpesa/rail.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import {
  PHONE,
  sampleRequestText,
  settingsOf,
  VALID_SETTINGS,
} from '../support/rails/mpesa-fixtures.ts';
import { type MpesaScene, startMpesaScene } from '../support/rails/mpesa-scene.ts';

let scene: MpesaScene;

beforeAll(async () => {
  scene = await startMpesaScene();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await scene.stop();
});

describe('a start', () => {
  it('sends no push for an amount with cents', async () => {
    const callsBefore = scene.standIn.calls.length;
    const rail = scene.railWith({ wholeAmountsOnly: undefined });
    expect(rail.wholeAmountsOnly).toBe(true);
    expect(await rail.start(scene.order(150_050))).toEqual({ type: 'refused', reason: 'declined' });
    expect(scene.standIn.calls).toHaveLength(callsBefore);
    expect(scene.railWith({ wholeAmountsOnly: false }).wholeAmountsOnly).toBe(false);
  });

  it('requests a token, then pushes, with exactly these two requests', async () => {
    const own = await startMpesaStandIn();
    const order = scene.order(150_050);
    const from = Date.now();
    const settings = settingsOf({ ...own.settings, wholeAmountsOnly: false });
    const result = await mpesaRail(settings).start(order);
    const standInOrder = await own.order(order.attempt.reference);
    expect(result).toMatchObject({
      type: 'accepted',
      redirectUrl: null,
      railReference: expect.any(String),
      providerCode: '0',
    });
    expect(standInOrder).toMatchObject({ amountText: '1500.5', phone: PHONE, acted: null });

    expect(settingsOf(own.settings)).toEqual({
      ...own.settings,
      promptWindowSeconds: 180,
      wholeAmountsOnly: true,
    });
    const [token, push] = own.calls;
    expect(own.calls).toHaveLength(2);
    const credentials = `${settings.consumerKey}:${settings.consumerSecret}`;
    const transport = {
      host: new URL(own.baseUrl).host,
      connection: 'keep-alive',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
    };
    expect(token).toEqual({
      method: 'GET',
      url: '/v1/token/generate?grant_type=client_credentials',
      headers: {
        ...transport,
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
      body: '',
    });
    expect(push).toEqual({
      method: 'POST',
      url: '/mpesa/stkpush/v3/processrequest',
      headers: {
        ...transport,
        authorization: expect.stringMatching(/^Bearer [\w-]{19}$/),
        'content-type': 'application/json',
        'content-length': String(push?.body.length),
      },
      body: expect.any(String),
    });
    const { Timestamp } = JSON.parse(push?.body ?? '');
    const digest = createHash('sha256')
      .update(`${settings.shortcode}${settings.passkey}${Timestamp}`)
      .digest('hex');
    const { reference } = order.attempt;
    // The official sample byte for byte, except what differs with each payment.
    expect(push?.body).toBe(
      sampleRequestText({
        MerchantRequestID: `"${reference}"`,
        BusinessShortCode: `"${settings.shortcode}"`,
        Password: `"${Buffer.from(digest).toString('base64')}"`,
        Timestamp: `"${Timestamp}"`,
        Amount: '1500.5',
        PartyA: `"${PHONE}"`,
        PartyB: `"${settings.shortcode}"`,
        PhoneNumber: `"${PHONE}"`,
        CallBackURL: `"${order.callbackUrl}"`,
        AccountReference: `"${reference.slice(0, 12)}"`,
        TransactionDesc: '"Tomoca Coffee"',
        Value: `"${reference}"`,
      }),
    );
    expect([ethiopianDigits(from), ethiopianDigits(Date.now())]).toContainEqual(Timestamp);
    await own.stop();
  });

  it('sends the type, the password form and the credited party in the settings', async () => {
    const any = await StandInServer.start(async () => jsonReply(200, { access_token: 'token' }));
    const switches = { transactionType: 'CustomerBuyGoodsOnline', passwordForm: 'kenya' };
    const secret = { ...VALID_SETTINGS, ...switches, partyB: '554433', baseUrl: any.baseUrl };
    await mpesaRail(settingsOf(secret)).start(scene.order());
    const body = JSON.parse(any.calls[1]?.body ?? '');
    expect(body).toMatchObject({ TransactionType: 'CustomerBuyGoodsOnline', PartyB: '554433' });
    const plain = `1020${VALID_SETTINGS.passkey}${body.Timestamp}`;
    expect(Buffer.from(body.Password, 'base64').toString()).toBe(plain);
    await any.stop();
  });

  it('is logged with M-PESA’s own codes when M-PESA refuses it', async () => {
    const lines = watchRailAnswers();
    const starts = [
      scene.plannedOrder({ refuses: 'declines' }),
      scene.plannedOrder({ refuses: 'misconfigured' }),
      scene.plannedOrder({ start: 'http_500' }),
      scene.plannedOrder({ start: 'reset' }),
      scene.plannedOrder({}),
    ];
    for (const order of starts) {
      await scene.railWith().start(order);
    }
    const wrong = scene.railWith({ consumerKey: 'x' });
    const order = scene.order();
    await wrong.start(order);
    const reference = (index: number) => ({ reference: starts[index]?.attempt.reference });
    const line = { level: 'warn', rail: 'stk-push', call: 'processrequest' };
    expect(lines).toEqual([
      { ...line, ...reference(0), status: 200, providerCode: '1' },
      { ...line, ...reference(1), status: 403, providerCode: '403.001.01' },
      { ...line, ...reference(2), status: 500, providerCode: null },
      { ...line, ...reference(3), providerCode: null },
      {
        ...line,
        call: 'token',
        reference: order.attempt.reference,
        status: 400,
        providerCode: '999991',
      },
    ]);
  });

  it('is misconfigured with a wrong key, secret or password', async () => {
    const wrong = [{ consumerKey: 'x' }, { consumerSecret: 'x' }, { passkey: 'x' }];
    for (const changed of [...wrong, { passwordForm: 'kenya' }, { shortcode: '123' }]) {
      const rail = scene.railWith(changed);
      const result = await rail.start(scene.order());
      expect(result).toMatchObject({ type: 'refused', reason: 'misconfigured' });
    }
  });

  it('sends the strict stand-in nothing that it refuses, for any texts', async () => {
    const names = [
      `${'☕ ክፈል\u0000\n"\\'.repeat(150)}`.slice(0, 1_000),
      'ቶሞካ ቡና',
      '"; DROP TABLE orders; --',
      `<script>${'a'.repeat(991)}`,
      '\ud83d',
      ' ',
    ];
    for (const merchantName of names) {
      const order = scene.order(100, {}, { merchantName, description: merchantName });
      expect(await scene.railWith().start(order)).toMatchObject({ type: 'accepted' });
    }
  });
});
