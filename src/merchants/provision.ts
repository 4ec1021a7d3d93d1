import { base64FromBytes } from '../crypto/encoding.ts';
import type { SqlStatement } from '../database.ts';
import type { Branding, Tenant } from '../domain/intent.ts';
import type { Environment, Method } from '../domain/method.ts';
import type { CommissionRate } from '../domain/money.ts';
import { apiKeyDigest, apiKeyHint } from './api-key.ts';
import type { Logo } from './branding.ts';

/** The statements that set up merchants. A list belongs into one batch, so that it happens as a whole. */

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

/** A merchant and its methods. Fails in D1 when the id is taken. */
export function createMerchant(merchant: NewMerchant): readonly SqlStatement[] {
  const methodsIn = (environment: Environment) =>
    merchant.methods[environment].map((setting) =>
      setMethod({ merchantId: merchant.id, environment }, setting),
    );
  return [
    {
      sql: "INSERT INTO merchants (id, name, status, created_at_ms) VALUES (?1, ?2, 'active', ?3)",
      params: [merchant.id, merchant.name, merchant.createdAtMs],
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
  /** In clear; only its digest and last four characters go into the statement. */
  readonly apiKey: string;
  /** What the merchant calls it. */
  readonly name: string;
  readonly createdAtMs: number;
  /** The maker's name, where a person of the merchant made it. */
  readonly createdBy?: string;
}

/** Makes a key valid. The same key again changes nothing: a revoked key stays revoked. */
export async function issueApiKey(tenant: Tenant, key: NewApiKey): Promise<SqlStatement> {
  return {
    sql: `INSERT INTO api_keys (digest, merchant_id, environment, name, hint, created_at_ms, created_by)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (digest) DO NOTHING`,
    params: [
      await apiKeyDigest(key.apiKey),
      tenant.merchantId,
      tenant.environment,
      key.name,
      apiKeyHint(key.apiKey),
      key.createdAtMs,
      key.createdBy ?? null,
    ],
  };
}

/** Ends a key of this tenant; in effect everywhere within 10 s. The first revocation's time stays. */
export function revokeApiKey(tenant: Tenant, digest: string, revokedAtMs: number): SqlStatement {
  return {
    sql: `UPDATE api_keys SET revoked_at_ms = ?4
      WHERE digest = ?1 AND merchant_id = ?2 AND environment = ?3 AND revoked_at_ms IS NULL`,
    params: [digest, tenant.merchantId, tenant.environment, revokedAtMs],
  };
}

/**
 * Changes what is given of a merchant's branding and leaves the rest; null takes it away. In force
 * for new payments within 10 s. Fails in D1 when there is no such merchant, or when the logo was
 * not added before.
 */
export function setBranding(merchantId: string, changes: Partial<Branding>): SqlStatement {
  const { colour, logoDigest } = changes;
  return {
    sql: `INSERT INTO merchant_branding (merchant_id, colour, logo_digest) VALUES (?1, ?2, ?3)
      ON CONFLICT (merchant_id) DO UPDATE SET
        colour = iif(?4, excluded.colour, colour),
        logo_digest = iif(?5, excluded.logo_digest, logo_digest)`,
    params: [
      merchantId,
      colour ?? null,
      logoDigest ?? null,
      colour === undefined ? 0 : 1,
      logoDigest === undefined ? 0 : 1,
    ],
  };
}

/** Keeps a logo for as long as any payment may name it: for ever. Known bytes change nothing. */
export function addLogo(merchantId: string, logo: Logo, createdAtMs: number): SqlStatement {
  return {
    sql: `INSERT INTO merchant_logos (merchant_id, digest, media_type, base64, created_at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (merchant_id, digest) DO NOTHING`,
    params: [merchantId, logo.digest, logo.mediaType, base64FromBytes(logo.bytes), createdAtMs],
  };
}

/** Where events go that have no callbackUrl (docs/decisions.md#19); null: nowhere. */
export function setWebhookUrl(tenant: Tenant, url: string | null): SqlStatement {
  return {
    sql: `INSERT INTO webhook_settings (merchant_id, environment, url) VALUES (?1, ?2, ?3)
      ON CONFLICT (merchant_id, environment) DO UPDATE SET url = excluded.url`,
    params: [tenant.merchantId, tenant.environment, url],
  };
}

export interface NewWebhookSecret {
  /** Unique over all merchants. */
  readonly id: string;
  /** `whsec_…` after `seal(keys, secret, webhookSecretContext(tenant))`. */
  readonly sealedSecret: string;
  readonly createdAtMs: number;
  /** Null: until further notice. */
  readonly expiresAtMs: number | null;
}

/** Adds a signing secret, or replaces the sealed form of the one that has this id. */
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
