import { runBatch } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { DeliveryTry } from '../intent/protocol.ts';
import { clearEndpoint, needsRecording, recordFailure } from './failing-endpoints.ts';
import { isAccepted } from './send.ts';
import { rememberFailing, webhookSettings } from './settings.ts';

/** The result of a try for its endpoint, also when the URL guard rejected the endpoint. */
export interface Observation {
  /** An endpoint's id, or the origin of a callbackUrl. */
  readonly endpoint: string;
  readonly result: DeliveryTry;
  /** The receiver has left for good: the endpoint is paused at once. */
  readonly hasLeft: boolean | undefined;
  /** True after the first try: the failure before it may be newer than this isolate's cache. */
  readonly isRetry: boolean;
}

/**
 * Records failing endpoints with few writes: a success writes only after failures, and failures
 * write once in some minutes. Runs after the report and never throws: an error here must not affect
 * the delivery.
 */
export async function watchEndpoint(
  env: Env,
  tenant: Tenant,
  { endpoint, result, hasLeft = false, isRetry }: Observation,
): Promise<void> {
  const { merchantId, environment } = tenant;
  try {
    const atMs = Date.now();
    const known = (await webhookSettings(env, tenant, atMs)).failing.get(endpoint);
    if (isAccepted(result)) {
      if (known !== undefined || isRetry) {
        rememberFailing(tenant, endpoint, null, atMs);
        await runBatch(env.DB, [clearEndpoint(tenant, endpoint)]);
      }
      return;
    }
    if (!needsRecording(known, atMs) && !(hasLeft && known?.pausedAtMs === null)) {
      return;
    }
    const error = result.error ?? `HTTP ${result.httpStatus}`;
    const { failingSinceMs = atMs, pausedAtMs = null } = known ?? {};
    const failing = {
      endpoint,
      failingSinceMs,
      lastFailureAtMs: atMs,
      lastError: error,
      pausedAtMs,
    };
    // The cache changes before D1 answers, so that failures of the same moment do not write as
    // well.
    rememberFailing(tenant, endpoint, failing, atMs);
    const recorded = await recordFailure(env.DB, tenant, { endpoint, error, atMs, hasLeft });
    if (recorded !== null) {
      rememberFailing(tenant, endpoint, recorded, atMs);
    }
    if (recorded?.pausedAtMs === atMs) {
      log('warn', 'webhook_endpoint_paused', { merchantId, environment });
    }
  } catch (error) {
    log('warn', 'webhook_endpoint_not_recorded', {
      merchantId,
      environment,
      error: errorText(error),
    });
  }
}
