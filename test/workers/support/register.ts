import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { reachRegister } from './gateway.ts';
import { ALPHA, tenantOf } from './merchants.ts';

export function registerStub({ environment, merchantId }: Tenant = tenantOf(ALPHA)) {
  return reachRegister(env.MERCHANT_REGISTER.idFromName(`${environment}/${merchantId}`));
}

/** The rows of a table of the register; none before its first write. */
export function registerRows(table: string, tenant?: Tenant): Promise<readonly object[]> {
  return runInDurableObject(registerStub(tenant), (_instance, { storage: { sql } }) => {
    const known = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table);
    return known.toArray().length === 0 ? [] : sql.exec(`SELECT * FROM ${table}`).toArray();
  });
}

/** Fires the register's alarm now. False when none is set. */
export function fireRegisterAlarm(tenant?: Tenant): Promise<boolean> {
  return runDurableObjectAlarm(registerStub(tenant));
}
