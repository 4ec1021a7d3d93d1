import { describe, expect, test } from 'vitest';
import { dayOfEthiopianDate, ethiopianDate } from '../../../back-office/dashboard/calendar.ts';
import { presetDays } from '../../../back-office/dashboard/days.ts';
import { dayText } from '../../../src/kit/ethiopian-time.ts';

/** Goal: days are exact in both calendars. Method: Intl's own Ethiopian calendar as the reference. */

const REFERENCE = new Intl.DateTimeFormat('en-GB', {
  calendar: 'ethiopic',
  timeZone: 'UTC',
  day: 'numeric',
  month: 'numeric',
  year: 'numeric',
});

test('converts every day of 1920 to 2120 like Intl, and back', () => {
  for (let day = -18_000; day < 55_000; day += 1) {
    const parts = REFERENCE.formatToParts(day * 86_400_000);
    const numberOf = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const date = { day: numberOf('day'), month: numberOf('month'), year: numberOf('year') };
    expect(ethiopianDate(day)).toEqual(date);
    expect(dayOfEthiopianDate(date)).toBe(day);
  }
});

test.each([
  [{ year: 2018, month: 13, day: 6 }],
  [{ year: 2019, month: 14, day: 1 }],
  [{ year: 2019, month: 0, day: 1 }],
  [{ year: 2019, month: 1, day: 0 }],
  [{ year: 2019, month: 1, day: 31 }],
  [{ year: 2019, month: 1.5, day: 1 }],
])('finds no day for %j', (date) => {
  expect(dayOfEthiopianDate(date)).toBeNull();
});

test('knows the sixth day of Pagume in a leap year', () => {
  expect(dayText(dayOfEthiopianDate({ year: 2019, month: 13, day: 6 }) ?? 0)).toBe('2027-09-11');
});

describe('presets', () => {
  const today = Date.UTC(2026, 10, 21) / 86_400_000;
  test.each([
    ['today', 'gregorian', '2026-11-21', '2026-11-21'],
    ['yesterday', 'gregorian', '2026-11-20', '2026-11-20'],
    ['week', 'gregorian', '2026-11-15', '2026-11-21'],
    ['month', 'gregorian', '2026-10-23', '2026-11-21'],
    ['thisMonth', 'gregorian', '2026-11-01', '2026-11-21'],
    ['lastMonth', 'gregorian', '2026-10-01', '2026-10-31'],
    // 21 November is 12 Hidar.
    ['thisMonth', 'ethiopian', '2026-11-10', '2026-11-21'],
    ['lastMonth', 'ethiopian', '2026-10-11', '2026-11-09'],
  ] as const)('%s, %s', (preset, calendar, from, to) => {
    const { fromDay, toDay } = presetDays(preset, today, calendar);
    expect([dayText(fromDay), dayText(toDay)]).toEqual([from, to]);
  });
});
