import type { Tenant } from '../domain/intent.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INTENT_NUMBER = /^[1-9]\d{0,15}$/;

/**
 * The unique id of a tenant's payment by its uuid or integer id, or null. May lag the objects by
 * seconds. Costs no query for ids of any other form.
 */
export async function findUniqueId(env: Env, tenant: Tenant, id: string): Promise<string | null> {
  const column = UUID.test(id) ? 'uuid' : INTENT_NUMBER.test(id) ? 'number' : null;
  if (column === null) {
    return null;
  }
  return await env.DB.prepare(
    `SELECT unique_id FROM payment WHERE ${column} = ? AND merchant_id = ? AND environment = ?`,
  )
    .bind(column === 'uuid' ? id : Number(id), tenant.merchantId, tenant.environment)
    .first<string>('unique_id');
}
