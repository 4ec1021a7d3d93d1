import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallbackVariant, CustomerAct } from '../../scripts/stand-ins/stand-in.ts';
import type { FailureReason } from '../../src/domain/intent.ts';
import type { RailOrder } from '../../src/rails/rail-order.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import {
  type CardsRail,
  callbackRequest,
  cardsRailOf,
  cardsScene,
  cardsSettingsAt,
  orderAt,
  outcomeOf,
  started,
} from '../support/rails/ethswitch-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { endTimeoutsOnSilence, holdTimeouts } from '../support/rails/timeouts.ts';

const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';
const FORM_TYPE = 'application/x-www-form-urlencoded';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const OFFLINE = cardsRailOf(cardsSettingsAt());

/** A query after the end of the session at the gateway and with us. */
function queryAtTheEnd(rail: CardsRail, order: RailOrder) {
  vi.setSystemTime(order.attempt.deadlineAtMs);
  return rail.query(order, Date.now());
}

describe('the query', () => {
  const PAID = {
    type: 'succeeded',
    receipt: expect.stringMatching(/^7\d{11}$/),
    paidAtMs: null,
    providerCode: 'orderStatus 2 actionCode 0',
  };
  const OPEN = { type: 'unknown', checkAtMs: expect.any(Number) };
  const declined = (providerCode: string) => ({ ...OPEN, providerCode });
  const failed = (reason: FailureReason, providerCode: string) => ({
    type: 'failed',
    reason,
    providerCode,
  });

  test.each<[CustomerAct, object, object]>([
    ['pays', PAID, PAID],
    [
      'declines',
      declined('orderStatus 6 actionCode 5'),
      failed('declined', 'orderStatus 6 actionCode 5'),
    ],
    [
      'lacks_funds',
      declined('orderStatus 6 actionCode 116'),
      failed('insufficient_funds', 'orderStatus 6 actionCode 116'),
    ],
    [
      'mistypes_pin',
      declined('orderStatus 6 actionCode 117'),
      failed('wrong_pin', 'orderStatus 6 actionCode 117'),
    ],
    [
      'times_out',
      failed('timed_out', 'orderStatus 6 actionCode -2007'),
      failed('timed_out', 'orderStatus 6 actionCode -2007'),
    ],
    [
      'cancels',
      declined('orderStatus 0 actionCode -100'),
      failed('timed_out', 'orderStatus 6 actionCode -2007'),
    ],
  ])('after the customer %s: at once, and at the end', async (act, atOnce, atTheEnd) => {
    const { epg, rail, receiver } = await cardsScene();
    vi.useFakeTimers({ toFake: ['Date'] });
    const order = await started(rail, receiver);
    await (await epg.order(REFERENCE)).act(act, { silent: true });
    expect(await rail.query(order, Date.now())).toEqual(atOnce);
    expect(await queryAtTheEnd(rail, order)).toEqual(atTheEnd);
  });

  test('is paid after a declined card and then another one', async () => {
    const { epg, rail, receiver } = await cardsScene();
    const order = await started(rail, receiver);
    const atEpg = await epg.order(REFERENCE);
    for (const act of ['declines', 'lacks_funds'] as const) {
      await atEpg.act(act);
      expect(outcomeOf(await rail.readCallback(receiver.last(), order))).toMatchObject(OPEN);
      expect(await rail.query(order, Date.now())).toMatchObject(OPEN);
    }
    await atEpg.act('pays');
    expect(outcomeOf(await rail.readCallback(receiver.last(), order))).toEqual(PAID);
    expect(await rail.query(order, Date.now())).toEqual(PAID);
    await expect(atEpg.act('pays')).rejects.toThrow('is closed');
  });

  test('logs the gateway’s answer when it is final or unknown', async () => {
    endTimeoutsOnSilence();
    const lines = watchRailAnswers();
    const { epg, rail, receiver } = await cardsScene();
    vi.useFakeTimers({ toFake: ['Date'] });
    const order = await started(rail, receiver);
    const { railReference } = order.attempt;
    await rail.query(order, Date.now());
    await (await epg.order(REFERENCE)).act('lacks_funds', { silent: true });
    await rail.query(order, Date.now());
    await rail.query({ ...order, chargedMinor: 1 }, Date.now());
    epg.plan('150000', { query: 'reset' });
    await rail.query(order, Date.now());
    epg.plan('150000', {});
    await queryAtTheEnd(rail, order);
    const line = {
      rail: 'ethswitch-cards',
      call: 'getOrderStatusExtended.do',
      reference: REFERENCE,
      railReference,
    };
    const declined = { status: 200, providerCode: 'orderStatus 6 actionCode 116' };
    expect(lines).toEqual([
      { level: 'warn', ...line, ...declined },
      { level: 'warn', ...line, providerCode: null },
      { level: 'info', ...line, ...declined },
    ]);
  });

  test('backs off while nothing is proven', async () => {
    const { rail, receiver } = await cardsScene();
    const order = await started(rail, receiver);
    const nowMs = Date.now();
    expect(await rail.query(order, nowMs)).toMatchObject({
      type: 'unknown',
      checkAtMs: nowMs + 5_000,
    });
    const later: RailOrder = { ...order, attempt: { ...order.attempt, checks: 3 } };
    expect(await rail.query(later, nowMs)).toEqual({
      type: 'unknown',
      checkAtMs: nowMs + 40_000,
      providerCode: 'orderStatus 0 actionCode -100',
    });
  });

  test('is failed after a session that ended unpaid', async () => {
    const { rail, receiver } = await cardsScene();
    vi.useFakeTimers({ toFake: ['Date'] });
    const order = await started(rail, receiver);
    vi.advanceTimersByTime(901_000);
    const failed = { type: 'failed', reason: 'timed_out' };
    expect(await rail.query(order, Date.now())).toMatchObject(failed);
  });

  test('resolves a start without an answer by our own order number', async () => {
    const { epg, rail, receiver } = await cardsScene();
    epg.plan('150000', { start: 'accepted_then_reset', act: 'pays', callback: 'never' });
    const order = orderAt(rail, receiver);
    expect(await rail.start(order)).toEqual({ type: 'unknown' });
    expect(await rail.query(order, Date.now())).toMatchObject({ type: 'succeeded' });
  });

  test('is failed for an order that never arrived and whose page we never had', async () => {
    const { epg, rail, receiver } = await cardsScene();
    epg.plan('150000', { start: 'reset' });
    const order = orderAt(rail, receiver);
    expect(await rail.start(order)).toEqual({ type: 'unknown' });
    const failed = { type: 'failed', reason: 'rail_unavailable' };
    const laterMs = order.attempt.startedAtMs + 30_000;
    expect(await rail.query(order, laterMs)).toMatchObject(failed);
    const offered = { ...order, attempt: { ...order.attempt, redirectUrl: 'https://x.et/' } };
    expect(await rail.query(offered, laterMs)).toMatchObject({ type: 'unknown' });
  });

  test('is unknown while the start is still in progress', async () => {
    const timeouts = holdTimeouts();
    const { epg, rail, receiver } = await cardsScene();
    epg.plan('150000', { start: 'hang' });
    const order = orderAt(rail, receiver);
    const starting = rail.start(order);
    expect(await rail.query(order, Date.now())).toMatchObject({ type: 'unknown' });
    timeouts.end();
    expect(await starting).toEqual({ type: 'unknown' });
  });
});

