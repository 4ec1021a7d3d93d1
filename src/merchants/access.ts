import type { Bindings } from '../config.ts';
import type { Branding } from '../domain/intent.ts';
import { type Environment, METHODS, type Method } from '../domain/method.ts';
import type { CommissionRate } from '../domain/money.ts';
import { prepare, readInTime } from '../platform/database.ts';
import { type GrantedPermissions, permissionsFrom } from './key-permissions.ts';
import type { AmountLimits } from './methods.ts';

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
  readonly environment: Environment;
  /** SHA-256 of the key, which identifies it in rate limits and logs. */
  readonly keyDigest: string;
  /** The merchant's name for the key. */
  readonly keyName: string;
  readonly permissions: GrantedPermissions;
  /** The active methods, in the order of METHODS. A rail may be missing for some of them. */
  readonly methods: readonly MerchantMethod[];
  /** The largest payments that the operator lets the merchant create. */
  readonly limits: AmountLimits;
  /** Schemes of the merchant's apps, to which customers may return. */
  readonly appSchemes: readonly string[];
  /** The newest volume of the merchant's book, which lists new payments. */
  readonly bookVolume: number;
}

/** A key that is neither revoked nor expired, of a merchant that is not suspended. */
export interface KnownKey {
  readonly access: MerchantAccess;
  /** Null: never expires. */
  readonly expiresAtMs: number | null;
  /** Minutes behind; null before the first use. */
  readonly lastUsedAtMs: number | null;
}

interface KeyRow {
  /** JSON array. */
  readonly app_schemes: string;
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly merchant_number: number;
  readonly brand_color: string | null;
  readonly brand_logo_digest: string | null;
  readonly environment: Environment;
  readonly key_name: string;
  readonly permissions: string | null;
  readonly expires_at_ms: number | null;
  readonly last_used_at_ms: number | null;
  /** JSON object of minor units by currency; `{}` without any. */
  readonly limits: string;
  readonly book_volume: number;
  /** NULL, like the commission, when no method is active. */
  readonly method: Method | null;
  readonly commission_basis_points: number | null;
  readonly commission_fixed_minor: number | null;
}

/** One row for each active method, or one row with nulls when there is none. */
const KEY_SQL = `
  SELECT
    merchants.id AS merchant_id,
    merchants.name AS merchant_name,
    merchants.number AS merchant_number,
    merchants.app_schemes,
    merchant_branding.color AS brand_color,
    merchant_branding.logo_digest AS brand_logo_digest,
    api_keys.environment,
    api_keys.name AS key_name,
    api_keys.permissions,
    api_keys.expires_at_ms,
    api_keys.last_used_at_ms,
    (SELECT json_group_object(currency, amount_minor_max) FROM merchant_limits
      WHERE merchant_limits.merchant_id = api_keys.merchant_id
        AND merchant_limits.environment = api_keys.environment
        AND amount_minor_max IS NOT NULL) AS limits,
    (SELECT COALESCE(MAX(volume), 0) FROM book_volumes
      WHERE book_volumes.merchant_id = api_keys.merchant_id
        AND book_volumes.environment = api_keys.environment) AS book_volume,
    merchant_methods.method,
    merchant_methods.commission_basis_points,
    merchant_methods.commission_fixed_minor
  FROM api_keys
  JOIN merchants ON merchants.id = api_keys.merchant_id
  LEFT JOIN merchant_branding ON merchant_branding.merchant_id = merchants.id
  LEFT JOIN merchant_methods
    ON merchant_methods.merchant_id = api_keys.merchant_id
    AND merchant_methods.environment = api_keys.environment
    AND merchant_methods.enabled = 1
    AND merchant_methods.offered = 1
  WHERE api_keys.digest = ?1
    AND api_keys.revoked_at_ms IS NULL
    AND (api_keys.expires_at_ms IS NULL OR api_keys.expires_at_ms > ?2)
    AND merchants.status = 'active'`;

/** The valid key of this digest, by one query, or null. Throws DatabaseUnavailable. */
export async function readKey(
  env: Bindings,
  digest: string,
  nowMs: number,
): Promise<KnownKey | null> {
  const { results } = await readInTime(() =>
    prepare(env.DB, { sql: KEY_SQL, params: [digest, nowMs] }).all<KeyRow>(),
  );
  const first = results[0];
  if (first === undefined) {
    return null;
  }
  const access = {
    merchantId: first.merchant_id,
    merchantName: first.merchant_name,
    merchantNumber: first.merchant_number,
    branding: brandingOf(first),
    environment: first.environment,
    keyDigest: digest,
    keyName: first.key_name,
    permissions: permissionsFrom(first.permissions),
    methods: methodsOf(results),
    limits: JSON.parse(first.limits) as AmountLimits,
    appSchemes: JSON.parse(first.app_schemes) as readonly string[],
    bookVolume: first.book_volume,
  };
  return { access, expiresAtMs: first.expires_at_ms, lastUsedAtMs: first.last_used_at_ms };
}

function brandingOf(row: KeyRow): Branding | null {
  const { brand_color: color, brand_logo_digest: logoDigest } = row;
  return color === null && logoDigest === null ? null : { color, logoDigest };
}

function methodsOf(rows: readonly KeyRow[]): readonly MerchantMethod[] {
  return METHODS.flatMap((method) => {
    const row = rows.find((candidate) => candidate.method === method);
    if (row === undefined) {
      return [];
    }
    const rate = {
      basisPoints: row.commission_basis_points ?? 0,
      fixedMinor: row.commission_fixed_minor ?? 0,
    };
    return [{ method, rate }];
  });
}
