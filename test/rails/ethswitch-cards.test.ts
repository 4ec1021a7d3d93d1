import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Currency } from '../../src/domain/method.ts';
import {
  type CardsRail,
  cardsRailOf,
  cardsScene,
  cardsSettingsAt,
  fixture,
  HOSTILE_TEXT,
  headersOf,
  orderAt,
  scriptedProvider,
  started,
} from '../support/rails/ethswitch-scene.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';
const FORM_TYPE = 'application/x-www-form-urlencoded';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The adapter for a gateway that answers everything with `body`. */
async function scripted(status: number, body: string): Promise<CardsRail> {
  const server = await scriptedProvider(() => ({ type: 'answer', status, body }));
  return cardsRailOf(cardsSettingsAt(server.baseUrl));
}

const OFFLINE = cardsRailOf(cardsSettingsAt());

describe('the plan', () => {
  test('is a redirect, open for at most 20 minutes, queried once the start has ended', () => {
    const { terms } = orderFor(OFFLINE, 'ETS_SWITCH');
    const nowMs = terms.createdAtMs;
    const plan = {
      flow: 'redirect',
      // Until the payment expires, even if the gateway starts the session 20 s later.
      deadlineAtMs: nowMs + 900_000,
      windowIsFinal: false,
      checkAtMs: nowMs + 30_000,
    };
    expect(OFFLINE.plan(terms, 'ETS_SWITCH', nowMs)).toEqual(plan);
    const longer = { ...terms, expiresAtMs: nowMs + 86_400_000 };
    const deadlineAtMs = nowMs + 1_220_000;
    expect(OFFLINE.plan(longer, 'ETS_SWITCH', nowMs)).toEqual({ ...plan, deadlineAtMs });
    expect(OFFLINE).not.toHaveProperty('page');
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
    const { terms } = orderFor(OFFLINE, 'ETS_SWITCH');
    const nowMs = terms.createdAtMs;
    const plan = OFFLINE.plan(
      { ...terms, expiresAtMs: nowMs + leftSeconds * 1_000 },
      'ETS_SWITCH',
      nowMs,
    );
    expect(plan.deadlineAtMs).toBe(nowMs + (20 + sessionSeconds) * 1_000);
  });
});

describe('the requests', () => {
  test('register.do and getOrderStatusExtended.do have exactly these fields', async () => {
    const { epg, rail, receiver } = await cardsScene();
    vi.useFakeTimers({ toFake: ['Date'] });
    const order = await started(rail, receiver);
    await rail.query(order, Date.now());
    await rail.query({ ...order, attempt: { ...order.attempt, railReference: null } }, Date.now());
    const { userName, password } = epg.settings;
    const [register, byOrderId, byOrderNumber] = epg.calls;
    if (register === undefined || byOrderId === undefined || byOrderNumber === undefined) {
      throw new Error('three calls');
    }
    expect(epg.calls).toHaveLength(3);
    for (const call of epg.calls) {
      expect(call.method).toBe('POST');
      expect(headersOf(call)).toEqual({ 'content-type': FORM_TYPE, accept: 'application/json' });
      expect(call.url).not.toContain(String(password));
    }
    expect(register.url).toBe('/epg/rest/register.do');
    expect([...new URLSearchParams(register.body)]).toEqual([
      ['userName', userName],
      ['password', password],
      ['orderNumber', REFERENCE],
      ['amount', '150000'],
      ['currency', '230'],
      ['returnUrl', receiver.returnUrl],
      ['failUrl', receiver.returnUrl],
      ['description', 'Tomoca Coffee: order-1001'],
      ['language', 'en'],
      ['sessionTimeoutSecs', '880'],
      ['dynamicCallbackUrl', receiver.callbackUrl],
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
      ['orderNumber', REFERENCE],
      ['language', 'en'],
    ]);
  });

  test('have dollars, the commission, and a callback URL only if it is enabled', async () => {
    const { epg, receiver } = await cardsScene();
    const rail = cardsRailOf({ ...epg.settings, dynamicCallbackUrl: false, language: 'am' });
    const changed = { terms: { currency: 'USD' }, order: { chargedMinor: 152_250 } } as const;
    expect((await rail.start(orderAt(rail, receiver, changed))).type).toBe('accepted');
    const form = new URLSearchParams(epg.calls[0]?.body);
    expect(form.get('currency')).toBe('840');
    expect(form.get('amount')).toBe('152250');
    expect(form.get('language')).toBe('am');
    expect(form.has('dynamicCallbackUrl')).toBe(false);
  });

  test('encode any credentials', async () => {
    const server = await scriptedProvider(() => ({ type: 'answer', status: 200, body: '{}' }));
    const rail = cardsRailOf(cardsSettingsAt(server.baseUrl));
    await rail.start(orderFor(rail, 'ETS_SWITCH'));
    expect(new URLSearchParams(server.calls[0]?.body).get('password')).toBe('p+w d&é');
  });

  test('truncate and clean hostile texts', async () => {
    const { rail, receiver } = await cardsScene();
    const terms = { merchantName: HOSTILE_TEXT, description: HOSTILE_TEXT, uniqueId: HOSTILE_TEXT };
    expect((await rail.start(orderAt(rail, receiver, { terms }))).type).toBe('accepted');
  });
});

