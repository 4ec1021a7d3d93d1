import { expect, test } from 'vitest';
import { Kefel } from '../../clients/typescript/kefel.ts';
import { playScenarios } from '../support/clients/play.ts';
import { typescriptDriver } from '../support/clients/typescript.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

playScenarios('typescript', async () => typescriptDriver);

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
