import { runBatch, type SqlStatement } from '../../../src/database.ts';
import {
  DESCRIPTION_CHARACTERS_MAX,
  deleteEndpoint,
  type EndpointEntry,
  type EndpointSettings,
  endpointAuditDetail,
  findEndpoint,
  insertEndpoint,
  newEndpointId,
  updateEndpoint,
} from '../../../src/webhooks/endpoint-store.ts';
import { endpointOrigin, WIRE_EVENT_TYPES } from '../../../src/webhooks/endpoints.ts';
import { clearEndpoint } from '../../../src/webhooks/failing-endpoints.ts';
import { insertSecret, newSecret } from '../../../src/webhooks/secret-store.ts';
import { forgetSettingsOf } from '../../../src/webhooks/settings.ts';
import { signatureHeaderProblem } from '../../../src/webhooks/signature-header.ts';
import { redirectTo } from '../../ui/answer.ts';
import { auditedIfChanged } from '../audited.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { isConfirmedInProduction, offerInProduction } from '../people/confirmation.ts';
import {
  answerEndpoint,
  answerNewEndpoint,
  type EndpointProblems,
  type TypedEndpoint,
} from './endpoint-page.tsx';
import { addressProblem, resumePausedEndpoint } from './endpoints.ts';

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

type ReadForm =
  | { readonly type: 'good'; readonly settings: EndpointSettings }
  | { readonly type: 'bad'; readonly typed: TypedEndpoint; readonly problems: EndpointProblems };

function readEndpointForm(call: DashboardCall, isEnabled: boolean): ReadForm {
  const { form } = call;
  const typed: TypedEndpoint = {
    url: form.text('url'),
    description: form.text('description'),
    eventTypes: form.all('eventType'),
    signatureHeader: form.text('signatureHeader'),
  };
  const known: readonly string[] = WIRE_EVENT_TYPES;
  const header = typed.signatureHeader === '' ? null : typed.signatureHeader;
  const problems: EndpointProblems = {
    url: typed.url === '' ? 'empty' : addressProblem(call, typed.url),
    signatureHeader: header === null ? null : signatureHeaderProblem(header),
    isDescriptionTooLong: typed.description.length > DESCRIPTION_CHARACTERS_MAX,
    hasUnknownType: !typed.eventTypes.every((type) => known.includes(type)),
  };
  const isGood = Object.values(problems).every((problem) => problem === null || problem === false);
  if (!isGood) {
    return { type: 'bad', typed, problems };
  }
  // In the order of the documentation, and without duplicates.
  const eventTypes = known.filter((type) => typed.eventTypes.includes(type));
  return { type: 'good', settings: { ...typed, eventTypes, signatureHeader: header, isEnabled } };
}

/**
 * POST …/webhooks/endpoints/options: asks for the passkey in production, where an endpoint receives
 * customers' details (docs/decisions.md#42).
 */
export async function beginCreateEndpoint(call: DashboardCall): Promise<Response> {
  const read = readEndpointForm(call, true);
  const action = read.type === 'good' ? creation(read.settings) : null;
  return offerInProduction(call, 'webhook-endpoint', action);
}

/** POST …/webhooks/endpoints/:endpoint/options: the same for another server, or for more events. */
export async function beginEditEndpoint(call: DashboardCall): Promise<Response> {
  return changing(call, (endpoint) => {
    const read = readEndpointForm(call, endpoint.isEnabled);
    const action = read.type === 'good' ? redirection(endpoint, read.settings) : null;
    return offerInProduction(call, 'webhook-endpoint', action);
  });
}

/** POST …/webhooks/endpoints/:endpoint/enable/options: the same for one that a member had disabled. */
export async function beginEnableEndpoint(call: DashboardCall): Promise<Response> {
  return changing(call, (endpoint) =>
    offerInProduction(call, 'webhook-enable', enabling(endpoint)),
  );
}

function creation(settings: EndpointSettings) {
  return ['create', ...chosen(settings)];
}

/** What the member confirms; null for a change by which no server gets more events than before. */
function redirection(endpoint: EndpointEntry, settings: EndpointSettings) {
  const isSame =
    settings.url === endpoint.url && settings.eventTypes.join() === endpoint.eventTypes.join();
  return isSame ? null : ['edit', endpoint.endpointId, ...chosen(settings)];
}

function enabling({ endpointId, url }: EndpointEntry) {
  return ['enable', endpointId, url];
}

function chosen({ url, eventTypes, signatureHeader, description }: EndpointSettings) {
  return [url, eventTypes.join(), signatureHeader, description];
}

