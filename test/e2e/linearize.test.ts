import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { benchMerchant, buildKefel, startKefel } from '../../lab/harness/built-worker.ts';
import { MerchantApi } from '../../lab/harness/merchant-api.ts';
import { linearizePayments } from '../../lab/linearize/run.ts';
import { HttpClient } from '../../scripts/gateway/http.ts';

/** The short form of `npm run linearize` (docs/reliability.md#linearizability). */

const OPERATIONS = 1_000;
const SEED = 15;
const CONNECTIONS_MAX = 64;

test('answers concurrent requests about a payment as if one came after the other', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kefel-linearize-'));
  onTestFinished(() => rm(directory, { recursive: true, maxRetries: 5 }));
  await buildKefel(join(directory, 'built'), true);
  const server = await startKefel(join(directory, 'built'), join(directory, 'state'));
  onTestFinished(() => server.stop());
  const http = new HttpClient(CONNECTIONS_MAX);
  onTestFinished(() => http.close());
  const merchant = { ...(await benchMerchant()), baseUrl: server.url };
  const result = await linearizePayments(
    { api: new MerchantApi(merchant, 'sandbox'), http },
    { operations: OPERATIONS, seed: SEED, paymentsAtOnce: 6 },
  );
  expect(result.contradictions.join('\n')).toBe('');
  expect(result.operations).toBeGreaterThanOrEqual(OPERATIONS);
}, 300_000);
