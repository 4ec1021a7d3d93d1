import { base64FromBytes } from '../crypto/encoding.ts';
import type { Branding, Tenant } from '../domain/intent.ts';
import type { Environment, Method } from '../domain/method.ts';
import type { CommissionRate } from '../domain/money.ts';
import type { SqlStatement } from '../platform/database.ts';
import { apiKeyDigest, apiKeyHint } from './api-key.ts';
import type { Logo } from './branding.ts';
import { type GrantedPermissions, storedPermissions } from './key-permissions.ts';
import { REFUND_DAILY_MAX_MINOR_DEFAULT } from './refund-limits.ts';

/**
 * The statements that set up merchants. Run a list in one batch, so that it succeeds as a whole.
 */

export interface NewMerchant {
  readonly id: string;
  readonly name: string;
  readonly methods: Readonly<Record<Environment, readonly MethodSetting[]>>;
  readonly createdAtMs: number;
}

export interface MethodSetting {
  readonly method: Method;
  readonly enabled: boolean;
  readonly rate: CommissionRate;
}

/** Creates a merchant and its methods. Fails in D1 when the id exists. */
export function createMerchant(merchant: NewMerchant): readonly SqlStatement[] {
  const methodsIn = (environment: Environment) =>
    merchant.methods[environment].map((setting) =>
      setMethod({ merchantId: merchant.id, environment }, setting),
    );
  return [
    {
      sql: `INSERT INTO merchants (id, number, name, status, created_at_ms, refund_daily_max_minor)
        SELECT ?1, COALESCE(MAX(number), 0) + 1, ?2, 'active', ?3, ?4 FROM merchants`,
      params: [merchant.id, merchant.name, merchant.createdAtMs, REFUND_DAILY_MAX_MINOR_DEFAULT],
    },
    ...methodsIn('sandbox'),
    ...methodsIn('production'),
  ];
}

/** Enables, disables or reprices one method. */
export function setMethod(tenant: Tenant, setting: MethodSetting): SqlStatement {
  return {
    sql: `INSERT INTO merchant_methods (merchant_id, environment, method, enabled, commission_basis_points, commission_fixed_minor)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (merchant_id, environment, method) DO UPDATE SET
        enabled = excluded.enabled,
        commission_basis_points = excluded.commission_basis_points,
        commission_fixed_minor = excluded.commission_fixed_minor`,
    params: [
      tenant.merchantId,
      tenant.environment,
      setting.method,
      setting.enabled ? 1 : 0,
      setting.rate.basisPoints,
      setting.rate.fixedMinor,
    ],
  };
}

export interface NewApiKey {
  /** In plain text; the statement contains only its digest and last four characters. */
  readonly apiKey: string;
  /** The merchant's name for the key. */
  readonly name: string;
  readonly createdAtMs: number;
  /** The name of the member who created it, if a member did. */
  readonly createdBy?: string;
  /** Absent: everything. */
  readonly permissions?: GrantedPermissions;
}

/** Inserts a key. Has no effect for an existing key: a revoked key stays revoked. */
export async function issueApiKey(tenant: Tenant, key: NewApiKey): Promise<SqlStatement> {
  return {
    sql: `INSERT INTO api_keys (digest, merchant_id, environment, name, hint, created_at_ms, created_by, permissions)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (digest) DO NOTHING`,
    params: [
      await apiKeyDigest(key.apiKey),
      tenant.merchantId,
      tenant.environment,
      key.name,
      apiKeyHint(key.apiKey),
      key.createdAtMs,
      key.createdBy ?? null,
      storedPermissions(key.permissions ?? null),
    ],
  };
}

/** Revokes a key of this tenant, everywhere within 10 s. Keeps the time of a first revocation. */
export function revokeApiKey(tenant: Tenant, digest: string, revokedAtMs: number): SqlStatement {
  return {
    sql: `UPDATE api_keys SET revoked_at_ms = ?4
      WHERE digest = ?1 AND merchant_id = ?2 AND environment = ?3 AND revoked_at_ms IS NULL`,
    params: [digest, tenant.merchantId, tenant.environment, revokedAtMs],
  };
}

/**
 * Changes the given parts of a merchant's branding; null removes a part. Applies to new payments
 * within 10 s. Fails in D1 when the merchant does not exist or the logo was not added before.
 */
export function setBranding(merchantId: string, changes: Partial<Branding>): SqlStatement {
  const { color, logoDigest } = changes;
  return {
    sql: `INSERT INTO merchant_branding (merchant_id, color, logo_digest) VALUES (?1, ?2, ?3)
      ON CONFLICT (merchant_id) DO UPDATE SET
        color = iif(?4, excluded.color, color),
        logo_digest = iif(?5, excluded.logo_digest, logo_digest)`,
    params: [
      merchantId,
      color ?? null,
      logoDigest ?? null,
      color === undefined ? 0 : 1,
      logoDigest === undefined ? 0 : 1,
    ],
  };
}

/** Stores a logo, permanently, because payments refer to it. Has no effect for a stored logo. */
export function addLogo(merchantId: string, logo: Logo, createdAtMs: number): SqlStatement {
  return {
    sql: `INSERT INTO merchant_logos (merchant_id, digest, media_type, base64, created_at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (merchant_id, digest) DO NOTHING`,
    params: [merchantId, logo.digest, logo.mediaType, base64FromBytes(logo.bytes), createdAtMs],
  };
}

export interface NewWebhookSecret {
  /** Unique over all merchants. */
  readonly id: string;
  /** `whsec_…` after `seal(keys, secret, webhookSecretContext(tenant))`; of no endpoint. */
  readonly sealedSecret: string;
  readonly createdAtMs: number;
  /** Null: never expires. */
  readonly expiresAtMs: number | null;
}

/** Adds a signing secret, or replaces the sealed form of the secret with this id. */
export function addWebhookSecret(tenant: Tenant, secret: NewWebhookSecret): SqlStatement {
  return {
    sql: `INSERT INTO webhook_secrets (id, merchant_id, environment, sealed_secret, created_at_ms, expires_at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (id) DO UPDATE SET
        sealed_secret = excluded.sealed_secret,
        expires_at_ms = excluded.expires_at_ms
      WHERE merchant_id = excluded.merchant_id AND environment = excluded.environment`,
    params: [
      secret.id,
      tenant.merchantId,
      tenant.environment,
      secret.sealedSecret,
      secret.createdAtMs,
      secret.expiresAtMs,
    ],
  };
}