describe('the callback', () => {
  test('triggers a query, whose answer counts', async () => {
    const { epg, rail, receiver } = await cardsScene();
    const order = await started(rail, receiver);
    const atEpg = await epg.order(REFERENCE);
    await atEpg.act('pays');
    const result = await rail.readCallback(receiver.last(), order);
    expect(outcomeOf(result)).toMatchObject({ type: 'succeeded' });
    expect(result.type === 'outcome' && result.reply.status).toBe(200);
    await atEpg.callback();
    expect(outcomeOf(await rail.readCallback(receiver.last(), order))).toEqual(outcomeOf(result));
    expect(epg.calls.map(({ url }) => url.split('/').at(-1))).toEqual([
      'register.do',
      'getOrderStatusExtended.do',
      'getOrderStatusExtended.do',
    ]);
  });

  test('resolves a session that has ended', async () => {
    const { epg, rail, receiver } = await cardsScene();
    const order = await started(rail, receiver);
    await (await epg.order(REFERENCE)).act('times_out');
    const result = await rail.readCallback(receiver.last(), order);
    expect(outcomeOf(result)).toMatchObject({ type: 'failed', reason: 'timed_out' });
  });

  const OPEN = {
    type: 'unknown',
    checkAtMs: expect.any(Number),
    providerCode: 'orderStatus 0 actionCode -100',
  };
  test.each<[CallbackVariant, unknown]>([
    ['forged', OPEN],
    ['wrong_amount', OPEN],
    ['other_order', 'other_order'],
    ['unreadable', 'unreadable'],
  ])('%s changes nothing', async (variant, outcome) => {
    const { epg, rail, receiver } = await cardsScene();
    const order = await started(rail, receiver);
    await (await epg.order(REFERENCE)).callback(variant);
    const result = await rail.readCallback(receiver.last(), order);
    expect(outcomeOf(result)).toEqual(outcome);
    expect(result.type === 'refused' && result.reply.status).toBe(result.type === 'refused' && 400);
  });

  test('may come by GET or POST, with query or body, and is refused with another order’s id', async () => {
    const { epg, rail, receiver } = await cardsScene();
    const order = await started(rail, receiver);
    await (await epg.order(REFERENCE)).act('pays', { silent: true });
    const get = (query: string) =>
      rail.readCallback(
        callbackCall({ method: 'GET', url: `${receiver.callbackUrl}?${query}` }),
        order,
      );
    expect(outcomeOf(await get(epg.callbackBody(REFERENCE)))).toMatchObject({ type: 'succeeded' });
    expect(outcomeOf(await get(`orderNumber=${REFERENCE}&mdOrder=another`))).toBe('other_order');
    expect(outcomeOf(await get(`orderNumber=${REFERENCE}&orderNumber=x`))).toBe('other_order');
    expect(outcomeOf(await get('operation=deposited&status=1'))).toBe('unreadable');

    const post = (query: string, body = '') =>
      rail.readCallback(callbackCall({ url: `${receiver.callbackUrl}?${query}`, body }), order);
    expect(outcomeOf(await post(epg.callbackBody(REFERENCE)))).toMatchObject({ type: 'succeeded' });
    expect(outcomeOf(await post(`orderNumber=${REFERENCE}`, 'mdOrder=another'))).toBe(
      'other_order',
    );
    expect(outcomeOf(await post('operation=deposited&status=1'))).toBe('unreadable');
  });

  test('reads 64 hostile KiB in no time', async () => {
    const order = orderFor(OFFLINE, 'ETS_SWITCH');
    for (const body of ['%'.repeat(65_536), '&'.repeat(65_536), 'mdOrder=a&'.repeat(6_500)]) {
      const result = await OFFLINE.readCallback(callbackRequest(body, FORM_TYPE), order);
      expect(['refused', 'outcome']).toContain(result.type);
    }
  });
});

describe('the stand-in’s page', () => {
  test('shows the order, and brings the customer back with the gateway’s id', async () => {
    const { rail, receiver } = await cardsScene();
    const order = await started(rail, receiver);
    const { railReference, redirectUrl } = order.attempt;
    const html = await (await fetch(redirectUrl ?? '')).text();
    expect(html).toContain('<b>This is a STAND-IN for tests. No money moves.</b>');
    expect(html).toContain(REFERENCE);
    expect(html).toContain('150000 minor units');
    const click = (act: string) =>
      fetch(redirectUrl ?? '', {
        method: 'POST',
        body: new URLSearchParams({ orderId: REFERENCE, act }),
        redirect: 'manual',
      });
    const back = `${receiver.returnUrl}?orderId=${railReference}`;
    const canceled = await click('cancels');
    expect([canceled.status, canceled.headers.get('location')]).toEqual([303, back]);
    const declined = await click('declines');
    expect([declined.status, declined.headers.get('location')]).toEqual([303, back]);
    const paid = await click('pays');
    expect([paid.status, paid.headers.get('location')]).toEqual([303, back]);
    expect((await click('pays')).status).toBe(400);
    expect(await rail.query(order, Date.now())).toMatchObject({ type: 'succeeded' });
  });
});
