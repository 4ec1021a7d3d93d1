import { batch, prepare, type SqlStatement } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { ENDPOINT_ID_PREFIX, ENDPOINTS_MAX } from './endpoints.ts';

/**
 * Failing endpoints. After days without a successful delivery, an endpoint is paused. An endpoint is
 * one of the tenant's own, by its id, or the origin of callbackUrls: whole URLs may be unique for
 * each payment and would grow without bound.
 */

/** An endpoint that fails for this long, without a success in between, is paused. */
export const PAUSE_AFTER_MS = 5 * 24 * 60 * 60 * 1_000;
/**
 * Longer than any wait of the schedule (24 h and its jitter). After such a silence the count starts
 * again: two failures far apart do not prove that the endpoint failed in between.
 */
export const SILENCE_MS_MAX = 27 * 60 * 60 * 1_000;
/** A paused endpoint gets one delivery in this time, to find out whether it works again. */
export const PROBE_EVERY_MS = 24 * 60 * 60 * 1_000;
/** Further failures of a failing endpoint are stored at most this often. */
export const FAILURE_WRITTEN_EVERY_MS = 5 * 60 * 1_000;
/**
 * Origins of callbackUrls stored per tenant: honest merchants have a few. Those beyond this are never
 * paused. The tenant's own endpoints always have room, unless they were deleted during the try.
 */
export const FAILING_ORIGINS_MAX = 100;

export interface FailingEndpoint {
  /** The id of an endpoint, or an origin: scheme, host and port. */
  readonly endpoint: string;
  /** The first failure since the last success. */
  readonly failingSinceMs: number;
  /** The stored time lags by up to FAILURE_WRITTEN_EVERY_MS. */
  readonly lastFailureAtMs: number;
  /** The last failure: `HTTP 500`, or a sentence of Kefel. */
  readonly lastError: string;
  /** When it was paused; null while webhooks are still sent there. */
  readonly pausedAtMs: number | null;
}

/** Whether a failure at `nowMs` must be stored, given what is known of the endpoint. Pure. */
export function needsRecording(known: FailingEndpoint | undefined, nowMs: number): boolean {
  if (known === undefined) {
    return true;
  }
  const isDue = nowMs - known.failingSinceMs >= PAUSE_AFTER_MS;
  const isOld = nowMs - known.lastFailureAtMs >= FAILURE_WRITTEN_EVERY_MS;
  return known.pausedAtMs === null && (isDue || isOld);
}

const COLUMNS = `endpoint, failing_since_ms AS failingSinceMs, last_failure_at_ms AS lastFailureAtMs,
  last_error AS lastError, paused_at_ms AS pausedAtMs`;

/**
 * One statement decides and writes, so that concurrent isolates agree. In the update, plain column
 * names are the old values.
 */
const RECORD_SQL = `
  INSERT INTO failing_endpoints (merchant_id, environment, endpoint, failing_since_ms,
    last_failure_at_ms, last_error, paused_at_ms)
  SELECT ?1, ?2, ?3, ?4, ?4, ?5, iif(?6, ?4, NULL)
  WHERE iif(?3 GLOB '${ENDPOINT_ID_PREFIX}*',
    EXISTS (SELECT 1 FROM webhook_endpoints
      WHERE id = ?3 AND merchant_id = ?1 AND environment = ?2),
    (SELECT COUNT(*) FROM failing_endpoints
      WHERE merchant_id = ?1 AND environment = ?2 AND endpoint <> ?3) < ${FAILING_ORIGINS_MAX})
  ON CONFLICT (merchant_id, environment, endpoint) DO UPDATE SET
    last_failure_at_ms = max(last_failure_at_ms, excluded.last_failure_at_ms),
    last_error = excluded.last_error,
    paused_at_ms = iif(?6 OR ?4 - failing_since_ms >= ${PAUSE_AFTER_MS}, ?4, NULL)
  WHERE paused_at_ms IS NULL
  RETURNING ${COLUMNS}`;

/** Deletes endpoints without a recent failure, and with them this endpoint's own old count. */
const FORGET_SQL = `DELETE FROM failing_endpoints
  WHERE merchant_id = ?1 AND environment = ?2 AND paused_at_ms IS NULL AND last_failure_at_ms < ?3`;

const PROBE_SQL = `UPDATE failing_endpoints SET probed_at_ms = ?4
  WHERE merchant_id = ?1 AND environment = ?2 AND endpoint = ?3
    AND paused_at_ms IS NOT NULL AND max(paused_at_ms, coalesce(probed_at_ms, 0)) <= ?5
  RETURNING endpoint`;

/**
 * Claims the daily probe of a paused endpoint. True for the one delivery that may be sent there,
 * false when another one has probed it within PROBE_EVERY_MS.
 */
export async function claimProbe(
  db: D1Database,
  tenant: Tenant,
  { endpoint, atMs }: { readonly endpoint: string; readonly atMs: number },
): Promise<boolean> {
  const { merchantId, environment } = tenant;
  const params = [merchantId, environment, endpoint, atMs, atMs - PROBE_EVERY_MS];
  const claimed = await prepare(db, { sql: PROBE_SQL, params }).first();
  return claimed !== null;
}

/**
 * Stores a failure, and pauses the endpoint when it has been failing for long enough, or at once when
 * its receiver has left. Returns the
 * stored endpoint, or null when it was paused before, is deleted, or the tenant has too many.
 */
export async function recordFailure(
  db: D1Database,
  tenant: Tenant,
  failure: {
    readonly endpoint: string;
    readonly error: string;
    readonly atMs: number;
    readonly hasLeft?: boolean;
  },
): Promise<FailingEndpoint | null> {
  const { endpoint, error, atMs, hasLeft = false } = failure;
  const { merchantId, environment } = tenant;
  const [, recorded] = await batch<FailingEndpoint>(db, [
    { sql: FORGET_SQL, params: [merchantId, environment, atMs - SILENCE_MS_MAX] },
    { sql: RECORD_SQL, params: [merchantId, environment, endpoint, atMs, error, hasLeft ? 1 : 0] },
  ]);
  return recorded?.results[0] ?? null;
}

/** Deletes the failures of an endpoint, and with them its pause. */
export function clearEndpoint(tenant: Tenant, endpoint: string): SqlStatement {
  return {
    sql: 'DELETE FROM failing_endpoints WHERE merchant_id = ?1 AND environment = ?2 AND endpoint = ?3',
    params: [tenant.merchantId, tenant.environment, endpoint],
  };
}

/** Like `clearEndpoint`, but changes only a paused endpoint. */
export function resumeEndpoint(tenant: Tenant, endpoint: string): SqlStatement {
  const { sql, params } = clearEndpoint(tenant, endpoint);
  return { sql: `${sql} AND paused_at_ms IS NOT NULL`, params };
}

/** A tenant's failing endpoints, the paused ones first. */
export async function listFailing(
  db: D1Database,
  tenant: Tenant,
): Promise<readonly FailingEndpoint[]> {
  const sql = `SELECT ${COLUMNS} FROM failing_endpoints WHERE merchant_id = ?1 AND environment = ?2
    ORDER BY paused_at_ms IS NULL, failing_since_ms, endpoint LIMIT ${FAILING_ORIGINS_MAX + ENDPOINTS_MAX}`;
  const params = [tenant.merchantId, tenant.environment];
  const { results } = await prepare(db, { sql, params }).all<FailingEndpoint>();
  return results;
}
