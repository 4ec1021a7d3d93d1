import { describe, expect, test } from 'vitest';
import {
  base32FromBytes,
  bytesFromBase32,
  bytesFromBase64Url,
} from '../../../src/kit/crypto/encoding.ts';
import type { KeyRing, NamedKey } from '../../../src/kit/crypto/key-ring.ts';
import { type Link, linkId, signLink, verifyLinkId } from '../../../src/kit/crypto/link-token.ts';

/**
 * Goal: an order id that CBE carries through its systems leads to its payment, and only we can make
 * one (docs/promises.md#9). Its parser is exposed to the public, so it must be strict and fast.
 */

const key = (keyId: string, fill: number): NamedKey => ({
  keyId,
  base64: Buffer.alloc(32, fill).toString('base64'),
});
const OLD: KeyRing = [key('k1', 1)];
const NEW: KeyRing = [key('k2', 2)];
const BOTH: KeyRing = [NEW[0], OLD[0]];
const LINK: Link = { objectName: 'ab'.repeat(32), index: 3 };

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ID_LENGTH = 79;

describe('an order id', () => {
  test.each<[string, Link]>([
    ['of zeros', { objectName: '00'.repeat(32), index: 0 }],
    ['of ones', { objectName: 'ff'.repeat(32), index: 255 }],
    ['of an attempt', LINK],
    ['of the last of them', { ...LINK, index: 9 }],
  ])('%s has 79 letters and digits, and verifies to its link', async (_name, link) => {
    const id = await linkId(OLD, link);
    expect(id).toMatch(/^[A-Z2-7]{79}$/);
    expect(await verifyLinkId(OLD, id)).toEqual(link);
  });

  test('is stable, and differs for each attempt and payment', async () => {
    const links = [0, 1, 2].flatMap((index) => [
      { objectName: 'ab'.repeat(32), index },
      { objectName: 'ac'.repeat(32), index },
    ]);
    const ids = await Promise.all([...links, ...links].map((link) => linkId(OLD, link)));
    expect(new Set(ids)).toHaveLength(links.length);
  });

  test('is rejected with any changed character', async () => {
    const id = await linkId(OLD, LINK);
    for (let index = 0; index < ID_LENGTH; index += 1) {
      for (const letter of ALPHABET.replace(id.charAt(index), '')) {
        const changed = id.slice(0, index) + letter + id.slice(index + 1);
        expect(await verifyLinkId(OLD, changed), `${letter} at ${index}`).toBeNull();
      }
    }
  });

  test('is rejected with two swapped neighbors, unless they are equal', async () => {
    const id = await linkId(OLD, LINK);
    for (let index = 1; index < ID_LENGTH; index += 1) {
      const [one, other] = [id.charAt(index - 1), id.charAt(index)];
      const changed = `${id.slice(0, index - 1)}${other}${one}${id.slice(index + 1)}`;
      expect(await verifyLinkId(OLD, changed)).toEqual(one === other ? LINK : null);
    }
  });

  test.each<[string, (id: string) => string]>([
    ['none', () => ''],
    ['one character less', (id) => id.slice(0, -1)],
    ['one at the front less', (id) => id.slice(1)],
    ['one character more', (id) => `${id}A`],
    ['a byte more', (id) => `${id.slice(0, -1)}AAA`],
    ['twice', (id) => id + id],
    ['small letters', (id) => id.toLowerCase()],
    ['one small letter', (id) => id.slice(0, -1) + id.slice(-1).toLowerCase()],
    ['padding', (id) => `${id}=`],
    ['a space round it', (id) => ` ${id}`],
    ['a line break behind it', (id) => `${id}\n`],
    ['digits that base32 has not', (id) => `018${id.slice(3)}`],
    ['a letter that only looks like one', (id) => `А${id.slice(1)}`],
    ['a character of two halves', (id) => `😀${id.slice(2)}`],
    ['a null character', (id) => `\0${id.slice(1)}`],
    ['the token of a URL', (id) => `k1.${id}`],
  ])('is rejected in another form: %s', async (_name, change) => {
    expect(await verifyLinkId(OLD, change(await linkId(OLD, LINK)))).toBeNull();
  });
});

