import type { Tenant } from '../domain/intent.ts';
import type { DeliveryTry } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import { type Endpoint, needsRecording, recordFailure, recordSuccess } from './endpoints.ts';
import { isAccepted } from './send.ts';
import { rememberEndpoint, webhookSettings } from './settings.ts';

/** The result of a try for its endpoint, also when the URL guard rejected the endpoint. */
export interface Observation {
  readonly origin: string;
  readonly result: DeliveryTry;
  /** Not the first try: the failure before it may be newer than this isolate's cache. */
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
  { origin, result, isRetry }: Observation,
): Promise<void> {
  const { merchantId, environment } = tenant;
  try {
    const atMs = Date.now();
    const known = (await webhookSettings(env, tenant, atMs)).endpoints.get(origin);
    if (isAccepted(result)) {
      if (known !== undefined || isRetry) {
        rememberEndpoint(tenant, origin, null, atMs);
        await recordSuccess(env.DB, tenant, origin);
      }
      return;
    }
    if (!needsRecording(known, atMs)) {
      return;
    }
    const error = result.error ?? `HTTP ${result.httpStatus}`;
    // Before D1 answers, so that failures of the same moment do not write as well.
    rememberEndpoint(tenant, origin, observed(known, origin, error, atMs), atMs);
    const recorded = await recordFailure(env.DB, tenant, { origin, error, atMs });
    if (recorded !== null) {
      rememberEndpoint(tenant, origin, recorded, atMs);
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

function observed(
  known: Endpoint | undefined,
  origin: string,
  lastError: string,
  atMs: number,
): Endpoint {
  const { failingSinceMs = atMs, pausedAtMs = null } = known ?? {};
  return { origin, failingSinceMs, lastFailureAtMs: atMs, lastError, pausedAtMs };
}
