import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { sealedCallback } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import { CbeBirrScene, requestOf } from '../support/rails/cbe-birr-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

/** Goal: the log shows an operator unlisted states, and the id of the order to ask CBE about. */

let scene: CbeBirrScene;

beforeAll(async () => {
  scene = await CbeBirrScene.start();
});

afterAll(() => scene.stop());

afterEach(() => {
  vi.restoreAllMocks();
});

function line({ attempt, orderId }: RailOrder, fields: object) {
  const { reference } = attempt;
  return { level: 'warn', rail: 'cbe-birr', reference, railReference: orderId, ...fields };
}

test('logs each answer about an unpaid order once, as info, with the id of the query', async () => {
  const lines = watchRailAnswers();
  const order = scene.newOrder();
  const queryLine = (fields: object) =>
    line(order, { level: 'info', call: 'TXNSTAT', status: 200, ...fields });
  await scene.rail.query(order, Date.now());
  expect(lines).toEqual([queryLine({ providerCode: null })]);
  await scene.visited(order);
  await scene.rail.query(order, Date.now());
  expect(lines).toEqual([
    queryLine({ providerCode: null }),
    queryLine({ providerCode: 'At Counter' }),
  ]);
});

test('logs an unreadable answer and a missing one', async () => {
  const lines = watchRailAnswers();
  const failing = scene.planned({ query: 'http_500' });
  await scene.visited(failing);
  await scene.rail.query(failing, Date.now());
  const silent = scene.planned({ query: 'reset' });
  await scene.visited(silent);
  await scene.rail.query(silent, Date.now());
  expect(lines).toEqual([
    line(failing, { call: 'TXNSTAT', status: 500, providerCode: null }),
    line(silent, { call: 'TXNSTAT', providerCode: null }),
  ]);
});

test('logs a failure as info, and a payment not at all', async () => {
  const lines = watchRailAnswers();
  const order = scene.newOrder();
  const atBank = await scene.visited(order);
  await atBank.act('lacks_funds', { silent: true });
  await scene.rail.query(order, Date.now());
  const failed = line(order, {
    level: 'info',
    call: 'TXNSTAT',
    status: 200,
    providerCode: 'Not Moved',
  });
  expect(lines).toEqual([failed]);
  await atBank.act('pays', { silent: true });
  await scene.rail.query(order, Date.now());
  expect(lines).toEqual([failed]);
});

test('logs an unlisted state in a callback', async () => {
  const lines = watchRailAnswers();
  const order = scene.newOrder();
  const atBank = await scene.visited(order);
  const call = await scene.callbackOf(() => atBank.callback());
  await atBank.act('pays', { silent: true });
  await scene.rail.readCallback(requestOf(call), order);
  expect(lines).toEqual([line(order, { call: 'callback', providerCode: 'At Counter' })]);
});

test('does not log an unprintable state', async () => {
  const lines = watchRailAnswers();
  const order = scene.newOrder();
  const EncVal = sealedCallback(scene.settings.secret, {
    transactionId: order.orderId,
    state: 'Abebe, +251911234567',
    date: '2026-11-21',
  });
  const call = { method: 'POST', url: '/', headers: {}, body: JSON.stringify({ EncVal }) };
  await scene.rail.readCallback(requestOf(call), order);
  expect(lines).toMatchObject([
    { call: 'callback', providerCode: '(unprintable)' },
    { call: 'TXNSTAT' },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/Abebe|2519/);
});
