import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { opened, sealed, sealedByKey, sha256 } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import { plainAmount } from '../../src/engine/rails/cbe-birr/page-url.ts';
import { sealOf } from '../../src/engine/rails/cbe-birr/seal.ts';
import { cbeBirrSettingsSchema } from '../../src/engine/rails/cbe-birr/settings.ts';
import { callbackReport, statusReport } from '../../src/engine/rails/cbe-birr/state-report.ts';
import { tripleDes } from '../../src/engine/rails/cbe-birr/triple-des.ts';
import { utf8 } from '../../src/kit/crypto/encoding.ts';
import { minorFromMajor } from '../../src/kit/money.ts';
import samples from '../fixtures/rails/cbe-birr/samples.json' with { type: 'json' };
import vectors from '../fixtures/rails/cbe-birr/vectors.json' with { type: 'json' };

const { secret } = vectors;
const settings = v.parse(cbeBirrSettingsSchema, {
  user: vectors.fields.U,
  password: vectors.fields.W,
  tillCode: vectors.fields.MC,
  secret,
  paidStates: ['SUCCESS'],
});
/** Fits with its padding into 1,024 characters of base64. */
const LONGEST = 767;

const seal = await sealOf(secret);
const tillCode = settings.tillCode;

describe('the published example', () => {
  test('uses the host, paths and members of the samples', () => {
    expect(settings.baseUrl).toBe(samples.host);
    expect(samples.status_query.POST).toBe('/api/cbebpg/TXNSTAT');
    expect(Object.keys(samples.status_query.json)).toEqual([
      'transactionId',
      'Tillcode',
      'Signiture',
    ]);
  });

  test('encrypts the name in the bank’s demonstration as OpenSSL does', () => {
    const steps: readonly { GET?: string; POST?: string; json?: { MName?: string } }[] =
      samples.handshake_steps;
    expect(steps.map(({ GET, POST }) => GET ?? POST)).toEqual(
      ['CheckCall', 'CheckMe', 'CheckMeENC', 'CheckMeDEC'].map((name) => `/api/cbebpg/${name}`),
    );
    const name = steps[2]?.json?.MName ?? '';
    expect(name).toBe('CBE School Fee');
    expect(seal.seal(name)).toBe(sealed(secret, name));
    expect(opened(secret, seal.seal(name))).toBe(name);
  });

  test('reads reports with the names and hash inputs of the samples', async () => {
    const { callback, status_query: status } = samples;
    const date = '21-11-2026';
    const callbackInput = callback.hashInput
      .replace('<secret>', secret)
      .replace('<State>', 'SUCCESS')
      .replace(/<TNDDate[^>]*>/, date)
      .replace('<TransactionId>', callback.plain.TransactionId);
    const callbackPlain = {
      ...callback.plain,
      State: 'SUCCESS',
      TNDDate: date,
      Signiture: sha256(callbackInput),
    };
    const callbackText = sealed(secret, JSON.stringify(callbackPlain));
    const report = { transactionId: 'TXN0001', state: 'paid', providerCode: 'SUCCESS' };
    expect(await callbackReport(settings, seal, callbackText)).toEqual(report);

    const values = [secret, 'SUCCESS', date, tillCode, 'TXN0001'];
    const statusInput = status.hashInput
      .replace(' (byte order)', '')
      .replaceAll('..', () => values.shift() ?? '');
    const statusPlain = {
      Tillcode: tillCode,
      TransactionId: 'TXN0001',
      State: 'SUCCESS',
      TNDDate: date,
      Signiture: sha256(statusInput),
    };
    expect(Object.keys(statusPlain)).toEqual(Object.keys(status.plain));
    const statusText = sealed(secret, JSON.stringify(statusPlain));
    expect(await statusReport(settings, seal, statusText)).toEqual(report);
  });
});

describe('cryptography, against OpenSSL', () => {
  test('triple DES with thousands of random keys, all lengths', () => {
    for (let round = 0; round < 3_000; round += 1) {
      const [key, plain] = [randomBytes(16), randomBytes(round % 67)];
      const expected = sealedByKey(key, plain);
      const cipher = tripleDes(key);
      expect(expected.equals(cipher.encrypt(plain))).toBe(true);
      const decrypted = cipher.decrypt(expected);
      expect(decrypted !== null && plain.equals(decrypted)).toBe(true);
    }
  });

  test('triple DES of a long text', () => {
    const [key, plain] = [randomBytes(16), randomBytes(20_000)];
    expect(sealedByKey(key, plain).equals(tripleDes(key).encrypt(plain))).toBe(true);
  });

  test('rejects incomplete blocks and missing padding', () => {
    const cipher = tripleDes(randomBytes(16));
    const text = cipher.encrypt(utf8('sixteen letters!'));
    expect(cipher.decrypt(new Uint8Array())).toBeNull();
    expect(cipher.decrypt(text.subarray(0, 23))).toBeNull();
    // The last block is only padding; without it, the text does not end in padding.
    expect(cipher.decrypt(text.subarray(0, 16))).toBeNull();
    expect(cipher.decrypt(text)).toEqual(utf8('sixteen letters!'));
  });

  test('texts and secrets in any script', async () => {
    for (const text of ['', 'ሰላም 👋\n', 'x'.repeat(LONGEST)]) {
      for (const key of ['a', 'ምስጢር', 'k'.repeat(200)]) {
        const own = await sealOf(key);
        expect(opened(key, own.seal(text))).toBe(text);
        expect(own.open(sealed(key, text))).toBe(text);
      }
    }
  });

  test('decrypts no message of more than 1,024 characters', () => {
    const longer = seal.seal('x'.repeat(LONGEST + 1));
    expect([seal.seal('x'.repeat(LONGEST)).length, longer.length]).toEqual([1_024, 1_036]);
    expect(seal.open(longer)).toBeNull();
  });

  test.each(['', '====', 'no base64 €', 'AAAA'])('does not decrypt %j', (text) => {
    expect(seal.open(text)).toBeNull();
  });
});

describe('amounts', () => {
  test.each([
    [1, '0.01'],
    [10, '0.1'],
    [100, '1'],
    [50_000, '500'],
    [50_050, '500.5'],
    [50_005, '500.05'],
    [150_099, '1500.99'],
    [99_999_999_999, '999999999.99'],
    [100_000_000_000, '1000000000'],
  ])('%i is %s', (amountMinor, text) => {
    expect(plainAmount(amountMinor)).toBe(text);
  });

  test('prints every amount as any number type would, without loss', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999_999 }), (amountMinor) => {
        const text = plainAmount(amountMinor);
        expect(String(Number(text))).toBe(text);
        expect(minorFromMajor(Number(text))).toBe(amountMinor);
      }),
    );
  });
});
