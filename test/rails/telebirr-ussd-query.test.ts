import { describe, expect, test } from 'vitest';
import { noStatusXml, sample, statusXml } from '../../scripts/stand-ins/telebirr-ussd-messages.ts';
import type { Outcome } from '../../src/engine/domain/attempt.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { readResult } from '../../src/engine/rails/telebirr-ussd/messages.ts';
import { telebirrUssdRail } from '../../src/engine/rails/telebirr-ussd/rail.ts';
import { statusRequest } from '../../src/engine/rails/telebirr-ussd/request.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';
import { settingsFrom, TELEBIRR_USSD_SETTINGS } from '../support/rails/telebirr-ussd-settings.ts';

/**
 * Goal: a status query finds a payment whose result was lost. CPS's answer names neither payment nor
 * amount, so it must name our query; one that does not, or that contradicts, changes nothing.
 */

const scene = await useRailScene(PLAYERS.telebirrUssd);

/** The adapter with other settings of its status query. */
const asking = (changed: object) =>
  scene.railWith({ statusQuery: { ...scene.standIn.statusQuery, ...changed } });

test('is off by default, and first sent after half a minute otherwise', () => {
  expect(scene.railWith({ statusQuery: undefined })).not.toHaveProperty('query');
  const settings = { ...TELEBIRR_USSD_SETTINGS, statusQuery: scene.standIn.statusQuery };
  const rail = telebirrUssdRail(settingsFrom(settings));
  const { terms } = scene.order();
  expect(rail.plan(terms, 'TELE_BIRR_USSD', 1_000)).toMatchObject({ checkAtMs: 31_000 });
  const slow = telebirrUssdRail(settingsFrom({ ...settings, waitsForResult: true }));
  // The consumer's claim sets it.
  expect(slow.plan(terms, 'TELE_BIRR_USSD', 1_000)).toMatchObject({ checkAtMs: null });
});

describe('the samples', () => {
  test('the request, byte for byte', () => {
    const order = orderFor(scene.rail, 'TELE_BIRR_USSD', {
      attempt: { reference: 'ORDER0001' },
      order: { callbackUrl: 'https://pay.example.et/n/telebirr-ussd/secret' },
    });
    const nowMs = Date.UTC(2026, 0, 31, 9, 34, 56);
    const settings = settingsFrom(TELEBIRR_USSD_SETTINGS);
    const xml = statusRequest(
      settings,
      { ...order, reference: order.attempt.reference },
      'QUERY0001',
      nowMs,
    );
    expect(xml).toBe(sample('query_request').trim());
  });

  test('the result', () => {
    expect(readResult(sample('query_result'))).toEqual({
      originatorConversationId: 'QUERY0001',
      conversationId: 'AG_20260131_80101ef1abddd338afdf',
      resultType: '0',
      resultCode: '0',
      transactionId: null,
      transactionStatus: 'Completed',
      receipt: 'AJH40OGEZK',
      originalConversationId: null,
      amount: null,
    });
  });
});

describe('a payment at telebirr', () => {
  test('is unknown when CPS does not find it, when no state is listed, and without a service', async () => {
    const code = { type: 'unknown', providerCode: '-1' };
    expect(await scene.rail.query?.(scene.order(), Date.now())).toMatchObject(code);
    const { order, atProvider } = await scene.place();
    await atProvider.act('declines', { silent: true });
    const relayUrl = `${scene.standIn.baseUrl}/nowhere`;
    for (const changed of [{ failedStates: [] }, { relayUrl }]) {
      const outcome = await asking(changed).query?.(order, Date.now());
      expect(outcome).toMatchObject({ type: 'unknown' });
    }
  });
});

describe('an answer', () => {
  /** The answer that `write` makes for the query's own id. */
  async function answered(
    order: RailOrder,
    write: (queryId: string) => string,
  ): Promise<Outcome | undefined> {
    await scene.scripted(({ body }) => {
      const [, queryId = ''] = /<req:OriginatorConversationID>([^<]*)/.exec(body) ?? [];
      return { type: 'answer', status: 200, body: write(queryId) };
    });
    return asking({ relayUrl: scene.scriptedUrl }).query?.(order, Date.now());
  }

  const paid = (queryId: string) => statusXml(queryId, 'Completed', 'AJH40OGEZK');
  const beside = (element: string) => (queryId: string) =>
    paid(queryId).replace('<res:ReceiptNumber>', `${element}<res:ReceiptNumber>`);

  test('proves a payment, also with our reference and amount', async () => {
    const order = scene.order();
    const amount = (order.chargedMinor / 100).toFixed(2);
    const named =
      `<res:OriginalConversationID>${order.attempt.reference}</res:OriginalConversationID>` +
      `<res:Amount>${amount}</res:Amount>`;
    for (const write of [paid, beside(named)]) {
      expect(await answered(order, write)).toMatchObject({
        type: 'succeeded',
        receipt: 'AJH40OGEZK',
      });
    }
  });

  test.each<[string, (queryId: string) => string]>([
    ['of another query', () => paid('A0A0A0A0A0A0A0A0A0A0')],
    ['of no query', () => paid('')],
    ['without a receipt', (id) => statusXml(id, 'Completed', null)],
    ['with an odd receipt', (id) => statusXml(id, 'Completed', 'a b')],
    ['in an unknown state', (id) => statusXml(id, 'Reversed', 'AJH40OGEZK')],
    ['about another payment', beside('<res:OriginalConversationID>X</res:OriginalConversationID>')],
    ['about another amount', beside('<res:Amount>1.00</res:Amount>')],
    ['about a failed query', (id) => paid(id).replace('<res:ResultCode>0<', '<res:ResultCode>1<')],
    ['that is not final', (id) => paid(id).replace('<res:ResultType>0<', '<res:ResultType>1<')],
    ['with two states', beside('<res:TransactionStatus>Declined</res:TransactionStatus>')],
    ['with an entity', (id) => paid(id).replace('AJH40OGEZK', '&x;')],
    ['that is a result of the payment', () => sample('result')],
    ['that says nothing', noStatusXml],
    ['that is no XML', () => '{"TransactionStatus":"Completed"}'],
  ])('%s proves nothing', async (_name, write) => {
    expect(await answered(scene.order(), write)).toMatchObject({ type: 'unknown' });
  });

  test('is logged with its code unless it is a payment', async () => {
    const lines = watchRailAnswers();
    const order = scene.order();
    const { reference } = order.attempt;
    await answered(order, paid);
    await answered(order, noStatusXml);
    await answered(order, () => paid('A0A0A0A0A0A0A0A0A0A0'));
    const line = { rail: 'telebirr-ussd', call: 'QueryTransactionStatus', reference, status: 200 };
    expect(lines).toEqual([
      { level: 'info', ...line, providerCode: '-1' },
      { level: 'warn', ...line, providerCode: 'Completed' },
    ]);
  });
});

test('settings that are wrong are named without their values', () => {
  for (const statusQuery of [
    true,
    {},
    { relayUrl: 'ftp://secret' },
    { relayUrl: 'https://relay.test', failedStates: ['completed'] },
    { relayUrl: 'https://relay.test', secret: 'secret' },
  ]) {
    const message = (): unknown => settingsFrom({ ...TELEBIRR_USSD_SETTINGS, statusQuery });
    expect(message).toThrow();
    expect(message).not.toThrow(/secret/);
  }
});
