import type { TimeRange } from '../paging.ts';
import { businessDay, businessDayStartMs } from '../read-model/totals.ts';

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

/** `2026-11-21`, the same in every language and the format of date fields. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
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
