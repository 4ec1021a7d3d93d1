import {
  abortAllDurableObjects,
  createExecutionContext,
  createMessageBatch,
  type D1Migration,
  evictAllDurableObjects,
  getQueueResult,
  type QueueResult,
  reset,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, type Mock, vi } from 'vitest';
import type { RailMessage } from '../../src/attempts/messages.ts';
import { configOf } from '../../src/config.ts';
import { utf8 } from '../../src/crypto/encoding.ts';
import { seal } from '../../src/crypto/sealed.ts';
import type { SqlStatement } from '../../src/database.ts';
import type { Command, Intent, Tenant } from '../../src/domain/intent.ts';
import { ENVIRONMENTS, type Environment, METHODS } from '../../src/domain/method.ts';
import worker from '../../src/index.ts';
import { type IntentClient, intentByUniqueId } from '../../src/intent/client.ts';
import type {
  ClaimedDelivery,
  DeliveryMessage,
  DeliveryReport,
  EventSummary,
  ProjectionMessage,
} from '../../src/intent/protocol.ts';
import type { StoredIntent } from '../../src/intent/store.ts';
import { apiKeyDigest, apiKeyFrom } from '../../src/merchants/api-key.ts';
import { forgetDirectory } from '../../src/merchants/directory.ts';
import {
  addWebhookSecret,
  createMerchant,
  issueApiKey,
  revokeApiKey,
} from '../../src/merchants/provision.ts';
import { webhookSecretFrom } from '../../src/merchants/webhook-secret.ts';
import {
  deleteEndpoint,
  type EndpointSettings,
  insertEndpoint,
} from '../../src/webhooks/endpoint-store.ts';
import { insertSecret } from '../../src/webhooks/secret-store.ts';
import { webhookSecretContext } from '../../src/webhooks/settings.ts';
import { startAttempt } from '../support/intents.ts';
import { expectProblemForm } from '../support/problems.ts';

/**
 * Basis of all tests that run inside workerd. Only three things are not real: the clock (`Date`
 * stands still until a test moves it), the sending side of the queues (messages are caught, and the
 * test delivers them to the consumer) and the merchant's server. The clock starts decades ahead, so
 * that no alarm fires on its own during a test.
 */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const ORIGIN = 'https://pay.kefel.test';
export const CALLBACK_URL = 'https://shop.example.com/hook';
/** Lifetime of the payments below, in seconds. */
export const EXPIRE_IN = 3_600;
export const EXPIRE_IN_MS = EXPIRE_IN * SECOND_MS;

/** Every test starts a day after the previous one, so that isolates' caches are outdated. */
let clockMs = Date.UTC(2090, 0, 1);

export interface TestMerchant {
  readonly id: string;
  readonly name: string;
  readonly apiKeys: Readonly<Record<Environment, string>>;
  readonly revokedApiKeys: Readonly<Record<Environment, string>>;
  readonly webhookSecret: string;
}

export const ALPHA = await testMerchant('mer_alpha', 'Addis Books', 10);
export const BETA = await testMerchant('mer_beta', 'Bahir Dar Coffee', 20);

async function testMerchant(id: string, name: string, seed: number): Promise<TestMerchant> {
  const bytes = (offset: number) => new Uint8Array(32).fill(seed + offset);
  const apiKey = (environment: Environment, offset: number) =>
    apiKeyFrom(configOf(env).dataEncryptionKeys, environment, bytes(offset));
  return {
    id,
    name,
    apiKeys: {
      sandbox: await apiKey('sandbox', 0),
      production: await apiKey('production', 1),
    },
    revokedApiKeys: {
      sandbox: await apiKey('sandbox', 2),
      production: await apiKey('production', 3),
    },
    webhookSecret: webhookSecretFrom(bytes(4)),
  };
}

export function tenantOf(merchant: TestMerchant, environment: Environment = 'sandbox'): Tenant {
  return { merchantId: merchant.id, environment };
}

export async function runSql(
  statements: readonly SqlStatement[],
  database = env.DB,
): Promise<void> {
  await database.batch(prepared(statements, database));
}

/** The endpoint of ALPHA that `setEndpoint` adds, in its sandbox. */
export const ENDPOINT_ID = 'we_alpha_sandbox';

