import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Cloudflare as Client } from '../../scripts/deployment/cloudflare.ts';
import type { Deployment } from '../../scripts/deployment/deployment-file.ts';
import { createKeys, SECRETS_OF, secretsOf } from '../../scripts/deployment/keys.ts';
import { createRecoveryKey, fingerprintOf } from '../../scripts/deployment/recovery-key.ts';
import { resourcesOf, writeWorkerConfigs } from '../../scripts/deployment/render.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { keyRing } from '../../src/config.ts';
import { METHODS } from '../../src/domain/method.ts';
import { generateApiKey } from '../../src/merchants/api-key.ts';
import { createApiKey } from '../../src/merchants/change-keys.ts';
import { createMerchant } from '../../src/merchants/provision.ts';
import { type Cloudflare, startCloudflare } from '../support/cloudflare/server.ts';
import { deploymentFixture } from '../support/deployment.ts';

/**
 * Goal: the local Cloudflare runs what wrangler uploads. Method: real wrangler deploys both Workers to
 * it, and a payment goes through the uploaded bundles.
 */

const HOST = 'pay.example.com';

let cloudflare: Cloudflare;

async function wrangler(...args: readonly string[]): Promise<void> {
  const main = createRequire(import.meta.url).resolve('wrangler');
  await promisify(execFile)(process.execPath, ['--no-warnings', main, ...args], {
    cwd: PROJECT_DIRECTORY,
    env: { ...process.env, ...cloudflare.environment },
  });
}

beforeAll(async () => {
  cloudflare = await startCloudflare();
  const recoveryKey = createRecoveryKey();
  const deployment: Deployment = {
    ...deploymentFixture(),
    account: { id: cloudflare.accountId, name: cloudflare.state.name },
    recoveryKey: fingerprintOf(recoveryKey),
    addresses: { payments: `https://${HOST}`, backOffice: `https://${HOST}` },
    zones: { payments: 'example.com', backOffice: 'example.com' },
    keys: await createKeys(recoveryKey, new Date()),
    operators: [{ name: 'Almaz', keyId: 'k1' }],
    jurisdiction: '',
    locationHint: '',
    hasBackups: true,
  };
  const workers = await writeWorkerConfigs('production', deployment);
  const { databases, queues, bucket } = resourcesOf(workers);
  const client = new Client(cloudflare.token, cloudflare.url);
  const create = (path: string, body: object) =>
    client.call({ method: 'POST', path: `/accounts/${cloudflare.accountId}/${path}`, body });
  for (const name of databases) {
    await create('d1/database', { name });
  }
  for (const queue_name of queues) {
    await create('queues', { queue_name });
  }
  await create('r2/buckets', { name: bucket });
  const secrets = await secretsOf(deployment, recoveryKey);
  const directory = await mkdtemp(join(tmpdir(), 'kefel-secrets-'));
  for (const plane of ['payments', 'backOffice'] as const) {
    const { config, file } = workers[plane];
    const database = String(config.d1_databases?.[0]?.database_name);
    await wrangler('d1', 'migrations', 'apply', database, '--remote', '-c', file);
    const names: readonly (keyof typeof secrets)[] = SECRETS_OF[plane];
    const secretsFile = join(directory, `${plane}.json`);
    const own = Object.fromEntries(names.map((name) => [name, secrets[name]]));
    await writeFile(secretsFile, JSON.stringify(own));
    await wrangler('deploy', '-c', file, '--secrets-file', secretsFile);
  }
  await rm(directory, { recursive: true });
  apiKey = await merchantKey(secrets.DATA_ENCRYPTION_KEYS);
});

let apiKey = '';

async function merchantKey(ring: string): Promise<string> {
  const database = cloudflare.state.databases.find(({ name }) => name === 'kefel');
  const d1 = await cloudflare.runtime.database(String(database?.uuid));
  const key = await generateApiKey(keyRing('DATA_ENCRYPTION_KEYS', ring), 'sandbox');
  const createdAtMs = Date.now();
  const methods = METHODS.map((method) => ({ method, rate: { basisPoints: 0, fixedMinor: 0 } }));
  const scope = { environment: 'sandbox', merchantId: 'shop' } as const;
  const statements = [
    ...createMerchant({ id: 'shop', name: 'Shop', methods, createdAtMs }),
    await createApiKey(scope, { apiKey: key, name: 'First key', createdAtMs }),
  ];
  await d1.batch(statements.map(({ sql, params }) => d1.prepare(sql).bind(...params)));
  return key;
}

afterAll(() => cloudflare.stop());

async function payment(path: string, body?: object) {
  const response = await cloudflare.fetch(HOST, `/api/v1/payment/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { apiKey, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('takes a payment by the uploaded bundles, and the back office shows its pages', async () => {
  const answer = await payment('express/sandbox/pay', {
    amount: 25.5,
    currency: 'ETB',
    paymentIntentUniqueId: 'order-1',
    method: 'TELE_BIRR',
    phoneNumber: '0911223344',
    returnUrl: 'https://shop.example.com/done',
    expireIn: 600,
    commissionPaidByCustomer: false,
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
  });
  expect(answer, cloudflare.runtime.logs.join('\n')).toMatchObject({ status: 200 });
  await vi.waitFor(async () => {
    const listed = await payment('sandbox/intents');
    expect(JSON.stringify(listed.body), cloudflare.runtime.logs.join('\n')).toContain('order-1');
  });
  for (const path of ['/', '/dashboard/sign-in', '/docs/', '/icon.svg']) {
    const page = await cloudflare.fetch(HOST, path);
    expect([path, page.status]).toEqual([path, 200]);
  }
});
