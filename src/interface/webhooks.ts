import { safeParse } from 'valibot';
import type { Actor } from '../audit/log.ts';
import { configOf } from '../config.ts';
import type { Tenant } from '../domain/intent.ts';
import { isWithinLimit } from '../http/rate-limit.ts';
import { callbackUrlField } from '../http/url-fields.ts';
import type { DeliveryTry } from '../intent/protocol.ts';
import { prepare, runBatch } from '../platform/database.ts';
import {
  addEndpoint,
  type Changing,
  changeCallbackHeader,
  changeEndpoint,
  endpointDetail,
  endSecretNow,
  removeEndpoint,
  resumePaused,
  rotateSecret,
} from '../webhooks/endpoint-changes.ts';
import {
  type EndpointEntry,
  type EndpointSettings,
  findEndpoint,
  listEndpoints,
} from '../webhooks/endpoint-store.ts';
import {
  DESCRIPTION_CHARACTERS_MAX,
  ENDPOINT_ID_PREFIX,
  endpointOrigin,
  WIRE_EVENT_TYPES,
} from '../webhooks/endpoints.ts';
import { clearEndpoint, type FailingEndpoint, listFailing } from '../webhooks/failing-endpoints.ts';
import { keysOfEvents, type PublishedKey } from '../webhooks/published-keys.ts';
import { mayEnd, OVERLAP_HOURS, type SecretEntry } from '../webhooks/secret-rules.ts';
import { type OpenedSecret, openSecret, secretsInForce } from '../webhooks/secret-store.ts';
import { isAccepted, judgeDestination, sendSigned } from '../webhooks/send.ts';
import { freshWebhookSettings } from '../webhooks/settings.ts';
import {
  type SignatureHeaderProblem,
  signatureHeaderProblem,
} from '../webhooks/signature-header.ts';
import { testEvent } from '../webhooks/test-event.ts';
import type { GuardReason } from '../webhooks/url-guard.ts';
import { memberEntry, recordOf } from './member.ts';
import type { Plane } from './plane.ts';

/** A merchant's endpoints and signing secrets, and what a member may do to them. */

/** Of one environment. */
export interface WebhookSettings {
  readonly endpoints: readonly EndpointEntry[];
  /** Servers of callbackUrls. */
  readonly failing: readonly FailingEndpoint[];
  /** Of webhooks to callbackUrls. */
  readonly signatureHeader: string | null;
  readonly secrets: readonly SecretEntry[];
  readonly keys: readonly PublishedKey[];
  /** Where merchants call the API; null: where the page is. */
  readonly apiOrigin: string | null;
}

export async function settings(
  { env, config, nowMs }: Plane,
  tenant: Tenant,
): Promise<WebhookSettings> {
  const [endpoints, allFailing, { signatureHeader }, secrets, keys] = await Promise.all([
    listEndpoints(env.DB, tenant),
    listFailing(env.DB, tenant),
    freshWebhookSettings(env, tenant, nowMs),
    secretsInForce(env.DB, { ...tenant, endpointId: null }, nowMs),
    keysOfEvents(env, tenant.environment, nowMs),
  ]);
  const failing = allFailing.filter(({ endpoint }) => !endpoint.startsWith(ENDPOINT_ID_PREFIX));
  const apiOrigin = config.publicBaseUrl;
  return { endpoints, failing, signatureHeader, secrets, keys, apiOrigin };
}

export interface EndpointWithSecrets {
  readonly endpoint: EndpointEntry;
  readonly secrets: readonly SecretEntry[];
}

/** One endpoint and its secrets in force; null when the tenant has no such endpoint. */
export async function endpoint(
  { env, nowMs }: Plane,
  tenant: Tenant,
  endpointId: string,
): Promise<EndpointWithSecrets | null> {
  const [found, secrets] = await Promise.all([
    findEndpoint(env.DB, tenant, endpointId),
    secretsInForce(env.DB, { ...tenant, endpointId }, nowMs),
  ]);
  return found && { endpoint: found, secrets };
}

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
  readonly hasUnknownType: boolean;
}

export type CheckedEndpoint =
  | { readonly type: 'bad'; readonly problems: EndpointProblems }
  | { readonly type: 'good'; readonly settings: EndpointSettings };

