import { expect, test } from 'vitest';
import {
  maskedPhone,
  phoneEndFrom,
  phoneEndText,
  phoneFrom,
  phoneText,
  withoutPhoneNumbers,
} from '../../../src/engine/domain/phone.ts';

test.each([
  ['251911234567', '+251 91 123 4567'],
  ['911234567', '+251 91 123 4567'],
  ['0711 22 33 44', '+251 71 122 3344'],
  ['12345', '12345'],
  ['', ''],
])('a page shows the phone %j as %j', (phone, text) => {
  expect(phoneText(phone)).toBe(text);
});

test('a masked phone shows four digits', () => {
  expect(maskedPhone('251911234567')).toBe('251*****4567');
});

test('a list shows the end of a phone', () => {
  expect(phoneEndText('251911234567')).toBe('…4567');
});

test.each([
  ['4567', '4567'],
  ['…4567', '4567'],
  ['****4567', '4567'],
  ['567', null],
  ['34567', null],
  ['A4567', null],
])('the search %j is for the end of a phone: %j', (typed, end) => {
  expect(phoneEndFrom(typed)).toBe(end);
});

test('reads at most 40 characters', () => {
  const spaced = '9 1 1 2 3 4 5 6 7';
  expect(phoneFrom(spaced.padStart(40))).toBe('251911234567');
  expect(phoneFrom(spaced.padStart(41))).toBeNull();
});

test.each([
  ['Called 0911 23 45 67 twice', 'Called … twice'],
  ['911234567', '…'],
  ['+251-911-234567, +251 (0) 711 223344', '…, …'],
  ['00251911234567', '…'],
  ['251 - 911234567', '…'],
  ['(0)911234567', '(…'],
  ['0 911234567', '…'],
  ['91 12 34 56', '91 12 34 56'],
  ['9112345678', '9112345678'],
  ['REF911234567', 'REF911234567'],
  ['911234567th', '911234567th'],
  ['9.11.2026 10:00', '9.11.2026 10:00'],
  ['811234567', '811234567'],
])('the text %j is stored as %j', (text, stored) => {
  expect(withoutPhoneNumbers(text)).toBe(stored);
});
