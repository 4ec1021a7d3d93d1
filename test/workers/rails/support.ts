import { type QueueResult, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, expect, type Mock, vi } from 'vitest';
import type { ResultMessage } from '../../../src/engine/attempts/provider-reports.ts';
import { newAttempt } from '../../../src/engine/attempts/start.ts';
import { configOf } from '../../../src/engine/config.ts';
import type { Attempt, Outcome } from '../../../src/engine/domain/attempt.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { IntentClient } from '../../../src/engine/intent/client.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import { configuredRail, forgetRails } from '../../../src/engine/rails/settings.ts';
import { signLink } from '../../../src/kit/crypto/link-token.ts';
import type { Environment, Tenant } from '../../../src/kit/tenant.ts';
import callbackPaid from '../../fixtures/rails/ebirr/callback.json' with { type: 'json' };
import answerPaid from '../../fixtures/rails/ebirr/purchase_response_ok.json' with { type: 'json' };
import {
  ALPHA,
  answerOf,
  type Body,
  type CaughtMessages,
  CREATE_PATHS,
  call,
  clientOf,
  consume,
  type ExpressContent,
  expressBody,
  hostedBody,
  logged,
  postForm,
  reachedObjects,
  reportsAreSent,
  SECOND_MS,
  tenantOf,
} from '../support.ts';

/**
 * Payments by real rails inside workerd: `support.ts` for production, with credentials, a
 * provider's server in place of `fetch`, and the queue of reports in the test's hands. Secrets are
 * set on the one `env` that Worker and objects get their bindings from.
 */

export const PRODUCTION: Tenant = tenantOf(ALPHA, 'production');
export const PHONE = '251911223344';
/** ETB 100.50, the amount of `expressBody` and `hostedBody`. */
export const AMOUNT_MINOR = 10_050;

export const EBIRR = {
  baseUrl: 'https://ebirr.rail.test/asm',
  merchantUid: 'M1234567',
  apiUserId: '7654321',
  apiKey: 'API-nobody-may-see-this',
};
export const MPESA = {
  baseUrl: 'https://mpesa.rail.test',
  consumerKey: 'consumer-key',
  consumerSecret: 'consumer-secret',
  shortcode: '1020',
  passkey: 'passkey-nobody-may-see',
  // AMOUNT_MINOR has cents, so that a loss of them is noticed.
  wholeAmountsOnly: false,
};
export const CARDS = {
  gateway: 'cards',
  baseUrl: 'https://cards.rail.test/epg/rest',
  userName: 'kefel-api',
  password: 'cards-password',
};
export const NBG = {
  gateway: 'nbg',
  baseUrl: 'https://nbg.rail.test',
  username: 'kefel',
  password: 'nbg-password',
  billerBin: 'NEEUETAA',
  callbackAddresses: [],
};

/** Production requires the addresses of callbacks. */
export const NBG_IN_PRODUCTION = { ...NBG, callbackAddresses: ['192.0.2.7'] };

/** The customer has a minute, and the adapter waits half a minute longer. */
export const EBIRR_CALL_MS = 90 * SECOND_MS;
/**
 * From the claim of a start at eBirr to the end of its window: the answer must be stored by then.
 */
export const EBIRR_WINDOW_MS = EBIRR_CALL_MS + 5 * SECOND_MS;

/** Called once per file, at its top. The next file of the isolate finds no rail. */
export function configureRails(secrets: Readonly<Record<`RAIL_${string}`, object>>): void {
  Object.assign(env, secretsOf(secrets));
  forgetRails();
  afterAll(() => {
    for (const name of Object.keys(secrets)) {
      Reflect.deleteProperty(env, name);
    }
    forgetRails();
  });
}

export function secretsOf(secrets: Readonly<Record<string, object>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}

/** The Worker's bindings with some of them changed: rails and keys are rebuilt from these. */
export function envWith(changes: Readonly<Record<string, string | undefined>>): Env {
  return { ...env, ...changes } as Env;
}

