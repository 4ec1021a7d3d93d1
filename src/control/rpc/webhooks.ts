import { safeParse } from 'valibot';
import { configOf } from '../../engine/config.ts';
import type { DeliveryTry } from '../../engine/intent/protocol.ts';
import {
  addEndpoint,
  changeCallbackHeader,
  changeEndpoint,
  removeEndpoint,
  resumePaused,
} from '../../engine/webhooks/endpoint-changes.ts';
import {
  type EndpointEntry,
  type EndpointSettings,
  findEndpoint,
  listEndpoints,
  OF_SERVER,
  shownEndpoint,
} from '../../engine/webhooks/endpoint-store.ts';
import {
  DESCRIPTION_CHARACTERS_MAX,
  ENDPOINT_ID_PREFIX,
  endpointOrigin,
  shownUrl,
  WIRE_EVENT_TYPES,
} from '../../engine/webhooks/endpoints.ts';
import { clearEndpoint, listFailing } from '../../engine/webhooks/failing-endpoints.ts';
import { sendMessage } from '../../engine/webhooks/people/tell-person.ts';
import { MESSAGE_TEXTS } from '../../engine/webhooks/people/texts.ts';
import { keysOfEvents } from '../../engine/webhooks/published-keys.ts';
import {
  mayEnd,
  type OVERLAP_HOURS,
  type SecretEntry,
} from '../../engine/webhooks/secret-rules.ts';
import {
  endSecretNow,
  openSecret,
  rotateSecret,
  secretsInForce,
} from '../../engine/webhooks/secret-store.ts';
import { destinationRefusal, isAccepted, sendSigned } from '../../engine/webhooks/send.ts';
import { freshWebhookSettings } from '../../engine/webhooks/settings.ts';
import {
  type SignatureHeaderProblem,
  signatureHeaderProblem,
} from '../../engine/webhooks/signature-header.ts';
import type { GuardReason } from '../../engine/webhooks/url-guard.ts';
import { auditEntry, entryOf, recordAct } from '../../kit/audit/log.ts';
import { found } from '../../kit/http/problem.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import { callbackUrlField } from '../../kit/http/url-fields.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { isPrintable } from '../../kit/text.ts';
import { byMember, type MemberCall } from './member.ts';
import type { Plane } from './plane.ts';
import { merchant as merchantFacts } from './settings.ts';
import { testEvent } from './test-event.ts';

/** A merchant's endpoints and signing secrets, and what a member may do to them. */

/** The settings of one environment. */
export async function settings({ env, config, nowMs }: Plane, tenant: Tenant) {
  const [endpoints, allFailing, { signatureHeader }, secrets, keys] = await Promise.all([
    listEndpoints(env.DB, tenant),
    listFailing(env.DB, tenant),
    freshWebhookSettings(env, tenant, nowMs),
    secretsInForce(env.DB, { ...tenant, endpointId: null }, nowMs),
    keysOfEvents(env, tenant.environment, nowMs),
  ]);
  return {
    endpoints,
    /** Servers of callbackUrls. */
    failing: allFailing.filter(({ endpoint }) => !endpoint.startsWith(ENDPOINT_ID_PREFIX)),
    /** The second signature header of webhooks to callbackUrls. */
    signatureHeader,
    secrets,
    keys,
    /** Where merchants call the API; null: where the page is. */
    apiOrigin: config.publicBaseUrl,
  };
}

export type WebhookSettings = Awaited<ReturnType<typeof settings>>;

/** One endpoint and its secrets in force; null when the tenant has no such endpoint. */
export async function endpoint({ env, nowMs }: Plane, tenant: Tenant, endpointId: string) {
  const [found, secrets] = await Promise.all([
    findEndpoint(env.DB, tenant, endpointId),
    secretsInForce(env.DB, { ...tenant, endpointId }, nowMs),
  ]);
  return found && { endpoint: shownEndpoint(found), secrets };
}

export type EndpointWithSecrets = NonNullable<Awaited<ReturnType<typeof endpoint>>>;

/** Why an address is rejected. */
export type AddressProblem = 'shape' | GuardReason;

/** The fields of the form, as typed. */
export interface TypedEndpoint {
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly signatureHeader: string;
}

export interface EndpointProblems {
  readonly url: AddressProblem | 'empty' | null;
  readonly signatureHeader: SignatureHeaderProblem | null;
  readonly isDescriptionTooLong: boolean;
  readonly isDescriptionUnprintable: boolean;
  readonly hasUnknownType: boolean;
}

