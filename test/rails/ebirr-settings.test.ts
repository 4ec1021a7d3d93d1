import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { ebirrReport, meaningOf } from '../../src/rails/ebirr/answer.ts';
import { purchaseRequest } from '../../src/rails/ebirr/purchase.ts';
import { ebirrSettingsSchema } from '../../src/rails/ebirr/settings.ts';
import { ebirrSample } from '../support/rails/ebirr-scene.ts';

/** Goal: every field of the operator's secret is checked, and requests match eBirr's samples. */

function meaning(text: string) {
  const report = ebirrReport(text);
  return report === null ? null : meaningOf(report);
}

describe('the published samples', () => {
  const settings = v.parse(ebirrSettingsSchema, {
    merchantUid: 'M0000000',
    apiUserId: '1000000',
    apiKey: 'API-xxxxxxxx',
    sendsReturnUrl: false,
  });

  test('reproduces the request byte for byte', () => {
    const request = purchaseRequest(
      settings,
      {
        requestId: 'b3b3a9a0-1111-4222-8333-444444444444',
        reference: 'ORDER-0001',
        phone: '251911223344',
        amountMinor: 1_000,
        currency: 'ETB',
        description: 'Order 0001',
        returnUrl: 'https://pay.example.com/rails/ebirr/t',
      },
      Date.UTC(2026, 0, 31, 9, 34, 56),
    );
    expect(`${JSON.stringify(request)}\n`).toBe(ebirrSample('purchase_request'));
  });

  test('defaults to the production URL', () => {
    expect(settings.baseUrl).toBe('https://payments.ebirr.com/asm');
  });

  test.each([
    ['purchase_response_ok', { type: 'paid', receipt: '1000001', issuerReceipt: '2000001' }],
    ['purchase_response_rejected', { type: 'failed', reason: 'canceled_by_customer' }],
    ['purchase_response_timeout', { type: 'undecided' }],
    ['callback', { type: 'paid', receipt: '1000001', issuerReceipt: '2000001' }],
  ])('reads %s', (name, expected) => {
    expect(meaning(ebirrSample(name))).toEqual(expected);
  });
});

describe('settings', () => {
  const SECRETS = { merchantUid: 'M1234567', apiUserId: '1234567', apiKey: 'API-secret-secret' };

  test('has these defaults', () => {
    expect(v.parse(ebirrSettingsSchema, SECRETS)).toEqual({
      ...SECRETS,
      baseUrl: 'https://payments.ebirr.com/asm',
      paymentMethod: 'MWALLET_ACCOUNT',
      sendsReturnUrl: true,
      phonePrefixes: ['2519'],
      promptWindowSeconds: 60,
    });
  });

  test.each([
    ['apiKey', 'has a blank'],
    ['apiKey', 12_345_678],
    ['apiKey', ''],
    ['apiUserId', 1_234_567],
    ['merchantUid', null],
    ['baseUrl', 'ftp://secret.example.com'],
    ['baseUrl', 'https://secret@example.com/asm'],
    ['baseUrl', 'https://:secret@example.com/asm'],
    ['baseUrl', 'https://example.com/asm?key=secret'],
    ['baseUrl', 'secret'],
    ['prefix', 'secret!'],
    ['paymentMethod', 'secret 1'],
    ['sendsReturnUrl', 'secret'],
    ['phonePrefixes', ['secret']],
    ['phonePrefixes', []],
    ['promptWindowSeconds', 4],
    ['promptWindowSeconds', 721],
    ['promptWindowSeconds', 60.5],
    ['promptWindowSeconds', '60'],
    ['statusQuery', true],
    ['statusQuery', { failedStates: 'secret' }],
    ['statusQuery', { failedStates: ['secret\n'] }],
    ['statusQuery', { failedStates: [' '] }],
    ['statusQuery', { failedStates: ['approved'] }],
    ['statusQuery', { secret: 'secret' }],
    ['refundService', 'secret'],
    ['refundService', true],
    ['secret', 'secret'],
  ])('%s %j is refused by name, without its value', (field, value) => {
    const parsed = v.safeParse(ebirrSettingsSchema, { ...SECRETS, [field]: value });
    expect(parsed.success).toBe(false);
    expect(parsed.issues?.map((issue) => String(issue.path?.[0]?.key))).toEqual([field]);
    for (const { message } of parsed.issues ?? []) {
      expect(message).toMatch(/^(?:must|is) /i);
      expect(message).not.toMatch(/secret|12345678|blank/);
    }
  });

  test('names a missing field, and a value that is not an object', () => {
    const { apiKey: _, ...rest } = SECRETS;
    expect(v.safeParse(ebirrSettingsSchema, rest).issues?.[0]?.message).toBe('is missing');
    expect(v.safeParse(ebirrSettingsSchema, 'API-secret').issues?.[0]?.message).toBe(
      'must be a JSON object',
    );
  });
});
