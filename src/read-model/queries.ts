import { prepare, readInTime, type SqlStatement } from '../database.ts';
import { INTENT_NUMBER, UUID } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';
import type { Environment } from '../domain/method.ts';
import { orderSearchKey } from '../domain/search-key.ts';

/**
 * The unique id of a tenant's payment with this uuid or integer id, or null. May lag the objects by
 * seconds. Ids of another form cost no query. Throws DatabaseUnavailable.
 */
export async function findUniqueId(env: Env, tenant: Tenant, id: string): Promise<string | null> {
  const column = UUID.test(id) ? 'uuid' : INTENT_NUMBER.test(id) ? 'number' : null;
  if (column === null) {
    return null;
  }
  const statement = findUniqueIdStatement(tenant, column, column === 'uuid' ? id : Number(id));
  return readInTime(() => prepare(env.DB, statement).first<string>('unique_id'));
}

export function findUniqueIdStatement(
  { merchantId, environment }: Tenant,
  column: 'uuid' | 'number',
  id: string | number,
): SqlStatement {
  return {
    sql: `SELECT unique_id FROM payment
        INDEXED BY ${column === 'number' ? 'payment_number' : 'payment_by_uuid'}
      WHERE merchant_id = ? AND environment = ? AND ${column} = ?`,
    params: [merchantId, environment, id],
  };
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
        CROSS JOIN payment INDEXED BY payment_by_uuid ON payment.uuid = found.uuid
      WHERE found.key >= 'order:' AND found.key < 'order;' AND found.key = ?
        AND payment.environment = ?`,
    params: [orderSearchKey(reference), environment],
  };
}