/** What the form asks for, or what is wrong with it. `ownOrigin`: of the page with the form. */
export function checkEndpoint({ env }: Plane, typed: TypedEndpoint, ownOrigin: string) {
  const known: readonly string[] = WIRE_EVENT_TYPES;
  const header = typed.signatureHeader === '' ? null : typed.signatureHeader;
  const problems: EndpointProblems = {
    url: typed.url === '' ? 'empty' : addressProblem(env, typed.url, ownOrigin),
    signatureHeader: header === null ? null : signatureHeaderProblem(header),
    isDescriptionTooLong: typed.description.length > DESCRIPTION_CHARACTERS_MAX,
    isDescriptionUnprintable: !isPrintable(typed.description),
    hasUnknownType: !typed.eventTypes.every((type) => known.includes(type)),
  };
  if (Object.values(problems).some((problem) => problem !== null && problem !== false)) {
    return { type: 'bad', problems } as const;
  }
  const { url, description } = typed;
  // In the order of the documentation, and without duplicates.
  const eventTypes = known.filter((type) => typed.eventTypes.includes(type));
  const settings: EndpointSettings = {
    url,
    description,
    eventTypes,
    signatureHeader: header,
    isEnabled: true,
    ...OF_SERVER,
  };
  return { type: 'good', settings } as const;
}

/**
 * What is wrong with an address for webhooks, or null. It must be a callbackUrl as the API takes
 * them (docs/decisions.md#12), and one that would be called if it were used now
 * (docs/decisions.md#18).
 */
function addressProblem(env: Env, url: string, ownOrigin: string): AddressProblem | null {
  const refusal = destinationRefusal(configOf(env), url, ownOrigin);
  return refusal ?? (safeParse(callbackUrlField, url).success ? null : 'shape');
}

/** A new endpoint with its first secret; null when the tenant has ENDPOINTS_MAX. */
export const createEndpoint = byMember(async (by, typed: TypedEndpoint, ownOrigin: string) => {
  const added = await addEndpoint(by, settingsOf(by, typed, ownOrigin));
  return added && { endpointId: added.endpoint.endpointId, secret: shownSecret(added.secret) };
});

/** False when the tenant has no such endpoint. A disabled one stays disabled. */
export const editEndpoint = byMember(
  (by, endpointId: string, typed: TypedEndpoint, ownOrigin: string) =>
    changeKnown(by, endpointId, async (before) => {
      const { isEnabled, language } = before;
      // The form of a server would make one of a person's endpoint.
      found(language === null || null);
      await changeEndpoint(by, before, { ...settingsOf(by, typed, ownOrigin), isEnabled });
    }),
);

/** Enables or disables an endpoint. False when the tenant has no such endpoint. */
export const switchEndpoint = byMember((by, endpointId: string, isEnabled: boolean) =>
  changeKnown(by, endpointId, (before) => changeEndpoint(by, before, { ...before, isEnabled })),
);

/** False when the tenant has no such endpoint. */
export const deleteEndpoint = byMember((by, endpointId: string) =>
  changeKnown(by, endpointId, ({ url }) =>
    removeEndpoint(by, endpointId, { origin: endpointOrigin(url) }),
  ),
);

/** Resumes a paused endpoint, by its id or origin. False for one that is not paused. */
export const resume = byMember((by, idOrOrigin: string) => resumePaused(by, idOrOrigin));

/** The extra signature header of webhooks to callbackUrls; empty: none. Or why not that name. */
export const setCallbackHeader = byMember(async (by, typed: string) => {
  const problem = typed === '' ? null : signatureHeaderProblem(typed);
  if (problem === null) {
    await changeCallbackHeader(by, typed === '' ? null : typed);
  }
  return problem;
});

/** The secrets in force of an endpoint, or with null of the environment. Null: no such endpoint. */
export async function secrets(
  plane: Plane,
  tenant: Tenant,
  endpointId: string | null,
): Promise<readonly SecretEntry[] | null> {
  if (endpointId !== null) {
    return (await endpoint(plane, tenant, endpointId))?.secrets ?? null;
  }
  return secretsInForce(plane.env.DB, { ...tenant, endpointId }, plane.nowMs);
}

/** A new secret; the old ones end after one of OVERLAP_HOURS. Null with too many in force. */
export const addSecret = byMember(
  async (by, endpointId: string | null, overlapHours: (typeof OVERLAP_HOURS)[number]) => {
    const secret = await rotateSecret(by, endpointId, Number(overlapHours));
    return secret && shownSecret(secret);
  },
);

/** The value of a secret in force, and the entry that a member has seen it. */
export const showSecret = byMember(async (by, endpointId: string | null, secretId: string) => {
  const { env, tenant, nowMs } = by;
  const opened = await openSecret(env, { ...tenant, endpointId }, secretId, nowMs);
  if (opened.type === 'opened') {
    const detail = { endpoint: endpointId ?? undefined };
    await recordAct(by, { action: 'webhook.secret_shown', target: secretId, detail });
  }
  return opened;
});

