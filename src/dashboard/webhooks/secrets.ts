import { configOf } from '../../config.ts';
import { unseal } from '../../crypto/sealed.ts';
import { prepare, type SqlStatement } from '../../database.ts';
import type { Tenant } from '../../domain/intent.ts';
import { SECRETS_MAX, webhookSecretContext } from '../../webhooks/settings.ts';

/** A signing secret as members manage it; `src/webhooks/settings.ts` reads them for signing. */
export interface SecretEntry {
  readonly id: string;
  readonly createdAtMs: number;
  /** Null until a newer secret replaces it. */
  readonly expiresAtMs: number | null;
}

/** Hours that old secrets stay in force next to a new one. */
export const OVERLAP_HOURS = ['0', '1', '24', '72'] as const;
export const OVERLAP_HOURS_DEFAULT = '24';

const IN_FORCE = `merchant_id = ?1 AND environment = ?2
  AND (expires_at_ms IS NULL OR expires_at_ms > ?3)`;

/** The secrets in force, newest first, without their values. */
export async function secretsInForce(
  db: D1Database,
  tenant: Tenant,
  nowMs: number,
): Promise<readonly SecretEntry[]> {
  const { results } = await prepare(db, {
    sql: `SELECT id, created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs
      FROM webhook_secrets WHERE ${IN_FORCE} ORDER BY created_at_ms DESC, id DESC LIMIT ?4`,
    // The operator may have added more than SECRETS_MAX.
    params: [tenant.merchantId, tenant.environment, nowMs, 2 * SECRETS_MAX],
  }).all<SecretEntry>();
  return results;
}

/**
 * Adds a secret, sealed for the tenant. Changes no row if SECRETS_MAX others would stay in force
 * next to it.
 */
export function insertSecret(
  tenant: Tenant,
  secret: { readonly id: string; readonly sealedSecret: string; readonly createdAtMs: number },
  oldExpireAtMs: number,
): SqlStatement {
  return {
    sql: `INSERT INTO webhook_secrets (id, merchant_id, environment, sealed_secret, created_at_ms,
        expires_at_ms)
      SELECT ?4, ?1, ?2, ?5, ?3, NULL
      WHERE ?6 <= ?3 OR (SELECT COUNT(*) FROM webhook_secrets WHERE ${IN_FORCE}) < ${SECRETS_MAX}`,
    params: [
      tenant.merchantId,
      tenant.environment,
      secret.createdAtMs,
      secret.id,
      secret.sealedSecret,
      oldExpireAtMs,
    ],
  };
}

/** Ends the other secrets then, or earlier where that is already set; only if `id` was added. */
export function expireOthers(tenant: Tenant, id: string, expireAtMs: number): SqlStatement {
  return {
    sql: `UPDATE webhook_secrets SET expires_at_ms = ?3
      WHERE ${IN_FORCE} AND id <> ?4
        AND EXISTS (SELECT 1 FROM webhook_secrets WHERE id = ?4)`,
    params: [tenant.merchantId, tenant.environment, expireAtMs, id],
  };
}

/** Ends a secret at once, unless every other one has an end. */
export function endSecret(tenant: Tenant, id: string, nowMs: number): SqlStatement {
  return {
    sql: `UPDATE webhook_secrets SET expires_at_ms = ?3
      WHERE ${IN_FORCE} AND id = ?4 AND EXISTS (SELECT 1 FROM webhook_secrets AS other
        WHERE other.merchant_id = ?1 AND other.environment = ?2 AND other.id <> ?4
          AND other.expires_at_ms IS NULL)`,
    params: [tenant.merchantId, tenant.environment, nowMs, id],
  };
}

/** Whether `endSecret` would end it. */
export function mayEnd(secret: SecretEntry, all: readonly SecretEntry[]): boolean {
  return all.some((other) => other.id !== secret.id && other.expiresAtMs === null);
}

export type OpenedSecret =
  | { readonly type: 'opened'; readonly value: string }
  | { readonly type: 'unreadable' }
  | { readonly type: 'not_found' };

/** The value of a secret of this tenant that is in force. */
export async function openSecret(
  env: Env,
  tenant: Tenant,
  id: string,
  nowMs: number,
): Promise<OpenedSecret> {
  const sealed = await prepare(env.DB, {
    sql: `SELECT sealed_secret FROM webhook_secrets WHERE ${IN_FORCE} AND id = ?4`,
    params: [tenant.merchantId, tenant.environment, nowMs, id],
  }).first<string>('sealed_secret');
  if (sealed === null) {
    return { type: 'not_found' };
  }
  const keys = configOf(env).dataEncryptionKeys;
  const value = await unseal(keys, sealed, webhookSecretContext(tenant));
  return value === null ? { type: 'unreadable' } : { type: 'opened', value };
}
