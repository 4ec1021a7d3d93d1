import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import {
  answerOf,
  call,
  cancelPath,
  createHosted,
  payHosted,
  postExpress,
  postHosted,
  postRefund,
  refundPath,
  statusPath,
  useGateway,
} from '../support.ts';

/**
 * Goal: while D1 fails, a merchant whose key is known can go on working, and the others learn when
 * to retry (docs/operations.md#when-d1-is-down). Method: requests with a database that throws.
 */

useGateway();

const BANKS = '/api/v1/payment/banks';
const SANDBOX = '/api/v1/payment/sandbox';
const UUID = '00000000-0000-7000-8000-000000000000';
const SPLITS = [{ bank: 'CBE', creditAccount: '1000', splitType: 'PERCENTAGE', amount: 1 }];

function failD1(): void {
  const fail = () => {
    throw new Error('D1 is away');
  };
  vi.spyOn(env.DB, 'prepare').mockImplementation(fail);
  vi.spyOn(env.DB, 'batch').mockImplementation(fail);
}

const REQUESTS: readonly (readonly [string, number, () => Promise<Response>])[] = [
  ['creates a hosted payment', 200, () => postHosted({ paymentIntentUniqueId: 'order-2' })],
  ['creates an express payment', 200, () => postExpress({ paymentIntentUniqueId: 'order-3' })],
  ['reads a payment by unique id', 200, () => call(statusPath('order-1'))],
  ['cancels a payment', 200, () => call(cancelPath('order-1'), { method: 'POST' })],
  ['a payment with splits', 503, () => postHosted({ splitPayment: SPLITS })],
  ['refunds a payment', 503, () => postRefund({ paymentIntentUniqueId: 'paid' })],
  ['reading an unknown refund', 404, () => call(refundPath())],
  ['the list of banks', 503, () => call(BANKS)],
  ['a payment by a uuid that does not exist', 404, () => call(statusPath(UUID))],
  ['lists payments', 200, () => call(`${SANDBOX}/intents?customerPhone=251911223344`)],
  ['lists refunds', 200, () => call(`${SANDBOX}/refunds`)],
  ['lists events', 200, () => call(`${SANDBOX}/events`)],
];

test.each(REQUESTS)('with a key in use: %s answers %s', async (_name, status, send) => {
  await createHosted();
  await payHosted({ paymentIntentUniqueId: 'paid' });
  failD1();
  expect(await retryOf(send())).toEqual([status, status === 503 ? '1' : null]);
});

test.each(REQUESTS)(
  'with a key not yet in use, 503 instead of: %s',
  async (_name, _status, send) => {
    failD1();
    expect(await retryOf(send())).toEqual([503, '1']);
  },
);

test('a payment without splits reads no banks', async () => {
  const prepare = vi.spyOn(env.DB, 'prepare');
  await createHosted({ splitPayment: [] });
  expect(prepare.mock.calls.map(String).join()).not.toContain('banks');
  await createHosted({ paymentIntentUniqueId: 'order-2', splitPayment: SPLITS });
  expect(prepare.mock.calls.map(String).join()).toContain('banks');
});

async function retryOf(response: Promise<Response>) {
  const { status, envelope, headers } = await answerOf(response);
  expect(envelope.status).toBe(status);
  return [status, headers.get('retry-after')];
}