describe('the start', () => {
  test('sends the customer to the hosted page', async () => {
    const { epg, rail, receiver } = await cardsScene();
    const result = await rail.start(orderAt(rail, receiver));
    expect(result).toMatchObject({ type: 'accepted' });
    if (result.type === 'accepted') {
      expect(result.redirectUrl).toBe(
        `${epg.baseUrl}/epg/merchants/kefel/payment_en.html?mdOrder=${result.railReference}`,
      );
    }
  });

  test('reads the published answer', async () => {
    const rail = await scripted(200, fixture('cards-registered.json'));
    expect(await rail.start(orderFor(rail, 'ETS_SWITCH'))).toEqual({
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
    const rail = await scripted(200, body);
    const result = await rail.start(orderFor(rail, 'ETS_SWITCH'));
    expect(result.type === 'refused' ? result.reason : result.type).toBe(meaning);
  });

  test.each([
    [301, 'unknown'],
    [400, 'unknown'],
    [403, 'misconfigured'],
    [404, 'misconfigured'],
    [429, 'rail_unavailable'],
    [502, 'unknown'],
  ])('HTTP %i is %s', async (status, meaning) => {
    const rail = await scripted(status, '');
    const result = await rail.start(orderFor(rail, 'ETS_SWITCH'));
    expect(result.type === 'refused' ? result.reason : result.type).toBe(meaning);
  });

  test('is refused for wrong credentials or a wrong URL', async () => {
    const { epg, rail, receiver } = await cardsScene();
    const order = orderAt(rail, receiver);
    epg.plan('150000', { refuses: 'unavailable' });
    expect(await rail.start(order)).toMatchObject({ type: 'unknown' });
    epg.plan('150000', { refuses: 'misconfigured' });
    const misconfigured = { type: 'refused', reason: 'misconfigured', providerCode: 'errorCode 5' };
    expect(await rail.start(order)).toEqual(misconfigured);
    epg.plan('150000', {});
    expect(await cardsRailOf({ ...epg.settings, password: 'old' }).start(order)).toEqual(
      misconfigured,
    );
    expect((await rail.start(order)).type).toBe('accepted');
    // The gateway refuses the second order with a number, and the first may be ours.
    expect(await rail.start(order)).toEqual({ type: 'unknown', providerCode: 'errorCode 1' });
  });

  test('is logged when the gateway refuses it', async () => {
    endTimeoutsOnSilence();
    const lines = watchRailAnswers();
    const { epg, rail, receiver } = await cardsScene();
    const order = orderAt(rail, receiver);
    epg.plan('150000', { refuses: 'unavailable' });
    await rail.start(order);
    await cardsRailOf({ ...epg.settings, password: 'old' }).start(order);
    epg.plan('150000', { start: 'hang' });
    await rail.start(order);
    epg.plan('150000', { start: 'http_500' });
    await rail.start(order);
    epg.plan('150000', {});
    await rail.start(order);
    const line = {
      level: 'warn',
      rail: 'ethswitch-cards',
      call: 'register.do',
      reference: REFERENCE,
    };
    expect(lines).toEqual([
      { ...line, status: 200, providerCode: 'errorCode 7' },
      { ...line, status: 200, providerCode: 'errorCode 5' },
      { ...line, providerCode: null },
      { ...line, status: 500, providerCode: null },
    ]);
  });

  test('is refused without a call for a currency that the page does not accept', async () => {
    const { epg, rail, receiver } = await cardsScene();
    // Kefel does not yet have such a currency.
    const order = orderAt(rail, receiver, { terms: { currency: 'EUR' as Currency } });
    expect(await rail.start(order)).toEqual({ type: 'refused', reason: 'misconfigured' });
    expect(epg.calls).toHaveLength(0);
  });

  test('is refused without a call when no time is left to pay', async () => {
    const attempt = { deadlineAtMs: Date.now() + 20_900 };
    const order = orderFor(OFFLINE, 'ETS_SWITCH', { attempt });
    expect(await OFFLINE.start(order)).toEqual({ type: 'refused', reason: 'timed_out' });
  });
});
