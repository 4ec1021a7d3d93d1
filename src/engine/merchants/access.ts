import type { Currency } from '../../kit/money.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { compareJurisdiction } from '../../kit/platform/objects.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import { type Bindings, placementOf } from '../config.ts';
import type { Branding, Business } from '../domain/merchant.ts';
import { METHODS, type Method } from '../domain/method.ts';
import type { CommissionRate } from '../domain/money.ts';
import { type GrantedPermissions, permissionsFrom } from './key-permissions.ts';

/** The largest total by currency, in minor units. Currencies without their own limit are absent. */
export type AmountLimits = Readonly<Partial<Record<Currency, number>>>;

/** One method that the operator offers and the merchant has enabled, and what it costs. */
export interface MerchantMethod {
  readonly method: Method;
  readonly rate: CommissionRate;
}

/** What a valid API key gives access to. */
export interface MerchantAccess {
  readonly merchantId: string;
  readonly merchantName: string;
  /** Unique among all merchants. It never changes. */
  readonly merchantNumber: number;
  /** For new payments; null when neither color nor logo is set. */
  readonly branding: Branding | null;
  /** For receipts of new payments; null when nothing is set. */
  readonly business: Business | null;
  readonly environment: Environment;
  /** SHA-256 of the key, which identifies it in rate limits and logs. */
  readonly keyDigest: string;
  /** The merchant's name for the key. */
  readonly keyName: string;
  readonly permissions: GrantedPermissions;
  /** The active methods, in the order of METHODS. A rail may be missing for some of them. */
  readonly methods: readonly MerchantMethod[];
  /** Those that the operator has switched off for all merchants of this environment. */
  readonly switchedOff: readonly Method[];
  /** The largest payments that the operator lets the merchant create. */
  readonly limits: AmountLimits;
  /** Schemes of the merchant's apps, to which customers may return. */
  readonly appSchemes: readonly string[];
  /** The newest volume of the merchant's book, which lists new payments. */
  readonly bookVolume: number;
  /** The gateway takes no new payments and refunds (docs/decisions.md#48). */
  readonly isInMaintenance: boolean;
}

/** A key that is neither revoked nor expired, of a merchant that is not suspended. */
export interface KnownKey {
  readonly access: MerchantAccess;
  /** Null: never expires. */
  readonly expiresAtMs: number | null;
  /** Minutes behind; null before the first use. */
  readonly lastUsedAtMs: number | null;
}

/** The JSON columns are text. */
interface AccessRow
  extends Omit<
      MerchantAccess,
      | 'branding'
      | 'business'
      | 'permissions'
      | 'methods'
      | 'switchedOff'
      | 'limits'
      | 'appSchemes'
      | 'isInMaintenance'
    >,
    Branding {
  readonly business: string | null;
  readonly permissions: string | null;
  readonly methods: string;
  readonly switchedOff: string;
  readonly limits: string;
  readonly appSchemes: string;
  readonly mode: string;
  readonly objectJurisdiction: string | null;
}

type KeyRow = AccessRow & Omit<KnownKey, 'access'>;
type TenantRow = Omit<AccessRow, 'keyDigest' | 'keyName' | 'permissions'>;

