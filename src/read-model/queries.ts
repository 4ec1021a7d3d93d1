import { prepare, readInTime, type SqlStatement } from '../database.ts';
import { INTENT_NUMBER, UUID } from '../domain/identifiers.ts';
import type { Tenant } from '../domain/intent.ts';

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
