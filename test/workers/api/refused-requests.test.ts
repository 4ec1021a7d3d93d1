import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { MerchantBook } from '../../../src/connected-objects.ts';
import { bookOf } from '../../../src/lists/book/client.ts';
import {
  REFUSED_REQUESTS_MAX,
  type RefusedRequest,
} from '../../../src/lists/book/refused-requests.ts';
import { signedIn, visit } from '../dashboard/support.ts';
import { ALPHA, advance, BETA, call, hostedBody, tenantOf, useGateway } from '../support.ts';

/**
 * Goal: a merchant's developers see why a request was refused, by its requestId, without anything of
 * its body; and neither a success nor a flood of refusals costs writes.
 */

useGateway();

const MINUTE_MS = 60_000;
const CREATE = '/api/v1/payment/sandbox/intent';
const PHONE = '251911223344';
const REQUESTS = '/dashboard/sandbox/requests';

const create = (changes = {}, apiKey: string | null = ALPHA.apiKeys.sandbox) =>
  call(CREATE, { method: 'POST', apiKey, body: hostedBody(changes) });

const stored = (merchant = ALPHA, environment: 'sandbox' | 'production' = 'sandbox') =>
  bookOf(env, { ...tenantOf(merchant), environment }, 0).refusedRequests();

/** Once the background has stored them. */
async function storedSoon(count: number): Promise<readonly RefusedRequest[]> {
  await expect.poll(async () => (await stored()).length).toBeGreaterThanOrEqual(count);
  return stored();
}

test('keeps a refused request with its id, its error and the names of known fields only', async () => {
  const body = {
    amount: -1,
    [PHONE]: 'x',
    metadata: { [PHONE]: { deep: PHONE } },
    paymentIntentUniqueId: ` ${PHONE}${'9'.repeat(300)}`,
  };
  const response = await create(body);
  const { requestId } = await response.json<{ requestId: string }>();
  expect(response.status).toBe(400);
  const [request] = await storedSoon(1);
  expect(request).toMatchObject({
    requestId,
    method: 'POST',
    path: '/api/v1/payment/sandbox/intent',
    status: 400,
    code: 'validation_failed',
  });
  expect(request?.fields).toContain('amount: too_small');
  expect(JSON.stringify(request)).not.toContain('911223344');
});

test.each([
  ['a key of the other environment', CREATE, ALPHA.apiKeys.production, 'production', 403],
  ['a payment that does not exist', `${CREATE}s/no-such`, ALPHA.apiKeys.sandbox, 'sandbox', 404],
] as const)('keeps %s where the key belongs', async (_name, path, apiKey, environment, status) => {
  const options = path === CREATE ? { method: 'POST', body: hostedBody() } : {};
  expect((await call(path, { apiKey, ...options })).status).toBe(status);
  await expect.poll(() => stored(ALPHA, environment)).toHaveLength(1);
  const [request] = await stored(ALPHA, environment);
  expect(request?.path).toBe(path.replace('no-such', '{id}'));
});

test('a success and a request without a valid key make no call of the book and no row', async () => {
  const recordRefused = vi.spyOn(MerchantBook.prototype, 'recordRefused');
  expect((await create()).status).toBe(200);
  expect((await create({}, null)).status).toBe(401);
  expect((await create({}, `${ALPHA.apiKeys.sandbox.slice(0, -1)}_`)).status).toBe(401);
  expect((await create({ amount: -1 }, BETA.apiKeys.sandbox)).status).toBe(400);
  await expect.poll(() => stored(BETA)).toHaveLength(1);
  expect([recordRefused.mock.calls.length, await stored()]).toEqual([1, []]);
});

test('a flood makes ten writes a minute, and the next minute brings the newest', async () => {
  const recordRefused = vi.spyOn(MerchantBook.prototype, 'recordRefused');
  for (let sent = 0; sent < 80; sent += 1) {
    await create({ amount: -1 });
  }
  await storedSoon(10);
  expect(recordRefused).toHaveBeenCalledTimes(10);
  advance(MINUTE_MS);
  const last = await (await create({ amount: -1 })).json<{ requestId: string }>();
  await expect.poll(async () => (await stored())[0]?.requestId).toBe(last.requestId);
  expect(await stored()).toHaveLength(REFUSED_REQUESTS_MAX);
  expect(recordRefused).toHaveBeenCalledTimes(11);
});

test('no answer waits for the list, and a book out of reach changes no answer', async () => {
  const never = new Promise<void>(() => undefined);
  vi.spyOn(MerchantBook.prototype, 'recordRefused').mockReturnValueOnce(never);
  expect((await create({ amount: -1 })).status).toBe(400);
});

test('the page shows it to developers of this merchant alone, and finds it by its id', async () => {
  const { requestId } = await (await create({ amount: -1 })).json<{ requestId: string }>();
  await storedSoon(1);
  const html = async (path: string, ...who: Parameters<typeof signedIn>) =>
    (await visit(await signedIn(...who), path)).text();
  expect(await html(REQUESTS, 'developer')).toContain(requestId);
  expect(await html(`${REQUESTS}?requestId=${requestId}`)).toContain(
    '/docs/errors#validation_failed',
  );
  expect(await html(`${REQUESTS}?requestId=other`)).toContain('This request is not in the list');
  expect(await html(REQUESTS, 'owner', BETA)).toContain('No refused requests');
  expect((await visit(await signedIn('cashier'), REQUESTS)).status).toBe(403);
});
