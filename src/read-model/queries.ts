import { uuidV7TimeMs } from '../crypto/uuid-v7.ts';
import { INTENT_NUMBER } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';
import { prepare, readInTime, type SqlStatement } from '../platform/database.ts';
import { PAYMENTS_BY_TIME } from './payment-row.ts';

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
