import type { OtherPayment, Tenant } from '../domain/intent.ts';
import type { SqlStatement } from '../platform/database.ts';
import { isKeyOfPayment } from './payment-row.ts';

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

/** Stores the receipts of messages, if the row of their payment names them. */
export function insertNamedReceiptsStatement(rows: readonly ReceiptRow[]): SqlStatement {
  return insertStatement(rows, isKeyOfPayment('given.value'));
}

function insertStatement(rows: readonly ReceiptRow[], condition: string): SqlStatement {
  const shown = rows.map(({ environment, key, merchantId, uniqueId, createdAtMs, uuid }) => ({
    ...{ environment, key, merchantId, uniqueId, createdAtMs, uuid },
  }));
  return {
    sql: `INSERT INTO receipts (environment, key, merchant_id, unique_id, created_at_ms, uuid)
      SELECT given.value ->> 'environment', given.value ->> 'key', given.value ->> 'merchantId',
        given.value ->> 'uniqueId', given.value ->> 'createdAtMs', given.value ->> 'uuid'
      FROM json_each(?1) AS given WHERE ${condition}
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