// ---------------------------------------------------------------------------------------------
// The provider's server

export interface RailCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly text: string;
}

export type RailAnswer = (call: RailCall) => Response | Promise<Response>;

/** `answer` may throw like a broken connection. Returns the calls that arrive. */
export function railServer(answer: RailAnswer): RailCall[] {
  const calls: RailCall[] = [];
  const fetcher: Mock<typeof fetch> = vi.spyOn(globalThis, 'fetch');
  fetcher.mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    // Not `text()`, which warns about forms.
    const text = new TextDecoder().decode(await request.arrayBuffer());
    const { url, method, headers } = request;
    calls.push({ url, method, headers, text });
    return answer({ url, method, headers, text });
  });
  return calls;
}

/** A provider that must not be called. */
export function noRail(): RailCall[] {
  return railServer(({ url }) => {
    throw new Error(`an unexpected call of ${url}`);
  });
}

/** A body that breaks off: the connection is lost after its first bytes. */
export function truncated(text: string): Response {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)));
      controller.error(new Error('connection reset'));
    },
  });
  return new Response(stream);
}

/** Some tests replace it. */
const wait = scheduler.wait.bind(scheduler);

/**
 * What the test has set. The provider's server runs in the object that calls it, which the test's own
 * context cannot wake.
 */
export async function onceSet<T>(read: () => T | undefined): Promise<T> {
  for (;;) {
    const value = read();
    if (value !== undefined) {
      return value;
    }
    await wait(2);
  }
}

/** A provider that holds its call until the test lets it answer, or its timeout fires. */
export function slowRail() {
  let answer: (() => Response) | undefined;
  const timeOut = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeOut.signal);
  const calls = railServer(async () => (await onceSet(() => answer))());
  return {
    calls,
    timesOut: () => {
      answer = () => {
        throw timeOut.signal.reason;
      };
      timeOut.abort();
    },
    answers: (text: string) => {
      answer = () => new Response(text);
    },
    isCalled: () => expect.poll(() => calls).toHaveLength(1),
  };
}

/** eBirr's answer to a paid purchase, for the requested order. */
export function ebirrPaid({ text }: RailCall, changes: object = {}): string {
  const { referenceId, amount } = JSON.parse(text).serviceParams.transactionInfo;
  const params = { ...answerPaid.params, referenceId, txAmount: amount, ...changes };
  return JSON.stringify({ ...answerPaid, params });
}

/** eBirr's report that `attempt` was paid. */
export function ebirrReport({ reference }: Attempt, changes: object = {}): object {
  return { ...callbackPaid, referenceId: reference, ...changes };
}

// ---------------------------------------------------------------------------------------------
// Payments

export function clientIn(environment: Environment, uniqueId = 'order-1'): IntentClient {
  return clientOf(uniqueId, tenantOf(ALPHA, environment));
}

export const client = (uniqueId = 'order-1') => clientIn('production', uniqueId);

/** The current payment; due transitions are applied. */
export async function intentNow(payment = client()): Promise<Intent> {
  const intent = await payment.read();
  if (intent === null) {
    throw new Error('there is no such payment');
  }
  return intent;
}

/** Its last attempt. */
export async function attemptNow(payment = client()): Promise<Attempt> {
  const attempt = (await intentNow(payment)).attempts.at(-1);
  if (attempt === undefined) {
    throw new Error('the payment has no attempt');
  }
  return attempt;
}

export async function run(...commands: Command[]): Promise<Intent> {
  const result = await client().execute(commands);
  if (result.type === 'not_found' || result.rejection !== null) {
    throw new Error(`refused: ${JSON.stringify(result)}`);
  }
  return result.intent;
}

/** Resolves the last attempt, as a provider's answer would. */
export async function resolveAs(type: 'succeeded' | 'failed'): Promise<Intent> {
  const { id: attemptId } = await attemptNow();
  const outcome: Outcome =
    type === 'succeeded' ? { type, receipt: null } : { type, reason: 'declined' };
  return run({ type: 'resolve_attempt', attemptId, outcome });
}

