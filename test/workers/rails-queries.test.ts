import { beforeEach, expect, test } from 'vitest';
import type { Attempt, Intent } from '../../src/domain/intent.ts';
import { cbe, cbeAnswer } from './rails-scenes.ts';
import {
  AMOUNT_MINOR,
  alarmNow,
  alarmsUntil,
  attemptNow,
  CARDS,
  choose,
  client,
  configureRails,
  fireAlarmOf,
  intentNow,
  loggedEvents,
  nextAlarm,
  openHosted,
  railServer,
  run,
} from './rails-support.ts';
import { advance, call, SECOND_MS, useGateway } from './support.ts';

/**
 * Goal: a provider that hangs does not delay other queries, and a query that was sent too early is
 * repeated (docs/decisions.md#31). Method: cards and CBE, which have a status query. Events during
 * a query happen inside the stand-in, because an object may only wait for its own promises.
 */

configureRails({ RAIL_ETS_SWITCH_PRODUCTION: CARDS, RAIL_CBE_PRODUCTION: cbe('production') });
const caught = useGateway();

/** For both rails. */
const FIRST_CHECK_MS = 30 * SECOND_MS;

type Said = 'paid' | 'open' | 'failed' | 'nothing';

interface Question {
  readonly rail: 'cards' | 'cbe';
  /** The provider's id of the attempt. */
  readonly railReference: string;
}

/** In the order of arrival. */
let questions: Question[] = [];
/** What happens during the query; returns the provider's answer. */
let whileAsked: (question: Question) => Said | Promise<Said> = () => 'open';

beforeEach(() => {
  questions = [];
  railServer(async (asked) => {
    const form = new URLSearchParams(asked.text);
    const path = asked.url.split('/').at(-1);
    if (path === 'register.do') {
      const orderId = `e-${form.get('orderNumber')}`;
      return Response.json({ orderId, formUrl: `${CARDS.baseUrl}/page?mdOrder=${orderId}` });
    }
    const question: Question =
      path === 'TXNSTAT'
        ? { rail: 'cbe', railReference: JSON.parse(asked.text).transactionId }
        : { rail: 'cards', railReference: form.get('orderId') ?? '' };
    questions.push(question);
    const said = await whileAsked(question);
    if (said === 'nothing') {
      throw new Error('connection reset');
    }
    return question.rail === 'cbe'
      ? cbeAnswer(asked, CBE_STATES[said])
      : Response.json({
          orderNumber: question.railReference.slice('e-'.length),
          amount: AMOUNT_MINOR,
          ...CARDS_STATES[said],
        });
  });
});

const CBE_STATES = { paid: 'SUCCESS', open: 'PENDING', failed: 'FAILED' } as const;
const CARDS_STATES = {
  paid: { orderStatus: 2 },
  open: { orderStatus: 0 },
  // No retries.
  failed: { orderStatus: 6, actionCode: -2_013 },
} as const;

/**
 * Tries each method in turn, so that only the last is in flight and every attempt is due for a
 * query. Returns the page's path.
 */
async function tried(...methods: readonly Attempt['method'][]): Promise<string> {
  const path = await openHosted({ methods: ['ETS_SWITCH', 'CBE'] });
  for (const [attempts, method] of methods.entries()) {
    if (attempts > 0) {
      await run({ type: 'abandon_attempt', attemptId: (await attemptNow()).id });
    }
    expect(await choose(path, method, attempts)).toMatchObject({ status: 303 });
  }
  advance(FIRST_CHECK_MS);
  return path;
}

const statusesOf = ({ attempts }: Intent) => attempts.map(({ status }) => status);
const eventTypes = async () => (await client().events()).map(({ type }) => type);

// ---------------------------------------------------------------------------------------------
// Several at once

/** The final answer of the provider that hangs, and the result for its attempt. */
const ENDS: readonly [Said, Attempt['status'], object[]][] = [
  ['open', 'unresolved', []],
  ['nothing', 'unresolved', []],
  ['failed', 'failed', []],
  ['paid', 'succeeded', [{ kind: 'duplicate_payment' }]],
];

test.each(ENDS)(
  'finds the attempt in flight paid while the query of the one before it hangs, and answers %s',
  async (said, status, anomalies) => {
    await tried('ETS_SWITCH', 'CBE');
    const seen: Intent[] = [];
    whileAsked = async ({ rail }) => {
      if (rail === 'cbe') {
        return 'paid';
      }
      // The merchant gets the event before this provider has answered.
      await expect.poll(() => caught.webhooks).toHaveLength(1);
      seen.push(await intentNow());
      return said;
    };
    await fireAlarmOf();
    expect(seen.map(statusesOf)).toEqual([['unresolved', 'succeeded']]);
    const after = await intentNow();
    expect(statusesOf(after)).toEqual([status, 'succeeded']);
    expect(after).toMatchObject({ status: 'succeeded', late: false, anomalies });
    expect(after.paidAttemptId).toBe(after.attempts[1]?.id);
    expect(await eventTypes()).toEqual(['payment_succeeded']);
  },
);

