import type {
  EndpointProblems,
  TestState,
  TypedEndpoint,
} from '../../../src/control/rpc/webhooks.ts';
import type {
  EndpointEntry,
  EndpointSettings,
} from '../../../src/engine/webhooks/endpoint-store.ts';
import { ENDPOINTS_MAX } from '../../../src/engine/webhooks/endpoints.ts';
import { found } from '../../../src/kit/http/problem.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import type { Problems } from '../../ui/fields.tsx';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { type Refusal, showPage } from '../frame.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { type Asked, confirmedPost, inProduction, wrong } from '../people/confirmation.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { EndpointPage, NewEndpointPage } from './endpoint-page.tsx';
import { secretRoutes } from './secrets.ts';
import type { SecretsState } from './secrets-section.tsx';
import { testRefusal } from './test-section.tsx';

const ENDPOINTS = '/dashboard/:environment/webhooks/endpoints';
const ENDPOINT = `${ENDPOINTS}/:endpoint` as const;

/**
 * In production an endpoint receives customers' details. So the passkey must confirm a new one, one
 * at another server, one for more events and one that had been disabled (docs/decisions.md#42).
 */
export const ENDPOINT_ROUTES: readonly DashboardRoute[] = [
  // Before the page and form of an endpoint, whose path also fits.
  get(`${ENDPOINTS}/new`, 'develop', (call) => answerNewEndpoint(call, NEW_ENDPOINT)),
  ...confirmedPost(ENDPOINTS, 'develop', 'webhook-endpoint', readCreation),
  get(ENDPOINT, 'view', (call) => answerEndpoint(call, {})),
  ...confirmedPost(ENDPOINT, 'develop', 'webhook-endpoint', readEdit),
  ...confirmedPost(`${ENDPOINT}/enable`, 'develop', 'webhook-enable', readEnabling),
  post(`${ENDPOINT}/disable`, 'develop', (call) => switchTo(call, false)),
  post(`${ENDPOINT}/resume`, 'develop', resumeOwnEndpoint),
  post(`${ENDPOINT}/test`, 'develop', sendTest),
  post(`${ENDPOINT}/delete`, 'develop', removeEndpoint),
  ...secretRoutes(ENDPOINT, (call, secrets, refusal) =>
    answerEndpoint(call, { secrets, ...refusal }),
  ),
];

const NEW_ENDPOINT: TypedEndpoint = {
  url: '',
  description: '',
  eventTypes: [],
  signatureHeader: '',
};

function answerNewEndpoint(
  call: DashboardCall,
  typed: TypedEndpoint,
  refusal: Refusal = {},
): Promise<Response> {
  const at = endpointPath(call.environment, 'new');
  return Promise.resolve(showPage(call, <NewEndpointPage typed={typed} />, { at, ...refusal }));
}

/** What a form has just done, or why it was rejected. It lives in this one answer only. */
interface EndpointState extends Refusal {
  readonly endpointId?: string;
  /** A rejected form. */
  readonly typed?: TypedEndpoint;
  readonly isCreated?: boolean;
  readonly secrets?: SecretsState;
  readonly test?: TestState;
}

/** The endpoint as it is now, with what a form has to say. */
async function answerEndpoint(
  call: DashboardCall,
  { endpointId = idIn(call), typed, isCreated = false, secrets, test, ...refusal }: EndpointState,
): Promise<Response> {
  const at = endpointPath(call.environment, endpointId);
  const known = found(await call.payments.webhooks.endpoint(tenantOf(call), endpointId));
  const page = <EndpointPage {...known} {...{ typed, isCreated, state: secrets, test }} />;
  return showPage(call, page, { at, ...refusal });
}

function typedIn({ form }: DashboardCall): TypedEndpoint {
  return {
    url: form.text('url'),
    description: form.text('description'),
    eventTypes: form.all('eventType'),
    signatureHeader: form.text('signatureHeader'),
  };
}

function problemsOf({ language }: DashboardCall, problems: EndpointProblems): Problems {
  const text = DASHBOARD_TEXTS[language].webhooks;
  const { url, hasUnknownType, signatureHeader } = problems;
  const { isDescriptionTooLong, isDescriptionUnprintable } = problems;
  return [
    url ? (['url', text.urlProblem[url]] as const) : null,
    hasUnknownType ? (['eventTypes', text.noTypes] as const) : null,
    isDescriptionTooLong ? (['description', text.descriptionTooLong] as const) : null,
    isDescriptionUnprintable ? (['description', text.descriptionUnprintable] as const) : null,
    signatureHeader
      ? (['signatureHeader', text.signatureHeaderProblem[signatureHeader]] as const)
      : null,
  ].filter((problem) => problem !== null);
}

function unconfirmed({ language }: DashboardCall): Refusal {
  return { problems: [[null, DASHBOARD_TEXTS[language].webhooks.unconfirmed]], status: 403 };
}

