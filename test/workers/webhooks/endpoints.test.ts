import { evictAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { CLAIM_LEASE_MS, QUEUED_LEASE_MS } from '../../../src/engine/domain/schedule.ts';
import type { EventSummary } from '../../../src/engine/intent/protocol.ts';
import {
  deleteEndpoint,
  findEndpoint,
  updateEndpoint,
} from '../../../src/engine/webhooks/endpoint-store.ts';
import { forgetWebhookSettings } from '../../../src/engine/webhooks/settings.ts';
import { hexFromBytes, utf8 } from '../../../src/kit/crypto/encoding.ts';
import { readerOf } from '../../../src/lists/book/reader.ts';
import type { EventFilter } from '../../../src/lists/book/rows.ts';
import {
  ALPHA,
  abortObjects,
  addEndpoint,
  advance,
  booksAreFed,
  clientOf,
  consume,
  consumeAll,
  createHosted,
  EXPIRE_IN_MS,
  endpointSecret,
  execute,
  fireAlarm,
  firstOf,
  isSignedBy,
  MINUTE_MS,
  payHosted,
  resolveAttempt,
  runSql,
  setEndpoint,
  startRedirect,
  tenantOf,
  useDeliveries,
} from '../support.ts';

/**
 * Goal: the events of a payment without a callbackUrl go to each enabled endpoint that takes their
 * type, once, on their own schedule, through every crash; a single endpoint costs no more than a
 * callbackUrl. Method: the tests deliver the caught messages in any order, kill objects between the
 * steps and change endpoints while deliveries wait.
 */

const { caught, arrivals, statuses, deliver, deliverAll, nextDue, nextTry } = useDeliveries();

const A = 'https://a.example.com/hook';
const B = 'https://b.example.com/hook';
const NO_CALLBACK = { callbackUrl: null };

async function twoEndpoints(): Promise<void> {
  await addEndpoint(ALPHA, 'we_a', { url: A });
  advance(1);
  await addEndpoint(ALPHA, 'we_b', { url: B });
}

const deliveries = (uniqueId = 'order-1'): Promise<EventSummary[]> => clientOf(uniqueId).events();
const stateOf = async (endpointId: string) =>
  (await deliveries()).find((delivery) => delivery.endpointId === endpointId);
const urls = () => arrivals.map(({ url }) => url).sort();

const failingD1 = () =>
  vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1_ERROR: network');
  });

async function change(endpointId: string, changes: { isEnabled?: boolean; url?: string }) {
  const endpoint = await findEndpoint(env.DB, tenantOf(ALPHA), endpointId);
  if (endpoint === null) {
    throw new Error(`no endpoint ${endpointId}`);
  }
  await runSql([updateEndpoint(tenantOf(ALPHA), endpointId, { ...endpoint, ...changes })]);
  forgetWebhookSettings();
}

