import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import {
  CLAIM_LEASE_MS,
  DELIVERY_WAITS_MS,
  QUEUED_LEASE_MS,
} from '../../../src/engine/domain/schedule.ts';
import { base64FromBytes } from '../../../src/kit/crypto/encoding.ts';
import {
  ALPHA,
  advance,
  alarmOf,
  answerOf,
  BETA,
  CALLBACK_URL,
  CREATE_PATHS,
  call,
  cancelPath,
  chooseMethod,
  claim,
  clientOf,
  consume,
  consumeAll,
  createHosted,
  DAY_MS,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  firstOf,
  hostedBody,
  INTERRUPTIONS,
  isGenuine,
  lastEvent,
  MINUTE_MS,
  merchantServer,
  payHosted,
  paymentIn,
  report,
  resolveAttempt,
  SECOND_MS,
  setEndpoint,
  simulate,
  spkiOf,
  startRedirect,
  statusPath,
  stubOf,
  tenantOf,
  useDeliveries,
  webhookKeys,
} from '../support.ts';

/**
 * Goal: docs/promises.md#6 and docs/decisions.md#17, #18, #19, #31: every event reaches the
 * merchant at least once or is visibly dead, with the same bytes, even when messages are lost,
 * duplicated or reordered. Method: the test is the queue: it drops, duplicates and reorders the
 * messages that the object sends, and moves the clock from one due time to the next.
 */

const { caught, arrivals, statuses, deliver, retry, nextDue, nextTry } = useDeliveries();

const FAILED = { type: 'failed', retryAfterMs: null, isEndpointPaused: false } as const;

test('promises.md#6: queues the event in the commit that announces it, and sets the alarm', async () => {
  await payHosted();
  const event = await lastEvent();
  expect(event).toMatchObject({
    type: 'payment_succeeded',
    deliveryStatus: 'queued',
    dueAtMs: Date.now() + QUEUED_LEASE_MS,
    tries: [],
  });
  expect(await alarmOf()).toBe(event.dueAtMs);
  expect(caught.webhooks).toEqual([
    {
      objectName: clientOf().objectName,
      sequence: event.sequence,
      position: 0,
      tenant: tenantOf(ALPHA),
      endpointId: null,
      mustChoose: false,
      eventType: 'payment_succeeded',
      paymentLinkUniqueId: null,
    },
  ]);
  const transition = (await clientOf().history()).at(-1);
  expect(transition).toMatchObject({ version: event.sequence, toStatus: 'succeeded' });
});

test('decisions.md#17: sends the event as documented, with both signatures', async () => {
  await payHosted();
  await deliver();
  const arrival = firstOf(arrivals);
  expect(arrival.url).toBe(CALLBACK_URL);
  expect(Object.keys(arrival.event)).toEqual([
    'webHookEvent',
    'paymentIntentUniqueId',
    'status',
    'environment',
    'payloadVersion',
    'signature',
    'body',
  ]);
  expect(arrival.event).toMatchObject({
    webHookEvent: 'PAYMENT_SUCCESS',
    paymentIntentUniqueId: 'order-1',
    status: 'SUCCESS',
    environment: 'sandbox',
  });
  expect(paymentIn(arrival)).toMatchObject({
    uniqueId: 'order-1',
    test: true,
    totalAmount: 10_050,
    commission: 101,
    chargedAmount: 10_050,
    event: 'PAYMENT_SUCCESS',
    status: 'SUCCESS',
    previousStatus: 'PROCESSING',
    late: false,
    transaction: { transactionStatus: 'SUCCESS', paymentType: 'TELE_BIRR' },
    merchantId: ALPHA.id,
    environment: 'sandbox',
  });
  expect(await isGenuine(arrival)).toBe(true);
  vi.useRealTimers();
  vi.useFakeTimers({
    toFake: ['Date'],
    now: Number(arrival.headers.get('webhook-timestamp')) * SECOND_MS,
  });
  const verified = new Webhook(ALPHA.webhookSecret).verify(arrival.text, {
    'webhook-id': arrival.headers.get('webhook-id') ?? '',
    'webhook-timestamp': arrival.headers.get('webhook-timestamp') ?? '',
    'webhook-signature': arrival.headers.get('webhook-signature') ?? '',
  });
  expect(verified).toEqual(arrival.event);
});

