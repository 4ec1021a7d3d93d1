import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, vi } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { type Gateway, type GatewayOptions, startGateway } from './e2e-gateway.ts';
import { type Behaviour, type Endpoint, MerchantServer } from './e2e-merchant-server.ts';
import { type Page, submit } from './e2e-visitor.ts';
import {
  type Payment,
  type VerificationKeys,
  type VerifiedWebhook,
  verifiedWebhook,
} from './e2e-webhook.ts';

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

  /** `path` below `/api/v1/payment/`. */
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

/** A running gateway, the merchant's own server, and the merchant's calls. */
export interface Scene {
  readonly gateway: Gateway;
  readonly server: MerchantServer;
  readonly sandbox: MerchantApi;
  readonly production: MerchantApi;
  /** Verify the sandbox's webhooks of the demo merchant. */
  readonly keys: VerificationKeys;
  close(): Promise<void>;
}

export type SceneOptions = Omit<GatewayOptions, 'prepare'> & {
  readonly prepare?: (stateDirectory: string, server: MerchantServer) => Promise<void>;
};

export async function startScene({ prepare, ...options }: SceneOptions = {}): Promise<Scene> {
  const server = await MerchantServer.start();
  const gateway = await startGateway({
    ...options,
    ...(prepare === undefined ? {} : { prepare: (directory) => prepare(directory, server) }),
  });
  const { baseUrl, merchant } = gateway;
  return {
    gateway,
    server,
    sandbox: new MerchantApi(baseUrl, merchant.sandboxApiKey, 'sandbox'),
    production: new MerchantApi(baseUrl, merchant.productionApiKey, 'production'),
    keys: { secret: merchant.sandboxWebhookSecret, publicKey: merchant.webhookPublicKeys.sandbox },
    close: async () => {
      await gateway.stop();
      await server.stop();
      await keepLogs(gateway.logs());
      // docs/promises.md#10: no phone that a test pays with is in any log.
      expect([...phones].filter((digits) => gateway.logs().includes(digits))).toEqual([]);
    },
  };
}

/** For whoever wants to know why a test has failed. Git-ignored. */
async function keepLogs(logs: string): Promise<void> {
  const directory = join(PROJECT_DIRECTORY, 'test-artefacts', 'e2e');
  await mkdir(directory, { recursive: true });
  const name = basename(expect.getState().testPath ?? 'gateway', '.test.ts');
  await writeFile(join(directory, `${name}.log`), logs);
}

/** An id that no other test uses. */
export function newId(): string {
  return `order-${randomUUID()}`;
}

/** Digits of a phone that no other test uses up: one may be prompted ten times a minute. */
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

/** ETB 25.50 by telebirr, settled by the simulator. */
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

/** A hosted payment and the two addresses of the merchant that it knows. */
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
  behaviours: readonly Behaviour[] = [],
): Promise<HostedPayment> {
  const hook = scene.server.endpoint(...behaviours);
  const shop = scene.server.endpoint();
  const uniqueId = newId();
  const body = { callbackUrl: hook.url, returnUrl: `${shop.url}?basket=7%20a&empty=`, ...changes };
  const answer = await scene.sandbox.hosted(
    hostedBody({ paymentIntentUniqueId: uniqueId, ...body }),
  );
  expect(answer.body).toEqual({
    status: 200,
    message: 'Payment intent saved successfully',
    content: expect.stringMatching(/^http:\/\/localhost:\d+\/checkout\//),
  });
  return { uniqueId, checkoutUrl: answer.body.content, hook, shop };
}

/** An express payment that settles by itself, and the address that hears of it. */
export async function createSimulated(
  scene: Scene,
  behaviours: readonly Behaviour[] = [],
  changes: JsonObject = {},
): Promise<{ readonly uniqueId: string; readonly hook: Endpoint }> {
  const hook = scene.server.endpoint(...behaviours);
  const uniqueId = newId();
  const body = expressBody({ paymentIntentUniqueId: uniqueId, callbackUrl: hook.url, ...changes });
  expect((await scene.sandbox.express(body)).status).toBe(200);
  return { uniqueId, hook };
}

/**
 * Lets everything that was due to be sent go out first: a fresh payment's webhook travels through
 * the same queue, so what an earlier commit announced was handed out before it arrives.
 */
export async function fence(scene: Scene): Promise<void> {
  const { hook } = await createSimulated(scene);
  await hook.request(0);
}

/** The `index`-th webhook of an endpoint, verified. */
export async function webhook(scene: Scene, hook: Endpoint, index = 0): Promise<VerifiedWebhook> {
  return verifiedWebhook(await hook.request(index), scene.keys);
}

/** Everything that was announced, verified: one event, or none. */
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

/** Asks again until it is so, for what happens by itself and shows only to who asks. */
export function eventually<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (!isSo(answer)) {
        throw new Error(`still ${JSON.stringify(answer)}`);
      }
      return answer;
    },
    { timeout: 45_000, interval: 100 },
  );
}

/** The payment once it has this status. */
export function untilStatus(scene: Scene, uniqueId: string, status: string): Promise<Payment> {
  return eventually(
    () => paymentOf(scene, uniqueId),
    (payment) => payment.status === status,
  );
}
