import { describe, expect, test } from 'vitest';
import { SIMULATED_WINDOW_MS } from '../../src/rails/simulator/rail.ts';
import {
  attemptToken,
  choose,
  clientIn,
  fireAlarmOf,
  intentNow,
  openHosted,
  payExpress,
} from './rails-support.ts';
import { advance, chooseMethod, createHosted, postForm, SECOND_MS, useGateway } from './support.ts';

/**
 * Goal: the simulator's form decides only what its page offers: posts that our page does not send
 * answer 400 and change nothing. A merchant can try how an attempt in flight holds the expiry
 * (docs/decisions.md#30). Method: forged forms, and an attempt in a payment's last second.
 */

useGateway();

const payment = () => clientIn('sandbox');

const FORGED: readonly (readonly [string, Record<string, string>, Record<string, string>])[] = [
  ['no outcome', {}, {}],
  ['an unknown outcome', { outcome: 'win' }, {}],
  ['an inherited name', { outcome: 'constructor' }, {}],
  ['another content type', { outcome: 'approve' }, { contentType: 'text/plain' }],
  ['a form of another site', { outcome: 'approve' }, { 'sec-fetch-site': 'cross-site' }],
  ['a form that is too long', { outcome: 'approve', more: 'y'.repeat(5_000) }, {}],
];

test.each(FORGED)('refuses %s', async (_name, fields, headers) => {
  const token = await chooseMethod(await createHosted());
  const before = await intentNow(payment());
  const response = await postForm(`/rails/simulator/${token}`, fields, headers);
  expect(response.status).toBe(400);
  await response.body?.cancel();
  expect(await intentNow(payment())).toEqual(before);
});

test('refuses to decide a SIMULATED_TEST, which only testMode decides', async () => {
  await payExpress(
    { testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' } },
    'sandbox',
  );
  const before = await intentNow(payment());
  const path = `/rails/simulator/${await attemptToken(payment())}`;
  const response = await postForm(path, { outcome: 'decline' });
  expect(response.status).toBe(400);
  await response.body?.cancel();
  expect(await intentNow(payment())).toEqual(before);
});

/** A hosted payment whose customer chooses `method` a second before it expires. */
async function chooseLate(method: 'M_PESA' | 'TELE_BIRR'): Promise<string> {
  const path = await openHosted({ expireIn: 5 }, 'sandbox');
  advance(4 * SECOND_MS);
  await choose(path, method);
  advance(SECOND_MS);
  await fireAlarmOf(payment());
  return attemptToken(payment());
}

const eventsOf = async () => (await payment().events()).map(({ type }) => type);

describe.each(['M_PESA', 'TELE_BIRR'] as const)('an attempt by %s at the expiry', (method) => {
  test('holds it: the payment is not announced expired, and can be paid in time', async () => {
    const token = await chooseLate(method);
    expect(await intentNow(payment())).toMatchObject({ status: 'processing' });
    expect(await eventsOf()).toEqual([]);
    advance(SIMULATED_WINDOW_MS - SECOND_MS - 1);
    await fireAlarmOf(payment());
    const response = await postForm(`/rails/simulator/${token}`, { outcome: 'approve' });
    await response.body?.cancel();
    expect(await intentNow(payment())).toMatchObject({ status: 'succeeded', late: false });
    expect(await eventsOf()).toEqual(['payment_succeeded']);
  });

  test('holds it until the end of the simulated time', async () => {
    const token = await chooseLate(method);
    advance(SIMULATED_WINDOW_MS - SECOND_MS);
    await fireAlarmOf(payment());
    const ended = { status: 'expired', attempts: [{ status: 'expired' }] };
    expect(await intentNow(payment())).toMatchObject(ended);
    const response = await postForm(`/rails/simulator/${token}`, { outcome: 'approve' });
    await response.body?.cancel();
    expect(await intentNow(payment())).toMatchObject(ended);
    expect(await eventsOf()).toEqual(['payment_expired']);
  });

  test('a customer who declines meanwhile ends it at once', async () => {
    const token = await chooseLate(method);
    const response = await postForm(`/rails/simulator/${token}`, { outcome: 'decline' });
    await response.body?.cancel();
    expect(await intentNow(payment())).toMatchObject({ status: 'expired' });
    expect(await eventsOf()).toEqual(['payment_expired']);
  });
});
