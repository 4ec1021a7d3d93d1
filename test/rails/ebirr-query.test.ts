import { describe, expect, test } from 'vitest';
import { jsonReply } from '../../scripts/stand-ins/stand-in.ts';
import type { Outcome } from '../../src/engine/domain/attempt.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { hostileBodies } from '../support/rails/ebirr.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/**
 * Goal: a status query finds a payment whose answer was lost, and an answer that names another
 * order or amount, contradicts itself, or is in no known format changes nothing.
 */

const scene = await useRailScene(PLAYERS.ebirr);

describe('the request', () => {
  test('has exactly these fields, with an id of its own each time', async () => {
    const order = scene.order();
    await scene.rail.query?.(order, Date.UTC(2026, 0, 31, 9, 34, 56));
    await scene.rail.query?.(order, Date.now());
    const bodies = scene.standIn.calls.map(({ body }) => JSON.parse(body));
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

test('is unknown when no state is known as a failure', async () => {
  const { order, atProvider } = await scene.place();
  await atProvider.act('declines', { silent: true });
  const rail = scene.railWith({ statusQuery: {} });
  expect(await rail.query?.(order, Date.now())).toMatchObject({
    type: 'unknown',
    providerCode: '2001 0 DECLINED',
  });
});

describe('an answer', () => {
  const orderOf = () => scene.order({}, { terms: { amountMinor: 150_000 } });

  async function answered(order: RailOrder, body: unknown): Promise<Outcome | undefined> {
    const rail = await scene.scripted(jsonReply(200, body));
    return rail.query?.(order, Date.now());
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
    const order = orderOf();
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
    const order = orderOf();
    const body = paidAnswer(order.attempt.reference, params, codes);
    expect(await answered(order, body)).toMatchObject({ type: 'unknown' });
  });

  test.each<[string, object]>([
    ['another reference', { referenceId: 'A0A0A0A0A0A0A0A0A0A0' }],
    ['another amount', { txAmount: '1.00' }],
    ['the number of "approved"', { tranStatusId: '3' }],
  ])('about a failure with %s proves nothing', async (_name, params) => {
    const order = orderOf();
    const failed = { state: 'DECLINED', ...params };
    const body = paidAnswer(order.attempt.reference, failed);
    expect(await answered(order, body)).toMatchObject({ type: 'unknown' });
  });

  test('in a hostile form proves nothing', async () => {
    const order = orderOf();
    for (const [name, body] of hostileBodies(order.attempt.reference)) {
      const rail = await scene.scripted({ type: 'answer', status: 200, body });
      expect([name, (await rail.query?.(order, Date.now()))?.type]).toEqual([name, 'unknown']);
    }
  });

  test('is logged with its codes unless it is a payment', async () => {
    const lines = watchRailAnswers();
    const order = orderOf();
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
