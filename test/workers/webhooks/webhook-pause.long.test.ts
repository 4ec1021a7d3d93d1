import { env } from 'cloudflare:workers';
import { beforeEach, expect, test, vi } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import {
  DELIVERY_WAITS_MS,
  PAUSED_TRIES_END_AFTER_MS,
  PAUSED_WAIT_MS,
} from '../../../src/engine/domain/schedule.ts';
import { FAILED_DELIVERIES } from '../../../src/engine/intent/protocol.ts';
import {
  clearEndpoint,
  FAILING_ORIGINS_MAX,
  FAILURE_WRITTEN_EVERY_MS,
  listFailing,
  PAUSE_AFTER_MS,
  recordFailure,
  resumeEndpoint,
  SILENCE_MS_MAX,
} from '../../../src/engine/webhooks/failing-endpoints.ts';
import { webhookSecretContext } from '../../../src/engine/webhooks/settings.ts';
import { seal } from '../../../src/kit/crypto/sealed.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  BETA,
  booksAreFed,
  clientOf,
  createHosted,
  ENDPOINT_ID,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  HOUR_MS,
  lastEvent,
  merchantServer,
  payHosted,
  resolveAttempt,
  runSql,
  SECOND_MS,
  setEndpoint,
  startRedirect,
  tenantOf,
  useDeliveries,
} from '../support.ts';

/**
 * Goal: an endpoint without a delivery for five days is paused; one success in between prevents
 * that. No event loses a try or gets lost because of the pause, and the endpoint resumes by itself.
 * Method: the test makes payments and delivers their events to the consumer while it moves the
 * clock and changes the merchant server's answers.
 */

const { caught, arrivals, statuses, deliver, deliverAll, retry, nextTry } = useDeliveries();

const ORIGIN = 'https://shop.example.com';

beforeEach(() => {
  statuses.set('', 500);
});

let orders = 0;

/** A payment whose event is tried once. Returns its id. */
async function deliverOne(changes: Record<string, unknown> = {}): Promise<string> {
  orders += 1;
  const paymentIntentUniqueId = `order-${orders}`;
  await payHosted({ paymentIntentUniqueId, ...changes });
  await deliverAll();
  return paymentIntentUniqueId;
}

async function failAt(atMs: number): Promise<string> {
  vi.setSystemTime(atMs);
  return deliverOne();
}

const endpoints = (tenant: Tenant = tenantOf(ALPHA)) => listFailing(env.DB, tenant);

/** Failures for five days, less than a day apart, the last one now. */
async function pausedEndpoint(endpoint = ORIGIN): Promise<void> {
  const startMs = Date.now() - PAUSE_AFTER_MS;
  for (let atMs = startMs; atMs <= Date.now(); atMs += 20 * HOUR_MS) {
    await recordFailure(env.DB, tenantOf(ALPHA), { endpoint, error: 'HTTP 500', atMs });
  }
  expect(await endpoints()).toMatchObject([{ endpoint, pausedAtMs: Date.now() }]);
}

/** An event whose whole schedule has failed at the paused endpoint. */
async function exhaustedEvent(changes: Record<string, unknown> = {}): Promise<string> {
  const uniqueId = await deliverOne(changes);
  while ((await lastEvent(uniqueId)).deliveryStatus === 'waiting') {
    await nextTry(uniqueId);
  }
  return uniqueId;
}

test('pauses after five days of failures, not a moment earlier', async () => {
  const startMs = Date.now();
  for (let atMs = startMs; atMs < startMs + PAUSE_AFTER_MS; atMs += 20 * HOUR_MS) {
    await failAt(atMs);
  }
  await failAt(startMs + PAUSE_AFTER_MS - 1);
  expect(await endpoints()).toMatchObject([{ failingSinceMs: startMs, pausedAtMs: null }]);
  await failAt(startMs + PAUSE_AFTER_MS);
  expect(await endpoints()).toEqual([
    {
      endpoint: ORIGIN,
      failingSinceMs: startMs,
      lastFailureAtMs: startMs + PAUSE_AFTER_MS,
      lastError: 'HTTP 500',
      pausedAtMs: startMs + PAUSE_AFTER_MS,
    },
  ]);
});

