import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { startSlowly } from '../../../src/engine/attempts/slow-start.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide } from '../../../src/engine/domain/decide.ts';
import type { ExecuteResult } from '../../../src/engine/intent/protocol.ts';
import { forgetRails } from '../../../src/engine/rails/settings.ts';
import answerRejected from '../../fixtures/rails/ebirr/purchase_response_rejected.json' with {
  type: 'json',
};
import answerUndecided from '../../fixtures/rails/ebirr/purchase_response_timeout.json' with {
  type: 'json',
};
import { content, operateApi } from '../operator/support.ts';
import { booksReport } from '../support/book.ts';
import {
  ALPHA,
  abortObjects,
  advance,
  answerOf,
  CREATE_PATHS,
  call,
  expressBody,
  reportsAreSent,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import {
  alarmNow,
  alarmsUntil,
  attemptNow,
  callbackPath,
  choose,
  client,
  clientIn,
  configureRails,
  dyingBeforeClaims,
  EBIRR,
  EBIRR_WINDOW_MS,
  ebirrPaid,
  ebirrReport,
  fireAlarmOf,
  intentNow,
  onceSet,
  openHosted,
  PHONE,
  payExpress,
  type RailAnswer,
  type RailCall,
  railServer,
  report,
  resolveAs,
  secretsOf,
} from './support.ts';

/**
 * Goal: a provider that answers only after the customer has acted is called at once, by the payment's
 * object and at most once per attempt, and a start without a call charges no customer
 * (docs/decisions.md#16, #31, #59). Method: eBirr; customers idle, and objects die at each step.
 */

configureRails({
  RAIL_E_BIRR_PRODUCTION: EBIRR,
  RAIL_E_BIRR_SANDBOX: { ...EBIRR, baseUrl: 'https://sandbox.ebirr.rail.test/asm' },
});
const caught = useGateway();

const FIRST_LEASE_MS = 5 * SECOND_MS;

const pay = () => payExpress({ method: 'E_BIRR' });
const PAYS: RailAnswer = (call) => new Response(ebirrPaid(call));
const UNDECIDED: RailAnswer = () => Response.json(answerUndecided);
/** A customer who does nothing. */
const IDLES: RailAnswer = () => new Promise(() => undefined);

const eventTypes = async () => (await client().events()).map(({ type }) => type);

test('decisions.md#16: answers an express payment as pending while the customer idles', async () => {
  const calls = railServer(IDLES);
  const content = await pay();
  await expect.poll(() => calls).toHaveLength(1);
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
    startClaim: 'taken',
    flow: 'push',
    phone: PHONE,
    checkAtMs: null,
    deadlineAtMs: Date.now() + EBIRR_WINDOW_MS,
  });
  // Neither the call nor its answer goes through a queue.
  expect(caught.reports).toEqual([]);
});

test('decisions.md#8: a lost answer is replayed at once, however long the customer may take', async () => {
  const calls = railServer(IDLES);
  const request = () =>
    answerOf(
      call(CREATE_PATHS.express.production, {
        ...{ method: 'POST', apiKey: ALPHA.apiKeys.production },
        headers: { 'idempotency-key': 'try-1' },
        body: expressBody({ method: 'E_BIRR', phoneNumber: PHONE }),
      }),
    );
  const lost = await request();
  const replayed = await request();
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(replayed.text).toBe(lost.text);
  await expect.poll(() => calls).toHaveLength(1);
});

test('sends a hosted customer back to the page, which waits for the prompt', async () => {
  const calls = railServer(IDLES);
  const path = await openHosted({ methods: ['E_BIRR'] });
  expect(await choose(path, 'E_BIRR')).toEqual({ status: 303, location: path });
  // A second click finds the attempt: no second prompt.
  expect(await choose(path, 'E_BIRR')).toEqual({ status: 303, location: path });
  await expect.poll(() => calls).toHaveLength(1);
  expect((await intentNow()).attempts).toHaveLength(1);
});

test('starts the attempt in flight, not the one before', async () => {
  const calls = railServer(UNDECIDED);
  const path = await openHosted({ methods: ['E_BIRR'] });
  await dyingBeforeClaims(() => choose(path, 'E_BIRR'));
  await resolveAs('failed');
  await choose(path, 'E_BIRR', 1);
  await reportsAreSent();
  const { reference } = await attemptNow();
  expect(calls.map(({ text }) => JSON.parse(text).serviceParams.transactionInfo)).toMatchObject([
    { referenceId: reference },
  ]);
});

