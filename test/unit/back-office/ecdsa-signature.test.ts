import { createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseEcdsaSignature } from '../../../back-office/members/ecdsa-signature.ts';

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test.each([
  ['two numbers', '30 06 02 01 05 02 01 07', '05', '07'],
  ['a zero byte before a high bit', '30 08 02 02 00 80 02 02 00 ff', '0080', '00ff'],
])('reads %s', (_name, der, r, s) => {
  const signature = parseEcdsaSignature(bytesOf(der));
  expect([hexOf(signature.r), hexOf(signature.s)]).toEqual([r, s]);
});

test('reads a view that does not start with its memory', () => {
  const memory = bytesOf('ffff 30 06 02 01 05 02 01 07 ffff');
  const { r, s } = parseEcdsaSignature(memory.subarray(2, 10));
  expect([hexOf(r), hexOf(s)]).toEqual(['05', '07']);
});

test('reads what another implementation signs', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sign = () => createSign('sha256').update('data').sign(privateKey);
  for (const der of Array.from({ length: 50 }, sign)) {
    const { r, s } = parseEcdsaSignature(der);
    const numbers = `02${hexOf(Uint8Array.of(r.length))}${hexOf(r)}02${hexOf(Uint8Array.of(s.length))}${hexOf(s)}`;
    expect(hexOf(der)).toBe(`30${hexOf(Uint8Array.of(numbers.length / 2))}${numbers}`);
  }
});

describe('refuses', () => {
  test.each([
    ['nothing', ''],
    ['a tag alone', '30'],
    ['an empty sequence', '30 00'],
    ['another type', '31 06 02 01 05 02 01 07'],
    ['another type inside', '30 06 02 01 05 04 01 07'],
    ['one number', '30 03 02 01 05'],
    ['a third number', '30 09 02 01 05 02 01 07 02 01 09'],
    ['bytes after the signature', '30 06 02 01 05 02 01 07 00'],
    ['a sequence beyond the end', '30 07 02 01 05 02 01 07'],
    ['a number beyond the end', '30 06 02 01 05 02 02 07'],
    ['a number beyond its sequence', '30 05 02 01 05 02 01 07'],
    ['a number without bytes', '30 05 02 00 02 01 07'],
    ['a length of several bytes', '30 81 06 02 01 05 02 01 07'],
    ['a length without end', '30 80 02 01 05 02 01 07 00 00'],
  ])('%s', (_name, der) => {
    expect(() => parseEcdsaSignature(bytesOf(der))).toThrow();
  });
});
