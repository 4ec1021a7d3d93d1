import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import type { Attempt } from '../../src/domain/attempt.ts';
import { IntentClient } from '../../src/intent/client.ts';
import answerUndecided from '../fixtures/rails/ebirr/purchase_response_timeout.json' with {
  type: 'json',
};
import {
  alarmNow,
  alarmsUntil,
  attemptNow,
  callbackPath,
  choose,
  client,
  clientIn,
  configureRails,
  consumeStart,
  EBIRR,
  EBIRR_UNCLAIMED_MS,
  EBIRR_WINDOW_MS,
  ebirrPaid,
  envWith,
  everythingStored,
  firstStart,
  intentNow,
  loggedEvents,
  noRail,
  objectIdOf,
  openHosted,
  PHONE,
  payExpress,
  type RailAnswer,
  railServer,
  resolveAs,
} from './rails-support.ts';
import {
  ALPHA,
  abortObjects,
  advance,
  answerOf,
  CREATE_PATHS,
  call,
  expressBody,
  SECOND_MS,
  useGateway,
} from './support.ts';

/**
 * Goal: a provider that answers only after the customer has acted is called at most once per
 * attempt, and a start without a call charges no customer (docs/decisions.md#16, #31). Method: eBirr;
 * the test is the queue, and loses, duplicates and delays the messages.
 */

configureRails({
  RAIL_E_BIRR_PRODUCTION: EBIRR,
  RAIL_E_BIRR_SANDBOX: { ...EBIRR, baseUrl: 'https://sandbox.ebirr.rail.test/asm' },
});
const caught = useGateway();

const FIRST_LEASE_MS = 10 * SECOND_MS;

const pay = () => payExpress({ method: 'E_BIRR' });
const message = () => firstStart(caught);
const PAYS: RailAnswer = (call) => new Response(ebirrPaid(call));

const eventTypes = async () => (await client().events()).map(({ type }) => type);

test('decisions.md#16: answers an express payment as pending without waiting for the provider', async () => {
  const calls = noRail();
  const content = await pay();
  expect(calls).toEqual([]);
  const attempt = await attemptNow();
  expect(content).toEqual({
    paymentUrl: null,
    transactionId: attempt.reference,
    status: 'SUCCESS',
    message: 'The payment was accepted',
    failureReason: null,
  });
  expect(attempt).toMatchObject({
    status: 'processing',
    startClaim: 'free',
    flow: 'push',
    phone: PHONE,
    checkAtMs: Date.now() + FIRST_LEASE_MS,
    deadlineAtMs: Date.now() + EBIRR_UNCLAIMED_MS,
  });
  expect(caught.starts).toEqual([
    { type: 'start', objectName: client().objectName, attemptId: attempt.id },
  ]);
  expect(await alarmNow()).toBeLessThanOrEqual(Date.now() + FIRST_LEASE_MS);
});

test('decisions.md#8: a lost answer is replayed after seconds, however long the customer may take', async () => {
  noRail();
  const request = () =>
    answerOf(
      call(CREATE_PATHS.express.production, {
        ...{ method: 'POST', apiKey: ALPHA.apiKeys.production },
        headers: { 'idempotency-key': 'try-1' },
        body: expressBody({ method: 'E_BIRR', phoneNumber: PHONE }),
      }),
    );
  vi.spyOn(IntentClient.prototype, 'execute').mockRejectedValueOnce(new Error('the Worker died'));
  const lost = await request();
  advance(2 * SECOND_MS);
  expect((await request()).status).toBe(409);
  advance(2 * SECOND_MS);
  const replayed = await request();
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(replayed.text).toBe(lost.text);
});

test('sends a hosted customer back to the page, which waits for the prompt', async () => {
  const calls = noRail();
  const path = await openHosted({ methods: ['E_BIRR'] });
  expect(await choose(path, 'E_BIRR')).toEqual({ status: 303, location: path });
  expect(caught.starts).toHaveLength(1);
  expect(calls).toEqual([]);
  // A second click finds the attempt: no second prompt.
  expect(await choose(path, 'E_BIRR')).toEqual({ status: 303, location: path });
  expect((await intentNow()).attempts).toHaveLength(1);
  expect(caught.starts).toHaveLength(1);
});

