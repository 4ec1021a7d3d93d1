import { uuidV7TimeMs } from '../crypto/uuid-v7.ts';
import { INTENT_NUMBER } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';
import type { Environment } from '../domain/method.ts';
import { orderSearchKey } from '../domain/search-key.ts';
import { prepare, readInTime, type SqlStatement } from '../platform/database.ts';
import { PAYMENTS_BY_TIME, samePayment } from './payment-row.ts';

/**
 * The unique id of a tenant's payment with this uuid or integer id, or null. May lag the objects by
 * seconds. Ids of another form cost no query. Throws DatabaseUnavailable.
 */
export async function findUniqueId(env: Env, tenant: Tenant, id: string): Promise<string | null> {
  const statement = findUniqueIdStatement(tenant, id);
  return statement === null
    ? null
    : readInTime(() => prepare(env.DB, statement).first<string>('unique_id'));
}

export function findUniqueIdStatement(
  { merchantId, environment }: Tenant,
  id: string,
): SqlStatement | null {
  const createdAtMs = uuidV7TimeMs(id);
  if (createdAtMs !== null) {
    return {
      sql: `SELECT unique_id FROM payment INDEXED BY ${PAYMENTS_BY_TIME}
        WHERE merchant_id = ? AND environment = ? AND created_at_ms = ? AND uuid = ?`,
      params: [merchantId, environment, createdAtMs, id],
    };
  }
  return INTENT_NUMBER.test(id)
    ? {
        sql: `SELECT unique_id FROM payment INDEXED BY payment_number
          WHERE merchant_id = ? AND environment = ? AND number = ?`,
        params: [merchantId, environment, Number(id)],
      }
    : null;
}

export interface PaymentOfOrder extends Tenant {
  readonly uniqueId: string;
}

/**
 * The payment with this attempt, by the reference that its provider reports; null when there is none
 * in `environment`, or when the read model does not know it yet. Throws DatabaseUnavailable.
 */
export async function findPaymentOfOrder(
  env: Env,
  environment: Environment,
  reference: string,
): Promise<PaymentOfOrder | null> {
  const statement = findPaymentOfOrderStatement(environment, reference);
  return readInTime(() => prepare(env.DB, statement).first<PaymentOfOrder>());
}

/** CROSS JOIN makes SQLite read the key first. */
export function findPaymentOfOrderStatement(
  environment: Environment,
  reference: string,
): SqlStatement {
  return {
    sql: `SELECT payment.merchant_id AS merchantId, payment.environment AS environment,
        payment.unique_id AS uniqueId
      FROM payment_search_key AS found INDEXED BY payment_search_key_of_order
        CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME} ON ${samePayment('found')}
      WHERE found.key >= 'order:' AND found.key < 'order;' AND found.key = ?
        AND found.environment = ?`,
    params: [orderSearchKey(reference), environment],
  };
}
