import { describe, expect, test } from 'vitest';
import { queryLive } from '../../scripts/check-rail/live.ts';
import { redacted } from '../../scripts/check-rail/redact.ts';
import { ConfigError } from '../../src/config.ts';
import { ebirrScene } from '../support/rails/ebirr-scene.ts';
import { startMpesaScene } from '../support/rails/mpesa-scene.ts';
import { freshReference } from '../support/rails/order.ts';

/** `npm run rail:check -- … --live`: one query, and nothing secret in what it prints. */

const QUERY = {
  method: 'E_BIRR',
  environment: 'production',
  reference: undefined,
  railReference: undefined,
  amountMinor: 150_000,
  resultUrl: 'https://kefel.invalid/rails/check',
} as const;

test('asks about one payment and prints the answer and its meaning', async () => {
  const scene = await ebirrScene();
  const { statusQuery, settings } = scene.standIn;
  scene.standIn.plan('1500.00', { act: 'pays', callback: 'never' });
  const order = scene.order({ attempt: { reference: freshReference() } });
  await scene.railWith().start(order);
  const rail = scene.railWith({ statusQuery });
  const { reference } = order.attempt;
  const lines = await queryLive(rail, { ...QUERY, reference }, settings);
  expect(lines).toEqual([
    expect.stringMatching(/^POST http:\/\/localhost:\d+\/asm answered 200:\n\{.*"APPROVED".*\}$/),
    'Kefel understands: paid',
  ]);
  expect(lines[0]).toContain(reference);
  const calls = scene.standIn.calls.length;
  expect(await queryLive(rail, QUERY, settings)).toEqual([
    expect.stringContaining('RCS_TRAN_NOT_FOUND'),
    'Kefel understands: nothing that would change a payment',
  ]);
  expect(scene.standIn.calls).toHaveLength(calls + 1);
  await expect(queryLive(scene.railWith(), QUERY, settings)).rejects.toThrow(ConfigError);
  await scene.stop();
  expect(await queryLive(rail, QUERY, settings)).toEqual([
    expect.stringMatching(/ did not answer: /),
    'Kefel understands: nothing that would change a payment',
  ]);
});

test('asks M-PESA by its own id of the push, and says where that is missing', async () => {
  const scene = await startMpesaScene();
  const { statusQuery, settings } = scene.standIn;
  const rail = scene.railWith({ statusQuery });
  const query = { ...QUERY, method: 'M_PESA' } as const;
  expect(await queryLive(rail, query, settings)).toEqual([
    expect.stringContaining('--provider-id'),
    'Kefel understands: nothing that would change a payment',
  ]);
  const resultUrl = `${scene.gateway.baseUrl}/rails/check`;
  const railReference = 'ws_CO_0904202610385911234567';
  const lines = await queryLive(rail, { ...query, railReference, resultUrl }, settings);
  expect(lines).toEqual([
    expect.stringMatching(/\/v1\/token\/generate answered 200:\n.*"access_token":"\[redacted\]"/),
    expect.stringMatching(/\/query answered 200:\n.*"ResponseCode":"0"/),
    'Kefel understands: nothing that would change a payment',
  ]);
  await expect.poll(() => scene.gateway.calls).toHaveLength(1);
  await scene.stop();
});

describe('what it prints', () => {
  const settings = {
    baseUrl: 'https://rail.test',
    apiKey: 'API-secret',
    nested: { credential: 'c2VjcmV0' },
    paidStates: ['APPROVED'],
    currency: 'ETB',
  };

  test.each([
    ['{"key":"API-secret"}', '{"key":"[redacted]"}'],
    ['<a>c2VjcmV0</a>', '<a>[redacted]</a>'],
    ['{"state":"APPROVED","currency":"ETB"}', '{"state":"APPROVED","currency":"ETB"}'],
    ['{"access_token" : "abc\\"def","x":1}', '{"access_token" : "[redacted]","x":1}'],
    ['{"accountNo":2519}', '{"accountNo":"[redacted]"}'],
    ['{"DebitPartyName":"Almaz B."}', '{"DebitPartyName":"[redacted]"}'],
    [
      '<com:DebitPartyPublicName>Almaz</com:DebitPartyPublicName>',
      '<com:DebitPartyPublicName>[redacted]</com:DebitPartyPublicName>',
    ],
    ['+251911234567 0711234567 911234567', '[redacted] [redacted] [redacted]'],
    ['ws_CO_0904202610385911234567', 'ws_CO_0904202610385[redacted]'],
    [
      '"amount":"150.50","tranDate":"20260131123456"',
      '"amount":"150.50","tranDate":"20260131123456"',
    ],
  ])('%s becomes %s', (text, expected) => {
    expect(redacted(text, settings)).toBe(expected);
  });
});