/** Ends a secret at once. `last`: no other one would stay in force without an end. */
export const endSecret = byMember(async (by, endpointId: string | null, secretId: string) => {
  const inForce = await secretsInForce(by.env.DB, { ...by.tenant, endpointId }, by.nowMs);
  const secret = inForce.find(({ id }) => id === secretId);
  if (secret === undefined) {
    return 'not_found' as const;
  }
  if (!mayEnd(secret, inForce)) {
    return 'last' as const;
  }
  await endSecretNow(by, endpointId, secretId);
  return 'ended' as const;
});

/** What became of a test webhook. */
export interface TestState {
  readonly typed: string;
  /** The chosen endpoint; null: the other URL, which is signed like a callbackUrl. */
  readonly endpointId: string | null;
  /** Nothing was sent. */
  readonly problem?: AddressProblem | 'empty';
  readonly isBusy?: boolean;
  readonly result?: TestResult;
}

export interface TestResult {
  readonly eventId: string;
  readonly sentTo: string;
  readonly log: DeliveryTry;
  readonly isAccepted: boolean;
  /** The endpoint was paused; its answer has resumed it. */
  readonly hasResumed: boolean;
}

/**
 * Sends a signed test webhook now, without a payment behind it: to the URL that was typed, or to an
 * endpoint if none was.
 */
export const sendTest = byMember(
  async (
    by,
    { typed, endpoint: named }: { typed: string; endpoint: string },
    ownOrigin: string,
  ): Promise<TestState> => {
    const { env, config, tenant, nowMs } = by;
    // An endpoint that is gone counts as no choice.
    const chosen = typed === '' ? await findEndpoint(env.DB, tenant, named) : null;
    const person = chosen?.language != null ? chosen : null;
    const url = chosen?.url ?? typed;
    const endpointId = chosen?.endpointId ?? null;
    const problem =
      url === '' ? 'empty' : person === null ? addressProblem(env, url, ownOrigin) : null;
    if (problem !== null) {
      return { typed, endpointId, problem };
    }
    const key = `${tenant.environment}/${tenant.merchantId}`;
    if (!(await isWithinLimit(config, env.TEST_EVENT_RATE_LIMIT, key))) {
      return { typed, endpointId, isBusy: true };
    }
    const merchantName = (await merchantFacts(by, tenant.merchantId))?.name ?? '';
    const [event, current] = await Promise.all([
      testEvent(env, tenant, { merchantName, ownOrigin, nowMs }),
      freshWebhookSettings(env, tenant, nowMs),
    ]);
    const signer = (endpointId !== null && current.endpoints.get(endpointId)) || current;
    const { eventId } = event;
    const target = endpointId ?? endpointOrigin(url) ?? '';
    await recordAct(by, { action: 'webhook.test_requested', target, detail: { eventId } });
    const { log } =
      person === null
        ? await sendSigned(env, {
            ...event,
            destination: url,
            secrets: signer.secrets,
            signatureHeader: signer.signatureHeader,
          })
        : await sendTestMessage(env, tenant, person, merchantName);
    const hasResumed = await recordTest(by, target, eventId, log);
    const result = { eventId, sentTo: shownUrl(url), log, isAccepted: isAccepted(log), hasResumed };
    return { typed, endpointId, result };
  },
);

function sendTestMessage(
  env: Env,
  tenant: Tenant,
  { url, language }: EndpointEntry,
  merchantName: string,
) {
  const title = MESSAGE_TEXTS[language ?? 'en'].test(merchantName);
  return sendMessage(env, tenant, url, { title, text: title });
}

/** Records the test. An accepted one shows that the endpoint works: true if it was paused. */
async function recordTest(
  by: MemberCall,
  target: string,
  eventId: string,
  log: DeliveryTry,
): Promise<boolean> {
  const detail = { eventId, httpStatus: log.httpStatus };
  const act = { action: 'webhook.test_sent', target, detail } as const;
  if (!isAccepted(log)) {
    await recordAct(by, act);
    return false;
  }
  const after = [clearEndpoint(by.tenant, target), auditEntry(entryOf(by, act))];
  return resumePaused(by, target, after);
}

/** The settings of a form that `checkEndpoint` has accepted. */
function settingsOf(plane: Plane, typed: TypedEndpoint, ownOrigin: string): EndpointSettings {
  const checked = checkEndpoint(plane, typed, ownOrigin);
  if (checked.type === 'bad') {
    throw new Error(`the endpoint was not checked: ${JSON.stringify(checked.problems)}`);
  }
  return checked.settings;
}

async function changeKnown(
  { env, tenant }: MemberCall,
  endpointId: string,
  change: (endpoint: EndpointEntry) => Promise<void>,
): Promise<boolean> {
  const found = await findEndpoint(env.DB, tenant, endpointId);
  if (found !== null) {
    await change(found);
  }
  return found !== null;
}

function shownSecret({ id, value }: { readonly id: string; readonly value: string }) {
  return { id, value };
}
