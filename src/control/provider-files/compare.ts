import { businessDay, dayText } from '../../kit/ethiopian-time.ts';
import { prepare } from '../../kit/platform/database.ts';
import { outageBehind } from '../../kit/platform/unavailable.ts';
import type { PaidPayment } from '../../lists/book/queries/provider-files.ts';
import { merchantsOfLostBooks } from '../health/lost-books.ts';
import type { ComparedTo, StoredFile } from './file-table.ts';
import { paidPage } from './find-payments.ts';
import type { ExpectedSum, StoredLine } from './line-table.ts';

/** Goes through the paid payments of a file's days: those without a line are missing. */

/** Merchants and pages of one step: an alarm may make a thousand calls. */
const MERCHANTS_EACH = 50;
const PAGES_EACH = 50;
const PAGE_ROWS = 500;
/** Half a minute apart. After these, a book that does not answer is left out. */
const TRIES_MAX = 20;

/** What a step found, for its transaction. */
interface Compared {
  readonly next: StoredFile;
  /** Payments that are missing unless they have a line. */
  readonly missing: readonly StoredLine[];
}

export async function compareStep(env: Env, file: StoredFile, nowMs: number): Promise<Compared> {
  const { environment, method, fromDay, toDay } = file;
  const days = { fromDay: fromDay ?? 0, toDay: toDay ?? 0 };
  let { merchantId: last, after, sums }: ComparedTo = file.compared ?? BEGINNING;
  let { unanswered } = file;
  const missing: StoredLine[] = [];
  const merchants = await merchantsAfter(env.DB, last);
  const waiting = [...merchants];
  const lost = await merchantsOfLostBooks(env.DB, environment);
  for (let pages = 0; pages < PAGES_EACH && waiting.length > 0; pages += 1) {
    const [merchantId = ''] = waiting;
    const tenant = { environment, merchantId };
    const page = lost.has(merchantId)
      ? null
      : await paidPage(env, tenant, method, days, after, PAGE_ROWS).catch((error) => {
          if (outageBehind(error) === null || file.failures < TRIES_MAX) {
            throw error;
          }
          return null;
        });
    const { rows, next } = page ?? { rows: [], next: null };
    unanswered += page === null ? 1 : 0;
    sums = addedTo(sums, rows, nowMs);
    missing.push(...rows.map((payment) => missingLine(merchantId, payment)));
    after = next;
    if (after === null) {
      last = merchantId;
      waiting.shift();
    }
  }
  const isDone = waiting.length === 0 && merchants.length < MERCHANTS_EACH;
  const compared = { merchantId: last, after, sums };
  return { next: { ...file, compared, unanswered, ...(isDone && { status: 'done' }) }, missing };
}

const BEGINNING: ComparedTo = { merchantId: '', after: null, sums: [] };

async function merchantsAfter(db: D1Database, id: string): Promise<readonly string[]> {
  const sql = 'SELECT id FROM merchants WHERE id > ?1 ORDER BY id LIMIT ?2';
  const found = await prepare(db, { sql, params: [id, MERCHANTS_EACH] }).all<{ id: string }>();
  return found.results.map((merchant) => merchant.id);
}

function addedTo(
  sums: readonly ExpectedSum[],
  payments: readonly PaidPayment[],
  comparedAtMs: number,
): readonly ExpectedSum[] {
  const added = new Map(sums.map((sum) => [`${sum.day}/${sum.currency}`, sum]));
  for (const { paidAtMs, currency, chargedMinor } of payments) {
    const day = businessDay(paidAtMs);
    const key = `${day}/${currency}`;
    const { payments: count, amountMinor } = added.get(key) ?? { payments: 0, amountMinor: 0 };
    const sum = { payments: count + 1, amountMinor: amountMinor + chargedMinor };
    added.set(key, { day, currency, ...sum, comparedAtMs });
  }
  return [...added.values()];
}

/** A paid payment as the line that the provider's file lacks. */
export function missingLine(merchantId: string, payment: PaidPayment): StoredLine {
  const { uniqueId, transactionId, currency, chargedMinor, paidAtMs } = payment;
  return {
    key: `${dayText(businessDay(paidAtMs))}/missing/${merchantId}/${uniqueId}`,
    ...{ line: 0, fileId: null, type: 'payment', outcome: 'missing' },
    ...{ amountMinor: chargedMinor, feeMinor: null, netMinor: null, expectedMinor: null },
    ...{ currency, atMs: paidAtMs, receipt: null, reference: transactionId },
    ...{ merchantId, uniqueId, isAssigned: false, decision: null },
  };
}
