import { afterEach, describe, expect, test, vi } from 'vitest';
import { sample } from '../../scripts/stand-ins/telebirr-ussd-messages.ts';
import type { StartResult } from '../../src/engine/rails/rail.ts';
import { telebirrUssdRail } from '../../src/engine/rails/telebirr-ussd/rail.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { settingsFrom, TELEBIRR_USSD_SETTINGS } from '../support/rails/telebirr-ussd-settings.ts';

/** Goal: only telebirr's own answer about this order counts as an acceptance or a refusal. */

const rail = telebirrUssdRail(
  settingsFrom({
    ...TELEBIRR_USSD_SETTINGS,
    reasons: { E1: 'insufficient_funds', E2: 'unknown', E3: 'rail_unavailable' },
  }),
);

const ORDER = orderFor(rail, 'TELE_BIRR_USSD', { attempt: { reference: 'ORDER0001' } });

const LINE = {
  rail: 'telebirr-ussd',
  call: 'InitTrans_BuyGoodsForCustomer',
  reference: 'ORDER0001',
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('an answer to the start', () => {
  const acknowledgement = (changes: readonly (readonly [string, string])[]) =>
    changes.reduce((xml, [from, to]) => xml.replace(from, to), sample('ack'));

  async function startAnswered(status: number, body: string): Promise<StartResult> {
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response(body, { status }));
    return rail.start(ORDER);
  }

  test('accepts, if it is the public sample', async () => {
    expect(await startAnswered(200, sample('ack'))).toMatchObject({
      type: 'accepted',
      redirectUrl: null,
      railReference: 'AG_20260131_70101ef1abddd338afdf',
      providerCode: '0',
    });
  });

  test('refuses even without a reference, as when telebirr has not read the request', async () => {
    const body = acknowledgement([
      ['>ORDER0001<', '><'],
      ['Code>0<', 'Code>1001<'],
    ]);
    expect(await startAnswered(200, body)).toMatchObject({
      type: 'refused',
      reason: 'misconfigured',
    });
  });

  test.each([
    ['of another order', 200, acknowledgement([['ORDER0001', 'ORDER0002']])],
    [
      'a refusal of another order',
      200,
      acknowledgement([
        ['ORDER0001', 'X'],
        ['Code>0<', 'Code>1<'],
      ]),
    ],
    ['of success with a failed service status', 200, acknowledgement([['Status>0<', 'Status>1<']])],
    ['without a code', 200, acknowledgement([['Code>0<', 'Code><']])],
    ['with zero in another spelling', 200, acknowledgement([['Code>0<', 'Code>00<']])],
    ['with a malformed code', 200, acknowledgement([['Code>0<', 'Code>not now!<']])],
    [
      'with two codes',
      200,
      acknowledgement([
        ['<res:ServiceStatus>', '<res:ResponseCode>1</res:ResponseCode><res:ServiceStatus>'],
      ]),
    ],
    [
      'without its status',
      200,
      acknowledgement([
        ['ServiceStatus', 'Status'],
        ['ServiceStatus', 'Status'],
      ]),
    ],
    ['of success with another HTTP status', 202, sample('ack')],
    ['a refusal with an HTTP error', 500, acknowledgement([['Code>0<', 'Code>1001<']])],
    ['a refusal that the settings call unknown', 200, acknowledgement([['Code>0<', 'Code>E2<']])],
    ['of success with HTTP 401', 401, sample('ack')],
    [
      'of success without a reference, with HTTP 403',
      403,
      acknowledgement([['>ORDER0001<', '><']]),
    ],
    ['an unknown code with HTTP 404', 404, acknowledgement([['Code>0<', 'Code>E2<']])],
    ['no code with HTTP 401', 401, acknowledgement([['Code>0<', 'Code><']])],
    ['a redirect', 302, ''],
    ['of a busy relay', 503, ''],
    ['of a relay that answers by itself', 200, '{"request_id":"1"}'],
    ['a result without a transaction', 200, sample('result').replace(/TransactionID/g, 'Other')],
    ['empty', 200, ''],
  ])('%s is unknown', async (_name, status, body) => {
    expect(await startAnswered(status, body)).toMatchObject({ type: 'unknown' });
  });

  test('is the outcome if it is a result, also where the settings do not wait for one', async () => {
    expect(await startAnswered(200, sample('result'))).toMatchObject({ type: 'resolved' });
  });

  test.each([401, 403, 404])(
    'refuses with HTTP status %i, which rejects the request unread',
    async (status) => {
      const bodies = [
        '',
        '<html>',
        acknowledgement([['ORDER0001', 'ORDER0002']]),
        acknowledgement([['Code>0<', 'Code>1001<']]),
      ];
      for (const body of bodies) {
        expect(await startAnswered(status, body)).toMatchObject({
          type: 'refused',
          reason: 'misconfigured',
        });
      }
    },
  );

  test.each([
    ['E1', 'insufficient_funds', 'info'],
    ['E3', 'rail_unavailable', 'warn'],
    ['E9', 'declined', 'warn'],
    ['1001', 'misconfigured', 'warn'],
    ['E2', undefined, 'warn'],
    ['not now!', undefined, 'warn'],
  ])('code %s means %s, and is logged: %s', async (code, reason, level) => {
    const lines = watchRailAnswers();
    const result = await startAnswered(200, acknowledgement([['Code>0<', `Code>${code}<`]]));
    const providerCode = code === 'not now!' ? undefined : code;
    expect(result).toEqual(
      reason === undefined
        ? { type: 'unknown', providerCode }
        : { type: 'refused', reason, providerCode },
    );
    expect(lines).toEqual([
      { ...LINE, level, status: 200, providerCode: providerCode ?? '(unprintable)' },
    ]);
  });

  test('is logged without a code if it is not telebirr’s, and not logged if it accepts', async () => {
    const lines = watchRailAnswers();
    await startAnswered(200, sample('ack'));
    expect(lines).toEqual([]);
    await startAnswered(503, 'The phone 251911234567 is busy');
    vi.mocked(fetch).mockRejectedValueOnce(new Error('reset'));
    await rail.start(ORDER);
    expect(lines).toEqual([
      { ...LINE, level: 'warn', status: 503, providerCode: null },
      { ...LINE, level: 'warn', providerCode: null },
    ]);
  });

  test('keeps telebirr’s id only when it is well-formed', async () => {
    const body = acknowledgement([['AG_20260131_70101ef1abddd338afdf', 'A'.repeat(65)]]);
    expect(await startAnswered(200, body)).toMatchObject({ railReference: null });
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
