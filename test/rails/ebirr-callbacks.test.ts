import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type {
  CallbackVariant,
  CustomerAct,
  ReceivedCall,
} from '../../scripts/stand-ins/stand-in.ts';
import type { CallbackCall } from '../../src/rails/callback.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import {
  type EbirrScene,
  ebirrSample,
  ebirrScene,
  hostileBodies,
} from '../support/rails/ebirr-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

/**
 * Goal: we believe an unsigned report only about the order at whose URL it arrived, whose reference
 * it names, and whose amount and transaction it does not contradict.
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

/** The call as the adapter receives it. */
function requestOf(call: ReceivedCall | undefined): CallbackCall {
  if (call === undefined) {
    throw new Error('no callback came');
  }
  return requestWith(call.body, call.url);
}

function requestWith(body: string, path = '/rails/ebirr/test1.attempt-token'): CallbackCall {
  return callbackCall({ url: `${scene.gateway.baseUrl}${path}`, body });
}

describe('callbacks', () => {
  /** An order on which the customer has acted, and eBirr's callback about it. */
  async function reported(act: CustomerAct, variant: CallbackVariant = 'genuine') {
    const started = scene.order();
    const starting = rail.start(started);
    const prompted = await scene.standIn.order(started.attempt.reference);
    await prompted.act(act, { silent: true });
    await starting;
    expect(await prompted.callback(variant)).toEqual({ status: 200, text: 'ok' });
    return { started, request: () => requestOf(scene.gateway.calls.at(-1)) };
  }

  const PAID = { type: 'succeeded', receipt: '1000001', issuerReceipt: '2000001' };

  test('gives the same outcome again, also for an order that is paid or had failed', async () => {
    const { started, request } = await reported('pays');
    const states: readonly Partial<RailOrder['attempt']>[] = [
      {},
      { status: 'succeeded', receipt: '1000001' },
      { status: 'succeeded', receipt: null, issuerReceipt: '2000001' },
      // The operator recorded what the customer's message says.
      { status: 'succeeded', receipt: '2000001' },
      { status: 'failed', failureReason: 'timed_out' },
      { status: 'unresolved' },
    ];
    for (const state of states) {
      const known = { ...started, attempt: { ...started.attempt, ...state } };
      expect(await rail.readCallback(request(), known)).toMatchObject({ outcome: PAID });
    }
  });

  test('sends a browser to the payment’s page and believes nothing that its query says', async () => {
    const order = scene.order();
    const query = `?referenceId=${order.attempt.reference}&responseCode=2001&errorCode=0&state=APPROVED`;
    const logged = watchRailAnswers();
    const call = callbackCall({ method: 'GET', url: `${order.callbackUrl}${query}` });
    expect(await rail.readCallback(call, order)).toEqual({
      type: 'inconclusive',
      reply: { status: 303, headers: { location: order.checkoutUrl }, body: null },
    });
    // Customers then know a URL that was to be secret: the operator must act.
    expect(logged).toMatchObject([{ call: 'browser', level: 'warn' }]);
  });

  test.each([
    { receipt: '1000009' },
    { receipt: '1000001', issuerReceipt: '2000009' },
    { issuerReceipt: '2000009' },
  ])('refuses another transaction for a paid order: %j', async (known) => {
    const { started, request } = await reported('pays');
    const attempt = { ...started.attempt, isProved: true, ...known };
    expect(await rail.readCallback(request(), { ...started, attempt })).toMatchObject({
      type: 'refused',
      suspicion: 'other_order',
    });
  });

  test('accepts the report, even if an operator recorded another receipt before', async () => {
    const { started, request } = await reported('pays');
    const attempt = { ...started.attempt, receipt: 'TYPO-1' };
    expect(await rail.readCallback(request(), { ...started, attempt })).toMatchObject({
      type: 'outcome',
      outcome: { type: 'succeeded' },
    });
  });

  const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

  test('accepts the published sample with our reference', async () => {
    const body = ebirrSample('callback').replace('ORDER-0001', REFERENCE);
    expect(await rail.readCallback(requestWith(body), scene.order())).toMatchObject({
      outcome: PAID,
    });
  });

  test.each([
    ['no reference', { responseCode: '2001', errorCode: '0', params: { state: 'APPROVED' } }],
    ['a reference that is not a string', { referenceId: { $ne: 1 }, errorCode: '5310' }],
  ])('%s: unreadable', async (_name, report) => {
    const result = await rail.readCallback(requestWith(JSON.stringify(report)), scene.order());
    expect(result).toMatchObject({ type: 'refused', suspicion: 'unreadable' });
  });

  test.each([
    ['not approved', { responseCode: '2001', errorCode: '0' }],
    ['pending', { responseCode: '2001', errorCode: '0', params: { state: 'PENDING' } }],
    ['approved alone', { params: { state: 'APPROVED' } }],
    ['no code', {}],
    ['an unknown code', { responseCode: '5999', errorCode: 'E99999' }],
  ])('refuses an unknown state: %s', async (_name, report) => {
    const body = JSON.stringify({ referenceId: REFERENCE, ...report });
    expect(await rail.readCallback(requestWith(body), scene.order())).toMatchObject({
      type: 'refused',
      suspicion: 'unknown_state',
      reply: { status: 422 },
    });
  });

  test('accepts a report of eBirr’s own timeout, which proves nothing', async () => {
    const body = JSON.stringify({ referenceId: REFERENCE, errorCode: 'E102051' });
    expect(await rail.readCallback(requestWith(body), scene.order())).toMatchObject({
      type: 'outcome',
      outcome: { type: 'unknown', checkAtMs: null },
    });
  });

  test('logs its codes, unless it is a payment', async () => {
    const lines = watchRailAnswers();
    const reports = [
      { responseCode: '5310', errorCode: '5310', responseMsg: 'a name, a phone' },
      { responseCode: '5999', errorCode: 'E99999' },
      { responseCode: '2001', errorCode: '0', params: { state: 'PENDING' } },
      { errorCode: 'E102051' },
      {},
      { responseCode: '2001', errorCode: '0', params: { state: 'APPROVED' } },
    ];
    for (const report of reports) {
      const body = JSON.stringify({ referenceId: REFERENCE, ...report });
      await rail.readCallback(requestWith(body), scene.order());
    }
    const line = { rail: 'ebirr', call: 'callback', reference: REFERENCE };
    expect(lines).toEqual([
      { level: 'info', ...line, providerCode: '5310' },
      { level: 'warn', ...line, providerCode: '5999 E99999' },
      { level: 'warn', ...line, providerCode: '2001 0 PENDING' },
      { level: 'warn', ...line, providerCode: 'E102051' },
      { level: 'warn', ...line, providerCode: null },
    ]);
  });

  test.each(hostileBodies(REFERENCE))('reads 64 KiB of %s in no time', async (_name, body) => {
    await rail.readCallback(requestWith(body), scene.order());
  });
});
