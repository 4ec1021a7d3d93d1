import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { reachAccount } from './gateway.ts';
import { ALPHA, tenantOf } from './merchants.ts';

export function accountStub({ environment, merchantId }: Tenant = tenantOf(ALPHA)) {
  return reachAccount(env.MERCHANT_ACCOUNT.idFromName(`${environment}/${merchantId}`));
}

/** The rows of a table of the account; none before its first write. */
export function accountRows(table: string, tenant?: Tenant): Promise<readonly object[]> {
  return runInDurableObject(accountStub(tenant), (_instance, { storage: { sql } }) => {
    const known = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table);
    return known.toArray().length === 0 ? [] : sql.exec(`SELECT * FROM ${table}`).toArray();
  });
}

/** Fires the account's alarm now. False when none is set. */
export function fireAccountAlarm(tenant?: Tenant): Promise<boolean> {
  return runDurableObjectAlarm(accountStub(tenant));
}
