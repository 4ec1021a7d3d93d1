import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sample } from '../../scripts/stand-ins/telebirr-ussd-messages.ts';
import type { StartResult } from '../../src/rails/rail.ts';
import { telebirrUssdRail } from '../../src/rails/telebirr-ussd/rail.ts';
import { paymentRequest } from '../../src/rails/telebirr-ussd/request.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { amountText, TelebirrUssdScene } from '../support/rails/telebirr-ussd-scene.ts';
import { settingsFrom, TELEBIRR_USSD_SETTINGS } from '../support/rails/telebirr-ussd-settings.ts';

/**
 * Goal: CPS's synchronous service answers after the customer has acted, and only a result that is
 * plainly about the order resolves it. Method: the stand-in in that form, and changed samples.
 */

let scene: TelebirrUssdScene;

beforeAll(async () => {
  scene = await TelebirrUssdScene.start({ namespace: 'synccpsinterface', waitsForResult: true });
});

afterAll(() => scene.stop());

afterEach(() => {
  vi.restoreAllMocks();
});

test('the request has namespaces of its own, and UTC', () => {
  const order = orderFor(scene.rail, 'TELE_BIRR_USSD', {
    attempt: { reference: 'ORDER0001' },
    order: { chargedMinor: 1_000, callbackUrl: 'https://pay.example.et/n/telebirr-ussd/secret' },
  });
  const xml = paymentRequest(
    settingsFrom({ ...TELEBIRR_USSD_SETTINGS, namespace: 'synccpsinterface' }),
    order,
    '251911223344',
    Date.UTC(2026, 0, 31, 12, 34, 56),
  );
  expect(xml).toBe(sample('request').trim().replaceAll('/cpsinterface/', '/synccpsinterface/'));
});

test('a queue consumer starts it, and waits for the customer', () => {
  const { terms } = scene.newOrder();
  const { startWaitsForCustomer, startTimeoutMs } = scene.rail;
  expect({ startWaitsForCustomer, startTimeoutMs }).toEqual({
    startWaitsForCustomer: true,
    startTimeoutMs: 150_000,
  });
  expect(scene.rail.plan(terms, 'TELE_BIRR_USSD', 1_000)).toEqual({
    flow: 'push',
    deadlineAtMs: 61_000,
    windowIsFinal: false,
    checkAtMs: null,
  });
});

describe('namespaces and waiting are two settings', () => {
  test.each([
    { namespace: 'synccpsinterface', waitsForResult: false },
    { namespace: 'cpsinterface', waitsForResult: true },
  ] as const)('%j', async (form) => {
    const mixed = await TelebirrUssdScene.start(form);
    onTestFinished(() => mixed.stop());
    const order = mixed.newOrder();
    mixed.standIn.plan(amountText(order), { act: 'pays', callback: 'before_answer' });
    const result = await mixed.rail.start(order);
    expect(result.type).toBe(form.waitsForResult ? 'resolved' : 'accepted');
    expect(mixed.rail.startWaitsForCustomer ?? false).toBe(form.waitsForResult);
    expect(mixed.resultsOf(order)).toMatchObject([{ outcome: { type: 'succeeded' } }]);
  });
});

describe('the answer to the start', () => {
  test('comes once the customer has paid, and is the outcome', async () => {
    const order = scene.newOrder();
    const running = scene.rail.start(order);
    const prompt = await scene.standIn.order(order.attempt.reference);
    await prompt.act('pays', { silent: true });
    expect(await running).toEqual({
      type: 'resolved',
      outcome: {
        type: 'succeeded',
        receipt: expect.stringMatching(/^[0-9A-F]{10}$/),
        providerCode: '0',
      },
    });
  });

  test.each([
    ['lacks_funds', 'insufficient_funds'],
    ['mistypes_pin', 'wrong_pin'],
    ['times_out', 'timed_out'],
    ['declines', 'declined'],
  ] as const)('a customer who %s: %s', async (act, reason) => {
    const order = scene.newOrder();
    scene.standIn.plan(amountText(order), { act, callback: 'never' });
    expect(await scene.rail.start(order)).toMatchObject({ type: 'refused', reason });
  });

  test('refuses wrong credentials', async () => {
    const order = scene.newOrder();
    scene.standIn.plan(amountText(order), { refuses: 'misconfigured' });
    expect(await scene.rail.start(order)).toMatchObject({ type: 'refused' });
  });

  test('is also posted, and repeats the outcome', async () => {
    const order = scene.newOrder();
    scene.standIn.plan(amountText(order), { act: 'pays', callback: 'before_answer' });
    const result = await scene.rail.start(order);
    const [posted] = scene.resultsOf(order);
    expect(posted).toMatchObject({ type: 'outcome', reply: { status: 200 } });
    expect(result).toMatchObject({
      type: 'resolved',
      outcome: posted?.type === 'outcome' && posted.outcome,
    });
  });

  test('in the other namespaces is refused by the stand-in', async () => {
    const rail = telebirrUssdRail({ ...scene.settings, namespace: 'cpsinterface' });
    expect(await rail.start(scene.newOrder())).toMatchObject({ type: 'unknown' });
  });
});

