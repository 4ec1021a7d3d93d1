import { createPrivateKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { jsonReply } from '../../scripts/stand-ins/stand-in.ts';
import { rsaSign, signedText } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import vectors from '../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };
import { watchRailAnswers } from '../support/rails/logged.ts';
import { notification, type TelebirrScene, telebirrScene } from '../support/rails/telebirr-h5.ts';

/** Goal: an operator finds telebirr's answers other than success by the attempt's reference. */

let scene: TelebirrScene;

beforeAll(async () => {
  scene = await telebirrScene();
});

afterAll(() => scene.stop());

afterEach(() => {
  scene.standIn.behavior.token = undefined;
  vi.restoreAllMocks();
});

function line({ attempt }: RailOrder, fields: object) {
  return { level: 'warn', rail: 'telebirr-h5', reference: attempt.reference, ...fields };
}

test.each([
  [jsonReply(500, { errorCode: '60200099', errorMsg: 'no' }), 500, '60200099'],
  [jsonReply(400, { errorCode: 60209999 }), 400, '60209999'],
  [jsonReply(200, { result: 'FAIL', code: '60320025' }), 200, '60320025'],
  [jsonReply(200, { code: 'call 251911234567, please!' }), 200, '(unprintable)'],
  [jsonReply(403, {}), 403, null],
  [jsonReply(200, { result: 'SUCCESS', code: '0' }), 200, '0'],
] as const)(
  'logs failed answers to a start and to a query: %j',
  async (reply, status, providerCode) => {
    const lines = watchRailAnswers();
    const order = scene.order();
    const rail = await scene.scripted(reply);
    await rail.start(order);
    await rail.query?.(order, Date.now());
    expect(lines).toEqual([
      line(order, { call: 'preOrder', status, providerCode }),
      line(order, { call: 'queryOrder', status, providerCode }),
    ]);
  },
);

test('logs an order id that telebirr changed', async () => {
  const lines = watchRailAnswers();
  const order = scene.order();
  const reply = jsonReply(200, { result: 'SUCCESS', code: '0', biz_content: { prepay_id: '?' } });
  await (await scene.scripted(reply)).start(order);
  expect(lines).toEqual([line(order, { call: 'preOrder', providerCode: null })]);
});

test('logs a failed token request', async () => {
  const lines = watchRailAnswers();
  const order = scene.order();
  await scene.railWith({ appSecret: 'another' }).start(order);
  scene.standIn.behavior.token = 'quota';
  await scene.railWith({ appSecret: 'third' }).start(order);
  expect(lines).toMatchObject([
    line(order, { call: 'token', status: 401 }),
    line(order, { call: 'token', providerCode: '49401021002' }),
  ]);
});

test('logs a token that is refused twice, but not one that was renewed', async () => {
  const order = scene.order();
  await scene.rail.start(order);
  const lines = watchRailAnswers();
  scene.standIn.dropTokens();
  await scene.rail.query?.(order, Date.now());
  expect(lines).toEqual([]);
  const refusing = await scene.scripted(jsonReply(401, { errorCode: '60200001' }));
  expect(await refusing.start(order)).toMatchObject({
    type: 'refused',
    reason: 'misconfigured',
  });
  expect(lines).toEqual([line(order, { call: 'preOrder', status: 401, providerCode: '60200001' })]);
});

test.each([
  ['PAY_FAILED', 'info'],
  ['ORDER_CLOSED', 'info'],
  ['REFUNDING', 'warn'],
  ['PAY_SUCCESS', 'warn'],
  ['SETTLING', 'warn'],
])('the state %s without amounts: %s', async (order_status, level) => {
  const lines = watchRailAnswers();
  const order = scene.order();
  const content = { merch_order_id: order.attempt.reference, order_status };
  const reply = jsonReply(200, { result: 'SUCCESS', code: '0', biz_content: content });
  await (await scene.scripted(reply)).query?.(order, Date.now());
  expect(lines).toEqual([line(order, { level, call: 'queryOrder', providerCode: order_status })]);
});

test.each(['WAIT_PAY', 'PAYING', 'ACCEPTED'])('does not log the state %s', async (order_status) => {
  const lines = watchRailAnswers();
  const order = scene.order();
  const content = { merch_order_id: order.attempt.reference, order_status };
  const reply = jsonReply(200, { result: 'SUCCESS', code: '0', biz_content: content });
  await (await scene.scripted(reply)).query?.(order, Date.now());
  expect(lines).toEqual([]);
});

test.each([
  ['an unknown state', 'Settling'],
  ['a payment that is not confirmed', 'Completed'],
])('a notification with %s', async (_what, trade_status) => {
  const key = createPrivateKey({
    key: Buffer.from(vectors.platformKey.pkcs8_b64_der, 'base64'),
    format: 'der',
    type: 'pkcs8',
  });
  const order = scene.order();
  await scene.rail.start(order);
  const fields = { merch_order_id: order.attempt.reference, trade_status };
  const signed = { ...fields, sign: rsaSign(signedText(fields), key, 'pss32') };
  const rail = scene.railWith({ telebirrPublicKey: vectors.platformKey.spki_b64_der });
  const lines = watchRailAnswers();
  await rail.readCallback?.(notification(JSON.stringify(signed)), order);
  expect(lines).toEqual([line(order, { call: 'callback', providerCode: trade_status })]);
});
