import { expect, test } from 'vitest';
import { phoneText } from '../../src/domain/phone.ts';

test.each([
  ['251911234567', '+251 91 123 4567'],
  ['911234567', '+251 91 123 4567'],
  ['0711 22 33 44', '+251 71 122 3344'],
  ['12345', '12345'],
  ['', ''],
])('a page shows the phone %j as %j', (phone, text) => {
  expect(phoneText(phone)).toBe(text);
});
