import { constants, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReceivedCall } from '../../scripts/stand-ins/stand-in.ts';
import { bareBase64, rsaVerify } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import { payPageUrl } from '../../src/engine/rails/telebirr-h5/messages.ts';
import { telebirrH5Settings } from '../../src/engine/rails/telebirr-h5/settings.ts';
import {
  canonicalText,
  SIGNATURE_SCHEMES,
  type Sign,
  signer,
  verifier,
} from '../../src/engine/rails/telebirr-h5/signature.ts';
import mandate from '../fixtures/rails/telebirr-h5/mandate.json' with { type: 'json' };
import vectors from '../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };
import { type TelebirrScene, telebirrScene } from '../support/rails/telebirr-h5.ts';

/** Goal: requests match telebirr's documentation byte for byte. */

const MERCHANT_KEY = createPublicKey({
  key: Buffer.from(vectors.merchantKey.spki_b64_der, 'base64'),
  format: 'der',
  type: 'spki',
});
const verifyMerchant = verifier(vectors.merchantKey.spki_b64_der);

describe('the published vectors', () => {
  test.each([
    ['pss32', 32],
    ['pssmax', 222],
  ] as const)('%s is salted with %i bytes', async (scheme, saltLength) => {
    const text = vectors.checkout.canonical;
    const signature = (await signer(vectors.merchantKey.pkcs8_b64_der, scheme)(text)) ?? '';
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const isSigned = verify(
      'sha256',
      Buffer.from(text),
      { key: MERCHANT_KEY, padding, saltLength },
      Buffer.from(signature, 'base64'),
    );
    expect(isSigned).toBe(true);
  });

  describe('the URL of the payment page', () => {
    const { canonical, rawRequest, sign_pss32, url } = vectors.checkout;
    const { appid, merch_code, prepay_id, nonce_str, timestamp } = Object.fromEntries(
      new URLSearchParams(canonical),
    );
    const settings = v.parse(telebirrH5Settings, {
      webPageUrl: url.split('?')[0],
      fabricAppId: '00000000-0000-4000-8000-000000000000',
      appSecret: 'unused',
      merchantAppId: appid,
      merchantCode: merch_code,
      merchantPrivateKey: vectors.merchantKey.pkcs8_b64_der,
      telebirrPublicKey: vectors.platformKey.spki_b64_der,
    });
    const madeWith = (sign: Sign) =>
      payPageUrl(settings, prepay_id ?? '', sign, {
        nonce_str: nonce_str ?? '',
        timestamp: timestamp ?? '',
      });

    test('matches byte for byte with the vector’s signature', async () => {
      const texts: string[] = [];
      const made = await madeWith(async (text) => {
        texts.push(text);
        return sign_pss32;
      });
      expect(texts).toEqual([canonical]);
      expect(made).toBe(url);
      const end = '&version=1.0&trade_type=Checkout';
      expect(made).toBe(`${settings.webPageUrl}?${rawRequest}${end}`);
      expect(await verifyMerchant(Object.fromEntries(new URLSearchParams(rawRequest)))).toBe(true);
    });

    test.each(SIGNATURE_SCHEMES)(
      'matches byte for byte with our own signature: %s',
      async (scheme) => {
        const made = await madeWith(signer(settings.merchantPrivateKey, scheme));
        const sign = new URL(made ?? '').searchParams.get('sign') ?? '';
        expect(made).toBe(url.replace(encodeURIComponent(sign_pss32), encodeURIComponent(sign)));
        const text = new URLSearchParams(canonical);
        expect(await verifyMerchant({ ...Object.fromEntries(text), sign })).toBe(true);
      },
    );
  });

  test('leave out the unsigned members at both levels', () => {
    const unsigned = {
      sign: 'a',
      sign_type: 'a',
      header: 'a',
      refund_info: 'a',
      openType: 'a',
      raw_request: 'a',
      wallet_reference_data: 'a',
    };
    const biz_content = { ...unsigned, b: '2', B: '1', empty: '', none: null, list: ['a'] };
    const message = { ...unsigned, biz_content, a_b: 'x y&=%', number: 1.5 };
    expect(canonicalText(message)).toBe('B=1&a_b=x y&=%&b=2&number=1.5');
  });

  test('cover each value as it is, with its spaces and combining marks', () => {
    const message = { biz_content: { title: ' Cafe\u0301 ' }, note: '\u1e9b\u0323\t' };
    expect(canonicalText(message)).toBe('note=\u1e9b\u0323\t&title= Cafe\u0301 ');
  });

  test('verify the only published signature of a merchant', async () => {
    const publicKey = bareBase64(createPublicKey(mandate.publicKeyPem));
    const fields = Object.fromEntries(new URLSearchParams(mandate.canonical));
    expect(canonicalText({ ...fields, mandate_contract_id: '', merch_contract_no: '' })).toBe(
      mandate.canonical,
    );
    expect(await verifier(publicKey)({ ...fields, sign: mandate.sign })).toBe(true);
  });
});

