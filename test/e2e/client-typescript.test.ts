import { expect, test, vi } from 'vitest';
import {
  type HostedPaymentRequest,
  Kefel,
  KefelFailure,
  type KefelOptions,
  verifyWebhook,
} from '../../clients/typescript/kefel.ts';
import { playScenarios } from '../support/clients/play.ts';
import { typescriptDriver } from '../support/clients/typescript.ts';
import { plantedError } from '../support/output/planted.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

playScenarios('typescript', async () => typescriptDriver);

/** A client whose gateway always answers this. */
function answered(answer: () => Promise<Response>, options: Partial<KefelOptions> = {}): Kefel {
  const access = { apiKey: 'kfl_test_x', baseUrl: 'http://localhost' };
  return new Kefel({ ...access, fetch: answer, ...options });
}

const SUCCESS = { status: 200, message: 'Saved' };
const BODY = {} as HostedPaymentRequest;

test.each([
  ['a try', () => new Promise<never>(() => undefined)],
  ['the wait for the next', async () => new Response('', { status: 503 })],
])('a signal ends a call during %s', async (_time, answer) => {
  const shopping = new AbortController();
  const reason = new Error('the customer left');
  let tries = 0;
  const fetching: typeof fetch = async (_url, init) => {
    tries += 1;
    setTimeout(() => shopping.abort(reason));
    const ended = Promise.withResolvers<never>();
    init?.signal?.addEventListener('abort', () => ended.reject(new Error('aborted')));
    return Promise.race([answer(), ended.promise]);
  };
  const kefel = answered(fetching as () => Promise<Response>);
  await expect(kefel.payments.get('order-1', { signal: shopping.signal })).rejects.toBe(reason);
  await expect(kefel.payments.get('order-1', { signal: shopping.signal })).rejects.toBe(reason);
  expect(tries).toBe(1);
});

test('every failure is a KefelFailure with the id of the request, if there was an answer', async () => {
  const refused = { status: 404, message: 'None', code: 'payment_not_found', requestId: 'req-1' };
  const failures = [
    [answered(async () => Response.json(refused, { status: 404 })).payments.get('x'), 'req-1'],
    [answered(() => Promise.reject(plantedError()), { retriesMax: 0 }).banks.list(), null],
    [verifyWebhook('', {}, ''), null],
  ] as const;
  for (const [call, requestId] of failures) {
    const failure = await call.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KefelFailure);
    expect(failure).toMatchObject({ requestId });
  }
});

test('logs the warnings of a creation, unless the shop takes them', async () => {
  const content = 'https://pay.example.com/checkout/x';
  const answer = async () => Response.json({ ...SUCCESS, content, warnings: ['items: odd'] });
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  await answered(answer).payments.create(BODY);
  expect(warn.mock.calls).toEqual([['kefel: items: odd']]);
  const taken: string[] = [];
  const onWarning = (warning: string) => taken.push(warning);
  await answered(answer, { onWarning }).payments.create(BODY);
  expect([warn.mock.calls.length, taken]).toEqual([1, ['items: odd']]);
  warn.mockRestore();
});

test.each(['timeoutMs', 'deadlineMs'])('a %s that is no time is a RangeError', async (name) => {
  for (const value of [0, -1, Number.NaN]) {
    const answer = async () => Response.json(SUCCESS);
    expect(() => answered(answer, { [name]: value })).toThrow(RangeError);
    await expect(answered(answer).banks.list({ [name]: value })).rejects.toThrow(RangeError);
  }
});

test('an amount of undefined, such as a misspelled property, refunds nothing', async () => {
  const fetched: unknown[] = [];
  const options = { apiKey: 'kfl_test_x', baseUrl: 'http://localhost', retriesMax: 0 };
  const kefel = new Kefel({ ...options, fetch: async (url) => Response.json(fetched.push(url)) });
  const ids = { paymentIntentUniqueId: 'order-1', refundUniqueId: 'refund-1' };
  // A caller in JavaScript, or without `exactOptionalPropertyTypes`.
  const request = { ...ids, amountMinor: undefined } as unknown as typeof ids;
  await expect(kefel.refunds.create(request)).rejects.toThrow(/amountMinor.*undefined/);
  expect(fetched).toEqual([]);
});