test.each([
  ['a first try', SECOND_MS * 6],
  ['a later try, though this isolate has not yet read the failure', 0],
])('one success by %s restarts the five days', async (name, afterMs) => {
  const startMs = Date.now();
  const uniqueId = await failAt(startMs);
  advance(HOUR_MS);
  statuses.set('', 200);
  if (afterMs > 0) {
    await deliverOne();
  } else {
    await env.DB.prepare('DELETE FROM failing_endpoints').run();
    await fireAlarm(uniqueId);
    // Read without the failure, which another isolate writes right afterwards.
    await deliverOne({ callbackUrl: 'https://other.example.com/' });
    const failure = { endpoint: ORIGIN, error: 'HTTP 500', atMs: startMs };
    await recordFailure(env.DB, tenantOf(ALPHA), failure);
    await retry();
  }
  expect(await endpoints(), name).toEqual([]);
  statuses.set('', 500);
  await failAt(startMs + 2 * HOUR_MS);
  expect(await endpoints()).toMatchObject([
    { failingSinceMs: startMs + 2 * HOUR_MS, pausedAtMs: null },
  ]);
});

test('does not pause after one dead event ten days ago and one failure today', async () => {
  const startMs = Date.now();
  await failAt(startMs);
  await failAt(startMs + 2 * PAUSE_AFTER_MS);
  expect(await endpoints()).toMatchObject([{ failingSinceMs: Date.now(), pausedAtMs: null }]);
});

test('restarts the count after a silence longer than the longest wait of the schedule', async () => {
  const startMs = Date.now();
  const longestWaitMs = Math.max(...DELIVERY_WAITS_MS) * 1.1;
  await failAt(startMs);
  await failAt(startMs + longestWaitMs);
  expect(await endpoints()).toMatchObject([{ failingSinceMs: startMs }]);
  await failAt(startMs + longestWaitMs + SILENCE_MS_MAX + 1);
  expect(await endpoints()).toMatchObject([{ failingSinceMs: Date.now() }]);
});

test.each([
  ['a guard that refuses', 'https://127.0.0.1:8443/x', /not sent/],
  ['410', 'https://gone.example.com/only/for?this=payment', /HTTP 410/],
])('%s is a failure of its endpoint', async (_name, url, error) => {
  statuses.set('', 410);
  await setEndpoint(ALPHA, url);
  await deliverOne({ callbackUrl: null });
  expect(await endpoints()).toMatchObject([
    { endpoint: ENDPOINT_ID, lastError: expect.stringMatching(error) },
  ]);
});

test('a failed callbackUrl is a failure of its origin', async () => {
  await deliverOne({ callbackUrl: 'https://gone.example.com/only/for?this=payment' });
  expect(await endpoints()).toMatchObject([{ endpoint: 'https://gone.example.com' }]);
});

test('a try that ends after its endpoint was deleted leaves no failure behind', async () => {
  await setEndpoint(ALPHA, ORIGIN);
  merchantServer(async () => {
    await setEndpoint(ALPHA, null);
    return new Response('x', { status: 500 });
  });
  const uniqueId = await deliverOne({ callbackUrl: null });
  expect(await lastEvent(uniqueId)).toMatchObject({ tries: [{ httpStatus: 500 }] });
  expect(await endpoints()).toEqual([]);
});

test('endpoints of one origin fail and pause on their own', async () => {
  await addEndpoint(ALPHA, 'we_broken', { url: `${ORIGIN}/broken` });
  await addEndpoint(ALPHA, 'we_works', { url: `${ORIGIN}/works` });
  statuses.set(`${ORIGIN}/works`, 200);
  await deliverOne({ callbackUrl: null });
  advance(HOUR_MS);
  await deliverOne({ callbackUrl: null });
  expect(await endpoints()).toMatchObject([{ endpoint: 'we_broken' }]);
});

