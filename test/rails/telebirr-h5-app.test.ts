import { createPrivateKey, createPublicKey } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { jsonReply, type ReceivedCall, type Reply } from '../../scripts/stand-ins/stand-in.ts';
import type { TelebirrH5StandIn } from '../../scripts/stand-ins/telebirr-h5.ts';
import { CREATE_ORDER } from '../../scripts/stand-ins/telebirr-h5.ts';
import { rsaVerify } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import type { AppParameters } from '../../src/engine/domain/app-form.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { startInApp } from '../../src/engine/rails/telebirr-h5/app-order.ts';
import { preOrderContent } from '../../src/engine/rails/telebirr-h5/messages.ts';
import { telebirrH5Settings } from '../../src/engine/rails/telebirr-h5/settings.ts';
import vectors from '../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };
import { orderFor } from '../support/rails/order.ts';
import { openingOf, PLAYERS } from '../support/rails/players.ts';
import { RailScene, railOf } from '../support/rails/scene.ts';
import { type Members, success } from '../support/rails/telebirr-h5.ts';

/**
 * Goal: only what opens this order, for this amount and recipient, reaches a merchant's app, and one
 * start makes at most one order that can be paid (docs/decisions.md#67). Method: what telebirr
 * documents of its two forms in the app, and every answer to them.
 */

let inApp: RailScene<TelebirrH5StandIn>;
let miniApp: RailScene<TelebirrH5StandIn>;
beforeAll(async () => {
  inApp = await RailScene.start(PLAYERS.telebirrInApp);
  miniApp = await RailScene.start(PLAYERS.telebirrMiniApp);
});
afterAll(() => Promise.all([inApp.stop(), miniApp.stop()]));
afterEach(() => {
  vi.restoreAllMocks();
});
beforeEach(() => {
  Object.assign(inApp.standIn.behavior, {
    createOrder: 'table',
    appAnswer: 'whole',
    isSubscribed: true,
  });
});

const PREPAY_ID = '080075a4e3213924de2b3b84ad3cac0a6a6001';

async function appOf(scene: RailScene, order: RailOrder): Promise<AppParameters> {
  const started = await scene.rail.start(order);
  if (started.type !== 'accepted' || started.app === undefined) {
    throw new Error(`the start ended: ${JSON.stringify(started)}`);
  }
  expect(started).toMatchObject({ redirectUrl: null, railReference: null, providerCode: '0' });
  return started.app;
}

function contentIn(call: ReceivedCall | undefined): Members {
  return JSON.parse(call?.body ?? '').biz_content;
}

const statusOf = async (url: string) => (await fetch(url)).status;

describe('each form', () => {
  test('is off until the operator switches it on', () => {
    const { settings } = inApp.standIn;
    const formsWith = (changed: object) =>
      railOf('TELE_BIRR', { ...settings, ...changed }).appForms;
    expect(formsWith({})).toEqual([]);
    expect(formsWith({ inApp: true })).toEqual(['IN_APP']);
    expect(formsWith({ miniApp: true })).toEqual(['MINI_APP']);
    expect(formsWith({ inApp: true, miniApp: true })).toEqual(['IN_APP', 'MINI_APP']);
  });

  test.each([
    ['IN_APP', () => inApp, 'inapp/createOrder'],
    ['MINI_APP', () => miniApp, 'merchant/preOrder'],
  ] as const)(
    '%s sends the order of the page, with its own trade_type',
    async (_form, of, path) => {
      const scene = of();
      const order = scene.order();
      await appOf(scene, order);
      const call = scene.standIn.calls.at(-1);
      expect(call?.url).toBe(`/apiaccess/payment/gateway/payment/v1/${path}`);
      expect(JSON.parse(call?.body ?? '')).toMatchObject({ method: 'payment.preorder' });
      const { appForm: _ignored, ...terms } = order.terms;
      const settings = v.parse(telebirrH5Settings, scene.standIn.settings);
      const onPage = preOrderContent(settings, { ...order, terms });
      expect(contentIn(call)).toEqual({ ...onPage, trade_type: 'InApp' });
    },
  );

  test.each([
    [{ payeeType: '3000' }, '3000'],
    [{ appPayeeType: '3000' }, '3000'],
    [{ payeeType: '3000', appPayeeType: '5000' }, '5000'],
  ])('with %j the payee_type is %s', async (changed, expected) => {
    await inApp.railWith(changed).start(inApp.order());
    expect(contentIn(inApp.standIn.calls.at(-1)).payee_type).toBe(expected);
  });

  test.each([
    ['IN_APP', () => inApp],
    ['MINI_APP', () => miniApp],
  ] as const)('%s is refused with 60200098 until it is subscribed', async (_form, of) => {
    const { rail, standIn } = of();
    standIn.behavior.isSubscribed = false;
    const order = of().order();
    const calls = standIn.calls.length;
    const refused = { type: 'refused', reason: 'misconfigured', providerCode: '60200098' };
    expect(await rail.start(order)).toEqual(refused);
    expect(standIn.calls.slice(calls).filter(({ url }) => !url.endsWith('token'))).toHaveLength(1);
    standIn.behavior.isSubscribed = true;
  });

  test('opens where it was made for, and nowhere else', async () => {
    const order = inApp.order();
    const opening = openingOf(await appOf(inApp, order));
    const { standIn } = inApp;
    expect(await statusOf(standIn.appUrl(opening))).toBe(200);
    expect(await statusOf(standIn.appUrl({ ...opening, shortCode: '200002' }))).toBe(400);
    const { appForm: _ignored, ...terms } = order.terms;
    const onPage = { ...inApp.order(), terms };
    const started = await inApp.rail.start(onPage);
    const url = new URL((started.type === 'accepted' && started.redirectUrl) || '');
    expect(await statusOf(url.href)).toBe(200);
    const { receiveCode } = Object(await standIn.order(onPage.attempt.reference));
    expect(await statusOf(standIn.appUrl({ ...opening, receiveCode }))).toBe(400);
  });
});

