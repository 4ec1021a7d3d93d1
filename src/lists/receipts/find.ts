import { merchantNumberIn } from '../../engine/domain/identifiers.ts';
import type { OtherPayment } from '../../engine/domain/intent.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Environment } from '../../kit/tenant.ts';
import { askBooks } from '../book/all-books.ts';
import { volumesOf } from '../book/volumes.ts';

/**
 * Finds payments of all merchants of an environment by what a provider's file names. A call may name
 * a few thousand. Each function throws Unavailable when a part is out of reach.
 */

/** The payments with each receipt, without receipts of no payment. */
export async function paymentsWithReceipts(
  env: Env,
  environment: Environment,
  receipts: readonly string[],
): Promise<ReadonlyMap<string, readonly OtherPayment[]>> {
  const keyed = await Promise.all(
    receipts.map(
      async (receipt) => [receipt, await receiptKeys(env, environment, receipt)] as const,
    ),
  );
  const keys = [...new Set(keyed.flatMap(([, own]) => own))];
  const { found } = await askBooks(env, [environment], async (book, { merchantId }) => {
    const holders = (await book.ask('withReceipts', keys)) ?? [];
    return holders.map((holder) => ({ ...holder, merchantId }));
  });
  const holders = keyed.map(([receipt, own]) => {
    const payments = found.filter(({ key }) => own.includes(key));
    return [receipt, payments.map(({ key: _, ...payment }) => payment)] as const;
  });
  return new Map(holders.filter(([, payments]) => payments.length > 0));
}

interface NumberedMerchant {
  readonly number: number;
  readonly merchantId: string;
  readonly bookVolume: number;
}

/**
 * The payment of each attempt's reference: it names the merchant, whose book finds the payment by its
 * time. So it also finds payments that are not paid. Without references of no payment.
 */
export async function paymentsOfReferences(
  env: Env,
  environment: Environment,
  references: readonly string[],
): Promise<ReadonlyMap<string, OtherPayment>> {
  const byNumber = Map.groupBy(new Set(references), merchantNumberIn);
  const sql = `SELECT number, id AS merchantId, (SELECT COALESCE(MAX(volume), 0) FROM book_volumes
      WHERE merchant_id = merchants.id AND environment = ?1) AS bookVolume
    FROM merchants WHERE number IN (SELECT value FROM json_each(?2))`;
  const params = [environment, JSON.stringify([...byNumber.keys()])];
  const { results } = await prepare(env.DB, { sql, params }).all<NumberedMerchant>();
  const found = await concurrently(results, async ({ number, merchantId, bookVolume }) => {
    const volumes = await volumesOf(env, { environment, merchantId, bookVolume });
    const answers = await volumes.askAll('ofReferences', byNumber.get(number) ?? []);
    return answers.flat().map(({ key, uniqueId }) => [key, { merchantId, uniqueId }] as const);
  });
  return new Map(found.flat());
}