/** Stores an attempt whose Worker dies before the provider call. */
export async function startAndDie(method: Attempt['method']): Promise<Attempt> {
  const { terms } = await intentNow();
  const rail = configuredRail(env, terms.environment, method);
  if (rail === null) {
    throw new Error(`${method} is not configured`);
  }
  const attempt = newAttempt(terms, method, PHONE, rail, Date.now());
  await dyingBeforeClaims(() => run({ type: 'start_attempt', attempt }));
  return attemptNow();
}

export async function payExpress(
  changes: Body,
  environment: Environment = 'production',
): Promise<ExpressContent> {
  const answered = await answerOf(
    call(CREATE_PATHS.express[environment], {
      method: 'POST',
      apiKey: ALPHA.apiKeys[environment],
      body: expressBody({ phoneNumber: PHONE, ...changes }),
    }),
  );
  if (answered.status !== 200) {
    throw new Error(`express answered ${answered.text}`);
  }
  return answered.envelope.content as ExpressContent;
}

/** A hosted payment. Returns the path of its checkout page. */
export async function openHosted(
  changes: Body = {},
  environment: Environment = 'production',
): Promise<string> {
  const answered = await answerOf(
    call(CREATE_PATHS.hosted[environment], {
      method: 'POST',
      apiKey: ALPHA.apiKeys[environment],
      body: hostedBody(changes),
    }),
  );
  if (answered.status !== 200) {
    throw new Error(`create answered ${answered.text}`);
  }
  return new URL(String(answered.envelope.content)).pathname;
}

/** The customer chooses on the checkout page. Returns the redirect. */
export async function choose(path: string, method: Attempt['method'], attempts = 0, phone = PHONE) {
  const fields = { method, phone, attempts: String(attempts) };
  const response = await postForm(`${path}/attempts`, fields);
  await response.body?.cancel();
  return { status: response.status, location: response.headers.get('location') };
}

/** The path at which a provider reports an attempt. */
export async function callbackPath(
  railId: string,
  payment = client(),
  attemptIndex = 0,
): Promise<string> {
  return `/rails/${railId}/${await attemptToken(payment, attemptIndex)}`;
}

export function attemptToken(payment = client(), attemptIndex = 0): Promise<string> {
  const { objectName } = payment;
  return signLink(configOf(env).linkSigningKeys, 'attempt', { objectName, index: attemptIndex });
}

/** Posts to the gateway as a provider would: without a merchant's key. */
export async function report(
  path: string,
  body: BodyInit | object,
  headers: Readonly<Record<string, string>> = {},
) {
  const isRaw = typeof body === 'string' || body instanceof ReadableStream;
  const response = await call(path, {
    method: 'POST',
    apiKey: null,
    body: isRaw ? body : (body as Body),
    contentType: 'application/json',
    headers,
  });
  return { status: response.status, text: await response.text() };
}

// ---------------------------------------------------------------------------------------------
// The object's alarm, and everything stored

export function fireAlarmOf(payment = client()): Promise<boolean> {
  return runDurableObjectAlarm(stub(payment));
}

export function alarmNow(payment = client()): Promise<number | null> {
  return runInDurableObject(stub(payment), (_instance, { storage }) => storage.getAlarm());
}

/** Moves the clock to the object's alarm and fires it. */
export async function nextAlarm(payment = client()): Promise<void> {
  vi.setSystemTime(Math.max(Date.now(), (await alarmNow(payment)) ?? 0));
  await fireAlarmOf(payment);
}

/** Fires alarm after alarm up to and including `untilMs`, the clock at the time of each. */
export async function alarmsUntil(untilMs: number, payment = client()): Promise<void> {
  for (;;) {
    // The book's confirmation moves the alarm.
    await reportsAreSent();
    const alarmAtMs = await alarmNow(payment);
    if (alarmAtMs === null || alarmAtMs > untilMs) {
      vi.setSystemTime(untilMs);
      return;
    }
    await nextAlarm(payment);
  }
}

