import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { ebirrReport, meaningOf } from '../../src/rails/ebirr/answer.ts';
import { purchaseRequest } from '../../src/rails/ebirr/purchase.ts';
import { ebirrSettingsSchema } from '../../src/rails/ebirr/settings.ts';
import { ebirrSample } from '../support/rails/ebirr-scene.ts';

/** Goal: requests match eBirr’s samples, and its answers are read as the samples say. */

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
