import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { endpointOrigin } from '../../src/engine/webhooks/endpoints.ts';
import worker from '../support/gateway.ts';
import { HOSTILE_URLS, OWN_HOST } from '../support/hostile-urls.ts';
import { signedIn } from '../workers/dashboard/support.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  answerOf,
  CALLBACK_URL,
  CREATE_PATHS,
  clientOf,
  consume,
  createHosted,
  expressBody,
  fireAlarm,
  hostedBody,
  lastEvent,
  MINUTE_MS,
  merchantServer,
  payHosted,
  resolveAttempt,
  setEndpoint,
  startRedirect,
  useGateway,
} from '../workers/support.ts';

/**
 * Goal: no URL of a merchant makes the gateway connect to a private network, a metadata service or
 * itself (docs/reliability.md#api7). Method: a URL of each kind through every field that takes one,
 * and past those checks, into the settings that deliveries read; every connection is counted.
 */

const caught = useGateway();

const ORIGIN = `https://${OWN_HOST}`;
const GATEWAY: Env = { ...env, PUBLIC_BASE_URL: ORIGIN };
const ENDPOINTS = '/api/v1/payment/sandbox/webhook-endpoints';

/** One URL of each reason: `test/unit/webhooks/url-guard.test.ts` has all others. */
const ROWS = [...new Map(HOSTILE_URLS.map((row) => [row[1], row])).values()];
const URLS = ROWS.map(([url]) => url);

function ask(path: string, init: RequestInit): Promise<Response> {
  const request = new Request(`${ORIGIN}${path}`, { redirect: 'manual', ...init });
  return worker.fetch(request as never, GATEWAY, createExecutionContext());
}

async function post(path: string, body: object, method = 'POST'): Promise<unknown> {
  const { status, envelope } = await answerOf(
    ask(path, {
      method,
      headers: { apiKey: ALPHA.apiKeys.sandbox, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  return [status, Object.keys(envelope.validationErrors ?? {})];
}

const FIELDS: readonly [string, (url: string) => Promise<unknown>, unknown][] = [
  [
    'callbackUrl of a hosted payment',
    (callbackUrl) => post(CREATE_PATHS.hosted.sandbox, hostedBody({ callbackUrl })),
    [400, ['callbackUrl']],
  ],
  [
    'callbackUrl of an express payment',
    (callbackUrl) => post(CREATE_PATHS.express.sandbox, expressBody({ callbackUrl })),
    [400, ['callbackUrl']],
  ],
  ['url of a new endpoint', (url) => post(ENDPOINTS, { url }), [400, ['url']]],
  [
    'url of an endpoint that is changed',
    (url) => post(`${ENDPOINTS}/we_1`, { url }, 'PATCH'),
    [400, ['url']],
  ],
];

const FORMS = ['endpoints', 'endpoints/we_1', 'test'];

test.each(FIELDS)(
  'API7:2023, ASVS 5.0 V1.3.6 %s: refuses each, stores none, calls none',
  async (...row) => {
    const [, send, refusal] = row;
    const arrivals = merchantServer();
    await addEndpoint(ALPHA, 'we_1', { url: 'https://shop.example.com/hook' });
    for (const url of URLS) {
      expect([url, await send(url)]).toEqual([url, refusal]);
    }
    expect(await storedUrls()).toEqual(['https://shop.example.com/hook']);
    expect(arrivals).toEqual([]);
  },
);

test.each(FORMS)('API7:2023 the form %s: refuses each, stores none, calls none', async (form) => {
  const arrivals = merchantServer();
  await addEndpoint(ALPHA, 'we_1', { url: 'https://shop.example.com/hook' });
  const { cookie, csrf } = await signedIn();
  for (const url of URLS) {
    const { status } = await ask(`/dashboard/sandbox/webhooks/${form}`, {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ csrf, url }),
    });
    // Without an address, the test goes to no endpoint either.
    expect([url, status]).toEqual([url, 400]);
  }
  expect(await storedUrls()).toEqual(['https://shop.example.com/hook']);
  expect(arrivals).toEqual([]);
});

async function storedUrls(): Promise<unknown[]> {
  const { results } = await env.DB.prepare('SELECT url FROM webhook_endpoints').all();
  return results.map(({ url }) => url);
}

test('API7:2023 deliveries: an address that was stored nevertheless is not called', async () => {
  const arrivals = merchantServer();
  for (const [index, [url, reason]] of ROWS.entries()) {
    const uniqueId = `order-${index}`;
    await setEndpoint(ALPHA, url);
    // The isolate's copy of the settings expires.
    advance(MINUTE_MS);
    await createHosted({ paymentIntentUniqueId: uniqueId, callbackUrl: null });
    await clientOf(uniqueId).execute([startRedirect('a1'), resolveAttempt('a1', 'succeeded')]);
    while (caught.webhooks.length > 0) {
      await consume('kefel-webhooks', caught.webhooks.splice(0), GATEWAY);
    }
    const errors = (await lastEvent(uniqueId)).tries.map(({ error }) => error);
    // Without an http origin, the event does not choose it.
    const isChosen = endpointOrigin(url) !== null;
    expect([url, errors]).toEqual([url, isChosen ? [`not sent: ${reason}`] : []]);
  }
  expect(arrivals).toEqual([]);
});

const INTERNAL = [
  'http://169.254.169.254/',
  'http://[::1]/',
  `https://${OWN_HOST}/`,
  'file:///etc/passwd',
];

test.each([301, 302, 303, 307, 308])(
  'API7:2023, ASVS 5.0 V15.3.2 a redirect by %i is not followed',
  async (status) => {
    let location = '';
    const arrivals = merchantServer(
      () => new Response(null, { status, headers: { location, refresh: `0;url=${location}` } }),
    );
    await payHosted();
    for (location of INTERNAL) {
      await consume('kefel-webhooks', caught.webhooks.splice(0), GATEWAY);
      await consume('kefel-webhook-retries', caught.retries.splice(0), GATEWAY);
      vi.setSystemTime((await lastEvent()).dueAtMs ?? 0);
      await fireAlarm();
    }
    const { tries } = await lastEvent();
    expect(tries.map(({ httpStatus }) => httpStatus)).toEqual(INTERNAL.map(() => status));
    expect(new Set(arrivals.map(({ url }) => url))).toEqual(new Set([CALLBACK_URL]));
    expect(vi.mocked(fetch).mock.calls.map(([, init]) => init?.redirect)).toEqual(
      INTERNAL.map(() => 'manual'),
    );
  },
);