describe('rawRequest', () => {
  test('has the documented fields in their order, with its signature as it is', async () => {
    const { settings } = miniApp.standIn;
    const order = miniApp.order();
    const app = await appOf(miniApp, order);
    expect(app).toEqual({
      appId: null,
      shortCode: null,
      receiveCode: null,
      rawRequest: expect.any(String),
    });
    const { prepayId } = Object(await miniApp.standIn.order(order.attempt.reference));
    const parts = /^(.*)&sign=([A-Za-z0-9+/]{342}==)&sign_type=SHA256WithRSA$/.exec(
      app.rawRequest ?? '',
    );
    const [, signed = '', sign = ''] = parts ?? [];
    expect(signed).toMatch(
      new RegExp(
        `^appid=${settings.merchantAppId}&merch_code=${settings.merchantCode}` +
          `&nonce_str=[A-Z2-7]{32}&prepay_id=${prepayId}&timestamp=\\d{10}$`,
      ),
    );
    const der = Buffer.from(settings.merchantPrivateKey ?? '', 'base64');
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    expect(rsaVerify(signed, key, 'pss32', sign)).toBe(true);
    expect(await statusOf(miniApp.standIn.appUrl(openingOf(app)))).toBe(200);
    const changed = app.rawRequest?.replace('timestamp=1', 'timestamp=2') ?? '';
    expect(await statusOf(miniApp.standIn.appUrl({ rawRequest: changed }))).toBe(400);
  });

  test('matches the documentation byte for byte, but for the percent-encoding', async () => {
    const { canonical, rawRequest, sign_pss32 } = vectors.checkout;
    const fields = Object.fromEntries(new URLSearchParams(canonical));
    const rail = railOf('TELE_BIRR', { ...miniApp.standIn.settings, miniApp: true });
    const order = orderFor(rail, 'TELE_BIRR', { terms: { appForm: 'MINI_APP' } });
    const texts: string[] = [];
    const fetched = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async (url) =>
        String(url).endsWith('token')
          ? Response.json({ token: 'Bearer vector' })
          : Response.json({ code: '0', biz_content: { prepay_id: fields.prepay_id } }),
      );
    const settings = v.parse(telebirrH5Settings, {
      ...miniApp.standIn.settings,
      apiBaseUrl: 'https://vector.rail.test',
      merchantAppId: fields.appid,
      merchantCode: fields.merch_code,
    });
    const sign = async (text: string) => {
      texts.push(text);
      return sign_pss32;
    };
    const started = await startInApp(
      { settings, sign },
      order,
      { merch_order_id: 'x' },
      'MINI_APP',
    );
    expect(fetched).toHaveBeenCalledTimes(2);
    const fresh = (text: string) =>
      text.replace(/nonce_str=\w+/, 'nonce_str=N').replace(/timestamp=\d+/, 'timestamp=T');
    expect(fresh(texts.at(-1) ?? '')).toBe(fresh(canonical));
    const expected = rawRequest.replace(/(?<=&sign=)[^&]*/, (sign) => decodeURIComponent(sign));
    expect(fresh(Object(started).app.rawRequest)).toBe(fresh(expected));
  });
});