/** What a key gives access to; or, without a key, what a merchant's own pages give. */
const COLUMNS = `
    merchants.id AS merchantId,
    merchants.name AS merchantName,
    merchants.number AS merchantNumber,
    merchants.app_schemes AS appSchemes,
    merchant_branding.color,
    merchant_branding.logo_digest AS logoDigest,
    (SELECT json_object('legalName', legal_name, 'tin', tin, 'vatNumber', vat_number,
        'address', address, 'contact', contact)
      FROM merchant_business WHERE merchant_id = merchants.id) AS business,
    scope.environment,
    (SELECT json_group_array(json_object('method', method, 'rate', json_object(
        'basisPoints', commission_basis_points, 'fixedMinor', commission_fixed_minor)))
      FROM merchant_methods
      WHERE merchant_methods.merchant_id = merchants.id
        AND merchant_methods.environment = scope.environment
        AND enabled = 1 AND offered = 1) AS methods,
    (SELECT json_group_array(method) FROM switched_off_methods
      WHERE switched_off_methods.environment = scope.environment) AS switchedOff,
    (SELECT json_group_object(currency, amount_minor_max) FROM merchant_limits
      WHERE merchant_limits.merchant_id = merchants.id
        AND merchant_limits.environment = scope.environment
        AND amount_minor_max IS NOT NULL) AS limits,
    (SELECT COALESCE(MAX(volume), 0) FROM book_volumes
      WHERE book_volumes.merchant_id = merchants.id
        AND book_volumes.environment = scope.environment) AS bookVolume,
    (SELECT mode FROM gateway_settings) AS mode,
    (SELECT object_jurisdiction FROM gateway_settings) AS objectJurisdiction`;

const KEY_SQL = `
  SELECT ${COLUMNS},
    scope.digest AS keyDigest,
    scope.name AS keyName,
    scope.permissions,
    scope.expires_at_ms AS expiresAtMs,
    scope.last_used_at_ms AS lastUsedAtMs
  FROM api_keys AS scope
  JOIN merchants ON merchants.id = scope.merchant_id
  LEFT JOIN merchant_branding ON merchant_branding.merchant_id = merchants.id
  WHERE scope.digest = ?1
    AND scope.revoked_at_ms IS NULL
    AND (scope.expires_at_ms IS NULL OR scope.expires_at_ms > ?2)
    AND merchants.status = 'active'`;

const TENANT_SQL = `
  SELECT ${COLUMNS}
  FROM (SELECT ?1 AS merchant_id, ?2 AS environment) AS scope
  JOIN merchants ON merchants.id = scope.merchant_id
  LEFT JOIN merchant_branding ON merchant_branding.merchant_id = merchants.id
  WHERE merchants.status = 'active'`;

/** The valid key of this digest, by one query, or null. Throws DatabaseUnavailable. */
export async function readKey(
  env: Bindings,
  digest: string,
  nowMs: number,
): Promise<KnownKey | null> {
  const query = { sql: KEY_SQL, params: [digest, nowMs] };
  const row = await readInTime(() => prepare(env.DB, query).first<KeyRow>());
  if (row === null) {
    return null;
  }
  const { expiresAtMs, lastUsedAtMs, ...key } = row;
  return { access: accessOf(env, key), expiresAtMs, lastUsedAtMs };
}

/**
 * What the merchant's own pages may create without a key, by one query; null unless the merchant is
 * active. Throws DatabaseUnavailable.
 */
export async function readTenantAccess(
  env: Bindings,
  { merchantId, environment }: Tenant,
): Promise<MerchantAccess | null> {
  const query = { sql: TENANT_SQL, params: [merchantId, environment] };
  const row = await readInTime(() => prepare(env.DB, query).first<TenantRow>());
  return row && accessOf(env, { ...row, keyDigest: '', keyName: '', permissions: null });
}

function accessOf(env: Bindings, row: AccessRow): MerchantAccess {
  const { color, logoDigest, mode, objectJurisdiction, ...key } = row;
  compareJurisdiction(objectJurisdiction, placementOf(env));
  const active = JSON.parse(row.methods) as readonly MerchantMethod[];
  return {
    ...key,
    branding: color === null && logoDigest === null ? null : { color, logoDigest },
    business: row.business === null ? null : (JSON.parse(row.business) as Business),
    permissions: permissionsFrom(row.permissions),
    methods: METHODS.flatMap((method) => active.find((entry) => entry.method === method) ?? []),
    switchedOff: JSON.parse(row.switchedOff) as readonly Method[],
    limits: JSON.parse(row.limits) as AmountLimits,
    appSchemes: JSON.parse(row.appSchemes) as readonly string[],
    isInMaintenance: mode === 'maintenance',
  };
}
