import { expect, test } from 'vitest';
import { keyRing } from '../../../src/engine/config.ts';
import type { KeyRing } from '../../../src/kit/crypto/key-ring.ts';
import { signText, type TextPurpose, verifyText } from '../../../src/kit/crypto/signed-bytes.ts';

/**
 * Goal: text verifies only exactly as we signed it, for its purpose, while its key is in the ring.
 * Method: sign, then verify the original and variants with one change.
 */

const [OLD, NEW, OTHER] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const BEFORE = keyRing('test', `a:${OLD}`);
const DURING = keyRing('test', `b:${NEW},a:${OLD}`);
const AFTER = keyRing('test', `b:${NEW}`);

test.each<[string, KeyRing, KeyRing, string | null]>([
  ['the same ring', BEFORE, BEFORE, 'text.1'],
  ['a ring with a newer key', BEFORE, DURING, 'text.1'],
  ['a ring without the old key', DURING, AFTER, 'text.1'],
  ['a ring without its key', BEFORE, AFTER, null],
  ['another key with the same id', BEFORE, keyRing('test', `a:${OTHER}`), null],
])('signed text and %s', async (_name, signer, verifier, text) => {
  const signed = await signText(signer, 'challenge/join', 'text.1');
  expect(await verifyText(verifier, 'challenge/join', signed)).toBe(text);
});

test.each<[string, TextPurpose, (signed: string) => string]>([
  ['another purpose', 'challenge/sign-in', (signed) => signed],
  ['another text', 'challenge/join', (signed) => signed.replace('a.d', 'a.e')],
  ['extra characters', 'challenge/join', (signed) => `${signed}AAAA`],
  ['an empty signature', 'challenge/join', () => 'a.'],
  ['no key', 'challenge/join', (signed) => signed.slice(2)],
  ['padded base64url', 'challenge/join', (signed) => `${signed}=`],
  ['an empty text', 'challenge/join', () => ''],
])('rejects %s', async (_name, purpose, change) => {
  const signed = await signText(BEFORE, 'challenge/join', 'text.1');
  expect(await verifyText(BEFORE, purpose, change(signed))).toBeNull();
});
