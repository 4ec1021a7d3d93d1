import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type CustomerAct,
  type Fault,
  jsonReply,
  StandInServer,
} from '../../scripts/stand-ins/stand-in.ts';
import type { Outcome } from '../../src/domain/intent.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { type EbirrScene, ebirrScene, hostileBodies } from '../support/rails/ebirr-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

/**
 * Goal: a status query finds a payment whose answer was lost, and an answer that names another
 * order or amount, contradicts itself, or is in no known format changes nothing.
 */

let scene: EbirrScene;
const SECOND_MS = 1_000;

beforeEach(async () => {
  scene = await ebirrScene();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await scene.stop();
});

async function query(order: RailOrder, changed = {}, nowMs = Date.now()): Promise<Outcome> {
  const rail = scene.railWith({ statusQuery: scene.standIn.statusQuery, ...changed });
  if (rail.query === undefined) {
    throw new Error('queries are off');
  }
  return rail.query(order, nowMs);
}

/** An order whose answer was lost, as eBirr knows it. */
async function prompted(query?: Fault): Promise<RailOrder> {
  scene.standIn.plan('1500.00', { start: 'accepted_then_reset', ...(query && { query }) });
  const order = scene.order();
  const starting = scene.railWith().start(order);
  await scene.standIn.order(order.attempt.reference);
  // eBirr's answer would wait for the customer.
  starting.catch(() => undefined);
  return order;
}

async function acted(act: CustomerAct, query?: Fault): Promise<RailOrder> {
  const order = await prompted(query);
  await (await scene.standIn.order(order.attempt.reference)).act(act, { silent: true });
  return order;
}

