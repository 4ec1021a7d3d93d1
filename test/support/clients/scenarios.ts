import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { OK, type ReceivedRequest, status } from '../e2e-merchant-server.ts';
import {
  eventually,
  expressBody,
  hostedBody,
  MerchantApi,
  newId,
  type Scene,
} from '../e2e-scene.ts';
import type { ApiFailure, ClientOptions, Driver, SpecialNumber } from './driver.ts';
import { type Fault, FlakyGateway } from './flaky-gateway.ts';

/** What the clients of all languages must do. */
type Scenario = (stage: Stage) => Promise<void>;

const { version: VERSION } = JSON.parse(
  readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'),
);
/** Long enough for a busy machine; the scenario with a silent gateway shortens it. */
const TIMEOUT_SECONDS = 30;
const SHORT_TIMEOUT_SECONDS = 3;
const WEBHOOK_AGE_SECONDS_MAX = 300;
/** Clocks of the test and the gateway are one; this only leaves room for a slow machine. */
const LIST_FROM_MS = 600_000;
/** An endpoint that wants no more tries. */
const REFUSAL = status(410);
const OTHER_SECRET = `whsec_${btoa('another secret of thirty-two byte')}`;
/** For this code an error's page is `…/docs/errors#duplicate_payment_id`. */
const DUPLICATE = 'duplicate_payment_id';

/** What a computation that went wrong leaves in a variable. */
const NO_AMOUNTS: readonly (SpecialNumber | number | string | null)[] = [
  { $number: 'NaN' },
  { $number: 'Infinity' },
  null,
  50.5,
  '50,00',
];

/** No JSON, JSON of another form, and a `body` that no client can decode. */
const NO_WEBHOOKS: readonly string[] = [
  ...['', '{', 'null', '5', '[]', '{}', '"body"'],
  ...['{', 'null', '5', null, 5].map((body) =>
    JSON.stringify({ webHookEvent: 'PAYMENT_SUCCESS', environment: 'sandbox', body }),
  ),
];

/** A shorter text is no secret. */
const KEY_CHARACTERS_MIN = 20;

/** No key, the key of another service, and keys that a careless copy or an attacker changed. */
const NO_KEYS: readonly string[] = [
  ...[
    '',
    '  ',
    'kfl_test_',
    'kfl_live_',
    `sk_test_${'0'.repeat(49)}`,
    `KFL_TEST_${'0'.repeat(49)}`,
  ],
  ...['-', ' ', '\r\nx-other: 1', '\0', 'ä', '…'].map(
    (text) => `kfl_test_${'0'.repeat(24)}${text}${'0'.repeat(24)}`,
  ),
];

const NO_ADDRESSES: readonly string[] = [
  ...['', 'pay.example.com', 'localhost:8787', 'ftp://pay.example.com', 'https://'],
  ...['?a=1', '?', '#top', '/kefel?'].map((end) => `https://pay.example.com${end}`),
  'https://user:password@pay.example.com',
  ...['', '/', '/sandbox', '/intent'].map((end) => `https://pay.example.com/api/v1/payment${end}`),
];

const NO_IDEMPOTENCY_KEYS: readonly string[] = [
  ...['', ' ', ' checkout-7', 'checkout-7 ', 'clé', 'a\tb', 'a\r\nx-other: 1', '\0'],
  'k'.repeat(256),
];

const UNKNOWN_LIVE_KEY = `kfl_live_${'0'.repeat(49)}`;

/** The tries of a call after the first. */
const NO_ANSWERS = ['lost_request', 'lost_request', 'lost_request'] as const;

