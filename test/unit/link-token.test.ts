import { expect, test } from 'vitest';
import type { NamedKey } from '../../src/config.ts';
import { signLink, verifyLink } from '../../src/crypto/link-token.ts';

const key = (keyId: string, fill: number): NamedKey => ({
  keyId,
  base64: Buffer.alloc(32, fill).toString('base64'),
});
const OLD = key('k1', 1);
const NEW = key('k2', 2);
const LINK = { objectId: 'ab'.repeat(32), attemptIndex: 3 };

test('a link comes back as it was signed (promises.md#8)', async () => {
  expect(await verifyLink([OLD], 'checkout', await signLink([OLD], 'checkout', LINK))).toEqual(
    LINK,
  );
});

test('decisions.md#32: the newest key signs, older ones go on verifying', async () => {
  const before = await signLink([OLD], 'checkout', LINK);
  const after = await signLink([NEW, OLD], 'checkout', LINK);
  expect(after.startsWith('k2.')).toBe(true);
  expect(await verifyLink([NEW, OLD], 'checkout', before)).toEqual(LINK);
  expect(await verifyLink([NEW], 'checkout', before)).toBeNull();
});

test('a link of one purpose is none of the other', async () => {
  expect(await verifyLink([OLD], 'attempt', await signLink([OLD], 'checkout', LINK))).toBeNull();
});

test('any changed character makes it nobody’s link', async () => {
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
])('no link: %.20s', async (token) => {
  expect(await verifyLink([OLD], 'checkout', token)).toBeNull();
});
