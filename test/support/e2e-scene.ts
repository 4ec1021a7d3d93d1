import { randomInt, randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, inject, vi } from 'vitest';
import type { Gateway, RunningGateway } from '../../scripts/gateway/gateway.ts';
import { type GatewayOptions, gatewayAt, startGateway } from '../../scripts/gateway/own-gateway.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import type { AppParameters } from '../../src/engine/domain/app-form.ts';
import type { TestMerchant } from './e2e-merchant.ts';
import { type Behavior, type Endpoint, MerchantServer } from './e2e-merchant-server.ts';
import type { SandboxMerchant } from './e2e-sandbox.ts';
import { type Page, submit } from './e2e-visitor.ts';
import {
  type Payment,
  type VerificationKeys,
  type VerifiedWebhook,
  verifiedWebhook,
} from './e2e-webhook.ts';
import { faultsIn } from './output/gateway-log.ts';

const PHONE_DIGITS = '911223344';

/** Every phone that the tests of a file pay with. */
const phones = new Set([PHONE_DIGITS]);

export type JsonObject = Readonly<Record<string, unknown>>;

/** An answer of the API. */
export interface ApiAnswer<Content> {
  readonly status: number;
  readonly headers: Headers;
  /** The bytes as text. */
  readonly raw: string;
  readonly body: {
    readonly status: number;
    readonly message: string;
    readonly content: Content;
    readonly validationErrors?: Readonly<Record<string, string>>;
  };
}

export interface ExpressContent {
  readonly paymentUrl: string | null;
  readonly transactionId: string;
  readonly status: string;
  readonly message: string;
  readonly telebirr?: AppParameters | null;
}

/** One merchant's calls in one environment. */
export class MerchantApi {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #isSandbox: boolean;

  constructor(baseUrl: string, apiKey: string, environment: 'sandbox' | 'production') {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
    this.#isSandbox = environment === 'sandbox';
  }

  hosted(body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    return this.call<string>('POST', `${this.#prefix}intent`, { body, headers });
  }

  express(body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    const path = this.#isSandbox ? 'express/sandbox/pay' : 'express/pay';
    return this.call<ExpressContent>('POST', path, { body, headers });
  }

  status(id: string | number) {
    return this.call<Payment>('GET', `${this.#prefix}intent/${encodeURIComponent(id)}`);
  }

  cancel(uniqueId: string) {
    const path = `${this.#prefix}intent/cancel/${encodeURIComponent(uniqueId)}`;
    return this.call<Payment>('POST', path);
  }