describe('requests', () => {
  let scene: TelebirrScene;
  beforeAll(async () => {
    scene = await telebirrScene();
  });
  afterAll(() => scene.stop());

  const ANYTHING_OF_OURS = /^[A-Z2-7]{32}$/;

  function parsed(call: ReceivedCall | undefined): Record<string, unknown> {
    return JSON.parse(call?.body ?? '');
  }

  /** Without the headers that Node's fetch adds. */
  function headersOf(call: ReceivedCall | undefined): Record<string, string> {
    const own = ['accept', 'accept-encoding', 'accept-language', 'connection', 'content-length'];
    const added = [...own, 'host', 'sec-fetch-mode', 'user-agent'];
    return Object.fromEntries(
      Object.entries(call?.headers ?? {}).filter(([name]) => !added.includes(name)),
    );
  }

  test('a token and an order have exactly these fields', async () => {
    const { settings, calls } = scene.standIn;
    const order = scene.order(
      {},
      {
        terms: { amountMinor: 123_450, description: 'Two bags', merchantName: 'Tomoca Coffee' },
      },
    );
    const started = await scene.rail.start(order);
    expect(started.type).toBe('accepted');
    const [token, preOrder] = calls;
    const common = { 'content-type': 'application/json', 'x-app-key': settings.fabricAppId };
    expect(token).toMatchObject({
      method: 'POST',
      url: '/apiaccess/payment/gateway/payment/v1/token',
      body: JSON.stringify({ appSecret: settings.appSecret }),
    });
    expect(headersOf(token)).toEqual(common);
    expect(preOrder).toMatchObject({
      method: 'POST',
      url: '/apiaccess/payment/gateway/payment/v1/merchant/preOrder',
    });
    const authorization = expect.stringMatching(/^Bearer [0-9a-f]{32}$/);
    expect(headersOf(preOrder)).toEqual({ ...common, authorization });
    const body = parsed(preOrder);
    expect(body).toEqual({
      timestamp: expect.stringMatching(/^\d{10}$/),
      nonce_str: expect.stringMatching(ANYTHING_OF_OURS),
      method: 'payment.preorder',
      version: '1.0',
      biz_content: {
        notify_url: order.callbackUrl,
        redirect_url: 'https://pay.example.com/checkout/test1.checkout-token/returned',
        appid: settings.merchantAppId,
        merch_code: settings.merchantCode,
        merch_order_id: order.attempt.reference,
        trade_type: 'Checkout',
        title: 'Tomoca Coffee Two bags',
        total_amount: '1234.50',
        trans_currency: 'ETB',
        timeout_express: '14m',
        business_type: 'BuyGoods',
        payee_identifier: settings.merchantCode,
        payee_identifier_type: '04',
        payee_type: '5000',
        callback_info: 'web',
      },
      sign: expect.stringMatching(/^[A-Za-z0-9+/]{342}==$/),
      sign_type: 'SHA256WithRSA',
    });
    expect(Math.abs(Number(body.timestamp) - Date.now() / 1_000)).toBeLessThan(10);
  });

  test('the URL of the page has exactly these parameters', async () => {
    const { settings } = scene.standIn;
    const order = scene.order();
    const started = await scene.rail.start(order);
    const { prepayId } = Object(await scene.standIn.order(order.attempt.reference));
    const url = new URL((started.type === 'accepted' && started.redirectUrl) || '');
    expect(`${url.origin}${url.pathname}`).toBe(settings.webPageUrl);
    expect([...url.searchParams]).toEqual([
      ['appid', settings.merchantAppId],
      ['merch_code', settings.merchantCode],
      ['nonce_str', expect.stringMatching(ANYTHING_OF_OURS)],
      ['prepay_id', prepayId],
      ['timestamp', expect.stringMatching(/^\d{10}$/)],
      ['sign', expect.stringMatching(/^[A-Za-z0-9+/]{342}==$/)],
      ['sign_type', 'SHA256WithRSA'],
      ['version', '1.0'],
      ['trade_type', 'Checkout'],
    ]);
    expect(url.search).not.toMatch(/[+ ]/);
  });

  test('a query has exactly these fields', async () => {
    const { settings, calls } = scene.standIn;
    const order = scene.order();
    await scene.rail.start(order);
    await scene.rail.query?.(order, Date.now());
    const call = calls.at(-1);
    expect(call).toMatchObject({
      method: 'POST',
      url: '/apiaccess/payment/gateway/payment/v1/merchant/queryOrder',
    });
    expect(headersOf(call)).toEqual({
      'content-type': 'application/json',
      'x-app-key': settings.fabricAppId,
      authorization: expect.stringMatching(/^Bearer [0-9a-f]{32}$/),
    });
    expect(parsed(call)).toEqual({
      timestamp: expect.stringMatching(/^\d{10}$/),
      nonce_str: expect.stringMatching(ANYTHING_OF_OURS),
      method: 'payment.queryorder',
      version: '1.0',
      biz_content: {
        appid: settings.merchantAppId,
        merch_code: settings.merchantCode,
        merch_order_id: order.attempt.reference,
      },
      sign: expect.stringMatching(/^[A-Za-z0-9+/]{342}==$/),
      sign_type: 'SHA256WithRSA',
    });
  });

  test.each(['pss32', 'pssmax', 'pkcs1'] as const)('all are signed with %s', async (scheme) => {
    scene.standIn.behavior.requiredScheme = scheme;
    const rail = scene.railWith({ signatureScheme: scheme });
    const started = await rail.start(scene.order());
    const url = new URL((started.type === 'accepted' && started.redirectUrl) || '');
    scene.standIn.behavior.requiredScheme = 'pss32';
    const text = canonicalText(Object.fromEntries([...url.searchParams].slice(0, 5)));
    const der = Buffer.from(scene.standIn.settings.merchantPrivateKey ?? '', 'base64');
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    expect(rsaVerify(text, key, scheme, url.searchParams.get('sign') ?? '')).toBe(true);
  });
});