function stub({ objectName }: IntentClient) {
  return env.PAYMENT_INTENT.get(env.PAYMENT_INTENT.idFromName(objectName));
}

/** As the lists below name it. */
export function objectIdOf(payment: IntentClient): string {
  return String(stub(payment).id);
}

/** Every object that was ever reached, even only for a read. */
export function objectIds(): string[] {
  return reachedObjects().map(String).sort();
}

/** Everything that objects hold, rows and alarms, by object; empty objects are left out. */
export async function everythingStored(): Promise<Record<string, unknown>> {
  const stored: Record<string, unknown> = {};
  for (const id of reachedObjects()) {
    await runInDurableObject(env.PAYMENT_INTENT.get(id), async (_instance, { storage }) => {
      const tables = storage.sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .toArray()
        .filter(({ name }) => !name.startsWith('_'));
      const rows = tables.map(({ name }) => storage.sql.exec(`SELECT * FROM "${name}"`).toArray());
      const alarm = await storage.getAlarm();
      if (rows.length > 0 || alarm !== null) {
        stored[String(id)] = { rows, alarm };
      }
    });
  }
  return stored;
}

/** The log lines of one event. */
export function loggedEvents(event: string): Record<string, unknown>[] {
  return logged
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter((line) => line.event === event);
}

// ---------------------------------------------------------------------------------------------
// Starts that wait for the customer, and the queue of answers that could not be stored

/** What `begin` starts stays unclaimed: each object dies before its claim. */
export async function dyingBeforeClaims<T>(begin: () => Promise<T>): Promise<T> {
  const { execute } = PaymentIntentObject.prototype;
  const dying = vi.spyOn(PaymentIntentObject.prototype, 'execute').mockImplementation(function (
    this: PaymentIntentObject,
    commands,
    answers,
  ) {
    if (commands.some(({ type }) => type === 'claim_start')) {
      throw new Error('the object dies');
    }
    return execute.call(this, commands, answers);
  });
  const begun = await begin();
  await reportsAreSent();
  dying.mockRestore();
  return begun;
}

/** Providers' answers for unreachable objects. */
export function resultsIn({ reports }: CaughtMessages): ResultMessage[] {
  return [...reports];
}

/** Hands messages to the consumer in one batch; their ids are `message-0` and so on. */
export function consumeResults(messages: readonly ResultMessage[]): Promise<QueueResult> {
  return consume('kefel-provider-reports', messages);
}

/** A claim to start the last attempt now. */
export async function claimStart(
  changes: Partial<Extract<Command, { type: 'claim_start' }>> = {},
): Promise<Command> {
  return {
    type: 'claim_start',
    attemptId: (await attemptNow()).id,
    claimId: crypto.randomUUID(),
    deadlineAtMs: Date.now() + EBIRR_WINDOW_MS,
    ...changes,
  };
}

/**
 * Makes every object unreachable from now on, as the platform does: for good, or until this many
 * calls have failed. Waits between retries take no time.
 */
export function objectsAway({ calls = Number.POSITIVE_INFINITY, onlyExecute = false } = {}): {
  comeBack(): void;
} {
  const reach = env.PAYMENT_INTENT.get.bind(env.PAYMENT_INTENT);
  let failures = 0;
  const waits = vi.spyOn(scheduler, 'wait').mockResolvedValue(undefined);
  const get = vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementation((id) => {
    const stub = reach(id);
    const fails = async () => {
      failures += 1;
      throw Object.assign(new Error('away'), { retryable: true, overloaded: true });
    };
    const away = { execute: fails, read: onlyExecute ? () => stub.read() : fails };
    return failures < calls ? (away as unknown as typeof stub) : stub;
  });
  return {
    comeBack: () => {
      get.mockRestore();
      waits.mockRestore();
    },
  };
}