describe('receiveCode', () => {
  test('is passed on as telebirr returned it', async () => {
    const order = inApp.order();
    const { merchantAppId, merchantCode } = inApp.standIn.settings;
    const app = await appOf(inApp, order);
    const { receiveCode } = Object(await inApp.standIn.order(order.attempt.reference));
    const opening = { appId: merchantAppId, shortCode: merchantCode, receiveCode };
    expect(app).toEqual({ ...opening, rawRequest: null });
  });

  test.each(['without_prepay_id', 'without_receive_code'] as const)(
    'opens the order after an answer %s',
    async (appAnswer) => {
      inApp.standIn.behavior.appAnswer = appAnswer;
      const order = inApp.order();
      const app = await appOf(inApp, order);
      const atProvider = Object(await inApp.standIn.order(order.attempt.reference));
      expect(app.receiveCode).toBe(atProvider.receiveCode);
      expect(await statusOf(inApp.standIn.appUrl(openingOf(app)))).toBe(200);
    },
  );

  /** The documentation's example, but for the recipient. */
  const code = (changed: { merchant?: string; amount?: string; prepayId?: string } = {}) => {
    const { merchantCode = '' } = inApp.standIn.settings;
    const { merchant = merchantCode, amount = '12.00', prepayId = PREPAY_ID } = changed;
    return `TELEBIRR$BUYGOODS$${merchant}$${amount}$${prepayId}$120m`;
  };

  async function startAfter(content: (order: RailOrder) => Members) {
    const order = inApp.order({}, { terms: { amountMinor: 1_200 } });
    return (await inApp.scripted(success(content(order)))).start(order);
  }

  test.each<[string, () => Members]>([
    ['the documentation’s example', () => ({ receiveCode: code() })],
    ['an amount without decimals', () => ({ receiveCode: code({ amount: '12' }) })],
    ['the other spelling', () => ({ receive_code: code(), prepay_id: PREPAY_ID })],
  ])('%s is accepted', async (_what, content) => {
    const receiveCode = Object.values(content())[0];
    expect(await startAfter(content)).toMatchObject({ type: 'accepted', app: { receiveCode } });
  });

  test.each<[string, () => Members]>([
    ['another recipient', () => ({ receiveCode: code({ merchant: '200002' }) })],
    ['another amount', () => ({ receiveCode: code({ amount: '12.01' }) })],
    ['no amount', () => ({ receiveCode: code({ amount: '.' }) })],
    ['another prepay_id', () => ({ receiveCode: code(), prepay_id: `${PREPAY_ID}2` })],
    ['an odd prepay_id', () => ({ receiveCode: code({ prepayId: 'a&b=c' }) })],
    ['more behind it', () => ({ receiveCode: `${code()}$1` })],
    ['no dollars', () => ({ receiveCode: code().replaceAll('$', '') })],
    ['nothing in it', () => ({ receiveCode: '', prepay_id: PREPAY_ID })],
    ['a number', () => ({ receiveCode: 12, prepay_id: PREPAY_ID })],
    ['neither code nor prepay_id', () => ({})],
    ['an odd prepay_id alone', () => ({ prepay_id: 'a&b=c' })],
    [
      'another order',
      () => ({ merch_order_id: 'H7K2M9QX4T0B8ZC3VN5E', receiveCode: code(), prepay_id: PREPAY_ID }),
    ],
  ])('with %s reaches no app: unknown', async (_what, content) => {
    expect(await startAfter(content)).toEqual({ type: 'unknown' });
  });

  test('beside an error code is unknown: the order exists', async () => {
    const order = inApp.order({}, { terms: { amountMinor: 1_200 } });
    const reply = success({ receiveCode: code() }, { result: 'FAIL', code: '60209999' });
    expect(await (await inApp.scripted(reply)).start(order)).toMatchObject({ type: 'unknown' });
  });
});

