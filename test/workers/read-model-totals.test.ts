import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { businessDay, businessDayStartMs } from '../../src/domain/ethiopian-time.ts';
import type { FailureReason, IntentStatus } from '../../src/domain/intent.ts';
import type { Method } from '../../src/domain/method.ts';
import type { ProjectionMessage, ProjectionRow } from '../../src/intent/protocol.ts';
import { totals, totalsByPeriod, totalsOf } from '../../src/read-model/totals.ts';
import { deliver, nameOf, projectionMessage, TENANTS } from './read-model-fixture.ts';
import { ALPHA, consume, countProjectionRows, tenantOf, useGateway } from './support.ts';

/**
 * Goal: totals are exact at every moment, in whichever order the queue delivers. Method: random
 * payments, their messages in random order, batched at random and repeated; the sums are then
 * compared with those of the payments themselves.
 */

useGateway();

const TENANT = tenantOf(ALPHA);

/** The sums in the rollup, and the sums of the payments. */
async function rollup(): Promise<{ kept: unknown[]; counted: unknown[] }> {
  const kept = await env.DB.prepare(
    `SELECT merchant_id, environment, day, method, currency, status, failure_reason, payments,
      amount_minor, commission_minor, refunded_minor FROM payment_day
     WHERE payments <> 0 OR amount_minor <> 0 OR commission_minor <> 0 OR refunded_minor <> 0
     ORDER BY 1, 2, 3, 4, 5, 6, 7`,
  ).all();
  const counted = await env.DB.prepare(
    `SELECT merchant_id, environment, (created_at_ms + 10800000) / 86400000 AS day,
      COALESCE(method, '') AS method, currency, status,
      COALESCE(failure_reason, '') AS failure_reason, COUNT(*) AS payments,
      SUM(amount_minor) AS amount_minor, SUM(commission_minor) AS commission_minor,
      SUM(refunded_minor) AS refunded_minor
     FROM payment WHERE ended_at_ms IS NOT NULL
     GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7`,
  ).all();
  return { kept: kept.results, counted: counted.results };
}

