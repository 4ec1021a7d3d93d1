import { describe, expect, test } from 'vitest';
import {
  FIGURES_DAYS_MAX,
  figureDays,
  figuresOf,
  rateTenths,
  rateText,
  TREND_DAYS,
  trendDays,
} from '../../../back-office/dashboard/overview/figures.ts';
import { receivedMinor } from '../../../src/lists/book/proceeds.ts';
import type { DayTotal } from '../../../src/lists/book/rows.ts';

/**
 * Goal: the figures above the list of payments are exact, rounded without hiding a failure, and
 * never add two currencies. Method: totals as the book returns them.
 */

const TODAY = 20_000;

function total(changes: Partial<DayTotal>): DayTotal {
  return {
    day: TODAY,
    method: 'TELE_BIRR',
    currency: 'ETB',
    status: 'succeeded',
    payments: 1,
    amountMinor: 100,
    commissionMinor: 0,
    borneCommissionMinor: 0,
    refundedMinor: 0,
    returnedCommissionMinor: 0,
    ...changes,
  };
}

const DAYS = { fromDay: TODAY - 2, toDay: TODAY };

describe('the range', () => {
  test.each([
    ['no dates: today', null, null, { fromDay: TODAY, toDay: TODAY }],
    ['both', 5, 9, { fromDay: 5, toDay: 9 }],
    ['from a day on: up to today', TODAY - 3, null, { fromDay: TODAY - 3, toDay: TODAY }],
    ['until a day: thirty days', null, 99, { fromDay: 99 - TREND_DAYS + 1, toDay: 99 }],
    ['in the future', TODAY + 5, null, { fromDay: TODAY + 5, toDay: TODAY + 5 }],
    ['the longest', 1, FIGURES_DAYS_MAX, { fromDay: 1, toDay: FIGURES_DAYS_MAX }],
    ['longer', 1, FIGURES_DAYS_MAX + 1, null],
  ])('%s', (_name, fromDay, toDay, days) => {
    expect(figureDays(fromDay, toDay, TODAY)).toEqual(days);
  });
});

describe('sums', () => {
  test('count only paid payments as volume, and all ended ones for the rate', () => {
    const [figures] = figuresOf(
      [
        total({ payments: 3, amountMinor: 99_999_999_999 }),
        total({ status: 'failed', payments: 2, amountMinor: 700 }),
        total({ status: 'expired', method: null, payments: 1 }),
        total({ status: 'canceled', method: null, payments: 1 }),
        total({ status: 'open', method: null, payments: 50 }),
        total({ status: 'processing', payments: 50 }),
      ],
      [
        // One paid a second time, one failed; each of the three paid payments has one more.
        { method: 'TELE_BIRR', currency: 'ETB', ended: 2, succeeded: 1 },
        // Tried and failed, before the customer paid by another method.
        { method: 'CBE', currency: 'ETB', ended: 2, succeeded: 0 },
        { method: 'CBE', currency: 'USD', ended: 9, succeeded: 9 },
      ],
      DAYS,
      DAYS,
    );
    expect(figures).toMatchObject({
      currency: 'ETB',
      paidMinor: 99_999_999_999,
      refundedMinor: 0,
      paid: 3,
      ended: 7,
      completedTenths: 429,
      attempts: { succeeded: 4, ended: 7, rateTenths: 571 },
      barMinorMax: 99_999_999_999,
    });
    expect(figures?.methods).toMatchObject([
      {
        method: 'TELE_BIRR',
        paidMinor: 99_999_999_999,
        refundedMinor: 0,
        paid: 3,
        ended: 5,
        completedTenths: 600,
        attempts: { succeeded: 4, ended: 5, rateTenths: 800 },
      },
      {
        method: 'CBE',
        paidMinor: 0,
        refundedMinor: 0,
        paid: 0,
        ended: 0,
        completedTenths: null,
        attempts: { succeeded: 0, ended: 2, rateTenths: 0 },
      },
      {
        method: null,
        paidMinor: 0,
        refundedMinor: 0,
        paid: 0,
        ended: 2,
        completedTenths: 0,
        attempts: { succeeded: 0, ended: 0, rateTenths: null },
      },
    ]);
  });

  test('keep currencies apart', () => {
    const figures = figuresOf(
      [total({ amountMinor: 5 }), total({ currency: 'USD', amountMinor: 7, status: 'succeeded' })],
      [],
      DAYS,
      DAYS,
    );
    expect(figures.map(({ currency, paidMinor }) => [currency, paidMinor])).toEqual([
      ['ETB', 5],
      ['USD', 7],
    ]);
  });

  test('are empty without payments', () => {
    expect(figuresOf([], [], DAYS, DAYS)).toEqual([]);
  });

  test('have an empty bar for a day without paid payments', () => {
    const [figures] = figuresOf(
      [
        total({ day: TODAY - 2, amountMinor: 10, payments: 2 }),
        total({ day: TODAY - 1, status: 'failed' }),
        total({ day: TODAY, amountMinor: 5, method: 'CBE' }),
        total({ day: TODAY, amountMinor: 6 }),
      ],
      [],
      DAYS,
      DAYS,
    );
    expect(figures?.bars).toMatchObject([
      { fromDay: TODAY - 2, toDay: TODAY - 2, paidMinor: 10, refundedMinor: 0, paid: 2 },
      { fromDay: TODAY - 1, toDay: TODAY - 1, paidMinor: 0, refundedMinor: 0, paid: 0 },
      { fromDay: TODAY, toDay: TODAY, paidMinor: 11, refundedMinor: 0, paid: 2 },
    ]);
  });

  test('cover every day of a long range by exactly one bar', () => {
    for (let days = 1; days <= FIGURES_DAYS_MAX; days += 1) {
      const range = { fromDay: TODAY - days + 1, toDay: TODAY };
      const totals = [total({ day: range.fromDay, amountMinor: 1 }), total({ amountMinor: 2 })];
      const bars = figuresOf(totals, [], range, range)[0]?.bars ?? [];
      expect(bars[0]?.fromDay).toBe(range.fromDay);
      expect(bars.at(-1)?.toDay).toBe(TODAY);
      expect(bars.length).toBeLessThanOrEqual(62);
      expect(bars.reduce((sum, bar) => sum + bar.toDay - bar.fromDay + 1, 0)).toBe(days);
      expect(bars.reduce((sum, bar) => sum + bar.paidMinor, 0)).toBe(3);
    }
  });
});

