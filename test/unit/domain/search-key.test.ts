import { describe, expect, test } from 'vitest';
import {
  digestOwner,
  digestSearchKey,
  emailFrom,
  idSearchKey,
  isFoundByDigest,
  isFoundByTime,
  metadataText,
  nameWords,
} from '../../../src/engine/domain/search-key.ts';

/** Goal: a search finds what people write differently, and stores no phone number in plain text. */

test.each<[string, readonly string[]]>([
  ['Abebe Kebede', ['abebe', 'kebede']],
  ['KEBEDE, abebe-BIKILA', ['kebede', 'abebe', 'bikila']],
  ['abebe Abebe', ['abebe']],
  ['A. Bo 7 B2', ['bo', 'b2']],
  ['ﬁkre', ['fikre']],
  ['José', ['josé']],
  ['द्वि', ['द्वि']],
  ['ሐመሑመሒመሓመሔመሕመሖመ', ['ሀመሁመሂመሀመሄመህመሆመ']],
  ['ኀመኁመኂመኃመኄመኅመኆመ', ['ሀመሁመሂመሀመሄመህመሆመ']],
  ['ሠሡሢሣሤሥሦ', ['ሰሱሲሳሴስሶ']],
  ['ዐዑዒዓዔዕዖ', ['አኡኢአኤእኦ']],
  ['ፀፁፂፃፄፅፆ', ['ጸጹጺጻጼጽጾ']],
  ['ሃኣ', ['ሀአ']],
  ['one two three four five six seven', ['one', 'two', 'three', 'four', 'five', 'six']],
  [`${' '.repeat(198)}abcd`, ['ab']],
  ['', []],
  ['-', []],
])('the words of the name %j are %j', (name, words) => {
  expect(nameWords(name)).toEqual(words);
});

test.each<[string, string | null]>([
  [' Hana@Example.com\n', 'hana@example.com'],
  ['hana@', null],
  ['@example.com', null],
  ['hana', null],
  ['hana b@example.com', null],
  ['b@example.com hana', null],
  [`${'h'.repeat(250)}@e.co`, `${'h'.repeat(250)}@e.co`],
  [`${'h'.repeat(251)}@e.co`, null],
])('the e-mail address of %j is %j', (text, email) => {
  expect(emailFrom(text)).toBe(email);
});

test.each([
  ['order-911234567', true],
  ['X0711223344Y', true],
  ['91123456', false],
  ['811234567', false],
  ['9112-34567', false],
  ['x'.repeat(64), false],
  ['x'.repeat(65), true],
])('%j is found by its digest: %j', (id, isDigest) => {
  expect(isFoundByDigest(id)).toBe(isDigest);
});

test('every kind of key has a space of its own', () => {
  const kinds = ['id', 'phone', 'phoneEnd', 'email', 'name', 'metadata'] as const;
  const keys = [idSearchKey('x'), ...kinds.map((kind) => digestSearchKey(kind, 'x'))];
  expect(keys).toEqual([
    'id:x',
    'hashed-id:x',
    'phone:x',
    'phone-end:x',
    'email:x',
    'name:x',
    'meta:x',
  ]);
  expect(metadataText('cart', '7')).toBe('cart=7');
  expect(digestOwner({ environment: 'sandbox', merchantId: 'mer_1' })).toBe('sandbox/mer_1');
});

describe('a key that a search finds by the time in it', () => {
  const CREATED_AT_MS = 0x6b031f90 * 1000;
  const REFERENCE = '6B031F908QX4T0B8ZC3V';

  test.each([
    [`id:${REFERENCE}`, CREATED_AT_MS, true],
    [`id:${REFERENCE}`, CREATED_AT_MS + 999, true],
    [`id:${REFERENCE}`, CREATED_AT_MS + 1_000, false],
    [`id:${REFERENCE}`, CREATED_AT_MS - 1, false],
    [`id:${REFERENCE.slice(0, -1)}`, CREATED_AT_MS, false],
    [`ID:${REFERENCE}`, CREATED_AT_MS, false],
    [`other:${REFERENCE}`, CREATED_AT_MS, false],
    [REFERENCE, CREATED_AT_MS, false],
    [`id:rail-session-0001abc`, CREATED_AT_MS, false],
  ])('%s of a payment created at %d: %s', (key, createdAtMs, expected) => {
    expect(isFoundByTime(key, createdAtMs)).toBe(expected);
  });
});
