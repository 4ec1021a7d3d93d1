import { env } from 'cloudflare:workers';
import { beforeEach, expect, test, vi } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import { ATTEMPTS_MAX, type Attempt } from '../../../src/engine/domain/attempt.ts';
import { signLink } from '../../../src/kit/crypto/link-token.ts';
import {
  advance,
  booksAreFed,
  call,
  DAY_MS,
  MINUTE_MS,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import {
  AMOUNT_MINOR,
  alarmNow,
  alarmsUntil,
  attemptNow,
  attemptToken,
  CARDS,
  choose,
  claimStart,
  client,
  configureRails,
  dyingBeforeClaims,
  EBIRR,
  everythingStored,
  fireAlarmOf,
  intentNow,
  objectIds,
  openHosted,
  type RailCall,
  railServer,
  resolveAs,
  run,
} from './support.ts';

/**
 * Goal: a customer whom a provider sends back triggers a status query early, but cannot cause more
 * queries than that; parameters in the address prove nothing. Method: EthSwitch's card gateway,
 * which has a status query; eBirr, which has none.
 */

configureRails({ RAIL_ETS_SWITCH_PRODUCTION: CARDS, RAIL_E_BIRR_PRODUCTION: EBIRR });
const caught = useGateway();

const PAGE = 'https://cards.rail.test/pay?mdOrder=e-1';
const FIRST_CHECK_MS = 30 * SECOND_MS;

/** `orderStatus`: 0 waits for the customer, 2 is paid. */
let orderStatus = 0;
let calls: RailCall[] = [];

beforeEach(() => {
  orderStatus = 0;
  calls = railServer(async ({ url }) =>
    Response.json(
      url.endsWith('/register.do')
        ? { orderId: 'e-1', formUrl: PAGE }
        : { orderStatus, orderNumber: (await attemptNow()).reference, amount: AMOUNT_MINOR },
    ),
  );
});

const queryCount = () => calls.filter(({ url }) => !url.endsWith('/register.do')).length;

/**
 * A customer on the provider's page. Returns the path of the checkout page; no message is pending.
 */
async function pending(method: Attempt['method'] = 'ETS_SWITCH'): Promise<string> {
  const path = await openHosted({ methods: ['ETS_SWITCH', 'E_BIRR'] });
  expect(await dyingBeforeClaims(() => choose(path, method))).toEqual({
    status: 303,
    location: method === 'ETS_SWITCH' ? PAGE : path,
  });
  await booksAreFed(caught);
  return path;
}

async function comesBack(path: string, { method = 'GET', query = '' } = {}) {
  const form = { body: 'status=SUCCESS', contentType: 'application/x-www-form-urlencoded' };
  const response = await call(`${path}/returned${query}`, {
    method,
    apiKey: null,
    ...(method === 'POST' ? form : {}),
  });
  const text = await response.text();
  return { status: response.status, location: response.headers.get('location'), text };
}

test.each([
  ['by GET', { method: 'GET' }],
  ['by POST', { method: 'POST' }],
  [
    'with parameters that prove nothing',
    { query: '?orderId=e-1&status=SUCCESS&trade_status=PAY_SUCCESS' },
  ],
])('queries the provider at once when a customer returns %s', async (_name, way) => {
  const path = await pending();
  advance(SECOND_MS);
  const before = { intent: await intentNow(), history: await client().history() };
  expect(await comesBack(path, way)).toMatchObject({ status: 303, location: path });
  const attempt = await attemptNow();
  expect(attempt.checkAtMs).toBe(Date.now());
  expect(await alarmNow()).toBeLessThanOrEqual(Date.now());
  // Nothing else changes: no version, no history, no event, no message.
  expect(await intentNow()).toEqual({ ...before.intent, attempts: [attempt] });
  expect(attempt).toEqual({ ...before.intent.attempts[0], checkAtMs: Date.now() });
  expect(await client().history()).toEqual(before.history);
  expect(await client().events()).toEqual([]);
  expect([...caught.projections, ...caught.webhooks]).toEqual([]);
  expect(queryCount()).toBe(0);
  // The alarm sends the query, and the page shows the outcome.
  orderStatus = 2;
  await fireAlarmOf();
  expect(queryCount()).toBe(1);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

test('restarts the checks with short intervals', async () => {
  const path = await pending();
  await alarmsUntil(Date.now() + 10 * MINUTE_MS);
  const quiet = await attemptNow();
  expect(quiet.checks).toBeGreaterThan(4);
  await comesBack(path);
  expect(await attemptNow()).toMatchObject({ checks: 0, checkAtMs: Date.now() });
  await fireAlarmOf();
  expect(await attemptNow()).toMatchObject({ checks: 1, checkAtMs: Date.now() + 5 * SECOND_MS });
});

test('does not move a check that is due within five seconds', async () => {
  const path = await pending();
  advance(FIRST_CHECK_MS - 5 * SECOND_MS);
  const before = await everythingStored();
  expect(await comesBack(path)).toMatchObject({ status: 303, location: path });
  expect(await everythingStored()).toEqual(before);
});

const SOON_MS = 5 * SECOND_MS;

test.each([
  ['is due later than that: now', FIRST_CHECK_MS - SOON_MS - 1, 0],
  // The query may be running, and may be answered before the customer paid.
  ['is due now: again soon', FIRST_CHECK_MS, SOON_MS],
  ['is overdue: again soon', FIRST_CHECK_MS + SECOND_MS, SOON_MS],
])('a check that %s', async (_name, afterMs, inMs) => {
  const path = await pending();
  advance(afterMs);
  await comesBack(path);
  const checkAtMs = Date.now() + inMs;
  expect(await attemptNow()).toMatchObject({ checkAtMs, checks: 0 });
  expect(await alarmNow()).toBeLessThanOrEqual(checkAtMs);
});

test.each([
  ['at the end of the window', 0],
  ['after it', SECOND_MS],
])(
  'does not move a check that is due %s, because nothing may delay the end',
  async (_name, lateMs) => {
    const path = await pending();
    const { deadlineAtMs } = await attemptNow();
    await alarmsUntil(deadlineAtMs - 1);
    expect(await attemptNow()).toMatchObject({ checkAtMs: deadlineAtMs });
    vi.setSystemTime(deadlineAtMs + lateMs);
    await comesBack(path);
    expect(await attemptNow()).toMatchObject({ checkAtMs: deadlineAtMs });
  },
);

test('a return just before the end delays the query to the end at most', async () => {
  const path = await pending();
  const { deadlineAtMs, id: attemptId } = await attemptNow();
  vi.setSystemTime(deadlineAtMs - SECOND_MS);
  const unknown = { type: 'unknown', checkAtMs: Date.now() } as const;
  await run({ type: 'resolve_attempt', attemptId, outcome: unknown });
  await comesBack(path);
  expect(await attemptNow()).toMatchObject({ checkAtMs: deadlineAtMs });
});

test('HEAD of the address triggers no query, because a prefetcher is not a customer', async () => {
  const path = await pending();
  const before = await everythingStored();
  for (const query of ['', '?orderId=e-1&status=SUCCESS']) {
    expect(await comesBack(path, { method: 'HEAD', query })).toEqual({
      status: 303,
      location: path,
      text: '',
    });
  }
  expect(await everythingStored()).toEqual(before);
  expect(queryCount()).toBe(0);
});

test('repeated returns do not flood the provider with queries', async () => {
  const path = await pending();
  for (let seconds = 0; seconds < 60; seconds += 1) {
    await comesBack(path);
    await alarmsUntil(Date.now() + SECOND_MS);
  }
  // After a return, queries follow at once, after 5 s and after 10 s more, then returns count again.
  expect(queryCount()).toBeGreaterThan(60 / 10);
  expect(queryCount()).toBeLessThanOrEqual(10);
});

test('repeated returns to a payment of ten attempts cause at most 20 queries a minute', async () => {
  const path = await pending();
  for (let attempts = 1; attempts < ATTEMPTS_MAX; attempts += 1) {
    await run({
      type: 'abandon_attempt',
      attemptId: (await intentNow()).attempts.at(-1)?.id ?? '',
    });
    await choose(path, 'ETS_SWITCH', attempts);
  }
  // Their own checks are hours apart by then.
  await alarmsUntil(Date.now() + DAY_MS);
  const before = queryCount();
  const old = (await intentNow()).attempts.slice(0, -2);
  for (let seconds = 0; seconds < 60; seconds += 5) {
    await comesBack(path);
    await alarmsUntil(Date.now() + 5 * SECOND_MS);
  }
  expect(queryCount() - before).toBeGreaterThan(2);
  expect(queryCount() - before).toBeLessThanOrEqual(20);
  expect((await intentNow()).attempts.slice(0, -2)).toEqual(old);
});

test('a return within ten seconds of a query waits for the rest of them, also when the next query is far away', async () => {
  const path = await pending();
  await alarmsUntil(Date.now() + DAY_MS);
  const { checkAtMs } = await attemptNow();
  vi.setSystemTime(checkAtMs ?? 0);
  await fireAlarmOf();
  const queriedAtMs = Date.now();
  expect(await attemptNow()).toMatchObject({ queriedAtMs });
  expect((await attemptNow()).checkAtMs).toBeGreaterThan(queriedAtMs + MINUTE_MS);
  vi.setSystemTime(queriedAtMs + 3 * SECOND_MS);
  const before = queryCount();
  await comesBack(path);
  expect(queryCount()).toBe(before);
  expect(await attemptNow()).toMatchObject({ checkAtMs: queriedAtMs + 10 * SECOND_MS });
});

const NOT_QUERIED: readonly [string, () => Promise<string>][] = [
  ['a prompt that the alarm must repeat', () => pending('E_BIRR')],
  [
    'a prompt on the phone',
    async () => {
      const path = await pending('E_BIRR');
      await run(await claimStart());
      return path;
    },
  ],
  [
    'a payment that was paid',
    async () => {
      const path = await pending();
      await resolveAs('succeeded');
      return path;
    },
  ],
  [
    'an attempt that failed',
    async () => {
      const path = await pending();
      await resolveAs('failed');
      return path;
    },
  ],
  ['a payment without an attempt', () => openHosted()],
];

test.each(NOT_QUERIED)('triggers no query for %s', async (_name, begin) => {
  const path = await begin();
  advance(1);
  const before = await everythingStored();
  expect(await comesBack(path)).toMatchObject({ status: 303, location: path });
  expect(await everythingStored()).toEqual(before);
});

test('queries an abandoned attempt too, and its successor', async () => {
  const path = await pending();
  await run({ type: 'abandon_attempt', attemptId: (await attemptNow()).id });
  await choose(path, 'ETS_SWITCH', 1);
  await comesBack(path);
  const { attempts, status } = await intentNow();
  expect(attempts).toMatchObject([
    { status: 'unresolved', checkAtMs: Date.now() },
    { status: 'processing', checkAtMs: Date.now() },
  ]);
  expect(status).toBe('processing');
});

test.each<[string, () => Promise<string>]>([
  ['a forged token', async () => '/checkout/t1.AAAA'],
  ['an attempt’s token', async () => `/checkout/${await attemptToken()}`],
  [
    'a token signed with another key',
    async () => `/checkout/${await tokenBy('another key with the same id, 32')}`,
  ],
])('%s gets the unknown page, and reaches no object', async (_name, pathOf) => {
  await pending();
  const path = await pathOf();
  const before = { stored: await everythingStored(), ids: objectIds() };
  const { status, location, text } = await comesBack(path);
  expect({ status, location }).toEqual({ status: 404, location: null });
  expect(text).toContain('<!doctype html>');
  expect({ stored: await everythingStored(), ids: objectIds() }).toEqual(before);
});

test('an unknown payment gets the unknown page, and is not created', async () => {
  const link = { objectName: client('order-2').objectName, index: 0 };
  const token = await signLink(configOf(env).linkSigningKeys, 'checkout', link);
  expect(await comesBack(`/checkout/${token}`)).toMatchObject({ status: 404 });
  expect(await everythingStored()).toEqual({});
});

function tokenBy(key: string): Promise<string> {
  const link = { objectName: client().objectName, index: 0 };
  return signLink([{ keyId: 't1', base64: btoa(key) }], 'checkout', link);
}
