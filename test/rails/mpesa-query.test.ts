import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkoutRequestId } from '../../scripts/stand-ins/mpesa-order.ts';
import type { CustomerAct } from '../../scripts/stand-ins/stand-in.ts';
import { bodyText, type CallbackReading } from '../../src/engine/rails/callback.ts';
import { statusBody } from '../../src/engine/rails/mpesa/status.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { linesAbout, watchRailAnswers } from '../support/rails/logged.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/**
 * Goal: a status query is only a question: its result comes to the callback URL and counts if it
 * names M-PESA's id of the push and our amount. Any other result changes nothing.
 */

const scene = await useRailScene(PLAYERS.mpesa);

const asking = (changed: object) =>
  scene.railWith({ statusQuery: { ...scene.standIn.statusQuery, ...changed } });

/** A push whose callback is lost. */
async function pushed(act?: CustomerAct): Promise<RailOrder> {
  const { order, atProvider } = await scene.place();
  await (act && atProvider.act(act, { silent: true }));
  return order;
}

/** The adapter's reading of the result that M-PESA posts after a query. */
async function resultOf(order: RailOrder): Promise<CallbackReading | undefined> {
  const { length } = scene.readingsOf(order);
  scene.keep(order);
  await scene.rail.query?.(order, Date.now());
  await expect.poll(() => scene.readingsOf(order).length).toBeGreaterThan(length);
  return scene.readingsOf(order).at(-1);
}

describe('the query', () => {
  it('is sent byte for byte as the SDKs describe it', () => {
    const url = new URL('../fixtures/rails/mpesa/status_request.json', import.meta.url);
    const callbackUrl = 'https://pay.example.com/rails/stk-push/test1.attempt-token';
    const body = statusBody(
      { shortcode: '1020' },
      {
        initiator: 'an-invented-operator',
        securityCredential: 'aW52ZW50ZWQ=',
        failedStates: [],
        transactionId: 'left_out',
      },
      { callbackUrl },
      'ws_CO_0904202610385900000000',
    );
    expect(body).toBe(readFileSync(url, 'utf8').trim());
  });

  it.each([
    ['left_out', undefined],
    ['empty', ''],
    ['checkout_request_id', 'ws_CO_0904202610385900000000'],
  ])('with the setting %s has the TransactionID %j', async (transactionId, expected) => {
    const attempt = { railReference: 'ws_CO_0904202610385900000000' };
    await asking({ transactionId }).query?.(scene.order({}, { attempt }), Date.now());
    expect(JSON.parse(scene.standIn.calls.at(-1)?.body ?? '').TransactionID).toBe(expected);
  });

  it('is not sent without M-PESA’s id of the push', async () => {
    const { length } = scene.standIn.calls;
    expect(await scene.rail.query?.(scene.order(), Date.now())).toMatchObject({ type: 'unknown' });
    expect(scene.standIn.calls).toHaveLength(length);
  });

  it('is logged with its code when M-PESA refuses it', async () => {
    const lines = watchRailAnswers();
    const order = await pushed('pays');
    const rail = asking({ initiator: 'another' });
    expect(await rail.query?.(order, Date.now())).toMatchObject({ type: 'unknown' });
    const refused = [{ status: 400, providerCode: '400.002.02' }];
    expect(linesAbout(lines, order)).toMatchObject(refused);
  });

  it('uses a new token after a refused one', async () => {
    const order = await pushed('pays');
    scene.standIn.revokeTokens();
    await scene.rail.query?.(order, Date.now());
    expect(await resultOf(order)).toMatchObject({ type: 'outcome' });
  });
});

const ACCEPTED = { status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}' };

describe('the result', () => {
  it.each<[CustomerAct, object]>([
    ['pays', { type: 'succeeded', receipt: expect.any(String), providerCode: 'Completed' }],
    ['declines', { type: 'failed', reason: 'declined', providerCode: 'Declined' }],
  ])('of a customer who %s counts, each time it comes', async (act, outcome) => {
    const order = await pushed(act);
    for (const reading of [await resultOf(order), await resultOf(order)]) {
      expect(reading).toMatchObject({ type: 'outcome', outcome, reply: ACCEPTED });
    }
  });

  it.each<[CustomerAct | undefined]>([['times_out'], [undefined]])(
    'of a customer who %s changes nothing',
    async (act) => {
      const reading = await resultOf(await pushed(act));
      expect(reading).toMatchObject({ type: 'inconclusive', reply: ACCEPTED });
    },
  );

  it('about a push that M-PESA does not find changes nothing', async () => {
    const order = await pushed();
    const lost = { ...order, attempt: { ...order.attempt, railReference: 'ws_CO_1234567890123' } };
    expect(await resultOf(lost)).toMatchObject({ type: 'inconclusive', reply: ACCEPTED });
  });

  it('is unreadable while queries are off', async () => {
    const order = await pushed('pays');
    await resultOf(order);
    const off = scene.railWith({ statusQuery: undefined });
    expect(await off.readCallback?.(scene.lastReport, order)).toMatchObject({
      type: 'refused',
      suspicion: 'unreadable',
    });
  });
});

