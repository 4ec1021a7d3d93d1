import { changing, type MerchantCall } from '../../engine/api/call.ts';
import { readKeyedBody } from '../../engine/api/keyed-body.ts';
import { BODY_BYTES_MAX } from '../../engine/config.ts';
import type { IdempotencyClaim } from '../../engine/intent/protocol.ts';
import { storedAnswer } from '../../engine/webhooks/endpoint-answers.ts';
import {
  type AddedEndpoint,
  addEndpoint,
  changeEndpoint,
  removeEndpoint,
} from '../../engine/webhooks/endpoint-changes.ts';
import {
  type EndpointEntry,
  type EndpointSettings,
  endpointAuditDetail,
  findEndpoint,
  listEndpoints,
  OF_SERVER,
} from '../../engine/webhooks/endpoint-store.ts';
import {
  ENDPOINTS_MAX,
  endpointKind,
  shownUrl,
  WIRE_EVENT_TYPES,
} from '../../engine/webhooks/endpoints.ts';
import { SECRETS_MAX } from '../../engine/webhooks/secret-rules.ts';
import { rotateSecret } from '../../engine/webhooks/secret-store.ts';
import { destinationRefusal } from '../../engine/webhooks/send.ts';
import { jsonResponse, successBody, successResponse } from '../../kit/http/envelope.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { readJsonBody } from '../../kit/http/json-body.ts';
import { problem, validationProblem } from '../../kit/http/problem.ts';
import { checked } from '../../kit/http/strict-body.ts';
import {
  type EndpointChanges,
  endpointChangesSchema,
  newEndpointSchema,
  newSecretSchema,
} from './schema/webhook-endpoint.ts';

/** …/webhook-endpoints: the merchant's endpoints (docs/webhooks.md#webhook-endpoints). */

/** GET …/webhook-endpoints: all, oldest first. */
export async function listWebhookEndpoints({ env, access }: MerchantCall): Promise<Response> {
  const endpoints = await listEndpoints(env.DB, access);
  return successResponse('Webhook endpoints found', endpoints.map(contentOf));
}

/** GET …/webhook-endpoints/{id} */
export async function readWebhookEndpoint(call: MerchantCall): Promise<Response> {
  return successResponse('Webhook endpoint found', contentOf(await named(call)));
}

/** POST …/webhook-endpoints: the only answer besides a rotation with the secret. */
export async function createWebhookEndpoint(call: MerchantCall): Promise<Response> {
  const { value, idempotency } = await readKeyedBody(call.request, 'webhook_endpoint');
  // Before the body is validated: a repeat gets its first answer, even if the rules have changed.
  const repeated = idempotency && (await answerIfRepeated(call, idempotency));
  if (repeated !== null) {
    return repeated;
  }
  const read = checked(newEndpointSchema, value);
  refuseUndeliverable(call, read.url);
  const settings: EndpointSettings = {
    url: read.url,
    eventTypes: inOrder(read.eventTypes ?? []),
    description: read.description?.trim() ?? '',
    isEnabled: read.enabled ?? true,
    signatureHeader: read.signatureHeader ?? null,
    ...OF_SERVER,
  };
  const warnings = await sameUrlWarnings(call, settings);
  const answerOf = ({ endpoint, secret }: AddedEndpoint) => {
    const content = { ...contentOf(endpoint), secret: secret.value };
    return successBody('Webhook endpoint created', content, warnings);
  };
  const keyed = idempotency && { claim: idempotency, answerOf };
  const added = await addEndpoint(changing(call), settings, keyed);
  if (added !== null) {
    return jsonResponse(200, answerOf(added));
  }
  // A request with the same key may have been faster.
  const first = idempotency && (await answerIfRepeated(call, idempotency));
  if (first === null) {
    throw problem('webhook_endpoint_limit', { endpointsMax: ENDPOINTS_MAX });
  }
  return first;
}

/** The first answer to a repeated creation, or null. Problem 422 when the key had another body. */
async function answerIfRepeated(
  { env, access }: MerchantCall,
  claim: IdempotencyClaim,
): Promise<Response | null> {
  const stored = await storedAnswer(env, access, claim);
  if (stored?.type === 'key_reused') {
    throw problem('idempotency_key_reused');
  }
  return stored && jsonResponse(200, stored.answer, { 'idempotent-replayed': 'true' });
}

