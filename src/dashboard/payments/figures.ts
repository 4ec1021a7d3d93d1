import { hasEnded } from '../../domain/intent.ts';
import { CURRENCIES, type Currency, METHODS, type Method } from '../../domain/method.ts';
import type { DayTotal } from '../../read-model/totals.ts';

/** Payments of a range in numbers. Pure; amounts in minor units, never of two currencies together. */

/** What the totals cover when the form names no dates: as many days, today included. */
export const FIGURES_DAYS = 30;
/** A longer range is refused: a year can be compared with the year before, and D1 reads little. */
export const FIGURES_DAYS_MAX = 366;
/** More bars cannot be told apart on a phone: then one stands for several days. */
const BARS_MAX = 62;

export interface FigureDays {
  readonly fromDay: number;
  readonly toDay: number;
}

export interface Counts {
  /** Of what was paid, without commission. */
  readonly paidMinor: number;
  readonly paid: number;
  /** Paid, failed, expired or canceled. */
  readonly ended: number;
  /** Paid of ended, in tenths of a percent; null when nothing has ended. */
  readonly rateTenths: number | null;
}

export interface MethodFigures extends Counts {
  /** Null: none was chosen. */
  readonly method: Method | null;
}

/** One bar of volume: usually a day. Both days belong to it. */
export interface VolumeBar extends FigureDays {
  readonly paidMinor: number;
  readonly paid: number;
}

export interface CurrencyFigures extends Counts {
  readonly currency: Currency;
  /** In the order of METHODS, those that were used, then those without any. */
  readonly methods: readonly MethodFigures[];
  /** Every day of the range, also those without payments. */
  readonly bars: readonly VolumeBar[];
  /** Of the highest bar. */
  readonly barMinorMax: number;
}

/**
 * The days that the totals cover: those of the form, else the last thirty up to `today`. Null when
 * the range is longer than FIGURES_DAYS_MAX.
 */
export function figureDays(
  fromDay: number | null,
  toDay: number | null,
  today: number,
): FigureDays | null {
  const to = toDay ?? Math.max(today, fromDay ?? today);
  const from = fromDay ?? to - FIGURES_DAYS + 1;
  return to - from < FIGURES_DAYS_MAX ? { fromDay: from, toDay: to } : null;
}

/** How many days one bar stands for, so that all of them can be told apart. */
export function daysPerBar({ fromDay, toDay }: FigureDays): number {
  return Math.ceil((toDay - fromDay + 1) / BARS_MAX);
}

/**
 * The figures of each currency in which there was any payment. `totals` lie within `days`, by day
 * or by stretches of `daysPerBar` under their first day.
 */
export function figuresOf(totals: readonly DayTotal[], days: FigureDays): CurrencyFigures[] {
  return CURRENCIES.flatMap((currency) => {
    const own = totals.filter((total) => total.currency === currency);
    if (own.length === 0) {
      return [];
    }
    const bars = barsOf(own, days);
    const methods = [...METHODS, null].flatMap((method): MethodFigures[] => {
      const ofMethod = own.filter((total) => total.method === method);
      return ofMethod.length === 0 ? [] : [{ method, ...countsOf(ofMethod) }];
    });
    const barMinorMax = Math.max(...bars.map(({ paidMinor }) => paidMinor));
    return [{ currency, ...countsOf(own), methods, bars, barMinorMax }];
  });
}

function countsOf(totals: readonly DayTotal[]): Counts {
  const paidTotals = totals.filter(({ status }) => status === 'succeeded');
  const paid = sum(paidTotals, 'payments');
  const ended = sum(
    totals.filter(({ status }) => hasEnded(status)),
    'payments',
  );
  return {
    paidMinor: sum(paidTotals, 'amountMinor'),
    paid,
    ended,
    rateTenths: rateTenths(paid, ended),
  };
}

function barsOf(totals: readonly DayTotal[], range: FigureDays): VolumeBar[] {
  const { fromDay, toDay } = range;
  const days = daysPerBar(range);
  return Array.from({ length: Math.ceil((toDay - fromDay + 1) / days) }, (_, index) => {
    const first = fromDay + index * days;
    const last = Math.min(first + days - 1, toDay);
    const paid = totals.filter(
      ({ day, status }) => status === 'succeeded' && day >= first && day <= last,
    );
    return {
      fromDay: first,
      toDay: last,
      paidMinor: sum(paid, 'amountMinor'),
      paid: sum(paid, 'payments'),
    };
  });
}

/**
 * `part` of `whole` in tenths of a percent, rounded half up; but never all when it is not all, and
 * never nothing when it is something. Null of nothing.
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

function sum(totals: readonly DayTotal[], part: 'payments' | 'amountMinor'): number {
  return totals.reduce((total, one) => total + one[part], 0);
}