/** POST …/webhooks/endpoints */
async function readCreation(call: DashboardCall): Promise<Asked> {
  const { webhooks } = call.payments;
  const { origin } = call.url;
  const typed = typedIn(call);
  const refuse = (refusal: Refusal) => answerNewEndpoint(call, typed, refusal);
  const checked = await webhooks.checkEndpoint(typed, origin);
  if (checked.type === 'bad') {
    return wrong(() => refuse({ problems: problemsOf(call, checked.problems) }));
  }
  return {
    action: inProduction(call, ['create', ...chosen(checked.settings)]),
    run: async () => {
      const added = await webhooks.createEndpoint(tenantOf(call), actorOf(call), typed, origin);
      if (added === null) {
        const { webhooks: text, frame } = DASHBOARD_TEXTS[call.language];
        const full = text.tooManyEndpoints(countText(ENDPOINTS_MAX, frame.locale));
        return refuse({ problems: [[null, full]] });
      }
      const { endpointId, secret } = added;
      // The page says that it is new.
      const secrets = { shown: { ...secret, isNew: false } };
      return answerEndpoint(call, { endpointId, isCreated: true, secrets });
    },
    refuse: () => refuse(unconfirmed(call)),
  };
}

function chosen({ url, eventTypes, signatureHeader, description }: EndpointSettings) {
  return [url, eventTypes.join(), signatureHeader, description];
}

/** POST …/webhooks/endpoints/:endpoint. Confirmed unless no server gets more events than before. */
async function readEdit(call: DashboardCall): Promise<Asked> {
  const { webhooks } = call.payments;
  const { origin } = call.url;
  const typed = typedIn(call);
  const [endpoint, checked] = await Promise.all([
    named(call),
    webhooks.checkEndpoint(typed, origin),
  ]);
  if (checked.type === 'bad') {
    const problems = problemsOf(call, checked.problems);
    return wrong(() => answerEndpoint(call, { typed, problems }));
  }
  const { endpointId, url, eventTypes } = endpoint;
  const { settings } = checked;
  const isSame = settings.url === url && settings.eventTypes.join() === eventTypes.join();
  return {
    action: isSame ? null : inProduction(call, ['edit', endpointId, ...chosen(settings)]),
    run: async () => {
      const edited = webhooks.editEndpoint(
        tenantOf(call),
        actorOf(call),
        endpointId,
        typed,
        origin,
      );
      return saved(call, await edited);
    },
    refuse: () => answerEndpoint(call, { typed, ...unconfirmed(call) }),
  };
}

/** POST …/webhooks/endpoints/:endpoint/enable */
async function readEnabling(call: DashboardCall): Promise<Asked> {
  const { endpointId, url } = await named(call);
  return {
    action: inProduction(call, ['enable', endpointId, url]),
    run: () => switchTo(call, true),
    refuse: () => answerEndpoint(call, unconfirmed(call)),
  };
}

/** POST …/webhooks/endpoints/:endpoint/resume */
async function resumeOwnEndpoint(call: DashboardCall): Promise<Response> {
  const { endpointId } = await named(call);
  await call.payments.webhooks.resume(tenantOf(call), actorOf(call), endpointId);
  return redirectTo(endpointPath(call.environment, endpointId), { done: 'resumed' });
}

/** POST …/webhooks/endpoints/:endpoint/test: sends a signed test webhook now, without a payment. */
async function sendTest(call: DashboardCall): Promise<Response> {
  const asked = { typed: '', endpoint: (await named(call)).endpointId };
  const { webhooks } = call.payments;
  const test = await webhooks.sendTest(tenantOf(call), actorOf(call), asked, call.url.origin);
  return answerEndpoint(call, { test, ...testRefusal(call, test, null) });
}

/** POST …/webhooks/endpoints/:endpoint/delete */
async function removeEndpoint(call: DashboardCall): Promise<Response> {
  const { webhooks } = call.payments;
  found((await webhooks.deleteEndpoint(tenantOf(call), actorOf(call), idIn(call))) || null);
  return redirectTo(webhooksPath(call.environment), { done: 'deleted' });
}

async function switchTo(call: DashboardCall, isEnabled: boolean): Promise<Response> {
  const { switchEndpoint } = call.payments.webhooks;
  return saved(call, await switchEndpoint(tenantOf(call), actorOf(call), idIn(call), isEnabled));
}

function saved(call: DashboardCall, isKnown: boolean): Response {
  found(isKnown || null);
  return redirectTo(endpointPath(call.environment, idIn(call)), { done: 'saved' });
}

function idIn({ params }: DashboardCall): string {
  return params.endpoint ?? '';
}

async function named(call: DashboardCall): Promise<EndpointEntry> {
  return found(await call.payments.webhooks.endpoint(tenantOf(call), idIn(call))).endpoint;
}
