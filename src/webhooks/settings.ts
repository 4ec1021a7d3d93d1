import { BoundedCache } from '../bounded-cache.ts';
import { configOf } from '../config.ts';
import { unseal } from '../crypto/sealed.ts';
import { withDeadline } from '../database.ts';
import type { Tenant } from '../domain/intent.ts';
import { log } from '../log.ts';
import { ENDPOINTS_MAX, type Endpoint } from './endpoints.ts';

/** How old a setting may be: a burst of events costs one query, a change is in force at once. */
const CACHE_MS = 5_000;
/** While D1 fails, settings of this age still send webhooks: a pause or secret may be that late. */
const STALE_MS_MAX = 60 * 60 * 1_000;
/** Slower than this, D1 counts as failed: a delivery must not wait for it. */
const READ_TIMEOUT_MS = 2_000;
/** Merchants remembered by one isolate; the oldest entry makes room. */
const CACHE_ENTRIES_MAX = 1_000;
/** Secrets in force at once: one, and those that a rotation let overlap. Bounds the header. */
export const SECRETS_MAX = 10;

export interface WebhookSettings {
  /** Where events without a callbackUrl go, or null. */
  readonly url: string | null;
  /** `whsec_…`, newest first; empty only for a merchant whose secrets cannot be opened. */
  readonly secrets: readonly string[];
  /** The endpoints that fail just now, by origin. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

interface CachedSettings extends WebhookSettings {
  readonly endpoints: Map<string, Endpoint>;
}

const cache = new BoundedCache<CachedSettings>({
  sizeMax: CACHE_ENTRIES_MAX,
  ageMsMax: STALE_MS_MAX,
});

/** Forgets everything read so far, as a new isolate would: for tests that change D1 under it. */
export function forgetWebhookSettings(): void {
  cache.clear();
}

/** What a merchant's webhook secrets are sealed for: no other tenant's row opens them. */
export function webhookSecretContext(tenant: Tenant): string {
  return `webhook_secret/${tenant.environment}/${tenant.merchantId}`;
}

/**
 * The tenant's webhook settings, at most 5 s old; while D1 fails, at most an hour old. Throws when
 * D1 fails and this isolate remembers none.
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

/** The same as D1 has it now. */
export async function freshWebhookSettings(
  env: Env,
  tenant: Tenant,
  nowMs: number = Date.now(),
): Promise<WebhookSettings> {
  const settings = await readSettings(env, tenant, nowMs);
  cache.set(cacheKey(tenant), settings, nowMs);
  return settings;
}

/** What this isolate has just changed or learnt of an endpoint; null: nothing is wrong with it. */
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

/** Reads them anew for the next event: this isolate at least is not 5 s behind. */
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
  const { results } = await withDeadline(query.all<SettingsRow>(), READ_TIMEOUT_MS);
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
      // An operator dropped a data key too early; the RSA signature still proves the event.
      const { environment, merchantId } = tenant;
      log('error', 'webhook_secret_unreadable', { environment, merchantId });
      continue;
    }
    secrets.push(secret);
  }
  return { url, secrets, endpoints };
}
