import { describe, expect, test } from 'vitest';
import { dayFrom } from '../../../back-office/dashboard/days.ts';
import {
  hasProblems,
  queryOf,
  readFilter,
} from '../../../back-office/dashboard/payments/filter.ts';
import { dayText } from '../../../src/kit/ethiopian-time.ts';

/**
 * Goal: each filter does what its field says or is rejected with a reason; none is silently ignored.
 * Method: addresses as browsers and people write them.
 */

function read(query: string) {
  return readFilter(new URLSearchParams(query));
}

describe('a valid field', () => {
  test.each([
    ['', {}],
    [
      'status=succeeded&method=CBE&currency=USD',
      { status: 'succeeded', method: 'CBE', currency: 'USD' },
    ],
    // A day begins at midnight in Addis Ababa, which is 21:00 the day before in UTC.
    ['since=2026-11-21', { createdFromMs: Date.UTC(2026, 10, 20, 21) }],
    ['until=2026-11-21', { createdToMs: Date.UTC(2026, 10, 21, 21) }],
    [
      'since=2026-11-21&until=2026-11-21',
      {
        createdFromMs: Date.UTC(2026, 10, 20, 21),
        createdToMs: Date.UTC(2026, 10, 21, 21),
      },
    ],
    ['min=1.15', { amountMinorMin: 115 }],
    ['min=%201%2C234.5%20', { amountMinorMin: 123_450 }],
    ['max=999999999.99', { amountMinorMax: 99_999_999_999 }],
    ['min=7&max=7.00', { amountMinorMin: 700, amountMinorMax: 700 }],
    ['min=0', { amountMinorMin: 0 }],
    ['refunds=open', { refunds: 'open' }],
  ])('%s', (query, filter) => {
    const form = read(query);
    expect(hasProblems(form)).toBe(false);
    expect(JSON.parse(JSON.stringify(form.filter))).toEqual(filter);
  });
});

describe('an invalid field', () => {
  test.each([
    ['status=paid', { status: 'unknown_choice' }],
    ['status=toString', { status: 'unknown_choice' }],
    ['method=tele_birr', { method: 'unknown_choice' }],
    ['currency=EUR', { currency: 'unknown_choice' }],
    ['refunds=all', { refunds: 'unknown_choice' }],
    ['since=yesterday', { since: 'bad_date' }],
    ['since=2026-02-30', { since: 'bad_date' }],
    ['until=2026-13-01', { until: 'bad_date' }],
    ['until=2026-1-1', { until: 'bad_date' }],
    ['since=2026-02-02&until=2026-02-01', { until: 'dates_reversed' }],
    ['min=-1', { min: 'bad_amount' }],
    ['min=1.005', { min: 'bad_amount' }],
    ['min=1e3', { min: 'bad_amount' }],
    ['max=1000000000', { max: 'bad_amount' }],
    ['max=12,34', { max: 'bad_amount' }],
    ['max=ten', { max: 'bad_amount' }],
    ['min=8&max=7.99', { max: 'amounts_reversed' }],
    ['status=x&since=x&min=x', { status: 'unknown_choice', since: 'bad_date', min: 'bad_amount' }],
  ])('%s', (query, problems) => {
    expect(read(query).problems).toEqual(problems);
  });
});

test('keeps the filters in links, without empty or unknown ones', () => {
  const form = read('status=failed&method=&min=1&search=251911234567&cursor=x');
  expect(queryOf(form, { cursor: 'abc' })).toBe('status=failed&min=1&cursor=abc');
});

test('reads back every day that it writes', () => {
  for (let day = 0; day < 40_000; day += 7) {
    expect(dayFrom(dayText(day))).toBe(day);
  }
});
