import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { Method } from '../../../src/engine/domain/method.ts';
import type { ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { businessDay, businessDayStartMs } from '../../../src/kit/ethiopian-time.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { daysOf } from '../../../src/lists/book/list-days.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import type { DayRange } from '../../../src/lists/book/rows.ts';
import { ALPHA, DAY_MS, tenantOf, useGateway } from '../support.ts';
import { applyAll, nameOf, projectedRefund, projectionMessage, TENANTS } from './fixture.ts';

/**
 * Goal: totals count a payment on the day on which it was paid or ended, a refund on the day of its
 * outcome, and an open payment on the day of its creation. property.long.test.ts shows that they
 * are exact when messages are lost, doubled or late.
 */

useGateway();

const TENANT = tenantOf(ALPHA);

async function totals(tenant: Tenant, range: DayRange) {
  return (await readerOf(env, tenant)).totals(range);
}

async function totalsByPeriod(tenant: Tenant, range: DayRange, days: number) {
  return (await readerOf(env, tenant)).totalsByPeriod(range, days);
}

test('the day begins at midnight in Addis Ababa', async () => {
  const midnightMs = Date.UTC(2026, 4, 1) - 3 * 3_600_000;
  const day = businessDay(midnightMs);
  expect(businessDayStartMs(day)).toBe(midnightMs);
  expect(businessDay(midnightMs - 1)).toBe(day - 1);
  await applyAll([
    projectionMessage(TENANT, 1, { createdAtMs: midnightMs - 1 }),
    projectionMessage(TENANT, 2, { createdAtMs: midnightMs }),
    projectionMessage(TENANT, 3, { createdAtMs: midnightMs + 86_400_000 - 1 }),
  ]);
  const found = await totalsByPeriod(TENANT, { fromDay: day - 9, toDay: day + 9 }, 1);
  expect(found.map(({ day: on, payments }) => [on, payments])).toEqual([
    [day - 1, 1],
    [day, 2],
  ]);
});

/** The two payments by CBE on day 11 together. */
const REFUNDED = {
  commissionMinor: 3,
  borneCommissionMinor: 3,
  refundedMinor: 2,
  returnedCommissionMinor: 1,
};

/** Two days of payments, the same for every tenant except for the amounts. */
async function seedTwoDays(): Promise<void> {
  const on = (day: number) => businessDayStartMs(day) + 1_000;
  const rows: readonly Partial<ProjectionRow>[] = [
    { status: 'succeeded', method: 'CBE', createdAtMs: on(10) },
    {
      status: 'succeeded',
      method: 'CBE',
      createdAtMs: on(11),
      commissionMinor: 3,
      refundedMinor: 2,
    },
    { status: 'succeeded', method: 'CBE', createdAtMs: on(11), currency: 'USD' },
    { status: 'failed', failureReason: 'declined', method: 'CBE', createdAtMs: on(11) },
    { status: 'failed', failureReason: 'wrong_pin', method: 'CBE', createdAtMs: on(11) },
    { status: 'succeeded', method: 'M_PESA', createdAtMs: on(11) },
    { status: 'open', createdAtMs: on(12) },
  ];
  await applyAll(
    TENANTS.flatMap((tenant, owner) =>
      rows.map((row, number) =>
        projectionMessage(
          tenant,
          number,
          {
            amountMinor: 100 * 10 ** owner,
            endedAtMs: row.status === 'open' ? null : (row.createdAtMs ?? null),
            transactionId: `T-${number}`,
            ...row,
          },
          {
            paidAtMs: row.status === 'succeeded' ? (row.createdAtMs ?? null) : null,
            refunds:
              row.refundedMinor === undefined
                ? []
                : [
                    projectedRefund({
                      amountMinor: row.refundedMinor,
                      returnedMinor: row.refundedMinor,
                      commissionReturnedMinor: 1,
                      method: 'CBE',
                      transactionId: `T-${number}`,
                      updatedAtMs: on(11),
                    }),
                  ],
          },
        ),
      ),
    ),
  );
}

test.each(TENANTS.map((tenant, owner) => ({ tenant, owner, name: nameOf(tenant) })))(
  'totals of $name: by method, currency and status, of its own payments only',
  async ({ tenant, owner }) => {
    await seedTwoDays();
    const unit = 100 * 10 ** owner;
    const total = (method: Method | null, status: string, payments: number, rest = {}) => ({
      method,
      currency: 'ETB',
      status,
      payments,
      amountMinor: unit * payments,
      commissionMinor: 0,
      borneCommissionMinor: 0,
      refundedMinor: 0,
      returnedCommissionMinor: 0,
      ...rest,
    });
    const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const all = await totals(tenant, { fromDay: 10, toDay: 12 });
    expect(sorted(all)).toEqual(
      sorted([
        total(null, 'open', 1),
        total('CBE', 'failed', 2),
        total('CBE', 'succeeded', 2, REFUNDED),
        total('CBE', 'succeeded', 1, { currency: 'USD' }),
        total('M_PESA', 'succeeded', 1),
      ]),
    );
    expect(await totals(tenant, { fromDay: 10, toDay: 10 })).toEqual([
      total('CBE', 'succeeded', 1),
    ]);
    const one = await totals(tenant, { fromDay: 0, toDay: 99, method: 'M_PESA' });
    expect(one).toEqual([total('M_PESA', 'succeeded', 1)]);
    const daily = await totalsByPeriod(tenant, { fromDay: 10, toDay: 12, method: 'CBE' }, 1);
    expect(daily.map(({ day }) => day)).toEqual([10, 11, 11, 11]);
    expect(sorted(daily)).toEqual(
      sorted([
        { day: 10, ...total('CBE', 'succeeded', 1) },
        { day: 11, ...total('CBE', 'failed', 2) },
        { day: 11, ...total('CBE', 'succeeded', 1, REFUNDED) },
        { day: 11, ...total('CBE', 'succeeded', 1, { currency: 'USD' }) },
      ]),
    );
    const stretched = await totalsByPeriod(tenant, { fromDay: 9, toDay: 12 }, 2);
    expect(sorted(stretched)).toEqual(
      sorted([
        { day: 9, ...total('CBE', 'succeeded', 1) },
        { day: 11, ...total(null, 'open', 1) },
        { day: 11, ...total('CBE', 'failed', 2) },
        { day: 11, ...total('CBE', 'succeeded', 1, REFUNDED) },
        { day: 11, ...total('CBE', 'succeeded', 1, { currency: 'USD' }) },
        { day: 11, ...total('M_PESA', 'succeeded', 1) },
      ]),
    );
  },
);

test('the totals of a list are those of its days and method, with any status', async () => {
  await seedTwoDays();
  const tenant = tenantOf(ALPHA);
  const dayOnly = { createdFromMs: businessDayStartMs(11), createdToMs: businessDayStartMs(12) };
  for (const [filter, range] of [
    [{}, { fromDay: 0, toDay: 99 }],
    [dayOnly, { fromDay: 11, toDay: 11 }],
    [
      { ...dayOnly, method: 'CBE', status: 'open', currency: 'ETB' },
      { fromDay: 11, toDay: 11, method: 'CBE' },
    ],
  ] as const) {
    const days = daysOf(filter);
    expect(days).not.toBeNull();
    expect(await totals(tenant, days ?? range)).toEqual(await totals(tenant, range));
  }
});

test.each([
  { createdFromMs: businessDayStartMs(11) + 1 },
  { createdToMs: businessDayStartMs(11) - 1 },
  { amountMinorMin: 0 },
  { amountMinorMax: 1 },
  { refunds: 'any' },
] as const)('a list has no totals with a filter that they do not know: %j', (filter) => {
  expect(daysOf(filter)).toBeNull();
});

test('a payment counts on the day on which it was paid, its refund on its own', async () => {
  const on = (day: number) => businessDayStartMs(day) + 1_000;
  const paid = { status: 'succeeded', method: 'CBE', transactionId: 'T-1' } as const;
  const refund = projectedRefund({ method: 'CBE', transactionId: 'T-1', updatedAtMs: on(15) });
  const row = { ...paid, createdAtMs: on(10), endedAtMs: on(10) + DAY_MS };
  await applyAll([
    projectionMessage(TENANT, 1, row, { paidAtMs: on(12), refunds: [refund] }),
    projectionMessage(TENANT, 2, { status: 'expired', createdAtMs: on(10), endedAtMs: on(11) }),
  ]);
  const found = await totalsByPeriod(TENANT, { fromDay: 0, toDay: 99 }, 1);
  expect(
    found.map(({ day, status, payments, refundedMinor }) => [day, status, payments, refundedMinor]),
  ).toEqual([
    [11, 'expired', 1, 0],
    [12, 'succeeded', 1, 0],
    [15, 'succeeded', 0, 100],
  ]);
});

test('a period keeps its sums although the counts of some of its days went back to zero', async () => {
  const on = (day: number) => businessDayStartMs(day) + 1_000;
  const expired = (number: number, day: number) =>
    projectionMessage(TENANT, number, {
      status: 'expired',
      method: 'CBE',
      createdAtMs: on(9),
      endedAtMs: on(day),
      attempts: [{ method: 'M_PESA', ended: 1, succeeded: 0 }],
    });
  const paidLater = (before: ReturnType<typeof expired>) => ({
    ...before,
    intentVersion: 2,
    paidAtMs: on(12),
    row: { ...before.row, status: 'succeeded', late: true } as const,
  });
  const [first, last] = [expired(1, 10), expired(3, 13)];
  await applyAll([first, expired(2, 11), last, paidLater(first), paidLater(last)]);
  const range = { fromDay: 9, toDay: 13 };
  const counts = (await totals(TENANT, range)).map(({ status, payments }) => [status, payments]);
  expect(Object.fromEntries(counts)).toEqual({ succeeded: 2, expired: 1 });
  const attempts = await (await readerOf(env, TENANT)).attemptTotals(range);
  expect(attempts).toEqual([{ method: 'M_PESA', currency: 'ETB', ended: 3, succeeded: 0 }]);
});