describe('a made-up result', () => {
  interface Changes {
    readonly head?: object;
    readonly occasion?: unknown;
    readonly parameters?: Readonly<Record<string, unknown>>;
  }

  function reading(order: RailOrder, { head = {}, parameters = {}, ...changes }: Changes) {
    const id = order.attempt.railReference;
    const occasion = 'occasion' in changes ? changes.occasion : id;
    const named = {
      TransactionStatus: 'Completed',
      Amount: order.chargedMinor / 100,
      ReceiptNo: 'RHJ4BTOYS8',
      ...parameters,
    };
    const ResultParameter = Object.entries(named)
      .filter(([, Value]) => Value !== undefined)
      .flatMap(([Key, Value]) =>
        (Array.isArray(Value) ? Value : [Value]).map((one) => ({ Key, Value: one })),
      );
    const Result = {
      ResultType: 0,
      ResultCode: 0,
      ResultParameters: { ResultParameter },
      ...(occasion !== undefined && {
        ReferenceData: { ReferenceItem: { Key: 'Occasion', Value: occasion } },
      }),
      ...head,
    };
    const body = JSON.stringify({ Result });
    return scene.rail.readCallback?.(callbackCall({ url: order.callbackUrl, body }), order);
  }

  it.each<[string, (id: string) => Changes]>([
    ['the occasion of our query', () => ({})],
    ['the id of the push', (id) => ({ occasion: undefined, parameters: { ConversationID: id } })],
    ['texts', () => ({ head: { ResultType: '0', ResultCode: '0' } })],
    ['no receipt', () => ({ parameters: { ReceiptNo: undefined } })],
  ])('with %s is believed', async (_name, changes) => {
    const order = await pushed();
    const result = await reading(order, changes(order.attempt.railReference ?? ''));
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
  });

  it.each<[string, Changes, string]>([
    ['of another push', { occasion: 'ws_CO_1234567890123' }, 'other_order'],
    ['of no push', { occasion: undefined }, 'not_confirmed'],
    [
      'by a forger who knows our reference',
      { occasion: undefined, parameters: { ConversationID: 'REFERENCE' } },
      'not_confirmed',
    ],
    ['of another amount', { parameters: { Amount: 1 } }, 'wrong_amount'],
    ['of two amounts', { parameters: { Amount: [1, 7_000] } }, 'not_confirmed'],
    ['of an amount that is none', { parameters: { Amount: 'all' } }, 'wrong_amount'],
    ['without an amount', { parameters: { Amount: undefined } }, 'not_confirmed'],
  ])('%s is refused', async (_name, changes, suspicion) => {
    expect(await reading(await pushed(), changes)).toMatchObject({ type: 'refused', suspicion });
  });

  it.each<[string, Changes]>([
    ['in an unknown state', { parameters: { TransactionStatus: 'Reversed' } }],
    ['in two states', { parameters: { TransactionStatus: ['Completed', 'Declined'] } }],
    ['in no state', { parameters: { TransactionStatus: undefined } }],
    ['that is not final', { head: { ResultType: 1 } }],
    ['of a failed query', { head: { ResultCode: 1 } }],
    ['without parameters', { head: { ResultParameters: undefined } }],
    [
      'of a failure of no push',
      { occasion: undefined, parameters: { TransactionStatus: 'Declined' } },
    ],
  ])('%s changes nothing', async (_name, changes) => {
    expect(await reading(await pushed(), changes)).toMatchObject({ type: 'inconclusive' });
  });

  it('is refused when half of it is missing', async () => {
    const order = await pushed('pays');
    await resultOf(order);
    const body = bodyText(scene.lastReport).slice(0, scene.lastReport.body.length / 2);
    expect(await scene.rail.readCallback?.(callbackCall({ body }), order)).toMatchObject({
      type: 'refused',
      suspicion: 'unreadable',
    });
  });

  it('is logged with its state unless it is a payment', async () => {
    const order = await pushed();
    const lines = watchRailAnswers();
    await reading(order, {});
    await reading(order, { parameters: { TransactionStatus: 'Pending' } });
    await reading(order, { occasion: 'another' });
    const line = { rail: 'stk-push', call: 'result', reference: order.attempt.reference };
    expect(linesAbout(lines, order)).toEqual([
      { level: 'info', ...line, providerCode: 'Pending' },
      { level: 'warn', ...line, providerCode: 'Completed' },
    ]);
  });
});

it('finds one push by its id, even among many of one second', () => {
  const ids = Array.from({ length: 2_000 }, () => checkoutRequestId('251711223344'));
  expect(new Set(ids).size).toBe(ids.length);
});