test("decisions.md#17: a payment of another merchant with this one's id and callbackUrl names its merchant in the signed text", async () => {
  const body = hostedBody();
  const answer = await call(CREATE_PATHS.hosted.sandbox, {
    method: 'POST',
    apiKey: BETA.apiKeys.sandbox,
    body,
  });
  const { envelope } = await answerOf(answer);
  await simulate(await chooseMethod(String(envelope.content)), 'approve');
  await deliver();
  const arrival = firstOf(arrivals);
  expect([arrival.url, await isGenuine(arrival)]).toEqual([CALLBACK_URL, true]);
  expect(paymentIn(arrival)).toMatchObject({
    event: 'PAYMENT_SUCCESS',
    uniqueId: body.paymentIntentUniqueId,
    merchantId: BETA.id,
    environment: 'sandbox',
  });
});

test('promises.md#6: sends a lost message again after its lease, at growing intervals, and not before', async () => {
  await payHosted();
  const { sequence } = await lastEvent();
  const sentAtMs: number[] = [];
  for (let times = 0; times < 12; times += 1) {
    caught.webhooks.length = 0;
    const { dueAtMs } = await lastEvent();
    vi.setSystemTime((dueAtMs ?? 0) - 1);
    await fireAlarm();
    expect(caught.webhooks).toEqual([]);
    await nextDue();
    expect(caught.webhooks.map((message) => message.sequence)).toEqual([sequence]);
    sentAtMs.push(Date.now());
  }
  const gaps = sentAtMs.slice(1).map((atMs, index) => atMs - (sentAtMs[index] ?? 0));
  expect(gaps).toEqual([...gaps].sort((one, other) => one - other));
  expect(gaps.at(-1)).toBe(60 * MINUTE_MS);
  await deliver();
  expect(arrivals).toHaveLength(1);
});

test('promises.md#6: duplicate messages, in sequence or at once, make one claim and one request', async () => {
  await payHosted();
  const message = firstOf(caught.webhooks.splice(0));
  await Promise.all([
    consume('kefel-webhooks', [message, message, message]),
    consume('kefel-webhook-retries', [message, message]),
  ]);
  await consume('kefel-webhooks', [message]);
  expect(arrivals).toHaveLength(1);
  expect((await lastEvent()).tries).toHaveLength(1);
});

test('promises.md#6: acknowledges every message once its delivery has started', async () => {
  merchantServer(() => {
    throw new Error('connection reset');
  });
  await payHosted();
  const result = await deliver();
  expect(result.explicitAcks).toEqual(['message-0']);
  expect(result.retryMessages).toEqual([]);
  expect(await lastEvent()).toMatchObject({
    deliveryStatus: 'waiting',
    tries: [{ httpStatus: null, error: 'connection failed' }],
  });
});

test('promises.md#6: ignores a message for an unknown object or event', async () => {
  await createHosted();
  const { objectName } = clientOf();
  const { objectName: unknown } = clientOf('order-3');
  await payHosted({ paymentIntentUniqueId: 'order-2' });
  const message = firstOf(caught.webhooks.splice(0));
  const result = await consume('kefel-webhooks', [
    { ...message, objectName, sequence: 99 },
    { ...message, position: 7 },
    { ...message, objectName: unknown, sequence: 1 },
    { ...message, objectName: 'no name at all', sequence: 1 },
  ]);
  expect(result.explicitAcks).toHaveLength(4);
  expect(arrivals).toEqual([]);
});

test('promises.md#6: grants one claim at a time', async () => {
  await payHosted();
  const { sequence } = await lastEvent();
  const claims = await Promise.all(
    Array.from({ length: 10 }, () => clientOf().claimDelivery({ sequence, position: 0 })),
  );
  expect(claims.filter(({ type }) => type === 'claimed')).toHaveLength(1);
});

