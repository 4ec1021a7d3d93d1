import { claimSearchKey, idSearchKey, isSearchable } from '../../engine/domain/search-key.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import { ENVIRONMENTS, type Environment, type Tenant } from '../../kit/tenant.ts';
import { type Asked, askBooks } from '../../lists/book/all-books.ts';
import { readerOf } from '../../lists/book/reader.ts';
import type { PaymentRow } from '../../lists/book/rows.ts';
import { merchantNames } from '../merchants/merchant-rows.ts';
import type { ActionCall } from '../operator/call.ts';
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
  { env }: Pick<ActionCall, 'env'>,
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
 * paymentIntentUniqueId, uuid, transactionId, a provider's reference or receipt, a number that a
 * customer claims, and an event's id. A phone number is found only within one merchant, because its
 * digest is keyed by merchant.
 */
async function searchAll(env: Env, text: string) {
  const wanted = text.trim();
  if (wanted === '' || !isSearchable(wanted)) {
    return { asked: 0, isComplete: true, found: [] };
  }
  const { found, ...asked } = await paymentsWithId(env, ENVIRONMENTS, wanted);
  return { ...asked, found: found.map(({ keys: _, ...row }) => row) };
}

/** Payments of all merchants of these environments with this id, each with its search keys. */
export async function paymentsWithId(
  env: Env,
  environments: readonly Environment[],
  id: string,
): Promise<Asked & { readonly found: readonly (PaymentRow & { keys: readonly string[] })[] }> {
  const receipts = {
    sandbox: await receiptKeys(env, 'sandbox', id),
    production: await receiptKeys(env, 'production', id),
  };
  return askBooks(env, environments, async (book, tenant) => {
    const keys = receipts[tenant.environment];
    const own = [idSearchKey(id), ...keys, ...keys.map(claimSearchKey)];
    const groups = own.map((key) => [key]);
    const answer = await book.ask('search', { text: id, groups, partGroups: [] });
    const rows = [...(answer?.exact ?? []), ...(answer?.byPart ?? [])].map(
      ({ id: _, searchKeys, sealedDetails, ...row }) => {
        const known: readonly string[] = JSON.parse(searchKeys);
        return { ...tenant, ...row, keys: known };
      },
    );
    // The keys of open payments are found only by a part of them.
    const exact = answer?.exact.length ?? 0;
    const whole = rows.filter(
      (row, index) => index < exact || own.some((key) => row.keys.includes(key)),
    );
    return [...new Map(whole.map((row) => [row.uuid, row])).values()];
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