describe('a result in the answer', () => {
  const rail = telebirrUssdRail(
    settingsFrom({
      ...TELEBIRR_USSD_SETTINGS,
      waitsForResult: true,
      reasons: { E1: 'insufficient_funds', E2: 'unknown' },
    }),
  );
  const ORDER = orderFor(rail, 'TELE_BIRR_USSD', { attempt: { reference: 'ORDER0001' } });

  function result(...changes: readonly (readonly [string | RegExp, string])[]): string {
    return changes.reduce((xml, [from, to]) => xml.replace(from, to), sample('result'));
  }

  async function answered(body: string, status = 200): Promise<StartResult> {
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response(body, { status }));
    return rail.start(ORDER);
  }

  const code = (text: string) => ['ResultCode>0<', `ResultCode>${text}<`] as const;

  test('of success pays', async () => {
    expect(await answered(result())).toEqual({
      type: 'resolved',
      outcome: { type: 'succeeded', receipt: 'AJH40OGEZK', providerCode: '0' },
    });
  });

  test.each([
    ['is missing', result([/<res:OriginatorConversationID>.*<\/res:ConversationID>/s, ''])],
    ['is empty', result(['>ORDER0001<', '><'])],
  ])('of success pays when its reference %s: it came on our own connection', async (_, body) => {
    expect(await answered(body)).toMatchObject({
      type: 'resolved',
      outcome: { type: 'succeeded', receipt: 'AJH40OGEZK' },
    });
  });

  test.each([
    ['E1', 'insufficient_funds'],
    ['E9', 'declined'],
  ])('with code %s refuses: %s', async (text, reason) => {
    expect(await answered(result(code(text)))).toEqual({
      type: 'refused',
      reason,
      providerCode: text,
    });
  });

  test('with a failure refuses even without a reference', async () => {
    const body = result(['>ORDER0001<', '><'], code('E1'));
    expect(await answered(body)).toMatchObject({ type: 'refused', reason: 'insufficient_funds' });
  });

  test.each([
    [
      'of success without a transaction',
      result([/<res:TransactionID>.*<\/res:TransactionID>/, '']),
    ],
    [
      'of success without reference and transaction',
      result(['>ORDER0001<', '><'], [/<res:TransactionID>.*<\/res:TransactionID>/, '']),
    ],
    ['of success of another order', result(['ORDER0001', 'ORDER0002'])],
    ['of failure of another order', result(['ORDER0001', 'ORDER0002'], code('E1'))],
    ['that announces another', result(['ResultType>0<', 'ResultType>1<'])],
    ['with a code that the settings call unknown', result(code('E2'))],
    ['with CPS’s internal error', result(code('-1'))],
    [
      'with two codes',
      result(['<res:ResultDesc>', '<res:ResultCode>0</res:ResultCode><res:ResultDesc>']),
    ],
    ['with a comment in its code', result(code('0<!-- 1 -->'))],
    ['cut short', result().slice(0, -40)],
    ['that is none', '<html/>'],
  ])('%s is unknown', async (_name, body) => {
    expect(await answered(body)).toMatchObject({ type: 'unknown' });
  });

  test.each([202, 302, 401, 404, 500])('with HTTP status %i is unknown', async (status) => {
    expect(await answered(result(), status)).toMatchObject({ type: 'unknown' });
  });

  test('may have comments between its elements', async () => {
    const body = result(['<res:ResultCode>', '<!-- Result --><res:ResultCode>']);
    expect(await answered(body)).toMatchObject({ type: 'resolved' });
  });

  test('may be an acknowledgement: then the posted result decides', async () => {
    expect(await answered(sample('ack'))).toMatchObject({ type: 'accepted' });
  });

  test('is logged unless it pays', async () => {
    const lines = watchRailAnswers();
    await answered(result());
    expect(lines).toEqual([]);
    await answered(result(code('E1')));
    await answered(result(code('-1')));
    expect(lines).toMatchObject([
      { level: 'info', status: 200, providerCode: 'E1' },
      { level: 'warn', status: 200, providerCode: '-1' },
    ]);
  });
});
