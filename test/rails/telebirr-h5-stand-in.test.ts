import { createPrivateKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  rsaSign,
  type Scheme,
  signedText,
  type Texts,
} from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import { bodyText } from '../../src/engine/rails/callback.ts';
import { type TelebirrScene, telebirrScene } from '../support/rails/telebirr-h5.ts';

/** Goal: the stand-in is as strict as telebirr; otherwise the other tests prove little. */

let scene: TelebirrScene;
let token: string;
beforeAll(async () => {
  scene = await telebirrScene();
  token = (await post('token', tokenHeaders(), { appSecret: scene.standIn.settings.appSecret }))
    .token as string;
});
afterAll(() => scene.stop());

type Members = Readonly<Record<string, unknown>>;

function tokenHeaders(): Texts {
  return {
    'content-type': 'application/json',
    'x-app-key': scene.standIn.settings.fabricAppId ?? '',
  };
}

async function post(path: string, headers: Texts, body: unknown): Promise<Members> {
  const url = `${scene.standIn.settings.apiBaseUrl}/payment/v1/${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { http: response.status, ...Object(await response.json()) };
}

function content(changed: Members = {}): Members {
  const { merchantAppId, merchantCode } = scene.standIn.settings;
  return {
    notify_url: 'http://localhost:1/notify',
    redirect_url: 'https://pay.example.com/checkout/test1.checkout-token',
    appid: merchantAppId,
    merch_code: merchantCode,
    merch_order_id: randomUUID().replaceAll('-', ''),
    trade_type: 'Checkout',
    title: 'Two bags of coffee_1.5',
    total_amount: '12.00',
    trans_currency: 'ETB',
    timeout_express: '120m',
    business_type: 'BuyGoods',
    payee_identifier: merchantCode,
    payee_identifier_type: '04',
    payee_type: '5000',
    callback_info: 'web',
    ...changed,
  };
}

interface Changes {
  readonly message?: Members;
  readonly content?: Members;
  readonly headers?: Texts;
  readonly scheme?: Scheme;
}

function preOrder(changed: Changes = {}): Promise<Members> {
  return send('payment.preorder', 'merchant/preOrder', content(changed.content), changed);
}

async function send(
  method: string,
  path: string,
  biz_content: Members,
  changed: Changes = {},
): Promise<Members> {
  const der = Buffer.from(scene.standIn.settings.merchantPrivateKey ?? '', 'base64');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const unsigned = {
    timestamp: String(Math.floor(Date.now() / 1_000)),
    nonce_str: randomUUID().replaceAll('-', ''),
    method,
    version: '1.0',
    biz_content,
  };
  const message = {
    ...unsigned,
    sign: rsaSign(signedText(unsigned), key, changed.scheme ?? 'pss32'),
    sign_type: 'SHA256WithRSA',
    ...changed.message,
  };
  const headers = { ...tokenHeaders(), authorization: token, ...changed.headers };
  return post(path, headers, message);
}

/** A refund of a paid order of 12.00, unless `changed` names another one. */
async function refund(changed: Members = {}): Promise<Members> {
  const merch_order_id = randomUUID().replaceAll('-', '');
  await preOrder({ content: { merch_order_id } });
  await (await scene.standIn.order(merch_order_id)).act('pays', { silent: true });
  const { merchantAppId, merchantCode } = scene.standIn.settings;
  return send('payment.refund', 'merchant/refund', {
    appid: merchantAppId,
    merch_code: merchantCode,
    merch_order_id,
    refund_request_no: randomUUID().replaceAll('-', ''),
    actual_amount: '12.00',
    trans_currency: 'ETB',
    ...changed,
  });
}

describe('an order', () => {
  test('is accepted when correct', async () => {
    expect(await preOrder()).toMatchObject({ http: 200, result: 'SUCCESS', code: '0' });
  });

  test.each<[string, Changes, string]>([
    ['another token', { headers: { authorization: 'Bearer 1' } }, '49401020001'],
    ['no Bearer', { headers: { authorization: '' } }, '49401020001'],
    ['another app key', { headers: { 'x-app-key': randomUUID() } }, '49401020001'],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, '49401024995'],
    ['an old time', { message: { timestamp: '1755866911' } }, '49401024995'],
    ['milliseconds', { message: { timestamp: String(Date.now()) } }, '49401024995'],
    ['a short nonce', { message: { nonce_str: 'short' } }, '49401024995'],
    ['another method', { message: { method: 'payment.queryorder' } }, '49401024995'],
    ['another sign_type', { message: { sign_type: 'RSA' } }, '49401024995'],
    ['one member more', { message: { extra: '1' } }, '49401024995'],
    ['no version', { message: { version: undefined } }, '60320006'],
    ['another signature', { message: { sign: `${'A'.repeat(342)}==` } }, '60200099'],
    ['a long salt', { scheme: 'pssmax' }, '60200099'],
    ['PKCS#1', { scheme: 'pkcs1' }, '60200099'],
    ['another app', { content: { appid: '1' } }, '60200087'],
    ['the other app id', { content: { appid: randomUUID() } }, '49401024995'],
    ['another merchant', { content: { merch_code: '1000000' } }, '60200087'],
    ['another payee', { content: { payee_identifier: '1000000' } }, '49401024995'],
    ['a hyphen in the id', { content: { merch_order_id: 'a-1' } }, '49401024995'],
    ['a long id', { content: { merch_order_id: 'a'.repeat(33) } }, '49401024995'],
    ['punctuation in the title', { content: { title: 'coffee (2)' } }, '49401024995'],
    ['other scripts in the title', { content: { title: 'ቡና' } }, '49401024995'],
    ['a long title', { content: { title: 'a'.repeat(201) } }, '49401024995'],
    ['three decimals', { content: { total_amount: '1.000' } }, '49401024995'],
    ['a number as the amount', { content: { total_amount: 12 } }, '49401024995'],
    ['nothing to pay', { content: { total_amount: '0.00' } }, '49401024995'],
    ['another currency', { content: { trans_currency: 'USD' } }, '49401024995'],
    ['121 minutes', { content: { timeout_express: '121m' } }, '49401024995'],
    ['no minutes', { content: { timeout_express: '0m' } }, '49401024995'],
    ['a long address', { content: { notify_url: `https://${'a'.repeat(505)}` } }, '49401024995'],
    ['an empty member', { content: { callback_info: '' } }, '60320006'],
    ['no title', { content: { title: '' } }, '60320006'],
  ])('with %s is refused', async (_what, changed, errorCode) => {
    const refused = await preOrder(changed);
    expect(refused).toMatchObject({ errorCode, errorMsg: expect.any(String) });
    expect(refused.http).toBeGreaterThanOrEqual(400);
  });

  test('is refused when the order or the message is repeated', async () => {
    const merch_order_id = 'H7K2M9QX4T0B8ZC3VN5D';
    expect((await preOrder({ content: { merch_order_id } })).http).toBe(200);
    const again = await preOrder({ content: { merch_order_id } });
    expect(again).toMatchObject({ http: 400, errorCode: '60201001' });
    expect((await scene.standIn.order(merch_order_id)).amountText).toBe('12.00');
    const last = scene.standIn.calls.at(-1);
    const headers = { ...tokenHeaders(), authorization: token };
    const replayed = await post('merchant/preOrder', headers, JSON.parse(last?.body ?? ''));
    expect(replayed).toMatchObject({ http: 400, errorCode: '49401024995' });
  });
});

