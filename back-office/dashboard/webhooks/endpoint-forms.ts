import type { CheckedEndpoint, TypedEndpoint } from '../../../src/interface/webhooks.ts';
import type { EndpointEntry, EndpointSettings } from '../../../src/webhooks/endpoint-store.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { isConfirmedInProduction, offerInProduction } from '../people/confirmation.ts';
import { answerEndpoint, answerNewEndpoint, typedOf } from './endpoint-page.tsx';

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

function typedIn({ form }: DashboardCall): TypedEndpoint {
  return {
    url: form.text('url'),
    description: form.text('description'),
    eventTypes: form.all('eventType'),
    signatureHeader: form.text('signatureHeader'),
  };
}

function check(call: DashboardCall, typed: TypedEndpoint): Promise<CheckedEndpoint> {
  return call.payments.webhooks.checkEndpoint(typed, call.url.origin);
}

/**
 * POST …/webhooks/endpoints/options: asks for the passkey in production, where an endpoint receives
 * customers' details (docs/decisions.md#42).
 */
export async function beginCreateEndpoint(call: DashboardCall): Promise<Response> {
  const checked = await check(call, typedIn(call));
  const action = checked.type === 'good' ? creation(checked.settings) : null;
  return offerInProduction(call, 'webhook-endpoint', action);
}

/** POST …/webhooks/endpoints/:endpoint/options: the same for another server, or for more events. */
export async function beginEditEndpoint(call: DashboardCall): Promise<Response> {
  const [endpoint, checked] = await Promise.all([named(call), check(call, typedIn(call))]);
  if (endpoint === null) {
    return noticePage(call, 'not_found');
  }
  const action = checked.type === 'good' ? redirection(endpoint, checked.settings) : null;
  return offerInProduction(call, 'webhook-endpoint', action);
}

/** POST …/webhooks/endpoints/:endpoint/enable/options: the same for one that a member had disabled. */
export async function beginEnableEndpoint(call: DashboardCall): Promise<Response> {
  const endpoint = await named(call);
  return endpoint === null
    ? noticePage(call, 'not_found')
    : offerInProduction(call, 'webhook-enable', enabling(endpoint));
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
  const typed = typedIn(call);
  const checked = await check(call, typed);
  if (checked.type === 'bad') {
    return answerNewEndpoint(call, { typed, problems: checked.problems }, BAD_REQUEST);
  }
  if (!(await isConfirmedInProduction(call, 'webhook-endpoint', creation(checked.settings)))) {
    return answerNewEndpoint(call, { typed, isUnconfirmed: true }, FORBIDDEN);
  }
  const { webhooks } = call.payments;
  const { origin } = call.url;
  const added = await webhooks.createEndpoint(tenantOf(call), actorOf(call), typed, origin);
  if (added === null) {
    return answerNewEndpoint(call, { typed, isFull: true }, BAD_REQUEST);
  }
  const secrets = { shown: { ...added.secret, isNew: true } };
  return answerEndpoint(call, added.endpointId, { isCreated: true, secrets });
}

/** POST …/webhooks/endpoints/:endpoint */
export async function editEndpoint(call: DashboardCall): Promise<Response> {
  const typed = typedIn(call);
  const [endpoint, checked] = await Promise.all([named(call), check(call, typed)]);
  if (endpoint === null) {
    return noticePage(call, 'not_found');
  }
  const { endpointId } = endpoint;
  if (checked.type === 'bad') {
    const edited = { typed, problems: checked.problems };
    return answerEndpoint(call, endpointId, { edited }, BAD_REQUEST);
  }
  const action = redirection(endpoint, checked.settings);
  if (action !== null && !(await isConfirmedInProduction(call, 'webhook-endpoint', action))) {
    return answerEndpoint(call, endpointId, { edited: { typed, isUnconfirmed: true } }, FORBIDDEN);
  }
  const { webhooks } = call.payments;
  const { origin } = call.url;
  const tenant = tenantOf(call);
  return saved(call, await webhooks.editEndpoint(tenant, actorOf(call), endpointId, typed, origin));
}

/** POST …/webhooks/endpoints/:endpoint/enable */
export async function enableEndpoint(call: DashboardCall): Promise<Response> {
  const endpoint = await named(call);
  if (endpoint === null) {
    return noticePage(call, 'not_found');
  }
  if (!(await isConfirmedInProduction(call, 'webhook-enable', enabling(endpoint)))) {
    const typed = typedOf(endpoint);
    const edited = { typed, isUnconfirmed: true };
    return answerEndpoint(call, endpoint.endpointId, { edited }, FORBIDDEN);
  }
  return switchTo(call, true);
}

/** POST …/webhooks/endpoints/:endpoint/disable */
export function disableEndpoint(call: DashboardCall): Promise<Response> {
  return switchTo(call, false);
}

/** POST …/webhooks/endpoints/:endpoint/resume */
export async function resumeOwnEndpoint(call: DashboardCall): Promise<Response> {
  const endpoint = await named(call);
  if (endpoint === null) {
    return noticePage(call, 'not_found');
  }
  const { endpointId } = endpoint;
  await call.payments.webhooks.resume(tenantOf(call), actorOf(call), endpointId);
  return redirectTo(endpointPath(call.environment, endpointId), { done: 'resumed' });
}

/** POST …/webhooks/endpoints/:endpoint/delete */
export async function removeEndpoint(call: DashboardCall): Promise<Response> {
  const { webhooks } = call.payments;
  const isKnown = await webhooks.deleteEndpoint(tenantOf(call), actorOf(call), idIn(call));
  return isKnown
    ? redirectTo(webhooksPath(call.environment), { done: 'deleted' })
    : noticePage(call, 'not_found');
}

async function switchTo(call: DashboardCall, isEnabled: boolean): Promise<Response> {
  const { switchEndpoint } = call.payments.webhooks;
  return saved(call, await switchEndpoint(tenantOf(call), actorOf(call), idIn(call), isEnabled));
}

function saved(call: DashboardCall, isKnown: boolean): Response {
  return isKnown
    ? redirectTo(endpointPath(call.environment, idIn(call)), { done: 'saved' })
    : noticePage(call, 'not_found');
}

function idIn({ params }: DashboardCall): string {
  return params.endpoint ?? '';
}

async function named(call: DashboardCall): Promise<EndpointEntry | null> {
  const found = await call.payments.webhooks.endpoint(tenantOf(call), idIn(call));
  return found?.endpoint ?? null;
}
