import { expect, test } from 'vitest';
import { attemptToken, clientIn, intentNow, payExpress } from './rails-support.ts';
import { chooseMethod, createHosted, postForm, useGateway } from './support.ts';

/**
 * Goal: the simulator's form decides only what its page offers: posts that our page does not send
 * answer 400 and change nothing.
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