/** What the form asks for, or what is wrong with it. `ownOrigin`: of the page with the form. */
export function checkEndpoint(
  { env }: Plane,
  typed: TypedEndpoint,
  ownOrigin: string,
): CheckedEndpoint {
  const known: readonly string[] = WIRE_EVENT_TYPES;
  const header = typed.signatureHeader === '' ? null : typed.signatureHeader;
  const problems: EndpointProblems = {
    url: typed.url === '' ? 'empty' : addressProblem(env, typed.url, ownOrigin),
    signatureHeader: header === null ? null : signatureHeaderProblem(header),
    isDescriptionTooLong: typed.description.length > DESCRIPTION_CHARACTERS_MAX,
    hasUnknownType: !typed.eventTypes.every((type) => known.includes(type)),
  };
  if (Object.values(problems).some((problem) => problem !== null && problem !== false)) {
    return { type: 'bad', problems };
  }
  const { url, description } = typed;
  // In the order of the documentation, and without duplicates.
  const eventTypes = known.filter((type) => typed.eventTypes.includes(type));
  const good = { url, description, eventTypes, signatureHeader: header, isEnabled: true };
  return { type: 'good', settings: good };
}

/**
 * What is wrong with an address for webhooks, or null. It must be a callbackUrl as the API takes
 * them (docs/decisions.md#12), and one that would be called if it were used now
 * (docs/decisions.md#18).
 */
function addressProblem(env: Env, url: string, ownOrigin: string): AddressProblem | null {
  const verdict = judgeDestination(configOf(env), url, ownOrigin);
  if (!verdict.allowed) {
    return verdict.reason;
  }
  return safeParse(callbackUrlField, url).success ? null : 'shape';
}

export interface ShownSecret {
  readonly id: string;
  readonly value: string;
}

/** A new endpoint with its first secret; null when the tenant has ENDPOINTS_MAX. */
export async function createEndpoint(
  plane: Plane,
  tenant: Tenant,
  typed: TypedEndpoint,
  ownOrigin: string,
  actor: Actor,
): Promise<{ readonly endpointId: string; readonly secret: ShownSecret } | null> {
  const added = await addEndpoint(
    changing(plane, tenant, actor),
    settingsOf(plane, typed, ownOrigin),
  );
  return added && { endpointId: added.endpointId, secret: shownSecret(added.secret) };
}

/** False when the tenant has no such endpoint. A disabled one stays disabled. */
export function editEndpoint(
  plane: Plane,
  tenant: Tenant,
  endpointId: string,
  typed: TypedEndpoint,
  ownOrigin: string,
  actor: Actor,
): Promise<boolean> {
  return changeKnown(plane, tenant, endpointId, ({ isEnabled, ...before }) =>
    changeEndpoint(
      changing(plane, tenant, actor),
      { ...before, isEnabled },
      { ...settingsOf(plane, typed, ownOrigin), isEnabled },
    ),
  );
}

/** Enables or disables an endpoint. False when the tenant has no such endpoint. */
export function switchEndpoint(
  plane: Plane,
  tenant: Tenant,
  endpointId: string,
  isEnabled: boolean,
  actor: Actor,
): Promise<boolean> {
  return changeKnown(plane, tenant, endpointId, (before) =>
    changeEndpoint(changing(plane, tenant, actor), before, { ...before, isEnabled }),
  );
}

/** False when the tenant has no such endpoint. */
export function deleteEndpoint(
  plane: Plane,
  tenant: Tenant,
  endpointId: string,
  actor: Actor,
): Promise<boolean> {
  return changeKnown(plane, tenant, endpointId, ({ url }) =>
    removeEndpoint(changing(plane, tenant, actor), endpointId, { origin: endpointOrigin(url) }),
  );
}

/** Resumes a paused endpoint, by its id or origin. Does nothing to one that is not paused. */
export async function resume(
  plane: Plane,
  tenant: Tenant,
  idOrOrigin: string,
  actor: Actor,
): Promise<void> {
  await resumePaused(changing(plane, tenant, actor), idOrOrigin);
}

/** The extra signature header of webhooks to callbackUrls; empty: none. Or why not that name. */
export async function setCallbackHeader(
  plane: Plane,
  tenant: Tenant,
  typed: string,
  actor: Actor,
): Promise<SignatureHeaderProblem | null> {
  const problem = typed === '' ? null : signatureHeaderProblem(typed);
  if (problem === null) {
    await changeCallbackHeader(changing(plane, tenant, actor), typed === '' ? null : typed);
  }
  return problem;
}

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
export async function addSecret(
  plane: Plane,
  tenant: Tenant,
  endpointId: string | null,
  overlapHours: (typeof OVERLAP_HOURS)[number],
  actor: Actor,
): Promise<ShownSecret | null> {
  if (!OVERLAP_HOURS.includes(overlapHours)) {
    throw new Error('no such overlap');
  }
  const by = changing(plane, tenant, actor);
  const secret = await rotateSecret(by, endpointId, Number(overlapHours));
  return secret && shownSecret(secret);
}

