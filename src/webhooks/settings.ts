import { BoundedCache } from '../bounded-cache.ts';
import { configOf } from '../config.ts';
import { unseal } from '../crypto/sealed.ts';
import type { Tenant } from '../domain/intent.ts';
import { log } from '../log.ts';

/** How old a setting may be: a burst of events costs one query, a change is in force at once. */
const CACHE_MS = 5_000;
/** Merchants remembered by one isolate; the oldest entry makes room. */
const CACHE_ENTRIES_MAX = 1_000;
/** Secrets in force at once: one, and those that a rotation let overlap. Bounds the header. */
const SECRETS_MAX = 10;

export interface WebhookSettings {
  /** Where events without a callbackUrl go, or null. */
  readonly url: string | null;
  /** `whsec_…`, newest first; empty only for a merchant whose secrets cannot be opened. */
  readonly secrets: readonly string[];
}

const cache = new BoundedCache<WebhookSettings>({ sizeMax: CACHE_ENTRIES_MAX, ageMsMax: CACHE_MS });

/** Forgets everything read so far, as a new isolate would: for tests that change D1 under it. */
export function forgetWebhookSettings(): void {
  cache.clear();
}

/** What a merchant's webhook secrets are sealed for: no other tenant's row opens them. */
export function webhookSecretContext(tenant: Tenant): string {
  return `webhook_secret/${tenant.environment}/${tenant.merchantId}`;
}

/** The tenant's webhook settings, at most 5 s old. Throws when D1 fails. */
export async function webhookSettings(
  env: Env,
  tenant: Tenant,
  nowMs: number = Date.now(),
): Promise<WebhookSettings> {
  const cacheKey = `${tenant.environment}/${tenant.merchantId}`;
  const known = cache.get(cacheKey, nowMs);
  if (known !== undefined) {
    return known.value;
  }
  const settings = await readSettings(env, tenant, nowMs);
  cache.set(cacheKey, settings, nowMs);
  return settings;
}

/** One statement for both tables: one round trip to D1. */
const SETTINGS_SQL = `
  SELECT 'url' AS kind, url AS value FROM webhook_settings
  WHERE merchant_id = ?1 AND environment = ?2
  UNION ALL
  SELECT 'secret', sealed_secret FROM (
    SELECT sealed_secret FROM webhook_secrets
    WHERE merchant_id = ?1 AND environment = ?2 AND (expires_at_ms IS NULL OR expires_at_ms > ?3)
    ORDER BY created_at_ms DESC, id DESC LIMIT ${SECRETS_MAX}
  )`;

interface SettingsRow {
  readonly kind: 'url' | 'secret';
  readonly value: string | null;
}

async function readSettings(env: Env, tenant: Tenant, nowMs: number): Promise<WebhookSettings> {
  const { results } = await env.DB.prepare(SETTINGS_SQL)
    .bind(tenant.merchantId, tenant.environment, nowMs)
    .all<SettingsRow>();
  const keys = configOf(env).dataEncryptionKeys;
  const context = webhookSecretContext(tenant);
  let url: string | null = null;
  const secrets: string[] = [];
  for (const row of results) {
    if (row.kind === 'url') {
      url = row.value;
      continue;
    }
    const secret = row.value === null ? null : await unseal(keys, row.value, context);
    if (secret === null) {
      // An operator dropped a data key too early; the RSA signature still proves the event.
      const { environment, merchantId } = tenant;
      log('error', 'webhook_secret_unreadable', { environment, merchantId });
      continue;
    }
    secrets.push(secret);
  }
  return { url, secrets };
}
