import { businessDay } from '../../../src/kit/ethiopian-time.ts';
import type { DashboardCall } from '../call.ts';
import { type DaysForm, dayFrom, daysIn } from '../days.ts';
import { type FigureDays, figureDays } from './figures.ts';

export const DAY_NAMES = { from: 'since', to: 'until' } as const;

export interface OverviewRange {
  readonly form: DaysForm;
  /** Null when the form is wrong or its range too long. */
  readonly days: FigureDays | null;
}

/** The days in the overview's address. */
export function readRange({ url, nowMs }: DashboardCall): OverviewRange {
  const form = daysIn(url.searchParams, DAY_NAMES);
  const days =
    form.problem === null
      ? figureDays(dayFrom(form.from), dayFrom(form.to), businessDay(nowMs))
      : null;
  return { form, days };
}