interface Page {
  readonly data: readonly { readonly id?: string }[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** A client, and the merchant whose key it has. */
export class Stage {
  readonly scene: Scene;
  readonly #driver: Driver;
  readonly #client: ClientOptions;

  constructor(driver: Driver, scene: Scene, client: Partial<ClientOptions> = {}) {
    this.scene = scene;
    this.#driver = driver;
    this.#client = {
      apiKey: scene.merchant.sandboxApiKey,
      baseUrl: scene.gateway.baseUrl,
      timeoutSeconds: TIMEOUT_SECONDS,
      ...client,
    };
  }

  /** Whose webhooks the merchant's server takes. */
  get expected() {
    const { merchantId, environment } = this.scene.keys;
    return { merchantId, environment };
  }

  /** What the call returns. */
  async value(call: string, ...args: readonly unknown[]): Promise<unknown> {
    const result = await this.#run(call, args);
    if ('error' in result) {
      throw new Error(`${call}: ${JSON.stringify(result.error)}`);
    }
    return result.value;
  }

  /** A page of a list, once it has what `isThere` looks for: lists lag by seconds. */
  page(call: string, filter: object, isThere: (page: Page) => boolean): Promise<Page> {
    return eventually(async () => (await this.value(call, filter)) as Page, isThere);
  }

  /** The items of all pages, once there are so many: lists lag by seconds. */
  all(call: string, filter: object, count: number): Promise<readonly unknown[]> {
    return eventually(
      async () => (await this.value(call, filter)) as readonly unknown[],
      ({ length }) => length >= count,
    );
  }

  /** What the call throws. */
  async error(call: string, ...args: readonly unknown[]): Promise<unknown> {
    const result = await this.#run(call, args);
    if ('value' in result) {
      throw new Error(`${call} returned ${JSON.stringify(result.value)}`);
    }
    return result.error;
  }

  /** The same client behind a connection that fails with these faults in turn, then works. */
  async behind(
    faults: readonly Fault[],
    play: (stage: Stage, flaky: FlakyGateway) => Promise<void>,
  ): Promise<void> {
    const flaky = new FlakyGateway(this.#client.baseUrl, faults);
    const timeoutSeconds = faults.includes('silence') ? SHORT_TIMEOUT_SECONDS : TIMEOUT_SECONDS;
    try {
      const baseUrl = await flaky.start();
      await play(this.with({ baseUrl, timeoutSeconds }), flaky);
    } finally {
      flaky.stop();
    }
  }

  /** A client with other options. */
  with(options: Partial<ClientOptions>): Stage {
    return new Stage(this.#driver, this.scene, { ...this.#client, ...options });
  }

  async #run(call: string, args: readonly unknown[]) {
    const result = await this.#driver.run({ call, args, client: this.#client });
    const apiKey = this.#client.apiKey.trim();
    if (apiKey.length >= KEY_CHARACTERS_MIN) {
      expect(JSON.stringify(result)).not.toContain(JSON.stringify(apiKey).slice(1, -1));
    }
    return result;
  }
}

/** A paid payment, and the merchant's endpoint that gets its events. */
async function paidPayment(stage: Stage, amount = 25.5) {
  const hook = stage.scene.server.endpoint();
  const id = newId();
  await stage.value(
    'payments.express',
    expressBody({ paymentIntentUniqueId: id, callbackUrl: hook.url, refundEvents: true, amount }),
  );
  return { id, hook, webhook: await hook.request(0) };
}

/** A webhook as the merchant's server got it. */
async function receivedWebhook(stage: Stage) {
  const { id, webhook } = await paidPayment(stage);
  return { id, rawBody: webhook.rawBody.toString(), headers: webhook.headers };
}

/** What the client makes of a webhook. */
function verified(stage: Stage, { rawBody, headers }: ReceivedRequest): Promise<unknown> {
  const { secret } = stage.scene.keys;
  return stage.value('verifyWebhook', rawBody.toString(), headers, secret, stage.expected);
}

/** What everybody can sign: a merchant who has set no secret must not accept it. */
function signedWithEmptyKey(rawBody: string) {
  const headers = resigned(rawBody, OTHER_SECRET, new Date());
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${rawBody}`;
  const signature = createHmac('sha256', '').update(signed).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

/** The headers of an event at another time, or with another secret. */
function resigned(rawBody: string, secret: string, at: Date) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, rawBody),
  };
}

/** Creates one payment in spite of the faults, and expects one request, repeated. */
function survives(faults: readonly Fault[], isReplayed: boolean): Record<string, Scenario> {
  return {
    [`creates one payment after ${faults.join(', ')}`]: (stage) =>
      stage.behind(faults, async (client, flaky) => {
        const body = hostedBody();
        const created = await client.value('payments.create', body);
        expect(created).toEqual({
          checkoutUrl: expect.stringContaining('/checkout/'),
          isReplayed,
          warnings: [],
        });
        expect(flaky.tries).toHaveLength(faults.length + 1);
        const [first] = flaky.tries;
        expect(first?.idempotencyKey).toMatch(/^[0-9a-f-]{32,36}$/);
        expect(flaky.tries).toEqual(flaky.tries.map(() => first));
        expect(JSON.parse(first?.body ?? '')).toEqual(body);
        expect(await client.error('payments.create', body)).toMatchObject({ code: DUPLICATE });
      }),
  };
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'sends a live key over plain http to no other machine': async (stage) => {
    for (const baseUrl of ['http://pay.example.com', 'HTTP://localhost.example.com']) {
      const refused = await stage
        .with({ apiKey: UNKNOWN_LIVE_KEY, baseUrl })
        .error('payments.get', 'order-1');
      expect(refused).toMatchObject({ kind: 'argument' });
    }
    const local = await stage.with({ apiKey: UNKNOWN_LIVE_KEY }).error('payments.get', 'order-1');
    expect(local).toMatchObject({ kind: 'api', status: 401 });
  },
  'fails at once without a usable key or address, and never prints the key': async (stage) => {
    const wrong = [
      ...NO_KEYS.map((apiKey) => ({ apiKey })),
      ...NO_ADDRESSES.map((baseUrl) => ({ baseUrl })),
    ];
    for (const options of wrong) {
      const error = await stage.with(options).error('payments.get', 'order-1');
      expect([options, error]).toEqual([
        options,
        { kind: 'argument', message: expect.stringMatching(/api[_ ]?key|base_?url|address/i) },
      ]);
    }
  },
  'takes a key and an address as people copy them': async (stage) => {
    const { baseUrl, merchant } = stage.scene.gateway;
    for (const options of [
      { apiKey: ` ${merchant.sandboxApiKey}\r\n` },
      { baseUrl: `${baseUrl}/` },
    ]) {
      const client = stage.with(options);
      expect(await client.error('payments.get', newId())).toMatchObject({ status: 404 });
    }
  },
  'sends nothing with an idempotency key that the gateway refuses': (stage) =>
    stage.behind([], async (client, flaky) => {
      for (const idempotencyKey of NO_IDEMPOTENCY_KEYS) {
        for (const [call, body] of [
          ['payments.create', hostedBody()],
          ['payments.express', expressBody()],
          ['refunds.create', { paymentIntentUniqueId: newId(), refundUniqueId: newId() }],
          ['paymentLinks.create', { title: 'Honey', amount: 450 }],
        ] as const) {
          const error = await client.error(call, body, { idempotencyKey });
          expect([idempotencyKey, error]).toMatchObject([idempotencyKey, { kind: 'argument' }]);
        }
      }
      expect(flaky.tries).toEqual([]);
    }),
  'sends nothing for an id that names nothing': (stage) =>
    stage.behind([], async (client, flaky) => {
      for (const id of ['', '.', '..']) {
        for (const call of [
          ...['payments.get', 'payments.cancel', 'refunds.get', 'events.get'],
          ...['paymentLinks.get', 'paymentLinks.deactivate'],
        ]) {
          const error = await client.error(call, id);
          expect([call, id, error]).toMatchObject([call, id, { kind: 'argument' }]);
        }
      }
      expect(flaky.tries).toEqual([]);
    }),
  'takes the longest idempotency key': async (stage) => {
    const options = { idempotencyKey: `!${'k ~'.repeat(84)}k~` };
    expect(options.idempotencyKey).toHaveLength(255);
    const created = await stage.value('payments.create', hostedBody(), options);
    expect(created).toMatchObject({ isReplayed: false });
  },
  'returns the warnings of every creation, and logs them': async (stage) => {
    const cents = hostedBody({ amount: 100.5 });
    const unknown = { customerInfo: { e_mail: 'abebe@example.com' } };
    const warnings = [expect.stringContaining('customerInfo.e_mail')];
    expect(await stage.value('payments.create.warnings', cents)).toEqual([
      expect.stringContaining('M_PESA'),
    ]);
    expect(await stage.value('payments.create.warnings', hostedBody())).toEqual([]);
    const options = { idempotencyKey: newId() };
    const body = expressBody(unknown);
    for (const isReplayed of [false, true]) {
      const answer = await stage.value('payments.express', body, options);
      expect(answer).toMatchObject({ status: 'SUCCESS', isReplayed, warnings });
    }
    expect(await stage.value('payments.express', expressBody())).toMatchObject({ warnings: [] });
  },
  'finds by its id what a lost answer said': (stage) =>
    stage.behind(['lost_answer', ...NO_ANSWERS], async (client) => {
      const hosted = hostedBody();
      expect(await client.error('payments.create', hosted)).toMatchObject({ kind: 'connection' });
      const { checkoutUrl } = Object(
        await stage.value('payments.get', hosted.paymentIntentUniqueId),
      );
      expect(checkoutUrl).toMatch(/^http:\/\/.*\/checkout\//);
      expect(await stage.error('payments.create', hosted)).toMatchObject({
        code: DUPLICATE,
        payment: { uniqueId: hosted.paymentIntentUniqueId, checkoutUrl },
      });
    }),
  'finds by its id the transaction of an express payment whose answer was lost': async (stage) => {
    const body = expressBody();
    const options = { idempotencyKey: newId() };
    await stage.behind(['lost_answer', ...NO_ANSWERS], async (client) => {
      const error = await client.error('payments.express', body, options);
      expect(error).toMatchObject({ kind: 'connection' });
    });
    const { transaction } = Object(await stage.value('payments.get', body.paymentIntentUniqueId));
    const { transactionId } = Object(await stage.value('payments.express', body, options));
    expect(transaction).toMatchObject({ transactionId });
  },
  'takes no page and no other JSON for an answer, and repeats the call': async (stage) => {
    await stage.behind(['portal', 'other_json'], async (client, flaky) => {
      const created = await client.value('payments.create', hostedBody());
      expect(created).toMatchObject({ checkoutUrl: expect.stringContaining('/checkout/') });
      expect(flaky.tries).toHaveLength(3);
      expect(flaky.tries).toEqual(flaky.tries.map(() => flaky.tries[0]));
    });
    for (const [call, ...args] of [
      ['payments.create', hostedBody()],
      ['payments.list', {}],
    ] as const) {
      await stage.behind(
        ['portal', 'other_json', 'portal', 'other_json'],
        async (client, flaky) => {
          expect(await client.error(call, ...args)).toMatchObject({ kind: 'connection' });
          expect(flaky.tries).toHaveLength(4);
        },
      );
    }
  },
  'ends a call at its deadline': (stage) =>
    stage.behind(['silence', 'silence'], async (client, flaky) => {
      const short = { deadlineSeconds: 1 };
      const patient = client.with({ timeoutSeconds: TIMEOUT_SECONDS });
      const hasEnded = { kind: 'connection' };
      const body = hostedBody();
      expect(await patient.error('payments.create', body, short)).toMatchObject(hasEnded);
      const hurried = patient.with(short);
      expect(await hurried.error('payments.get', newId())).toMatchObject(hasEnded);
      expect(flaky.tries).toHaveLength(2);
    }),
  'does not wait for a try that its deadline excludes': (stage) =>
    stage.behind(['unavailable_for_a_while'], async (client, flaky) => {
      const error = await client.error('payments.create', hostedBody(), { deadlineSeconds: 10 });
      expect(error).toMatchObject({ kind: 'api', status: 503, retryAfterSeconds: 20 });
      expect(flaky.tries).toHaveLength(1);
    }),
  'iterates over all pages of payments, refunds and events': async (stage) => {
    const metadata = { order: newId() };
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const paymentIntentUniqueId = newId();
      ids.unshift(paymentIntentUniqueId);
      await stage.value('payments.create', hostedBody({ paymentIntentUniqueId, metadata }));
    }
    const payments = await stage.all('payments.all', { metadata, limit: 2 }, 3);
    expect(payments).toMatchObject(ids.map((uniqueId) => ({ uniqueId })));

    const { id: paymentIntentUniqueId } = await paidPayment(stage);
    const refunds: string[] = [];
    for (let index = 0; index < 2; index += 1) {
      const refundUniqueId = newId();
      refunds.unshift(refundUniqueId);
      const refund = { paymentIntentUniqueId, refundUniqueId, amountMinor: 100 };
      await stage.value('refunds.create', refund);
    }
    const filter = { paymentIntentUniqueId, limit: 1 };
    expect(await stage.all('refunds.all', filter, 2)).toMatchObject(
      refunds.map((refundUniqueId) => ({ refundUniqueId })),
    );
    const events = await stage.all('events.all', filter, 3);
    expect(events).toMatchObject([
      { type: 'REFUND_SUCCESS' },
      { type: 'REFUND_SUCCESS' },
      { type: 'PAYMENT_SUCCESS' },
    ]);
    const page = { data: [{ type: 'REFUND_SUCCESS' }], hasMore: true };
    expect(await stage.value('events.list', filter)).toMatchObject(page);
    expect(await stage.value('payments.all', { metadata: { order: newId() } })).toEqual([]);
  },
  'manages webhook endpoints and their secrets': async (stage) => {
    const { url } = stage.scene.server.endpoint();
    const request = { url, eventTypes: ['PAYMENT_SUCCESS'], description: 'ቡና', enabled: false };
    const created = Object(await stage.value('webhookEndpoints.create', request));
    expect(created).toMatchObject({ ...request, secret: expect.stringMatching(/^whsec_/) });
    const { id, secret, isReplayed: _isReplayed, warnings: _warnings, ...endpoint } = created;
    const all = await stage.value('webhookEndpoints.list');
    expect(all).toContainEqual({ id, ...endpoint });
    expect(await stage.value('webhookEndpoints.get', id)).toEqual({ id, ...endpoint });
    const description = 'Warehouse';
    expect(await stage.value('webhookEndpoints.update', id, { description })).toMatchObject({
      description,
      eventTypes: request.eventTypes,
    });
    const rotated = await stage.value('webhookEndpoints.rotateSecret', id, { overlapHours: 0 });
    expect(rotated).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(Object(rotated).secret).not.toBe(secret);
    expect(await stage.value('webhookEndpoints.delete', id)).toMatchObject({ id });
    expect(await stage.error('webhookEndpoints.get', id)).toMatchObject({
      code: 'webhook_endpoint_not_found',
    });
  },
  'creates one webhook endpoint though the answer is lost, and warns of a second': (stage) =>
    stage.behind(['lost_answer'], async (client, flaky) => {
      const { url } = stage.scene.server.endpoint();
      const request = { url, eventTypes: ['REFUND_REQUIRES_ACTION'] };
      const created = Object(await client.value('webhookEndpoints.create', request));
      expect(created).toMatchObject({ isReplayed: true, warnings: [] });
      expect(flaky.tries).toHaveLength(2);
      const all = (await stage.value('webhookEndpoints.list')) as { id: string; url: string }[];
      const made = all.filter(({ url }) => url === request.url).map(({ id }) => id);
      expect(made).toEqual([created.id]);
      const idempotencyKey = newId();
      const again = () => client.value('webhookEndpoints.create', request, { idempotencyKey });
      const second = Object(await again());
      expect(second).toMatchObject({
        isReplayed: false,
        warnings: [expect.stringContaining(created.id)],
      });
      expect(await again()).toEqual({ ...second, isReplayed: true });
      for (const id of [created.id, second.id]) {
        await stage.value('webhookEndpoints.delete', id);
      }
    }),
  'creates, reads, changes and deactivates a payment link, in major units': async (stage) => {
    const id = `${newId()} / ማር`;
    const request = { paymentLinkUniqueId: id, title: 'White honey, 1 kg', amount: 450.5 };
    const created = Object(await stage.value('paymentLinks.create', request));
    expect(created).toMatchObject({
      ...request,
      url: expect.stringMatching(/^http:\/\/.*\/pay\//),
      isActive: true,
      isReplayed: false,
      warnings: [expect.stringContaining('M_PESA')],
    });
    const { isReplayed: _isReplayed, warnings: _warnings, ...link } = created;
    expect(await stage.value('paymentLinks.get', id)).toEqual(link);
    const sale = await stage.value('paymentLinks.update', id, { amount: 399 });
    expect(sale).toMatchObject({ amount: 399, title: request.title, url: link.url });
    // An array of PHP without keys is an object here.
    const open = { amount: null, openAmount: {}, askFor: {}, metadata: {} };
    expect(await stage.value('paymentLinks.update', id, open)).toMatchObject({
      amount: null,
      openAmount: { min: 1 },
      metadata: {},
    });
    for (const _time of ['first', 'again']) {
      const inactive = await stage.value('paymentLinks.deactivate', id);
      expect(inactive).toMatchObject({ paymentLinkUniqueId: id, isActive: false });
    }
    expect(await stage.value('paymentLinks.update', id, { isActive: true })).toMatchObject({
      isActive: true,
    });
    expect(await stage.error('paymentLinks.create', request)).toMatchObject({
      status: 409,
      code: 'duplicate_payment_link_id',
    });
    const missing = { status: 404, code: 'payment_link_not_found' };
    expect(await stage.error('paymentLinks.get', newId())).toMatchObject(missing);
    expect(await stage.error('paymentLinks.deactivate', newId())).toMatchObject(missing);
  },
  'creates one payment link when its answer is lost, and when another process repeats it': async (
    stage,
  ) => {
    const createdFrom = new Date().toISOString();
    const request = { title: 'Honey', amount: 450 };
    const options = { idempotencyKey: newId() };
    await stage.behind(['lost_answer'], async (client, flaky) => {
      const created = await client.value('paymentLinks.create', request, options);
      expect(created).toMatchObject({ ...request, isReplayed: true });
      expect(flaky.tries).toHaveLength(2);
      expect(flaky.tries[1]).toEqual(flaky.tries[0]);
      expect(await stage.value('paymentLinks.create', request, options)).toEqual(created);
    });
    expect(await stage.value('paymentLinks.list', { createdFrom })).toMatchObject({
      data: [request],
      hasMore: false,
    });
  },
  'lists payment links by state and time, page by page, and iterates over all': async (stage) => {
    const createdFrom = new Date().toISOString();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const paymentLinkUniqueId = newId();
      ids.unshift(paymentLinkUniqueId);
      const request = { paymentLinkUniqueId, title: 'Honey', amount: 450 };
      await stage.value('paymentLinks.create', request);
    }
    const [newest = '', ...active] = ids;
    await stage.value('paymentLinks.deactivate', newest);
    const named = (names: readonly string[]) =>
      names.map((paymentLinkUniqueId) => ({ paymentLinkUniqueId }));
    const inactive = await stage.value('paymentLinks.list', { isActive: false, createdFrom });
    expect(inactive).toMatchObject({ data: named([newest]), hasMore: false, nextCursor: null });
    const filter = { isActive: true, createdFrom, limit: 1 };
    const first = (await stage.value('paymentLinks.list', filter)) as Page;
    expect(first).toMatchObject({ data: named(active.slice(0, 1)), hasMore: true });
    const second = { ...filter, cursor: first.nextCursor };
    expect(await stage.value('paymentLinks.list', second)).toMatchObject({
      data: named(active.slice(1)),
      hasMore: false,
    });
    const all = await stage.value('paymentLinks.all', filter);
    expect(all).toMatchObject(named(active));
  },
  'lists the keys of signatures and the banks': async (stage) => {
    expect(await stage.value('webhookKeys.list')).toContainEqual(
      expect.objectContaining({ algorithm: 'SHA256withRSA', publicKey: expect.any(String) }),
    );
    expect(await stage.value('banks.list')).toContainEqual({
      code: expect.any(String),
      name: expect.any(String),
      supportsWithdrawal: expect.any(Boolean),
    });
  },
  'reads the headers of a webhook as any server has them': async (stage) => {
    const { rawBody, headers } = await receivedWebhook(stage);
    const { secret } = stage.scene.keys;
    const renamed = (name: (text: string) => string, value: (text: string) => unknown) =>
      Object.fromEntries(Object.entries(headers).map(([key, text]) => [name(key), value(text)]));
    const same = (text: string) => text;
    for (const sent of [
      renamed((name) => name.toUpperCase(), same),
      renamed((name) => name.replace('webhook', 'Webhook'), same),
      renamed(same, (text) => [text]),
    ]) {
      const webhook = [rawBody, sent, secret, stage.expected] as const;
      const { 'webhook-id': id } = headers;
      expect(await stage.value('verifyWebhook', ...webhook)).toMatchObject({ id });
    }
    const twice = renamed(same, (text) => [text, text]);
    const refused = await stage.error('verifyWebhook', rawBody, twice, secret, stage.expected);
    expect(refused).toMatchObject({ kind: 'webhook' });
  },
  'takes a webhook as old as its receiver allows': async (stage) => {
    const { rawBody } = await receivedWebhook(stage);
    const { secret } = stage.scene.keys;
    const old = new Date(Date.now() - 2 * WEBHOOK_AGE_SECONDS_MAX * 1_000);
    const webhook = [rawBody, resigned(rawBody, secret, old), secret, stage.expected] as const;
    const patient = { toleranceSeconds: 4 * WEBHOOK_AGE_SECONDS_MAX };
    expect(await stage.value('verifyWebhook', ...webhook, patient)).toMatchObject({ id: 'evt_1' });
    for (const toleranceSeconds of [undefined, WEBHOOK_AGE_SECONDS_MAX]) {
      const options = toleranceSeconds === undefined ? {} : { toleranceSeconds };
      const refused = await stage.error('verifyWebhook', ...webhook, options);
      expect(refused).toMatchObject({ kind: 'webhook' });
    }
    for (const toleranceSeconds of [0, -1, { $number: 'NaN' }, { $number: 'Infinity' }]) {
      const refused = await stage.error('verifyWebhook', ...webhook, { toleranceSeconds });
      expect([toleranceSeconds, refused]).toMatchObject([toleranceSeconds, { kind: 'argument' }]);
    }
  },
  'signs a webhook for the test of a receiver': async (stage) => {
    const { rawBody } = await receivedWebhook(stage);
    const envelope = JSON.parse(rawBody);
    const event = JSON.parse(envelope.body);
    const { secret } = stage.scene.keys;
    const at = new Date();
    const options = { id: 'evt_test', at: at.toISOString() };
    const signed = Object(await stage.value('signTestWebhook', event, secret, options));
    expect(signed.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': 'evt_test',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    const { signature: _signature, body: _body, ...about } = envelope;
    const { body, ...made } = JSON.parse(signed.rawBody);
    expect(made).toMatchObject(about);
    expect(JSON.parse(body)).toEqual(event);
    const webhook = [signed.rawBody, signed.headers, secret, stage.expected] as const;
    expect(await stage.value('verifyWebhook', ...webhook)).toMatchObject({
      id: 'evt_test',
      type: 'PAYMENT_SUCCESS',
      payment: { uniqueId: event.uniqueId },
    });
    const other = await stage.value('signTestWebhook', event, OTHER_SECRET, options);
    const forged = await stage.error(
      'verifyWebhook',
      ...[Object(other).rawBody, Object(other).headers, secret, stage.expected],
    );
    expect(forged).toMatchObject({ kind: 'webhook' });
  },
  'names itself and its version to the gateway': (stage) =>
    stage.behind([], async (client, flaky) => {
      const request = { paymentIntentUniqueId: newId(), refundUniqueId: newId() };
      expect(await client.error('refunds.create', request)).toMatchObject({ status: 404 });
      const [, name, version] = /^kefel-(\w+)\/(.*)$/.exec(flaky.tries[0]?.userAgent ?? '') ?? [];
      expect({ name, version }).toEqual({
        name: expect.stringMatching(/^(?:node|php|python|cli)$/),
        version: VERSION,
      });
    }),
  'creates a hosted payment and reads it by each of its ids': async (stage) => {
    const id = `${newId()} / ቡና`;
    const body = hostedBody({ paymentIntentUniqueId: id, amount: 150.5 });
    const created = await stage.value('payments.create', body);
    expect(created).toEqual({
      checkoutUrl: expect.stringMatching(/^http:\/\/.*\/checkout\//),
      isReplayed: false,
      warnings: [expect.stringContaining('M_PESA')],
    });
    const payment = await stage.value('payments.get', id);
    const { checkoutUrl } = Object(created);
    const read = { uniqueId: id, status: 'OPEN', totalAmount: 15_050, checkoutUrl };
    expect(payment).toMatchObject(read);
  },
  'repeats a call of another process with the same idempotency key': async (stage) => {
    const body = hostedBody();
    const options = { idempotencyKey: 'checkout-7' };
    const first = await stage.value('payments.create', body, options);
    expect(await stage.value('payments.create', body, options)).toEqual({
      ...Object(first),
      isReplayed: true,
    });
  },
  'throws an error with code, request and documentation for a repeated id': async (stage) => {
    const body = hostedBody();
    const { checkoutUrl } = Object(await stage.value('payments.create', body));
    const error = await stage.error('payments.create', body);
    expect(error).toEqual({
      kind: 'api',
      status: 409,
      code: DUPLICATE,
      message: expect.stringContaining('already exists'),
      requestId: expect.stringMatching(/./),
      docs: expect.stringMatching(new RegExp(`^http.*#${DUPLICATE}$`)),
      validationErrorCodes: {},
      retryAfterSeconds: null,
      payment: expect.objectContaining({ status: 'OPEN', checkoutUrl }),
    } satisfies ApiFailure);
  },
  'throws an error with the code of each field that broke a rule': async (stage) => {
    const items = [{ name: 'Coffee', quantity: 0, type: 'SERVICE', price: 10 }];
    const body = hostedBody({ items, returnUrl: 'shop', currency: undefined });
    expect(await stage.error('payments.create', body)).toMatchObject({
      status: 400,
      code: 'validation_failed',
      validationErrorCodes: {
        'items[0].quantity': expect.stringMatching(/^[a-z_]+$/),
        returnUrl: expect.stringMatching(/^[a-z_]+$/),
        currency: 'required',
      },
    });
  },
  'lists payments by metadata and time, page by page': async (stage) => {
    const metadata = { order: newId(), 'branch.name': 'ቦሌ & Kazanchis' };
    const createdFrom = new Date(Date.now() - LIST_FROM_MS).toISOString();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const id = newId();
      ids.unshift(id);
      await stage.value('payments.create', hostedBody({ paymentIntentUniqueId: id, metadata }));
    }
    const filter = { metadata, status: 'OPEN', createdFrom, limit: 2 };
    const first = await stage.page('payments.list', filter, ({ hasMore }) => hasMore);
    expect(first.data).toMatchObject(
      ids.slice(0, 2).map((uniqueId) => ({ uniqueId, status: 'OPEN', metadata })),
    );
    const last = await stage.value('payments.list', { ...filter, cursor: first.nextCursor });
    expect(last).toMatchObject({
      data: [{ uniqueId: ids[2] }],
      hasMore: false,
      nextCursor: null,
    });
    const unpaid = await stage.value('payments.list', { metadata, paidFrom: createdFrom });
    expect(unpaid).toMatchObject({ data: [] });
  },
  'throws an error for a filter that does not fit': async (stage) => {
    expect(await stage.error('payments.list', { status: 'LATE' })).toMatchObject({
      status: 400,
      validationErrorCodes: { status: expect.stringMatching(/^[a-z_]+$/) },
    });
  },
  'finds an event that its endpoint refused, and sends it again': async (stage) => {
    const since = new Date(Date.now() - LIST_FROM_MS).toISOString();
    const hook = stage.scene.server.endpoint(REFUSAL, OK);
    await stage.value('payments.express', expressBody({ callbackUrl: hook.url }));
    const id = (await hook.request(0)).headers['webhook-id'] ?? '';
    const filter = { deliveryState: 'dead', type: 'PAYMENT_SUCCESS', createdFrom: since };
    const listed = await stage.page('events.list', filter, ({ data }) =>
      data.some((event) => event.id === id),
    );
    expect(listed.data).toContainEqual(
      expect.objectContaining({ id, type: 'PAYMENT_SUCCESS', test: true }),
    );
    const payload = (await hook.request(0)).rawBody.toString();
    expect(await stage.value('events.get', id)).toMatchObject({ id, payload });
    expect(await stage.value('events.resend', id)).toMatchObject({ id });
    const again = await hook.request(1);
    expect(again.headers['webhook-id']).toBe(id);
    expect(await verified(stage, again)).toMatchObject({ id });
    expect(await stage.error('events.get', 'evt_none')).toMatchObject({
      code: 'event_not_found',
    });
  },
  'sends all undelivered events again': async (stage) => {
    const since = new Date().toISOString();
    const hook = stage.scene.server.endpoint(REFUSAL, OK);
    await stage.value('payments.express', expressBody({ callbackUrl: hook.url }));
    const id = (await hook.request(0)).headers['webhook-id'];
    await stage.page('events.list', { deliveryState: 'dead', createdFrom: since }, ({ data }) =>
      data.some((event) => event.id === id),
    );
    expect(await stage.value('events.resendUndelivered', since)).toEqual({
      resent: expect.any(Number),
      unreachable: 0,
      hasMore: false,
      nextCursor: null,
    });
    expect((await hook.request(1)).headers['webhook-id']).toBe(id);
  },
  'throws an error for a payment that does not exist': async (stage) => {
    expect(await stage.error('payments.get', newId())).toMatchObject({
      status: 404,
      code: 'payment_not_found',
    });
  },
  'cancels an open payment, and not one that has ended': async (stage) => {
    const open = newId();
    await stage.value('payments.create', hostedBody({ paymentIntentUniqueId: open }));
    expect(await stage.value('payments.cancel', open)).toMatchObject({
      status: 'CANCELED',
      checkoutUrl: null,
    });
    const { id } = await receivedWebhook(stage);
    expect(await stage.error('payments.cancel', id)).toMatchObject({ code: 'payment_ended' });
  },
  'charges a method directly and verifies the webhook': async (stage) => {
    const hook = stage.scene.server.endpoint();
    const id = newId();
    const body = expressBody({
      paymentIntentUniqueId: id,
      callbackUrl: hook.url,
      customerInfo: { name: 'አበበ ቢቂላ' },
    });
    expect(await stage.value('payments.express', body)).toMatchObject({
      status: 'SUCCESS',
      transactionId: expect.stringMatching(/^[A-Z0-9]{20}$/),
      failureReason: null,
      isReplayed: false,
    });
    const webhook = await hook.request(0);
    expect(await verified(stage, webhook)).toEqual({
      id: webhook.headers['webhook-id'],
      type: 'PAYMENT_SUCCESS',
      environment: 'sandbox',
      payment: expect.objectContaining({ uniqueId: id, status: 'SUCCESS', totalAmount: 2_550 }),
      refund: null,
    });
  },
  'refunds a paid payment, verifies the webhook of it, and sees it in the status': async (
    stage,
  ) => {
    const { id, hook } = await paidPayment(stage);
    const refundUniqueId = `${newId()} / ቡና`;
    const terms = { paymentIntentUniqueId: id, refundUniqueId, reason: 'ተመለሰ' };
    const refund = { ...terms, amountMinor: 2_550, returnedMinor: 2_550, failureReason: null };
    expect(await stage.value('refunds.create', terms)).toMatchObject({
      ...refund,
      status: 'PENDING',
      isReplayed: false,
    });
    const webhook = await hook.request(1);
    expect(await verified(stage, webhook)).toEqual({
      id: webhook.headers['webhook-id'],
      type: 'REFUND_SUCCESS',
      environment: 'sandbox',
      payment: expect.objectContaining({
        uniqueId: id,
        status: 'SUCCESS',
        refundedAmount: 2_550,
      }),
      refund: expect.objectContaining({ ...refund, status: 'SUCCESS' }),
    });
    expect(await stage.value('refunds.get', refundUniqueId)).toMatchObject({
      ...refund,
      status: 'SUCCESS',
    });
    expect(await stage.value('payments.get', id)).toMatchObject({
      status: 'SUCCESS',
      refundedAmount: 2_550,
      refunds: [{ ...refund, status: 'SUCCESS' }],
    });
  },
  'refunds a part, then the rest, and no more, and lists both': async (stage) => {
    const { id: paymentIntentUniqueId } = await paidPayment(stage);
    const part = { paymentIntentUniqueId, refundUniqueId: newId(), amountMinor: 1_050 };
    const rest = { paymentIntentUniqueId, refundUniqueId: newId() };
    expect(await stage.value('refunds.create', part)).toMatchObject({ amountMinor: 1_050 });
    expect(await stage.value('refunds.create', rest)).toMatchObject({ amountMinor: 1_500 });
    const more = { paymentIntentUniqueId, refundUniqueId: newId(), amountMinor: 1 };
    const refused = { status: 409, docs: expect.stringMatching(/#refund_too_large$/) };
    expect(await stage.error('refunds.create', more)).toMatchObject({
      ...refused,
      code: 'refund_too_large',
    });
    const createdFrom = new Date(Date.now() - LIST_FROM_MS).toISOString();
    const filter = { paymentIntentUniqueId, status: 'SUCCESS', createdFrom, limit: 1 };
    const first = await stage.page('refunds.list', filter, ({ hasMore }) => hasMore);
    const second = await stage.value('refunds.list', { ...filter, cursor: first.nextCursor });
    expect([first, second]).toMatchObject([
      { data: [{ refundUniqueId: rest.refundUniqueId, amountMinor: 1_500 }] },
      { data: [{ refundUniqueId: part.refundUniqueId, amountMinor: 1_050 }], hasMore: false },
    ]);
  },
  'sends nothing when the amount of a refund is no whole number': (stage) =>
    stage.behind([], async (client, flaky) => {
      for (const amountMinor of NO_AMOUNTS) {
        const request = { paymentIntentUniqueId: newId(), refundUniqueId: newId(), amountMinor };
        expect(await client.error('refunds.create', request)).toMatchObject({ kind: 'argument' });
      }
      expect(flaky.tries).toEqual([]);
    }),
  'makes one refund when its answer is lost, and when another process repeats it': async (
    stage,
  ) => {
    const { id } = await paidPayment(stage);
    const terms = { paymentIntentUniqueId: id, refundUniqueId: newId(), amountMinor: 1_000 };
    const options = { idempotencyKey: `refund-${id}` };
    await stage.behind(['lost_answer'], async (client, flaky) => {
      expect(await client.value('refunds.create', terms, options)).toMatchObject({
        status: 'PENDING',
        isReplayed: true,
      });
      expect(flaky.tries).toHaveLength(2);
      expect(flaky.tries[1]).toEqual(flaky.tries[0]);
    });
    expect(await stage.value('refunds.create', terms, options)).toMatchObject({
      isReplayed: true,
    });
    expect(await stage.error('refunds.create', terms)).toMatchObject({
      status: 409,
      code: 'duplicate_refund_id',
    });
    const { refunds } = Object(await stage.value('payments.get', id));
    expect(refunds).toMatchObject([{ refundUniqueId: terms.refundUniqueId, amountMinor: 1_000 }]);
  },
  'cancels a refund that waits, and not one that failed': async (stage) => {
    const { id: paymentIntentUniqueId, hook } = await paidPayment(stage, 200);
    const [waiting, declined] = [newId(), newId()];
    const create = (refundUniqueId: string, amountMinor: number) =>
      stage.value('refunds.create', { paymentIntentUniqueId, refundUniqueId, amountMinor });
    // These amounts have a fixed outcome: docs/sandbox.md#refunds.
    await create(waiting, 10_026);
    for (const _time of ['first', 'again']) {
      expect(await stage.value('refunds.cancel', waiting)).toMatchObject({ status: 'CANCELED' });
    }
    await create(declined, 10_022);
    expect(await verified(stage, await hook.request(1))).toMatchObject({
      type: 'REFUND_FAILED',
      payment: { status: 'SUCCESS', refundedAmount: 0 },
      refund: { refundUniqueId: declined, status: 'FAILED', failureReason: 'declined' },
    });
    expect(await stage.error('refunds.cancel', declined)).toMatchObject({
      status: 409,
      code: 'refund_not_cancelable',
    });
    expect(await stage.error('refunds.get', newId())).toMatchObject({
      status: 404,
      code: 'refund_not_found',
    });
  },
  'refuses webhooks that are forged, changed or old': async (stage) => {
    const { rawBody, headers } = await receivedWebhook(stage);
    const { secret } = stage.scene.keys;
    const signature = headers['webhook-signature'] ?? '';
    const old = new Date(Date.now() - (WEBHOOK_AGE_SECONDS_MAX + 60) * 1_000);
    const early = new Date(Date.now() + (WEBHOOK_AGE_SECONDS_MAX + 60) * 1_000);
    const forgeries: readonly (readonly [string, object, string, object?])[] = [
      [`${rawBody} `, headers, secret],
      [`\uFEFF${rawBody}`, headers, secret],
      [rawBody, headers, OTHER_SECRET],
      [rawBody, headers, 'whsec_?'],
      [rawBody, signedWithEmptyKey(rawBody), ''],
      [rawBody, signedWithEmptyKey(rawBody), 'whsec_'],
      [rawBody, {}, secret],
      [rawBody, { ...headers, 'webhook-id': 'evt_other' }, secret],
      [rawBody, { ...headers, 'webhook-signature': '' }, secret],
      [rawBody, { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }, secret],
      [rawBody, { ...headers, 'webhook-signature': 'v1,ä' }, secret],
      [rawBody, { ...headers, 'webhook-timestamp': 'now' }, secret],
      [rawBody, resigned(rawBody, secret, old), secret],
      [rawBody, resigned(rawBody, secret, early), secret],
      [rawBody, headers, secret, { ...stage.expected, merchantId: 'another' }],
      [rawBody, headers, secret, { ...stage.expected, merchantId: '' }],
      [rawBody, headers, secret, { ...stage.expected, environment: 'production' }],
    ];
    for (const [body, sent, key, expected = stage.expected] of forgeries) {
      const refused = await stage.error('verifyWebhook', body, sent, key, expected);
      expect(refused).toMatchObject({ kind: 'webhook' });
    }
  },
  'refuses a signed body that is not a webhook': async (stage) => {
    const { secret } = stage.scene.keys;
    for (const rawBody of NO_WEBHOOKS) {
      const headers = resigned(rawBody, secret, new Date());
      const webhook = [rawBody, headers, secret, stage.expected] as const;
      const error = await stage.error('verifyWebhook', ...webhook);
      expect([rawBody, error]).toMatchObject([rawBody, { kind: 'webhook' }]);
    }
  },
  'refuses a genuine event of another merchant, even if both had one secret': async (stage) => {
    const hook = stage.scene.server.endpoint();
    const { baseUrl, merchant } = stage.scene.gateway;
    const other = new MerchantApi(baseUrl, merchant.sandboxApiKey, 'sandbox');
    await other.express(expressBody({ callbackUrl: hook.url }));
    const { rawBody, headers } = await hook.request(0);
    const { secret } = stage.scene.keys;
    const text = rawBody.toString();
    for (const sent of [headers, resigned(text, secret, new Date())]) {
      const refused = await stage.error('verifyWebhook', text, sent, secret, stage.expected);
      expect(refused).toMatchObject({ kind: 'webhook' });
    }
  },
  'accepts an event from before bodies named their merchant, by its secret': async (stage) => {
    const { rawBody } = await receivedWebhook(stage);
    const envelope = JSON.parse(rawBody);
    const { merchantId: _id, environment: _environment, ...old } = JSON.parse(envelope.body);
    const text = JSON.stringify({ ...envelope, body: JSON.stringify(old) });
    const { secret } = stage.scene.keys;
    const headers = resigned(text, secret, new Date());
    const webhook = [text, headers, secret] as const;
    expect(await stage.value('verifyWebhook', ...webhook, stage.expected)).toMatchObject({
      environment: 'sandbox',
      payment: old,
    });
    const production = { ...stage.expected, environment: 'production' };
    const refused = await stage.error('verifyWebhook', ...webhook, production);
    expect(refused).toMatchObject({ kind: 'webhook' });
  },
  'warns unless it knows the merchant and the environment': async (stage) => {
    const { rawBody, headers } = await receivedWebhook(stage);
    const webhook = [rawBody, headers, stage.scene.keys.secret] as const;
    const warnings = (...expected: readonly object[]) =>
      stage.value('verifyWebhook.warnings', ...webhook, ...expected);
    expect(await warnings(stage.expected)).toEqual([]);
    expect(await warnings()).toEqual([expect.stringMatching(/merchant_?id.*environment/i)]);
  },
  'accepts a webhook that is signed with two secrets': async (stage) => {
    const { rawBody } = await receivedWebhook(stage);
    const { secret } = stage.scene.keys;
    const headers = resigned(rawBody, secret, new Date());
    const other = resigned(rawBody, OTHER_SECRET, new Date())['webhook-signature'];
    const both = { ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` };
    const webhook = [rawBody, both, secret, stage.expected] as const;
    expect(await stage.value('verifyWebhook', ...webhook)).toMatchObject({
      id: 'evt_1',
      type: 'PAYMENT_SUCCESS',
    });
  },
  ...survives(['unavailable', 'lost_request'], false),
  ...survives(['lost_answer'], true),
  ...survives(['silence'], false),
  'charges once when the answer to an express payment is lost': (stage) =>
    stage.behind(['lost_answer'], async (client, flaky) => {
      const body = expressBody();
      expect(await client.value('payments.express', body)).toMatchObject({
        status: 'SUCCESS',
        isReplayed: true,
      });
      expect(flaky.tries).toHaveLength(2);
    }),
  'leaves a long wait to the caller': (stage) =>
    stage.behind(['unavailable_for_long'], async (client, flaky) => {
      expect(await client.error('payments.create', hostedBody())).toMatchObject({
        status: 503,
        retryAfterSeconds: 3_600,
      });
      expect(flaky.tries).toHaveLength(1);
    }),
  'takes its key to no other address': (stage) =>
    stage.behind(['redirect'], async (client, flaky) => {
      const error = await client.error('payments.get', newId());
      expect(error).toMatchObject({ status: 302, code: 'unknown' });
      expect(flaky.tries).toHaveLength(1);
    }),
  'gives up after four tries, and says whether an answer came': async (stage) => {
    const noAnswer = Array.from({ length: 4 }, () => 'lost_request' as const);
    await stage.behind(noAnswer, async (client, flaky) => {
      expect(await client.error('payments.create', hostedBody())).toMatchObject({
        kind: 'connection',
      });
      expect(flaky.tries).toHaveLength(4);
    });
    const busy = Array.from({ length: 4 }, () => 'unavailable' as const);
    await stage.behind(busy, async (client, flaky) => {
      expect(await client.error('payments.create', hostedBody())).toMatchObject({
        status: 503,
        code: 'unknown',
        retryAfterSeconds: 1,
      });
      expect(flaky.tries).toHaveLength(4);
    });
  },
};

/** For clients whose language does not check the names in a request. */
export const NAME_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'sends nothing with a field that no request has, and names the nearest one': (stage) =>
    stage.behind([], async (client, flaky) => {
      const ids = { paymentIntentUniqueId: newId(), refundUniqueId: newId() };
      for (const [call, body, wrong, right] of [
        [
          'payments.create',
          hostedBody({ callback_url: 'https://shop.example.com/' }),
          'callback_url',
          'callbackUrl',
        ],
        [
          'payments.express',
          expressBody({ phonenumber: '0911223344' }),
          'phonenumber',
          'phoneNumber',
        ],
        ['refunds.create', { ...ids, amountMinr: 100 }, 'amountMinr', 'amountMinor'],
        ['webhookEndpoints.create', { url: 'https://shop.example.com/', events: [] }, 'events', ''],
        ['paymentLinks.create', { title: 'Honey', amuont: 450 }, 'amuont', 'amount'],
      ] as const) {
        const error = Object(await client.error(call, body));
        expect([call, error.kind]).toEqual([call, 'argument']);
        expect(error.message).toContain(wrong);
        expect(error.message).toContain(right);
      }
      expect(flaky.tries).toEqual([]);
    }),
};
