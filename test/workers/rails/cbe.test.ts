import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import type { IntentClient } from '../../../src/engine/intent/client.ts';
import { sealOf } from '../../../src/engine/rails/cbe-birr/seal.ts';
import { base32FromBytes } from '../../../src/kit/crypto/encoding.ts';
import type { KeyRing } from '../../../src/kit/crypto/key-ring.ts';
import { linkId } from '../../../src/kit/crypto/link-token.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { advance, call, HOUR_MS, logged, SECOND_MS, useGateway } from '../support.ts';
import { cbe, cbeAnswer, cbeReport, send } from './scenes.ts';
import {
  alarmNow,
  alarmsUntil,
  attemptNow,
  client,
  clientIn,
  configureRails,
  envWith,
  everythingStored,
  fireAlarmOf,
  intentNow,
  loggedEvents,
  objectIds,
  payExpress,
  type RailCall,
  railServer,
  report,
  resolveAs,
} from './support.ts';

/**
 * Goal: docs/promises.md#9 at the one address to which CBE reports every payment. A report counts
 * when only CBE or we could have written it, it names a payment of its environment, and a status
 * query confirms it. Method: the tests play CBE with the seal whose bytes `test/rails` has
 * verified.
 */

configureRails({ RAIL_CBE_PRODUCTION: cbe('production'), RAIL_CBE_SANDBOX: cbe('sandbox') });
useGateway();

const PATH = '/rails/cbe-birr';
const CHECK_SOON_MS = 5 * SECOND_MS;

/** CBE's answer to a status query; a test changes it. */
let stateAtCbe = 'SUCCESS';
let calls: RailCall[] = [];

beforeEach(() => {
  stateAtCbe = 'SUCCESS';
  calls = railServer((asked) => cbeAnswer(asked, stateAtCbe));
});

/** Sends the customer of an express payment to CBE's page. Returns the order id that CBE knows. */
async function pending(environment: Environment = 'production'): Promise<string> {
  const { paymentUrl } = await payExpress(
    { method: 'CBE', testMode: { testModeType: 'ACTUAL_TEST' } },
    environment,
  );
  expect(paymentUrl).toContain(`${cbe(environment).baseUrl}/Default.aspx?r=`);
  return orderId(clientIn(environment));
}

const orderId = ({ objectName }: IntentClient, keys = configOf(env).linkSigningKeys) =>
  linkId(keys, { objectName, index: 0 });

test('the order id that CBE gets names the attempt', async () => {
  const id = await pending();
  expect(await attemptNow()).toMatchObject({ railId: 'cbe-birr', railReference: id });
  expect(calls).toEqual([]);
});

test.each<[Environment]>([['production'], ['sandbox']])(
  'a genuine report of %s that CBE confirms makes the payment paid',
  async (environment) => {
    const id = await pending(environment);
    const { secret, tillCode, baseUrl } = cbe(environment);
    expect(await report(PATH, await cbeReport(id, { secret }))).toEqual({
      status: 200,
      text: 'OK',
    });
    expect(await intentNow(clientIn(environment))).toMatchObject({ status: 'succeeded' });
    expect(calls.map(({ url }) => url)).toEqual([`${baseUrl}/api/cbebpg/TXNSTAT`]);
    expect(JSON.parse(calls[0]?.text ?? '')).toMatchObject({
      transactionId: id,
      Tillcode: tillCode,
    });
    // A repeated report causes another query, and changes nothing.
    const before = await everythingStored();
    expect(await report(PATH, await cbeReport(id, { secret }))).toMatchObject({ status: 200 });
    expect(await everythingStored()).toEqual(before);
  },
);