test('promises.md#6: queues a claim without a report again after its lease, not before', async () => {
  await payHosted();
  const { sequence } = await lastEvent();
  const lost = await claim(sequence);
  caught.webhooks.length = 0;
  advance(CLAIM_LEASE_MS - 1);
  await fireAlarm();
  expect(caught.webhooks).toEqual([]);
  expect((await clientOf().claimDelivery({ sequence, position: 0 })).type).toBe('refused');
  advance(1);
  await fireAlarm();
  expect(caught.webhooks).toHaveLength(1);
  const next = await claim(sequence);
  expect(next.claimId).not.toBe(lost.claimId);
  expect(next.requestBody).toBe(lost.requestBody);
  expect(next.eventId).toBe(lost.eventId);
});

test('promises.md#6: only logs the failure report of an old claim', async () => {
  await payHosted();
  const { sequence } = await lastEvent();
  const old = await claim(sequence);
  advance(CLAIM_LEASE_MS);
  await fireAlarm();
  const current = await claim(sequence);
  const before = await lastEvent();
  for (const outcome of [FAILED, { type: 'gone' }, { type: 'no_destination' }] as const) {
    await report(sequence, old.claimId, outcome);
    const { tries, ...event } = await lastEvent();
    expect(event).toEqual({ ...before, tries: undefined });
    expect(tries.length).toBeGreaterThan(0);
  }
  expect((await lastEvent()).tries).toHaveLength(3);
  await report(sequence, current.claimId, { type: 'delivered' });
  expect((await lastEvent()).deliveryStatus).toBe('delivered');
});

test('promises.md#6: a success of an old claim counts, and nothing more is sent', async () => {
  await payHosted();
  const { sequence } = await lastEvent();
  const old = await claim(sequence);
  advance(CLAIM_LEASE_MS);
  await fireAlarm();
  await report(sequence, old.claimId, { type: 'delivered' });
  expect(await lastEvent()).toMatchObject({ deliveryStatus: 'delivered', dueAtMs: null });
  expect((await clientOf().claimDelivery({ sequence, position: 0 })).type).toBe('refused');
  // A second report of the same or another claim does not revive the event.
  await report(sequence, old.claimId, FAILED);
  expect((await lastEvent()).deliveryStatus).toBe('delivered');
});

/** A hosted payment that expires with an unresolved redirect attempt: it may still be paid late. */
async function expireWithAttempt(): Promise<void> {
  await createHosted();
  await execute(startRedirect('a0'));
  advance(EXPIRE_IN_MS);
  await fireAlarm();
}

const UNDELIVERED: readonly [string, () => Promise<unknown>][] = [
  ['still queued', async () => undefined],
  ['claimed', async () => claim((await lastEvent()).sequence)],
  [
    'waiting for its next try',
    async () => {
      statuses.set('', 500);
      await deliver();
      statuses.clear();
    },
  ],
  [
    'dead',
    async () => {
      statuses.set('', 410);
      await deliver();
      statuses.clear();
    },
  ],
];

test.each(UNDELIVERED)(
  'decisions.md#18: a later event supersedes an earlier one that is %s, and is sent at once',
  async (_name, prepare) => {
    await expireWithAttempt();
    const expired = caught.webhooks.slice();
    await prepare();
    caught.webhooks.length = 0;
    await execute(resolveAttempt('a0', 'succeeded'));
    expect(await clientOf().events()).toMatchObject([
      { type: 'payment_expired', deliveryStatus: 'superseded', dueAtMs: null },
      { type: 'payment_succeeded', deliveryStatus: 'queued' },
    ]);
    arrivals.length = 0;
    // The old message arrives after the new one.
    await consume('kefel-webhooks', [...caught.webhooks.splice(0), ...expired]);
    expect(arrivals.map(({ event }) => event.webHookEvent)).toEqual(['PAYMENT_SUCCESS']);
    advance(DAY_MS);
    await fireAlarm();
    await consumeAll(caught);
    expect(arrivals).toHaveLength(1);
  },
);

test('decisions.md#18: the failure of a claim that has been superseded does not revive it', async () => {
  await expireWithAttempt();
  const { sequence } = await lastEvent();
  const { claimId } = await claim(sequence);
  await execute(resolveAttempt('a0', 'succeeded'));
  await report(sequence, claimId, FAILED);
  expect((await clientOf().events())[0]).toMatchObject({ deliveryStatus: 'superseded' });
});