describe('the request', () => {
  test('has exactly these fields, with an id of its own each time', async () => {
    const order = await acted('pays');
    const nowMs = Date.UTC(2026, 0, 31, 9, 34, 56);
    await query(order, {}, nowMs);
    await query(order);
    const bodies = scene.standIn.calls.slice(1).map(({ body }) => JSON.parse(body));
    const { merchantUid, apiUserId, apiKey } = scene.standIn.settings;
    expect(bodies[0]).toEqual({
      schemaVersion: '1.0',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: '2026-01-31 12:34:56',
      channelName: 'WEB',
      serviceName: 'API_TRANSACTIONSTATUS',
      serviceParams: { merchantUid, apiUserId, apiKey, referenceId: order.attempt.reference },
    });
    const ids = [order.attempt.id, ...bodies.map(({ requestId }) => requestId)];
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a payment at eBirr', () => {
  test.each<[CustomerAct, object]>([
    [
      'pays',
      {
        type: 'succeeded',
        receipt: '1000001',
        issuerReceipt: '2000001',
        providerCode: '2001 0 APPROVED',
      },
    ],
    ['declines', { type: 'failed', reason: 'declined', providerCode: '2001 0 DECLINED' }],
    ['times_out', { type: 'unknown', providerCode: '2001 0 EXPIRED' }],
  ])('of a customer who %s', async (act, outcome) => {
    expect(await query(await acted(act))).toMatchObject(outcome);
  });

  test('is unknown while the customer has not acted, and queried again ever later', async () => {
    const order = await prompted();
    const nowMs = order.attempt.startedAtMs;
    expect(await query(order, {}, nowMs)).toEqual({
      type: 'unknown',
      checkAtMs: nowMs + 5 * SECOND_MS,
      providerCode: '2001 0 PENDING',
    });
    const later = { ...order, attempt: { ...order.attempt, checks: 3 } };
    expect(await query(later, {}, nowMs)).toMatchObject({ checkAtMs: nowMs + 40 * SECOND_MS });
    const afterwardsMs = nowMs + 31 * 86_400 * SECOND_MS;
    expect(await query(order, {}, afterwardsMs)).toMatchObject({ checkAtMs: null });
  });

  test('is unknown when no state is known as a failure', async () => {
    expect(await query(await acted('declines'), { statusQuery: {} })).toMatchObject({
      type: 'unknown',
      providerCode: '2001 0 DECLINED',
    });
  });

  test('is unknown when eBirr does not find it, or refuses our credentials', async () => {
    expect(await query(scene.order())).toEqual({ type: 'unknown', checkAtMs: expect.any(Number) });
    const refused = await query(await acted('pays'), { apiKey: 'API-000000000000' });
    expect(refused).toEqual({ type: 'unknown', checkAtMs: expect.any(Number) });
  });
});

describe('an answer', () => {
  let answer: unknown;
  let server: StandInServer;
  beforeEach(async () => {
    server = await StandInServer.start(async () => jsonReply(200, answer));
  });
  afterEach(() => server.stop());

  async function answered(order: RailOrder, body: unknown): Promise<Outcome> {
    answer = body;
    return query(order, { baseUrl: server.baseUrl });
  }

  const paidAnswer = (reference: string, params: object, codes: object = {}) => ({
    responseCode: '2001',
    errorCode: '0',
    ...codes,
    params: { state: 'APPROVED', referenceId: reference, txAmount: '1500.00', ...params },
  });

  test.each<[string, object]>([
    ['the names of the query about hosted orders', { ...hosted(), tranAmount: '1500' }],
    ['a lower-case state', { state: 'approved' }],
    ['an amount that is a number', { txAmount: 1_500 }],
    ['two equal amounts', { amount: '1500.0' }],
  ])('proves a payment with %s', async (_name, params) => {
    const order = scene.order();
    const body = paidAnswer(order.attempt.reference, { ...params, ...ours(params, order) });
    expect(await answered(order, body)).toMatchObject({ type: 'succeeded' });
  });

  function hosted() {
    const [state, referenceId, txAmount] = [undefined, undefined, undefined];
    const currency = 'ETB';
    const shown = { tranStatusDesc: 'Approved', status: 'Approved', tranStatusId: '3', currency };
    return { state, referenceId, txAmount, ...shown, transactionId: '7', invoiceId: '' };
  }

  const ours = (params: object, { attempt: { reference } }: RailOrder) =>
    'invoiceId' in params ? { invoiceId: reference } : {};

  test.each<[string, object, object?]>([
    ['another reference', { referenceId: 'A0A0A0A0A0A0A0A0A0A0' }],
    ['no reference', { referenceId: undefined }],
    ['two references', { invoiceId: 'A0A0A0A0A0A0A0A0A0A0' }],
    ['another amount', { txAmount: '1500.01' }],
    ['no amount', { txAmount: undefined }],
    ['two amounts', { amount: '15.00' }],
    ['an amount in another form', { txAmount: '1,500.00' }],
    ['another currency', { currency: 'USD' }],
    ['no state', { state: undefined }],
    ['two states', { status: 'DECLINED' }],
    ['another number of the state', { tranStatusId: '2' }],
    ['an unknown state', { state: 'REVERSED' }],
    ['a state that is no text', { state: { APPROVED: true } }],
    ['an unfinished query', {}, { responseCode: '5213' }],
    ['an error', {}, { errorCode: 'E10206' }],
    ['no codes', {}, { responseCode: undefined, errorCode: undefined }],
    ['another state outside', {}, { state: 'DECLINED' }],
  ])('with %s proves nothing', async (_name, params, codes) => {
    const order = scene.order();
    const body = paidAnswer(order.attempt.reference, params, codes);
    expect(await answered(order, body)).toMatchObject({ type: 'unknown' });
  });

  test.each<[string, object]>([
    ['another reference', { referenceId: 'A0A0A0A0A0A0A0A0A0A0' }],
    ['another amount', { txAmount: '1.00' }],
    ['the number of "approved"', { tranStatusId: '3' }],
  ])('about a failure with %s proves nothing', async (_name, params) => {
    const order = scene.order();
    const failed = { state: 'DECLINED', ...params };
    const body = paidAnswer(order.attempt.reference, failed);
    expect(await answered(order, body)).toMatchObject({ type: 'unknown' });
  });

  test('in a hostile form proves nothing', async () => {
    const order = scene.order();
    for (const [name, text] of hostileBodies(order.attempt.reference)) {
      const raw = await StandInServer.start(async () => ({
        type: 'answer',
        status: 200,
        body: text,
      }));
      const outcome = await query(order, { baseUrl: raw.baseUrl });
      expect([name, outcome.type]).toEqual([name, 'unknown']);
      await raw.stop();
    }
  });

  test('is logged with its codes unless it is a payment', async () => {
    const lines = watchRailAnswers();
    const order = scene.order();
    const { reference } = order.attempt;
    await answered(order, paidAnswer(reference, {}));
    await answered(order, paidAnswer(reference, { state: 'PENDING' }));
    await answered(order, paidAnswer('A0A0A0A0A0A0A0A0A0A0', {}));
    const line = { rail: 'ebirr', call: 'API_TRANSACTIONSTATUS', reference, status: 200 };
    expect(lines).toEqual([
      { level: 'info', ...line, providerCode: '2001 0 PENDING' },
      { level: 'warn', ...line, providerCode: '2001 0 APPROVED' },
    ]);
  });
});

describe('an undecided report', () => {
  test.each([
    ['is followed by a query soon', { statusQuery: {} }, true],
    ['ends nothing without a query', {}, false],
  ])('%s', async (_name, changed, isQueried) => {
    const order = scene.order();
    const body = JSON.stringify({
      referenceId: order.attempt.reference,
      responseCode: '52061',
      errorCode: 'E102051',
    });
    const nowMs = Date.now();
    const rail = scene.railWith(changed);
    const reading = await rail.readCallback(callbackCall({ url: order.callbackUrl, body }), order);
    const checkAtMs = reading.type === 'outcome' && Reflect.get(reading.outcome, 'checkAtMs');
    expect(checkAtMs).toSatisfy((atMs) => (isQueried ? atMs >= nowMs + 5_000 : atMs === null));
  });
});