test('accepts a report that is sent as a form', async () => {
  const { EncVal } = await cbeReport(await pending());
  expect(await report(PATH, new URLSearchParams({ EncVal }).toString())).toMatchObject({
    status: 200,
  });
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

// ---------------------------------------------------------------------------------------------
// Rejected before any object is reached

const STRANGERS: KeyRing = [{ keyId: 't1', base64: btoa('another key with the same id, 32') }];

/** An id in our format. */
const someId = () => base32FromBytes(crypto.getRandomValues(new Uint8Array(49)));

const FORGED: readonly [
  string,
  (id: string) => Promise<object | string> | object | string,
  number,
][] = [
  ['an invented order id', () => cbeReport(someId()), 401],
  ['an id in another format', () => cbeReport('TXN0001'), 401],
  ['an id in lower case', (id) => cbeReport(id.toLowerCase()), 401],
  ['an id with extra characters', (id) => cbeReport(`${id}A`), 401],
  ['an id made with another key', async () => cbeReport(await orderId(client(), STRANGERS)), 401],
  ['another secret', (id) => cbeReport(id, { secret: 'a guessed secret' }), 401],
  ['plain text', (id) => `TransactionId=${id}&State=SUCCESS`, 401],
  ['plain JSON', (id) => ({ TransactionId: id, State: 'SUCCESS' }), 401],
  [
    'what the seal holds, unsealed',
    (id) => ({ EncVal: JSON.stringify({ TransactionId: id }) }),
    401,
  ],
  ['a truncated seal', async (id) => ({ EncVal: (await cbeReport(id)).EncVal.slice(0, -12) }), 401],
  ['a seal that is not base64', () => ({ EncVal: '€'.repeat(200) }), 401],
  ['a number instead of a seal', () => ({ EncVal: 7 }), 401],
  [
    'sealed, but without a hash',
    async (id) => ({ EncVal: await seal({ TransactionId: id, State: 'SUCCESS' }) }),
    401,
  ],
  ['sealed, with the hash of another state', (id) => otherState(id), 401],
  ['an empty body', () => '', 401],
  ['deeply nested brackets', () => '['.repeat(16_000), 401],
  ['a huge body', () => ({ EncVal: 'A'.repeat(66_000) }), 413],
  ['a huge body without content-length', () => new Blob(['A'.repeat(66_000)]).stream(), 413],
];

async function seal(plain: object): Promise<string> {
  return (await sealOf(cbe('production').secret)).seal(JSON.stringify(plain));
}

/** An attacker who saw other reports can recombine their blocks: then the hash must not match. */
async function otherState(id: string): Promise<object> {
  const { secret } = cbe('production');
  const { EncVal } = await cbeReport(id, { state: 'FAILED' });
  const opened = (await sealOf(secret)).open(EncVal) ?? '';
  return { EncVal: await seal({ ...JSON.parse(opened), State: 'SUCCESS' }) };
}

test.each(FORGED)('%s: rejected, and no object is reached', async (_name, bodyOf, status) => {
  const id = await pending();
  const body = await bodyOf(id);
  const before = { stored: await everythingStored(), ids: objectIds() };
  expect((await report(PATH, body)).status).toBe(status);
  expect({ stored: await everythingStored(), ids: objectIds() }).toEqual(before);
  expect(calls).toEqual([]);
  expect(loggedEvents('rail_callback_refused')).toEqual(
    status === 413
      ? [{ event: 'rail_callback_refused', suspicion: 'unreadable' }]
      : [{ event: 'rail_callback_refused', rail: 'cbe-birr', suspicion: 'not_authentic' }],
  );
  for (const secret of [cbe('production').secret, id, 'EncVal', 'A'.repeat(100)]) {
    expect(logged.join('\n')).not.toContain(secret);
  }
});

test('rejects a report of a payment that no longer exists, and creates none', async () => {
  const id = await orderId(client('order-2'));
  expect((await report(PATH, await cbeReport(id))).status).toBe(401);
  expect(await everythingStored()).toEqual({});
  expect(calls).toEqual([]);
});

test.each<[string, Environment, Environment]>([
  ['the sandbox’s secret proves nothing about a payment in production', 'production', 'sandbox'],
  ['production’s secret proves nothing about a payment in the sandbox', 'sandbox', 'production'],
])('promises.md#8: %s', async (_name, payment, sealer) => {
  const id = await pending(payment);
  const before = await everythingStored();
  const { secret } = cbe(sealer);
  expect((await report(PATH, await cbeReport(id, { secret }))).status).toBe(401);
  expect(await everythingStored()).toEqual(before);
  expect(calls).toEqual([]);
});

test('believes no report without CBE’s secret', async () => {
  const id = await pending();
  const unconfigured = envWith({ RAIL_CBE_PRODUCTION: undefined, RAIL_CBE_SANDBOX: undefined });
  expect((await send(unconfigured, PATH, { body: await cbeReport(id) })).status).toBe(401);
  expect(await intentNow()).toMatchObject({ status: 'processing', anomalies: [] });
});

test('a GET is not a report', async () => {
  const response = await call(PATH, { apiKey: null });
  expect(response.status).toBe(405);
});

// ---------------------------------------------------------------------------------------------
// Genuine, but not confirmed

/** CBE's answer to the query about a payment that it has reported as paid. */
test.each([
  ['that it still waits for the customer', 'PENDING'],
  ['an unknown state', 'SETTLED?'],
  ['that it failed', 'FAILED'],
])('a payment reported as paid stays in flight when CBE’s query says %s', async (_name, state) => {
  const id = await pending();
  stateAtCbe = 'PENDING';
  // After several queries, so that the next check is minutes away.
  await alarmsUntil(Date.now() + HOUR_MS / 2);
  const quiet = await attemptNow();
  expect((quiet.checkAtMs ?? 0) - Date.now()).toBeGreaterThan(CHECK_SOON_MS);
  stateAtCbe = state;
  // CBE has to report it again: the report may be its only message.
  expect(await report(PATH, await cbeReport(id))).toMatchObject({ status: 503 });
  expect(await intentNow()).toMatchObject({ status: 'processing', anomalies: [] });
  expect(await attemptNow()).toMatchObject({ checkAtMs: Date.now() + CHECK_SOON_MS });
  expect(await alarmNow()).toBeLessThanOrEqual(Date.now() + CHECK_SOON_MS);
  // By then CBE knows.
  stateAtCbe = 'SUCCESS';
  advance(CHECK_SOON_MS);
  await fireAlarmOf();
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect(await report(PATH, await cbeReport(id))).toMatchObject({ status: 200 });
});

test.each([
  ['says failed, and the query says success', 'FAILED', 'SUCCESS', 'succeeded'],
  ['says failed, and so does the query', 'FAILED', 'CANCELLED', 'failed'],
  ['says failed, and the query says pending', 'FAILED', 'PENDING', 'processing'],
  ['says an unknown state, and the query says success', 'MAYBE', 'SUCCESS', 'succeeded'],
  ['says an unknown state, and so does the query', 'MAYBE', 'PERHAPS', 'processing'],
])('the query counts, not the report: the report %s', async (_name, state, atCbe, status) => {
  const id = await pending();
  stateAtCbe = atCbe;
  expect(await report(PATH, await cbeReport(id, { state }))).toMatchObject({ status: 200 });
  expect(await intentNow()).toMatchObject({ status, anomalies: [] });
  // The operator's log has every unknown state, from callbacks and queries.
  const codes = loggedEvents('rail_answer').map(({ call: place, providerCode }) => ({
    place,
    providerCode,
  }));
  expect(codes.filter(({ place }) => place === 'callback')).toEqual(
    state === 'MAYBE' ? [{ place: 'callback', providerCode: 'MAYBE' }] : [],
  );
  expect(codes.filter(({ place }) => place === 'TXNSTAT')).toEqual(
    atCbe === 'SUCCESS' ? [] : [{ place: 'TXNSTAT', providerCode: atCbe }],
  );
});

test.each([['FAILED'], ['PENDING'], ['SETTLED?']])(
  'a report of success after a failure informs the operator when the query says %s',
  async (state) => {
    const id = await pending();
    await resolveAs('failed');
    const before = await intentNow();
    stateAtCbe = state;
    for (let times = 0; times < 3; times += 1) {
      expect((await report(PATH, await cbeReport(id))).status).toBe(503);
    }
    const { id: attemptId } = await attemptNow();
    const anomalies = [{ kind: 'refused_callback', attemptId, atMs: Date.now() }];
    const version = before.version + 1;
    expect(await intentNow()).toEqual({ ...before, anomalies, version, updatedAtMs: Date.now() });
    const { uuid } = before.terms;
    expect(loggedEvents('rail_callback_refused')).toEqual(
      Array(3).fill({
        event: 'rail_callback_refused',
        uuid,
        rail: 'cbe-birr',
        suspicion: 'not_confirmed',
      }),
    );
    // Once CBE confirms it, it counts as paid.
    stateAtCbe = 'SUCCESS';
    expect((await report(PATH, await cbeReport(id))).status).toBe(200);
    expect(await intentNow()).toMatchObject({ status: 'succeeded', late: true });
  },
);

test('after the payment was paid, another report with a failed query is an anomaly, and it stays paid', async () => {
  const id = await pending();
  await report(PATH, await cbeReport(id));
  stateAtCbe = 'FAILED';
  for (let times = 0; times < 2; times += 1) {
    expect((await report(PATH, await cbeReport(id))).status).toBe(200);
  }
  expect(await intentNow()).toMatchObject({
    status: 'succeeded',
    anomalies: [{ kind: 'contradicting_failure' }],
  });
});
