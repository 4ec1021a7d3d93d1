import { METHODS, type Method } from '../../engine/domain/method.ts';
import type { CommissionRate } from '../../engine/domain/money.ts';
import type { AmountLimits } from '../../engine/merchants/access.ts';
import type { Currency } from '../../kit/money.ts';
import { batch, type SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';

/**
 * The statements that change one method or limit of a merchant. They apply to new payments within
 * 10 s. Each changes a row only if a value differs, so that an `auditEntryIfChanged` right after it
 * records only real changes.
 */

/** Offers a method to the merchant, or withdraws it. A newly offered method starts enabled. */
export function offerMethod(tenant: Tenant, method: Method, offered: boolean): SqlStatement {
  return {
    sql: `INSERT INTO merchant_methods (merchant_id, environment, method, offered)
      VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (merchant_id, environment, method) DO UPDATE SET offered = excluded.offered
      WHERE offered <> excluded.offered`,
    params: [tenant.merchantId, tenant.environment, method, offered ? 1 : 0],
  };
}

/** Sets a method's price. A method that the merchant never had gets a price and is not offered. */
export function setCommission(tenant: Tenant, method: Method, rate: CommissionRate): SqlStatement {
  return {
    sql: `INSERT INTO merchant_methods (merchant_id, environment, method, offered,
        commission_basis_points, commission_fixed_minor)
      VALUES (?1, ?2, ?3, 0, ?4, ?5)
      ON CONFLICT (merchant_id, environment, method) DO UPDATE SET
        commission_basis_points = excluded.commission_basis_points,
        commission_fixed_minor = excluded.commission_fixed_minor
      WHERE commission_basis_points <> excluded.commission_basis_points
        OR commission_fixed_minor <> excluded.commission_fixed_minor`,
    params: [tenant.merchantId, tenant.environment, method, rate.basisPoints, rate.fixedMinor],
  };
}

/** Enables or disables a method for the merchant. Changes nothing if the merchant never had it. */
export function setMethodEnabled(tenant: Tenant, method: Method, enabled: boolean): SqlStatement {
  return {
    sql: `UPDATE merchant_methods SET enabled = ?4
      WHERE merchant_id = ?1 AND environment = ?2 AND method = ?3 AND enabled <> ?4`,
    params: [tenant.merchantId, tenant.environment, method, enabled ? 1 : 0],
  };
}

/**
 * Sets the largest payment that the merchant can create, without commission, in minor units: 1 to
 * AMOUNT_MINOR_MAX, or null for only the general limit. D1 rejects other values.
 */
export function setLimit(
  tenant: Tenant,
  currency: Currency,
  amountMinorMax: number | null,
): SqlStatement {
  return {
    sql: `INSERT INTO merchant_limits (merchant_id, environment, currency, amount_minor_max)
      VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (merchant_id, environment, currency) DO UPDATE SET
        amount_minor_max = excluded.amount_minor_max
      WHERE amount_minor_max IS NOT excluded.amount_minor_max`,
    params: [tenant.merchantId, tenant.environment, currency, amountMinorMax],
  };
}

export type MethodSettings = Awaited<ReturnType<typeof methodSettings>>;

/** The settings of one method of a tenant, whether or not a rail serves it. */
export type MethodState = MethodSettings['methods'][number];

interface MethodRow extends CommissionRate {
  readonly method: Method;
  readonly offered: number;
  readonly enabled: number;
}

interface LimitRow {
  readonly currency: Currency;
  readonly amountMinorMax: number;
}

/** Reads D1, not a cache. Throws when D1 does not answer. */
export async function methodSettings(db: D1Database, tenant: Tenant) {
  const tenantIs = 'WHERE merchant_id = ?1 AND environment = ?2';
  const params = [tenant.merchantId, tenant.environment];
  const [methods, limits] = await batch(db, [
    {
      sql: `SELECT method, offered, enabled, commission_basis_points AS basisPoints,
        commission_fixed_minor AS fixedMinor FROM merchant_methods ${tenantIs}`,
      params,
    },
    {
      sql: `SELECT currency, amount_minor_max AS amountMinorMax FROM merchant_limits ${tenantIs}
        AND amount_minor_max IS NOT NULL ORDER BY currency`,
      params,
    },
  ]);
  const rows = (methods?.results ?? []) as Partial<MethodRow>[];
  const limitRows = (limits?.results ?? []) as LimitRow[];
  const amountLimits: AmountLimits = Object.fromEntries(
    limitRows.map((row) => [row.currency, row.amountMinorMax]),
  );
  return {
    /** All methods, in the order of METHODS, including those that the merchant never had. */
    methods: METHODS.map((method) => {
      const row = rows.find((candidate) => candidate.method === method) ?? {};
      const { offered, enabled, basisPoints = 0, fixedMinor = 0 } = row;
      const rate = { basisPoints, fixedMinor };
      return { method, offered: offered === 1, enabled: enabled === 1, rate };
    }),
    limits: amountLimits,
  };
}
