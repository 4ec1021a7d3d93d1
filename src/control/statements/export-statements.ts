import * as v from 'valibot';
import { METHODS, type Method } from '../../engine/domain/method.ts';
import { record } from '../../kit/audit/log.ts';
import { stringField } from '../../kit/http/fields.ts';
import { body } from '../../kit/http/strict-body.ts';
import { CURRENCIES, type Currency } from '../../kit/money.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { type PaidFigures, paidFigures } from '../../lists/book/proceeds.ts';
import { readerOf } from '../../lists/book/reader.ts';
import type { BeneficiaryTotal, DayRange } from '../../lists/book/rows.ts';
import { beginPage, sealPlace } from '../audit/readings.ts';
import { merchantsOfLostBooks } from '../health/lost-books.ts';
import { action, entryBy } from '../operator/call.ts';
import { daysOfPeriod, environmentField, pathPart, periodField } from '../operator/fields.ts';

/** Merchants of one page. A Worker may make 1,000 calls, and a merchant may have several volumes. */
const MERCHANTS_MAX = 100;
/** A page with as many rows ends early: marketplaces have thousands of beneficiaries. */
const ROWS_MAX = 2_000;

interface OfMerchant {
  readonly merchantId: string;
  readonly merchantName: string;
}

/** What a merchant's statement of the days shows for one currency and method. */
export interface MerchantStatement extends OfMerchant, PaidFigures {
  readonly type: 'statement';
  readonly currency: Currency;
  /** Null: the customer chose none. */
  readonly method: Method | null;
}

/** What a beneficiary of the merchant's splits gets, which is a part of what the merchant receives. */
export interface BeneficiaryShare extends OfMerchant, BeneficiaryTotal {
  readonly type: 'beneficiary';
}

/** A merchant whose book did not answer, has lost payments or has too many beneficiaries. */
interface MissingStatement extends OfMerchant {
  readonly type: 'missing';
}

/** The last row of a file without the statements of some merchants. */
interface IncompleteFile {
  readonly type: 'incomplete';
  readonly missing: number;
}

export type StatementRow = OfOneMerchant | IncompleteFile;

export interface StatementsPage {
  readonly rows: readonly StatementRow[];
  /** How many merchants it is about. */
  readonly merchants: number;
  /** The next call's `after`; null after the last page. */
  readonly next: string | null;
}

/**
 * A page of the statements of all merchants for a day or a month, by the merchants' ids. A merchant that was
 * paid nothing, and returned nothing, has none. An entry is written before the first page, and
 * another one with the last page, which says whether the file is complete.
 */
export const exportStatements = action(
  body({ period: periodField, after: v.optional(stringField) }),
  async (call, target, { period, after = null }): Promise<StatementsPage> => {
    const environment = pathPart(environmentField, target.environment);
    const { config, nowMs, actor, env } = call;
    const entry = entryBy(call, {
      merchantId: null,
      environment,
      action: 'statements.exported',
      target: null,
      detail: { period },
    });
    const scope = ['operator', actor.id, 'statements', environment, period];
    const reading = { config, nowMs, scope };
    const begun = await beginPage(reading, after, () => record(env.DB, entry));
    const { missing: missingBefore, lastId } = placeIn(begun.place);
    const merchants = await merchantsAfter(env.DB, lastId);
    const days = daysOfPeriod(period);
    const lost = await merchantsOfLostBooks(env.DB, environment);
    let read = 0;
    const found: OfOneMerchant[] = [];
    await concurrently(merchants.slice(0, MERCHANTS_MAX), async (merchant) => {
      if (found.length >= ROWS_MAX) {
        return;
      }
      // They begin in the order of their ids, so those that were read are the first.
      read += 1;
      const { merchantId } = merchant;
      found.push(
        ...(lost.has(merchantId)
          ? [missingOf(merchant)]
          : await statementsOf(env, { environment, merchantId }, merchant, days)),
      );
    });
    const rows = found.sort(byMerchant);
    const missing = missingBefore + rows.filter(({ type }) => type === 'missing').length;
    if (merchants.length > read) {
      const place = `${missing}:${merchants[read - 1]?.merchantId}`;
      return { rows, merchants: read, next: await sealPlace(reading, begun, place) };
    }
    await record(env.DB, entry, { complete: missing === 0, ...(missing > 0 && { missing }) });
    return {
      rows: missing === 0 ? rows : [...rows, { type: 'incomplete', missing }],
      merchants: read,
      next: null,
    };
  },
);

/** How many merchants the pages before could not read, and the last merchant of them. */
function placeIn(place: string | null): { readonly missing: number; readonly lastId: string } {
  const [missing = '0', lastId = ''] = place?.split(':') ?? [];
  return { missing: Number(missing), lastId };
}

/** One more than a page has. Closed merchants too, whose payments stay for their time. */
async function merchantsAfter(db: D1Database, lastId: string): Promise<readonly OfMerchant[]> {
  const sql = `SELECT id AS merchantId, name AS merchantName FROM merchants
    WHERE id > ?1 ORDER BY id LIMIT ?2`;
  const statement = { sql, params: [lastId, MERCHANTS_MAX + 1] };
  const { results } = await prepare(db, statement).all<OfMerchant>();
  return results;
}

type OfOneMerchant = MerchantStatement | BeneficiaryShare | MissingStatement;

async function statementsOf(
  env: Env,
  tenant: Tenant,
  merchant: OfMerchant,
  days: DayRange,
): Promise<readonly OfOneMerchant[]> {
  try {
    return await readStatements(env, tenant, merchant, days);
  } catch (error) {
    log('warn', 'statement_missing', { ...tenant, error: errorText(error) });
    return [missingOf(merchant)];
  }
}

function missingOf(merchant: OfMerchant): MissingStatement {
  return { type: 'missing', ...merchant };
}

async function readStatements(
  env: Env,
  tenant: Tenant,
  merchant: OfMerchant,
  days: DayRange,
): Promise<readonly OfOneMerchant[]> {
  const { totals, beneficiaries } = await (await readerOf(env, tenant)).paidOut(days);
  const statements = CURRENCIES.flatMap((currency) =>
    [...METHODS, null].flatMap((method): MerchantStatement[] => {
      const own = totals.filter(
        (total) =>
          total.currency === currency && total.method === method && total.status === 'succeeded',
      );
      return own.length === 0
        ? []
        : [{ type: 'statement', ...merchant, currency, method, ...paidFigures(own) }];
    }),
  );
  const shares = beneficiaries.map(
    (beneficiary): BeneficiaryShare => ({ type: 'beneficiary', ...merchant, ...beneficiary }),
  );
  return [...statements, ...shares];
}

/** Stable: the rows of one merchant keep their order. */
function byMerchant(one: OfOneMerchant, other: OfOneMerchant): number {
  return one.merchantId < other.merchantId ? -1 : Number(one.merchantId > other.merchantId);
}
