import { expect, test } from 'vitest';
import { mayBeSameOrder, otherTriesOf } from '../../../src/lists/book/try-counter.ts';

/**
 * Goal: ids that a shop plugin makes for the tries of one order match, and ids of two orders never do.
 * Method: pairs of ids, in both orders. The book must also look where the rule matches.
 */

function results(one: string, other: string): readonly boolean[] {
  const isLookedFor = (id: string, wanted: string) => {
    const { ids = [], beginnings = [] } = otherTriesOf(id) ?? {};
    return ids.includes(wanted) || beginnings.some((beginning) => wanted.startsWith(beginning));
  };
  const isMatch = mayBeSameOrder(one, other);
  return [
    isMatch,
    mayBeSameOrder(other, one),
    isMatch && isLookedFor(one, other),
    isMatch && isLookedFor(other, one),
  ];
}

test.each([
  ['1042_1', '1042_2'],
  ['1042_9', '1042_10'],
  ['1042_0', '1042_1'],
  ['1042_1', '1042_99'],
  ['WC-1042-1', 'WC-1042-2'],
  ['wc_order_1042_1', 'wc_order_1042_3'],
  ['order-7_1', 'order-7_2'],
  ['#1042/1', '#1042/2'],
  ['1042.1', '1042.2'],
  ['1042:1', '1042:2'],
  ['1042-try-1', '1042-try-2'],
  ['1042_retry1', '1042_retry2'],
  ['7-Attempt-1', '7-Attempt-2'],
  // A plugin that counts only from the second try on.
  ['1042', '1042_1'],
  ['1042', '1042-2'],
  ['WC-1042', 'WC-1042-1'],
  ['order-7', 'order-7_2'],
  // An order behind a year.
  ['INV-2026-1042-1', 'INV-2026-1042-2'],
  ['2026/001042_1', '2026/001042_2'],
])('%s and %s may be one order', (one, other) => {
  expect(results(one, other)).toEqual([true, true, true, true]);
});

test.each([
  ['the same id', '1042_1', '1042_1'],
  ['the same counter', '1042_1', '1042_01'],
  ['orders in a row', 'order-1041', 'order-1042'],
  ['orders in a row', '1041', '1042'],
  ['orders in a row', '10421', '10422'],
  ['young orders in a row', 'order-1', 'order-2'],
  ['young orders in a row', 'order_41', 'order_42'],
  ['orders of a branch', 'A1-41', 'A1-42'],
  ['orders of two branches', 'A1042_1', 'B1042_1'],
  ['tries of two orders', '1041_1', '1042_2'],
  ['tries of two orders', '1042_1', '10423_2'],
  ['a beginning', '104', '1042'],
  ['a beginning', '1042', '1042999'],
  ['other signs', '1042_1', '1042-2'],
  ['another case', 'WC-1042-1', 'wc-1042-2'],
  ['three digits', '1042_100', '1042_101'],
  ['three digits', '1042', '1042_101'],
  ['timestamps', '1042_1795235233', '1042_1795235299'],
  ['a timestamp', '1042', '1042_1795235233'],
  ['random ends', '1042_a1', '1042_b2'],
  ['letters at the end', '1042-A', '1042-B'],
  ['no number before', 'try-1', 'try-2'],
  ['days', '2026-11-28', '2026-11-29'],
  ['days', 'rent-2026-11-28', 'rent-2026-11-29'],
  ['days', 'rent_2026_11_28', 'rent_2026_11_29'],
  ['days of a month', '2026-11', '2026-11-28'],
  ['months', '2026-11', '2026-12'],
  ['months', 'rent/2026/11', 'rent/2026/12'],
  ['Ethiopian months', '2019-12', '2019-13'],
  ['years of two digits', '28-11-26', '28-11-27'],
  ['years of two digits', '26.11.28', '26.11.29'],
  ['invoices of a year', 'INV-2026-41', 'INV-2026-42'],
  ['invoices of a year', 'INV-2026-041', 'INV-2026-042'],
  ['invoices of a year', '1042/25', '1043/26'],
  ['invoices of a day', '20261128-1', '20261128-2'],
  ['invoices of a day', '2026-11-28_1', '2026-11-28_2'],
  ['invoices of a day', '28112026_1', '28112026_2'],
  ['invoices of a day', '261128-10', '261128-11'],
  ['invoices of a month', '202611_1', '202611_2'],
  ['times of a day', '20261128T10:30', '20261128T10:31'],
  ['seats', 'seat-12-3', 'seat-12-4'],
  ['seats', 'bus12-3', 'bus12-4'],
  ['seats', 'trip-1042-seat-3', 'trip-1042-seat-4'],
  ['rooms', '1042-room1', '1042-room2'],
  ['installments', '1042-part-1', '1042-part-2'],
  ['versions', '1.0.1', '1.0.2'],
  ['orders of a phone number', '0911234567-1', '0911234567-2'],
  ['orders of a phone number', '251911234567_1', '251911234567_2'],
  ['orders of a phone number', '911234567', '911234567_1'],
  ['parts of a try', '1042_1', '1042_1_2'],
  ['empty ids', '', ''],
  ['a counter alone', '_1', '_2'],
])('never %s: %s and %s', (_name, one, other) => {
  expect(results(one, other)).toEqual([false, false, false, false]);
});

test.each(['order', 'order-A', '0911234567', '2026-11-28', '20261128'])(
  'an id that can have no other try is not looked for: %s',
  (id) => {
    expect(otherTriesOf(id)).toBeNull();
  },
);

test('reads the longest hostile id at once', () => {
  for (const id of ['1_'.repeat(127), '_'.repeat(255), '1'.repeat(255), '1-try'.repeat(51)]) {
    expect(mayBeSameOrder(id, `${id}x`)).toBe(false);
  }
});
