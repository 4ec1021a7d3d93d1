import { beforeEach, expect, test } from 'vitest';
import { advance, booksAreFed, call, SECOND_MS, useGateway } from '../support.ts';
import {
  AMOUNT_MINOR,
  alarmNow,
  attemptNow,
  CARDS,
  choose,
  client,
  configureRails,
  everythingStored,
  fireAlarmOf,
  intentNow,
  openHosted,
  type RailCall,
  railServer,
} from './support.ts';

/**
 * Goal: a customer whom a provider sends back triggers a status query early; parameters in the address
 * prove nothing. Method: EthSwitch's card gateway, which has a status query.
 * `test/unit/domain/transition-rails.test.ts` has the rules of when.
 */

configureRails({ RAIL_ETS_SWITCH_PRODUCTION: CARDS });
const caught = useGateway();

const PAGE = 'https://cards.rail.test/pay?mdOrder=e-1';
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

/** A customer on the provider's page. Returns the path of the checkout page; no message is pending. */
async function pending(): Promise<string> {
  const path = await openHosted({ methods: ['ETS_SWITCH'] });
  expect(await choose(path, 'ETS_SWITCH')).toEqual({ status: 303, location: PAGE });
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

test('stores nothing when a customer returns to a payment without an attempt', async () => {
  const path = await openHosted();
  advance(1);
  const before = await everythingStored();
  expect(await comesBack(path)).toMatchObject({ status: 303, location: path });
  expect(await everythingStored()).toEqual(before);
});
