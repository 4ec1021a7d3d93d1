import { hasEnded } from '../../../src/engine/domain/intent.ts';
import { METHODS, type Method } from '../../../src/engine/domain/method.ts';
import { CURRENCIES, type Currency } from '../../../src/kit/money.ts';
import { type PaidFigures, paidFigures, sum } from '../../../src/lists/book/proceeds.ts';
import type { AttemptTotal, DayTotal } from '../../../src/lists/book/rows.ts';

/** Payments of a range in numbers. Pure. Amounts are in minor units of one currency each. */

/** How many bars a single day gets, and how many days a form gets that names only the last one. */
export const TREND_DAYS = 30;
/** The longest range of totals: a year is enough to compare, and takes a book milliseconds. */
export const FIGURES_DAYS_MAX = 366;
/** A phone cannot show more bars apart; in a longer range a bar stands for several days. */
const BARS_MAX = 62;

export interface FigureDays {
  readonly fromDay: number;
  readonly toDay: number;
}

export interface Counts extends PaidFigures {
  /** Paid, failed, expired or canceled. */
  readonly ended: number;
  /** Paid of ended, in tenths of a percent; null when nothing has ended. */
  readonly completedTenths: number | null;
  readonly attempts: AttemptFigures;
}

/** A customer may try several times, by several methods, before a payment ends. */
export interface AttemptFigures {
  readonly succeeded: number;
  /** Succeeded, failed or expired. */
  readonly ended: number;
  /** Succeeded of ended, as above. */
  readonly rateTenths: number | null;
}

export interface MethodFigures extends Counts {
  /** Null when the customer chose none. */
  readonly method: Method | null;
}

/** One bar of volume, usually a day. Includes both days. */
export interface VolumeBar extends FigureDays, PaidFigures {}

export interface CurrencyFigures extends Counts {
  readonly currency: Currency;
  /** The used methods in the order of METHODS, then the payments without a method. */
  readonly methods: readonly MethodFigures[];
  /** Every day of the range, even without payments. */
  readonly bars: readonly VolumeBar[];
  /** The volume of the highest bar. */
  readonly barMinorMax: number;
}

/**
 * The days that the totals cover: those of the form, else `today`. Null when the range is longer than
 * FIGURES_DAYS_MAX.
 */
export function figureDays(
  fromDay: number | null,
  toDay: number | null,
  today: number,
): FigureDays | null {
  const to = toDay ?? Math.max(today, fromDay ?? today);
  const from = fromDay ?? (toDay === null ? to : to - TREND_DAYS + 1);
  return to - from < FIGURES_DAYS_MAX ? { fromDay: from, toDay: to } : null;
}

/** The days of the bars: a single day is shown at the end of the days before it. */
export function trendDays({ fromDay, toDay }: FigureDays): FigureDays {
  return { fromDay: fromDay === toDay ? toDay - TREND_DAYS + 1 : fromDay, toDay };
}

/** How many days one bar stands for. */
export function daysPerBar({ fromDay, toDay }: FigureDays): number {
  return Math.ceil((toDay - fromDay + 1) / BARS_MAX);
}

/**
 * The figures of each currency with payments in `trend`, which has the bars and ends with `days`.
 * `totals` lie within it: one a day, or one for each `daysPerBar` days under the first of them.
 */
export function figuresOf(
  totals: readonly DayTotal[],
  attempts: readonly AttemptTotal[],
  { fromDay }: FigureDays,
  trend: FigureDays,
): CurrencyFigures[] {
  return CURRENCIES.flatMap((currency) => {
    const shown = totals.filter((total) => total.currency === currency);
    const own = shown.filter(({ day }) => day >= fromDay);
    const tried = attempts.filter((attempt) => attempt.currency === currency);
    if (shown.length === 0) {
      return [];
    }
    const bars = barsOf(shown, trend);
    const methods = [...METHODS, null].flatMap((method): MethodFigures[] => {
      const ofMethod = own.filter((total) => total.method === method);
      const triedBy = tried.filter((attempt) => attempt.method === method);
      return ofMethod.length + triedBy.length === 0
        ? []
        : [{ method, ...countsOf(ofMethod, triedBy) }];
    });
    const barMinorMax = Math.max(...bars.map(({ paidMinor }) => paidMinor));
    return [{ currency, ...countsOf(own, tried), methods, bars, barMinorMax }];
  });
}

function countsOf(totals: readonly DayTotal[], attempts: readonly AttemptTotal[]): Counts {
  const figures = paidFigures(totals);
  const ended = sum(
    totals.filter(({ status }) => hasEnded(status)),
    'payments',
  );
  return {
    ...figures,
    ended,
    completedTenths: rateTenths(figures.paid, ended),
    attempts: attemptFigures(attempts, figures.paid),
  };
}

/** `paid` counts payments. One attempt paid each of them; `others` are further attempts. */
function attemptFigures(others: readonly AttemptTotal[], paid: number): AttemptFigures {
  const succeeded = others.reduce((total, one) => total + one.succeeded, paid);
  const ended = others.reduce((total, one) => total + one.ended, paid);
  return { succeeded, ended, rateTenths: rateTenths(succeeded, ended) };
}

function barsOf(totals: readonly DayTotal[], range: FigureDays): VolumeBar[] {
  const { fromDay, toDay } = range;
  const days = daysPerBar(range);
  return Array.from({ length: Math.ceil((toDay - fromDay + 1) / days) }, (_, index) => {
    const first = fromDay + index * days;
    const last = Math.min(first + days - 1, toDay);
    const within = totals.filter(({ day }) => day >= first && day <= last);
    return { fromDay: first, toDay: last, ...paidFigures(within) };
  });
}

/**
 * `part` of `whole` in tenths of a percent, rounded half up. Only the whole gives 100%, and only
 * nothing gives 0%. Null when `whole` is 0.
 */
export function rateTenths(part: number, whole: number): number | null {
  if (whole === 0) {
    return null;
  }
  const rounded = Math.floor((2 * 1_000 * part + whole) / (2 * whole));
  return Math.min(Math.max(rounded, part > 0 ? 1 : 0), part < whole ? 999 : 1_000);
}

/** `833` as `83.3`. */
export function rateText(tenths: number): string {
  return `${Math.trunc(tenths / 10)}.${tenths % 10}`;
}
