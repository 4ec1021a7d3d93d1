import { idSearchKey, isSearchable } from '../../engine/domain/search-key.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import { type Asked, askBooks } from '../../lists/book/all-books.ts';
import { readerOf } from '../../lists/book/reader.ts';
import type { PaymentRow } from '../../lists/book/rows.ts';
import { merchantNames } from '../merchants/merchant-rows.ts';
import type { OperatorCall } from '../operator/call.ts';
import { merchantIdField, pathPart } from '../operator/fields.ts';

/** The newest payments of one merchant, in each environment. */
const NEWEST_ROWS = 25;
/** The newest of those that are found over all merchants. */
const FOUND_ROWS_MAX = 50;

export interface FoundPayments extends Asked {
  readonly rows: readonly PaymentRow[];
  /** The merchants' names by their ids. */
  readonly merchantNames: Readonly<Record<string, string>>;
}

/**
 * Payments of one merchant in both environments, or of all merchants, by a text; one merchant's
 * newest without a text.
 */
export async function findPayments(
  { env }: Pick<OperatorCall, 'env'>,
  text: string,
  merchantId: string | null,
): Promise<FoundPayments> {
  const { found, ...asked } =
    merchantId === null
      ? await searchAll(env, text)
      : await paymentsOf(env, text, pathPart(merchantIdField, merchantId));
  const rows = found.toSorted((one, other) => other.createdAtMs - one.createdAtMs);
  const names = await merchantNames(
    env.DB,
    rows.map((row) => row.merchantId),
  );
  return { ...asked, rows: rows.slice(0, FOUND_ROWS_MAX), merchantNames: names };
}

/**
 * Payments of all merchants, in both environments, with exactly this id. Finds
 * paymentIntentUniqueId, uuid, transactionId, a provider's reference or receipt, and an event's id. A
 * phone number is found only within one merchant, because its digest is keyed by merchant.
 */
async function searchAll(env: Env, text: string) {
  const wanted = text.trim();
  if (wanted === '' || !isSearchable(wanted)) {
    return { asked: 0, isComplete: true, found: [] };
  }
  const keys = {
    sandbox: await receiptKeys(env, 'sandbox', wanted),
    production: await receiptKeys(env, 'production', wanted),
  };
  return askBooks(env, ENVIRONMENTS, async (book, tenant) => {
    const own = [idSearchKey(wanted), ...keys[tenant.environment]];
    const groups = own.map((key) => [key]);
    const answer = await book.ask('search', { text: wanted, groups, partGroups: [] });
    // The keys of open payments are found only by a part of them.
    const whole = (answer?.byPart ?? []).filter(({ searchKeys }) => {
      const known: readonly string[] = JSON.parse(searchKeys);
      return own.some((key) => known.includes(key));
    });
    const rows = new Map([...(answer?.exact ?? []), ...whole].map((row) => [row.uuid, row]));
    return [...rows.values()].map(({ id: _, searchKeys, sealedDetails, ...row }) => ({
      ...tenant,
      ...row,
    }));
  });
}

async function paymentsOf(env: Env, text: string, merchantId: string) {
  const pages = await Promise.all(
    ENVIRONMENTS.map((environment) => paymentsOfTenant(env, text, { environment, merchantId })),
  );
  return { asked: 1, isComplete: true, found: pages.flat() };
}

async function paymentsOfTenant(env: Env, text: string, tenant: Tenant) {
  const reader = await readerOf(env, tenant);
  return text === '' ? (await reader.payments({}, null, NEWEST_ROWS)).rows : reader.search(text);
}
