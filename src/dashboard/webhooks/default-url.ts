import { prepare } from '../../database.ts';
import type { Tenant } from '../../domain/intent.ts';

/** Where events without a callbackUrl go, as D1 has it now. */
export function defaultUrl(db: D1Database, tenant: Tenant): Promise<string | null> {
  return prepare(db, {
    sql: 'SELECT url FROM webhook_settings WHERE merchant_id = ?1 AND environment = ?2',
    params: [tenant.merchantId, tenant.environment],
  }).first<string>('url');
}