test('a message starts its own attempt, not the one before', async () => {
  const path = await openHosted({ methods: ['E_BIRR'] });
  await choose(path, 'E_BIRR');
  await resolveAs('failed');
  await choose(path, 'E_BIRR', 1);
  const { reference } = await attemptNow();
  const calls = railServer((call) => new Response(ebirrPaid(call)));
  await consumeStart(caught.starts.splice(0));
  expect(calls.map(({ text }) => JSON.parse(text).serviceParams.transactionInfo)).toMatchObject([
    { referenceId: reference },
  ]);
  expect((await intentNow()).attempts).toMatchObject([
    { status: 'failed' },
    { status: 'succeeded', reference },
  ]);
});

test('the consumer claims first, then calls once, then stores eBirr’s answer', async () => {
  const { transactionId } = await pay();
  const asked: Attempt[] = [];
  const calls = railServer(async (call) => {
    asked.push(await attemptNow());
    return new Response(ebirrPaid(call));
  });
  // The queue was slow: the customer's time begins only now.
  await alarmsUntil(Date.now() + 50 * SECOND_MS);
  const deadlineAtMs = Date.now() + EBIRR_WINDOW_MS;
  expect((await consumeStart([message()])).explicitAcks).toEqual(['message-0']);
  expect(asked).toMatchObject([{ startClaim: 'taken', checkAtMs: null, deadlineAtMs }]);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ method: 'POST', url: EBIRR.baseUrl });
  expect(JSON.parse(calls[0]?.text ?? '').serviceParams).toMatchObject({
    merchantUid: EBIRR.merchantUid,
    returnUrl: `https://pay.kefel.test${await callbackPath('ebirr')}`,
    payerInfo: { accountNo: PHONE },
    transactionInfo: { referenceId: transactionId, amount: '100.50', currency: 'ETB' },
  });
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: false });
  expect(await attemptNow()).toMatchObject({ status: 'succeeded', receipt: '1000001' });
  expect(await eventTypes()).toEqual(['payment_succeeded']);
  expect(caught.webhooks).toHaveLength(1);
});

test('decisions.md#22: calls the sandbox’s test system, never the production one', async () => {
  const calls = railServer(PAYS);
  await payExpress({ method: 'E_BIRR', testMode: { testModeType: 'ACTUAL_TEST' } }, 'sandbox');
  await consumeStart([message()]);
  expect(calls.map(({ url }) => url)).toEqual(['https://sandbox.ebirr.rail.test/asm']);
  expect(await intentNow(clientIn('sandbox'))).toMatchObject({ status: 'succeeded' });
});

const TWICE: readonly [string, () => Promise<unknown>][] = [
  [
    'twice, one after the other',
    async () => {
      await consumeStart([message()]);
      await consumeStart([message()]);
    },
  ],
  ['three times in one batch', () => consumeStart([message(), message(), message()])],
  [
    'to four consumers at once',
    () => Promise.all(Array.from({ length: 4 }, () => consumeStart([message()]))),
  ],
  [
    'again after the object lost its memory',
    async () => {
      await consumeStart([message()]);
      await abortObjects();
      await consumeStart([message()]);
    },
  ],
];

test.each(TWICE)('a message that arrives %s makes one call', async (_name, consume) => {
  await pay();
  const calls = railServer(() => Response.json(answerUndecided));
  await consume();
  expect(calls).toHaveLength(1);
  expect(await attemptNow()).toMatchObject({ status: 'processing', startClaim: 'taken' });
});