test('decisions.md#31: after a late success both events arrive in order, the second marked late', async () => {
  await expireWithAttempt();
  await deliver();
  await execute(resolveAttempt('a0', 'succeeded'));
  await deliver();
  expect(arrivals.map(({ event }) => event.webHookEvent)).toEqual([
    'PAYMENT_EXPIRED',
    'PAYMENT_SUCCESS',
  ]);
  const [expired, succeeded] = arrivals.map(paymentIn);
  expect(expired).toMatchObject({ status: 'EXPIRED', late: false, paidAt: null });
  const paidAt = succeeded?.lastUpdateDate;
  expect(succeeded).toMatchObject({ status: 'SUCCESS', previousStatus: 'EXPIRED', paidAt });
  expect(succeeded?.late).toBe(true);
  expect(Number(succeeded?.sequence)).toBeGreaterThan(Number(expired?.sequence));
  expect(await clientOf().events()).toMatchObject([
    { deliveryStatus: 'delivered' },
    { deliveryStatus: 'delivered' },
  ]);
});

test.each([
  ['expired', () => expireWithAttempt()],
  [
    'failed',
    async () => {
      await createHosted();
      await execute(startRedirect('a0'));
      await execute({ type: 'abandon_payment' });
    },
  ],
  [
    'canceled',
    async () => {
      await createHosted();
      await execute(startRedirect('a0'));
      await execute({ type: 'abandon_attempt', attemptId: 'a0' });
      await execute({ type: 'cancel' });
    },
  ],
])(
  'decisions.md#31: a success after the payment was %s makes it succeeded, late, once',
  async (status, prepare) => {
    await prepare();
    expect(await clientOf().read()).toMatchObject({ status });
    await execute(resolveAttempt('a0', 'succeeded'));
    await execute(resolveAttempt('a0', 'succeeded'));
    const events = await clientOf().events();
    expect(events.filter(({ type }) => type === 'payment_succeeded')).toHaveLength(1);
    const { envelope } = await answerOf(call(statusPath('order-1')));
    expect(envelope.content).toMatchObject({ status: 'SUCCESS', late: true, anomalies: [] });
  },
);

test('decisions.md#31: a second paid attempt is an anomaly in the status call, without a second event', async () => {
  await createHosted();
  await execute(startRedirect('a0'));
  await execute({ type: 'abandon_attempt', attemptId: 'a0' });
  await execute(startRedirect('a1'));
  await execute(resolveAttempt('a1', 'succeeded'));
  await deliver();
  for (let times = 0; times < 3; times += 1) {
    await execute(resolveAttempt('a0', 'succeeded'));
  }
  expect(caught.webhooks).toEqual([]);
  expect(await clientOf().events()).toHaveLength(1);
  const { envelope } = await answerOf(call(statusPath('order-1')));
  expect(envelope.content).toMatchObject({
    status: 'SUCCESS',
    late: false,
    anomalies: [
      {
        type: 'duplicate_payment',
        transactionId: 'REFA0',
        createdAt: new Date(Date.now()).toISOString(),
      },
    ],
  });
  advance(DAY_MS);
  await fireAlarm();
  await consumeAll(caught);
  expect(arrivals).toHaveLength(1);
});

test('decisions.md#25: a cancel sends no webhook', async () => {
  await createHosted();
  expect((await call(cancelPath('order-1'), { method: 'POST' })).status).toBe(200);
  expect(caught.webhooks).toEqual([]);
  expect(await clientOf().events()).toEqual([]);
});