test('does not count a missing address or an internal error as a failure of any endpoint', async () => {
  const uniqueId = await deliverOne({ callbackUrl: null });
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'undeliverable' });
  // A secret that decrypts but is malformed, so that signing throws.
  const sealed = await seal(
    configOf(env).dataEncryptionKeys,
    'no secret',
    webhookSecretContext(tenantOf(ALPHA)),
  );
  await env.DB.prepare('UPDATE webhook_secrets SET sealed_secret = ?1').bind(sealed).run();
  advance(6 * SECOND_MS);
  const broken = await deliverOne();
  expect(await lastEvent(broken)).toMatchObject({ deliveryStatus: 'queued', tries: [] });
  expect(await endpoints()).toEqual([]);
});

test('a burst of failures writes once, and again only after some minutes', async () => {
  const startMs = Date.now();
  const lastFailure = async () => (await endpoints())[0]?.lastFailureAtMs;
  for (let times = 0; times < 3; times += 1) {
    await failAt(startMs + times * 6 * SECOND_MS);
  }
  expect(await lastFailure()).toBe(startMs);
  await failAt(startMs + FAILURE_WRITTEN_EVERY_MS);
  expect(await lastFailure()).toBe(startMs + FAILURE_WRITTEN_EVERY_MS);
});

test('a paused endpoint still gets each event with the whole schedule, and resumes on a 2xx', async () => {
  await pausedEndpoint();
  const uniqueId = await deliverOne();
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'waiting' });
  expect(arrivals).toHaveLength(1);
  statuses.set('', 200);
  await nextTry(uniqueId);
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'delivered' });
  expect(await endpoints()).toEqual([]);
});

test('an event that used up its schedule waits for the paused endpoint', async () => {
  await pausedEndpoint();
  const uniqueId = await exhaustedEvent();
  expect(await lastEvent(uniqueId)).toMatchObject({
    deliveryStatus: 'paused',
    dueAtMs: Date.now() + PAUSED_WAIT_MS,
  });
  expect((await lastEvent(uniqueId)).tries).toHaveLength(DELIVERY_WAITS_MS.length);
  await booksAreFed(caught);
  const reader = await readerOf(env, tenantOf(ALPHA));
  const { rows } = await reader.events({ deliveryStatus: 'paused' }, null, 10);
  expect(rows.map((row) => row.uniqueId)).toContain(uniqueId);
});

test('one event a day probes a paused endpoint, and a 2xx resumes it for all', async () => {
  await pausedEndpoint();
  const one = await deliverOne();
  const other = await deliverOne();
  while ((await lastEvent(other)).deliveryStatus === 'waiting') {
    await nextTry(one);
    await nextTry(other);
  }
  arrivals.length = 0;
  await nextTry(one);
  await nextTry(other);
  expect(arrivals).toHaveLength(1);
  expect(await endpoints()).toMatchObject([{ endpoint: ORIGIN, pausedAtMs: expect.any(Number) }]);
  statuses.set('', 200);
  await nextTry(one);
  await nextTry(other);
  expect(await endpoints()).toEqual([]);
  for (const uniqueId of [one, other]) {
    expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'delivered' });
  }
});

test('an event of a resumed endpoint that fails once more gets its schedule again', async () => {
  await pausedEndpoint();
  const uniqueId = await exhaustedEvent();
  await runSql([resumeEndpoint(tenantOf(ALPHA), ORIGIN)]);
  await nextTry(uniqueId);
  expect(await lastEvent(uniqueId)).toMatchObject({
    deliveryStatus: 'waiting',
    dueAtMs: Date.now() + (DELIVERY_WAITS_MS[1] ?? 0),
  });
});

