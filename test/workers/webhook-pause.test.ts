import { env } from 'cloudflare:workers';
import { beforeEach, expect, test, vi } from 'vitest';
import { configOf } from '../../src/config.ts';
import { seal } from '../../src/crypto/sealed.ts';
import type { Tenant } from '../../src/domain/intent.ts';
import { FAILED_DELIVERIES } from '../../src/intent/protocol.ts';
import { setWebhookUrl } from '../../src/merchants/provision.ts';
import {
  clearEndpoint,
  ENDPOINTS_MAX,
  FAILURE_WRITTEN_EVERY_MS,
  listEndpoints,
  PAUSE_AFTER_MS,
  recordFailure,
  resumeEndpoint,
  SILENCE_MS_MAX,
} from '../../src/webhooks/endpoints.ts';
import { webhookSecretContext } from '../../src/webhooks/settings.ts';
import {
  ALPHA,
  type Arrival,
  advance,
  BETA,
  clientOf,
  consume,
  createHosted,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  HOUR_MS,
  lastEvent,
  merchantServer,
  payHosted,
  runSql,
  SECOND_MS,
  settle,
  startRedirect,
  tenantOf,
  useGateway,
} from './support.ts';

/**
 * Goal: an endpoint that has only failed for five days is paused, one success in between keeps it
 * going, and nothing that happens meanwhile is lost. Method: payments are made and their events
 * handed to the consumer while the clock is moved and the merchant's server changes its mind.
 */

const caught = useGateway();

const ORIGIN = 'https://shop.example.com';

let httpStatus = 500;
let arrivals: Arrival[] = [];

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  httpStatus = 500;
  arrivals = merchantServer(() => new Response('x', { status: httpStatus }));
});

let orders = 0;

/** A payment whose event is tried once. Returns its id. */
async function deliverOne(changes: Record<string, unknown> = {}): Promise<string> {
  orders += 1;
  const paymentIntentUniqueId = `order-${orders}`;
  await payHosted({ paymentIntentUniqueId, ...changes });
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  return paymentIntentUniqueId;
}

async function failAt(atMs: number): Promise<string> {
  vi.setSystemTime(atMs);
  return deliverOne();
}

const endpoints = (tenant: Tenant = tenantOf(ALPHA)) => listEndpoints(env.DB, tenant);

async function pausedEndpoint(): Promise<void> {
  const startMs = Date.now();
  await failAt(startMs);
  await failAt(startMs + PAUSE_AFTER_MS);
  expect(await endpoints()).toMatchObject([{ origin: ORIGIN, pausedAtMs: Date.now() }]);
  advance(SECOND_MS);
}

test('failures for a moment less than five days pause nothing, five days do', async () => {
  const startMs = Date.now();
  for (let atMs = startMs; atMs < startMs + PAUSE_AFTER_MS; atMs += 20 * HOUR_MS) {
    await failAt(atMs);
  }
  await failAt(startMs + PAUSE_AFTER_MS - 1);
  expect(await endpoints()).toMatchObject([{ failingSinceMs: startMs, pausedAtMs: null }]);
  await failAt(startMs + PAUSE_AFTER_MS);
  expect(await endpoints()).toEqual([
    {
      origin: ORIGIN,
      failingSinceMs: startMs,
      lastFailureAtMs: startMs + PAUSE_AFTER_MS,
      lastError: 'HTTP 500',
      pausedAtMs: startMs + PAUSE_AFTER_MS,
    },
  ]);
});

test.each([
  ['a first try', SECOND_MS * 6],
  ['a later try, though this isolate has not yet read of the failure', 0],
])('one success by %s starts the five days anew', async (name, afterMs) => {
  const startMs = Date.now();
  const uniqueId = await failAt(startMs);
  advance(HOUR_MS);
  httpStatus = 200;
  if (afterMs > 0) {
    await deliverOne();
  } else {
    await env.DB.prepare('DELETE FROM webhook_endpoints').run();
    await fireAlarm(uniqueId);
    // Read without the failure, which another isolate writes right after.
    await deliverOne({ callbackUrl: 'https://other.example.com/' });
    const failure = { origin: ORIGIN, error: 'HTTP 500', atMs: startMs };
    await recordFailure(env.DB, tenantOf(ALPHA), failure);
    await consume('kefel-webhook-retries', caught.retries.splice(0));
  }
  expect(await endpoints(), name).toEqual([]);
  httpStatus = 500;
  await failAt(startMs + 2 * HOUR_MS);
  await failAt(startMs + PAUSE_AFTER_MS + HOUR_MS);
  expect(await endpoints()).toMatchObject([
    { failingSinceMs: startMs + 2 * HOUR_MS, pausedAtMs: null },
  ]);
});

test('two failures with a month of silence between them do not belong together', async () => {
  const startMs = Date.now();
  await failAt(startMs);
  await failAt(startMs + SILENCE_MS_MAX + 1);
  expect(await endpoints()).toMatchObject([{ failingSinceMs: Date.now(), pausedAtMs: null }]);
});

test.each([
  ['a guard that refuses', 'https://127.0.0.1:8443/x', 'https://127.0.0.1:8443', /not sent/],
  ['410', 'https://gone.example.com/only/for?this=payment', 'https://gone.example.com', /HTTP 410/],
])('%s is a failure of its origin', async (_name, callbackUrl, origin, error) => {
  httpStatus = 410;
  await deliverOne({ callbackUrl });
  expect(await endpoints()).toMatchObject([{ origin, lastError: expect.stringMatching(error) }]);
});