test.each(Object.entries(INTERRUPTIONS))(
  'decisions.md#18: an event is dead after ten failed tries at the times of the schedule (%s)',
  async (_name, interrupt) => {
    const triedAtMs: number[] = [];
    merchantServer(() => {
      triedAtMs.push(Date.now());
      return new Response('not today', { status: 500 });
    });
    await payHosted();
    await deliver();
    for (let tries = 1; tries < 10; tries += 1) {
      expect(await lastEvent()).toMatchObject({ deliveryStatus: 'waiting' });
      await interrupt();
      // One millisecond too early, nothing is sent.
      vi.setSystemTime(((await lastEvent()).dueAtMs ?? 0) - 1);
      await fireAlarm();
      expect(caught.retries).toEqual([]);
      await nextDue();
      // Retries have their own queue.
      expect(caught.webhooks).toEqual([]);
      expect(caught.retries).toHaveLength(1);
      await interrupt();
      await retry();
    }
    const event = await lastEvent();
    expect(event).toMatchObject({ deliveryStatus: 'dead', dueAtMs: null });
    expect(event.tries).toHaveLength(10);
    expect(event.tries.every(({ httpStatus }) => httpStatus === 500)).toBe(true);
    expect(event.tries[0]?.answerExcerpt).toBe('not today');
    const waits = triedAtMs.slice(1).map((atMs, index) => atMs - (triedAtMs[index] ?? 0));
    expect(waits).toEqual(DELIVERY_WAITS_MS.slice(1));
    expect(triedAtMs).toHaveLength(10);
    advance(30 * DAY_MS);
    await fireAlarm();
    expect(caught.retries).toEqual([]);
    expect(caught.webhooks).toEqual([]);
  },
);

test('decisions.md#18: an operator can resend a dead event, which gets the whole schedule again', async () => {
  statuses.set('', 410);
  await payHosted();
  await deliver();
  expect(await lastEvent()).toMatchObject({ deliveryStatus: 'dead', dueAtMs: null });
  advance(DAY_MS);
  await fireAlarm();
  expect([...caught.webhooks, ...caught.retries]).toEqual([]);

  const { sequence } = await lastEvent();
  expect(await clientOf().resendEvent(sequence)).toBe(true);
  statuses.set('', 500);
  await deliver();
  expect(await lastEvent()).toMatchObject({ deliveryStatus: 'waiting' });
  statuses.set('', 204);
  await nextTry();
  expect(await lastEvent()).toMatchObject({ deliveryStatus: 'delivered' });
  expect(new Set(arrivals.map(({ text }) => text)).size).toBe(1);
  expect(await clientOf().resendEvent(99)).toBe(false);
});

test.each([
  [200, 'delivered'],
  [299, 'delivered'],
  [300, 'waiting'],
  [410, 'dead'],
  [500, 'waiting'],
])('decisions.md#18: after HTTP %i an event is %s', async (status, deliveryStatus) => {
  merchantServer(() => new Response('x', { status }));
  await payHosted();
  await deliver();
  expect(await lastEvent()).toMatchObject({ deliveryStatus, tries: [{ httpStatus: status }] });
});

test.each([
  ['120', 120 * SECOND_MS],
  ['1', 5 * SECOND_MS],
  ['999999999', DAY_MS],
])(
  'decisions.md#18: Retry-After: %s delays the next try, but never hastens it',
  async (value, waitMs) => {
    merchantServer(() => new Response('', { status: 429, headers: { 'retry-after': value } }));
    await payHosted();
    await deliver();
    expect((await lastEvent()).dueAtMs).toBe(Date.now() + waitMs);
  },
);

const NO_USABLE_CALLBACK = [
  ['without callbackUrl', { callbackUrl: null }],
  ['with a callbackUrl of plain http', { callbackUrl: 'http://hooks.example.com/kefel' }],
] as const;

test.each(NO_USABLE_CALLBACK)(
  'decisions.md#19: %s the event goes to the endpoint of that environment',
  async (_name, terms) => {
    await setEndpoint(ALPHA, 'https://hooks.example.com/sandbox');
    await setEndpoint(ALPHA, 'https://hooks.example.com/live', 'production');
    await payHosted(terms);
    await deliver();
    expect(arrivals.map(({ url }) => url)).toEqual(['https://hooks.example.com/sandbox']);
  },
);

