import type { TimeRange } from '../../paging.ts';
import { businessDay, businessDayStartMs } from '../../read-model/totals.ts';
import { dayFrom, dayText } from '../payments/filter.ts';

/** Days of a form, as Addis Ababa counts them; both belong to the range. Pure. */
export interface DaysForm {
  /** As typed. */
  readonly from: string;
  readonly to: string;
  readonly problem: { readonly field: 'from' | 'to'; readonly kind: DaysProblem } | null;
  /** Nothing while there is a problem. */
  readonly range: TimeRange;
}

export type DaysProblem = 'badDate' | 'datesReversed';

/** Reads two days that may be missing: then the range is open on that side. */
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
  const range = {
    fromMs: fromDay === null ? undefined : businessDayStartMs(fromDay),
    toMs: toDay === null ? undefined : businessDayStartMs(toDay + 1),
  };
  return { from, to, problem: null, range };
}

/** The day of `atMs`, as date fields write it. */
export function dateOf(atMs: number): string {
  return dayText(businessDay(atMs));
}
