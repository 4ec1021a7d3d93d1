import { createHash, createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyRing } from '../../../src/engine/config.ts';
import {
  API_KEY_LENGTH,
  apiKeyDigest,
  apiKeyHint,
  generateApiKey,
  genuineApiKeyDigest,
  isGenuineApiKey,
} from '../../../src/engine/merchants/api-key.ts';
import type { KeyRing } from '../../../src/kit/crypto/key-ring.ts';
import type { Environment } from '../../../src/kit/tenant.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const RING = keyRing('test', `old:${OLD.toString('base64')}`);
const ROTATED = keyRing('test', `new:${NEW.toString('base64')},old:${OLD.toString('base64')}`);
const WITHOUT_OLD = keyRing('test', `new:${NEW.toString('base64')}`);

const environments = fc.constantFrom<Environment[]>('sandbox', 'production');
const randomBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyCharacters = fc.constantFrom(...BASE62, '_', '-');
/** Each run computes MACs, which takes longer than a comparison. */
const RUNS = { numRuns: 500 };

function isGenuine(text: string, ring: KeyRing = RING): Promise<boolean> {
  return isGenuineApiKey(ring, text);
}

function numberOf(digits: string): bigint {
  return [...digits].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n);
}

describe('decisions.md#9: API keys', () => {
  test('name their environment', async () => {
    expect(await generateApiKey(RING, 'sandbox')).toMatch(/^kfl_test_[0-9A-Za-z]{49}$/);
    expect(await generateApiKey(RING, 'production')).toMatch(/^kfl_live_[0-9A-Za-z]{49}$/);
  });

  test('are genuine as they were made', async () => {
    await fc.assert(
      fc.asyncProperty(environments, randomBytes, async (environment, bytes) => {
        const key = await generateApiKey(RING, environment, bytes);
        expect([key.length, await isGenuine(key)]).toEqual([API_KEY_LENGTH, true]);
      }),
      RUNS,
    );
  });

  test('preserve all 256 bits', async () => {
    await fc.assert(
      fc.asyncProperty(randomBytes, async (bytes) => {
        const number = numberOf((await generateApiKey(RING, 'sandbox', bytes)).slice(9, 52));
        expect(number.toString(16).padStart(64, '0')).toBe(Buffer.from(bytes).toString('hex'));
      }),
      RUNS,
    );
  });

  test('end with the MAC of everything before it, as Node computes it', async () => {
    const derived = hkdfSync('sha256', OLD, '', 'kefel/api-key-checksum', 32);
    await fc.assert(
      fc.asyncProperty(environments, randomBytes, async (environment, bytes) => {
        const key = await generateApiKey(RING, environment, bytes);
        const mac = createHmac('sha256', Buffer.from(derived)).update(key.slice(0, 52));
        const number = BigInt(`0x${mac.digest('hex')}`) % 62n ** 6n;
        expect(numberOf(key.slice(52))).toBe(number);
      }),
      RUNS,
    );
  });

  test('never repeat', async () => {
    const keys = Array.from({ length: 1000 }, () => generateApiKey(RING, 'sandbox'));
    expect(new Set(await Promise.all(keys)).size).toBe(1000);
  });

  test('keep their format: this key must always be genuine', async () => {
    const key = await generateApiKey(
      RING,
      'sandbox',
      Uint8Array.from({ length: 32 }, (_, index) => index),
    );
    expect(key).toBe('kfl_test_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlfjCEoPF');
    expect(apiKeyHint(key)).toBe(key.slice(-4));
  });

  test('require exactly 32 bytes', async () => {
    await expect(generateApiKey(RING, 'sandbox', new Uint8Array(31))).rejects.toThrow(RangeError);
  });

  test('stay genuine while a newer key makes new ones, and until their key leaves the ring', async () => {
    const before = await generateApiKey(RING, 'production');
    const after = await generateApiKey(ROTATED, 'production');
    expect([await isGenuine(before, ROTATED), await isGenuine(after, ROTATED)]).toEqual([
      true,
      true,
    ]);
    expect([await isGenuine(before, WITHOUT_OLD), await isGenuine(after, RING)]).toEqual([
      false,
      false,
    ]);
  });

  test('are rejected after any single changed character', async () => {
    const key = await generateApiKey(RING, 'sandbox');
    await fc.assert(
      fc.asyncProperty(fc.nat(API_KEY_LENGTH - 1), keyCharacters, async (index, character) => {
        fc.pre(key[index] !== character);
        expect(await isGenuine(key.slice(0, index) + character + key.slice(index + 1))).toBe(false);
      }),
      RUNS,
    );
  });

  test('cannot be turned into a key of the other environment', async () => {
    const key = await generateApiKey(RING, 'sandbox');
    expect(await isGenuine(`kfl_live_${key.slice(9)}`)).toBe(false);
  });

  test('reject every other text', async () => {
    const key = await generateApiKey(RING, 'sandbox');
    const others = ['', ' ', 'kfl_test_', ` ${key}`, `${key} `, `${key}\n`, key.toUpperCase()];
    const hostile = `kfl_test_${'a'.repeat(1_000_000)}`;
    for (const text of [...others, key.slice(0, -1), `${key}0`, key + key, hostile]) {
      expect(await isGenuine(text), text.slice(0, 100)).toBe(false);
    }
  });

  test('are stored as their SHA-256', async () => {
    const key = await generateApiKey(RING, 'production');
    expect(await apiKeyDigest(key)).toBe(createHash('sha256').update(key).digest('hex'));
  });

  test('have the same digest each time; an invented one has none, also after many tries', async () => {
    const key = await generateApiKey(RING, 'sandbox');
    const other = await generateApiKey(RING, 'sandbox');
    const invented = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    for (let times = 0; times < 3; times += 1) {
      for (const genuine of [key, other]) {
        const digest = await genuineApiKeyDigest(RING, genuine, times);
        expect(digest).toBe(createHash('sha256').update(genuine).digest('hex'));
      }
      expect(await genuineApiKeyDigest(RING, invented, times)).toBeNull();
    }
  });
});
