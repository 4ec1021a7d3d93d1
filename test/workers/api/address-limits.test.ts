import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { dashboardRouter } from '../../../back-office/dashboard/router.ts';
import { operatorRouter } from '../../../back-office/operator/router.ts';
import { apiRouter } from '../../../src/api.ts';
import { callbackRouter } from '../../../src/engine/callbacks/router.ts';
import { mayPrompt } from '../../../src/engine/checkout/choice.ts';
import { checkoutRouter } from '../../../src/engine/checkout/router.ts';
import { configOf } from '../../../src/engine/config.ts';
import { signLink } from '../../../src/kit/crypto/link-token.ts';
import { ENVIRONMENTS } from '../../../src/kit/tenant.ts';
import { ALPHA, BETA, clientOf, createHosted, ORIGIN, statusPath, useGateway } from '../support.ts';

/**
 * Goal: clients behind one address do not lock each other out by opening pages, a client with many
 * IPv6 addresses counts as one, and a busy key, link or phone does not slow others. Method: requests
 * with limits on, and the keys that they count.
 */

useGateway();

const LIMITED: Env = { ...env, RATE_LIMITS: 'on' };
const ctx = { waitUntil: () => undefined } as unknown as ExecutionContext;

function request(path: string, address: string, init: RequestInit = {}): Request {
  const headers = { 'cf-connecting-ip': address, 'sec-fetch-site': 'same-origin' };
  return new Request(`${ORIGIN}${path}`, { ...init, headers });
}

function limits() {
  return {
    signIn: vi.spyOn(env.SIGN_IN_RATE_LIMIT, 'limit'),
    view: vi.spyOn(env.PAGE_VIEW_RATE_LIMIT, 'limit'),
    failedKey: vi.spyOn(env.FAILED_KEY_RATE_LIMIT, 'limit'),
  };
}

test('opening the sign-in page does not count towards the limit of sign-ins', async () => {
  const { signIn, view } = limits();
  signIn.mockResolvedValue({ success: false });
  const page = request('/dashboard/sign-in', '192.0.2.7');
  expect((await dashboardRouter.fetch(page, LIMITED, ctx, 'r1')).status).toBe(200);
  expect(signIn).not.toHaveBeenCalled();
  expect(view).toHaveBeenCalledExactlyOnceWith({ key: '192.0.2.7' });
});

test('views have a limit of their own', async () => {
  limits().view.mockResolvedValue({ success: false });
  const page = request('/dashboard/sign-in', '192.0.2.7');
  const busy = await dashboardRouter.fetch(page, LIMITED, ctx, 'r1');
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '60']);
});

test.each([
  ['POST', '/dashboard/sign-in/options'],
  ['POST', '/dashboard/sign-in'],
  ['GET', '/dashboard/join?token=made-up'],
  ['POST', '/dashboard/join/options'],
  ['POST', '/dashboard/join'],
])('%s %s counts towards the limit of sign-ins', async (method, path) => {
  const { signIn } = limits();
  signIn.mockResolvedValue({ success: false });
  const busy = await dashboardRouter.fetch(
    request(path, '192.0.2.7', { method }),
    LIMITED,
    ctx,
    'r1',
  );
  expect(busy.status).toBe(429);
  expect(signIn).toHaveBeenCalledExactlyOnceWith({ key: '192.0.2.7' });
});

test.each([
  ['2001:db8:a:b:1:2:3:4', '2001:db8:a:b::/64'],
  ['2001:db8:a:b::9', '2001:db8:a:b::/64'],
  ['2001:0DB8:000a:000b::', '2001:db8:a:b::/64'],
  ['2001:db8:a:c::9', '2001:db8:a:c::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['192.0.2.7', '192.0.2.7'],
])('limits count %s as %s', async (address, network) => {
  const { signIn, failedKey } = limits();
  await dashboardRouter.fetch(request('/dashboard/join', address), LIMITED, ctx, 'r1');
  expect(signIn).toHaveBeenCalledExactlyOnceWith({ key: network });
  await apiRouter.fetch(request(statusPath('x'), address), LIMITED, ctx, 'r2');
  await operatorRouter.fetch(request('/operator/v1/banks', address), LIMITED, ctx, 'r3');
  expect(failedKey.mock.calls).toEqual([[{ key: network }], [{ key: `operator/${network}` }]]);
});

type Use = () => Promise<{ readonly status: number } | boolean>;

/** For each limit, two uses that it counts apart. */
const COUNTED_APART = {
  API_RATE_LIMIT: async () =>
    [ALPHA, BETA].map(({ apiKeys }) => () => {
      const headers = { apiKey: apiKeys.sandbox };
      const status = new Request(`${ORIGIN}${statusPath('x')}`, { headers });
      return apiRouter.fetch(status, LIMITED, ctx, 'r1');
    }),
  CHECKOUT_RATE_LIMIT: async () => {
    const urls = [await createHosted(), await createHosted({ paymentIntentUniqueId: 'order-2' })];
    return urls.map((url) => () => checkoutRouter.fetch(new Request(url), LIMITED, ctx, 'r1'));
  },
  CALLBACK_RATE_LIMIT: async () => {
    const { linkSigningKeys } = configOf(env);
    const { objectName } = clientOf();
    const tokens = [0, 1].map((index) =>
      signLink(linkSigningKeys, 'attempt', { objectName, index }),
    );
    return (await Promise.all(tokens)).map((token) => () => {
      const report = new Request(`${ORIGIN}/rails/ebirr/${token}`, { method: 'POST' });
      return callbackRouter.fetch(report, LIMITED, ctx, 'r1');
    });
  },
  PHONE_PROMPT_RATE_LIMIT: async () =>
    ENVIRONMENTS.map(
      (environment) => () =>
        mayPrompt(LIMITED, environment, { method: 'E_BIRR', phone: '251911234567' }),
    ),
} as const satisfies Readonly<Record<string, () => Promise<readonly Use[]>>>;

test.each([
  ['key', 'API_RATE_LIMIT'],
  ['link', 'CHECKOUT_RATE_LIMIT'],
  ['callback address', 'CALLBACK_RATE_LIMIT'],
  ['environment', 'PHONE_PROMPT_RATE_LIMIT'],
] as const)('a busy %s does not use up the limit of another', async (_name, limiter) => {
  const uses: readonly Use[] = await COUNTED_APART[limiter]();
  const counted = new Set<string>();
  vi.spyOn(env[limiter], 'limit').mockImplementation(async ({ key }) => {
    const success = !counted.has(key);
    counted.add(key);
    return { success };
  });
  const isLetThrough = async (use: Use) => {
    const answer = await use();
    return typeof answer === 'boolean' ? answer : answer.status !== 429;
  };
  const answers = [];
  for (const use of [...uses, ...uses]) {
    answers.push(await isLetThrough(use));
  }
  expect(answers).toEqual([true, true, false, false]);
});
