import type { Act, Changing } from '../../kit/audit/log.ts';
import type { SqlStatement } from '../../kit/platform/database.ts';
import { configOf } from '../config.ts';
import type { IdempotencyClaim } from '../intent/protocol.ts';
import { insertAnswer } from './endpoint-answers.ts';
import {
  deleteEndpoint,
  type EndpointEntry,
  type EndpointSettings,
  endpointAuditDetail,
  insertEndpoint,
  insertEndpointOfPerson,
  newEndpoint,
  updateEndpoint,
} from './endpoint-store.ts';
import { ENDPOINT_ID_PREFIX } from './endpoints.ts';
import { clearEndpoint, resumeEndpoint } from './failing-endpoints.ts';
import { changeWebhooks, insertSecret, type NewSecret, newSecret } from './secret-store.ts';

/** What members and programs change about endpoints, each change with its audit entry. */

export interface AddedEndpoint {
  readonly endpoint: EndpointEntry;
  readonly secret: NewSecret;
}

/** The answer to store under an Idempotency-Key, if an endpoint is added. */
export interface KeyedCreation {
  readonly claim: IdempotencyClaim;
  readonly answerOf: (added: AddedEndpoint) => string;
}

/**
 * A new endpoint with a secret; null when the tenant has ENDPOINTS_MAX, or when the key has created
 * one before.
 */
export async function addEndpoint(
  by: Changing,
  settings: EndpointSettings,
  keyed: KeyedCreation | null = null,
): Promise<AddedEndpoint | null> {
  const { env, tenant, nowMs } = by;
  const endpointId = newEndpointId();
  const owner = { ...tenant, endpointId };
  const secret = await newSecret(configOf(env), owner, nowMs);
  const endpoint = newEndpoint(endpointId, settings, nowMs);
  const added = { endpoint, secret };
  const answer =
    keyed && (await insertAnswer(env, tenant, keyed.claim, endpoint, keyed.answerOf(added)));
  const isAdded = await changeWebhooks(
    by,
    [insertEndpoint(tenant, endpoint, keyed?.claim.keyDigest ?? null)],
    {
      action: 'webhook.endpoint_created',
      target: endpointId,
      detail: endpointAuditDetail(settings),
    },
    [insertSecret(owner, secret, nowMs), ...(answer === null ? [] : [answer])],
  );
  return isAdded ? added : null;
}

/**
 * A person's endpoint, whose chat or mailbox has confirmed this request. Its id; null when the tenant
 * has ENDPOINTS_MAX, or another call was faster.
 */
export async function addEndpointOfPerson(
  by: Changing,
  settings: EndpointSettings,
  connectionId: string,
  isToldNeeds: boolean,
): Promise<string | null> {
  const { tenant, nowMs } = by;
  const endpointId = newEndpointId();
  const endpoint = newEndpoint(endpointId, settings, nowMs);
  const isAdded = await changeWebhooks(
    by,
    insertEndpointOfPerson(tenant, endpoint, connectionId, isToldNeeds),
    {
      action: 'webhook.endpoint_created',
      target: endpointId,
      detail: endpointAuditDetail(settings),
    },
  );
  return isAdded ? endpointId : null;
}

function newEndpointId(): string {
  return ENDPOINT_ID_PREFIX + crypto.randomUUID().replaceAll('-', '').slice(0, 20);
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