describe('a refund', () => {
  test('is accepted when correct', async () => {
    expect(await refund()).toMatchObject({
      http: 200,
      biz_content: { refund_status: 'REFUND_SUCCESS', refund_amount: '12.00' },
    });
  });

  test.each<[string, Members, string]>([
    ['a refund_amount instead', { actual_amount: undefined, refund_amount: '12.00' }, '60320006'],
    ['both amounts', { refund_amount: '12.00' }, '49401024995'],
    ['one decimal', { actual_amount: '12.0' }, '49401024995'],
    ['a number as the amount', { actual_amount: 12 }, '49401024995'],
    ['nothing to return', { actual_amount: '0.00' }, '49401024995'],
    ['more than was paid', { actual_amount: '12.01' }, '60201003'],
    ['no number', { refund_request_no: undefined }, '60320006'],
    ['a hyphen in the number', { refund_request_no: 'a-1' }, '49401024995'],
    ['another currency', { trans_currency: 'USD' }, '49401024995'],
    ['another merchant', { merch_code: '1000000' }, '60200087'],
    ['another order', { merch_order_id: 'H7K2M9QX4T0B8ZC3VN5X' }, '60201002'],
  ])('with %s is refused', async (_what, changed, errorCode) => {
    expect(await refund(changed)).toMatchObject({ errorCode });
  });
});

test('answers 404 at any other URL', async () => {
  expect(await post('merchant/closeOrder', tokenHeaders(), {})).toMatchObject({
    http: 404,
    errorCode: '49401026001',
  });
});

describe('plans', () => {
  test.each([
    ['before_answer', true, true],
    ['after_answer', false, true],
    [undefined, false, true],
    ['never', false, false],
  ] as const)('the notification %s', async (callback, isBefore, comes) => {
    const order = scene.order();
    const amountText = (order.chargedMinor / 100).toFixed(2);
    scene.standIn.plan(amountText, { act: 'pays', ...(callback && { callback }) });
    expect((await scene.rail.start(order)).type).toBe('accepted');
    expect((await scene.standIn.order(order.attempt.reference)).acted).toBe('pays');
    const came = async () => bodyText(scene.lastReport).includes(order.attempt.reference);
    expect(await came().catch(() => false)).toBe(isBefore);
    if (comes) {
      await expect.poll(() => came().catch(() => false)).toBe(true);
    } else {
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await came().catch(() => false)).toBe(false);
    }
  });

  test('rejects an act before there is a page', () => {
    expect(() => scene.standIn.plan('1.00', { refuses: 'declines' })).toThrow(
      /before it knows the customer/,
    );
  });

  test('rejects a second act', async () => {
    const order = scene.order();
    await scene.rail.start(order);
    const known = await scene.standIn.order(order.attempt.reference);
    expect(await known.act('declines', { silent: true })).toBeNull();
    await expect(known.act('pays')).rejects.toThrow(/closed/);
    expect(known.acted).toBe('declines');
  });
});