describe('the two addresses of createOrder', () => {
  const { table, sample } = CREATE_ORDER;

  /** The addresses that were called, in order, and what came of it. */
  async function startAfter(...replies: readonly ((order: RailOrder) => Reply)[]) {
    const order = inApp.order();
    const left = [...replies];
    const rail = await inApp.scripted(() => left.shift()?.(order) ?? { type: 'reset' });
    const before = inApp.scriptedCalls.length;
    const started = await rail.start(order);
    const calls = inApp.scriptedCalls.slice(before).filter(({ url }) => !url.endsWith('token'));
    return { started, calls, called: calls.map(({ url }) => url) };
  }

  const accepts = ({ attempt }: RailOrder) =>
    success({ merch_order_id: attempt.reference, prepay_id: PREPAY_ID });
  const text = (status: number, body: string): Reply => ({ type: 'answer', status, body });

  const ABSENT: readonly (readonly [string, Reply])[] = [
    ['API not found', jsonReply(404, { errorCode: '49401026001', errorMsg: 'API not found.' })],
    ['API not found with 200', jsonReply(200, { result: 'FAIL', code: 49401026001 })],
    ['404 without a body', text(404, '')],
    ['404 as a page', text(404, '<html>Not Found</html>')],
    ['404 of a framework', jsonReply(404, { status: 404, error: 'Not Found', path: '/' })],
  ];

  test.each(ABSENT)('%s: the same order goes to the other', async (_what, reply) => {
    const { started, calls, called } = await startAfter(() => reply, accepts);
    expect(called).toEqual([table, sample]);
    expect(started).toMatchObject({
      type: 'accepted',
      app: { receiveCode: expect.stringContaining(PREPAY_ID) },
    });
    expect(contentIn(calls[1])).toEqual(contentIn(calls[0]));
  });

  test.each<[string, Reply]>([
    ['no answer', { type: 'reset' }],
    ['half an answer', { type: 'truncated', body: '{"errorCode":"49401026001"}' }],
    ['502', text(502, '<html>')],
    ['405', jsonReply(405, { errorCode: '60209999' })],
    ['not subscribed', jsonReply(400, { errorCode: '60200098' })],
    ['a wrong signature', jsonReply(500, { errorCode: '60200099' })],
    ['a refusal with 404', jsonReply(404, { errorCode: '60209999' })],
    [
      'API not found beside an order',
      success({ prepay_id: PREPAY_ID }, { result: 'FAIL', code: '49401026001' }),
    ],
    ['404 beside an order', jsonReply(404, { biz_content: { prepay_id: PREPAY_ID } })],
    ['success without an order', success({})],
  ])('%s: the other is never called', async (_what, reply) => {
    const { started, called } = await startAfter(() => reply, accepts);
    expect(called).toEqual([table]);
    expect(started.type).not.toBe('accepted');
  });

  test.each<[string, Reply, object]>([
    ['no answer', { type: 'reset' }, { type: 'unknown' }],
    [
      'not subscribed',
      jsonReply(400, { errorCode: '60200098' }),
      { type: 'refused', reason: 'misconfigured', providerCode: '60200098' },
    ],
    ...ABSENT.map(
      ([what, reply]) =>
        [what, reply, { type: 'refused', reason: 'misconfigured' }] as [string, Reply, object],
    ),
  ])('the other one’s answer decides: %s', async (_what, reply, expected) => {
    const { started, called } = await startAfter(
      () => text(404, ''),
      () => reply,
    );
    expect(called).toEqual([table, sample]);
    expect(started).toMatchObject(expected);
  });

  test('both calls together take no longer than one start may', async () => {
    const order = inApp.order();
    let nowMs = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
    const rail = await inApp.scripted(({ url }) => {
      nowMs += 21_000;
      return url === table ? text(404, '') : accepts(order);
    });
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    expect((await rail.start(order)).type).toBe('accepted');
    const last = timeout.mock.calls.at(-1)?.[0] ?? 0;
    expect(last).toBe(rail.startTimeoutMs - 21_000);
  });

  test('only the second exists', async () => {
    inApp.standIn.behavior.createOrder = 'sample';
    const order = inApp.order();
    const app = await appOf(inApp, order);
    expect(await statusOf(inApp.standIn.appUrl(openingOf(app)))).toBe(200);
  });
});
