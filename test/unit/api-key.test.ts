import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  API_KEY_LENGTH,
  apiKeyDigest,
  apiKeyFrom,
  apiKeyHint,
  generateApiKey,
  parseApiKey,
} from '../../src/merchants/api-key.ts';

const environments = fc.constantFrom('sandbox', 'production');
const randomBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const keys = fc.tuple(environments, randomBytes).map(([environment, bytes]) => ({
  environment,
  key: apiKeyFrom(environment, bytes),
}));
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyCharacters = fc.constantFrom(...BASE62, '_', '-');

describe('decisions.md#9: API keys', () => {
  it('name their environment', () => {
    expect(generateApiKey('sandbox')).toMatch(/^kfl_test_[0-9A-Za-z]{49}$/);
    expect(generateApiKey('production')).toMatch(/^kfl_live_[0-9A-Za-z]{49}$/);
    fc.assert(
      fc.property(keys, ({ environment, key }) => {
        expect(key).toHaveLength(API_KEY_LENGTH);
        expect(parseApiKey(key)).toEqual({ environment });
      }),
    );
  });

  it('preserve all 256 bits', () => {
    expect(apiKeyFrom('sandbox', new Uint8Array(32)).slice(9, 52)).toBe('0'.repeat(43));
    fc.assert(
      fc.property(randomBytes, (bytes) => {
        let number = 0n;
        for (const digit of apiKeyFrom('sandbox', bytes).slice(9, 52)) {
          number = number * 62n + BigInt(BASE62.indexOf(digit));
        }
        expect(number.toString(16).padStart(64, '0')).toBe(Buffer.from(bytes).toString('hex'));
      }),
    );
  });

  it('end with the CRC-32 of everything before it, as zlib computes it', () => {
    fc.assert(
      fc.property(keys, ({ key }) => {
        let number = 0;
        for (const digit of key.slice(52)) {
          number = number * 62 + BASE62.indexOf(digit);
        }
        expect(number).toBe(crc32(key.slice(0, 52)));
      }),
    );
  });

  it('never repeat', () => {
    expect(new Set(Array.from({ length: 1000 }, () => generateApiKey('sandbox'))).size).toBe(1000);
  });

  it('keep their format: this key must always parse', () => {
    const key = apiKeyFrom(
      'sandbox',
      Uint8Array.from({ length: 32 }, (_, index) => index),
    );
    expect(key).toBe('kfl_test_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1aeRhX');
    expect(apiKeyHint(key)).toBe(key.slice(-4));
  });

  it('require exactly 32 bytes', () => {
    expect(() => apiKeyFrom('sandbox', new Uint8Array(31))).toThrow(RangeError);
  });

  it('are rejected after any single changed character, by their checksum', () => {
    fc.assert(
      fc.property(keys, fc.nat(API_KEY_LENGTH - 1), keyCharacters, ({ key }, index, character) => {
        fc.pre(key[index] !== character);
        expect(parseApiKey(key.slice(0, index) + character + key.slice(index + 1))).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  it('are rejected after two neighboring characters are swapped', () => {
    fc.assert(
      fc.property(keys, fc.nat(API_KEY_LENGTH - 2), ({ key }, index) => {
        const swapped = `${key[index + 1]}${key[index]}`;
        fc.pre(key.slice(index, index + 2) !== swapped);
        expect(parseApiKey(key.slice(0, index) + swapped + key.slice(index + 2))).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  it('cannot be turned into a key of the other environment', () => {
    fc.assert(
      fc.property(keys, ({ environment, key }) => {
        const other = environment === 'sandbox' ? 'kfl_live_' : 'kfl_test_';
        expect(parseApiKey(other + key.slice(9))).toBeNull();
      }),
    );
  });

  it('reject every other text', () => {
    const key = generateApiKey('sandbox');
    const others = ['', ' ', 'kfl_test_', ` ${key}`, `${key} `, `${key}\n`, key.toUpperCase()];
    const hostile = `kfl_test_${'a'.repeat(1_000_000)}`;
    for (const text of [...others, key.slice(0, -1), `${key}0`, key + key, hostile]) {
      expect(parseApiKey(text), text.slice(0, 100)).toBeNull();
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseApiKey(text) === null));
  });

  it('are stored as their SHA-256', async () => {
    const key = generateApiKey('production');
    expect(await apiKeyDigest(key)).toBe(createHash('sha256').update(key).digest('hex'));
  });
});
