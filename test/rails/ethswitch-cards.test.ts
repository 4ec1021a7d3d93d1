import { describe, expect, test, vi } from 'vitest';
import type { StartResult } from '../../src/engine/rails/rail.ts';
import type { Currency } from '../../src/kit/money.ts';
import { fixture, headersOf } from '../support/rails/ethswitch-scene.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/** Goal: the card gateway gets exactly the documented forms, and only its clear answers count. */

const FORM_TYPE = 'application/x-www-form-urlencoded';

const scene = await useRailScene(PLAYERS.cards);

/** The result of a start that the gateway answers with `body`. */
async function startAgainst(status: number, body: string): Promise<StartResult> {
  const rail = await scene.scripted({ type: 'answer', status, body });
  return rail.start(scene.order());
}

const meaningOf = (result: StartResult) =>
  result.type === 'refused' ? result.reason : result.type;

describe('the plan', () => {
  test('is a redirect, open for at most 20 minutes, queried once the start has ended', () => {
    const { terms } = scene.order();
    const nowMs = terms.createdAtMs;
    const plan = {
      flow: 'redirect',
      // Until the payment expires, even if the gateway starts the session 20 s later.
      deadlineAtMs: nowMs + 900_000,
      windowIsFinal: false,
      checkAtMs: nowMs + 30_000,
    };
    expect(scene.rail.plan(terms, 'ETS_SWITCH', nowMs)).toEqual(plan);
    const longer = { ...terms, expiresAtMs: nowMs + 86_400_000 };
    const deadlineAtMs = nowMs + 1_220_000;
    expect(scene.rail.plan(longer, 'ETS_SWITCH', nowMs)).toEqual({ ...plan, deadlineAtMs });
    expect(scene.rail).not.toHaveProperty('page');
  });
});

describe('the session of a payment', () => {
  test.each([
    // It ends before the payment, even if the gateway starts it 20 s late.
    [900, 880],
    [81, 61],
    [80, 60],
    // A minute if the payment has one, else all that is left.
    [79, 60],
    [60, 60],
    [59, 59],
    [5, 5],
  ])('with %d s left lasts %d s, and 20 s are for its start', (leftSeconds, sessionSeconds) => {
    const { terms } = scene.order();
    const nowMs = terms.createdAtMs;
    const plan = scene.rail.plan(
      { ...terms, expiresAtMs: nowMs + leftSeconds * 1_000 },
      'ETS_SWITCH',
      nowMs,
    );
    expect(plan.deadlineAtMs).toBe(nowMs + (20 + sessionSeconds) * 1_000);
  });
});

describe('the requests', () => {
  test('register.do and getOrderStatusExtended.do have exactly these fields', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { length } = scene.standIn.calls;
    const { order } = await scene.place();
    await scene.rail.query?.(order, Date.now());
    const unnamed = { ...order, attempt: { ...order.attempt, railReference: null } };
    await scene.rail.query?.(unnamed, Date.now());
    const { userName, password } = scene.standIn.settings;
    const calls = scene.standIn.calls.slice(length);
    const [register, byOrderId, byOrderNumber] = calls;
    if (register === undefined || byOrderId === undefined || byOrderNumber === undefined) {
      throw new Error('three calls');
    }
    expect(calls).toHaveLength(3);
    for (const call of calls) {
      expect(call.method).toBe('POST');
      expect(headersOf(call)).toEqual({ 'content-type': FORM_TYPE, accept: 'application/json' });
      expect(call.url).not.toContain(String(password));
    }
    expect(register.url).toBe('/epg/rest/register.do');
    expect([...new URLSearchParams(register.body)]).toEqual([
      ['userName', userName],
      ['password', password],
      ['orderNumber', order.attempt.reference],
      ['amount', String(order.chargedMinor)],
      ['currency', '230'],
      ['returnUrl', order.returnUrl],
      ['failUrl', order.returnUrl],
      ['description', 'Tomoca Coffee: order-1001'],
      ['language', 'en'],
      ['sessionTimeoutSecs', '880'],
      ['dynamicCallbackUrl', order.callbackUrl],
    ]);
    expect(byOrderId.url).toBe('/epg/rest/getOrderStatusExtended.do');
    expect([...new URLSearchParams(byOrderId.body)]).toEqual([
      ['userName', userName],
      ['password', password],
      ['orderId', order.attempt.railReference],
      ['language', 'en'],
    ]);
    expect([...new URLSearchParams(byOrderNumber.body)]).toEqual([
      ['userName', userName],
      ['password', password],
      ['orderNumber', order.attempt.reference],
      ['language', 'en'],
    ]);
  });

  test('have dollars, the commission, and a callback URL only if it is enabled', async () => {
    const rail = scene.railWith({ dynamicCallbackUrl: false, language: 'am' });
    const changed = { terms: { currency: 'USD' }, order: { chargedMinor: 152_250 } } as const;
    expect((await rail.start(scene.order({}, changed))).type).toBe('accepted');
    const form = new URLSearchParams(scene.standIn.calls.at(-1)?.body);
    expect(form.get('currency')).toBe('840');
    expect(form.get('amount')).toBe('152250');
    expect(form.get('language')).toBe('am');
    expect(form.has('dynamicCallbackUrl')).toBe(false);
  });

  test('encode any credentials', async () => {
    const password = 'p+w d&é';
    await scene.railWith({ password }).start(scene.order());
    const form = new URLSearchParams(scene.standIn.calls.at(-1)?.body);
    expect(form.get('password')).toBe(password);
  });
});