test('claims first, then calls once, then stores eBirr’s answer', async () => {
  const asked: Attempt[] = [];
  const calls = railServer(async (call) => {
    asked.push(await attemptNow());
    return new Response(ebirrPaid(call));
  });
  const { transactionId } = await pay();
  const deadlineAtMs = Date.now() + EBIRR_WINDOW_MS;
  await reportsAreSent();
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
  await reportsAreSent();
  expect(calls.map(({ url }) => url)).toEqual(['https://sandbox.ebirr.rail.test/asm']);
  expect(await intentNow(clientIn('sandbox'))).toMatchObject({ status: 'succeeded' });
});

// ---------------------------------------------------------------------------------------------
// Customers who idle

const CUSTOMERS = Array.from({ length: 12 }, (_value, index) => `order-${index}`);

/** Twelve customers choose eBirr. Their phones ring, and each acts when the test says so. */
async function twelvePay() {
  const acts = new Map<string, (called: RailCall) => string>();
  const rung: string[] = [];
  railServer(async (called) => {
    const { referenceId } = JSON.parse(called.text).serviceParams.transactionInfo;
    rung.push(referenceId);
    const act = await onceSet(() => acts.get(referenceId));
    return new Response(act(called));
  });
  const references = await Promise.all(
    CUSTOMERS.map(async (paymentIntentUniqueId) => {
      const paid = await payExpress({ method: 'E_BIRR', paymentIntentUniqueId });
      return paid.transactionId;
    }),
  );
  await expect.poll(() => rung).toHaveLength(CUSTOMERS.length);
  expect(new Set(rung)).toEqual(new Set(references));
  const act = (index: number, how: (called: RailCall) => string) =>
    acts.set(references[index] ?? '', how);
  return {
    rung,
    pays: (index: number) => act(index, ebirrPaid),
    refuses: (index: number) => act(index, () => JSON.stringify(answerRejected)),
  };
}

test('decisions.md#59: twelve phones ring at once, though no customer acts, and each outcome is right', async () => {
  const { rung, pays, refuses } = await twelvePay();
  // The last customer acts first.
  for (const index of [...CUSTOMERS.keys()].reverse()) {
    (index % 2 === 0 ? pays : refuses)(index);
    await expect
      .poll(async () => (await attemptNow(client(CUSTOMERS[index]))).status)
      .toBe(index % 2 === 0 ? 'succeeded' : 'failed');
  }
  expect(rung).toHaveLength(CUSTOMERS.length);
});

test('promises.md#4: objects that are replaced while customers idle prompt nobody twice; the outcomes are unknown, listed, and found by reports', async () => {
  const { rung } = await twelvePay();
  await abortObjects();
  for (const uniqueId of CUSTOMERS) {
    const payment = client(uniqueId);
    expect(await attemptNow(payment)).toMatchObject({ status: 'processing', startClaim: 'taken' });
    await fireAlarmOf(payment);
  }
  advance(EBIRR_WINDOW_MS);
  for (const uniqueId of CUSTOMERS) {
    await fireAlarmOf(client(uniqueId));
    expect(await attemptNow(client(uniqueId))).toMatchObject({ status: 'unresolved' });
  }
  await reportsAreSent();
  await booksReport();
  const { items } = await content<{ items: { reasons: { reason: string }[] }[] }>(
    operateApi('/attention'),
  );
  expect(items.flatMap(({ reasons }) => reasons.map(({ reason }) => reason))).toEqual(
    CUSTOMERS.map(() => 'unresolved_attempt'),
  );
  for (const uniqueId of CUSTOMERS) {
    const payment = client(uniqueId);
    await report(await callbackPath('ebirr', payment), ebirrReport(await attemptNow(payment)));
    expect(await intentNow(payment)).toMatchObject({ status: 'succeeded' });
  }
  expect(rung).toHaveLength(CUSTOMERS.length);
});

