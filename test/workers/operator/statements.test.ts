import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { EXPORT_ROWS_MAX } from '../../../back-office/elements/csv.ts';
import { STATEMENTS_FILE } from '../../../back-office/operator/exports.ts';
import type { ProjectedRefund, ProjectionRow } from '../../../src/engine/intent/book-message.ts';
import { businessDay } from '../../../src/kit/ethiopian-time.ts';
import { BookReader } from '../../../src/lists/book/reader.ts';
import { bookName } from '../../../src/lists/book/schema.ts';
import { plantedError } from '../../support/output/planted.ts';
import { applyAll, projectedRefund, projectionMessage } from '../book/fixture.ts';
import { auditLog } from '../dashboard/support.ts';
import { bookSql } from '../support/book.ts';
import { ALPHA, BETA, type TestMerchant, tenantOf, useGateway } from '../support.ts';
import { content, deskOf, operateApi } from './support.ts';

/**
 * Goal: an auditor gets what each merchant was paid and returned in a month of Addis Ababa, to the
 * cent, and learns when a merchant is missing. Method: payments in books, and files as the desk sends
 * them.
 */

useGateway();

/** The month begins and ends three hours before that of UTC. */
const BEGINS = Date.parse('2026-09-30T21:00:00Z');
const ENDS = Date.parse('2026-10-31T21:00:00Z');
const PATH = '/operator/statements/production/statements.csv';
const HEAD =
  'since,until,merchant_id,merchant_name,currency,method,payments,sold,commission,commission_of_customers,refunded,commission_returned,merchant_receives,problem,beneficiary_bank,beneficiary_account,beneficiary_receives';
const MONTH = '2026-10-01,2026-10-31';

const { open } = deskOf('Hana');

function paid(
  merchant: TestMerchant,
  number: number,
  paidAtMs: number,
  row: Partial<ProjectionRow>,
  refunds: readonly Partial<ProjectedRefund>[] = [],
) {
  const method = 'TELE_BIRR' as const;
  return projectionMessage(
    tenantOf(merchant, 'production'),
    number,
    {
      status: 'succeeded',
      method,
      transactionId: `T-${number}`,
      endedAtMs: paidAtMs,
      ...row,
    },
    { paidAtMs, refunds: refunds.map((refund) => projectedRefund({ method, ...refund })) },
  );
}

/**
 * By hand, for the month:
 *
 *   Alpha telebirr  250.00 + 100.10 sold, −2.50 − 1.01 commission, −500.00 refunded, +5.00 returned
 *   Alpha CBE        40.00 sold, and 0.40 that the customer paid on top
 *   Beta telebirr     7.07 sold, −0.07 commission
 */
async function seed(): Promise<void> {
  const september = { amountMinor: 100_000, commissionMinor: 1_000 };
  const refund = {
    amountMinor: 50_000,
    returnedMinor: 50_000,
    commissionReturnedMinor: 500,
    updatedAtMs: BEGINS,
  };
  const cbe = { method: 'CBE', commissionPaidByCustomer: true } as const;
  await applyAll([
    paid(ALPHA, 1, BEGINS - 1, { ...september, refundedMinor: 50_000 }, [refund]),
    paid(ALPHA, 2, BEGINS, { amountMinor: 25_000, commissionMinor: 250 }),
    paid(ALPHA, 3, ENDS - 1, { amountMinor: 10_010, commissionMinor: 101 }),
    paid(ALPHA, 4, ENDS, { amountMinor: 90_000, commissionMinor: 900 }),
    paid(ALPHA, 5, BEGINS, { ...cbe, amountMinor: 4_000, commissionMinor: 40 }),
    paid(ALPHA, 6, BEGINS, { status: 'failed', amountMinor: 33_300 }),
    paid(BETA, 7, BEGINS, { amountMinor: 707, commissionMinor: 7 }),
  ]);
}