  /** `path` is relative to `/api/v1/payment/`. */
  async call<Content>(
    method: string,
    path: string,
    request: { body?: JsonObject; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<ApiAnswer<Content>> {
    const response = await fetch(`${this.#baseUrl}/api/v1/payment/${path}`, {
      method,
      headers: {
        apiKey: this.#apiKey,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const raw = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      raw,
      body: JSON.parse(raw),
    };
  }

  get #prefix(): string {
    return this.#isSandbox ? 'sandbox/' : '';
  }
}

/** A gateway, one of its merchants with its own server, and the merchant's calls. */
export interface Scene {
  readonly gateway: RunningGateway;
  readonly merchant: TestMerchant;
  readonly server: MerchantServer;
  readonly sandbox: MerchantApi;
  readonly production: MerchantApi;
  /** Verify the merchant's webhooks of the sandbox. */
  readonly keys: VerificationKeys;
  close(): Promise<void>;
}

/** A scene whose gateway belongs to the test. */
export interface OwnScene extends Scene {
  readonly gateway: Gateway;
}

/** On the shared gateway, as one of its merchants or as the demo merchant. */
export async function joinScene(merchantName: SandboxMerchant | 'demo' = 'demo'): Promise<Scene> {
  const { baseUrl, outputFile, phonesFile, merchants } = inject('sandbox');
  const gateway = await gatewayAt(baseUrl, outputFile);
  const merchant = merchantName === 'demo' ? demoOf(gateway) : merchants[merchantName];
  const server = await MerchantServer.start();
  return {
    ...sceneOf(gateway, merchant, server),
    close: async () => {
      await server.stop();
      await appendFile(phonesFile, [...phones, ''].join('\n'));
    },
  };
}

/** `joinScene` for a whole file, which waits for it at its top. */
export async function useScene(...merchant: Parameters<typeof joinScene>): Promise<Scene> {
  const scene = await joinScene(...merchant);
  afterAll(() => scene.close());
  return scene;
}

/** On the test's own gateway, as the demo merchant. `expected`: texts of errors that its log has. */
export async function startScene(
  options: GatewayOptions,
  expected: readonly string[] = [],
): Promise<OwnScene> {
  const { project, builtDirectory } = inject('sandbox');
  const built = project === PROJECT_DIRECTORY ? { builtDirectory } : {};
  const [gateway, server] = await Promise.all([
    startGateway({ ...built, ...options }),
    MerchantServer.start(),
  ]);
  return {
    ...sceneOf(gateway, demoOf(gateway), server),
    gateway,
    close: async () => {
      await gateway.stop();
      await server.stop();
      expect(faultsIn(await gateway.logs(), [...phones], expected)).toEqual([]);
    },
  };
}

function sceneOf(
  gateway: RunningGateway,
  merchant: TestMerchant,
  server: MerchantServer,
): Omit<Scene, 'close'> {
  const { sandboxApiKey, productionApiKey, sandboxWebhookSecret } = merchant;
  return {
    gateway,
    merchant,
    server,
    sandbox: new MerchantApi(gateway.baseUrl, sandboxApiKey, 'sandbox'),
    production: new MerchantApi(gateway.baseUrl, productionApiKey, 'production'),
    keys: {
      merchantId: merchant.id,
      environment: 'sandbox',
      secret: sandboxWebhookSecret,
      publicKey: gateway.merchant.webhookPublicKeys.sandbox,
    },
  };
}

function demoOf({ merchant }: RunningGateway): TestMerchant {
  return { ...merchant, id: merchant.merchantId, name: 'Demo Shop' };
}

/** An id that no other test uses. */
export function newId(): string {
  return `order-${randomUUID()}`;
}

/** Digits of a phone that only this test uses: a phone can be prompted only ten times a minute. */
export function newPhone(firstDigit: '9' | '7' = '9'): string {
  const digits = firstDigit + String(randomInt(10 ** 8)).padStart(8, '0');
  phones.add(digits);
  return digits;
}

/** An intent of ETB 100.00 by any method. */
export function hostedBody(changes: JsonObject = {}): JsonObject {
  return {
    amount: 100,
    currency: 'ETB',
    paymentIntentUniqueId: newId(),
    methods: [],
    returnUrl: 'https://shop.example.com/done',
    expireIn: 600,
    commissionPaidByCustomer: false,
    ...changes,
  };
}

/** ETB 25.50 by telebirr, resolved by the simulator. */
export function expressBody(changes: JsonObject = {}): JsonObject {
  return {
    amount: 25.5,
    currency: 'ETB',
    paymentIntentUniqueId: newId(),
    method: 'TELE_BIRR',
    phoneNumber: `0${PHONE_DIGITS}`,
    returnUrl: 'https://shop.example.com/done',
    expireIn: 600,
    commissionPaidByCustomer: false,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    ...changes,
  };
}

/** A hosted payment and the two addresses of the merchant that it uses. */
export interface HostedPayment {
  readonly uniqueId: string;
  readonly checkoutUrl: string;
  /** Its callbackUrl. */
  readonly hook: Endpoint;
  /** Its returnUrl. */
  readonly shop: Endpoint;
}

export async function createHosted(
  scene: Scene,
  changes: JsonObject = {},
  behaviors: readonly Behavior[] = [],
): Promise<HostedPayment> {
  const hook = scene.server.endpoint(...behaviors);
  const shop = scene.server.endpoint();
  const uniqueId = newId();
  const body = {
    callbackUrl: hook.url,
    refundEvents: true,
    returnUrl: `${shop.url}?basket=7%20a&empty=`,
    ...changes,
  };
  const answer = await scene.sandbox.hosted(
    hostedBody({ paymentIntentUniqueId: uniqueId, ...body }),
  );
  // Besides `warnings` of what production would refuse.
  expect(answer.body).toMatchObject({
    status: 200,
    message: 'Payment intent saved successfully',
    content: expect.stringMatching(/^http:\/\/localhost:\d+\/checkout\//),
  });
  return { uniqueId, checkoutUrl: answer.body.content, hook, shop };
}

/** An express payment that resolves on its own, and the address that gets its event. */
export async function createSimulated(
  scene: Scene,
  behaviors: readonly Behavior[] = [],
  changes: JsonObject = {},
): Promise<{ readonly uniqueId: string; readonly hook: Endpoint }> {
  const hook = scene.server.endpoint(...behaviors);
  const uniqueId = newId();
  const body = expressBody({
    paymentIntentUniqueId: uniqueId,
    callbackUrl: hook.url,
    refundEvents: true,
    ...changes,
  });
  expect((await scene.sandbox.express(body)).status).toBe(200);
  return { uniqueId, hook };
}

/**
 * Waits until every event announced before has been sent: a new payment's webhook passes through
 * the same queue, so earlier ones were delivered before it arrives.
 */
export async function fence(scene: Scene): Promise<void> {
  const { hook } = await createSimulated(scene);
  await hook.request(0);
}

/** The `index`-th webhook of an endpoint, verified. */
export async function webhook(scene: Scene, hook: Endpoint, index = 0): Promise<VerifiedWebhook> {
  return verifiedWebhook(await hook.request(index), scene.keys);
}

/** Every announced event, verified: one, or none. */
export async function onlyWebhook(scene: Scene, hook: Endpoint): Promise<VerifiedWebhook> {
  const first = await webhook(scene, hook);
  await fence(scene);
  expect(hook.requests).toHaveLength(1);
  return first;
}

export async function paymentOf(scene: Scene, id: string | number): Promise<Payment> {
  const answer = await scene.sandbox.status(id);
  expect(answer.body).toMatchObject({ status: 200, message: 'Payment found' });
  return answer.body.content;
}

/** Presses a button of the simulator's page. */
export function press(page: Page, outcome: 'approve' | 'decline' | 'give_up'): Promise<Page> {
  const form = page.forms.find(({ action }) => action.includes('/rails/simulator/'));
  const button = form?.buttons.find(({ value }) => value === outcome);
  if (form === undefined || button === undefined) {
    throw new Error(`no button "${outcome}" on "${page.heading}"`);
  }
  return submit(form, {}, button);
}

/** Polls until `isSo` holds, for changes that happen on their own. */
export function eventually<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (!isSo(answer)) {
        throw new Error(`still ${JSON.stringify(answer)}`);
      }
      return answer;
    },
    { timeout: 100_000, interval: 100 },
  );
}

const IN_FORCE_POLL_MS = 50;

/**
 * Polls until `isSo` holds. Fails when a request that is sent more than `withinMs` from now does
 * not get that answer, however slow answers are.
 */
export async function untilInForce<T>(
  withinMs: number,
  ask: () => Promise<T>,
  isSo: (answer: T) => boolean,
): Promise<void> {
  const endsAtMs = Date.now() + withinMs;
  for (;;) {
    const askedAtMs = Date.now();
    const answer = await ask();
    if (isSo(answer)) {
      return;
    }
    if (askedAtMs > endsAtMs) {
      throw new Error(`still ${JSON.stringify(answer)} after ${withinMs} ms`);
    }
    // A key has 1,000 requests in 10 s.
    await setTimeout(IN_FORCE_POLL_MS);
  }
}

/** The payment once it has this status. */
export function untilStatus(scene: Scene, uniqueId: string, status: string): Promise<Payment> {
  return eventually(
    () => paymentOf(scene, uniqueId),
    (payment) => payment.status === status,
  );
}