/** The only endpoint of a tenant; null: none. */
export async function setEndpoint(
  merchant: TestMerchant,
  url: string | null,
  environment: Environment = 'sandbox',
  changes: Partial<EndpointSettings> = {},
): Promise<void> {
  const tenant = tenantOf(merchant, environment);
  const endpointId = `we_${merchant.id.replace('mer_', '')}_${environment}`;
  await runSql(deleteEndpoint(tenant, endpointId));
  if (url !== null) {
    await addEndpoint(merchant, endpointId, { url, ...changes }, environment);
  }
}

/** The secret that signs for an endpoint of a test: no other endpoint has it, and no environment. */
export function endpointSecret(endpointId: string): string {
  const bytes = new Uint8Array(32);
  bytes.set(utf8(endpointId).subarray(0, bytes.length));
  return webhookSecretFrom(bytes);
}

/** An endpoint for all events with `endpointSecret`, unless changed. */
export async function addEndpoint(
  merchant: TestMerchant,
  endpointId: string,
  settings: Pick<EndpointSettings, 'url'> & Partial<EndpointSettings>,
  environment: Environment = 'sandbox',
): Promise<void> {
  const tenant = tenantOf(merchant, environment);
  const keyRing = configOf(env).dataEncryptionKeys;
  const context = webhookSecretContext(tenant, endpointId);
  const secret = {
    id: `${endpointId}-secret`,
    sealedSecret: await seal(keyRing, endpointSecret(endpointId), context),
    createdAtMs: Date.now(),
  };
  const defaults = { eventTypes: [], description: '', isEnabled: true, signatureHeader: null };
  await runSql([
    insertEndpoint(tenant, { ...defaults, ...settings, endpointId, createdAtMs: Date.now() }),
    insertSecret({ ...tenant, endpointId }, secret, Date.now()),
  ]);
}

function prepared(
  statements: readonly SqlStatement[],
  database: D1Database,
): D1PreparedStatement[] {
  return statements.map(({ sql, params }) => database.prepare(sql).bind(...params));
}

/** Both merchants: every method at 1 % commission, a valid and a revoked key, one webhook secret. */
async function merchantStatements(): Promise<readonly SqlStatement[]> {
  const settings = METHODS.map((method) => ({
    method,
    enabled: true,
    rate: { basisPoints: 100, fixedMinor: 0 },
  }));
  const keyRing = configOf(env).dataEncryptionKeys;
  const statements: SqlStatement[] = [];
  for (const { id, name, apiKeys, revokedApiKeys, webhookSecret } of [ALPHA, BETA]) {
    const methods = { sandbox: settings, production: settings };
    statements.push(...createMerchant({ id, name, methods, createdAtMs: 0 }));
    for (const environment of ENVIRONMENTS) {
      const tenant = { merchantId: id, environment };
      const apiKey = apiKeys[environment];
      const revoked = revokedApiKeys[environment];
      const sealedSecret = await seal(keyRing, webhookSecret, webhookSecretContext(tenant));
      statements.push(
        await issueApiKey(tenant, { apiKey, name: 'valid', createdAtMs: 0 }),
        await issueApiKey(tenant, { apiKey: revoked, name: 'revoked', createdAtMs: 0 }),
        revokeApiKey(tenant, await apiKeyDigest(revoked), 1),
        addWebhookSecret(tenant, {
          id: `${id}-${environment}`,
          sealedSecret,
          createdAtMs: 0,
          expiresAtMs: null,
        }),
      );
    }
  }
  return statements;
}

let seed: Promise<readonly SqlStatement[]> | undefined;

/** The schemas and both merchants, in a batch of each database at the start of every test. */
async function prepareDatabases(): Promise<void> {
  seed ??= merchantStatements();
  await Promise.all([
    runSql([...schemaOf(env.TEST_MIGRATIONS), ...(await seed)]),
    runSql(schemaOf(env.TEST_BACK_OFFICE_MIGRATIONS), env.BACK_OFFICE_DB),
  ]);
}

function schemaOf(migrations: readonly D1Migration[]): readonly SqlStatement[] {
  return migrations.flatMap(({ queries }) => queries.map((sql) => ({ sql, params: [] })));
}

/** Messages that the objects have sent and the test has not delivered yet. */
export interface CaughtMessages {
  readonly webhooks: DeliveryMessage[];
  readonly retries: DeliveryMessage[];
  readonly projections: ProjectionMessage[];
  readonly starts: RailMessage[];
}

