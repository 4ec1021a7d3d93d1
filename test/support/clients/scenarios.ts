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
import type { ApiFailure, Driver, SpecialNumber } from './driver.ts';
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

const UNKNOWN_LIVE_KEY = `kfl_live_${'0'.repeat(49)}`;

interface Page {
  readonly data: readonly { readonly id?: string }[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** A client, and the merchant whose key it has. */
export class Stage {
  readonly scene: Scene;
  readonly #driver: Driver;
  readonly #baseUrl: string;
  readonly #timeoutSeconds: number;
  readonly #apiKey: string;

  constructor(
    driver: Driver,
    scene: Scene,
    baseUrl = scene.gateway.baseUrl,
    timeoutSeconds = TIMEOUT_SECONDS,
    apiKey = scene.merchant.sandboxApiKey,
  ) {
    this.#apiKey = apiKey;
    this.#driver = driver;
    this.scene = scene;
    this.#baseUrl = baseUrl;
    this.#timeoutSeconds = timeoutSeconds;
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
    const flaky = new FlakyGateway(this.#baseUrl, faults);
    const timeoutSeconds = faults.includes('silence') ? SHORT_TIMEOUT_SECONDS : TIMEOUT_SECONDS;
    try {
      const baseUrl = await flaky.start();
      await play(new Stage(this.#driver, this.scene, baseUrl, timeoutSeconds), flaky);
    } finally {
      flaky.stop();
    }
  }

  /** The same client with a key of production. */
  live(baseUrl?: string): Stage {
    return new Stage(this.#driver, this.scene, baseUrl, TIMEOUT_SECONDS, UNKNOWN_LIVE_KEY);
  }

  #run(call: string, args: readonly unknown[]) {
    const client = {
      apiKey: this.#apiKey,
      baseUrl: this.#baseUrl,
      timeoutSeconds: this.#timeoutSeconds,
    };
    return this.#driver.run({ call, args, client });
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
        expect(created).toEqual({ checkoutUrl: expect.stringContaining('/checkout/'), isReplayed });
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
      const refused = await stage.live(baseUrl).error('payments.get', 'order-1');
      expect(refused).toEqual({ kind: 'argument' });
    }
    const local = await stage.live().error('payments.get', 'order-1');
    expect(local).toMatchObject({ kind: 'api', status: 401 });
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
    });
    const payment = await stage.value('payments.get', id);
    expect(payment).toMatchObject({ uniqueId: id, status: 'OPEN', totalAmount: 15_050 });
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
    await stage.value('payments.create', body);
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
    expect(await stage.value('payments.cancel', open)).toMatchObject({ status: 'CANCELED' });
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
        expect(await client.error('refunds.create', request)).toEqual({ kind: 'argument' });
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
      expect(refused).toEqual({ kind: 'webhook' });
    }
  },
  'refuses a signed body that is not a webhook': async (stage) => {
    const { secret } = stage.scene.keys;
    for (const rawBody of NO_WEBHOOKS) {
      const headers = resigned(rawBody, secret, new Date());
      const webhook = [rawBody, headers, secret, stage.expected] as const;
      const error = await stage.error('verifyWebhook', ...webhook);
      expect([rawBody, error]).toEqual([rawBody, { kind: 'webhook' }]);
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
      expect(refused).toEqual({ kind: 'webhook' });
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
    expect(refused).toEqual({ kind: 'webhook' });
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
      expect(await client.error('payments.create', hostedBody())).toEqual({ kind: 'connection' });
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
