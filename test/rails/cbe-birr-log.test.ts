import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { sealedCallback } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import type { RailOrder } from '../../src/rails/rail.ts';
import { CbeBirrScene, requestOf } from '../support/rails/cbe-birr-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

/** Goal: an operator learns the states that nobody has told of, and which order to ask CBE about. */

let scene: CbeBirrScene;

beforeAll(async () => {
  scene = await CbeBirrScene.start();
});

afterAll(() => scene.stop());

afterEach(() => {
  vi.restoreAllMocks();
});

function line({ attempt, orderId }: RailOrder, said: object) {
  const { reference } = attempt;
  return { level: 'warn', rail: 'cbe-birr', reference, railReference: orderId, ...said };
}

test('each unknown answer once, with the id that CBE was asked by', async () => {
  const lines = watchRailAnswers();
  const order = scene.newOrder();
  const asked = (said: object) => line(order, { call: 'TXNSTAT', status: 200, ...said });
  await scene.rail.query(order, Date.now());
  expect(lines).toEqual([asked({ providerCode: null })]);
  await scene.visited(order);
  await scene.rail.query(order, Date.now());
  expect(lines).toEqual([asked({ providerCode: null }), asked({ providerCode: 'At Counter' })]);
});

test('an answer that is none, and no answer', async () => {
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

test('a failure is nothing to worry about, a payment nothing to log', async () => {
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

test('a callback’s unlisted state', async () => {
  const lines = watchRailAnswers();
  const order = scene.newOrder();
  const atBank = await scene.visited(order);
  const call = await scene.callbackOf(() => atBank.callback());
  await atBank.act('pays', { silent: true });
  await scene.rail.readCallback(requestOf(call), order);
  expect(lines).toEqual([line(order, { call: 'callback', providerCode: 'At Counter' })]);
});

test('a state that might hold anything is not repeated', async () => {
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