/** The attempts in their rollup, and those of the payments. */
async function attemptRollup(): Promise<{ kept: unknown[]; counted: unknown[] }> {
  const kept = await env.DB.prepare(
    `SELECT merchant_id, environment, day, method, currency, ended, succeeded FROM attempt_day
     WHERE ended <> 0 OR succeeded <> 0 ORDER BY 1, 2, 3, 4, 5`,
  ).all();
  const counted = await env.DB.prepare(
    `SELECT merchant_id, environment, (created_at_ms + 10800000) / 86400000 AS day,
      value ->> 'method' AS method, currency, SUM(value ->> 'ended') AS ended,
      SUM(value ->> 'succeeded') AS succeeded
     FROM payment, json_each(payment.attempts) GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
  ).all();
  return { kept: kept.results, counted: counted.results };
}

const ARBITRARY_CHANGE: fc.Arbitrary<Partial<ProjectionRow>> = fc.record({
  status: fc.constantFrom<IntentStatus>('open', 'processing', 'succeeded', 'failed', 'expired'),
  failureReason: fc.constantFrom<FailureReason | null>(null, 'declined', 'abandoned'),
  method: fc.constantFrom<Method | null>(null, 'CBE', 'M_PESA'),
  commissionMinor: fc.constantFrom(0, 7),
  refundedMinor: fc.constantFrom(0, 3),
  attempts: fc.uniqueArray(
    fc.record({
      method: fc.constantFrom<Method>('CBE', 'M_PESA', 'TELE_BIRR'),
      ended: fc.integer({ min: 1, max: 10 }),
      succeeded: fc.integer({ min: 0, max: 1 }),
    }),
    { maxLength: 3, selector: ({ method }) => method },
  ),
});

/** A payment's messages, one per version, for a tenant and a day. */
const ARBITRARY_LIFE: fc.Arbitrary<ProjectionMessage[]> = fc
  .record({
    tenant: fc.constantFrom(...TENANTS),
    number: fc.integer({ min: 1, max: 1_000_000 }),
    day: fc.integer({ min: 0, max: 2 }),
    amountMinor: fc.integer({ min: 1, max: 99_999_999_999 }),
    changes: fc.array(ARBITRARY_CHANGE, { minLength: 1, maxLength: 4 }),
  })
  .map(({ tenant, number, day, amountMinor, changes }) =>
    changes.map((change, index) =>
      projectionMessage(
        tenant,
        number,
        { ...change, amountMinor, createdAtMs: businessDayStartMs(day + 20_000) + number },
        { version: index + 1 },
      ),
    ),
  );

const ARBITRARY_TRAFFIC = fc
  .uniqueArray(ARBITRARY_LIFE, {
    minLength: 1,
    maxLength: 6,
    selector: ([first]) => first?.row.uuid,
  })
  .chain((lives) => {
    const messages = lives.flat();
    // Every message arrives at least once, some arrive again, in any order.
    return fc.record({
      lives: fc.constant(lives),
      repeated: fc.subarray(messages),
      order: fc.shuffledSubarray([...messages, ...messages], { minLength: messages.length }),
      batchSize: fc.integer({ min: 1, max: 8 }),
    });
  });

test('totals agree with the payments after any traffic, and repeated messages change nothing', async () => {
  const written = countProjectionRows();
  await fc.assert(
    fc.asyncProperty(ARBITRARY_TRAFFIC, async ({ lives, repeated, order, batchSize }) => {
      await env.DB.exec('DELETE FROM payment');
      const traffic = [...order, ...lives.flat().filter((message) => !order.includes(message))];
      for (let first = 0; first < traffic.length; first += batchSize) {
        await consume('kefel-projections', traffic.slice(first, first + batchSize));
      }
      const { kept, counted } = await rollup();
      expect(kept).toEqual(counted);
      const attempts = await attemptRollup();
      expect(attempts.kept).toEqual(attempts.counted);
      const { results } = await env.DB.prepare(
        'SELECT uuid, version, status, method FROM payment ORDER BY uuid',
      ).all();
      const newest = lives
        .map((life) => life.at(-1))
        .map((last) => ({
          uuid: last?.row.uuid,
          version: last?.version,
          status: last?.row.status,
          method: last?.row.method,
        }))
        .sort((one, other) => String(one.uuid).localeCompare(String(other.uuid)));
      expect(results).toEqual(newest);
      written.take();
      await deliver(repeated);
      expect(written.take()).toBe(0);
      expect((await rollup()).kept).toEqual(counted);
    }),
    { numRuns: 40 },
  );
});

test('a payment removed from the read model leaves no trace in the totals', async () => {
  await deliver([projectionMessage(TENANT, 1, { status: 'failed', failureReason: 'declined' })]);
  await env.DB.exec('DELETE FROM payment');
  expect(await rollup()).toEqual({ kept: [], counted: [] });
});

test('the day begins at midnight in Addis Ababa', async () => {
  const midnightMs = Date.UTC(2026, 4, 1) - 3 * 3_600_000;
  const day = businessDay(midnightMs);
  expect(businessDayStartMs(day)).toBe(midnightMs);
  expect(businessDay(midnightMs - 1)).toBe(day - 1);
  await deliver([
    projectionMessage(TENANT, 1, { createdAtMs: midnightMs - 1 }),
    projectionMessage(TENANT, 2, { createdAtMs: midnightMs }),
    projectionMessage(TENANT, 3, { createdAtMs: midnightMs + 86_400_000 - 1 }),
  ]);
  const found = await totalsByPeriod(env.DB, TENANT, { fromDay: day - 9, toDay: day + 9 }, 1);
  expect(found.map(({ day: on, payments }) => [on, payments])).toEqual([
    [day - 1, 1],
    [day, 2],
  ]);
});

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
  await deliver(
    TENANTS.flatMap((tenant, owner) =>
      rows.map((row, number) =>
        projectionMessage(tenant, number, { amountMinor: 100 * 10 ** owner, ...row }),
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
      refundedMinor: 0,
      ...rest,
    });
    const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const all = await totals(env.DB, tenant, { fromDay: 10, toDay: 12 });
    expect(sorted(all)).toEqual(
      sorted([
        total(null, 'open', 1),
        total('CBE', 'failed', 2),
        total('CBE', 'succeeded', 2, { commissionMinor: 3, refundedMinor: 2 }),
        total('CBE', 'succeeded', 1, { currency: 'USD' }),
        total('M_PESA', 'succeeded', 1),
      ]),
    );
    expect(await totals(env.DB, tenant, { fromDay: 10, toDay: 10 })).toEqual([
      total('CBE', 'succeeded', 1),
    ]);
    const one = await totals(env.DB, tenant, { fromDay: 0, toDay: 99, method: 'M_PESA' });
    expect(one).toEqual([total('M_PESA', 'succeeded', 1)]);
    const daily = await totalsByPeriod(
      env.DB,
      tenant,
      { fromDay: 10, toDay: 12, method: 'CBE' },
      1,
    );
    expect(daily).toEqual([
      { day: 10, ...total('CBE', 'succeeded', 1) },
      { day: 11, ...total('CBE', 'failed', 2) },
      { day: 11, ...total('CBE', 'succeeded', 1, { commissionMinor: 3, refundedMinor: 2 }) },
      { day: 11, ...total('CBE', 'succeeded', 1, { currency: 'USD' }) },
    ]);
    const stretched = await totalsByPeriod(env.DB, tenant, { fromDay: 9, toDay: 12 }, 2);
    expect(sorted(stretched)).toEqual(
      sorted([
        { day: 9, ...total('CBE', 'succeeded', 1) },
        { day: 11, ...total(null, 'open', 1) },
        { day: 11, ...total('CBE', 'failed', 2) },
        { day: 11, ...total('CBE', 'succeeded', 1, { commissionMinor: 3, refundedMinor: 2 }) },
        { day: 11, ...total('CBE', 'succeeded', 1, { currency: 'USD' }) },
        { day: 11, ...total('M_PESA', 'succeeded', 1) },
      ]),
    );
  },
);

test('the totals of a list are those of its days and method, whatever its status', async () => {
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
    expect(await totalsOf(env.DB, tenant, filter)).toEqual(await totals(env.DB, tenant, range));
  }
});

test.each([
  { createdFromMs: businessDayStartMs(11) + 1 },
  { createdToMs: businessDayStartMs(11) - 1 },
  { amountMinorMin: 0 },
  { amountMinorMax: 1 },
  { refunds: 'any' },
] as const)('a list has no totals with a filter that they do not know: %j', async (filter) => {
  expect(await totalsOf(env.DB, tenantOf(ALPHA), filter)).toBeNull();
});
