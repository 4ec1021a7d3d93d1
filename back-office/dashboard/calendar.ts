import type { CalendarDate } from '../../src/kit/i18n/time-text.ts';

/** The Ethiopian calendar. Days are counted from 1970, like `businessDay`. Pure. */

/** 1 Meskerem of year 1, by the era of Amete Mihret: 27 August 8 in our calendar. */
const FIRST_DAY = -716_367;
const DAYS_OF_MONTH = 30;
const DAYS_OF_YEAR = 365;
/** Three years of 365 days and one of 366, the third of them. */
const DAYS_OF_CYCLE = 4 * DAYS_OF_YEAR + 1;

/** The day as the Ethiopian calendar writes it. The 13th month has 5 or 6 days. */
export function ethiopianDate(day: number): CalendarDate {
  const year = Math.floor((4 * (day - FIRST_DAY) + DAYS_OF_CYCLE + 2) / DAYS_OF_CYCLE);
  const inYear = day - firstDayOf(year);
  return {
    year,
    month: Math.floor(inYear / DAYS_OF_MONTH) + 1,
    day: (inYear % DAYS_OF_MONTH) + 1,
  };
}

/** The day of a date in the Ethiopian calendar, or null when there is no such date. */
export function dayOfEthiopianDate({ year, month, day }: CalendarDate): number | null {
  const found = firstDayOf(year) + (month - 1) * DAYS_OF_MONTH + day - 1;
  const read = ethiopianDate(found);
  return read.year === year && read.month === month && read.day === day ? found : null;
}

function firstDayOf(year: number): number {
  return FIRST_DAY + DAYS_OF_YEAR * (year - 1) + Math.floor(year / 4);
}