const UNCALLED: readonly [string, () => Promise<unknown>][] = [
  [
    'after the attempt was paid',
    async () => {
      await resolveAs('succeeded');
      await consumeStart([message()]);
    },
  ],
  [
    'after the attempt failed',
    async () => {
      await resolveAs('failed');
      await consumeStart([message()]);
    },
  ],
  [
    'after its window closed',
    async () => {
      await alarmsUntil((await attemptNow()).deadlineAtMs);
      await consumeStart([message()]);
    },
  ],
  [
    'after its window closed, before any alarm',
    async () => {
      const { deadlineAtMs } = await attemptNow();
      await alarmsUntil(deadlineAtMs - 1);
      vi.setSystemTime(deadlineAtMs);
      await consumeStart([message()]);
    },
  ],
  [
    'for an unknown attempt',
    () => consumeStart([{ ...message(), attemptId: crypto.randomUUID() }]),
  ],
  [
    'for an unknown payment',
    () => consumeStart([{ ...message(), objectName: client('order-2').objectName }]),
  ],
  [
    'when the rail is no longer configured',
    () => consumeStart([message()], envWith({ RAIL_E_BIRR_PRODUCTION: undefined })),
  ],
  [
    'when the rail’s secret has become unreadable',
    () => consumeStart([message()], envWith({ RAIL_E_BIRR_PRODUCTION: '{' })),
  ],
];

test.each(UNCALLED)('makes no call: a message %s', async (_name, consume) => {
  await pay();
  const calls = noRail();
  await consume();
  expect(calls).toEqual([]);
  expect((await attemptNow()).startClaim).toBe('free');
  // A message about an unknown payment leaves no rows in any object.
  expect(Object.keys(await everythingStored())).toEqual([objectIdOf(client())]);
});

test('acknowledges every message, because the object resends what no consumer has claimed', async () => {
  await pay();
  noRail();
  vi.spyOn(IntentClient.prototype, 'read').mockRejectedValueOnce(new Error('away'));
  const result = await consumeStart([message(), { ...message(), attemptId: 'x' }, message()]);
  expect(result.explicitAcks).toEqual(['message-0', 'message-1', 'message-2']);
  expect(result.retryMessages).toEqual([]);
  expect(loggedEvents('rail_message_failed')).toHaveLength(1);
});

test('an attempt of a rail that is called within the request cannot be claimed', async () => {
  const calls = noRail();
  await payExpress({ method: 'E_BIRR' }, 'sandbox');
  const { objectName } = clientIn('sandbox');
  const attempt = await attemptNow(clientIn('sandbox'));
  await consumeStart([{ type: 'start', objectName, attemptId: attempt.id }]);
  expect(calls).toEqual([]);
  expect(await attemptNow(clientIn('sandbox'))).toEqual(attempt);
});

// ---------------------------------------------------------------------------------------------
// The message is lost

test('the alarm sends a lost message again, at growing intervals, until it is claimed', async () => {
  await pay();
  const sentAtMs = [Date.now()];
  for (let times = 0; times < 4; times += 1) {
    const { checkAtMs } = await attemptNow();
    await alarmsUntil((checkAtMs ?? 0) - 1);
    expect(caught.starts).toHaveLength(sentAtMs.length);
    await alarmsUntil(checkAtMs ?? 0);
    sentAtMs.push(Date.now());
    expect(caught.starts).toHaveLength(sentAtMs.length);
  }
  expect(sentAtMs.map((atMs) => (atMs - (sentAtMs[0] ?? 0)) / SECOND_MS)).toEqual([
    0, 10, 15, 25, 45,
  ]);
  expect(new Set(caught.starts.map((sent) => JSON.stringify(sent)))).toHaveLength(1);
  const calls = railServer(() => Response.json(answerUndecided));
  await consumeStart([...caught.starts]);
  expect(calls).toHaveLength(1);
  await alarmsUntil((await attemptNow()).deadlineAtMs);
  expect(caught.starts).toHaveLength(sentAtMs.length);
  expect(calls).toHaveLength(1);
});

test('a message that the queue rejects is no failure, and is sent again', async () => {
  noRail();
  vi.mocked(env.RAIL_STARTS.send).mockRejectedValueOnce(new Error('queue is full'));
  expect(await pay()).toMatchObject({ status: 'SUCCESS' });
  expect(loggedEvents('queue_send_failed')).toMatchObject([{ error: 'Error: queue is full' }]);
  expect(caught.starts).toEqual([]);
  await alarmsUntil(Date.now() + FIRST_LEASE_MS);
  expect(caught.starts).toHaveLength(1);
});
