import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NamedKey } from '../../src/config.ts';
import { seal } from '../../src/crypto/sealed.ts';
import type { Tenant } from '../../src/domain/intent.ts';
import type {
  ChosenEndpoint,
  ClaimedDelivery,
  DeliveryId,
  DeliveryMessage,
  DeliveryReport,
} from '../../src/intent/protocol.ts';
import {
  consumeDeliveries,
  DELIVERIES_PER_ENDPOINT_MIN,
  DELIVERIES_PER_TENANT_MAX,
  FULL_WAIT_MS,
} from '../../src/webhooks/consume.ts';
import type { WebhookEndpoint } from '../../src/webhooks/endpoints.ts';
import {
  forgetWebhookSettings,
  webhookSecretContext,
  webhookSettings,
} from '../../src/webhooks/settings.ts';
import { DeliverySlots, SLOT_LEASE_MS } from '../../src/webhooks/slots.ts';
import {
  ANSWER_BYTES_MAX,
  EXCERPT_BYTES_MAX,
  sendWebhook,
  TRY_TIMEOUT_MS,
  type WebhookRequest,
} from '../../src/webhooks/transport.ts';
import { testSecrets } from '../support/secrets.ts';

const servers: Server[] = [];

beforeEach(forgetWebhookSettings);

afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** A merchant's server on a real socket. */
async function merchant(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`);
}

function send(url: URL, more: Partial<WebhookRequest> = {}) {
  return sendWebhook({
    url,
    headers: { 'webhook-id': 'evt_1' },
    requestBody: '{"a":"ብር"}',
    now: () => Date.now(),
    ...more,
  });
}

describe('one webhook request (decisions.md#18)', () => {
  test('is a JSON POST with our name, the given headers and the exact bytes', async () => {
    const seen: Record<string, unknown> = {};
    const url = await merchant(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk);
      }
      Object.assign(seen, {
        method: request.method,
        url: request.url,
        contentType: request.headers['content-type'],
        userAgent: request.headers['user-agent'],
        webhookId: request.headers['webhook-id'],
        body: Buffer.concat(chunks).toString('utf8'),
      });
      response.writeHead(202).end('thanks');
    });
    expect(await send(url)).toEqual({
      httpStatus: 202,
      error: null,
      durationMs: expect.any(Number),
      answerExcerpt: 'thanks',
      retryAfterMs: null,
    });
    expect(seen).toEqual({
      method: 'POST',
      url: '/hook?a=1',
      contentType: 'application/json',
      userAgent: 'Kefel-Webhooks/1',
      webhookId: 'evt_1',
      body: '{"a":"ብር"}',
    });
  });

  test('accepts 204 without a body', async () => {
    const url = await merchant((_request, response) => response.writeHead(204).end());
    expect(await send(url)).toMatchObject({ httpStatus: 204, error: null, answerExcerpt: '' });
  });

  test('measures its time with the given clock', async () => {
    const url = await merchant((_request, response) => response.end());
    let nowMs = 1_000;
    const now = () => {
      nowMs += 7;
      return nowMs;
    };
    expect((await send(url, { now })).durationMs).toBe(7);
  });

  test.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    let calls = 0;
    const url = await merchant((_request, response) => {
      calls += 1;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await send(url)).toMatchObject({ httpStatus: status, error: null });
    expect(calls).toBe(1);
  });

  test.each([400, 404, 410, 500, 503])('reports a %i', async (status) => {
    const url = await merchant((_request, response) => response.writeHead(status).end('no'));
    expect(await send(url)).toMatchObject({
      httpStatus: status,
      error: null,
      answerExcerpt: 'no',
    });
  });
});

describe('Retry-After (decisions.md#18)', () => {
  const nowMs = Date.UTC(2026, 10, 17, 9, 30, 0);

  test.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['Tue, 17 Nov 2026 09:31:30 GMT', 90_000],
    ['Tuesday, 17-Nov-26 09:31:30 GMT', 90_000],
    ['Tue, 17 Nov 2026 09:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['2026-11-17', null],
    ['99999999999999999999', null],
  ])('%j is %s ms', async (retryAfter, expected) => {
    const url = await merchant((_request, response) =>
      response.writeHead(429, { 'retry-after': retryAfter }).end(),
    );
    expect(await send(url, { now: () => nowMs })).toMatchObject({
      httpStatus: 429,
      retryAfterMs: expected,
    });
  });

  test('is null when absent', async () => {
    const url = await merchant((_request, response) => response.writeHead(503).end());
    expect((await send(url)).retryAfterMs).toBeNull();
  });
});

describe("a merchant's server that does not answer (decisions.md#18)", () => {
  test('has 15 s', () => {
    expect(TRY_TIMEOUT_MS).toBe(15_000);
  });

  test('fails when nothing arrives', async () => {
    const url = await merchant(() => undefined);
    const answer = await send(url, { timeoutMs: 100 });
    expect(answer).toMatchObject({ httpStatus: null, error: 'no answer within 0.1 s' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(90);
    expect(answer.durationMs).toBeLessThan(TRY_TIMEOUT_MS);
  });

  test('but sent a status has answered, even if the body never ends', async () => {
    const url = await merchant((_request, response) => {
      response.writeHead(200);
      response.write('so far');
    });
    const answer = await send(url, { timeoutMs: 150 });
    expect(answer).toMatchObject({ httpStatus: 200, error: null, answerExcerpt: 'so far' });
    expect(answer.durationMs).toBeLessThan(TRY_TIMEOUT_MS);
  });

  test('has answered with an endless body, also where fetch ignores the signal while reading it', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('so far')),
    });
    const fetcher = async () => new Response(body, { status: 200 });
    const url = new URL('https://example.com/');
    expect(await send(url, { timeoutMs: 100, fetcher })).toMatchObject({
      httpStatus: 200,
      answerExcerpt: 'so far',
    });
  });

  test('has answered when its answer begins at the last moment', async () => {
    const body = new ReadableStream<Uint8Array>();
    const fetcher: typeof fetch = async (_url, { signal } = {}) => {
      await vi.waitFor(() => expect(signal?.aborted).toBe(true));
      return new Response(body, { status: 200 });
    };
    const url = new URL('https://example.com/');
    const answer = await send(url, { timeoutMs: 50, fetcher });
    expect(answer).toMatchObject({ httpStatus: 200, error: null, answerExcerpt: '' });
  });

  test('or breaks off in the body has answered', async () => {
    const url = await merchant((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    expect(await send(url)).toMatchObject({ httpStatus: 200, error: null });
  });

  test('or refuses the connection gets an error in our own words', async () => {
    const url = await merchant(() => undefined);
    const server = servers.pop();
    server?.close();
    await once(server ?? process, 'close');
    expect(await send(url)).toMatchObject({
      httpStatus: null,
      error: 'connection failed',
      answerExcerpt: '',
      retryAfterMs: null,
    });
  });

  test('or speaks no HTTP is a failed connection', async () => {
    const url = await merchant((request) => request.socket.end('garbage\r\n\r\n'));
    expect(await send(url)).toMatchObject({ httpStatus: null, error: 'connection failed' });
  });
});

describe('the stored answer (decisions.md#18)', () => {
  test('that is endless is read up to 64 KiB and canceled', async () => {
    let pulledBytes = 0;
    let canceled = false;
    const chunk = new Uint8Array(4096).fill(0x61);
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          pulledBytes += chunk.length;
          controller.enqueue(chunk);
        },
        cancel: () => {
          canceled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const fetcher = async () => new Response(body, { status: 500 });
    const answer = await send(new URL('https://example.com/'), { fetcher });
    expect(answer).toMatchObject({
      httpStatus: 500,
      answerExcerpt: 'a'.repeat(EXCERPT_BYTES_MAX),
    });
    expect([pulledBytes, canceled]).toEqual([ANSWER_BYTES_MAX, true]);
  });

  test('that is endless on a real connection closes the connection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const url = await merchant((_request, response) => {
      closed = once(response, 'close');
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) {
          // Until the buffers are full.
        }
      };
      response.on('drain', pour);
      pour();
    });
    const answer = await send(url);
    expect(answer).toMatchObject({ httpStatus: 200, error: null });
    expect(answer.answerExcerpt).toBe('x'.repeat(1024));
    await closed;
  });

  test('that is binary becomes valid text of at most 1 KiB without control characters', async () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_value, index) => (index * 7) % 256));
    const url = await merchant((_request, response) => response.end(bytes));
    const { answerExcerpt } = await send(url);
    expect(Buffer.byteLength(answerExcerpt)).toBeLessThanOrEqual(EXCERPT_BYTES_MAX);
    expect(answerExcerpt.isWellFormed()).toBe(true);
    expect(answerExcerpt).not.toMatch(/(?![\t\n])\p{Cc}/u);
    expect(answerExcerpt).not.toBe('');
  });

  test('loses control characters, but keeps tabs and newlines', async () => {
    const url = await merchant((_request, response) =>
      response.end('a\u0000b\u001b[31mc\r\n\td\u007f\u0085e'),
    );
    expect((await send(url)).answerExcerpt).toBe('ab[31mc\n\tde');
  });

  test('is not cut inside a character', async () => {
    const url = await merchant((_request, response) => response.end('ብ'.repeat(1_000)));
    expect((await send(url)).answerExcerpt).toBe('ብ'.repeat(341));
  });
});

const variables = testSecrets();
const tenant: Tenant = { environment: 'sandbox', merchantId: 'm1' };
const dataKey: NamedKey = { keyId: 't1', base64: Buffer.alloc(32, 2).toString('base64') };
const secret = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;

const ENDPOINT: WebhookEndpoint = {
  endpointId: 'we_1',
  url: 'https://shop.example.com/hook',
  eventTypes: [],
  isEnabled: true,
  signatureHeader: null,
};

/** SQLite behind the few D1 calls that we make; counts them. */
function database() {
  const sqlite = new DatabaseSync(':memory:');
  sqlite.exec(readFileSync('migrations/0001_baseline.sql', 'utf8'));
  const calls = { queries: 0 };
  const prepare = (sql: string) => ({
    bind: (...values: (string | number | null)[]) => ({
      all: async () => {
        calls.queries += 1;
        return { results: sqlite.prepare(sql).all(...values), meta: { changes: 0 } };
      },
    }),
  });
  const batch = (statements: ReturnType<ReturnType<typeof prepare>['bind']>[]) =>
    Promise.all(statements.map((statement) => statement.all()));
  const d1 = { prepare, batch };
  const addEndpoint = (endpoint: Partial<WebhookEndpoint>, of: Tenant = tenant) => {
    const added = { ...ENDPOINT, ...endpoint };
    const insert = sqlite.prepare(
      "INSERT INTO webhook_endpoints VALUES (?, ?, ?, ?, ?, '', ?, ?, 1, '2026-11-23')",
    );
    const types = JSON.stringify(added.eventTypes);
    const { endpointId, url, isEnabled, signatureHeader } = added;
    const { merchantId, environment: where } = of;
    insert.run(endpointId, merchantId, where, url, types, Number(isEnabled), signatureHeader);
  };
  const addHeader = (name: string, { merchantId, environment: where }: Tenant = tenant) => {
    const insert = sqlite.prepare('INSERT INTO webhook_callback_settings VALUES (?, ?, ?)');
    insert.run(merchantId, where, name);
  };
  const addSecret = async (
    plaintext: string,
    createdAtMs: number,
    expiresAtMs: number | null = null,
    of: Tenant = tenant,
    endpointId: string | null = null,
    context: string = webhookSecretContext(of, endpointId),
  ) => {
    const sealed = await seal([dataKey], plaintext, context);
    sqlite
      .prepare('INSERT INTO webhook_secrets VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(plaintext, of.merchantId, of.environment, endpointId, sealed, createdAtMs, expiresAtMs);
  };
  return { d1, calls, addEndpoint, addHeader, addSecret };
}

/** An object that hands out one delivery once and stores the report. */
function paymentObject(delivery: Partial<ClaimedDelivery> | null) {
  const reports: DeliveryReport[] = [];
  const claims: number[] = [];
  const stub = {
    claimDelivery: async ({ sequence }: DeliveryId, endpoints: readonly ChosenEndpoint[]) => {
      claims.push(sequence);
      return delivery === null || claims.length > 1
        ? { type: 'refused' }
        : {
            type: 'claimed',
            delivery: {
              claimId: 'claim-1',
              eventId: 'evt_1',
              tenant,
              callbackUrl: null,
              endpointId: endpoints[0]?.endpointId ?? null,
              ownOrigin: 'http://localhost:8787',
              fault: null,
              requestBody: '{"webHookEvent":"PAYMENT_SUCCESS"}',
              ...delivery,
            },
          };
    },
    reportDelivery: async (report: DeliveryReport) => {
      reports.push(report);
    },
  };
  return { stub, reports, claims };
}

function environment(stub: unknown, d1: unknown, more: Record<string, string> = {}): Env {
  const env: unknown = {
    ...variables,
    PUBLIC_BASE_URL: '',
    EXPIRE_IN_SECONDS_MIN: '5',
    EXPIRE_IN_SECONDS_MAX: '31622400',
    CALLBACK_HTTPS_ONLY: 'false',
    LOCAL_CALLBACKS: 'true',
    RATE_LIMITS: 'off',
    REFUND_COMMISSION: 'return',
    SECOND_OPERATOR_ABOVE: 'off',
    DB: d1,
    PAYMENT_INTENT: { idFromString: (id: string) => id, get: () => stub },
    ...more,
  };
  return env as Env;
}

/** Runs the consumer over messages; `settled` waits for the work it left in waitUntil. */
async function consume(
  env: Env,
  queue: string,
  messages: readonly DeliveryMessage[],
  { attempts = 3 } = {},
) {
  const waiting: Promise<unknown>[] = [];
  const fates: string[] = messages.map(() => 'forgotten');
  const batch: unknown = {
    queue,
    messages: messages.map((body, index) => ({
      body,
      attempts,
      ack: () => {
        fates[index] = 'acked';
      },
      retry: (options: { delaySeconds: number }) => {
        fates[index] = `again in ${options.delaySeconds} s`;
      },
    })),
  };
  const ctx: unknown = { waitUntil: (promise: Promise<unknown>) => waiting.push(promise) };
  await consumeDeliveries(batch as MessageBatch<DeliveryMessage>, env, ctx as ExecutionContext);
  return { fates, settled: () => Promise.all(waiting) };
}

const message: DeliveryMessage = {
  objectId: 'a'.repeat(64),
  sequence: 3,
  position: 0,
  tenant,
  endpointId: null,
  mustChoose: false,
  eventType: 'payment_succeeded',
};
/** Of a payment without a callbackUrl. */
const choosing: DeliveryMessage = { ...message, mustChoose: true };

describe('webhook settings (decisions.md#17, #19)', () => {
  const startMs = 1_000_000;

  test("are the tenant's own: endpoints and secrets in force, newest first", async () => {
    const { d1, addEndpoint, addHeader, addSecret } = database();
    addHeader('x-plugin');
    addHeader('x-other', { ...tenant, environment: 'production' });
    addHeader('x-other', { ...tenant, merchantId: 'm2' });
    addEndpoint({ eventTypes: ['PAYMENT_FAILED'], isEnabled: false, signatureHeader: 'x-shop' });
    addEndpoint({ endpointId: 'we_2' });
    addEndpoint({ endpointId: 'we_3' }, { ...tenant, environment: 'production' });
    await addSecret(secret(6), 6, null, tenant, 'we_1');
    await addSecret(secret(7), 7, null, tenant, 'we_1');
    await addSecret(secret(1), 1, startMs + 1);
    await addSecret(secret(2), 2);
    await addSecret(secret(3), 3, startMs);
    await addSecret(secret(4), 4, null, { ...tenant, environment: 'production' });
    await addSecret(secret(5), 5, null, { ...tenant, merchantId: 'm2' });
    expect(await webhookSettings(environment(null, d1), tenant, startMs)).toEqual({
      secrets: [secret(2), secret(1)],
      signatureHeader: 'x-plugin',
      endpoints: new Map([
        [
          'we_1',
          {
            ...ENDPOINT,
            eventTypes: ['PAYMENT_FAILED'],
            isEnabled: false,
            signatureHeader: 'x-shop',
            secrets: [secret(7), secret(6)],
          },
        ],
        ['we_2', { ...ENDPOINT, endpointId: 'we_2', secrets: [] }],
      ]),
      failing: new Map(),
    });
  });

  test('are empty for a merchant without any', async () => {
    const settings = await webhookSettings(environment(null, database().d1), tenant, startMs);
    expect(settings).toEqual({
      secrets: [],
      signatureHeader: null,
      endpoints: new Map(),
      failing: new Map(),
    });
  });

  test('are cached for 5 s, with one query each', async () => {
    const { d1, calls, addEndpoint } = database();
    const env = environment(null, d1);
    await webhookSettings(env, tenant, startMs);
    addEndpoint({});
    expect((await webhookSettings(env, tenant, startMs + 4_999)).endpoints.size).toBe(0);
    expect(calls.queries).toBe(1);
    expect((await webhookSettings(env, tenant, startMs + 5_000)).endpoints.size).toBe(1);
    expect(calls.queries).toBe(2);
  });

  test('are cached for each merchant and environment', async () => {
    const { d1, addSecret } = database();
    const env = environment(null, d1);
    const tenants: readonly Tenant[] = [
      tenant,
      { ...tenant, merchantId: 'm2' },
      { ...tenant, environment: 'production' },
    ];
    for (const [index, owner] of tenants.entries()) {
      await addSecret(secret(index), index, null, owner);
    }
    for (const [index, owner] of tenants.entries()) {
      expect((await webhookSettings(env, owner, startMs)).secrets).toEqual([secret(index)]);
    }
  });

  test.each([
    ['another tenant', webhookSecretContext({ ...tenant, merchantId: 'm2' })],
    ['another endpoint', webhookSecretContext(tenant, 'we_2')],
    ['the environment', webhookSecretContext(tenant)],
  ])(
    'contain no secret that was copied from %s, and the log does not show it',
    async (_name, stolen) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const { d1, addEndpoint, addSecret } = database();
      addEndpoint({});
      await addSecret(secret(1), 1, null, tenant, 'we_1', stolen);
      const settings = await webhookSettings(environment(null, d1), tenant, startMs);
      expect(settings.endpoints.get('we_1')?.secrets).toEqual([]);
      expect(logged).toHaveBeenCalledOnce();
      expect(String(logged.mock.calls[0])).not.toContain('whsec');
    },
  );
});

describe('a delivery from claim to report (decisions.md#18, #19; promises.md#6)', () => {
  test('is signed with every secret, sent and reported; the message is acknowledged at once', async () => {
    const seen: { body?: string; headers?: Record<string, string> } = {};
    const url = await merchant(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk);
      }
      seen.body = Buffer.concat(chunks).toString('utf8');
      seen.headers = request.headers as Record<string, string>;
      response.writeHead(200).end('ok');
    });
    const { d1, calls, addSecret } = database();
    await addSecret(secret(1), 1);
    await addSecret(secret(2), 2);
    const { stub, reports } = paymentObject({ callbackUrl: url.href });
    const { fates, settled } = await consume(environment(stub, d1), 'q-signed', [message]);
    expect([fates, reports]).toEqual([['acked'], []]);
    await settled();
    expect(reports).toEqual([
      {
        sequence: 3,
        position: 0,
        claimId: 'claim-1',
        outcome: { type: 'delivered' },
        log: {
          atMs: expect.any(Number),
          durationMs: expect.any(Number),
          httpStatus: 200,
          error: null,
          answerExcerpt: 'ok',
        },
      },
    ]);
    for (const known of [secret(1), secret(2)]) {
      expect(new Webhook(known).verify(seen.body ?? '', seen.headers ?? {})).toEqual({
        webHookEvent: 'PAYMENT_SUCCESS',
      });
    }
    // D1 only reads the settings: a first success has nothing to record.
    expect(calls.queries).toBe(1);
  });

  test("goes to the merchant's endpoint without callbackUrl, and is unsigned without a secret", async () => {
    let signature: unknown = 'not called';
    const url = await merchant((request, response) => {
      signature = request.headers['webhook-signature'];
      response.end();
    });
    const { d1, addEndpoint } = database();
    addEndpoint({ url: url.href });
    const { stub, reports } = paymentObject({});
    await (await consume(environment(stub, d1), 'q-setting', [choosing])).settled();
    expect(reports[0]?.outcome).toEqual({ type: 'delivered' });
    expect(signature).toBeUndefined();
  });

  test.each([
    [299, { type: 'delivered' }],
    [300, { type: 'failed', retryAfterMs: 60_000 }],
    [302, { type: 'failed', retryAfterMs: 60_000 }],
    [404, { type: 'failed', retryAfterMs: 60_000 }],
    [410, { type: 'gone' }],
    [429, { type: 'failed', retryAfterMs: 60_000 }],
    [500, { type: 'failed', retryAfterMs: 60_000 }],
  ])('that is answered by %i reports %j', async (status, outcome) => {
    const url = await merchant((_request, response) =>
      response.writeHead(status, { 'retry-after': '60' }).end(),
    );
    const { stub, reports } = paymentObject({ callbackUrl: url.href });
    await (await consume(environment(stub, database().d1), 'q-outcome', [message])).settled();
    expect(reports[0]).toMatchObject({ outcome, log: { httpStatus: status, error: null } });
  });

  test('without any address is reported as such', async () => {
    const { stub, reports } = paymentObject({});
    await (await consume(environment(stub, database().d1), 'q-none', [choosing])).settled();
    expect(reports[0]).toMatchObject({
      outcome: { type: 'no_destination' },
      log: { httpStatus: null, error: 'no callbackUrl takes it and no endpoint is enabled' },
    });
  });

  test.each([
    ['http://10.0.0.1/', {}, 'not sent: host is an IP address'],
    ['http://localhost:8787/', {}, 'not sent: host is Kefel itself'],
    ['http://localhost:1/', { LOCAL_CALLBACKS: 'false' }, 'not sent: host is a single label'],
    ['http://shop.et/', { CALLBACK_HTTPS_ONLY: 'true' }, 'not sent: URL is not https'],
    [
      'https://pay.kefel.et/',
      { PUBLIC_BASE_URL: 'https://pay.kefel.et' },
      'not sent: host is Kefel itself',
    ],
  ])('to %s is a visible failed try', async (callbackUrl, variables, error) => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const { stub, reports } = paymentObject({ callbackUrl });
    const env = environment(stub, database().d1, variables);
    await (await consume(env, 'q-guard', [message])).settled();
    expect(fetched).not.toHaveBeenCalled();
    expect(reports[0]).toMatchObject({
      outcome: { type: 'failed', retryAfterMs: null, isEndpointPaused: false },
      log: { httpStatus: null, error },
    });
  });

  test('is not made when the claim is rejected', async () => {
    const { stub, reports, claims } = paymentObject(null);
    await (await consume(environment(stub, database().d1), 'q-refused', [message])).settled();
    expect([claims, reports]).toEqual([[3], []]);
  });

  test('is reported although D1 hangs when the endpoint is recorded', async () => {
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('no', { status: 500 }));
    const { d1, addEndpoint } = database();
    addEndpoint({});
    const hanging = { ...(d1 as object), batch: () => new Promise(() => undefined) };
    const { stub, reports } = paymentObject({});
    await consume(environment(stub, hanging), 'q-hanging', [choosing]);
    await vi.waitFor(() => expect(reports).toMatchObject([{ outcome: { type: 'failed' } }]));
  });

  test('uses cached settings while D1 fails', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('ok'));
    const { d1, addEndpoint } = database();
    addEndpoint({});
    const failing = {
      prepare: () => {
        throw new Error('D1_ERROR: network');
      },
    };
    const nowMs = Date.now();
    for (const [database, atMs] of [
      [d1, nowMs],
      [failing, nowMs + 10_000],
    ] as const) {
      vi.spyOn(Date, 'now').mockReturnValue(atMs);
      const { stub, reports } = paymentObject({});
      await (await consume(environment(stub, database), 'q-stale', [choosing])).settled();
      expect(reports).toMatchObject([{ outcome: { type: 'delivered' } }]);
    }
  });

  test('that fails on our side uses no try, is logged in one line without bodies, and never throws', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const broken = {
      prepare: () => {
        throw new Error('D1_ERROR: network');
      },
    };
    const { stub, reports } = paymentObject({ requestBody: 'SECRET-BODY' });
    await (await consume(environment(stub, broken), 'q-broken', [message])).settled();
    expect(reports).toMatchObject([{ outcome: { type: 'not_sent' }, log: null }]);
    expect(logged).toHaveBeenCalledOnce();
    const line = String(logged.mock.calls[0]?.[0]);
    expect(JSON.parse(line)).toMatchObject({ event: 'webhook_delivery_broken', merchantId: 'm1' });
    expect(line).not.toContain('SECRET-BODY');
  });
});

describe('bounded concurrency (decisions.md#18)', () => {
  /** An object whose claims hang until they are released. */
  function hangingObject() {
    const releases: (() => void)[] = [];
    const claimDelivery = () =>
      new Promise((resolve) => releases.push(() => resolve({ type: 'refused' })));
    const release = () => {
      const released = releases.splice(0);
      for (const free of released) {
        free();
      }
      return released.length;
    };
    return { stub: { claimDelivery }, release };
  }

  const many = (
    count: number,
    merchantId: string,
    environment: Tenant['environment'] = 'sandbox',
  ): DeliveryMessage[] =>
    Array.from({ length: count }, (_value, sequence) => ({
      ...message,
      sequence,
      tenant: { environment, merchantId },
    }));

  test('a merchant whose endpoint hangs keeps 16 places and delays no other tenant or queue', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const slow = await consume(env, 'q-slots', many(DELIVERIES_PER_TENANT_MAX + 2, 'slow'));
    expect(slow.fates.filter((fate) => fate === 'acked')).toHaveLength(16);
    expect(slow.fates.slice(16)).toEqual(['again in 3 s', 'again in 3 s']);
    const other = await consume(env, 'q-slots', many(1, 'other'));
    const production = await consume(env, 'q-slots', many(1, 'slow', 'production'));
    const retry = await consume(env, 'q-slots-retries', many(1, 'slow'));
    expect([other.fates, production.fates, retry.fates]).toEqual([['acked'], ['acked'], ['acked']]);
    release();
    await Promise.all([slow, other, production, retry].map(({ settled }) => settled()));
    const later = await consume(env, 'q-slots', many(16, 'slow'));
    expect(new Set(later.fates)).toEqual(new Set(['acked']));
    release();
    await later.settled();
  });

  test.each([
    ['its other endpoints', 'we_works'],
    ['its callbackUrls', null],
  ])(
    'an endpoint that hangs keeps the places of a tenant, but not those of %s',
    async (_name, works) => {
      const { stub, release } = hangingObject();
      const env = environment(stub, null);
      const to = (endpointId: string | null, count: number) =>
        many(count, 'several').map((one) => ({ ...one, endpointId }));
      const hanging = await consume(env, 'q-endpoints', to('we_hangs', 20));
      expect(hanging.fates.filter((fate) => fate === 'acked')).toHaveLength(16);
      const other = await consume(env, 'q-endpoints', to(works, DELIVERIES_PER_ENDPOINT_MIN + 1));
      expect(other.fates).toEqual([
        ...Array.from({ length: DELIVERIES_PER_ENDPOINT_MIN }, () => 'acked'),
        'again in 3 s',
      ]);
      release();
      await Promise.all([hanging.settled(), other.settled()]);
    },
  );

  test.each([
    ['chooses all endpoints, and claims none', ['we_hangs', 'we_works'], false, 'acked'],
    ['chooses all cached endpoints, and claims none', ['we_hangs', 'we_works'], true, 'acked'],
    ['comes again later when no other endpoint is cached', ['we_hangs'], true, 'again in 3 s'],
  ])(
    'while an endpoint hangs, an event without a callbackUrl %s',
    async (_name, endpointIds, isCached, fate) => {
      const { stub, release } = hangingObject();
      const chosen: unknown[] = [];
      const { d1, addEndpoint } = database();
      for (const endpointId of endpointIds) {
        addEndpoint({ endpointId });
      }
      const choosingStub = {
        ...stub,
        chooseEndpoints: async (_id: DeliveryId, endpoints: readonly ChosenEndpoint[]) => {
          chosen.push(endpoints.map(({ endpointId }) => endpointId));
        },
      };
      const env = environment(choosingStub, d1);
      if (isCached) {
        await webhookSettings(env, tenant);
      }
      const to = many(20, 'm1').map((one) => ({ ...one, endpointId: 'we_hangs' }));
      const hanging = await consume(env, 'q-choosing', to);
      const next = await consume(env, 'q-choosing', [choosing]);
      await next.settled();
      expect([next.fates, chosen]).toEqual([[fate], fate === 'acked' ? [endpointIds] : []]);
      release();
      await hanging.settled();
    },
  );

  test('a message without a place is dropped after eight tries, because its lease sends it again', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const busy = await consume(env, 'q-bounce', many(DELIVERIES_PER_TENANT_MAX, 'slow'));
    const bounced = await consume(env, 'q-bounce', many(1, 'slow'), { attempts: 8 });
    // Acknowledged without a claim: only messages with a place reached the object.
    expect(bounced.fates).toEqual(['acked']);
    expect(release()).toBe(DELIVERIES_PER_TENANT_MAX);
    await busy.settled();
  });

  test('merchants whose endpoints hang cannot fill an isolate', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const hanging = Array.from({ length: 20 }, (_value, index) => many(16, `slow-${index}`)).flat();
    const crowd = await consume(env, 'q-crowd', hanging);
    const healthy = await consume(env, 'q-crowd', many(2, 'healthy'));
    expect(healthy.fates).toEqual(['acked', 'acked']);
    release();
    await Promise.all([crowd.settled(), healthy.settled()]);
  });

  test('a full isolate makes its handler wait until a place is free', async () => {
    const { stub, release } = hangingObject();
    const env = environment(stub, null);
    const merchants = Array.from({ length: 200 }, (_value, index) => many(1, `m${index}`)).flat();
    const full = await consume(env, 'q-full', merchants);
    const waits = vi.spyOn(globalThis, 'setTimeout');
    let isThrough = false;
    const next = consume(env, 'q-full', many(1, 'next')).then((result) => {
      isThrough = true;
      return result;
    });
    const looks = () => waits.mock.calls.filter(([, delayMs]) => delayMs === FULL_WAIT_MS);
    await vi.waitFor(() => expect(looks().length).toBeGreaterThan(1), { interval: 7 });
    expect(isThrough).toBe(false);
    release();
    await full.settled();
    const { fates, settled } = await next;
    expect(fates).toEqual(['acked']);
    release();
    await settled();
  });

  test('a place whose invocation was dropped is free again after its lease', () => {
    const shares = { tenantMax: 1, endpointMin: 1 };
    const slots = new DeliverySlots({
      slotsMax: 2,
      shares,
      crowdedFrom: 2,
      crowdedShares: shares,
    });
    const one = { tenant: 'm1', endpoint: null };
    expect(slots.take(one, 0)).not.toBeNull();
    expect(slots.take(one, SLOT_LEASE_MS - 1)).toBeNull();
    expect(slots.take({ tenant: 'm2', endpoint: null }, 0)).not.toBeNull();
    expect(slots.isFull(SLOT_LEASE_MS - 1)).toBe(true);
    expect(slots.isFull(SLOT_LEASE_MS)).toBe(false);
    expect(slots.take(one, SLOT_LEASE_MS)).not.toBeNull();
  });

  test('a place that changes its owner still counts, for the new one only', () => {
    const shares = { tenantMax: 1, endpointMin: 1 };
    const slots = new DeliverySlots({ slotsMax: 9, shares, crowdedFrom: 9, crowdedShares: shares });
    const [one, two] = ['we_1', 'we_2'].map((endpoint) => ({ tenant: 'm1', endpoint }));
    if (one === undefined || two === undefined) {
      throw new Error('no owners');
    }
    const slot = slots.take(one, 0);
    expect(slot !== null && slots.move(slot, two)).toBe(true);
    expect(slots.take(two, 0)).toBeNull();
    expect(slots.take(one, 0)).not.toBeNull();
    expect(slot !== null && slots.move(slot, one)).toBe(false);
    expect(slots.take(two, 0)).toBeNull();
  });

  test("a place that changes its owner does not count against its own tenant's share", () => {
    const shares = { tenantMax: 2, endpointMin: 1 };
    const slots = new DeliverySlots({ slotsMax: 9, shares, crowdedFrom: 9, crowdedShares: shares });
    const busy = { tenant: 'm1', endpoint: 'we_1' };
    expect(slots.take(busy, 0)).not.toBeNull();
    const slot = slots.take({ tenant: 'm1', endpoint: 'not-chosen' }, 0);
    expect(slot !== null && slots.move(slot, busy)).toBe(true);
  });
});