test('no address at all, and an error of our own, say nothing of any endpoint', async () => {
  const uniqueId = await deliverOne({ callbackUrl: null });
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'undeliverable' });
  // A secret that opens but is none: signing throws.
  const sealed = await seal(
    configOf(env).dataEncryptionKeys,
    'no secret',
    webhookSecretContext(tenantOf(ALPHA)),
  );
  await env.DB.prepare('UPDATE webhook_secrets SET sealed_secret = ?1').bind(sealed).run();
  advance(6 * SECOND_MS);
  const broken = await deliverOne();
  expect(await lastEvent(broken)).toMatchObject({ tries: [{ error: 'not sent: internal error' }] });
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

test('while it is paused nothing is sent there, and what happens is recorded as paused', async () => {
  await pausedEndpoint();
  arrivals.length = 0;
  httpStatus = 200;
  const uniqueId = await deliverOne();
  expect(arrivals).toEqual([]);
  const event = await lastEvent(uniqueId);
  expect(event).toMatchObject({
    deliveryStatus: 'paused',
    dueAtMs: null,
    tries: [{ httpStatus: null, error: 'not sent: the endpoint is paused' }],
  });
  // No try was used up, and no alarm brings it back.
  advance(5 * HOUR_MS);
  await fireAlarm(uniqueId);
  expect([...caught.webhooks, ...caught.retries]).toEqual([]);
  await consume('kefel-projections', caught.projections.splice(0));
  const sql = 'SELECT delivery_status, tries FROM webhook_event WHERE unique_id = ?1';
  // The one entry of the event's log, which says that nothing was sent.
  expect(await env.DB.prepare(sql).bind(uniqueId).first()).toEqual({
    delivery_status: 'paused',
    tries: 1,
  });
});

test('an event that waits for its next try finds the endpoint paused', async () => {
  const startMs = Date.now();
  await failAt(startMs);
  const uniqueId = await failAt(startMs + PAUSE_AFTER_MS);
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'waiting' });
  advance(6 * SECOND_MS);
  await fireAlarm(uniqueId);
  await consume('kefel-webhook-retries', caught.retries.splice(0));
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'paused', dueAtMs: null });
});

test('other endpoints, merchants and environments go on', async () => {
  await pausedEndpoint();
  arrivals.length = 0;
  httpStatus = 200;
  await deliverOne({ callbackUrl: 'https://other.example.com/hook' });
  await deliverOne({ callbackUrl: 'https://shop.example.com:8443/hook' });
  expect(arrivals.map(({ url }) => URL.parse(url)?.host)).toEqual([
    'other.example.com',
    'shop.example.com:8443',
  ]);
  expect(await endpoints(tenantOf(BETA))).toEqual([]);
  expect(await endpoints(tenantOf(ALPHA, 'production'))).toEqual([]);
});

test('resumed, an endpoint is sent to at once, whatever an isolate remembers', async () => {
  await pausedEndpoint();
  const uniqueId = await deliverOne();
  httpStatus = 200;
  // Not through the isolate that remembers the pause for five seconds.
  await runSql([resumeEndpoint(tenantOf(ALPHA), ORIGIN)]);
  const { sequence } = await lastEvent(uniqueId);
  expect(await clientOf(uniqueId).resendEvent(sequence, FAILED_DELIVERIES)).toBe(true);
  expect(await clientOf(uniqueId).resendEvent(sequence, FAILED_DELIVERIES)).toBe(false);
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'delivered' });
});

test('a paused event is superseded by a later one of its payment', async () => {
  await pausedEndpoint();
  await createHosted();
  await execute(startRedirect('a0'));
  advance(EXPIRE_IN_MS);
  await fireAlarm();
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  expect(await lastEvent()).toMatchObject({ deliveryStatus: 'paused' });
  await execute(settle('a0', 'succeeded'));
  expect(await clientOf().events()).toMatchObject([
    { deliveryStatus: 'superseded' },
    { deliveryStatus: 'queued' },
  ]);
});

test('the setting without a path of its own is paused by its origin too', async () => {
  await runSql([setWebhookUrl(tenantOf(ALPHA), `${ORIGIN}/setting`)]);
  await pausedEndpoint();
  const uniqueId = await deliverOne({ callbackUrl: null });
  expect(await lastEvent(uniqueId)).toMatchObject({ deliveryStatus: 'paused' });
});

test('a merchant with an origin for each payment makes no rows without bound', async () => {
  const tenant = tenantOf(ALPHA);
  const failure = (index: number, atMs = Date.now()) =>
    recordFailure(env.DB, tenant, { origin: `https://${index}.example.com`, error: 'x', atMs });
  for (let index = 0; index < ENDPOINTS_MAX; index += 1) {
    expect(await failure(index)).not.toBeNull();
  }
  expect(await failure(ENDPOINTS_MAX)).toBeNull();
  // Known ones go on being known, and other tenants have their own hundred.
  expect(await failure(0, Date.now() + 1)).not.toBeNull();
  const other = { origin: ORIGIN, error: 'x', atMs: Date.now() };
  expect(await recordFailure(env.DB, tenantOf(BETA), other)).not.toBeNull();
  expect(await endpoints()).toHaveLength(ENDPOINTS_MAX);
  await runSql([clearEndpoint(tenant, 'https://5.example.com')]);
  expect(await failure(ENDPOINTS_MAX)).not.toBeNull();
});