async function linesOf(period: string): Promise<readonly string[]> {
  const response = await open(`${PATH}?period=${period}`);
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="statements-production-${period}.csv"`,
  );
  return (await response.text()).trimEnd().split('\r\n');
}

const entries = async () =>
  (await auditLog())
    .filter(({ action }) => action === 'statements.exported')
    .map(({ merchant_id, environment, actor_id, detail }) => [
      merchant_id,
      environment,
      actor_id,
      JSON.parse(detail),
    ]);

const ALPHA_LINES = [
  `${MONTH},${ALPHA.id},${ALPHA.name},ETB,TELE_BIRR,2,350.10,3.51,0.00,500.00,5.00,-148.41,,,,`,
  `${MONTH},${ALPHA.id},${ALPHA.name},ETB,CBE,1,40.00,0.00,0.40,0.00,0.00,40.00,,,,`,
];

test('has a line for each merchant and method, from midnight to midnight in Addis Ababa', async () => {
  await seed();
  expect(await linesOf('2026-10')).toEqual([
    HEAD,
    ...ALPHA_LINES,
    `${MONTH},${BETA.id},${BETA.name},ETB,TELE_BIRR,1,7.07,0.07,0.00,0.00,0.00,7.00,,,,`,
  ]);
  expect(await linesOf('2026-08')).toEqual([HEAD]);
  expect((await entries()).slice(0, 2)).toEqual([
    [null, 'production', 'Hana', { period: '2026-10' }],
    [null, 'production', 'Hana', { period: '2026-10', complete: true }],
  ]);
});

test('has the lines of a day, which add up to those of the month', async () => {
  await seed();
  const day = (date: string) => `${date},${date},${ALPHA.id},${ALPHA.name},ETB`;
  expect(await linesOf('2026-10-01')).toEqual([
    HEAD,
    `${day('2026-10-01')},TELE_BIRR,1,250.00,2.50,0.00,500.00,5.00,-247.50,,,,`,
    `${day('2026-10-01')},CBE,1,40.00,0.00,0.40,0.00,0.00,40.00,,,,`,
    `2026-10-01,2026-10-01,${BETA.id},${BETA.name},ETB,TELE_BIRR,1,7.07,0.07,0.00,0.00,0.00,7.00,,,,`,
  ]);
  expect(await linesOf('2026-10-31')).toEqual([
    HEAD,
    `${day('2026-10-31')},TELE_BIRR,1,100.10,1.01,0.00,0.00,0.00,99.09,,,,`,
  ]);
});

test('names a merchant whose book does not answer, and says that the file is incomplete', async () => {
  await seed();
  const get = env.MERCHANT_BOOK.get.bind(env.MERCHANT_BOOK);
  const broken = env.MERCHANT_BOOK.idFromName(bookName(tenantOf(BETA, 'production'), 0));
  const ask = () => Promise.reject(plantedError());
  vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementation((id) =>
    id.equals(broken) ? ({ ask } as never) : get(id),
  );
  expect(await linesOf('2026-10')).toEqual([
    HEAD,
    ...ALPHA_LINES,
    `${MONTH},${BETA.id},${BETA.name},,,,,,,,,,MISSING: the book of this merchant did not answer or has lost payments or more than 10000 beneficiaries,,,`,
    `${MONTH},,,,,,,,,,,,INCOMPLETE: merchants without their statements: 1. Export again,,,`,
  ]);
  expect((await entries()).at(-1)?.[3]).toEqual({ period: '2026-10', complete: false, missing: 1 });
});

test('names a merchant whose book is known to have lost payments', async () => {
  await seed();
  await env.DB.prepare(
    `INSERT INTO book_digest (environment, merchant_id, volume, as_of_ms, unlisted, digest)
      VALUES ('production', ?1, 0, 1, 0, '{"lostAtMs":1}')`,
  )
    .bind(BETA.id)
    .run();
  const { rows } = await content<{ rows: { type: string }[] }>(
    operateApi('/statements/production/export', { period: '2026-10' }),
  );
  expect(rows.map(({ type }) => type)).toEqual(['statement', 'statement', 'missing', 'incomplete']);
});

test('goes on at the place that a page gave, of this month and environment alone', async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO merchants (id, number, name, created_at_ms)
      SELECT 'm' || i, 100 + i, 'Shop', 1 FROM n`,
  ).run();
  await seed();
  const period = '2026-10';
  type Page = { rows: { merchantId: string }[]; next: string | null };
  const ask = (body: object, environment = 'production') =>
    operateApi(`/statements/${environment}/export`, body);
  const first = await content<Page>(ask({ period }));
  expect(first.next).toEqual(expect.any(String));
  const second = await content<Page>(ask({ period, after: first.next }));
  expect(second.next).toBeNull();
  const ids = [...first.rows, ...second.rows].map(({ merchantId }) => merchantId);
  expect(ids).toEqual([ALPHA.id, ALPHA.id, BETA.id]);
  expect(await entries()).toHaveLength(2);
  expect((await ask({ period: '2026-09', after: first.next })).status).toBe(400);
  expect((await ask({ period, after: first.next }, 'sandbox')).status).toBe(400);
});

test('ends a page early after thousands of beneficiaries, and the next one goes on', async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
      INSERT INTO merchants (id, number, name, created_at_ms)
      SELECT 'z' || i, 100 + i, 'Shop', 1 FROM n`,
  ).run();
  const share = { currency: 'ETB', bank: 'CBE', account: '1', shareMinor: 1 } as const;
  const beneficiaries = Array.from({ length: 2_000 }, () => share);
  // Six are asked at once.
  vi.spyOn(BookReader.prototype, 'paidOut')
    .mockResolvedValueOnce({ totals: [], beneficiaries })
    .mockResolvedValue({ totals: [], beneficiaries: [] });
  type Page = { rows: unknown[]; merchants: number; next: string | null };
  const ask = (body: object) =>
    content<Page>(operateApi('/statements/production/export', { period: '2026-10', ...body }));
  const first = await ask({});
  expect([first.merchants, first.rows.length]).toEqual([6, 2_000]);
  const second = await ask({ after: first.next });
  expect(second).toEqual({ rows: [], merchants: 5, next: null });
});

test('names a merchant with more beneficiaries than a book can name', async () => {
  await seed();
  const day = businessDay(BEGINS);
  await bookSql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 10000)
      INSERT INTO share_day SELECT ${day}, 'ETB', 'b' || i, 1 FROM n`,
    tenantOf(BETA, 'production'),
  );
  expect(await linesOf('2026-10')).toEqual([
    HEAD,
    ...ALPHA_LINES,
    expect.stringContaining('more than 10000 beneficiaries'),
    expect.stringContaining('INCOMPLETE'),
  ]);
});

test.each(['2026-13', '2026-02-30', '2026', 'x%0d%0a', ''])(
  'is refused without an entry for the days "%s"',
  async (period) => {
    expect((await open(`${PATH}?period=${period}`)).status).toBe(400);
    expect(await entries()).toEqual([]);
  },
);

test('is whole on the desk, however many rows it has', async () => {
  const row = { type: 'missing', merchantId: 'm', merchantName: 'Shop' };
  const rows = Array.from({ length: EXPORT_ROWS_MAX + 1 }, () => row);
  vi.spyOn(STATEMENTS_FILE.action, 'run').mockResolvedValue({
    message: 'Exported',
    content: { rows, next: null },
  });
  const lines = await linesOf('2026-10');
  expect(lines).toHaveLength(EXPORT_ROWS_MAX + 2);
  expect(lines.at(-1)).toContain('MISSING');
});
