import { describe, expect, test } from 'vitest';
import { checkout as english } from '../../../src/engine/i18n/en.ts';
import { SCENARIOS } from '../../../src/engine/rails/simulator/scenarios.ts';
import {
  alarmsUntil,
  attemptToken,
  choose,
  clientIn,
  fireAlarmOf,
  intentNow,
  openHosted,
  payExpress,
} from '../rails/support.ts';
import {
  advance,
  call,
  chooseMethod,
  createHosted,
  postForm,
  SECOND_MS,
  useGateway,
} from '../support.ts';

/**
 * Goal: the simulator's form decides only what its page offers: posts that our page does not send
 * answer 400 and change nothing. A simulated attempt ends with its payment (docs/decisions.md#22).
 * Method: forged forms, and attempts in a payment's last second.
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

/** A hosted payment of five seconds whose customer chooses `method` a second before it expires. */
async function chooseLate(method: 'M_PESA' | 'TELE_BIRR') {
  const path = await openHosted({ expireIn: 5 }, 'sandbox');
  advance(4 * SECOND_MS);
  await choose(path, method);
  return { path, token: await attemptToken(payment()) };
}

const eventsOf = async () => (await payment().events()).map(({ type }) => type);

async function post(token: string, outcome: string): Promise<void> {
  const response = await postForm(`/rails/simulator/${token}`, { outcome });
  expect(response.status).toBe(303);
  await response.body?.cancel();
}

async function textOf(path: string): Promise<string> {
  const page = await call(path, { apiKey: null });
  expect(page.status).toBe(200);
  return page.text();
}

const EXPIRED = { status: 'expired', attempts: [{ status: 'expired' }] };

describe.each(['M_PESA', 'TELE_BIRR'] as const)('an attempt by %s at the expiry', (method) => {
  test('can be approved until the last millisecond', async () => {
    const { token } = await chooseLate(method);
    advance(SECOND_MS - 1);
    await fireAlarmOf(payment());
    expect(await textOf(`/simulator/${token}`)).toContain('value="approve"');
    await post(token, 'approve');
    expect(await intentNow(payment())).toMatchObject({ status: 'succeeded', late: false });
    expect(await eventsOf()).toEqual(['payment_succeeded']);
  });

  test.each([
    ['whose alarm comes on time', true],
    ['whose alarm is late', false],
  ])('expires with a payment %s', async (_name, isOnTime) => {
    const { path, token } = await chooseLate(method);
    advance(SECOND_MS);
    if (isOnTime) {
      await fireAlarmOf(payment());
      expect(await eventsOf()).toEqual(['payment_expired']);
    }
    expect(await textOf(path)).toContain(english.expiredTitle);
    const page = await textOf(`/simulator/${token}`);
    expect(page).toContain(english.simulatorSettled.expired);
    expect(page).not.toContain('value="approve"');
    await post(token, 'approve');
    expect(await intentNow(payment())).toMatchObject({ ...EXPIRED, late: false });
    expect(await eventsOf()).toEqual(['payment_expired']);
  });
});

test.each(['M_PESA', 'CBE'] as const)(
  'ACTUAL_TEST by %s in the simulator expires at expireIn',
  async (method) => {
    const testMode = { testModeType: 'ACTUAL_TEST' };
    await payExpress({ method, expireIn: 5, testMode }, 'sandbox');
    advance(5 * SECOND_MS - 1);
    expect(await intentNow(payment())).toMatchObject({ status: 'processing' });
    advance(1);
    await fireAlarmOf(payment());
    expect(await intentNow(payment())).toMatchObject(EXPIRED);
    expect(await eventsOf()).toEqual(['payment_expired']);
  },
);

test('an amount that would be paid after the expiry expires with the payment', async () => {
  const amount = SCENARIOS.paid_slowly.amountMinor / 100;
  await payExpress({ amount, expireIn: 5 }, 'sandbox');
  const { expiresAtMs } = (await intentNow(payment())).terms;
  await alarmsUntil(expiresAtMs, payment());
  expect(await intentNow(payment())).toMatchObject(EXPIRED);
  await alarmsUntil(expiresAtMs + 3_600 * SECOND_MS, payment());
  expect(await eventsOf()).toEqual(['payment_expired']);
});
