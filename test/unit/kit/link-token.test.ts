import { expect, test } from 'vitest';
import type { NamedKey } from '../../../src/kit/crypto/key-ring.ts';
import { signLink, verifyLink } from '../../../src/kit/crypto/link-token.ts';

const key = (keyId: string, fill: number): NamedKey => ({
  keyId,
  base64: Buffer.alloc(32, fill).toString('base64'),
});
const OLD = key('k1', 1);
const NEW = key('k2', 2);
const LINK = { objectName: 'ab'.repeat(32), index: 3 };

test('a signed link verifies to what it names (promises.md#8)', async () => {
  expect(await verifyLink([OLD], 'checkout', await signLink([OLD], 'checkout', LINK))).toEqual(
    LINK,
  );
});

test('decisions.md#32: the newest key signs, older ones still verify', async () => {
  const before = await signLink([OLD], 'checkout', LINK);
  const after = await signLink([NEW, OLD], 'checkout', LINK);
  expect(after.startsWith('k2.')).toBe(true);
  expect(await verifyLink([NEW, OLD], 'checkout', before)).toEqual(LINK);
  expect(await verifyLink([NEW], 'checkout', before)).toBeNull();
});

test('a link of one purpose does not verify for the other', async () => {
  expect(await verifyLink([OLD], 'attempt', await signLink([OLD], 'checkout', LINK))).toBeNull();
});

test('rejects a link with any changed character', async () => {
  const token = await signLink([OLD], 'checkout', LINK);
  for (let index = 0; index < token.length; index += 1) {
    const changed =
      token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
    expect(await verifyLink([OLD], 'checkout', changed), `character ${index}`).toBeNull();
  }
});

test.each([
  '',
  '.',
  'k1.',
  'k1',
  'k1.%%%',
  'k1.AAAA',
  '.AAAA',
  'x'.repeat(60_000),
  `k1.${'A'.repeat(60_000)}`,
])('rejects %.20s', async (token) => {
  expect(await verifyLink([OLD], 'checkout', token)).toBeNull();
});
