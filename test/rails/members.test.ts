import { describe, expect, test } from 'vitest';
import {
  codesOf,
  formFields,
  integerOf,
  isAbsentOr,
  jsonObject,
  minorOf,
  textOf,
} from '../../src/engine/rails/members.ts';
import { digitsOf, ethiopianDigits, ethiopianTimestamp } from '../../src/kit/ethiopian-time.ts';

/** Goal: every rail reads and writes the same forms alike, and nothing else counts as one of them. */

describe('what providers send', () => {
  test.each([
    [1500, 150_000],
    [100.79, 10_079],
    [0.1, 10],
    [999_999_999.99, 99_999_999_999],
    ['1500', 150_000],
    ['0.07', 7],
    ['1.5', 150],
    ['10.0', 1_000],
    ['1260.1000', 126_010],
    ['100.790000', 10_079],
  ])('the amount %j is %i minor units', (value, amountMinor) => {
    expect(minorOf(value)).toBe(amountMinor);
  });

  const NO_AMOUNTS = [1.005, -1, Number.NaN, 1e21, '1.005', '10.505', '-1', '+1', '1e3', '0x10'];
  test.each([...NO_AMOUNTS, ' 1', '1.', '.5', '', '1'.repeat(13), null, undefined, {}, true])(
    '%j is no amount',
    (value) => {
      expect(minorOf(value)).toBeNull();
    },
  );

  test.each([
    ['{"a":1}', { a: 1 }],
    ['{"a":{"b":1},"b":2}', { a: { b: 1 }, b: 2 }],
    ['{"a":1,"a":1}', null],
    ['{"a":1,"\\u0061":2}', null],
    ['{"a":{"b":1,"b":2}}', null],
    ['{"a":[{"b":1},{"b":1,"b":2}]}', null],
    ['[1]', null],
    ['{"a":', null],
  ])('the object %s is %j', (text, members) => {
    expect(jsonObject(text)).toEqual(members);
  });

  test('a form names each field once', () => {
    expect(formFields('a=1&b=2+3')).toEqual({ a: '1', b: '2 3' });
    expect(formFields('a=1&b=2&a=1')).toBeNull();
  });

  test('integers are numbers or digits', () => {
    expect([2, '2', '-2007', '230'].map(integerOf)).toEqual([2, 2, -2_007, 230]);
    const wrong = [2.5, '2.0', '', ' 2', '0x2', null, undefined, [2], true, '9'.repeat(16)];
    expect(wrong.map(integerOf)).toEqual(wrong.map(() => null));
  });

  test('ids and states are short', () => {
    expect([textOf('a'), textOf('a'.repeat(200))]).toEqual(['a', 'a'.repeat(200)]);
    expect(['', 7, null, 'a'.repeat(201)].map((value) => textOf(value))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(textOf('abc', 2)).toBeNull();
  });

  test('each code appears once, as text or as a number', () => {
    expect(codesOf('2001', 2001, null, 'APPROVED', undefined, {})).toBe('2001 APPROVED');
    expect(codesOf(null, [])).toBeNull();
  });

  test('a member may be missing but not another', () => {
    const given = [undefined, null, 'a', 7, '', 'b', {}, []];
    expect(given.map((value) => isAbsentOr(value, 'a'))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(isAbsentOr(7, '7')).toBe(true);
  });
});

test('times are Ethiopia’s, without daylight saving', () => {
  expect(ethiopianDigits(Date.UTC(2024, 8, 18, 2, 58, 23, 999))).toBe('20240918055823');
  expect(ethiopianDigits(Date.UTC(2026, 11, 31, 21, 0, 0))).toBe('20270101000000');
  expect(ethiopianDigits(Date.UTC(2026, 5, 1, 9, 0, 0))).toBe('20260601120000');
  expect(ethiopianTimestamp(Date.UTC(2026, 11, 31, 21, 0, 5))).toBe('2027-01-01 00:00:05');
  expect(digitsOf(Date.UTC(2026, 5, 1, 9, 0, 0))).toBe('20260601090000');
});
