import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import {
  opened,
  sealed,
  sealedCallback,
  sealedStatus,
  sha256,
} from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import { cbeBirrRail } from '../../src/engine/rails/cbe-birr/rail.ts';
import { sealOf } from '../../src/engine/rails/cbe-birr/seal.ts';
import { cbeBirrSettingsSchema } from '../../src/engine/rails/cbe-birr/settings.ts';
import {
  callbackReport,
  dateForms,
  statusReport,
} from '../../src/engine/rails/cbe-birr/state-report.ts';
import vectors from '../fixtures/rails/cbe-birr/vectors.json' with { type: 'json' };
import { callbackCall } from '../support/rails/callback-call.ts';

const { secret } = vectors;
const settings = v.parse(cbeBirrSettingsSchema, {
  user: vectors.fields.U,
  password: vectors.fields.W,
  tillCode: vectors.fields.MC,
  secret,
  paidStates: ['SUCCESS', 'Completed'],
  failedStates: ['DECLINED', 'CANCELLED'],
});
const seal = await sealOf(secret);
const rail = cbeBirrRail(settings);

async function orderIdIn(body: string): Promise<string | null> {
  return (await rail.openCallback(callbackCall({ body })))?.orderId ?? null;
}
const transactionId = 'A2B3C4D5E6F7'.repeat(7).slice(0, 79);
const paid = { transactionId, state: 'SUCCESS', date: '2026-11-21 12:30:00' };
const tillCode = settings.tillCode;

describe('reports', () => {
  test.each([
    ['2026-11-02T08:30:00', ['2026-11-02T08:30:00', '02-11-2026']],
    ['2026/1/2', ['2026/1/2', '02-01-2026']],
    ['11/2/2026 8:30:00 AM', ['11/2/2026 8:30:00 AM', '11-02-2026', '02-11-2026']],
    ['02-11-2026', ['02-11-2026', '02-11-2026', '11-02-2026']],
    ['20261102083000', ['20261102083000']],
    ['', ['']],
  ])('TNDDate %j may be hashed as %j', (date, forms) => {
    expect(dateForms(date)).toEqual(forms);
  });

  test.each([
    [{}],
    [{ hashedDate: '21-11-2026' }],
    [{ state: ' Success ' }],
    [{ date: '11/21/2026 12:30:00 PM', hashedDate: '21-11-2026' }],
  ])('authentic, with %j', async (changed) => {
    const fields = { ...paid, ...changed };
    const report = { transactionId, state: 'paid', providerCode: fields.state };
    expect(await callbackReport(settings, seal, sealedCallback(secret, fields))).toEqual(report);
    const status = sealedStatus(secret, { ...fields, tillCode });
    expect(await statusReport(settings, seal, status)).toEqual(report);
  });

  test.each([
    ['Completed', 'paid'],
    ['DECLINED', 'failed'],
    ['cancelled', 'failed'],
    ['PENDING', 'unknown'],
    ['SUCCESS?', 'unknown'],
    ['EXPIRED', 'unknown'],
    ['0', 'unknown'],
    ['', 'unknown'],
  ])('state %j is %s', async (state, meaning) => {
    const report = await callbackReport(settings, seal, sealedCallback(secret, { ...paid, state }));
    expect(report).toEqual({ transactionId, state: meaning, providerCode: state });
  });

  test('reads a numeric state, a null date and an upper-case hash', async () => {
    const own = v.parse(cbeBirrSettingsSchema, { ...settings, paidStates: ['1'] });
    const hash = sha256(`key=${secret}&state=1&TNDDate=&transactionId=${transactionId}`);
    const plain = { TransactionId: transactionId, State: 1, TNDDate: null };
    const text = sealed(secret, JSON.stringify({ ...plain, Signiture: hash.toUpperCase() }));
    const report = { transactionId, state: 'paid', providerCode: '1' };
    expect(await callbackReport(own, seal, text)).toEqual(report);
  });

  test.each([
    ['another secret', sealedCallback('another', paid)],
    ['a hash over another date', sealedCallback(secret, { ...paid, hashedDate: '22-11-2026' })],
    ['no JSON', sealed(secret, 'SUCCESS')],
    ['a list', sealed(secret, '[]')],
    ['an empty object', sealed(secret, '{}')],
    ['a status answer, whose hash differs', sealedStatus(secret, { ...paid, tillCode })],
    ['a state that is an object', withField('State', {})],
    ['a state that is missing', withField('State', undefined)],
    ['a date that is missing', withField('TNDDate', undefined)],
    ['an id that is a number', withField('TransactionId', 7)],
    ['a hash that is missing', withField('Signiture', undefined)],
  ])('not authentic: %s', async (_, text) => {
    expect(await callbackReport(settings, seal, text)).toBeNull();
  });

  test.each([
    ['another till', sealedStatus(secret, { ...paid, tillCode: '999' })],
    ['no till', sealedCallback(secret, paid)],
    ['another secret', sealedStatus('another', { ...paid, tillCode })],
  ])('no status of ours: %s', async (_, text) => {
    expect(await statusReport(settings, seal, text)).toBeNull();
  });

  test('rejects a report whose blocks an attacker reordered', async () => {
    const bytes = Buffer.from(sealedCallback(secret, { ...paid, state: 'DECLINED' }), 'base64');
    for (let from = 0; from + 16 <= bytes.length - 8; from += 8) {
      const swapped = Buffer.concat([
        bytes.subarray(0, from),
        bytes.subarray(from + 8, from + 16),
        bytes.subarray(from, from + 8),
        bytes.subarray(from + 16),
      ]);
      expect(await callbackReport(settings, seal, swapped.toString('base64'))).toBeNull();
    }
  });
});

