import { describe, expect, test, vi } from 'vitest';
import type { CustomerAct } from '../../scripts/stand-ins/stand-in.ts';
import type { FailureReason, Outcome } from '../../src/engine/domain/attempt.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { callbackRequest, outcomeOf } from '../support/rails/ethswitch-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';
import { holdTimeouts } from '../support/rails/timeouts.ts';

/** Goal: an order stays open while its page does, and ends with what the card gateway says then. */

const FORM_TYPE = 'application/x-www-form-urlencoded';

const scene = await useRailScene(PLAYERS.cards);

/** A query after the end of the session at the gateway and with us. */
function queryAtTheEnd(order: RailOrder): Promise<Outcome> | undefined {
  vi.setSystemTime(order.attempt.deadlineAtMs);
  return scene.rail.query?.(order, Date.now());
}

const OPEN = { type: 'unknown', checkAtMs: expect.any(Number) };

describe('the query', () => {
  const PAID = {
    type: 'succeeded',
    receipt: expect.stringMatching(/^7\d{11}$/),
    paidAtMs: null,
    providerCode: 'orderStatus 2 actionCode 0',
  };
  const failed = (reason: FailureReason, providerCode: string) => ({
    type: 'failed',
    reason,
    providerCode,
  });

  test.each<[CustomerAct, object]>([
    ['pays', PAID],
    ['declines', failed('declined', 'orderStatus 6 actionCode 5')],
    ['lacks_funds', failed('insufficient_funds', 'orderStatus 6 actionCode 116')],
    ['mistypes_pin', failed('wrong_pin', 'orderStatus 6 actionCode 117')],
    ['times_out', failed('timed_out', 'orderStatus 6 actionCode -2007')],
    ['cancels', failed('timed_out', 'orderStatus 6 actionCode -2007')],
  ])('at the end, after the customer %s', async (act, atTheEnd) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { order, atProvider } = await scene.place();
    await atProvider.act(act, { silent: true });
    expect(await queryAtTheEnd(order)).toEqual(atTheEnd);
  });

  test('is paid after a declined card and then another one', async () => {
    const { order, atProvider } = await scene.place();
    for (const act of ['declines', 'lacks_funds'] as const) {
      await atProvider.act(act);
      expect(outcomeOf(scene.lastReading)).toMatchObject(OPEN);
      expect(await scene.rail.query?.(order, Date.now())).toMatchObject(OPEN);
    }
    await atProvider.act('pays');
    expect(outcomeOf(scene.lastReading)).toEqual(PAID);
    expect(await scene.rail.query?.(order, Date.now())).toEqual(PAID);
    await expect(atProvider.act('pays')).rejects.toThrow('is closed');
  });

  test('logs the gateway’s answer when it is final or unknown', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { order, atProvider } = await scene.place();
    const lines = watchRailAnswers();
    await scene.rail.query?.(order, Date.now());
    await atProvider.act('lacks_funds', { silent: true });
    await scene.rail.query?.(order, Date.now());
    await scene.rail.query?.({ ...order, chargedMinor: 1 }, Date.now());
    await queryAtTheEnd(order);
    const declined = { status: 200, providerCode: 'orderStatus 6 actionCode 116' };
    expect(lines).toMatchObject([
      { level: 'warn', ...declined },
      { level: 'info', ...declined },
    ]);
  });

  test('is failed for an order that never arrived and whose page we never had', async () => {
    const order = scene.order({ start: 'reset' });
    expect(await scene.rail.start(order)).toEqual({ type: 'unknown' });
    const failed = { type: 'failed', reason: 'rail_unavailable' };
    const laterMs = order.attempt.startedAtMs + 30_000;
    expect(await scene.rail.query?.(order, laterMs)).toMatchObject(failed);
    const offered = { ...order, attempt: { ...order.attempt, redirectUrl: 'https://x.et/' } };
    expect(await scene.rail.query?.(offered, laterMs)).toMatchObject({ type: 'unknown' });
  });

  test('is unknown while the start is still in progress', async () => {
    const timeouts = holdTimeouts();
    const order = scene.order({ start: 'hang' });
    const starting = scene.rail.start(order);
    expect(await scene.rail.query?.(order, Date.now())).toMatchObject({ type: 'unknown' });
    timeouts.end();
    expect(await starting).toEqual({ type: 'unknown' });
  });
});

describe('the callback', () => {
  test.each(['forged', 'wrong_amount'] as const)(
    'that is %s only triggers a query',
    async (variant) => {
      const open = { ...OPEN, providerCode: 'orderStatus 0 actionCode -100' };
      expect(outcomeOf(await scene.reported(await scene.place(), variant))).toEqual(open);
    },
  );

  test('may come by GET or POST, with query or body, and is refused with another order’s id', async () => {
    const { order, atProvider } = await scene.place();
    await atProvider.act('pays', { silent: true });
    const { reference } = order.attempt;
    const get = (query: string) =>
      scene.rail.readCallback?.(
        callbackCall({ method: 'GET', url: `${order.callbackUrl}?${query}` }),
        order,
      );
    expect(outcomeOf(await get(scene.standIn.callbackBody(reference)))).toMatchObject({
      type: 'succeeded',
    });
    expect(outcomeOf(await get(`orderNumber=${reference}&mdOrder=another`))).toBe('other_order');
    expect(outcomeOf(await get(`orderNumber=${reference}&orderNumber=x`))).toBe('other_order');
    expect(outcomeOf(await get('operation=deposited&status=1'))).toBe('unreadable');

    const post = (query: string, body = '') =>
      scene.rail.readCallback?.(
        callbackCall({ url: `${order.callbackUrl}?${query}`, body }),
        order,
      );
    expect(outcomeOf(await post(scene.standIn.callbackBody(reference)))).toMatchObject({
      type: 'succeeded',
    });
    expect(outcomeOf(await post(`orderNumber=${reference}`, 'mdOrder=another'))).toBe(
      'other_order',
    );
    expect(outcomeOf(await post('operation=deposited&status=1'))).toBe('unreadable');
  });

  test('reads 64 hostile KiB in no time', async () => {
    const order = scene.order();
    for (const body of ['%'.repeat(65_536), '&'.repeat(65_536), 'mdOrder=a&'.repeat(6_500)]) {
      const result = await scene.rail.readCallback?.(callbackRequest(body, FORM_TYPE), order);
      expect(['refused', 'outcome']).toContain(result?.type);
    }
  });
});