/** Every log line of the running test. */
export const logged: string[] = [];

/** A gateway with two merchants for each test of a file; everything is reset afterwards. */
export function useGateway(): CaughtMessages {
  const caught: CaughtMessages = { webhooks: [], retries: [], projections: [], starts: [] };
  beforeEach(async () => {
    clockMs += DAY_MS;
    vi.useFakeTimers({ toFake: ['Date'], now: clockMs });
    for (const level of ['info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((line) => {
        logged.push(String(line));
      });
    }
    catchInto(env.WEBHOOKS, caught.webhooks);
    catchInto(env.WEBHOOK_RETRIES, caught.retries);
    catchInto(env.PROJECTIONS, caught.projections);
    catchInto(env.RAIL_STARTS, caught.starts);
    forgetDirectory();
    // A query that was under way during the reset can keep its database from it.
    await prepareDatabases().catch(async () => {
      await forgetEverything();
      await prepareDatabases();
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    for (const messages of [...Object.values(caught), logged]) {
      messages.length = 0;
    }
    await forgetEverything();
  });
  return caught;
}

const reached = new Map<string, DurableObjectId>();
const reach = env.PAYMENT_INTENT.get.bind(env.PAYMENT_INTENT);
env.PAYMENT_INTENT.get = (id, options) => {
  reached.set(String(id), id);
  return reach(id, options);
};

/** Every object that the running test has reached, even only for a read. */
export function reachedObjects(): readonly DurableObjectId[] {
  return [...reached.values()];
}

/**
 * `reset` skips an object that an eviction or abort has removed from memory, so it is woken first.
 */
async function forgetEverything(): Promise<void> {
  await Promise.all([env.DB, env.BACK_OFFICE_DB].map((one) => one.prepare('SELECT 1').run()));
  for (const id of reachedObjects()) {
    await runInDurableObject(reach(id), () => undefined);
  }
  reached.clear();
  await reset();
}

function catchInto<Body>(queue: Queue, messages: Body[]): void {
  vi.spyOn(queue, 'send').mockImplementation(async (body) => {
    messages.push(structuredClone(body) as Body);
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  });
}

/** Moves the clock; alarms do not fire on their own. */
export function advance(byMs: number): void {
  vi.setSystemTime(Date.now() + byMs);
}

// ---------------------------------------------------------------------------------------------
// The API

export type Body = Record<string, unknown>;

export function hostedBody(changes: Body = {}): Body {
  return {
    amount: 100.5,
    currency: 'ETB',
    paymentIntentUniqueId: 'order-1',
    methods: [],
    returnUrl: 'https://shop.example.com/done?cart=7',
    callbackUrl: CALLBACK_URL,
    refundEvents: true,
    expireIn: EXPIRE_IN,
    commissionPaidByCustomer: false,
    ...changes,
  };
}

/** Express, simulated: succeeds on its own unless `testMode` says otherwise. */
export function expressBody(changes: Body = {}): Body {
  return {
    amount: 100.5,
    currency: 'ETB',
    paymentIntentUniqueId: 'order-1',
    method: 'TELE_BIRR',
    returnUrl: 'https://shop.example.com/done',
    callbackUrl: CALLBACK_URL,
    refundEvents: true,
    expireIn: EXPIRE_IN,
    commissionPaidByCustomer: false,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    ...changes,
  };
}

export const SIMULATED_FAILURE: Body = {
  testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' },
};

export interface CallOptions {
  readonly method?: string;
  /** Null: no header at all. */
  readonly apiKey?: string | null;
  /** Objects are sent as JSON, strings and streams as they are. */
  readonly body?: BodyInit | Body | undefined;
  /** Null: no header at all, which only a stream allows. */
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request to the Worker as the network would deliver it; redirects are not followed. */
export function call(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', apiKey = ALPHA.apiKeys.sandbox, body, headers = {} } = options;
  const contentType =
    options.contentType === undefined && body !== undefined
      ? 'application/json'
      : (options.contentType ?? null);
  const isRaw = typeof body === 'string' || body instanceof ReadableStream;
  return exports.default.fetch(`${ORIGIN}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(apiKey === null ? {} : { apiKey }),
      ...(contentType === null ? {} : { 'content-type': contentType }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
}

export const CREATE_PATHS = {
  hosted: { sandbox: '/api/v1/payment/sandbox/intent', production: '/api/v1/payment/intent' },
  express: {
    sandbox: '/api/v1/payment/express/sandbox/pay',
    production: '/api/v1/payment/express/pay',
  },
} as const;

export function statusPath(id: string, environment: Environment = 'sandbox'): string {
  return `${CREATE_PATHS.hosted[environment]}/${encodeURIComponent(id)}`;
}

export function cancelPath(id: string, environment: Environment = 'sandbox'): string {
  return `${CREATE_PATHS.hosted[environment]}/cancel/${encodeURIComponent(id)}`;
}

const REFUND_PATH = '/api/v1/payment/sandbox/refund';

/** Asks for a refund of `order-1`, named `refund-1`, unless changed. */
export function postRefund(
  changes: Body = {},
  options: Omit<CallOptions, 'body'> = {},
): Promise<Response> {
  const body = { paymentIntentUniqueId: 'order-1', refundUniqueId: 'refund-1', ...changes };
  return call(REFUND_PATH, { ...options, method: 'POST', body });
}

export function refundPath(id = 'refund-1'): string {
  return `${REFUND_PATH}/${encodeURIComponent(id)}`;
}

export function postHosted(
  changes: Body = {},
  options: Omit<CallOptions, 'body'> = {},
): Promise<Response> {
  const body = hostedBody(changes);
  return call(CREATE_PATHS.hosted.sandbox, { ...options, method: 'POST', body });
}

export function postExpress(
  changes: Body = {},
  options: Omit<CallOptions, 'body'> = {},
): Promise<Response> {
  const body = expressBody(changes);
  return call(CREATE_PATHS.express.sandbox, { ...options, method: 'POST', body });
}

/** An API answer with the parts that tests check. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly envelope: {
    readonly status?: number;
    readonly message?: string;
    readonly content?: unknown;
    readonly code?: string;
    readonly validationErrors?: Readonly<Record<string, string>>;
    readonly validationErrorCodes?: Readonly<Record<string, string>>;
    readonly warnings?: readonly string[];
  };
}

/** The parsed answer of an API. Every error must have the documented form. */
export async function answerOf(response: Response | Promise<Response>): Promise<Answer> {
  const { status, headers, ...rest } = await answerText(await response);
  const envelope = JSON.parse(rest.text);
  if (status >= 400) {
    expectProblemForm(envelope, headers);
  }
  return { status, headers, ...rest, envelope };
}

async function answerText(response: Response) {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Creates a hosted payment by the API. Returns its checkout URL. */
export async function createHosted(changes: Body = {}): Promise<string> {
  const { status, text, envelope } = await answerOf(postHosted(changes));
  if (status !== 200) {
    throw new Error(`create answered ${text}`);
  }
  return String(envelope.content);
}

export interface ExpressContent {
  readonly paymentUrl: string | null;
  readonly transactionId: string;
  readonly status: string;
  readonly message: string;
}

export async function createExpress(changes: Body = {}): Promise<ExpressContent> {
  const { status, text, envelope } = await answerOf(postExpress(changes));
  if (status !== 200) {
    throw new Error(`express answered ${text}`);
  }
  return envelope.content as ExpressContent;
}

// ---------------------------------------------------------------------------------------------
// The customer

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url, ORIGIN);
  return pathname + search;
}

/** Posts a form of our pages. */
export function postForm(
  path: string,
  fields: Record<string, string>,
  { contentType = 'application/x-www-form-urlencoded', ...headers }: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams(fields).toString();
  return call(path, { method: 'POST', apiKey: null, body, contentType, headers });
}

/**
 * Chooses telebirr on a checkout page that knew of `attempts` attempts. Returns the token of the
 * simulator's page.
 */
export async function chooseMethod(
  checkoutUrl: string,
  { attempts }: { readonly attempts: number } = { attempts: 0 },
): Promise<string> {
  const choice = { method: 'TELE_BIRR', attempts: String(attempts) };
  const response = await postForm(`${pathOf(checkoutUrl)}/attempts`, choice);
  const token = /\/simulator\/([^/]+)$/.exec(response.headers.get('location') ?? '')?.[1];
  await response.body?.cancel();
  if (token === undefined) {
    throw new Error(
      `choosing a method led to ${response.status} ${response.headers.get('location')}`,
    );
  }
  return token;
}

/** Presses a button on the simulator's page. Returns the redirect. */
export async function simulate(
  attemptToken: string,
  outcome: 'approve' | 'decline' | 'give_up',
): Promise<string> {
  const response = await postForm(`/rails/simulator/${attemptToken}`, { outcome });
  await response.body?.cancel();
  const location = response.headers.get('location');
  if (location === null) {
    throw new Error(`the simulator answered ${response.status}`);
  }
  return location;
}

/** A hosted payment that is paid at once, by the pages. */
export async function payHosted(changes: Body = {}): Promise<void> {
  await simulate(await chooseMethod(await createHosted(changes)), 'approve');
}

// ---------------------------------------------------------------------------------------------
// The object

export function clientOf(uniqueId = 'order-1', tenant: Tenant = tenantOf(ALPHA)): IntentClient {
  return intentByUniqueId(env, tenant, uniqueId);
}

export function stubOf(uniqueId = 'order-1', tenant: Tenant = tenantOf(ALPHA)) {
  const { objectId } = clientOf(uniqueId, tenant);
  return env.PAYMENT_INTENT.get(env.PAYMENT_INTENT.idFromString(objectId));
}

/** The payment as `read` shows it: due transitions are applied. */
export async function intentOf(uniqueId = 'order-1'): Promise<Intent> {
  const read = await clientOf(uniqueId).read();
  if (read.type === 'not_found') {
    throw new Error(`${uniqueId} does not exist`);
  }
  return read.intent;
}

/** Runs commands that must be accepted. */
export async function execute(...commands: Command[]): Promise<Intent> {
  const result = await clientOf().execute(commands);
  if (result.type === 'not_found' || result.rejection !== null) {
    throw new Error(`refused: ${JSON.stringify(result)}`);
  }
  return result.intent;
}

/** A redirect attempt as the simulator plans it, but whose window closes without finality. */
export function startRedirect(id: string, deadlineAtMs = Date.now() + 30 * MINUTE_MS): Command {
  return startAttempt(id, { deadlineAtMs });
}

export function resolveAttempt(attemptId: string, type: 'succeeded' | 'failed'): Command {
  return {
    type: 'resolve_attempt',
    attemptId,
    outcome: type === 'succeeded' ? { type, receipt: null } : { type, reason: 'declined' },
  };
}

/** The one event of the payment, or the last of several. */
export async function lastEvent(uniqueId = 'order-1'): Promise<EventSummary> {
  const event = (await clientOf(uniqueId).events()).at(-1);
  if (event === undefined) {
    throw new Error(`${uniqueId} has no event`);
  }
  return event;
}

/** Fires the object's alarm now. False when none is set. */
export function fireAlarm(uniqueId = 'order-1'): Promise<boolean> {
  return runDurableObjectAlarm(stubOf(uniqueId));
}

export function alarmOf(uniqueId = 'order-1'): Promise<number | null> {
  return runInDurableObject(stubOf(uniqueId), (_instance, state) => state.storage.getAlarm());
}

export function loseAlarm(uniqueId = 'order-1'): Promise<void> {
  return runInDurableObject(stubOf(uniqueId), (_instance, state) => state.storage.deleteAlarm());
}

/** Runs SQL inside the object that none of our code would run. */
export function objectSql<Row extends Record<string, SqlStorageValue>>(
  sql: string,
  uniqueId = 'order-1',
): Promise<Row[]> {
  return runInDurableObject(stubOf(uniqueId), (_instance, state) =>
    state.storage.sql.exec<Row>(sql).toArray(),
  );
}

/** The stored payment. */
export async function storedPayment(uniqueId = 'order-1'): Promise<StoredIntent> {
  const sql = 'SELECT content FROM record WHERE id = 0';
  const [row] = await objectSql<{ content: string }>(sql, uniqueId);
  return JSON.parse(row?.content ?? 'null');
}

/** Every row of an object, in the order of its tables, to compare after a rollback. */
export async function allRows(uniqueId = 'order-1'): Promise<Record<string, unknown[]>> {
  return runInDurableObject(stubOf(uniqueId), (_instance, { storage }) => {
    const names = storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
      )
      .toArray()
      .map(({ name }) => name);
    return Object.fromEntries(
      names.map((name) => [name, storage.sql.exec(`SELECT * FROM "${name}"`).toArray()]),
    );
  });
}

/** Ways in which an object can lose its memory between two steps. */
export const INTERRUPTIONS = {
  'no interruption': async () => undefined,
  eviction: () => evictAllDurableObjects(),
  abort: () => abortAllDurableObjects(),
} as const;

// ---------------------------------------------------------------------------------------------
// Queues and the merchant's server

type MessageBody = DeliveryMessage | ProjectionMessage | RailMessage;

export type QueueName =
  | 'kefel-webhooks'
  | 'kefel-webhook-retries'
  | 'kefel-projections'
  | 'kefel-rail-starts';

/** Delivers messages to the Worker's consumer in one batch and waits until all its work is done. */
export async function consume(
  queue: QueueName,
  bodies: readonly MessageBody[],
  bindings: Env = env,
  attempts = 1,
): Promise<QueueResult> {
  const messages = bodies.map((body, index) => ({
    id: `message-${index}`,
    timestamp: new Date(),
    attempts,
    body,
  }));
  const batch = createMessageBatch<MessageBody>(queue, messages);
  const ctx = createExecutionContext();
  await worker.queue(batch, bindings, ctx);
  return getQueueResult(batch, ctx);
}

/** Counts the rows that batches write to D1 since the last take, including indexes and triggers. */
export function countProjectionRows(): { take(): number } {
  let written = 0;
  const batch = env.DB.batch.bind(env.DB);
  vi.spyOn(env.DB, 'batch').mockImplementation(async <Row>(statements: D1PreparedStatement[]) => {
    const results = await batch<Row>(statements);
    written += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
    return results;
  });
  return {
    take: () => {
      const taken = written;
      written = 0;
      return taken;
    },
  };
}

/** The result of a batch of this many messages, for every way in which the consumer reports it. */
export function fateOf(result: QueueResult, messages: number): 'acked' | 'retried' | 'mixed' {
  const acked = result.ackAll ? messages : result.explicitAcks.length;
  const retried = result.retryBatch.retry ? messages : result.retryMessages.length;
  if (acked === messages && retried === 0) {
    return 'acked';
  }
  return retried === messages && acked === 0 ? 'retried' : 'mixed';
}

/** Delivers all caught messages. */
export async function consumeAll(caught: CaughtMessages): Promise<void> {
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await consume('kefel-webhook-retries', caught.retries.splice(0));
  await consume('kefel-projections', caught.projections.splice(0));
}

/** A webhook as it arrived. */
export interface Arrival {
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly event: {
    readonly webHookEvent: string;
    readonly paymentIntentUniqueId: string;
    readonly status: string;
    readonly signature: string;
    readonly body: string;
  };
}

/** Whether this secret made one of the signatures of Standard Webhooks. */
export function isSignedBy(secret: string | undefined, arrival: Arrival | undefined): boolean {
  try {
    const headers = Object.fromEntries(arrival?.headers ?? []);
    new Webhook(secret ?? '').verify(arrival?.text ?? '', headers);
    return true;
  } catch {
    return false;
  }
}

/** The merchant's server: `answer` may throw like a broken connection. Returns what arrives. */
export function merchantServer(
  answer: (arrival: Arrival) => Response | Promise<Response> = () => new Response('ok'),
): Arrival[] {
  const arrivals: Arrival[] = [];
  const fetcher: Mock<typeof fetch> = vi.spyOn(globalThis, 'fetch');
  fetcher.mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    const { url, headers } = request;
    const arrival = { url, headers, text, event: JSON.parse(text) };
    arrivals.push(arrival);
    return answer(arrival);
  });
  return arrivals;
}

/** The payment inside an event. */
export function paymentIn(arrival: Arrival): Record<string, unknown> {
  return JSON.parse(arrival.event.body);
}

export async function claim(sequence: number, uniqueId = 'order-1'): Promise<ClaimedDelivery> {
  const result = await clientOf(uniqueId).claimDelivery({ sequence, position: 0 });
  if (result.type === 'refused') {
    throw new Error(`event ${sequence} could not be claimed`);
  }
  return result.delivery;
}

export function report(
  sequence: number,
  claimId: string,
  outcome: DeliveryReport['outcome'],
  uniqueId = 'order-1',
): Promise<void> {
  const log = { atMs: Date.now(), durationMs: 1, httpStatus: null, error: null, answerExcerpt: '' };
  return clientOf(uniqueId).reportDelivery({ sequence, position: 0, claimId, outcome, log });
}