test('after thirty days only a manual resend sends a paused event', async () => {
  await pausedEndpoint();
  const uniqueId = await exhaustedEvent();
  advance(PAUSED_TRIES_END_AFTER_MS);
  await fireAlarm(uniqueId);
  await retry();
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'paused', dueAtMs: null });
});

test('other endpoints, merchants and environments are not affected', async () => {
  await pausedEndpoint();
  arrivals.length = 0;
  statuses.set('', 200);
  await deliverOne({ callbackUrl: 'https://other.example.com/hook' });
  await deliverOne({ callbackUrl: 'https://shop.example.com:8443/hook' });
  expect(arrivals.map(({ url }) => URL.parse(url)?.host)).toEqual([
    'other.example.com',
    'shop.example.com:8443',
  ]);
  expect(await endpoints(tenantOf(BETA))).toEqual([]);
  expect(await endpoints(tenantOf(ALPHA, 'production'))).toEqual([]);
});

test('a manual resend sends a paused event at once', async () => {
  await pausedEndpoint();
  const uniqueId = await exhaustedEvent();
  statuses.set('', 200);
  const { sequence } = await lastEvent(uniqueId);
  expect(await clientOf(uniqueId).resendEvent(sequence, FAILED_DELIVERIES)).toBe(true);
  expect(await clientOf(uniqueId).resendEvent(sequence, FAILED_DELIVERIES)).toBe(false);
  await deliver();
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'delivered' });
  expect(await endpoints()).toEqual([]);
});

test('a paused event is superseded by a later one of its payment', async () => {
  await pausedEndpoint();
  await createHosted();
  await execute(startRedirect('a0'));
  advance(EXPIRE_IN_MS);
  await fireAlarm();
  await deliver();
  while ((await lastEvent()).deliveryStatus === 'waiting') {
    await nextTry('order-1');
  }
  expect(await lastEvent()).toMatchObject({ deliveryStatus: 'paused' });
  await execute(resolveAttempt('a0', 'succeeded'));
  expect(await clientOf().events()).toMatchObject([
    { deliveryStatus: 'superseded' },
    { deliveryStatus: 'queued' },
  ]);
});

test("the merchant's endpoint is paused by its id", async () => {
  await setEndpoint(ALPHA, `${ORIGIN}/setting`);
  await pausedEndpoint(ENDPOINT_ID);
  const uniqueId = await exhaustedEvent({ callbackUrl: null });
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'paused' });
});

test('a merchant with a new origin for each payment cannot create unbounded rows', async () => {
  const tenant = tenantOf(ALPHA);
  const failure = (index: number, atMs = Date.now()) =>
    recordFailure(env.DB, tenant, { endpoint: `https://${index}.example.com`, error: 'x', atMs });
  for (let index = 0; index < FAILING_ORIGINS_MAX; index += 1) {
    expect(await failure(index)).not.toBeNull();
  }
  expect(await failure(FAILING_ORIGINS_MAX)).toBeNull();
  // The merchant's own endpoints are always counted.
  await setEndpoint(ALPHA, ORIGIN);
  const own = { endpoint: ENDPOINT_ID, error: 'x', atMs: Date.now() };
  expect(await recordFailure(env.DB, tenant, own)).not.toBeNull();
  await runSql([clearEndpoint(tenant, ENDPOINT_ID)]);
  // Known origins stay known, and other tenants have their own hundred.
  expect(await failure(0, Date.now() + 1)).not.toBeNull();
  const other = { endpoint: ORIGIN, error: 'x', atMs: Date.now() };
  expect(await recordFailure(env.DB, tenantOf(BETA), other)).not.toBeNull();
  expect(await endpoints()).toHaveLength(FAILING_ORIGINS_MAX);
  await runSql([clearEndpoint(tenant, 'https://5.example.com')]);
  expect(await failure(FAILING_ORIGINS_MAX)).not.toBeNull();
});
