import { batch, readInTime, type SqlStatement } from '../database.ts';
import type { OtherPayment, Tenant } from '../domain/intent.ts';
import type { Environment } from '../domain/method.ts';
import { receiptKeys } from '../intent/receipt-keys.ts';

/**
 * Which payments have a receipt, over all merchants of an environment: a receipt counts once
 * (docs/decisions.md#44). Rows come from the payments' own messages, and at once from a payment
 * that an operator recorded as paid. They may lag, so each payment is compared again when its
 * receipt is stored.
 */

/** A payment that has a receipt, by one of its keys. */
interface ReceiptRow extends Tenant {
  readonly key: string;
  readonly uniqueId: string;
  readonly createdAtMs: number;
  readonly uuid: string;
}

export function insertReceiptsStatement(rows: readonly ReceiptRow[]): SqlStatement {
  const shown = rows.map(({ environment, key, merchantId, uniqueId, createdAtMs, uuid }) => ({
    ...{ environment, key, merchantId, uniqueId, createdAtMs, uuid },
  }));
  return {
    sql: `INSERT INTO receipts (environment, key, merchant_id, unique_id, created_at_ms, uuid)
      SELECT value ->> 'environment', value ->> 'key', value ->> 'merchantId',
        value ->> 'uniqueId', value ->> 'createdAtMs', value ->> 'uuid'
      FROM json_each(?1) WHERE true
      ON CONFLICT DO NOTHING`,
    params: [JSON.stringify(shown)],
  };
}

/** A receipt that a payment of the batch and another payment have. */
export interface SharedReceipt extends OtherPayment {
  /** Of the payment of the batch. */
  readonly uuid: string;
}

/**
 * How many other payments with the same receipt are read. A provider that gives all payments one
 * receipt must not make each of them cost as much as all.
 */
const OTHERS_MAX = 10;

export interface OthersRow {
  readonly uuid: string;
  /** JSON array. */
  readonly others: string;
}

/** The payments that share a receipt with these. */
export function othersStatement(
  keys: readonly Pick<ReceiptRow, 'environment' | 'key' | 'uuid'>[],
): SqlStatement {
  return {
    sql: `SELECT value ->> 'uuid' AS uuid,
        (SELECT json_group_array(json_object('merchantId', merchant_id, 'uniqueId', unique_id))
          FROM (SELECT merchant_id, unique_id FROM receipts
            WHERE environment = value ->> 'environment' AND key = value ->> 'key'
              AND uuid <> value ->> 'uuid'
            LIMIT ${OTHERS_MAX})) AS others
      FROM json_each(?1)`,
    params: [JSON.stringify(keys)],
  };
}

/** The result of `othersStatement`. */
export function sharedReceipts(rows: readonly OthersRow[]): readonly SharedReceipt[] {
  return rows.flatMap(({ uuid, others }) =>
    (JSON.parse(others) as readonly OtherPayment[]).map((other) => ({ ...other, uuid })),
  );
}

/**
 * Another payment with this receipt, of any merchant of the environment, or null. Throws
 * DatabaseUnavailable.
 */
export async function otherPaymentWithReceipt(
  env: Env,
  environment: Environment,
  receipt: string,
  uuid: string,
): Promise<OtherPayment | null> {
  const keys = await receiptKeys(env, environment, receipt);
  const statement = othersStatement(keys.map((key) => ({ environment, key, uuid })));
  const results = await readInTime(() => batch<OthersRow>(env.DB, [statement]));
  const [other] = results.flatMap((result) => sharedReceipts(result.results));
  return other === undefined ? null : { merchantId: other.merchantId, uniqueId: other.uniqueId };
}