describe('rates', () => {
  test.each([
    [0, 0, null],
    [0, 5, '0.0'],
    [5, 5, '100.0'],
    [1, 3, '33.3'],
    [2, 3, '66.7'],
    [1, 2_000, '0.1'],
    // Neither 0 % nor 100 %.
    [1, 1_000_000, '0.1'],
    [999_999, 1_000_000, '99.9'],
    [1, 16, '6.3'],
  ])('%d of %d', (part, whole, text) => {
    const tenths = rateTenths(part, whole);
    expect(tenths === null ? null : rateText(tenths)).toBe(text);
  });
});

test('what was refunded is part of its own day and method, and of paid payments only', () => {
  const [figures] = figuresOf(
    [
      total({ day: TODAY - 1, amountMinor: 500, refundedMinor: 200 }),
      total({ method: 'CBE', amountMinor: 300, refundedMinor: 300 }),
      total({ status: 'failed', amountMinor: 300 }),
    ],
    [],
    DAYS,
    DAYS,
  );
  expect(figures).toMatchObject({ paidMinor: 800, refundedMinor: 500 });
  expect(figures?.bars.map(({ refundedMinor }) => refundedMinor)).toEqual([0, 200, 300]);
  expect(figures?.methods.map(({ refundedMinor }) => refundedMinor)).toEqual([200, 300]);
});

test('a merchant receives the sales without own commission and refunds, and commission back', () => {
  const today = { fromDay: TODAY, toDay: TODAY };
  const [figures] = figuresOf(
    [
      total({ day: TODAY - 1, amountMinor: 70_000 }),
      // Customers paid 4.00 of the commission on top.
      total({ amountMinor: 10_000, commissionMinor: 700, borneCommissionMinor: 300 }),
      total({ payments: 0, amountMinor: 0, refundedMinor: 15_000, returnedCommissionMinor: 450 }),
    ],
    [],
    today,
    trendDays(today),
  );
  expect(figures).toMatchObject({ paidMinor: 10_000, customersCommissionMinor: 400 });
  expect(figures && receivedMinor(figures)).toBe(10_000 - 300 - 15_000 + 450);
  // The day before is a bar only.
  expect(figures?.bars).toHaveLength(TREND_DAYS);
  expect(figures?.bars.slice(-2).map(({ paidMinor }) => paidMinor)).toEqual([70_000, 10_000]);
});
