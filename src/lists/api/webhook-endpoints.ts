import { changing, type MerchantCall } from '../../engine/api/call.ts';
import { BODY_BYTES_MAX } from '../../engine/config.ts';
import {
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
} from '../../engine/webhooks/endpoint-store.ts';
import { ENDPOINTS_MAX, WIRE_EVENT_TYPES } from '../../engine/webhooks/endpoints.ts';
import { SECRETS_MAX } from '../../engine/webhooks/secret-rules.ts';
import { rotateSecret } from '../../engine/webhooks/secret-store.ts';
import { destinationRefusal } from '../../engine/webhooks/send.ts';
import { successResponse } from '../../kit/http/envelope.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { readJsonBody } from '../../kit/http/json-body.ts';
import { problem, validationProblem } from '../../kit/http/problem.ts';
import { checked } from '../../kit/http/strict-body.ts';
import {
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
  const { value } = await readJsonBody(call.request, BODY_BYTES_MAX);
  const read = checked(newEndpointSchema, value);
  refuseUndeliverable(call, read.url);
  const added = await addEndpoint(changing(call), {
    url: read.url,
    eventTypes: inOrder(read.eventTypes ?? []),
    description: read.description?.trim() ?? '',
    isEnabled: read.enabled ?? true,
    signatureHeader: read.signatureHeader ?? null,
  });
  if (added === null) {
    throw problem('webhook_endpoint_limit', { endpointsMax: ENDPOINTS_MAX });
  }
  const { endpointId: id, secret } = added;
  return answerWithSecret('Webhook endpoint created', { ...call, id }, secret.value);
}

/** PATCH …/webhook-endpoints/{id} */
export async function changeWebhookEndpoint(call: MerchantCall): Promise<Response> {
  const before = await named(call);
  const { value } = await readJsonBody(call.request, BODY_BYTES_MAX);
  const changes = checked(endpointChangesSchema, value);
  const after: EndpointSettings = {
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
  return answerWithSecret('Webhook secret rotated', call, secret.value);
}

/** The endpoint of the path. An id of another tenant is a 404 (docs/decisions.md#29). */
async function named({ env, access, id }: MerchantCall): Promise<EndpointEntry> {
  const endpoint = await findEndpoint(env.DB, access, id);
  if (endpoint === null) {
    throw problem('webhook_endpoint_not_found');
  }
  return endpoint;
}

async function answerWithSecret(
  message: string,
  call: MerchantCall,
  secret: string,
): Promise<Response> {
  return successResponse(message, { ...contentOf(await named(call)), secret });
}

export type EndpointContent = ReturnType<typeof contentOf>;

function contentOf(endpoint: EndpointEntry) {
  return {
    id: endpoint.endpointId,
    url: endpoint.url,
    eventTypes: endpoint.eventTypes,
    description: endpoint.description,
    enabled: endpoint.isEnabled,
    paused: endpoint.pausedAtMs !== null,
    signatureHeader: endpoint.signatureHeader,
    payloadVersion: endpoint.payloadVersion,
    createdAt: new Date(endpoint.createdAtMs).toISOString(),
  };
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
