import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { OPERATIONS } from '../../src/api.ts';
import { type Operation, SEGMENTS, template } from '../../src/engine/api/operation.ts';
import { configOf } from '../../src/engine/config.ts';
import { signLink } from '../../src/kit/crypto/link-token.ts';
import { signedIn } from '../workers/dashboard/support.ts';
import {
  ALPHA,
  type CallOptions,
  call,
  clientOf,
  createHosted,
  LIMITED,
  pathOf,
  postForm,
  useGateway,
} from '../workers/support.ts';

/**
 * Goal: strangers cannot use up the gateway (docs/reliability.md#api4): each route that takes a
 * credential counts failures or uses, and one without a credential reaches no storage. Method:
 * every route with its limit used up, and every bound exceeded. The limits themselves:
 * test/e2e/limits.test.ts.
 */

useGateway();

function ask(path: string, options: CallOptions = {}): Promise<Response> {
  return call(path, { apiKey: null, bindings: LIMITED, ...options });
}

/** Every call of the API's document, with made-up ids. */
const CALLS = Object.values(SEGMENTS).flatMap((segment) =>
  Object.values<Operation>(OPERATIONS).map(({ method, paths: [path = ''] }) => {
    const ofAnything = template(path).replaceAll(/:\w+/g, 'x');
    return [method.toUpperCase(), ofAnything.replace('{environment}', segment)] as const;
  }),
);

/** Nothing may be read or written for a stranger. */
function storage() {
  return [
    vi.spyOn(env.DB, 'prepare'),
    vi.spyOn(env.DB, 'batch'),
    vi.spyOn(env.BACK_OFFICE_DB, 'prepare'),
    vi.spyOn(env.PAYMENT_INTENT, 'get'),
  ];
}

test('API4:2023 each call without a key counts by address, and reaches no storage', async () => {
  const limit = vi.spyOn(env.FAILED_KEY_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
  const used = storage();
  const unlimited: string[] = [];
  for (const [method, path] of CALLS) {
    const response = await ask(path, { method, headers: { 'cf-connecting-ip': '192.0.2.7' } });
    await response.body?.cancel();
    if (response.status !== 429) {
      unlimited.push(`${method} ${path} ${response.status}`);
    }
  }
  // The public keys of webhooks: computed, never stored.
  expect(unlimited).toEqual([
    'GET /api/v1/payment/sandbox/webhook-keys 200',
    'GET /api/v1/payment/webhook-keys 200',
  ]);
  expect(limit).toHaveBeenCalledTimes(CALLS.length - unlimited.length);
  expect(used.map((spy) => spy.mock.calls)).toEqual([[], [], [], []]);
  expect(CALLS.length).toBeGreaterThan(30);
});

test('API4:2023 each route behind a link counts by link, before it reaches storage', async () => {
  const checkout = pathOf(await createHosted());
  const [limit, callbackLimit] = [env.CHECKOUT_RATE_LIMIT, env.CALLBACK_RATE_LIMIT].map((limiter) =>
    vi.spyOn(limiter, 'limit').mockResolvedValue({ success: false }),
  );
  const { objectName } = clientOf();
  const sign = (purpose: 'attempt' | 'refund') =>
    signLink(configOf(env).linkSigningKeys, purpose, { objectName, index: 0 });
  const [attempt, refund] = [await sign('attempt'), await sign('refund')];
  const routes = [
    ...['', '/status', '/returned', '/qr.svg', `/logo/${'0'.repeat(64)}`].map((rest) => [
      'GET',
      checkout + rest,
    ]),
    ...['/attempts', '/abandon', '/give-up', '/returned'].map((rest) => ['POST', checkout + rest]),
    ['GET', `/simulator/${attempt}`],
    ['POST', `/rails/simulator/${attempt}`],
  ];
  const callbacks = ['ebirr', 'stk-push', 'telebirr-h5', 'ethswitch-cards'].flatMap((rail) => [
    ['POST', `/rails/${rail}/${attempt}`],
    ['POST', `/rails/${rail}/refunds/${refund}`],
  ]);
  const used = storage();
  for (const [method = '', path = ''] of [...routes, ...callbacks]) {
    const { status } = await ask(path, { method });
    // A form leads back to its page, which says that there were too many.
    const isForm = method === 'POST' && path.startsWith('/checkout/');
    expect([method, path, status]).toEqual([method, path, isForm ? 303 : 429]);
  }
  expect(limit).toHaveBeenCalledTimes(routes.length);
  expect(callbackLimit).toHaveBeenCalledTimes(callbacks.length);
  expect(used.map((spy) => spy.mock.calls)).toEqual([[], [], [], []]);
});

test.each([
  ['GET', '/'],
  ['GET', '/nothing'],
  ['GET', '/checkout/x'],
  ['POST', '/checkout/x/attempts'],
  ['GET', '/simulator/x'],
  ['POST', '/rails/ebirr/x'],
  ['POST', '/rails/ebirr/refunds/x'],
  ['POST', '/rails/cbe-birr'],
  ['POST', '/rails/ethswitch-cards/account/x'],
  ['GET', '/dashboard'],
  ['GET', '/dashboard/sign-in'],
  ['POST', '/dashboard/sandbox/keys'],
])('API4:2023 a stranger’s %s %s reaches no storage', async (method, path) => {
  const used = storage();
  const { status } = await ask(path, { method, ...(method === 'POST' && { body: '{}' }) });
  expect(status).toBeLessThan(500);
  expect(used.map((spy) => spy.mock.calls)).toEqual([[], [], [], []]);
});

/** Valid JSON, `levels` deep. */
const nested = (levels: number) => `${'{"metadata":'.repeat(levels)}1${'}'.repeat(levels)}`;

const BODIES: readonly (readonly [string, string, number])[] = [
  ['of more than 64 KiB', JSON.stringify({ x: 'x'.repeat(70_000) }), 413],
  ['5,000 levels deep', nested(5_000), 400],
  ['of 30,000 lists', '['.repeat(30_000), 400],
  [
    'of 20,000 fields',
    `{${Array.from({ length: 10_000 }, (_, i) => `"${i}":0`).join()}}`.slice(0, 65_000),
    400,
  ],
];

test.each(BODIES)('API4:2023 each call refuses a body %s', async (_name, body, expected) => {
  const apiKey = ALPHA.apiKeys.sandbox;
  for (const path of ['intent', 'refund', 'webhook-endpoints', 'links']) {
    const url = `/api/v1/payment/sandbox/${path}`;
    const { status } = await ask(url, { method: 'POST', apiKey, body });
    expect([path, status]).toEqual([path, expected]);
  }
});

test('API4:2023 lists have a largest page, and forms a largest size', async () => {
  for (const list of ['intents', 'events', 'refunds']) {
    for (const limit of ['101', '1000000', '-1', '1e9']) {
      const { status } = await call(`/api/v1/payment/sandbox/${list}?limit=${limit}`);
      expect([list, limit, status]).toEqual([list, limit, 400]);
    }
  }
  const { cookie } = await signedIn();
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const name = 'x'.repeat(40_000);
  const { status } = await postForm('/dashboard/sandbox/keys', { name }, headers, LIMITED);
  expect(status).toBe(413);
});