/** The value of a secret in force, and the entry that a member has seen it. */
export async function showSecret(
  plane: Plane,
  tenant: Tenant,
  endpointId: string | null,
  secretId: string,
  actor: Actor,
): Promise<OpenedSecret> {
  const { env, nowMs } = plane;
  const opened = await openSecret(env, { ...tenant, endpointId }, secretId, nowMs);
  if (opened.type === 'opened') {
    const detail = endpointDetail(endpointId);
    const act = { action: 'webhook.secret_shown', target: secretId, detail } as const;
    await runBatch(env.DB, [recordOf(plane, tenant, actor, act)]);
  }
  return opened;
}

/** Ends a secret at once. `last`: no other one would stay in force without an end. */
export async function endSecret(
  plane: Plane,
  tenant: Tenant,
  endpointId: string | null,
  secretId: string,
  actor: Actor,
): Promise<'ended' | 'last' | 'not_found'> {
  const inForce = await secretsInForce(plane.env.DB, { ...tenant, endpointId }, plane.nowMs);
  const secret = inForce.find(({ id }) => id === secretId);
  if (secret === undefined) {
    return 'not_found';
  }
  if (!mayEnd(secret, inForce)) {
    return 'last';
  }
  await endSecretNow(changing(plane, tenant, actor), endpointId, secretId);
  return 'ended';
}

/** The test that a member asks for. */
export interface AskedTest {
  /** Another URL than an endpoint's; empty: the chosen endpoint. */
  readonly typed: string;
  readonly endpoint: string;
}

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

/** Sends a signed test webhook now, without a payment behind it. */
export async function sendTest(
  plane: Plane,
  tenant: Tenant,
  asked: AskedTest,
  ownOrigin: string,
  actor: Actor,
): Promise<TestState> {
  const { env, config, nowMs } = plane;
  const { typed } = asked;
  // An endpoint that is gone counts as no choice.
  const chosen = typed === '' ? await findEndpoint(env.DB, tenant, asked.endpoint) : null;
  const url = chosen?.url ?? typed;
  const endpointId = chosen?.endpointId ?? null;
  const problem = url === '' ? 'empty' : addressProblem(env, url, ownOrigin);
  if (problem !== null) {
    return { typed, endpointId, problem };
  }
  const key = `${tenant.environment}/${tenant.merchantId}`;
  if (!(await isWithinLimit(config, env.TEST_EVENT_RATE_LIMIT, key))) {
    return { typed, endpointId, isBusy: true };
  }
  const merchantName = await nameOf(plane, tenant);
  const [event, current] = await Promise.all([
    testEvent(env, tenant, { merchantName, ownOrigin, nowMs }),
    freshWebhookSettings(env, tenant, nowMs),
  ]);
  const signer = (endpointId !== null && current.endpoints.get(endpointId)) || current;
  const { log } = await sendSigned(env, {
    ...event,
    destination: url,
    secrets: signer.secrets,
    signatureHeader: signer.signatureHeader,
  });
  const { eventId } = event;
  const target = endpointId ?? endpointOrigin(url) ?? '';
  const hasResumed = await recordTest(plane, tenant, { target, eventId, log }, actor);
  const result = { eventId, sentTo: url, log, isAccepted: isAccepted(log), hasResumed };
  return { typed, endpointId, result };
}

interface SentTest {
  readonly target: string;
  readonly eventId: string;
  readonly log: DeliveryTry;
}

/** Records the test. An accepted one shows that the endpoint works: true if it was paused. */
async function recordTest(
  plane: Plane,
  tenant: Tenant,
  { target, eventId, log }: SentTest,
  actor: Actor,
): Promise<boolean> {
  const detail = { eventId, httpStatus: log.httpStatus };
  const act = { action: 'webhook.test_sent', target, detail } as const;
  const sent = recordOf(plane, tenant, actor, act);
  if (!isAccepted(log)) {
    await runBatch(plane.env.DB, [sent]);
    return false;
  }
  const after = [clearEndpoint(tenant, target), sent];
  return resumePaused(changing(plane, tenant, actor), target, after);
}

function changing(plane: Plane, tenant: Tenant, actor: Actor): Changing {
  const { env, nowMs } = plane;
  return { env, tenant, nowMs, entryOf: (act) => memberEntry(plane, tenant, actor, act) };
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
  { env }: Plane,
  tenant: Tenant,
  endpointId: string,
  change: (endpoint: EndpointEntry) => Promise<void>,
): Promise<boolean> {
  const found = await findEndpoint(env.DB, tenant, endpointId);
  if (found !== null) {
    await change(found);
  }
  return found !== null;
}

function shownSecret({ id, value }: ShownSecret): ShownSecret {
  return { id, value };
}

async function nameOf({ env }: Plane, { merchantId }: Tenant): Promise<string> {
  const sql = 'SELECT name FROM merchants WHERE id = ?1';
  return (await prepare(env.DB, { sql, params: [merchantId] }).first<string>('name')) ?? '';
}
