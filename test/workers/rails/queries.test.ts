import { beforeEach, expect, test } from 'vitest';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { advance, call, SECOND_MS, useGateway } from '../support.ts';
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

test('after a return of the customer during the query, queries again soon, once', async () => {
  const path = await tried('ETS_SWITCH');
  const returnAtMs = Date.now() + SECOND_MS;
  duringQuery = async () => {
    if (queries.length > 1) {
      return 'paid';
    }
    advance(SECOND_MS);
    const returned = await call(`${path}/returned`, { apiKey: null });
    await returned.body?.cancel();
    return 'open';
  };
  await fireAlarmOf();
  expect(queries).toHaveLength(1);
  // The answer is older than the return, so it does not count as a check and delays nothing.
  const checkAtMs = returnAtMs + 5 * SECOND_MS;
  expect(await attemptNow()).toMatchObject({ checkAtMs, checks: 0 });
  expect(await alarmNow()).toBeLessThanOrEqual(checkAtMs);
  await alarmsUntil(checkAtMs);
  expect(queries).toHaveLength(2);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});
