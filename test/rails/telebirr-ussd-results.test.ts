import { afterEach, describe, expect, test, vi } from 'vitest';
import { sample } from '../../scripts/stand-ins/telebirr-ussd-messages.ts';
import type { CallbackReading } from '../../src/engine/rails/callback.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { telebirrUssdRail } from '../../src/engine/rails/telebirr-ussd/rail.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { orderFor } from '../support/rails/order.ts';
import { settingsFrom, TELEBIRR_USSD_SETTINGS } from '../support/rails/telebirr-ussd-settings.ts';

/**
 * Goal: a result proves a payment or its failure only if it came through the relay, is about this
 * order, and is final.
 */

const RESULT_TOKEN = 'a-result-token-of-at-least-32-characters';
const settings = settingsFrom({ ...TELEBIRR_USSD_SETTINGS, resultToken: RESULT_TOKEN });
const rail = telebirrUssdRail(settings);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a result', () => {
  const SAMPLE_ORDER = {
    reference: 'ORDER0001',
    railReference: 'AG_20260131_70101ef1abddd338afdf',
  };

  const reasons = {
    E1: 'insufficient_funds',
    E2: 'unknown',
    X203: 'canceled_by_customer',
  } as const;

  async function handled(
    body: string,
    attempt: Partial<RailOrder['attempt']> = {},
  ): Promise<CallbackReading> {
    const order = orderFor(rail, 'TELE_BIRR_USSD', {
      attempt: { ...SAMPLE_ORDER, ...attempt },
    });
    const unguarded = telebirrUssdRail({
      ...settings,
      resultToken: null,
      reasons: { ...settings.reasons, ...reasons },
    });
    return unguarded.readCallback(callbackCall({ headers: {}, body }), order);
  }

  const result = (...[from, to]: [string, string]) => sample('result').replace(from, to);
  const proved = (outcome: unknown) => ({ type: 'outcome', outcome });
  const CANCELED = proved({ type: 'failed', reason: 'canceled_by_customer' });
  const refused = (suspicion: string) => ({ type: 'refused', suspicion });

  test('proves a payment if it is the public sample, without storing the balance', async () => {
    const seen = await handled(sample('result'));
    expect(seen).toMatchObject(proved({ type: 'succeeded', receipt: 'AJH40OGEZK' }));
    expect(JSON.stringify(seen)).not.toMatch(/15\.17|Balance/);
  });

  test('is answered in CPS’s own format', async () => {
    const seen = await handled(sample('result'));
    const { status, headers, body } = seen.reply;
    expect([status, headers]).toEqual([
      200,
      { 'content-type': 'text/xml; charset=utf-8', 'cache-control': 'no-store' },
    ]);
    const likeAcknowledgement = sample('ack')
      .replace('api_requestmgr', 'api_resultmgr')
      .replace('the service request', 'the service result')
      .trim();
    expect(body).toBe(`<?xml version="1.0" encoding="UTF-8"?>${likeAcknowledgement}`);
  });

  test.each([
    ['no receipt number', result('AJH40OGEZK', ''), proved({ type: 'succeeded', receipt: null })],
    [
      'an unlisted code',
      result('Code>0<', 'Code>constructor<'),
      proved({ type: 'failed', reason: 'declined' }),
    ],
    [
      'the caller’s code has no special meaning here',
      result('Code>0<', 'Code>1001<'),
      proved({ type: 'failed', reason: 'declined' }),
    ],
    [
      'a code that the settings call unknown',
      result('Code>0<', 'Code>E2<'),
      refused('unknown_state'),
    ],
    ['zero in another spelling', result('Code>0<', 'Code>00<'), refused('unknown_state')],
    ['no code', result('Code>0<', 'Code><'), refused('unknown_state')],
    ['a malformed code', result('Code>0<', 'Code>0;<'), refused('unknown_state')],
    ['more is to come', result('Type>0<', 'Type>1<'), refused('unknown_state')],
    [
      'the code is missing',
      sample('result').replaceAll('ResultCode', 'Code'),
      refused('unreadable'),
    ],
    [
      'the type is missing',
      sample('result').replaceAll('ResultType', 'Type'),
      refused('unreadable'),
    ],
    [
      'two codes',
      result('<res:ResultDesc>', '<x:ResultCode>1</x:ResultCode><res:ResultDesc>'),
      refused('unreadable'),
    ],
    ['an acknowledgement', sample('ack'), refused('unreadable')],
    [
      'a DOCTYPE',
      result('<soapenv:Envelope', '<!DOCTYPE x><soapenv:Envelope'),
      refused('unreadable'),
    ],
    ['JSON', '{}', refused('unreadable')],
    ['nothing', '', refused('unreadable')],
    ['another order', result('ORDER0001', 'ORDER0002'), refused('other_order')],
    ['no order', result('ORDER0001', ''), refused('other_order')],
    ['another request', result('AG_2026', 'AG_2025'), refused('other_order')],
    ['no request', result('AG_20260131_70101ef1abddd338afdf', ''), refused('other_order')],
  ])('%s', async (_name, body, expected) => {
    expect(await handled(body)).toMatchObject(expected);
  });

  test.each([
    ['E1', 'info'],
    ['E2', 'warn'],
    ['E9', 'warn'],
    ['00', 'warn'],
  ])('the code %s is logged: %s', async (providerCode, level) => {
    const lines = watchRailAnswers();
    await handled(result('Code>0<', `Code>${providerCode}<`));
    const line = { rail: 'telebirr-ussd', call: 'callback', reference: 'ORDER0001' };
    expect(lines).toEqual([{ ...line, level, providerCode }]);
  });

  test('is logged if a later result follows, but not if it is a payment or another order’s', async () => {
    const lines = watchRailAnswers();
    await handled(sample('result'));
    await handled(result('ORDER0001', 'ORDER0002').replace('Code>0<', 'Code>1<'));
    expect(lines).toEqual([]);
    await handled(result('Type>0<', 'Type>1<'));
    expect(lines).toMatchObject([{ level: 'warn', providerCode: 'ResultType 1' }]);
  });

  test('a failure needs the same references', async () => {
    const failure = result('Code>0<', 'Code>X203<');
    expect(await handled(failure)).toMatchObject(CANCELED);
    expect(await handled(failure, { reference: 'ORDER0002' })).toMatchObject(
      refused('other_order'),
    );
    expect(await handled(failure, { railReference: 'AG_1' })).toMatchObject(refused('other_order'));
    expect(await handled(failure, { railReference: null })).toMatchObject(CANCELED);
  });

  test.each([
    ['nothing', {}],
    ['another token', { authorization: `Bearer ${'x'.repeat(32)}` }],
    ['the bare token', 'bare'],
  ] as const)('past the relay, with %s, is not even read', async (_name, given) => {
    const order = orderFor(rail, 'TELE_BIRR_USSD', { attempt: SAMPLE_ORDER });
    const headers = given === 'bare' ? { authorization: RESULT_TOKEN } : given;
    for (const body of [sample('result'), '<']) {
      const seen = await rail.readCallback(callbackCall({ headers, body }), order);
      expect(seen).toMatchObject(refused('not_authentic'));
    }
  });
});
