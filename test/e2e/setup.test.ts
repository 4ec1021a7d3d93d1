import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseDeployment } from '../../scripts/deployment/deployment-file.ts';
import { secretsOf } from '../../scripts/deployment/keys.ts';
import { parseRecoveryKey } from '../../scripts/deployment/recovery-key.ts';
import { renderedDirectory } from '../../scripts/deployment/render.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { createApiKey } from '../../src/control/merchants/change-keys.ts';
import { keyRing } from '../../src/engine/config.ts';
import { generateApiKey } from '../../src/engine/merchants/api-key.ts';
import { type Cloudflare, startCloudflare } from '../support/cloudflare/server.ts';

/**
 * Goal: one command goes from an empty account to a gateway that takes payments. Method: `npm run
 * setup` runs as a process, with wrangler, against the local Cloudflare, which runs what it uploaded.
 */

const HOST = 'pay.example.com';
const SECONDS_MAX = 300;

/** Calls of wrangler that `SETUP_FAULTS=all` lets fail, one in each run of setup. */
const FAULTY_CALLS =
  process.env.SETUP_FAULTS === 'all'
    ? [
        'POST /accounts/{account}/d1/database/{database}/query',
        'POST /accounts/{account}/workers/scripts/{script}/assets-upload-session',
        'POST /accounts/{account}/workers/assets/upload',
        'PUT /accounts/{account}/workers/scripts/{script}',
        'POST /accounts/{account}/workers/scripts/{script}/subdomain',
        'PUT /accounts/{account}/workers/scripts/{script}/schedules',
        'POST /accounts/{account}/queues/{queue}/consumers',
        'PUT /accounts/{account}/workers/scripts/{script}/domains/records',
        'PUT /accounts/{account}/workers/scripts/{script}/routes',
      ]
    : [];
/** More than wrangler makes of any call: `recover` ends the fault. */
const TRIES = 20;

let cloudflare: Cloudflare;
let output = '';
/** What setup printed in the runs that failed. */
const failures: string[] = [];

function npmRun(...args: readonly string[]) {
  return promisify(execFile)('npm', ['run', '--silent', ...args], {
    cwd: PROJECT_DIRECTORY,
    env: { ...process.env, npm_config_update_notifier: 'false', ...cloudflare.environment },
  });
}

/** The operator's home, outside the project. */
const home = () => cloudflare.environment.HOME;

function setup(...options: readonly string[]) {
  const directory = join(home(), 'deployments');
  return npmRun('setup', '--', '--directory', directory, '--operator', 'Sara', ...options);
}

beforeAll(
  async () => {
    cloudflare = await startCloudflare();
    for (const [index, call] of FAULTY_CALLS.entries()) {
      for (const fault of ['reset', 'answer lost'] as const) {
        cloudflare.failCall(call, fault, TRIES);
        // Wrangler makes some of these at once, so each later one must not succeed before its turn.
        for (const later of FAULTY_CALLS.slice(index + 1)) {
          cloudflare.failCall(later, 'reset', TRIES);
        }
        const failed = await setup('--url', `https://${HOST}`).catch((error) => error);
        cloudflare.recover();
        failures.push(`${call} (${fault}): ${failed.stdout}`);
      }
    }
    output = (await setup('--url', `https://${HOST}`)).stdout;
  },
  (1 + FAULTY_CALLS.length * 2) * SECONDS_MAX * 1000,
);

afterAll(async () => {
  const rendered = renderedDirectory('production', join(home(), 'deployments'));
  await rm(rendered, { recursive: true, force: true });
  await cloudflare.stop();
});

test('sets up a gateway whose self-check pays in the sandbox', () => {
  expect(output).toContain('Step 11 of 11: self-check');
  expect(output).toMatch(/ok {4}payment: Paid after \d+ s\./);
  expect(output).not.toContain('WRONG');
  expect(output).toContain(`Desk:          https://${HOST}/operator`);
});

test('says after each failure that the same command continues', () => {
  expect(failures).toHaveLength(FAULTY_CALLS.length * 2);
  const unclear = failures.filter((text) => !text.includes('To continue, run: '));
  // Only the last lost answer may be one that setup does without: before it, a later call fails.
  expect(unclear.slice(0, -1)).toEqual([]);
  expect(unclear.filter((text) => !text.includes('is set up.'))).toEqual([]);
});

test('changes nothing when it runs again', async () => {
  cloudflare.calls.length = 0;
  const { stdout } = await setup();
  expect(stdout.match(/Nothing to do/g)).toHaveLength(10);
  expect(cloudflare.changes()).toEqual([]);
});

test('takes a payment, after the operator has created the merchant', async () => {
  const created = await npmRun(
    ...['operator', '--', 'merchant', 'create', '--env', 'production'],
    ...['--name', 'Abebe Coffee', '--id', 'abebe', '--commission', 'TELE_BIRR=2.5'],
  );
  expect(created.stdout).toContain('abebe');
  const apiKey = await sandboxKey('abebe');
  const call = async (path: string, body?: object) => {
    const response = await cloudflare.fetch(HOST, `/api/v1/payment/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const answer = await call('express/sandbox/pay', {
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
  const status = async () => (await call('sandbox/intents/order-1')).text;
  await expect.poll(status, { timeout: 60_000 }).toContain('"SUCCESS"');
});

test.each([
  ['/', 200],
  ['/dashboard/sign-in', 200],
  // Asks for the operator's secret.
  ['/operator', 401],
  ['/docs/', 200],
  ['/icon.svg', 200],
])('serves %s at the one address of both Workers', async (path, status) => {
  expect((await cloudflare.fetch(HOST, path)).status).toBe(status);
});

test('sends alerts by e-mail, once the deployment file names both addresses', async () => {
  const file = join(home(), 'deployments', 'production.json');
  const { variables, ...deployment } = parseDeployment(await readFile(file, 'utf8'), file);
  const addresses = { ALERT_EMAIL_FROM: 'kefel@example.com', ALERT_EMAIL_TO: 'hana@example.com' };
  const payments = { ...variables.payments, ...addresses };
  await writeFile(file, JSON.stringify({ ...deployment, variables: { ...variables, payments } }));
  await setup();
  const { stdout } = await npmRun(
    'operator',
    '--',
    'alert',
    'test',
    'email',
    '--env',
    'production',
  );
  expect(stdout).toMatch(/^Sent /);
});

/** Members create keys in the dashboard, which test/journeys covers. */
async function sandboxKey(merchantId: string): Promise<string> {
  const read = (...names: string[]) => readFile(join(home(), ...names), 'utf8');
  const text = await read('deployments', 'production.json');
  const recoveryKey = parseRecoveryKey(await read('kefel-production-recovery.txt'));
  const secrets = await secretsOf(parseDeployment(text, 'production.json'), recoveryKey);
  const ring = keyRing('DATA_ENCRYPTION_KEYS', secrets.DATA_ENCRYPTION_KEYS);
  const apiKey = await generateApiKey(ring, 'sandbox');
  const key = { apiKey, name: 'First key', createdAtMs: Date.now() };
  const database = cloudflare.state.databases.find(({ name }) => name === 'kefel');
  await cloudflare.runtime
    .database(String(database?.uuid))
    .batch([await createApiKey({ environment: 'sandbox', merchantId }, key)]);
  return apiKey;
}
