import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import {
  consumeResults as consumer,
  type ResultMessage,
} from '../../../src/engine/attempts/provider-reports.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import answerRejected from '../../fixtures/rails/ebirr/purchase_response_rejected.json' with {
  type: 'json',
};
import answerUndecided from '../../fixtures/rails/ebirr/purchase_response_timeout.json' with {
  type: 'json',
};
import {
  ALPHA,
  CREATE_PATHS,
  expressBody,
  logged,
  postForm,
  reportsAreSent,
  resolveAttempt,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { playRails, SCENE_SECRETS, SCENES, send } from './scenes.ts';
import {
  attemptNow,
  CARDS,
  choose,
  client,
  clientIn,
  configureRails,
  consumeResults,
  EBIRR,
  ebirrPaid,
  everythingStored,
  fireAlarmOf,
  intentNow,
  loggedEvents,
  noRail,
  objectsAway,
  openHosted,
  PHONE,
  payExpress,
  type RailAnswer,
  railServer,
  resultsIn,
} from './support.ts';

/**
 * Goal: docs/promises.md#4 for a provider that reports only once: an unreachable object gets the
 * report later, the provider gets its usual answer, and no event is sent twice. Method: objects
 * that fail as the platform does, behind the real Worker; the test is the queue.
 */

configureRails(SCENE_SECRETS);
const caught = useGateway();

const eventTypes = async (payment = client()) => (await payment.events()).map(({ type }) => type);

const settling = (commands: ResultMessage['commands']): ResultMessage => ({
  type: 'result',
  objectName: client().objectName,
  commands,
  facts: null,
});

// ---------------------------------------------------------------------------------------------
// Callbacks

const STORIES = SCENES.flatMap((scene) =>
  (['paid', 'failed'] as const).map((reported) => ({ ...scene, reported })),
);

test.each(STORIES)(
  'promises.md#4: $railId reports $reported to an unreachable object: answered as usual, stored later, announced once',
  async ({ railId, payment, begin, report, reported }) => {
    playRails();
    await begin();
    const { id: attemptId } = await attemptNow(payment());
    const away = objectsAway({ onlyExecute: true });
    const answered = await report(reported);
    away.comeBack();
    expect(answered.status).toBe(200);
    // Not stored yet, but in the queue.
    expect(await intentNow(payment())).toMatchObject({ status: 'processing', anomalies: [] });
    const outcome = reported === 'paid' ? { type: 'succeeded' } : { type: 'failed' };
    expect(resultsIn(caught)).toMatchObject([
      {
        type: 'result',
        objectName: payment().objectName,
        commands: [{ type: 'resolve_attempt', attemptId, outcome }],
      },
    ]);
    expect(loggedEvents('rail_answer_not_stored')).toEqual([
      {
        event: 'rail_answer_not_stored',
        objectName: payment().objectName,
        error: 'ObjectUnavailable: overloaded',
      },
    ]);
    // The queue may deliver it twice, and the provider may repeat it.
    const messages = resultsIn(caught);
    for (let times = 0; times < 2; times += 1) {
      expect((await consumeResults(messages)).explicitAcks).toEqual(['message-0']);
    }
    expect(await report(reported)).toEqual(answered);
    expect(await attemptNow(payment())).toMatchObject({
      railId,
      status: reported === 'paid' ? 'succeeded' : 'failed',
    });
    const event = reported === 'paid' ? 'payment_succeeded' : 'payment_failed';
    expect(await eventTypes(payment())).toEqual([event]);
    expect(caught.webhooks).toHaveLength(1);
    expect(resultsIn(caught)).toEqual(messages);
  },
);

test('a repeated report that is stored before the queued one makes the queued one a no-op', async () => {
  noRail();
  await payExpress({ method: 'E_BIRR' });
  const [ebirr] = SCENES;
  const away = objectsAway({ onlyExecute: true });
  await ebirr?.report('paid');
  away.comeBack();
  await ebirr?.report('paid');
  const before = await everythingStored();
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  await consumeResults(resultsIn(caught));
  expect(await everythingStored()).toEqual(before);
});

test.each([
  ['approve', 'succeeded', 'payment_succeeded'],
  ['give_up', 'failed', 'payment_failed'],
])('the same holds for the simulator’s button %s', async (outcome, status, event) => {
  const path = await openHosted({}, 'sandbox');
  const { location } = await choose(path, 'TELE_BIRR');
  const token = new URL(location ?? '').pathname.split('/').at(-1);
  const away = objectsAway({ onlyExecute: true });
  const pressed = await postForm(`/rails/simulator/${token}`, { outcome });
  away.comeBack();
  // Back to the checkout page, which waits for the outcome to arrive.
  expect(pressed.status).toBe(303);
  expect(new URL(pressed.headers.get('location') ?? '').pathname).toBe(path);
  await consumeResults(resultsIn(caught));
  expect(await intentNow(clientIn('sandbox'))).toMatchObject({ status });
  expect(await eventTypes(clientIn('sandbox'))).toEqual([event]);
});

/** How often a read is tried. */
const READS = 7;

test.each(SCENES)(
  '$railId reports to an object that cannot be read for a while: the report counts',
  async ({ payment, begin, prepareReport }) => {
    playRails();
    await begin();
    const send = await prepareReport('paid');
    const away = objectsAway({ calls: READS - 1 });
    expect((await send()).status).toBe(200);
    away.comeBack();
    const { objectName } = payment();
    const error = 'ObjectUnavailable: overloaded';
    const repeated = { event: 'intent_call_repeated', objectName, error };
    expect(loggedEvents('intent_call_repeated')).toEqual(Array(READS - 1).fill(repeated));
    expect(await intentNow(payment())).toMatchObject({ status: 'succeeded' });
    expect(await eventTypes(payment())).toEqual(['payment_succeeded']);
    expect(resultsIn(caught)).toEqual([]);
  },
);

const NOWHERE: readonly [string, () => { comeBack(): void }][] = [
  ['the object cannot be read', () => objectsAway()],
  [
    'neither the object nor the queue can be reached',
    () => {
      vi.mocked(env.PROVIDER_REPORTS.send).mockRejectedValueOnce(new Error('queue is full'));
      return objectsAway({ onlyExecute: true });
    },
  ],
];

test.each(SCENES.flatMap((scene) => NOWHERE.map(([why, goAway]) => ({ ...scene, why, goAway }))))(
  '$railId gets 503 for a report that could not be kept, because $why',
  async ({ payment, begin, prepareReport, goAway }) => {
    playRails();
    await begin();
    const send = await prepareReport('paid');
    const before = await everythingStored();
    const away = goAway();
    expect((await send()).status).toBe(503);
    away.comeBack();
    expect(await everythingStored()).toEqual(before);
    expect(resultsIn(caught)).toEqual([]);
    expect(loggedEvents('callback_failed')).toHaveLength(1);
    // The provider repeats it.
    expect((await send()).status).toBe(200);
    expect(await intentNow(payment())).toMatchObject({ status: 'succeeded' });
    expect(await eventTypes(payment())).toEqual(['payment_succeeded']);
  },
);

// ---------------------------------------------------------------------------------------------
// Answers to a start

const pay = () => payExpress({ method: 'E_BIRR' });

/** eBirr answers, and its object can store nothing from then on, for this many calls. */
async function loseAnswer(answer: RailAnswer, calls?: number) {
  const { execute } = PaymentIntentObject.prototype;
  let away: ReturnType<typeof objectsAway> | undefined;
  const full = vi.spyOn(PaymentIntentObject.prototype, 'execute').mockImplementation(function (
    this: PaymentIntentObject,
    commands,
    facts,
  ) {
    if (commands.some(({ type }) => type === 'resolve_attempt')) {
      away = objectsAway({ calls });
      full.mockRestore();
      throw new Error('SQLITE_FULL');
    }
    return execute.call(this, commands, facts);
  });
  const asked = railServer(answer);
  await pay();
  await reportsAreSent();
  away?.comeBack();
  expect(asked).toHaveLength(1);
  return asked;
}

const ANSWERS: readonly [string, RailAnswer, object, string[]][] = [
  [
    'paid',
    (call) => new Response(ebirrPaid(call)),
    { status: 'succeeded', receipt: '1000001' },
    ['payment_succeeded'],
  ],
  [
    'refused by the customer',
    () => Response.json(answerRejected),
    { status: 'failed', failureReason: 'canceled_by_customer' },
    ['payment_failed'],
  ],
  ['undecided', () => Response.json(answerUndecided), { status: 'processing', checks: 1 }, []],
];

test.each(ANSWERS)(
  'keeps eBirr’s answer to an unreachable object in the queue and stores it once: %s',
  async (_name, answer, expected, events) => {
    await loseAnswer(answer);
    expect(await attemptNow()).toMatchObject({ status: 'processing', checks: 0 });
    expect(loggedEvents('rail_start_failed')).toEqual([]);
    for (const secret of [EBIRR.apiKey, PHONE, 'RCS_']) {
      expect(JSON.stringify(resultsIn(caught)) + logged.join('\n')).not.toContain(secret);
    }
    const calls = noRail();
    await fireAlarmOf();
    expect((await consumeResults(resultsIn(caught))).explicitAcks).toEqual(['message-0']);
    expect(calls).toEqual([]);
    expect(await attemptNow()).toMatchObject(expected);
    expect(await eventTypes()).toEqual(events);
  },
);

test('waits for the object when the queue is unreachable too', async () => {
  vi.mocked(env.PROVIDER_REPORTS.send).mockRejectedValueOnce(new Error('queue is full'));
  await loseAnswer((call) => new Response(ebirrPaid(call)), 5);
  expect(resultsIn(caught)).toEqual([]);
  expect(loggedEvents('queue_send_failed')).toHaveLength(1);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect(loggedEvents('rail_start_failed')).toEqual([]);
  expect(await eventTypes()).toEqual(['payment_succeeded']);
});

test('does not call again when neither object nor queue comes back, and eBirr’s report counts', async () => {
  vi.mocked(env.PROVIDER_REPORTS.send).mockRejectedValueOnce(new Error('queue is full'));
  const asked = await loseAnswer((call) => new Response(ebirrPaid(call)), Number.POSITIVE_INFINITY);
  const { objectName } = client();
  const error = 'ObjectUnavailable: overloaded';
  expect(loggedEvents('rail_start_failed')).toEqual([
    { event: 'rail_start_failed', objectName, error },
  ]);
  await fireAlarmOf();
  expect(asked).toHaveLength(1);
  expect(await attemptNow()).toMatchObject({ status: 'processing', startClaim: 'taken' });
  const [ebirr] = SCENES;
  expect(await ebirr?.report('paid')).toMatchObject({ status: 200 });
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

// ---------------------------------------------------------------------------------------------
// The queue's messages

/** By how often the message has been delivered: a minute more each time, up to an hour. */
const DELAYS: readonly [number, number][] = [
  [1, 60],
  [2, 120],
  [3, 180],
  [59, 3_540],
  [60, 3_600],
  [61, 3_600],
  [100, 3_600],
];

test.each(DELAYS)(
  'after %i failed deliveries the next one follows after %i s',
  async (attempts, delaySeconds) => {
    noRail();
    await pay();
    const body = settling([resolveAttempt((await attemptNow()).id, 'succeeded')]);
    const queued = { body, attempts, ack: vi.fn(), retry: vi.fn() };
    // The result of a test's batch does not include a retry's delay.
    const deliver = () =>
      consumer({ messages: [queued] } as unknown as MessageBatch<ResultMessage>, env);
    const away = objectsAway();
    await deliver();
    away.comeBack();
    expect(queued.ack).not.toHaveBeenCalled();
    expect(queued.retry.mock.calls).toEqual([[{ delaySeconds }]]);
    expect(loggedEvents('rail_message_failed')).toMatchObject([{ type: 'result' }]);
    expect(await intentNow()).toMatchObject({ status: 'processing' });
    await deliver();
    expect(queued.ack).toHaveBeenCalledOnce();
    expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  },
);

test('a message that cannot be stored does not block others of its batch', async () => {
  noRail();
  await pay();
  const good = settling([resolveAttempt((await attemptNow()).id, 'succeeded')]);
  vi.spyOn(IntentClient.prototype, 'execute').mockRejectedValueOnce(new Error('away'));
  const result = await consumeResults([good, good]);
  expect(result.explicitAcks).toEqual(['message-1']);
  expect(result.retryMessages).toMatchObject([{ msgId: 'message-0' }]);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

test.each([
  ['an unknown payment', () => ({ objectName: client('order-2').objectName })],
  ['an unknown attempt', () => ({ commands: [resolveAttempt('unknown', 'succeeded')] })],
])('acknowledges a message about %s, because a retry cannot succeed', async (_name, changes) => {
  noRail();
  await pay();
  const before = await everythingStored();
  const good = settling([resolveAttempt((await attemptNow()).id, 'succeeded')]);
  expect((await consumeResults([{ ...good, ...changes() }])).explicitAcks).toEqual(['message-0']);
  expect(await everythingStored()).toEqual(before);
});

test('announces late money as late after the merchant got a failure', async () => {
  await loseAnswer((call) => new Response(ebirrPaid(call)));
  const kept = resultsIn(caught);
  vi.setSystemTime((await intentNow()).terms.expiresAtMs + 3_600 * SECOND_MS);
  expect(await intentNow()).toMatchObject({ status: 'expired' });
  await consumeResults(kept);
  expect(await intentNow()).toMatchObject({ status: 'succeeded', late: true });
  expect(await eventTypes()).toEqual(['payment_expired', 'payment_succeeded']);
});

// ---------------------------------------------------------------------------------------------
// Starts within a request: the caller gets an answer, and the provider's answer is stored
// afterwards

/** The provider answers a start, and the object is unreachable from then on. */
function awayOnceCalled(answer?: RailAnswer): { comeBack(): void } {
  let away: ReturnType<typeof objectsAway> | undefined;
  const goAway = () => {
    away ??= objectsAway();
  };
  if (answer === undefined) {
    playRails(goAway);
  } else {
    railServer((call) => {
      goAway();
      return answer(call);
    });
  }
  return { comeBack: () => away?.comeBack() };
}

const EXPRESS: readonly [string, RailAnswer | undefined, string, object, string[]][] = [
  ['accepted', undefined, 'SUCCESS', { status: 'processing', failureReason: null }, []],
  [
    'refused',
    () => new Response('', { status: 401 }),
    'FAILURE',
    { status: 'failed', failureReason: 'misconfigured' },
    ['payment_failed'],
  ],
];

test.each(EXPRESS)(
  'express, %s: the merchant gets the answer at once and the object later, and both get the same',
  async (_name, answer, status, expected, events) => {
    const ask = () =>
      send(env, CREATE_PATHS.express.production, {
        apiKey: ALPHA.apiKeys.production,
        idempotencyKey: 'try-1',
        body: expressBody({ method: 'ETS_SWITCH' }),
      });
    const away = awayOnceCalled(answer);
    const first = await ask();
    away.comeBack();
    expect(first.status).toBe(200);
    const { content } = JSON.parse(first.text);
    expect(content).toMatchObject({ status });
    expect(content.paymentUrl === null).toBe(status === 'FAILURE');
    expect(await attemptNow()).toMatchObject({ status: 'processing', redirectUrl: null });
    // A repeat has to wait until it is stored.
    expect((await ask()).status).toBe(409);
    const kept = resultsIn(caught);
    expect(kept).toHaveLength(1);
    await consumeResults(kept);
    expect(await attemptNow()).toMatchObject({ ...expected, redirectUrl: content.paymentUrl });
    expect(await ask()).toMatchObject({ status: 200, text: first.text });
    await consumeResults(kept);
    expect(await eventTypes()).toEqual(events);
  },
);

test('express, answer kept nowhere: the merchant is not asked to try again', async () => {
  const away = awayOnceCalled();
  vi.mocked(env.PROVIDER_REPORTS.send).mockRejectedValueOnce(new Error('queue is full'));
  const { status, paymentUrl } = await payExpress({ method: 'ETS_SWITCH' });
  away.comeBack();
  expect({ status, paymentUrl }).toMatchObject({ status: 'SUCCESS' });
  const { uuid } = (await intentNow()).terms;
  expect(loggedEvents('rail_answer_lost')).toEqual([
    { event: 'rail_answer_lost', uuid, error: 'ObjectUnavailable: overloaded' },
  ]);
  expect(await attemptNow()).toMatchObject({ status: 'processing' });
});

test('hosted: the page waits, and redirects to the provider once its answer is stored', async () => {
  const path = await openHosted({ methods: ['ETS_SWITCH'] });
  const away = awayOnceCalled();
  expect(await choose(path, 'ETS_SWITCH')).toEqual({ status: 303, location: path });
  away.comeBack();
  expect((await send(env, path)).text).not.toContain(CARDS.baseUrl);
  await consumeResults(resultsIn(caught));
  const { redirectUrl } = await attemptNow();
  expect(redirectUrl).toContain(CARDS.baseUrl);
  expect((await send(env, path)).text).toContain(CARDS.baseUrl);
});
