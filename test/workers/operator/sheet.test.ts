import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { STATEMENTS_FILE } from '../../../back-office/operator/exports.ts';
import type { StatementRow } from '../../../src/control/statements/export-statements.ts';
import { configOf } from '../../../src/engine/config.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { beneficiaryContext } from '../../../src/engine/intent/book-message.ts';
import { sealRepeatably } from '../../../src/kit/crypto/sealed.ts';
import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import { receivedMinor } from '../../../src/lists/book/proceeds.ts';
import { requestRefund } from '../../support/intents.ts';
import { plantedError } from '../../support/output/planted.ts';
import { applyAll, projectedRefund, projectionMessage } from '../book/fixture.ts';
import { auditLog } from '../dashboard/support.ts';
import {
  ALPHA,
  advance,
  BETA,
  call,
  clientOf,
  contentOf,
  createHosted,
  DAY_MS,
  MINUTE_MS,
  resolveAttempt,
  startRedirect,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';
import { content, deskOf, operateApi } from './support.ts';

/**
 * Goal: what the operator pays out, day by day, is what the payments say at the end: to the merchant
 * and to each beneficiary, whether the operator returns commissions or keeps them
 * (docs/decisions.md#73). Method: random payments with splits and refunds through their objects, sums
 * that share nothing with the book, and the page that the operator sees.
 */

useGateway();

const DAYS = 5;
const PAYMENTS = 8;
const ACCOUNTS = ['1000123456789', '1000987654321'];

/** The same numbers each time. */
function randomOf(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Of the status call's answer. */
interface Shown {
  readonly chargedAmount: number;
  readonly commission: number;
  readonly netShareAmounts: readonly number[];
  readonly refunds: readonly Readonly<{
    status: string;
    returnedMinor: number;
    commissionReturnedMinor: number;
  }>[];
}

function refundWith(
  id: string,
  amountMinor: number,
  keepsCommission: boolean,
  isReturned: boolean,
) {
  const deadlineAtMs = Date.now() + MINUTE_MS;
  const outcome = isReturned
    ? ({ type: 'succeeded', railReference: null } as const)
    : ({ type: 'failed', reason: 'declined' } as const);
  return [
    requestRefund(id, { attemptId: `paid-${id.slice(0, 1)}`, amountMinor }, { keepsCommission }),
    { type: 'claim_refund', refundId: id, claimId: id, deadlineAtMs },
    { type: 'resolve_refund', refundId: id, outcome },
  ] satisfies Command[];
}

async function run(uniqueId: string, commands: readonly Command[]): Promise<void> {
  const result = await clientOf(uniqueId).execute(commands);
  expect(result).toMatchObject({ rejection: null });
}

async function rowsOf(period: string): Promise<readonly StatementRow[]> {
  const page = await content<{ rows: StatementRow[]; merchants: number; next: null }>(
    operateApi('/statements/sandbox/export', { period }),
  );
  expect(page).toMatchObject({ merchants: 2, next: null });
  return page.rows;
}

/** To pay out, by beneficiary, and `merchant` for all that the merchant receives. */
function sumsOf(rows: readonly StatementRow[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const row of rows) {
    const [name, minor] =
      row.type === 'beneficiary'
        ? [`${row.bank} ${row.account}`, row.shareMinor]
        : ['merchant', row.type === 'statement' ? receivedMinor(row) : Number.NaN];
    sums[name] = (sums[name] ?? 0) + minor;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, minor]) => minor !== 0));
}

test.each([
  [false, 1],
  [true, 2],
])(
  'days add up to what the payments show, if the operator keeps commissions: %s',
  async (keeps, seed) => {
    const upTo = randomOf(seed);
    const firstDay = businessDay(Date.now());
    const accountsOf: (readonly string[])[] = [];
    for (let index = 0; index < PAYMENTS; index += 1) {
      const uniqueId = `order-${index}`;
      const amount = (10_000 + upTo(90_000)) / 100;
      const accounts = ACCOUNTS.slice(0, upTo(3));
      accountsOf.push(accounts);
      await createHosted({
        ...{ paymentIntentUniqueId: uniqueId, amount, items: [], expireIn: 7 * 24 * 3_600 },
        commissionPaidByCustomer: upTo(2) === 0,
        splitPayment: accounts.map((creditAccount, at) => ({
          ...{ bank: 'CBE', creditAccount, splitType: at === 0 ? 'PERCENTAGE' : 'NUMBER' },
          amount: at === 0 ? 33.33 : 17.01,
        })),
      });
      await run(uniqueId, [
        startRedirect(`paid-${index}`),
        resolveAttempt(`paid-${index}`, 'succeeded'),
      ]);
    }
    for (let step = 0; step < 2 * PAYMENTS; step += 1) {
      advance(((DAYS - 1) * DAY_MS) / (2 * PAYMENTS));
      const index = upTo(PAYMENTS);
      const part = 1_000 + upTo(3_000);
      await run(`order-${index}`, refundWith(`${index}-${step}`, part, keeps, upTo(4) > 0));
    }
    const payments = await Promise.all(
      accountsOf.map((_, index) => contentOf<Shown>(call(statusPath(`order-${index}`)))),
    );
    const expected: Record<string, number> = {};
    const add = (name: string, minor = 0) => {
      expected[name] = (expected[name] ?? 0) + minor;
    };
    for (const [
      index,
      { chargedAmount, commission, refunds, netShareAmounts },
    ] of payments.entries()) {
      add('merchant', chargedAmount - commission);
      for (const { status, returnedMinor, commissionReturnedMinor } of refunds) {
        add('merchant', status === 'SUCCESS' ? commissionReturnedMinor - returnedMinor : 0);
      }
      for (const [at, account] of (accountsOf[index] ?? []).entries()) {
        add(`CBE ${account}`, netShareAmounts[at]);
      }
    }
    const days = Array.from({ length: DAYS }, (_, day) => dayText(firstDay + day));
    const daily = async () => (await Promise.all(days.map(rowsOf))).flat();
    await expect.poll(async () => sumsOf(await daily())).toEqual(expected);
  },
);

