import { expect, test } from 'vitest';
import type { Attempt } from '../../src/engine/domain/attempt.ts';
import type { CallbackReading } from '../../src/engine/rails/callback.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import { callbackCall } from '../support/rails/callback-call.ts';
import { ebirrSample, hostileBodies } from '../support/rails/ebirr.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';
import { PLAYERS } from '../support/rails/players.ts';
import { useRailScene } from '../support/rails/scene.ts';

/**
 * Goal: we believe an unsigned report only about the order at whose URL it arrived, whose reference
 * it names, and whose amount and transaction it does not contradict.
 */

const REFERENCE = 'H7K2M9QX4T0B8ZC3VN5D';

const scene = await useRailScene(PLAYERS.ebirr);

/** An order of ETB 1,500.00 that eBirr's published sample reports as paid. */
function orderWith(attempt: Partial<Attempt> = {}): RailOrder {
  const changed = { reference: REFERENCE, ...attempt };
  return scene.order({}, { attempt: changed, terms: { amountMinor: 150_000 } });
}

async function readText(body: string, order = orderWith()): Promise<CallbackReading | undefined> {
  return scene.rail.readCallback?.(callbackCall({ body }), order);
}

function read(report: object): Promise<CallbackReading | undefined> {
  return readText(JSON.stringify({ referenceId: REFERENCE, ...report }));
}

const SAMPLE = ebirrSample('callback').replace('ORDER-0001', REFERENCE).replace('10.00', '1500.00');
const PAID = { type: 'succeeded', receipt: '1000001', issuerReceipt: '2000001' };

test.each<Partial<Attempt>>([
  {},
  { status: 'succeeded', receipt: '1000001' },
  { status: 'succeeded', receipt: null, issuerReceipt: '2000001' },
  // The operator recorded what the customer's message says.
  { status: 'succeeded', receipt: '2000001' },
  { status: 'succeeded', receipt: 'TYPO-1' },
  { status: 'failed', failureReason: 'timed_out' },
  { status: 'unresolved' },
])(
  'gives the same outcome again, also for an order that is paid or had failed: %j',
  async (state) => {
    expect(await readText(SAMPLE, orderWith(state))).toMatchObject({ outcome: PAID });
  },
);

test('sends a browser to the payment’s page and ignores what its query says', async () => {
  const order = orderWith();
  const query = `?referenceId=${order.attempt.reference}&responseCode=2001&errorCode=0&state=APPROVED`;
  const logged = watchRailAnswers();
  const call = callbackCall({ method: 'GET', url: `${order.callbackUrl}${query}` });
  expect(await scene.rail.readCallback?.(call, order)).toEqual({
    type: 'inconclusive',
    reply: { status: 303, headers: { location: order.checkoutUrl }, body: null },
  });
  // Customers then know a URL that was to be secret: the operator must act.
  expect(logged).toMatchObject([{ call: 'browser', level: 'warn' }]);
});

test.each([
  { receipt: '1000009' },
  { receipt: '1000001', issuerReceipt: '2000009' },
  { issuerReceipt: '2000009' },
])('a paid order may be paid again by another transaction, not fail by it: %j', async (known) => {
  const order = orderWith({ status: 'succeeded', isProved: true, ...known });
  expect(await readText(SAMPLE, order)).toMatchObject({ outcome: PAID });
  const failure = SAMPLE.replace('"2001"', '"5310"').replace('"0"', '"5310"');
  expect(await readText(failure.replace('"APPROVED"', '"DECLINED"'), order)).toMatchObject({
    type: 'refused',
    suspicion: 'other_order',
  });
});

test.each([
  ['no reference', { responseCode: '2001', errorCode: '0', params: { state: 'APPROVED' } }],
  ['a reference that is not a string', { referenceId: { $ne: 1 }, errorCode: '5310' }],
])('%s: unreadable', async (_name, report) => {
  expect(await readText(JSON.stringify(report))).toMatchObject({
    type: 'refused',
    suspicion: 'unreadable',
  });
});

test.each([
  ['not approved', { responseCode: '2001', errorCode: '0' }],
  ['pending', { responseCode: '2001', errorCode: '0', params: { state: 'PENDING' } }],
  ['approved alone', { params: { state: 'APPROVED' } }],
  ['no code', {}],
  ['an unknown code', { responseCode: '5999', errorCode: 'E99999' }],
])('refuses an unknown state: %s', async (_name, report) => {
  expect(await read(report)).toMatchObject({
    type: 'refused',
    suspicion: 'unknown_state',
    reply: { status: 422 },
  });
});

test('accepts a report of eBirr’s own timeout, which proves nothing, and queries soon', async () => {
  const nowMs = Date.now();
  const undecided = { responseCode: '52061', errorCode: 'E102051' };
  expect(await read(undecided)).toMatchObject({
    type: 'outcome',
    outcome: { type: 'unknown', checkAtMs: expect.toSatisfy((atMs) => atMs >= nowMs + 5_000) },
  });
  // Without a query, nothing would follow.
  const body = JSON.stringify({ referenceId: REFERENCE, ...undecided });
  const alone = scene.railWith({ statusQuery: undefined });
  expect(await alone.readCallback?.(callbackCall({ body }), orderWith())).toMatchObject({
    type: 'outcome',
    outcome: { type: 'unknown', checkAtMs: null },
  });
});

test('logs its codes, unless it is a payment', async () => {
  const lines = watchRailAnswers();
  const reports = [
    { responseCode: '5310', errorCode: '5310', responseMsg: 'a name, a phone' },
    { responseCode: '5999', errorCode: 'E99999' },
    { responseCode: '2001', errorCode: '0', params: { state: 'PENDING' } },
    { errorCode: 'E102051' },
    {},
    { responseCode: '2001', errorCode: '0', params: { state: 'APPROVED' } },
  ];
  for (const report of reports) {
    await read(report);
  }
  const line = { rail: 'ebirr', call: 'callback', reference: REFERENCE };
  expect(lines).toEqual([
    { level: 'info', ...line, providerCode: '5310' },
    { level: 'warn', ...line, providerCode: '5999 E99999' },
    { level: 'warn', ...line, providerCode: '2001 0 PENDING' },
    { level: 'warn', ...line, providerCode: 'E102051' },
    { level: 'warn', ...line, providerCode: null },
  ]);
});

test.each(hostileBodies(REFERENCE))('64 KiB of %s prove no payment', async (_name, body) => {
  const reading = await readText(body);
  expect(['refused', 'outcome']).toContain(reading?.type);
  expect(reading).not.toMatchObject({ outcome: { type: 'succeeded' } });
});