describe('an event of a payment without a callbackUrl', () => {
  test('goes to every enabled endpoint, with the same body and id', async () => {
    await twoEndpoints();
    await addEndpoint(ALPHA, 'we_off', { url: 'https://off.example.com/', isEnabled: false });
    await payHosted(NO_CALLBACK);
    await deliverAll();
    expect(urls()).toEqual([A, B]);
    expect(new Set(arrivals.map(({ text }) => text)).size).toBe(1);
    expect(new Set(arrivals.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1);
    expect(await deliveries()).toMatchObject([
      { position: 0, endpointId: 'we_a', origin: 'https://a.example.com', tries: [{}] },
      { position: 1, endpointId: 'we_b', origin: 'https://b.example.com', tries: [{}] },
    ]);
  });

  test('goes to the callbackUrl only, when the payment has one', async () => {
    await twoEndpoints();
    await payHosted();
    await deliverAll();
    expect(urls()).toEqual(['https://shop.example.com/hook']);
  });

  test.each([
    ['from memory', 6_000],
    ['from memory, after the clock was set back', -10 * MINUTE_MS],
  ])('goes to no disabled endpoint %s', async (_name, byMs) => {
    await setEndpoint(ALPHA, A);
    await payHosted(NO_CALLBACK);
    await deliverAll();
    // This isolate remembers the endpoint as enabled; another one disables it.
    await setEndpoint(ALPHA, A, 'sandbox', { isEnabled: false });
    advance(byMs);
    await payHosted({ ...NO_CALLBACK, paymentIntentUniqueId: 'order-2' });
    await deliverAll();
    expect(urls()).toEqual([A]);
  });

  test('goes only to endpoints that take its type', async () => {
    await addEndpoint(ALPHA, 'we_a', { url: A, eventTypes: ['PAYMENT_FAILED'] });
    await addEndpoint(ALPHA, 'we_b', { url: B, eventTypes: ['PAYMENT_FAILED', 'PAYMENT_SUCCESS'] });
    await payHosted(NO_CALLBACK);
    await deliverAll();
    expect(urls()).toEqual([B]);
  });

  test('is skipped when no enabled endpoint takes its type, and is no failure', async () => {
    await addEndpoint(ALPHA, 'we_a', { url: A, eventTypes: ['PAYMENT_FAILED'] });
    await payHosted(NO_CALLBACK);
    await consumeAll(caught);
    await consumeAll(caught);
    expect(arrivals).toEqual([]);
    expect(await deliveries()).toMatchObject([{ deliveryStatus: 'skipped', dueAtMs: null }]);
    const { rows } = await (await readerOf(env, tenantOf(ALPHA))).events({}, null, 10);
    expect(rows).toMatchObject([{ deliveryStatus: 'skipped', tries: 0 }]);
  });

  test('that was skipped goes to the endpoints of the day when it is resent', async () => {
    await addEndpoint(ALPHA, 'we_a', { url: A, eventTypes: ['PAYMENT_FAILED'] });
    await payHosted(NO_CALLBACK);
    await deliverAll();
    await addEndpoint(ALPHA, 'we_b', { url: B });
    forgetWebhookSettings();
    const [event] = await deliveries();
    expect(await clientOf().resendEvent(event?.sequence ?? 0)).toBe(true);
    await deliverAll();
    expect(urls()).toEqual([B]);
  });

  test('is signed by each endpoint with its own secret, and its extra header', async () => {
    await addEndpoint(ALPHA, 'we_a', { url: A, signatureHeader: 'X-Shop-Signature' });
    await addEndpoint(ALPHA, 'we_b', { url: B });
    await payHosted(NO_CALLBACK);
    await deliverAll();
    const [toA, toB] = arrivals.toSorted((one, other) => one.url.localeCompare(other.url));
    const secrets = [endpointSecret('we_a'), endpointSecret('we_b'), ALPHA.webhookSecret];
    const signers = [toA, toB].map((to) => secrets.map((secret) => isSignedBy(secret, to)));
    expect(signers).toEqual([
      [true, false, false],
      [false, true, false],
    ]);
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const secret = utf8(endpointSecret('we_a'));
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
    const expected = hexFromBytes(await crypto.subtle.sign('HMAC', key, utf8(toA?.text ?? '')));
    expect(toA?.headers.get('x-shop-signature')).toBe(expected);
    expect(toB?.headers.get('x-shop-signature')).toBeNull();
  });
});

describe('each endpoint', () => {
  test('has its own schedule: one that fails does not touch the others', async () => {
    await twoEndpoints();
    statuses.set('a.example.com', 500);
    await payHosted(NO_CALLBACK);
    await deliverAll();
    expect(await stateOf('we_a')).toMatchObject({ deliveryStatus: 'waiting' });
    expect(await stateOf('we_b')).toMatchObject({ deliveryStatus: 'delivered', dueAtMs: null });
    statuses.delete('a.example.com');
    await nextTry('order-1', (await stateOf('we_a'))?.dueAtMs);
    expect(await stateOf('we_a')).toMatchObject({ deliveryStatus: 'delivered', tries: [{}, {}] });
    expect(urls()).toEqual([A, A, B]);
  });

  test('can answer 410 for itself', async () => {
    await twoEndpoints();
    statuses.set('b.example.com', 410);
    await payHosted(NO_CALLBACK);
    await deliverAll();
    expect(await stateOf('we_a')).toMatchObject({ deliveryStatus: 'delivered' });
    expect(await stateOf('we_b')).toMatchObject({ deliveryStatus: 'dead' });
  });

  test('can be resent to alone, and at once with the others', async () => {
    await twoEndpoints();
    await payHosted(NO_CALLBACK);
    await deliverAll();
    const { sequence = 0, position = 0 } = (await stateOf('we_b')) ?? {};
    expect(await clientOf().resendEvent(sequence, ['delivered'], position)).toBe(true);
    await deliverAll();
    expect(urls()).toEqual([A, B, B]);
    expect(await clientOf().resendEvent(sequence)).toBe(true);
    await deliverAll();
    expect(urls()).toEqual([A, A, B, B, B]);
  });

  test('is superseded for itself by a later event', async () => {
    await twoEndpoints();
    statuses.set('a.example.com', 500);
    await createHosted(NO_CALLBACK);
    await execute(startRedirect('a0'));
    advance(EXPIRE_IN_MS);
    await fireAlarm();
    await deliverAll();
    await execute(resolveAttempt('a0', 'succeeded'));
    expect((await deliveries()).map(({ deliveryStatus }) => deliveryStatus)).toEqual([
      'superseded',
      'delivered',
      'queued',
    ]);
    statuses.clear();
    await deliverAll();
    expect(
      arrivals
        .map(({ url, event }) => `${event.webHookEvent} ${url}`)
        .slice(2)
        .sort(),
    ).toEqual([`PAYMENT_SUCCESS ${A}`, `PAYMENT_SUCCESS ${B}`]);
  });
});

describe('after a crash', () => {
  const CRASHES = [
    ['eviction', evictAllDurableObjects],
    ['abort', abortObjects],
  ] as const;

  test.each(CRASHES)(
    'by %s between choosing and sending, every endpoint gets the event after its lease',
    async (_name, crash) => {
      await twoEndpoints();
      await payHosted(NO_CALLBACK);
      const first = firstOf(caught.webhooks.splice(0));
      // A consumer chooses and claims, and dies; the messages for the others are lost.
      const chosen = [
        { endpointId: 'we_a', origin: 'https://a.example.com' },
        { endpointId: 'we_b', origin: 'https://b.example.com' },
      ];
      expect((await clientOf().claimDelivery(first, chosen)).type).toBe('claimed');
      caught.webhooks.length = 0;
      await crash();
      advance(Math.max(CLAIM_LEASE_MS, QUEUED_LEASE_MS));
      await fireAlarm();
      expect(caught.webhooks.map(({ position }) => position).sort()).toEqual([0, 1]);
      await deliverAll();
      expect(urls()).toEqual([A, B]);
      expect(await deliveries()).toHaveLength(2);
    },
  );

  test('before any choice, the message is sent again and chooses once', async () => {
    await twoEndpoints();
    await payHosted(NO_CALLBACK);
    const [lost] = caught.webhooks.splice(0);
    await abortObjects();
    advance(QUEUED_LEASE_MS);
    await fireAlarm();
    await deliverAll();
    // The lost message arrives after all.
    await consume('kefel-webhooks', lost === undefined ? [] : [lost, lost]);
    expect(urls()).toEqual([A, B]);
  });

  test('duplicate first messages at once choose once and send once to each', async () => {
    await twoEndpoints();
    await payHosted(NO_CALLBACK);
    const message = firstOf(caught.webhooks.splice(0));
    await Promise.all([
      consume('kefel-webhooks', [message, message, message]),
      consume('kefel-webhook-retries', [message, message]),
    ]);
    await deliverAll();
    expect(urls()).toEqual([A, B]);
    expect(await deliveries()).toHaveLength(2);
  });

  test('a repeated choice adds no endpoint, claims nothing twice', async () => {
    await payHosted(NO_CALLBACK);
    const message = firstOf(caught.webhooks.splice(0));
    const a = { endpointId: 'we_a', origin: 'https://a.example.com' };
    const b = { endpointId: 'we_b', origin: 'https://b.example.com' };
    await clientOf().chooseEndpoints(message, [a, b]);
    await clientOf().chooseEndpoints(message, [b, a]);
    expect(await clientOf().claimDelivery(message, [b])).toMatchObject({
      type: 'claimed',
      delivery: { endpointId: 'we_a', callbackUrl: null },
    });
    expect((await clientOf().claimDelivery(message, [b])).type).toBe('refused');
    expect((await deliveries()).map(({ endpointId }) => endpointId)).toEqual(['we_a', 'we_b']);
    expect(caught.webhooks.map(({ position }) => position)).toEqual([0, 1]);
  });
});

describe('an endpoint that changes while deliveries wait', () => {
  /** An event that waits for its second try at endpoint A. */
  async function waiting(): Promise<void> {
    await addEndpoint(ALPHA, 'we_a', { url: A });
    statuses.set('a.example.com', 500);
    await payHosted(NO_CALLBACK);
    await deliverAll();
    expect(await stateOf('we_a')).toMatchObject({ deliveryStatus: 'waiting' });
    statuses.clear();
  }

  test.each([
    ['deleted', () => runSql(deleteEndpoint(tenantOf(ALPHA), 'we_a'))],
    ['disabled', () => change('we_a', { isEnabled: false })],
  ])('ends them visibly when it is %s', async (state, end) => {
    await waiting();
    await end();
    forgetWebhookSettings();
    await nextTry('order-1', (await stateOf('we_a'))?.dueAtMs);
    expect(arrivals).toHaveLength(1);
    expect(await stateOf('we_a')).toMatchObject({
      deliveryStatus: 'undeliverable',
      dueAtMs: null,
      tries: [{ httpStatus: 500 }, { error: `not sent: the endpoint is ${state}` }],
    });
  });

  test('gets them again after it was enabled and they were resent', async () => {
    await waiting();
    await change('we_a', { isEnabled: false });
    await nextTry('order-1', (await stateOf('we_a'))?.dueAtMs);
    await change('we_a', { isEnabled: true });
    const { sequence = 0 } = (await stateOf('we_a')) ?? {};
    expect(await clientOf().resendEvent(sequence, ['undeliverable'])).toBe(true);
    await deliverAll();
    expect(await stateOf('we_a')).toMatchObject({ deliveryStatus: 'delivered' });
  });

  test('gets them at its new URL', async () => {
    await waiting();
    await change('we_a', { url: 'https://new.example.com/' });
    await nextTry('order-1', (await stateOf('we_a'))?.dueAtMs);
    expect(arrivals.at(-1)?.url).toBe('https://new.example.com/');
    expect(await stateOf('we_a')).toMatchObject({ deliveryStatus: 'delivered' });
  });

  test('is read again before a delivery ends without it', async () => {
    await payHosted(NO_CALLBACK);
    // This isolate has cached that there is none; another one has chosen it.
    await payHosted({ ...NO_CALLBACK, paymentIntentUniqueId: 'order-2' });
    const [message, other] = caught.webhooks.splice(0);
    await consume('kefel-webhooks', other === undefined ? [] : [other]);
    await addEndpoint(ALPHA, 'we_a', { url: A });
    if (message === undefined) {
      throw new Error('no message was sent');
    }
    const origin = 'https://a.example.com';
    await clientOf().chooseEndpoints(message, [{ endpointId: 'we_a', origin }]);
    await deliverAll();
    expect(urls()).toEqual([A]);
  });
});

describe('an endpoint that another isolate has added since this one read the settings', () => {
  /** This isolate has cached settings without an endpoint for the event. */
  async function cachedWithoutIt(): Promise<void> {
    await payHosted({ ...NO_CALLBACK, paymentIntentUniqueId: 'order-0' });
    await deliverAll();
    await addEndpoint(ALPHA, 'we_b', { url: B });
    await payHosted(NO_CALLBACK);
  }

  test.each([
    ['undeliverable', []],
    ['skipped', ['PAYMENT_FAILED']],
  ])('gets the event that would end as %s', async (_status, eventTypes) => {
    if (eventTypes.length > 0) {
      await addEndpoint(ALPHA, 'we_a', { url: A, eventTypes });
    }
    await cachedWithoutIt();
    await deliver();
    expect(await deliveries()).toMatchObject([{ deliveryStatus: 'queued', tries: [] }]);
    await nextDue('order-1', (await deliveries())[0]?.dueAtMs);
    await deliverAll();
    expect(urls()).toEqual([B]);
  });

  test('gets it after D1 was down', async () => {
    await cachedWithoutIt();
    advance(MINUTE_MS);
    const down = failingD1();
    await deliver();
    down.mockRestore();
    expect(await deliveries()).toMatchObject([{ deliveryStatus: 'queued', tries: [] }]);
    await nextDue('order-1', (await deliveries())[0]?.dueAtMs);
    await deliverAll();
    expect(urls()).toEqual([B]);
  });
});

describe('while D1 fails', () => {
  test('the endpoints that this isolate remembers get the event', async () => {
    await twoEndpoints();
    await payHosted(NO_CALLBACK);
    await deliverAll();
    await payHosted({ ...NO_CALLBACK, paymentIntentUniqueId: 'order-2' });
    advance(MINUTE_MS);
    failingD1();
    await deliverAll();
    expect(urls()).toEqual([A, A, B, B]);
  });

  test('an event waits without using a try where no settings are remembered', async () => {
    await twoEndpoints();
    await payHosted(NO_CALLBACK);
    forgetWebhookSettings();
    const down = failingD1();
    await deliver();
    expect(await deliveries()).toMatchObject([
      { deliveryStatus: 'queued', endpointId: null, tries: [] },
    ]);
    down.mockRestore();
    advance(MINUTE_MS);
    await fireAlarm();
    await deliverAll();
    expect(urls()).toEqual([A, B]);
  });
});

describe('what it costs', () => {
  /** Messages and object rows from the end of a payment until its event is delivered. */
  async function costOf(changes: Record<string, unknown>) {
    await payHosted(changes);
    let webhooks = 0;
    let projections = (await booksAreFed(caught)).length;
    while (caught.webhooks.length > 0) {
      webhooks += caught.webhooks.length;
      await consume('kefel-webhooks', caught.webhooks.splice(0));
      projections += (await booksAreFed(caught)).length;
    }
    return { webhooks, projections };
  }

  test('a single endpoint costs as many messages as a callbackUrl', async () => {
    await setEndpoint(ALPHA, A);
    const direct = await costOf({ paymentIntentUniqueId: 'order-1' });
    const byEndpoint = await costOf({ ...NO_CALLBACK, paymentIntentUniqueId: 'order-2' });
    expect(arrivals).toHaveLength(2);
    expect(byEndpoint).toEqual(direct);
    expect(byEndpoint.webhooks).toBe(1);
  });

  test('each further endpoint costs one message', async () => {
    await twoEndpoints();
    expect((await costOf(NO_CALLBACK)).webhooks).toBe(2);
  });
});

test('the book lists and counts one delivery per endpoint', async () => {
  await twoEndpoints();
  statuses.set('b.example.com', 410);
  await payHosted(NO_CALLBACK);
  while (caught.webhooks.length > 0) {
    await consumeAll(caught);
  }
  const reader = await readerOf(env, tenantOf(ALPHA));
  const list = async (filter: EventFilter) =>
    (await reader.events(filter, null, 10)).rows.map(
      ({ endpointId, deliveryStatus, destinationOrigin }) =>
        `${endpointId} ${deliveryStatus} ${destinationOrigin}`,
    );
  const a = 'we_a delivered https://a.example.com';
  const b = 'we_b dead https://b.example.com';
  expect(await list({})).toEqual([b, a]);
  expect(await list({ endpointId: 'we_a' })).toEqual([a]);
  expect(await list({ endpointId: 'we_b', deliveryStatus: 'delivered' })).toEqual([]);
  expect(await list({ deliveryStatus: 'dead' })).toEqual([b]);
});
