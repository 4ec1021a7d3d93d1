import type { Act, Changing } from '../../kit/audit/log.ts';
import type { SqlStatement } from '../../kit/platform/database.ts';
import { configOf } from '../config.ts';
import {
  deleteEndpoint,
  type EndpointEntry,
  type EndpointSettings,
  endpointAuditDetail,
  insertEndpoint,
  updateEndpoint,
} from './endpoint-store.ts';
import { ENDPOINT_ID_PREFIX } from './endpoints.ts';
import { clearEndpoint, resumeEndpoint } from './failing-endpoints.ts';
import { changeWebhooks, insertSecret, type NewSecret, newSecret } from './secret-store.ts';

/** What members and programs change about endpoints, each change with its audit entry. */

/** A new endpoint with a secret; null when the tenant has ENDPOINTS_MAX. */
export async function addEndpoint(
  by: Changing,
  settings: EndpointSettings,
): Promise<{ readonly endpointId: string; readonly secret: NewSecret } | null> {
  const { env, tenant, nowMs } = by;
  const endpointId = ENDPOINT_ID_PREFIX + crypto.randomUUID().replaceAll('-', '').slice(0, 20);
  const owner = { ...tenant, endpointId };
  const secret = await newSecret(configOf(env), owner, nowMs);
  const isAdded = await changeWebhooks(
    by,
    [insertEndpoint(tenant, { ...settings, endpointId, createdAtMs: nowMs })],
    {
      action: 'webhook.endpoint_created',
      target: endpointId,
      detail: endpointAuditDetail(settings),
    },
    [insertSecret(owner, secret, nowMs)],
  );
  return isAdded ? { endpointId, secret } : null;
}

/** `isResumed`: the change also ends a pause. */
export async function changeEndpoint(
  by: Changing,
  before: EndpointEntry,
  after: EndpointSettings,
  isResumed = false,
): Promise<void> {
  const { tenant } = by;
  const { endpointId } = before;
  // Failures before the change say nothing of the new address.
  const isFresh = after.url !== before.url || after.isEnabled !== before.isEnabled || isResumed;
  await changeWebhooks(
    by,
    [updateEndpoint(tenant, endpointId, after)],
    { action: 'webhook.endpoint_changed', target: endpointId, detail: endpointAuditDetail(after) },
    isFresh ? [clearEndpoint(tenant, endpointId)] : [],
  );
}

export async function removeEndpoint(
  by: Changing,
  endpointId: string,
  detail: NonNullable<Act['detail']>,
): Promise<void> {
  const act = { action: 'webhook.endpoint_deleted', target: endpointId, detail } as const;
  await changeWebhooks(by, deleteEndpoint(by.tenant, endpointId), act);
}

/** Resumes an endpoint, by its id or origin. False, without an entry, if it is not paused. */
export function resumePaused(
  by: Changing,
  endpoint: string,
  after: readonly SqlStatement[] = [],
): Promise<boolean> {
  const act = { action: 'webhook.endpoint_resumed', target: endpoint } as const;
  return changeWebhooks(by, [resumeEndpoint(by.tenant, endpoint)], act, after);
}

/** The name of the extra signature header of webhooks to callbackUrls; null: none. */
export async function changeCallbackHeader(by: Changing, name: string | null): Promise<void> {
  const { merchantId, environment } = by.tenant;
  // Changes no row, and so writes no entry, if it is set so already.
  const sql = `INSERT INTO webhook_callback_settings (merchant_id, environment, signature_header)
    VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET signature_header = excluded.signature_header
    WHERE signature_header IS NOT excluded.signature_header`;
  const detail = { signatureHeader: name };
  const act = { action: 'webhook.callbacks_changed', target: null, detail } as const;
  await changeWebhooks(by, [{ sql, params: [merchantId, environment, name] }], act);
}