describe('the start', () => {
  test('sends the customer to the hosted page', async () => {
    const { redirectUrl, railReference } = (await scene.place()).order.attempt;
    expect(redirectUrl).toBe(
      `${scene.standIn.baseUrl}/epg/merchants/kefel/payment_en.html?mdOrder=${railReference}`,
    );
  });

  test('reads the published answer', async () => {
    expect(await startAgainst(200, fixture('cards-registered.json'))).toEqual({
      type: 'accepted',
      ...{
        redirectUrl:
          'https://epg.example.et:9443/epg/merchants/kefel/payment_en.html?mdOrder=01491d0b-aaaa-7dd6-a20d-e96900a7d8c0',
        railReference: '01491d0b-aaaa-7dd6-a20d-e96900a7d8c0',
      },
    });
  });

  test.each([
    ['{"errorCode":"1","errorMessage":"duplicate"}', 'unknown'],
    ['{"errorCode":3}', 'misconfigured'],
    ['{"errorCode":"4"}', 'misconfigured'],
    ['{"errorCode":"5"}', 'misconfigured'],
    ['{"errorCode":"7"}', 'unknown'],
    ['{"errorCode":"99"}', 'unknown'],
    ['{"errorCode":"x"}', 'unknown'],
    ['{"errorCode":"0"}', 'unknown'],
    ['{"orderId":"a"}', 'unknown'],
    ['{"formUrl":"https://x.et/"}', 'unknown'],
    ['{"orderId":"a","formUrl":"javascript:alert(1)"}', 'unknown'],
    ['{"orderId":7,"formUrl":"https://x.et/"}', 'unknown'],
    ['{"errorCode":"7","orderId":"a","formUrl":"https://x.et/"}', 'unknown'],
    ['[]', 'unknown'],
    ['', 'unknown'],
    ['<html>', 'unknown'],
  ])('%s is %s', async (body, meaning) => {
    expect(meaningOf(await startAgainst(200, body))).toBe(meaning);
  });

  test.each([
    [301, 'unknown'],
    [400, 'unknown'],
    [403, 'misconfigured'],
    [404, 'misconfigured'],
    [429, 'rail_unavailable'],
    [502, 'unknown'],
  ])('HTTP %i is %s', async (status, meaning) => {
    expect(meaningOf(await startAgainst(status, ''))).toBe(meaning);
  });

  test('is refused without a call for a currency that the page does not accept', async () => {
    const { length } = scene.standIn.calls;
    // Kefel does not yet have such a currency.
    const order = scene.order({}, { terms: { currency: 'EUR' as Currency } });
    expect(await scene.rail.start(order)).toEqual({ type: 'refused', reason: 'misconfigured' });
    expect(scene.standIn.calls).toHaveLength(length);
  });

  test('is refused without a call when no time is left to pay', async () => {
    const order = scene.order({}, { attempt: { deadlineAtMs: Date.now() + 20_900 } });
    expect(await scene.rail.start(order)).toEqual({ type: 'refused', reason: 'timed_out' });
  });
});
