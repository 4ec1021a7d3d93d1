import { runBatch, type SqlStatement } from '../database.ts';
import type { Tenant } from '../domain/intent.ts';

/**
 * Endpoints that fail, and the pause of those where nothing has arrived for days. An endpoint is an
 * origin of a tenant: whole URLs may be unique for each payment and would grow without bound.
 */

/** Failures over this long, with no success between them, pause an endpoint. */
export const PAUSE_AFTER_MS = 5 * 24 * 60 * 60 * 1_000;
/**
 * The count restarts after a silence longer than any wait of the schedule (24 h and its jitter):
 * two failures far apart say nothing about the days between them.
 */
export const SILENCE_MS_MAX = 27 * 60 * 60 * 1_000;
/** A paused endpoint gets one delivery in this time, to see whether it works again. */
export const PROBE_EVERY_MS = 24 * 60 * 60 * 1_000;
/** Of a known failing endpoint a further failure is written at most this often. */
export const FAILURE_WRITTEN_EVERY_MS = 5 * 60 * 1_000;
/** Kept for one tenant: honest merchants have a few. Those beyond are sent to by the schedule. */
export const ENDPOINTS_MAX = 100;
/** Fits every text of ours. */
const ERROR_LENGTH_MAX = 200;

export interface Endpoint {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The first failure after which nothing arrived. */
  readonly failingSinceMs: number;
  /** Some minutes old at most. */
  readonly lastFailureAtMs: number;
  /** `HTTP 500`, or our own words. */
  readonly lastError: string;
  /** Null while webhooks are still sent there. */
  readonly pausedAtMs: number | null;
}

/** The endpoint that an address belongs to; null for what is no http or https address. */
export function endpointOrigin(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

/** Whether a failure at `nowMs` says anything new of an endpoint known like that. Pure. */
export function isFailureNews(known: Endpoint | undefined, nowMs: number): boolean {
  if (known === undefined) {
    return true;
  }
  const isDue = nowMs - known.failingSinceMs >= PAUSE_AFTER_MS;
  const isOld = nowMs - known.lastFailureAtMs >= FAILURE_WRITTEN_EVERY_MS;
  return known.pausedAtMs === null && (isDue || isOld);
}

const COLUMNS = `origin, failing_since_ms AS failingSinceMs, last_failure_at_ms AS lastFailureAtMs,
  last_error AS lastError, paused_at_ms AS pausedAtMs`;

/** One statement decides and writes, so that isolates that race agree. Old values on the right. */
const RECORD_SQL = `
  INSERT INTO webhook_endpoints (merchant_id, environment, origin, failing_since_ms,
    last_failure_at_ms, last_error, paused_at_ms)
  SELECT ?1, ?2, ?3, ?4, ?4, ?5, NULL
  WHERE (SELECT COUNT(*) FROM webhook_endpoints
    WHERE merchant_id = ?1 AND environment = ?2 AND origin <> ?3) < ${ENDPOINTS_MAX}
  ON CONFLICT (merchant_id, environment, origin) DO UPDATE SET
    last_failure_at_ms = max(last_failure_at_ms, excluded.last_failure_at_ms),
    last_error = excluded.last_error,
    paused_at_ms = iif(?4 - failing_since_ms >= ${PAUSE_AFTER_MS}, ?4, NULL)
  WHERE paused_at_ms IS NULL
  RETURNING ${COLUMNS}`;

/** What has been silent for long makes room, its own earlier failures included. */
const FORGET_SQL = `DELETE FROM webhook_endpoints
  WHERE merchant_id = ?1 AND environment = ?2 AND paused_at_ms IS NULL AND last_failure_at_ms < ?3`;

const PROBE_SQL = `UPDATE webhook_endpoints SET probed_at_ms = ?4
  WHERE merchant_id = ?1 AND environment = ?2 AND origin = ?3
    AND paused_at_ms IS NOT NULL AND max(paused_at_ms, coalesce(probed_at_ms, 0)) <= ?5
  RETURNING origin`;

/**
 * Claims the daily probe of a paused endpoint. True for the one delivery that may be sent there;
 * false while another one has probed it within PROBE_EVERY_MS.
 */
export async function claimProbe(
  db: D1Database,
  tenant: Tenant,
  { origin, atMs }: { readonly origin: string; readonly atMs: number },
): Promise<boolean> {
  const { merchantId, environment } = tenant;
  const claimed = await db
    .prepare(PROBE_SQL)
    .bind(merchantId, environment, origin, atMs, atMs - PROBE_EVERY_MS)
    .first();
  return claimed !== null;
}

/**
 * Writes a failure down, and pauses the endpoint when it has been failing for long enough. Returns
 * what is known of it now, or null when it was paused already or the tenant has too many.
 */
export async function recordFailure(
  db: D1Database,
  tenant: Tenant,
  failure: { readonly origin: string; readonly error: string; readonly atMs: number },
): Promise<Endpoint | null> {
  const { origin, atMs } = failure;
  const { merchantId, environment } = tenant;
  const error = failure.error.slice(0, ERROR_LENGTH_MAX);
  const forget = db.prepare(FORGET_SQL).bind(merchantId, environment, atMs - SILENCE_MS_MAX);
  const record = db.prepare(RECORD_SQL).bind(merchantId, environment, origin, atMs, error);
  const [, recorded] = await db.batch<Endpoint>([forget, record]);
  return recorded?.results[0] ?? null;
}

/** Something has arrived there. Deletes nothing when nothing was wrong. */
export async function recordSuccess(db: D1Database, tenant: Tenant, origin: string): Promise<void> {
  await runBatch(db, [clearEndpoint(tenant, origin)]);
}

/** Forgets the failures of an endpoint, and with them its pause. */
export function clearEndpoint(tenant: Tenant, origin: string): SqlStatement {
  return {
    sql: 'DELETE FROM webhook_endpoints WHERE merchant_id = ?1 AND environment = ?2 AND origin = ?3',
    params: [tenant.merchantId, tenant.environment, origin],
  };
}

/** The same, but only of a paused one. */
export function resumeEndpoint(tenant: Tenant, origin: string): SqlStatement {
  const { sql, params } = clearEndpoint(tenant, origin);
  return { sql: `${sql} AND paused_at_ms IS NOT NULL`, params };
}

/** A tenant's failing endpoints as they are now, the paused ones first. */
export async function listEndpoints(db: D1Database, tenant: Tenant): Promise<readonly Endpoint[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM webhook_endpoints WHERE merchant_id = ?1 AND environment = ?2
       ORDER BY paused_at_ms IS NULL, failing_since_ms, origin LIMIT ${ENDPOINTS_MAX}`,
    )
    .bind(tenant.merchantId, tenant.environment)
    .all<Endpoint>();
  return results;
}