/** POST …/webhooks/endpoints */
export async function createEndpoint(call: DashboardCall): Promise<Response> {
  const read = readEndpointForm(call, true);
  if (read.type === 'bad') {
    return answerNewEndpoint(call, read, BAD_REQUEST);
  }
  const { settings } = read;
  if (!(await isConfirmedInProduction(call, 'webhook-endpoint', creation(settings)))) {
    return answerNewEndpoint(call, { typed: typedOf(settings), isUnconfirmed: true }, FORBIDDEN);
  }
  const { env, config, nowMs } = call;
  const tenant = tenantOf(call);
  const endpointId = newEndpointId();
  const secret = await newSecret(config, { ...tenant, endpointId }, nowMs);
  const [added] = await runBatch(env.DB, [
    insertEndpoint(tenant, { ...settings, endpointId, createdAtMs: nowMs }),
    auditedIfChanged(call, {
      action: 'webhook.endpoint_created',
      target: endpointId,
      detail: endpointAuditDetail(settings),
    }),
    insertSecret({ ...tenant, endpointId }, secret, nowMs),
  ]);
  if (added !== 1) {
    return answerNewEndpoint(call, { typed: typedOf(settings), isFull: true }, BAD_REQUEST);
  }
  forgetSettingsOf(tenant);
  const shown = { id: secret.id, value: secret.value, isNew: true };
  return answerEndpoint(call, endpointId, { isCreated: true, secrets: { shown } });
}

function typedOf({ signatureHeader, ...settings }: EndpointSettings): TypedEndpoint {
  return { ...settings, signatureHeader: signatureHeader ?? '' };
}

/** POST …/webhooks/endpoints/:endpoint */
export async function editEndpoint(call: DashboardCall): Promise<Response> {
  return changing(call, async (endpoint) => {
    const read = readEndpointForm(call, endpoint.isEnabled);
    if (read.type === 'bad') {
      return answerEndpoint(call, endpoint.endpointId, { edited: read }, BAD_REQUEST);
    }
    const { settings } = read;
    const action = redirection(endpoint, settings);
    if (action !== null && !(await isConfirmedInProduction(call, 'webhook-endpoint', action))) {
      const edited = { typed: typedOf(settings), isUnconfirmed: true };
      return answerEndpoint(call, endpoint.endpointId, { edited }, FORBIDDEN);
    }
    return change(call, endpoint, settings);
  });
}

/** POST …/webhooks/endpoints/:endpoint/enable */
export async function enableEndpoint(call: DashboardCall): Promise<Response> {
  return changing(call, async (endpoint) => {
    if (!(await isConfirmedInProduction(call, 'webhook-enable', enabling(endpoint)))) {
      const edited = { typed: typedOf(endpoint), isUnconfirmed: true };
      return answerEndpoint(call, endpoint.endpointId, { edited }, FORBIDDEN);
    }
    return change(call, endpoint, { ...endpoint, isEnabled: true });
  });
}

/** POST …/webhooks/endpoints/:endpoint/disable */
export async function disableEndpoint(call: DashboardCall): Promise<Response> {
  return changing(call, (endpoint) => change(call, endpoint, { ...endpoint, isEnabled: false }));
}

/** POST …/webhooks/endpoints/:endpoint/resume */
export async function resumeOwnEndpoint(call: DashboardCall): Promise<Response> {
  return changing(call, async ({ endpointId }) => {
    await resumePausedEndpoint(call, endpointId);
    return redirectTo(endpointPath(call.environment, endpointId), { done: 'resumed' });
  });
}

/** POST …/webhooks/endpoints/:endpoint/delete */
export async function removeEndpoint(call: DashboardCall): Promise<Response> {
  return changing(call, async ({ endpointId, url }) => {
    const detail = { origin: endpointOrigin(url) };
    await run(call, [
      ...deleteEndpoint(tenantOf(call), endpointId),
      auditedIfChanged(call, { action: 'webhook.endpoint_deleted', target: endpointId, detail }),
    ]);
    return redirectTo(webhooksPath(call.environment), { done: 'deleted' });
  });
}

async function changing(
  call: DashboardCall,
  handle: (endpoint: EndpointEntry) => Promise<Response>,
): Promise<Response> {
  const endpoint = await findEndpoint(call.env.DB, tenantOf(call), call.params.endpoint ?? '');
  return endpoint === null ? noticePage(call, 'not_found') : handle(endpoint);
}

async function change(
  call: DashboardCall,
  endpoint: EndpointEntry,
  settings: EndpointSettings,
): Promise<Response> {
  const { endpointId } = endpoint;
  const tenant = tenantOf(call);
  const isMoved = settings.url !== endpoint.url || settings.isEnabled !== endpoint.isEnabled;
  await run(call, [
    updateEndpoint(tenant, endpointId, settings),
    auditedIfChanged(call, {
      action: 'webhook.endpoint_changed',
      target: endpointId,
      detail: endpointAuditDetail(settings),
    }),
    // Failures before the change say nothing of the new address.
    ...(isMoved ? [clearEndpoint(tenant, endpointId)] : []),
  ]);
  return redirectTo(endpointPath(call.environment, endpointId), { done: 'saved' });
}

async function run(call: DashboardCall, statements: readonly SqlStatement[]): Promise<void> {
  await runBatch(call.env.DB, statements);
  forgetSettingsOf(tenantOf(call));
}
