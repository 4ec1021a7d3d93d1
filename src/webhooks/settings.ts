import { BoundedCache } from '../bounded-cache.ts';
import { configOf } from '../config.ts';
import { unseal } from '../crypto/sealed.ts';
import { readInTime } from '../database.ts';
import type { Tenant } from '../domain/intent.ts';
import { log } from '../log.ts';
import { ENDPOINTS_MAX, type Endpoint } from './endpoints.ts';

/** How old a cached setting may be: a burst of events costs one query. */
const CACHE_MS = 5_000;
/** While D1 fails, cached settings are used up to this age: a new pause or secret waits as long. */
const STALE_MS_MAX = 60 * 60 * 1_000;
/** Tenants cached by one isolate. A new entry evicts the oldest. */
const CACHE_ENTRIES_MAX = 1_000;
/** Valid secrets: the newest and those that overlap after rotations. Bounds the header. */
export const SECRETS_MAX = 10;

export interface WebhookSettings {
  /** Where events without a callbackUrl go, or null. */
  readonly url: string | null;
  /** `whsec_…`, newest first; empty only for a merchant whose secrets cannot be decrypted. */
  readonly secrets: readonly string[];
  /** The failing endpoints, by origin. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

interface CachedSettings extends WebhookSettings {
  readonly endpoints: Map<string, Endpoint>;
}

const cache = new BoundedCache<CachedSettings>({
  sizeMax: CACHE_ENTRIES_MAX,
  ageMsMax: STALE_MS_MAX,
});

/** Clears the cache, for tests that change D1 directly. */
export function forgetWebhookSettings(): void {
  cache.clear();
}

/** The context that seals a tenant's webhook secrets: in another tenant's row they do not open. */
export function webhookSecretContext(tenant: Tenant): string {
  return `webhook_secret/${tenant.environment}/${tenant.merchantId}`;
}

/**
 * The tenant's webhook settings, at most 5 s old, or an hour while D1 fails. Throws when D1 fails
 * and this isolate has none cached.
 */
export async function webhookSettings(
  env: Env,
  tenant: Tenant,
  nowMs: number = Date.now(),
): Promise<WebhookSettings> {
  const known = cache.get(cacheKey(tenant), nowMs);
  if (known !== undefined && nowMs - known.readAtMs < CACHE_MS) {
    return known.value;
  }
  try {
    return await freshWebhookSettings(env, tenant, nowMs);
  } catch (error) {
    if (known === undefined) {
      throw error;
    }
    return known.value;
  }
}

/** The settings as D1 has them now. */
export async function freshWebhookSettings(
  env: Env,
  tenant: Tenant,
  nowMs: number = Date.now(),
): Promise<WebhookSettings> {
  const settings = await readSettings(env, tenant, nowMs);
  cache.set(cacheKey(tenant), settings, nowMs);
  return settings;
}

/** Updates the cached state of an endpoint; null: it works. */
export function rememberEndpoint(
  tenant: Tenant,
  origin: string,
  endpoint: Endpoint | null,
  nowMs: number,
): void {
  const endpoints = cache.get(cacheKey(tenant), nowMs)?.value.endpoints;
  if (endpoint === null) {
    endpoints?.delete(origin);
  } else {
    endpoints?.set(origin, endpoint);
  }
}

/** Makes this isolate read the settings again for the next event, after a change. */
export function forgetSettingsOf(tenant: Tenant): void {
  cache.delete(cacheKey(tenant));
}

function cacheKey({ environment, merchantId }: Tenant): string {
  return `${environment}/${merchantId}`;
}

/** One statement for all tables: one round trip to D1. */
const SETTINGS_SQL = `
  SELECT 'url' AS kind, url AS value, NULL AS failingSinceMs, NULL AS lastFailureAtMs,
    NULL AS lastError, NULL AS pausedAtMs
  FROM webhook_settings WHERE merchant_id = ?1 AND environment = ?2
  UNION ALL
  SELECT 'secret', sealed_secret, NULL, NULL, NULL, NULL FROM (
    SELECT sealed_secret FROM webhook_secrets
    WHERE merchant_id = ?1 AND environment = ?2 AND (expires_at_ms IS NULL OR expires_at_ms > ?3)
    ORDER BY created_at_ms DESC, id DESC LIMIT ${SECRETS_MAX}
  )
  UNION ALL
  SELECT 'endpoint', origin, failing_since_ms, last_failure_at_ms, last_error, paused_at_ms FROM (
    SELECT * FROM webhook_endpoints WHERE merchant_id = ?1 AND environment = ?2
    LIMIT ${ENDPOINTS_MAX}
  )`;

type SettingsRow =
  | { readonly kind: 'url' | 'secret'; readonly value: string | null }
  | ({ readonly kind: 'endpoint'; readonly value: string } & Omit<Endpoint, 'origin'>);

async function readSettings(env: Env, tenant: Tenant, nowMs: number): Promise<CachedSettings> {
  const query = env.DB.prepare(SETTINGS_SQL).bind(tenant.merchantId, tenant.environment, nowMs);
  const { results } = await readInTime(() => query.all<SettingsRow>());
  const keys = configOf(env).dataEncryptionKeys;
  const context = webhookSecretContext(tenant);
  let url: string | null = null;
  const secrets: string[] = [];
  const endpoints = new Map<string, Endpoint>();
  for (const row of results) {
    if (row.kind === 'url') {
      url = row.value;
      continue;
    }
    if (row.kind === 'endpoint') {
      const { value: origin, failingSinceMs, lastFailureAtMs, lastError, pausedAtMs } = row;
      endpoints.set(origin, { origin, failingSinceMs, lastFailureAtMs, lastError, pausedAtMs });
      continue;
    }
    const secret = row.value === null ? null : await unseal(keys, row.value, context);
    if (secret === null) {
      // The operator removed a data key too early. The RSA signature still proves the event.
      const { environment, merchantId } = tenant;
      log('error', 'webhook_secret_unreadable', { environment, merchantId });
      continue;
    }
    secrets.push(secret);
  }
  return { url, secrets, endpoints };
}