describe('keys', () => {
  test('decisions.md#32: the newest key makes ids, older ones still verify', async () => {
    const before = await linkId(OLD, LINK);
    const after = await linkId(BOTH, LINK);
    expect(after).toBe(await linkId(NEW, LINK));
    expect(after).not.toBe(before);
    for (const id of [before, after]) {
      expect(await verifyLinkId(BOTH, id)).toEqual(LINK);
    }
    expect(await verifyLinkId(NEW, before)).toBeNull();
    expect(await verifyLinkId(OLD, after)).toBeNull();
    expect(await verifyLinkId([], before)).toBeNull();
  });

  test('another key with the same id rejects the link', async () => {
    expect(await verifyLinkId([key('k1', 3)], await linkId(OLD, LINK))).toBeNull();
  });

  test.each(['checkout', 'attempt'] as const)(
    'a MAC of a %s link makes no order id, at any length',
    async (purpose) => {
      const token = await signLink(OLD, purpose, LINK);
      const bytes = bytesFromBase64Url(token.slice('k1.'.length));
      if (bytes === null) {
        throw new Error('no token');
      }
      for (const length of [49, bytes.length]) {
        expect(await verifyLinkId(OLD, base32FromBytes(bytes.subarray(0, length)))).toBeNull();
      }
      expect(await verifyLinkId(OLD, token)).toBeNull();
    },
  );
});

describe('base32', () => {
  // RFC 4648, section 10, without padding.
  const VECTORS = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const;

  test.each(VECTORS)('%j is %j', (text, base32) => {
    expect(base32FromBytes(Buffer.from(text))).toBe(base32);
    expect(bytesFromBase32(base32)).toEqual(new Uint8Array(Buffer.from(text)));
  });

  test('encodes and decodes every byte, and every length up to a hundred', () => {
    for (let length = 0; length <= 100; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length * 11) % 256);
      const text = base32FromBytes(bytes);
      expect(text).toHaveLength(Math.ceil((length * 8) / 5));
      expect(bytesFromBase32(text)).toEqual(bytes);
    }
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    expect(bytesFromBase32(base32FromBytes(all))).toEqual(all);
  });

  test.each([
    // Leftover bits: two texts must not decode to the same bytes.
    ['MZ', 'bits left over'],
    ['MZXR', 'bits left over'],
    ['MZXW7', 'bits left over'],
    ['MZXW6YR', 'bits left over'],
    // Lengths that whole bytes never have.
    ['A', 'a length of 1'],
    ['MZX', 'a length of 3'],
    ['MZXW6Y', 'a length of 6'],
    ['MY======', 'padding'],
    ['my', 'small letters'],
    ['M1', 'a digit of another alphabet'],
    ['M Y', 'a space'],
    ['M-Y', 'a hyphen'],
    ['ＭＹ', 'wide letters'],
  ])('rejects %j: %s', (text) => {
    expect(bytesFromBase32(text)).toBeNull();
  });

  test('accepts only lengths of whole bytes', () => {
    const lengths = [0, 2, 4, 5, 7, 8, 10];
    for (let length = 0; length <= 10; length += 1) {
      expect(bytesFromBase32('A'.repeat(length)) !== null).toBe(lengths.includes(length));
    }
  });
});

test('hostile input takes only linear time', async () => {
  const many = 1_000_000;
  const inputs = ['A', '=', '7', 'A7', '😀', '\0', 'a'].map((text) => text.repeat(many));
  for (const input of [...inputs, `${'A'.repeat(many)}!`]) {
    expect(await verifyLinkId(BOTH, input)).toBeNull();
  }
  // Quadratic work on a million characters would take minutes.
});