test('finds an abandoned attempt paid while the query of its successor hangs', async () => {
  await tried('CBE', 'ETS_SWITCH');
  const seen: Intent[] = [];
  whileAsked = async ({ rail }) => {
    if (rail === 'cbe') {
      return 'paid';
    }
    await expect.poll(() => caught.webhooks).toHaveLength(1);
    seen.push(await intentNow());
    return 'nothing';
  };
  await fireAlarmOf();
  expect(seen.map(statusesOf)).toEqual([['succeeded', 'processing']]);
  const { paidAttemptId, attempts } = await intentNow();
  expect(paidAttemptId).toBe(attempts[0]?.id);
  // It may have been paid as well, so its queries continue.
  expect(attempts[1]).toMatchObject({ status: 'processing', checks: 1 });
  expect(await alarmNow()).toBeLessThanOrEqual(attempts[1]?.checkAtMs ?? 0);
});

test('queries each of five attempts once, all before any answer, and records each answer separately', async () => {
  await tried('ETS_SWITCH', 'ETS_SWITCH', 'ETS_SWITCH', 'ETS_SWITCH', 'ETS_SWITCH');
  const { attempts } = await intentNow();
  const known = attempts.map(({ railReference }) => railReference);
  let answered = 0;
  whileAsked = async ({ railReference }) => {
    await expect.poll(() => questions).toHaveLength(5);
    // The last is answered first.
    const index = known.indexOf(railReference);
    await expect.poll(() => answered).toBe(4 - index);
    answered += 1;
    return index === 2 ? 'failed' : 'open';
  };
  await fireAlarmOf();
  expect(questions.map(({ railReference }) => railReference).sort()).toEqual([...known].sort());
  expect(answered).toBe(5);
  expect(statusesOf(await intentNow())).toEqual([
    'unresolved',
    'unresolved',
    'failed',
    'unresolved',
    'processing',
  ]);
});

test('logs both queries without an answer, each with its rail', async () => {
  await tried('ETS_SWITCH', 'CBE');
  whileAsked = () => 'nothing';
  await fireAlarmOf();
  const lines = loggedEvents('rail_answer').map(({ rail, call: asked, providerCode }) => [
    rail,
    asked,
    providerCode,
  ]);
  expect(lines.sort()).toEqual([
    ['cbe-birr', 'TXNSTAT', null],
    ['ethswitch-cards', 'getOrderStatusExtended.do', null],
  ]);
  expect(loggedEvents('rail_query_failed')).toEqual([]);
});

// ---------------------------------------------------------------------------------------------
// Queried too early

/** During the first query the customer returns this many times, one second apart. */
function returnsDuringFirstQuestion(path: string, times: number, said: Said): void {
  whileAsked = async () => {
    if (questions.length > 1) {
      return 'paid';
    }
    for (let time = 0; time < times; time += 1) {
      advance(SECOND_MS);
      const returned = await call(`${path}/returned`, { apiKey: null });
      await returned.body?.cancel();
    }
    return said;
  };
}

test.each<[Said, number]>([
  ['open', 1],
  ['open', 5],
  ['nothing', 1],
])(
  'after answer %s, and %i returns of the customer during the query, queries again soon, once',
  async (said, times) => {
    const path = await tried('ETS_SWITCH');
    const firstReturnAtMs = Date.now() + SECOND_MS;
    returnsDuringFirstQuestion(path, times, said);
    await fireAlarmOf();
    expect(questions).toHaveLength(1);
    // The answer is older than the return, so it does not count as a check and delays nothing.
    const checkAtMs = firstReturnAtMs + 5 * SECOND_MS;
    expect(await attemptNow()).toMatchObject({ checkAtMs, checks: 0 });
    expect(await alarmNow()).toBeLessThanOrEqual(checkAtMs);
    await alarmsUntil(checkAtMs);
    expect(questions).toHaveLength(2);
    expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  },
);

test('keeps the pause after a slow answer without an outcome', async () => {
  await tried('ETS_SWITCH');
  whileAsked = () => {
    advance(9 * SECOND_MS);
    return 'open';
  };
  await fireAlarmOf();
  expect(await attemptNow()).toMatchObject({ checkAtMs: Date.now() + 5 * SECOND_MS, checks: 1 });
});

test('waits for the next scheduled query when the customer did not return', async () => {
  const path = await tried('ETS_SWITCH');
  returnsDuringFirstQuestion(path, 0, 'open');
  await fireAlarmOf();
  expect(await attemptNow()).toMatchObject({ checkAtMs: Date.now() + 5 * SECOND_MS, checks: 1 });
});

test.each<[Said, Intent['status']]>([
  ['paid', 'succeeded'],
  ['failed', 'open'],
])('an outcome counts, no matter when its query was sent: %s', async (said, status) => {
  const path = await tried('ETS_SWITCH');
  returnsDuringFirstQuestion(path, 1, said);
  await fireAlarmOf();
  expect(await intentNow()).toMatchObject({ status });
  expect(await attemptNow()).toMatchObject({ checkAtMs: null });
  await nextAlarm();
  expect(questions).toHaveLength(1);
});
