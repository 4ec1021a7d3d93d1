import type { Tenant } from '../domain/intent.ts';
import type { DeliveryTry } from '../intent/protocol.ts';
import { errorText, log } from '../log.ts';
import { type Endpoint, isFailureNews, recordFailure, recordSuccess } from './endpoints.ts';
import { isAccepted } from './send.ts';
import { rememberEndpoint, webhookSettings } from './settings.ts';

/** What a try says of the endpoint it went to, or was refused to go to. */
export interface Observation {
  readonly origin: string;
  readonly result: DeliveryTry;
  /** A later try: the failure before it may be too young for what this isolate remembers. */
  readonly isRetry: boolean;
}

/**
 * Keeps track of endpoints that fail, with few writes: a success writes only where something was
 * wrong, a failure once in some minutes. After the report, and never throws: what is lost here
 * costs no delivery.
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
    if (!isFailureNews(known, atMs)) {
      return;
    }
    const error = result.error ?? `HTTP ${result.httpStatus}`;
    // Before the answer of D1: those of the same moment need not write it down too.
    rememberEndpoint(tenant, origin, observed(known, origin, error, atMs), atMs);
    const recorded = await recordFailure(env.DB, tenant, { origin, error, atMs });
    if (recorded !== null) {
      rememberEndpoint(tenant, origin, recorded, atMs);
    }
    if (recorded?.pausedAtMs === atMs) {
      log('warn', 'webhook_endpoint_paused', { merchantId, environment });
    }
  } catch (error) {
    log('warn', 'webhook_endpoint_lost', { merchantId, environment, error: errorText(error) });
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