/** More than are asked at once. */
async function addMerchants(): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO merchants (id, number, name, created_at_ms)
      SELECT 'm' || i, 100 + i, 'Shop', 1 FROM n`,
  ).run();
}

describe('on the desk', () => {
  const { open, pageOf } = deskOf('Hana');
  const PATH = '/operator/sheet';
  const entries = async () =>
    (await auditLog()).filter(({ action }) => action === 'statements.exported').length;

  /** On 1 October: Alpha 100.00 less 1.00, half of it for an account. Beta returned 20.00. */
  async function seed(): Promise<void> {
    const paidAtMs = Date.parse('2026-10-01T09:00:00Z');
    const row = { status: 'succeeded', method: 'CBE', commissionMinor: 100 } as const;
    const beneficiary = await sealRepeatably(
      configOf(env).dataEncryptionKeys,
      JSON.stringify(['CBE', '1000123456789']),
      beneficiaryContext(tenantOf(ALPHA, 'production')),
    );
    const refund = { method: 'CBE', amountMinor: 2_000, returnedMinor: 2_000 } as const;
    await applyAll([
      projectionMessage(
        tenantOf(ALPHA, 'production'),
        1,
        { ...row, amountMinor: 10_000, endedAtMs: paidAtMs },
        { shares: [{ beneficiary, shareMinor: 5_000 }] },
      ),
      projectionMessage(
        tenantOf(BETA, 'production'),
        2,
        { ...row, amountMinor: 9_000, endedAtMs: paidAtMs - DAY_MS, transactionId: 'T-2' },
        { refunds: [projectedRefund({ ...refund, transactionId: 'T-2', updatedAtMs: paidAtMs })] },
      ),
    ]);
  }

  test('adds up all merchants of a day, then names each of them and the beneficiaries', async () => {
    await seed();
    const text = (await pageOf(`${PATH}?period=2026-10-01`)).replaceAll(/<[^>]+>|\s+/g, ' ');
    expect(text).toMatch(/Merchants asked: 2 .*To pay out +ETB 79\.00/);
    const rows = ['ETB 99.00', 'ETB 50.00', 'ETB 49.00'].map((amount) => `${amount} +`).join('');
    expect(text).toMatch(new RegExp(`${ALPHA.name} +${rows}.*${BETA.name} +-ETB 20.00`));
    expect(text).toMatch(/CBE +1000123456789 +ETB 50\.00/);
    expect(text).not.toContain('Incomplete');
    expect(await entries()).toBe(2);
  });

  test('names a merchant whose book has lost payments, and says that the sums are incomplete', async () => {
    await seed();
    await env.DB.prepare(
      `INSERT INTO book_digest (environment, merchant_id, volume, as_of_ms, unlisted, digest)
        VALUES ('production', ?1, 0, 1, 0, '{"lostAtMs":1}')`,
    )
      .bind(BETA.id)
      .run();
    const html = await pageOf(`${PATH}?period=2026-10`);
    expect(html).toMatch(new RegExp(`Incomplete[^<]*\\(1\\).*${BETA.name}`, 's'));
    expect(html).toMatch(/ETB\s99\.00/);
  });

  test.each(['', '?period=2026-02-30', '?environment=sandbox'])(
    'asks no book and writes no entry without days: %s',
    async (query) => {
      const html = await pageOf(`${PATH}${query}`);
      expect(html).toContain('name="period"');
      expect(html).not.toContain('Merchants asked');
      expect(await entries()).toBe(0);
    },
  );

  test('shows how many merchants were asked until all have been, and then the sums alone', async () => {
    await addMerchants();
    await seed();
    const html = await pageOf(`${PATH}?period=2026-10-01`);
    const stages = /<div class="stages">(.*)<\/div><\/main>/s.exec(html)?.[1] ?? '';
    expect(stages).toMatch(/^<p>Merchants asked so far: 100\..*<\/p><section [^>]*statement/);
    expect(stages).toMatch(/Merchants asked: 102.*ETB\s79\.00.*<\/section>$/s);
    expect(html).toMatch(/<\/html>$/);
    expect(await entries()).toBe(2);
  });

  test('shows no sums when a merchant’s page cannot be read', async () => {
    await addMerchants();
    await seed();
    const { action } = STATEMENTS_FILE;
    const run = action.run.bind(action);
    vi.spyOn(action, 'run').mockImplementationOnce(run).mockRejectedValueOnce(plantedError());
    const html = await pageOf(`${PATH}?period=2026-10-01`);
    expect(html).toMatch(/asked so far: 100.*could not be read to their end.*<\/html>$/s);
    expect(html).not.toContain('ETB');
    expect(await entries()).toBe(1);
  });

  test('refuses an environment that is none', async () => {
    expect((await open(`${PATH}?environment=x&period=2026-10`)).status).toBe(404);
  });
});
