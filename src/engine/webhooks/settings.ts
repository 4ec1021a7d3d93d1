import { unseal } from '../../kit/crypto/sealed.ts';
import { BoundedCache } from '../../kit/platform/bounded-cache.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import { ENDPOINTS_MAX, type WebhookEndpoint } from './endpoints.ts';
import type { FailingEndpoint } from './failing-endpoints.ts';
import { SECRETS_MAX } from './secret-rules.ts';

/** How old a cached setting may be: a burst of events costs one query. */
const CACHE_MS = 5_000;
/** While D1 fails, cached settings are used up to this age: a new pause or secret waits as long. */
const STALE_MS_MAX = 60 * 60 * 1_000;
/** Tenants cached by one isolate. A new entry evicts the oldest. */
const CACHE_ENTRIES_MAX = 1_000;
/** An endpoint, and how its webhooks are signed. */
export interface SigningEndpoint extends WebhookEndpoint {
  /** Like the secrets of `WebhookSettings`. */
  readonly secrets: readonly string[];
}

export interface WebhookSettings {
  /** Sign webhooks to a payment's callbackUrl. `whsec_…`, newest first; unreadable ones are left out. */
  readonly secrets: readonly string[];
  /** The name of the extra signature header of such webhooks, or null. */
  readonly signatureHeader: string | null;
  /** The endpoints by id, oldest first. */
  readonly endpoints: ReadonlyMap<string, SigningEndpoint>;
  /** Failing endpoints, by id or origin. */
  readonly failing: ReadonlyMap<string, FailingEndpoint>;
}

interface CachedSettings extends WebhookSettings {
  readonly failing: Map<string, FailingEndpoint>;
}

const cache = new BoundedCache<CachedSettings>({
  sizeMax: CACHE_ENTRIES_MAX,
  ageMsMax: STALE_MS_MAX,
});

/** Clears the cache, for tests that change D1 directly. */
export function forgetWebhookSettings(): void {
  cache.clear();
}

/**
 * The context that seals a webhook secret: in another tenant's or endpoint's row it does not open.
 * Without an endpoint, it is a secret of the environment.
 */
export function webhookSecretContext(tenant: Tenant, endpointId: string | null = null): string {
  const context = `webhook_secret/${tenant.environment}/${tenant.merchantId}`;
  return endpointId === null ? context : `${context}/${endpointId}`;
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
  const known = cache.fresh(cacheKey(tenant), nowMs, CACHE_MS);
  if (known !== undefined) {
    return known.value;
  }
  try {
    return await freshWebhookSettings(env, tenant, nowMs);
  } catch (error) {
    const stale = cachedWebhookSettings(tenant, nowMs);
    if (stale === undefined) {
      throw error;
    }
    return stale;
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

/** The settings that this isolate has cached, of any age up to an hour. */
export function cachedWebhookSettings(tenant: Tenant, nowMs: number): WebhookSettings | undefined {
  return cache.get(cacheKey(tenant), nowMs)?.value;
}

/** Updates the cached state of an endpoint; null: it works. */
export function rememberFailing(
  tenant: Tenant,
  endpoint: string,
  state: FailingEndpoint | null,
  nowMs: number,
): void {
  const failing = cache.get(cacheKey(tenant), nowMs)?.value.failing;
  if (state === null) {
    failing?.delete(endpoint);
  } else {
    failing?.set(endpoint, state);
  }
}

/** Makes this isolate read the settings again for the next event, after a change. */
export function forgetSettingsOf(tenant: Tenant): void {
  cache.delete(cacheKey(tenant));
}

function cacheKey({ environment, merchantId }: Tenant): string {
  return `${environment}/${merchantId}`;
}

/** One statement reads all tables, so D1 is called once. */
const SETTINGS_SQL = `
  SELECT 'endpoint' AS kind, id AS endpoint, value FROM (
    SELECT id, json_object('url', url, 'eventTypes', json(event_types),
      'isEnabled', json(iif(enabled, 'true', 'false')), 'signatureHeader', signature_header,
      'language', language, 'paymentLinkUniqueId', payment_link_unique_id,
      'tillId', till_id) AS value
    FROM webhook_endpoints WHERE merchant_id = ?1 AND environment = ?2
    ORDER BY created_at_ms, id LIMIT ${ENDPOINTS_MAX}
  )
  UNION ALL
  SELECT 'secret', endpoint_id, sealed_secret FROM (
    SELECT endpoint_id, sealed_secret, row_number() OVER (
      PARTITION BY endpoint_id ORDER BY created_at_ms DESC, id DESC) AS place
    FROM webhook_secrets
    WHERE merchant_id = ?1 AND environment = ?2 AND (expires_at_ms IS NULL OR expires_at_ms > ?3)
    ORDER BY place
  ) WHERE place <= ${SECRETS_MAX}
  UNION ALL
  SELECT 'header', NULL, signature_header FROM webhook_callback_settings
  WHERE merchant_id = ?1 AND environment = ?2 AND signature_header IS NOT NULL
  UNION ALL
  SELECT 'failing', endpoint, json_object('failingSinceMs', failing_since_ms,
    'lastFailureAtMs', last_failure_at_ms, 'lastError', last_error, 'pausedAtMs', paused_at_ms)
  FROM failing_endpoints WHERE merchant_id = ?1 AND environment = ?2`;

interface SettingsRow {
  readonly kind: 'endpoint' | 'secret' | 'header' | 'failing';
  /** Null says that the secret or header is for callbackUrls. */
  readonly endpoint: string | null;
  /** JSON, a sealed secret, or the name of a header. */
  readonly value: string;
}

async function readSettings(env: Env, tenant: Tenant, nowMs: number): Promise<CachedSettings> {
  const params = [tenant.merchantId, tenant.environment, nowMs];
  const query = { sql: SETTINGS_SQL, params };
  const { results } = await readInTime(() => prepare(env.DB, query).all<SettingsRow>());
  const secrets = new Map<string | null, string[]>();
  const endpoints = new Map<string, SigningEndpoint>();
  const failing = new Map<string, FailingEndpoint>();
  let signatureHeader: string | null = null;
  for (const { kind, endpoint, value } of results) {
    if (kind === 'secret') {
      const secret = await openSecret(env, tenant, endpoint, value);
      if (secret !== null) {
        secrets.set(endpoint, [...(secrets.get(endpoint) ?? []), secret]);
      }
    } else if (kind === 'header') {
      signatureHeader = value;
    } else if (endpoint !== null && kind === 'endpoint') {
      endpoints.set(endpoint, { ...JSON.parse(value), endpointId: endpoint, secrets: [] });
    } else if (endpoint !== null) {
      failing.set(endpoint, { ...JSON.parse(value), endpoint });
    }
  }
  for (const [endpointId, endpoint] of endpoints) {
    endpoints.set(endpointId, { ...endpoint, secrets: secrets.get(endpointId) ?? [] });
  }
  return { secrets: secrets.get(null) ?? [], signatureHeader, endpoints, failing };
}

async function openSecret(
  env: Env,
  tenant: Tenant,
  endpointId: string | null,
  sealed: string,
): Promise<string | null> {
  const context = webhookSecretContext(tenant, endpointId);
  const secret = await unseal(configOf(env).dataEncryptionKeys, sealed, context);
  if (secret === null) {
    // The operator removed a data key too early. The RSA signature still proves the event.
    const { environment, merchantId } = tenant;
    log('error', 'webhook_secret_unreadable', { environment, merchantId, endpointId });
  }
  return secret;
}
