import { businessDay, businessDayStartMs, dayText } from '../../src/kit/ethiopian-time.ts';
import type { CalendarDate } from '../../src/kit/i18n/time-text.ts';
import type { TimeRange } from '../../src/kit/platform/paging.ts';
import { dayOfEthiopianDate, ethiopianDate } from './calendar.ts';

/** Days in forms and URLs, in Addis Ababa, numbered like `businessDay`. Pure. */

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The day of `2026-11-21`, or null when there is no such day. */
export function dayFrom(text: string): number | null {
  if (!DATE.test(text)) {
    return null;
  }
  const day = Date.parse(`${text}T00:00:00Z`) / DAY_MS;
  return Number.isInteger(day) && dayText(day) === text ? day : null;
}

/** The day of `atMs` in the format of date fields. */
export function dateOf(atMs: number): string {
  return dayText(businessDay(atMs));
}

/** The time range of the days, both included; null leaves that side open. */
export function rangeOf(fromDay: number | null, toDay: number | null): TimeRange {
  return {
    fromMs: fromDay === null ? undefined : businessDayStartMs(fromDay),
    toMs: toDay === null ? undefined : businessDayStartMs(toDay + 1),
  };
}

/** The calendars in which members choose days. URLs name days by the first. */
export const CALENDARS = ['gregorian', 'ethiopian'] as const;
export type Calendar = (typeof CALENDARS)[number];

/** The three fields of a day in the Ethiopian calendar; their names follow the day's own. */
export const DATE_PARTS = ['day', 'month', 'year'] as const;

const NUMBER = /^\d{1,4}$/;

/**
 * The day field of a form as text, `2026-11-21` unless mistyped. In the Ethiopian calendar a day is
 * chosen by three fields. A missing part, or a date that does not exist, gives a text that is not a
 * day.
 */
export function dayField(textOf: (name: string) => string, field: string): string {
  const [day = '', month = '', year = ''] = DATE_PARTS.map((part) => textOf(`${field}-${part}`));
  if (`${day}${month}${year}` === '') {
    return textOf(field);
  }
  const isWhole = [day, month, year].every((part) => NUMBER.test(part));
  const date = { day: Number(day), month: Number(month), year: Number(year) };
  const found = isWhole ? dayOfEthiopianDate(date) : null;
  return found === null ? `${year || '?'}/${month || '?'}/${day || '?'}` : dayText(found);
}

/** The ranges of days that one click chooses, both days included. */
export type Preset = 'today' | 'yesterday' | 'week' | 'month' | 'thisMonth' | 'lastMonth';

/** The presets' days. Months are those of the calendar. */
export function presetDays(
  preset: Preset,
  today: number,
  calendar: Calendar,
): { readonly fromDay: number; readonly toDay: number } {
  const firstOfMonth = (day: number) => day - dateIn(calendar, day).day + 1;
  const lastMonthEnd = firstOfMonth(today) - 1;
  switch (preset) {
    case 'today':
      return { fromDay: today, toDay: today };
    case 'yesterday':
      return { fromDay: today - 1, toDay: today - 1 };
    case 'week':
      return { fromDay: today - 6, toDay: today };
    case 'month':
      return { fromDay: today - 29, toDay: today };
    case 'thisMonth':
      return { fromDay: firstOfMonth(today), toDay: today };
    case 'lastMonth':
      return { fromDay: firstOfMonth(lastMonthEnd), toDay: lastMonthEnd };
  }
}

/** A day as the calendar writes it. */
export function dateIn(calendar: Calendar, day: number): CalendarDate {
  if (calendar === 'ethiopian') {
    return ethiopianDate(day);
  }
  const date = new Date(day * DAY_MS);
  return { day: date.getUTCDate(), month: date.getUTCMonth() + 1, year: date.getUTCFullYear() };
}

/** The two days of a form, both included in the range. */
export interface DaysForm {
  /** As typed. */
  readonly from: string;
  readonly to: string;
  readonly problem: { readonly field: 'from' | 'to'; readonly kind: DaysProblem } | null;
  /** Empty while there is a problem. */
  readonly range: TimeRange;
}

export type DaysProblem = 'badDate' | 'datesReversed';

/** The names of the two days in a query, which are also the ids of their fields. */
export type DayNames = Readonly<Record<'from' | 'to', string>>;

/** The two days in a query, as their form sends them. */
export function daysIn(query: URLSearchParams, names: DayNames): DaysForm {
  const textOf = (name: string) => query.get(name)?.trim() ?? '';
  return readDays(dayField(textOf, names.from), dayField(textOf, names.to));
}

/** Reads two days. A missing one leaves the range open on that side. */
export function readDays(from: string, to: string): DaysForm {
  const fromDay = dayFrom(from);
  const toDay = dayFrom(to);
  const refused = (field: 'from' | 'to', kind: DaysProblem): DaysForm => ({
    from,
    to,
    problem: { field, kind },
    range: { fromMs: 0, toMs: 0 },
  });
  if (from !== '' && fromDay === null) {
    return refused('from', 'badDate');
  }
  if (to !== '' && toDay === null) {
    return refused('to', 'badDate');
  }
  if (fromDay !== null && toDay !== null && fromDay > toDay) {
    return refused('to', 'datesReversed');
  }
  return { from, to, problem: null, range: rangeOf(fromDay, toDay) };
}