/** Two enabled endpoints with one address usually come from a repeated creation. */
async function sameUrlWarnings(
  { env, access }: MerchantCall,
  { url, isEnabled }: EndpointSettings,
): Promise<readonly string[]> {
  const { href } = new URL(url);
  const others = isEnabled ? await listEndpoints(env.DB, access) : [];
  return others
    .filter((other) => other.isEnabled && new URL(other.url).href === href)
    .map(
      ({ endpointId }) =>
        `The enabled endpoint ${endpointId} has the same url: your server gets each event once for each of the two. Delete one of them.`,
    );
}

/** PATCH …/webhook-endpoints/{id} */
export async function changeWebhookEndpoint(call: MerchantCall): Promise<Response> {
  const before = await named(call);
  const { value } = await readJsonBody(call.request, BODY_BYTES_MAX);
  const changes = checked(endpointChangesSchema, value);
  if (before.language !== null) {
    refuseChangesOfPerson(changes);
  }
  const after: EndpointSettings = {
    ...before,
    url: changes.url ?? before.url,
    eventTypes: changes.eventTypes == null ? before.eventTypes : inOrder(changes.eventTypes),
    description: changes.description?.trim() ?? before.description,
    isEnabled: changes.enabled ?? before.isEnabled,
    signatureHeader:
      changes.signatureHeader === undefined ? before.signatureHeader : changes.signatureHeader,
  };
  // One that is refused by now, after a change of the gateway's settings, may still be disabled.
  if (after.url !== before.url) {
    refuseUndeliverable(call, after.url);
  }
  await changeEndpoint(changing(call), before, after, changes.paused === false);
  return successResponse('Webhook endpoint changed', contentOf(await named(call)));
}

/** DELETE …/webhook-endpoints/{id} */
export async function deleteWebhookEndpoint(call: MerchantCall): Promise<Response> {
  const endpoint = await named(call);
  await removeEndpoint(changing(call), endpoint.endpointId, endpointAuditDetail(endpoint));
  return successResponse('Webhook endpoint deleted', contentOf(endpoint));
}

/** POST …/webhook-endpoints/{id}/secret: a new secret; the old ones sign for `overlapHours` more. */
export async function rotateWebhookSecret(call: MerchantCall): Promise<Response> {
  const { request } = call;
  const { endpointId } = await named(call);
  const sent = request.body === null ? {} : (await readJsonBody(request, BODY_BYTES_MAX)).value;
  const { overlapHours } = checked(newSecretSchema, sent);
  const secret = await rotateSecret(changing(call), endpointId, overlapHours);
  if (secret === null) {
    throw problem('webhook_secret_limit', { secretsMax: SECRETS_MAX });
  }
  const content = { ...contentOf(await named(call)), secret: secret.value };
  return successResponse('Webhook secret rotated', content);
}

/** The endpoint of the path. An id of another tenant is a 404 (docs/decisions.md#29). */
async function named({ env, access, id }: MerchantCall): Promise<EndpointEntry> {
  const endpoint = await findEndpoint(env.DB, access, id);
  if (endpoint === null) {
    throw problem('webhook_endpoint_not_found');
  }
  return endpoint;
}

export type EndpointContent = ReturnType<typeof contentOf>;

function contentOf(endpoint: EndpointEntry) {
  return {
    id: endpoint.endpointId,
    kind: endpointKind(endpoint.url),
    url: shownUrl(endpoint.url),
    eventTypes: endpoint.eventTypes,
    description: endpoint.description,
    enabled: endpoint.isEnabled,
    paused: endpoint.pausedAtMs !== null,
    signatureHeader: endpoint.signatureHeader,
    payloadVersion: endpoint.payloadVersion,
    createdAt: new Date(endpoint.createdAtMs).toISOString(),
  };
}

/** A chat or mailbox confirms itself, in the dashboard, and gets no signature. */
function refuseChangesOfPerson({ url, signatureHeader }: EndpointChanges): void {
  const text = 'This endpoint is a person’s. Connect another one in the dashboard.';
  const error = fieldError('invalid_choice', text);
  if (url != null || signatureHeader != null) {
    throw validationProblem(url == null ? { signatureHeader: error } : { url: error });
  }
}

/** Without duplicates, in the order of the documentation. */
function inOrder(eventTypes: readonly string[]): readonly string[] {
  return WIRE_EVENT_TYPES.filter((type) => eventTypes.includes(type));
}

function refuseUndeliverable(call: MerchantCall, url: string): void {
  const refusal = destinationRefusal(call.config, url, new URL(call.request.url).origin);
  if (refusal !== null) {
    const text = `No webhook can be sent there: ${refusal}.`;
    throw validationProblem({ url: fieldError('undeliverable', text) });
  }
}