describe('the transaction id of a callback to the registered address', () => {
  const EncVal = sealedCallback(secret, paid);

  test.each([
    ['JSON', JSON.stringify({ EncVal })],
    ['a form', new URLSearchParams({ EncVal }).toString()],
    ['an unlisted state', JSON.stringify({ EncVal: unknownState() })],
  ])('out of %s', async (_, body) => {
    expect(await orderIdIn(body)).toBe(transactionId);
  });

  test('reads forms whose plus signs were not encoded', async () => {
    let withPlus = 0;
    for (let second = 0; second < 300; second += 1) {
      const date = new Date(Date.UTC(2026, 10, 21) + second * 1_000).toISOString();
      const sealedText = sealedCallback(secret, { ...paid, date });
      withPlus += sealedText.includes('+') ? 1 : 0;
      for (const body of [`EncVal=${sealedText}`, `a=b+c&EncVal=${sealedText}&d=`]) {
        expect(await orderIdIn(body), body).toBe(transactionId);
      }
    }
    expect(withPlus).toBeGreaterThan(200);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '<EncVal/>'],
    ['EncVal missing', '{}'],
    ['EncVal not a string', '{"EncVal":{"a":1}}'],
    ['encrypted with another secret', JSON.stringify({ EncVal: sealedCallback('another', paid) })],
    ['an invalid hash', JSON.stringify({ EncVal: withField('State', 'PAID') })],
    ['cut short', JSON.stringify({ EncVal: EncVal.slice(0, -12) })],
  ])('none: %s', async (_, body) => {
    expect(await orderIdIn(body)).toBeNull();
  });

  test('rejects any 64 KiB quickly', async () => {
    const size = 64 * 1024;
    const bodies = [
      '{'.repeat(size),
      '['.repeat(size),
      '&'.repeat(size),
      'EncVal='.repeat(size / 7),
      '%'.repeat(size),
      JSON.stringify({ EncVal: 'A'.repeat(size - 20) }),
      JSON.stringify({ EncVal: '='.repeat(size - 20) }),
      JSON.stringify({ EncVal: sealed(secret, '9'.repeat(3_000)) }),
      JSON.stringify({
        EncVal: sealedCallback(secret, { ...paid, date: '1'.repeat(1_000), hashedDate: '2' }),
      }),
    ];
    for (const body of bodies) {
      expect(await orderIdIn(body)).toBeNull();
    }
  });
});

/** A genuine callback with one field changed after hashing. */
function withField(name: string, value: unknown): string {
  const plain = opened(secret, sealedCallback(secret, paid)) ?? '';
  return sealed(secret, JSON.stringify({ ...JSON.parse(plain), [name]: value }));
}

function unknownState(): string {
  return sealedCallback(secret, { ...paid, state: 'whatever' });
}
