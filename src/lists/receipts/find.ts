import { merchantNumberIn } from '../../engine/domain/identifiers.ts';
import type { OtherPayment } from '../../engine/domain/intent.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Environment } from '../../kit/tenant.ts';
import { volumesOf } from '../book/volumes.ts';
import { holdersOfReceipts } from '../receipt-index/client.ts';

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
  const keys = keyed.flatMap(([, own]) => own);
  const found = Map.groupBy(await holdersOfReceipts(env, environment, keys), ({ key }) => key);
  const holders = keyed.map(([receipt, own]) => {
    const payments = own.flatMap((key) => found.get(key) ?? []);
    const distinct = new Map(payments.map(({ key: _, ...one }) => [nameOf(one), one]));
    return [receipt, [...distinct.values()]] as const;
  });
  return new Map(holders.filter(([, payments]) => payments.length > 0));
}

function nameOf({ merchantId, uniqueId }: OtherPayment): string {
  return `${merchantId}/${uniqueId}`;
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
    return answers
      .flat()
      .map(({ reference, uniqueId }) => [reference, { merchantId, uniqueId }] as const);
  });
  return new Map(found.flat());
}