test('requests, alarms and the window go on while a customer idles', async () => {
  const calls = railServer(IDLES);
  await pay();
  await expect.poll(() => calls).toHaveLength(1);
  const { deadlineAtMs } = await attemptNow();
  await fireAlarmOf();
  await alarmsUntil(deadlineAtMs - 1);
  expect(await attemptNow()).toMatchObject({ status: 'processing' });
  await alarmsUntil(deadlineAtMs);
  expect(await attemptNow()).toMatchObject({ status: 'unresolved' });
  expect(calls).toHaveLength(1);
});

// ---------------------------------------------------------------------------------------------
// The object dies before its claim

test('the alarm repeats an unclaimed start, at growing intervals, until it is claimed', async () => {
  const calls = railServer(UNDECIDED);
  await dyingBeforeClaims(pay);
  const startedAtMs = Date.now();
  expect(await alarmNow()).toBe(startedAtMs + FIRST_LEASE_MS);
  const repeatedAfterMs: number[] = [];
  await dyingBeforeClaims(async () => {
    for (let times = 0; times < 4; times += 1) {
      const { checkAtMs } = await attemptNow();
      await alarmsUntil(checkAtMs ?? 0);
      repeatedAfterMs.push(Date.now() - startedAtMs);
    }
  });
  expect(repeatedAfterMs).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(calls).toEqual([]);
  await alarmsUntil((await attemptNow()).checkAtMs ?? 0);
  await reportsAreSent();
  expect(calls).toHaveLength(1);
  // The customer's time begins with the claim.
  expect(await attemptNow()).toMatchObject({ deadlineAtMs: Date.now() + EBIRR_WINDOW_MS });
  await alarmsUntil((await attemptNow()).deadlineAtMs);
  expect(calls).toHaveLength(1);
});

test.each([
  ['runs twice at once', () => Promise.all([fireAlarmOf(), fireAlarmOf()])],
  ['runs beside a repeated request', () => Promise.all([fireAlarmOf(), startAgain()])],
  [
    'runs again after the object lost its memory',
    async () => {
      await fireAlarmOf();
      await reportsAreSent();
      await abortObjects();
      await fireAlarmOf();
    },
  ],
])('makes one call when the alarm %s', async (_name, runs) => {
  const calls = railServer(UNDECIDED);
  await dyingBeforeClaims(pay);
  advance(FIRST_LEASE_MS);
  await runs();
  await reportsAreSent();
  expect(calls).toHaveLength(1);
  expect(await attemptNow()).toMatchObject({ status: 'processing', startClaim: 'taken' });
});

test('makes one call when two have read the unclaimed start', async () => {
  const calls = railServer(UNDECIDED);
  await dyingBeforeClaims(pay);
  const before = await intentNow();
  let intent = before;
  const execute = (command: Command): ExecuteResult => {
    const decision = decide(intent, [command], Date.now());
    intent = decision.intent;
    return { type: 'done', intent, rejection: decision.rejection, answer: null };
  };
  const attempt = await attemptNow();
  await Promise.all([1, 2].map(() => startSlowly(env, before, attempt, execute)));
  expect(calls).toHaveLength(1);
});

/** A retry of the command whose first answer was lost. */
async function startAgain(): Promise<void> {
  const attempt = await attemptNow();
  await client().execute([{ type: 'start_attempt', attempt }]);
}

test.each([
  ['is no longer configured', {}],
  ['has an unreadable secret', { RAIL_E_BIRR_PRODUCTION: '{' }],
])('makes no call while the rail %s, and one when it is back', async (_name, secrets) => {
  const calls = railServer(UNDECIDED);
  await dyingBeforeClaims(pay);
  Reflect.deleteProperty(env, 'RAIL_E_BIRR_PRODUCTION');
  Object.assign(env, secrets);
  forgetRails();
  await alarmsUntil(Date.now() + FIRST_LEASE_MS);
  await reportsAreSent();
  expect(calls).toEqual([]);
  expect(await attemptNow()).toMatchObject({ startClaim: 'free' });
  Object.assign(env, secretsOf({ RAIL_E_BIRR_PRODUCTION: EBIRR }));
  forgetRails();
  await alarmsUntil((await attemptNow()).checkAtMs ?? 0);
  await reportsAreSent();
  expect(calls).toHaveLength(1);
});
