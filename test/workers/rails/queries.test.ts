import { beforeEach, expect, test } from 'vitest';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { operateApi } from '../operator/support.ts';
import { ALPHA, type Answer, advance, call, SECOND_MS, useGateway } from '../support.ts';
import { cbe, cbeAnswer } from './scenes.ts';
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
} from './support.ts';

/**
 * Goal: a provider that hangs does not delay other queries, and a query that was sent too early is
 * repeated (docs/decisions.md#31). Method: cards and CBE, which have a status query. Events during
 * a query happen inside the stand-in, because an object may only wait for its own promises.
 */

configureRails({ RAIL_ETS_SWITCH_PRODUCTION: CARDS, RAIL_CBE_PRODUCTION: cbe('production') });
const caught = useGateway();

/** For both rails. */
const FIRST_CHECK_MS = 30 * SECOND_MS;

type QueryAnswer = 'paid' | 'open' | 'failed' | 'nothing';

interface Query {
  readonly rail: 'cards' | 'cbe';
  /** The provider's id of the attempt. */
  readonly railReference: string;
}

/** In the order of arrival. */
let queries: Query[] = [];
/** What happens during the query; returns the provider's answer. */
let duringQuery: (query: Query) => QueryAnswer | Promise<QueryAnswer> = () => 'open';

beforeEach(() => {
  queries = [];
  railServer(async (asked) => {
    const form = new URLSearchParams(asked.text);
    const path = asked.url.split('/').at(-1);
    if (path === 'register.do') {
      const orderId = `e-${form.get('orderNumber')}`;
      return Response.json({ orderId, formUrl: `${CARDS.baseUrl}/page?mdOrder=${orderId}` });
    }
    const query: Query =
      path === 'TXNSTAT'
        ? { rail: 'cbe', railReference: JSON.parse(asked.text).transactionId }
        : { rail: 'cards', railReference: form.get('orderId') ?? '' };
    queries.push(query);
    const answer = await duringQuery(query);
    if (answer === 'nothing') {
      throw new Error('connection reset');
    }
    return query.rail === 'cbe'
      ? cbeAnswer(asked, CBE_STATES[answer])
      : Response.json({
          orderNumber: query.railReference.slice('e-'.length),
          amount: AMOUNT_MINOR,
          ...CARDS_STATES[answer],
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
const ENDS: readonly [QueryAnswer, Attempt['status'], object[]][] = [
  ['open', 'unresolved', []],
  ['nothing', 'unresolved', []],
  ['failed', 'failed', []],
  ['paid', 'succeeded', [{ kind: 'duplicate_payment' }]],
];

test.each(ENDS)(
  'finds the attempt in flight paid while the query of the one before it hangs, and answers %s',
  async (answer, status, anomalies) => {
    await tried('ETS_SWITCH', 'CBE');
    const seen: Intent[] = [];
    duringQuery = async ({ rail }) => {
      if (rail === 'cbe') {
        return 'paid';
      }
      // The merchant gets the event before this provider has answered.
      await expect.poll(() => caught.webhooks).toHaveLength(1);
      seen.push(await intentNow());
      return answer;
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
  duringQuery = async ({ rail }) => {
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
  duringQuery = async ({ railReference }) => {
    await expect.poll(() => queries).toHaveLength(5);
    // The last is answered first.
    const index = known.indexOf(railReference);
    await expect.poll(() => answered).toBe(4 - index);
    answered += 1;
    return index === 2 ? 'failed' : 'open';
  };
  await fireAlarmOf();
  expect(queries.map(({ railReference }) => railReference).sort()).toEqual([...known].sort());
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
  duringQuery = () => 'nothing';
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
function returnsDuringFirstQuery(path: string, times: number, answer: QueryAnswer): void {
  duringQuery = async () => {
    if (queries.length > 1) {
      return 'paid';
    }
    for (let time = 0; time < times; time += 1) {
      advance(SECOND_MS);
      const returned = await call(`${path}/returned`, { apiKey: null });
      await returned.body?.cancel();
    }
    return answer;
  };
}

test.each<[QueryAnswer, number]>([
  ['open', 1],
  ['open', 5],
  ['nothing', 1],
])(
  'after answer %s, and %i returns of the customer during the query, queries again soon, once',
  async (answer, times) => {
    const path = await tried('ETS_SWITCH');
    const firstReturnAtMs = Date.now() + SECOND_MS;
    returnsDuringFirstQuery(path, times, answer);
    await fireAlarmOf();
    expect(queries).toHaveLength(1);
    // The answer is older than the return, so it does not count as a check and delays nothing.
    const checkAtMs = firstReturnAtMs + 5 * SECOND_MS;
    expect(await attemptNow()).toMatchObject({ checkAtMs, checks: 0 });
    expect(await alarmNow()).toBeLessThanOrEqual(checkAtMs);
    await alarmsUntil(checkAtMs);
    expect(queries).toHaveLength(2);
    expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  },
);

test('keeps the pause after a slow answer without an outcome', async () => {
  await tried('ETS_SWITCH');
  duringQuery = () => {
    advance(9 * SECOND_MS);
    return 'open';
  };
  await fireAlarmOf();
  expect(await attemptNow()).toMatchObject({ checkAtMs: Date.now() + 5 * SECOND_MS, checks: 1 });
});

test('waits for the next scheduled query when the customer did not return', async () => {
  const path = await tried('ETS_SWITCH');
  returnsDuringFirstQuery(path, 0, 'open');
  await fireAlarmOf();
  expect(await attemptNow()).toMatchObject({ checkAtMs: Date.now() + 5 * SECOND_MS, checks: 1 });
});

test.each<[QueryAnswer, Intent['status']]>([
  ['paid', 'succeeded'],
  ['failed', 'open'],
])('an outcome counts, no matter when its query was sent: %s', async (answer, status) => {
  const path = await tried('ETS_SWITCH');
  returnsDuringFirstQuery(path, 1, answer);
  await fireAlarmOf();
  expect(await intentNow()).toMatchObject({ status });
  expect(await attemptNow()).toMatchObject({ checkAtMs: null });
  await nextAlarm();
  expect(queries).toHaveLength(1);
});

// ---------------------------------------------------------------------------------------------
// The last query in the window

test('rejects a manual failure while the last query runs, and names no time that has passed', async () => {
  await tried('ETS_SWITCH');
  const { deadlineAtMs, reference } = await attemptNow();
  advance(deadlineAtMs - Date.now());
  const path = `/payments/production/${ALPHA.id}/order-1/attempts/${reference}/resolve`;
  const refused: Answer[] = [];
  duringQuery = async (): Promise<QueryAnswer> => {
    const failed = { outcome: 'failed', reason: 'timed_out', note: 'Not in the portal' };
    refused.push(await operateApi(path, failed));
    return 'open';
  };
  await fireAlarmOf();
  expect(refused.map(({ status, envelope }) => [status, envelope.message])).toEqual([
    [
      409,
      'The window has passed, and the gateway is asking the provider once more. Try again in a minute. Nothing was changed',
    ],
  ]);
  expect(await attemptNow()).toMatchObject({ status: 'unresolved', manualResolutionId: null });
});