test.each(NO_USABLE_CALLBACK)(
  'decisions.md#19: %s and any endpoint the event is kept, and can be sent once there is one',
  async (_name, terms) => {
    await payHosted(terms);
    await deliver();
    expect(await lastEvent()).toMatchObject({
      ...{ deliveryStatus: 'undeliverable', dueAtMs: null },
      tries: [{ httpStatus: null, error: 'no callbackUrl takes it and no endpoint is enabled' }],
    });
    advance(DAY_MS);
    await fireAlarm();
    expect([...caught.webhooks, ...caught.retries]).toEqual([]);
    expect(arrivals).toEqual([]);

    await setEndpoint(ALPHA, 'https://hooks.example.com/sandbox');
    expect(await clientOf().resendEvent((await lastEvent()).sequence)).toBe(true);
    await deliver();
    expect(await lastEvent()).toMatchObject({ deliveryStatus: 'delivered' });
    expect(arrivals).toHaveLength(1);
  },
);

/**
 * Puts a new RSA key first in the object's ring, before the old one. Returns the new key's entry in
 * the ring, for the Worker.
 */
async function rotateRsaKey(): Promise<string> {
  const pair = await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
    true,
    ['sign', 'verify'],
  );
  if (!('privateKey' in pair)) {
    throw new Error('not a key pair');
  }
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', pair.privateKey);
  const fresh = base64FromBytes(pkcs8 instanceof ArrayBuffer ? pkcs8 : new Uint8Array());
  const ring = `s2:${fresh},${env.WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX}`;
  // A new deployment means a new isolate with a new environment.
  await evictAllDurableObjects();
  await runInDurableObject(stubOf(), (instance) => {
    const own = instance as unknown as { env: Env };
    own.env = { ...own.env, WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: ring };
  });
  return `s2:${fresh}`;
}

test('decisions.md#17, #32: sends the same bytes on every try, also after a key rotation', async () => {
  statuses.set('', 500);
  await payHosted();
  await deliver();
  await nextTry();
  await rotateRsaKey();
  for (let tries = 2; tries < 10; tries += 1) {
    await nextTry();
  }
  expect(arrivals).toHaveLength(10);
  expect(new Set(arrivals.map(({ text }) => text)).size).toBe(1);
  expect(new Set(arrivals.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1);
  // Timestamp and HMAC belong to each try.
  expect(new Set(arrivals.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(10);
  const [arrival] = arrivals;
  expect(arrival && (await isGenuine(arrival))).toBe(true);
});

test('decisions.md#32: a resent event verifies by its retired key for 400 days', async () => {
  await payHosted();
  await consumeAll(caught);
  const [old] = await webhookKeys();
  const fresh = await rotateRsaKey();
  const today = new Date().toISOString().slice(0, 10);
  // The operator has destroyed the private key.
  const rotated = {
    ...env,
    WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: fresh,
    WEBHOOK_RETIRED_KEYS_SANDBOX: `s1:${old && spkiOf(old)}:${today}`,
  };
  advance(399 * DAY_MS);
  const list = await answerOf(call('/api/v1/payment/sandbox/events'));
  const { data } = list.envelope.content as { data: { id: string }[] };
  for (const { id } of data) {
    await call(`/api/v1/payment/sandbox/events/${id}/resend`, { method: 'POST' });
  }
  await deliver();
  const [first, resent] = arrivals;
  expect(resent?.text).toBe(first?.text);
  const keys = await webhookKeys(rotated);
  expect(keys.map(({ keyId }) => keyId)).toEqual(['s2', 's1']);
  expect(keys.map(({ retiredAt }) => retiredAt)).toEqual([null, `${today}T00:00:00.000Z`]);
  expect(resent && (await isGenuine(resent, keys))).toBe(true);
  expect(resent && (await isGenuine(resent, keys.slice(0, 1)))).toBe(false);
  advance(DAY_MS);
  expect((await webhookKeys(rotated)).map(({ keyId }) => keyId)).toEqual(['s2']);
});

test('decisions.md#32: an event first sent after a rotation is signed with the new key', async () => {
  await payHosted();
  await rotateRsaKey();
  await deliver();
  const [arrival] = arrivals;
  // This Worker publishes only the old key, which proves that the rotation took effect.
  expect(arrival && (await isGenuine(arrival))).toBe(false);
});
