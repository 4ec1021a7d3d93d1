import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../scripts/gateway/own-gateway.ts';
import { ProcessGroup } from '../../scripts/gateway/process-group.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { blocksOf, isLocal } from '../support/documents/markdown.ts';

/**
 * Goal: in a fresh clone, after `npm ci`, both `npx wrangler dev` and `npm run dev` run a gateway that
 * accepts payments. Method: a copy of the tree without git-ignored files, and its first commands.
 */

/** Left out of the clone; the packages are linked. */
const NOT_CLONED = ['.git', '.wrangler', '.dev.vars', 'node_modules', 'dist', 'test-artefacts'];
/** Prevents requests outside this machine. */
const OFFLINE = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' };
const POLL_MS = 50;

// Most tests start several processes, one of them wrangler.
vi.setConfig({ testTimeout: 300_000 });
const run = promisify(execFile);

let clone: string;
const groups: ProcessGroup[] = [];

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'kefel-clone-'));
  await cp(PROJECT_DIRECTORY, clone, {
    recursive: true,
    filter: (source) => !NOT_CLONED.includes(basename(source)),
  });
  await symlink(join(PROJECT_DIRECTORY, 'node_modules'), join(clone, 'node_modules'));
});

afterAll(async () => {
  await ended();
  await rm(clone, { recursive: true });
});

/** Starts `command` in the clone; resolves when `url` answers. */
async function started(
  command: string,
  url: string,
  args: readonly string[],
  name = 'gateway',
): Promise<void> {
  const outputFile = join(clone, `${name}.log`);
  await rm(outputFile, { force: true });
  const group = new ProcessGroup({
    command,
    args,
    directory: clone,
    environment: OFFLINE,
    outputFile,
  });
  groups.push(group);
  while ((await statusOf(url)) === null) {
    expect(group.hasExited, await output(name)).toBe(false);
    await wait(POLL_MS);
  }
}

/** Starts `npm run dev` in the clone; resolves with its URL when it has printed the first steps. */
async function startedDev(name: string, ...args: readonly string[]): Promise<string> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  await started('npm', `${baseUrl}/`, ['run', 'dev', '--', '--port', String(port), ...args], name);
  const printed = async () => expect(await output(name)).toMatch(/callbackUrl.*}'\n/);
  await vi.waitFor(printed, { timeout: 60_000, interval: POLL_MS });
  return baseUrl;
}

async function ended(): Promise<void> {
  for (const running of groups.splice(0)) {
    await running.kill();
  }
}

/** What a command has printed. */
function output(name = 'gateway'): Promise<string> {
  return readFile(join(clone, `${name}.log`), 'utf8');
}

/** Null while no server listens. */
async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | null> {
  try {
    const response = await fetch(url, { headers });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

interface DemoMerchant {
  readonly baseUrl?: string;
  readonly sandboxApiKey: string;
}

async function demoMerchant(): Promise<DemoMerchant> {
  return JSON.parse(await readFile(join(clone, '.wrangler', 'demo-merchant.json'), 'utf8'));
}

function post(url: string, { sandboxApiKey }: DemoMerchant, fields: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { apiKey: sandboxApiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      currency: 'ETB',
      amount: 150.5,
      commissionPaidByCustomer: true,
      ...fields,
    }),
  });
}

/** Runs a script of the clone to its end. */
function npmRun(script: string, ...args: readonly string[]) {
  return run('npm', ['run', '--silent', script, '--', ...args], { cwd: clone });
}

test('a deployment creates no local secrets and no local state', async () => {
  const environment = { ...process.env, WRANGLER_COMMAND: 'deploy' };
  await run(process.execPath, ['scripts/build-step.mjs'], { cwd: clone, env: environment });
  expect(await readdir(clone)).not.toContain('.dev.vars');
  expect(await readdir(clone)).not.toContain('.wrangler');
});

test('help and unknown options create nothing', async () => {
  const { stdout } = await npmRun('dev', '--help');
  expect(stdout).toContain('--port PORT');
  await expect(npmRun('dev', '--prot', '1')).rejects.toThrow("Unknown option '--prot'");
  expect(await readdir(clone)).not.toContain('.dev.vars');
  expect(await readdir(clone)).not.toContain('.wrangler');
});

test('`npx wrangler dev` takes a payment without the back office', async () => {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  await started('npx', `${baseUrl}/openapi.json`, ['wrangler', 'dev', '--port', String(port)]);
  const merchant = await demoMerchant();
  // Wrangler does not say where it will listen, and a wrong address is worse than none.
  expect(merchant.baseUrl).toBeUndefined();
  const created = await post(`${baseUrl}/api/v1/payment/sandbox/intent`, merchant, {
    paymentIntentUniqueId: 'order-1',
    methods: [],
    expireIn: 3600,
    returnUrl: 'https://shop.example.com/thanks',
    callbackUrl: 'https://shop.example.com/webhooks',
  });
  const { content }: { content: string } = await created.json();
  expect(created.status).toBe(200);
  expect(await statusOf(content)).toBe(200);
  expect(await statusOf(`${baseUrl}/dashboard/sign-in`)).toBe(404);
  await ended();
});

/** The README's charges, in the sandbox and by a stand-in, and the answer that it shows. */
function readmeCharges(): { readonly charges: readonly string[]; readonly answer: object } {
  const texts = blocksOf('README.md').map(({ text }) => text);
  const shown = texts.find((text) => text.startsWith('{'));
  const { content, ...envelope } = JSON.parse(shown ?? '');
  // The address of a page is for methods that have one.
  const { paymentUrl: _, ...common } = content;
  return {
    charges: texts.filter((text) => text.includes('curl ')),
    answer: { ...envelope, content: { ...common, transactionId: expect.any(String) } },
  };
}

/** The commands of docs/quick-start.md for the reader's own machine, in the order of the page. */
function quickStartCommands(): readonly string[] {
  return blocksOf('docs/quick-start.md')
    .filter((block) => block.language === 'sh' && isLocal('docs/quick-start.md', block))
    .flatMap(({ text }) => text.trim().split(/\n(?! )/));
}

describe('`npm run dev`', () => {
  let baseUrl: string;

  beforeAll(async () => {
    baseUrl = await startedDev('first');
  });

  test('prints little more than the first steps, and they work', async () => {
    const text = await output('first');
    expect(text).not.toContain('env.PAYMENT_INTENT');
    expect(text.trim().split('\n').length).toBeLessThan(33);
    const command = text.slice(text.indexOf('  curl '));
    const { stdout } = await run('sh', ['-c', command]);
    const { content }: { content: string } = JSON.parse(stdout);
    expect(await statusOf(content)).toBe(200);
    const { charges, answer } = readmeCharges();
    expect(charges).toHaveLength(2);
    for (const charge of charges) {
      const script = charge.replace('http://localhost:8787', baseUrl);
      const charged = await run('sh', ['-c', script], { cwd: clone });
      expect(JSON.parse(charged.stdout)).toMatchObject(answer);
    }
    const links = [...text.matchAll(/http:\/\/localhost:\d+\/(?:dashboard\S*|(?= prompts))/g)];
    // An invitation, the sign-in page, and the phones.
    expect(links).toHaveLength(3);
    for (const [link] of links) {
      expect([link, await statusOf(link)]).toEqual([link, 200]);
    }
    const [, secret] = /the operator secret (\S+)/.exec(text) ?? [];
    const authorization = `Bearer ${secret}`;
    expect(await statusOf(`${baseUrl}/operator`, { authorization })).toBe(200);
  });

  test('the quick start, word for word, ends with verified webhooks in under ten commands', async () => {
    const commands = quickStartCommands();
    expect(commands.length).toBeLessThan(10);
    // The packages are linked, and other gateways may use the default ports.
    const [install, start, receive, ...others] = commands;
    expect([install, start, receive]).toEqual(['npm ci', 'npm run dev', 'npm run webhooks']);
    const receiver = `http://localhost:${await freePort()}`;
    const { port } = new URL(receiver);
    await started('npm', receiver, ['run', 'webhooks', '--', '--port', port], 'receiver');
    const script = others
      .join('\n')
      .replaceAll('http://localhost:8787', baseUrl)
      .replaceAll('http://localhost:8799', receiver);
    const { stdout } = await run('bash', ['-ec', script], { cwd: clone });
    const [express, read, hosted] = stdout
      .split(/(?<=\})(?=\{"status")/)
      .map((it) => JSON.parse(it));
    expect(express.content.status).toBe('SUCCESS');
    expect(read.content.uniqueId).toBe('order-1001');
    expect(await statusOf(hosted.content)).toBe(200);
    await expect
      .poll(() => output('receiver'), { timeout: 60_000 })
      .toMatch(
        /PAYMENT_SUCCESS {2}order-1001.*HMAC\) {3}valid.*RSA\) {12}valid.*environment {3}valid/s,
      );
    const body = JSON.stringify({ merchantId: 'another', environment: 'sandbox' });
    const foreign = JSON.stringify({ environment: 'sandbox', signature: '', body });
    await fetch(receiver, { method: 'POST', body: foreign });
    await expect
      .poll(() => output('receiver'))
      .toMatch(/environment {3}NOT VALID: do not trust this/);
  });

  test('`npm run webhooks` verifies with the secret of an endpoint, or says what is missing', async () => {
    const merchant = await demoMerchant();
    for (const name of ['told', 'untold']) {
      const port = String(await freePort());
      const url = `http://localhost:${port}/webhooks`;
      const endpoints = `${baseUrl}/api/v1/payment/sandbox/webhook-endpoints`;
      const headers = { apiKey: merchant.sandboxApiKey, 'content-type': 'application/json' };
      const created = await fetch(endpoints, {
        method: 'POST',
        headers,
        body: JSON.stringify({ url }),
      });
      const { content }: { content: { readonly secret: string } } = await created.json();
      const secret = name === 'told' ? ['--secret', content.secret] : [];
      await started('npm', url, ['run', 'webhooks', '--', '--port', port, ...secret], name);
    }
    await post(`${baseUrl}/api/v1/payment/express/sandbox/pay`, merchant, {
      paymentIntentUniqueId: 'order-3',
      method: 'CBE',
      phoneNumber: '0911234567',
      expireIn: 3600,
      testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    });
    const settled = { timeout: 60_000 };
    await expect
      .poll(() => output('told'), settled)
      .toMatch(/order-3.*HMAC\) {3}valid.*RSA\) {12}valid/s);
    await expect
      .poll(() => output('untold'), settled)
      .toMatch(/order-3.*HMAC\) {3}NOT VALID: .*--secret.*RSA\) {12}valid/s);
  });

  test('`npm run webhooks` says what it answered, and to which try', async () => {
    const receiver = `http://localhost:${await freePort()}/webhooks`;
    const { port } = new URL(receiver);
    const args = ['run', 'webhooks', '--', '--port', port, '--status', '500'];
    await started('npm', receiver, args, 'receiver');
    await post(`${baseUrl}/api/v1/payment/express/sandbox/pay`, await demoMerchant(), {
      paymentIntentUniqueId: 'order-2',
      method: 'CBE',
      phoneNumber: '0911234567',
      expireIn: 3600,
      callbackUrl: receiver,
      testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    });
    await expect
      .poll(() => output('receiver'), { timeout: 60_000 })
      .toMatch(/PAYMENT_SUCCESS {2}order-2.*HMAC\) {3}valid.*500, to try 1.*500, to try 2/s);
  });

  test('a second one prints its own address, and scripts keep using that of the first', async () => {
    expect((await demoMerchant()).baseUrl).toBe(baseUrl);
    const state = join(clone, '.wrangler', 'second');
    const second = await startedDev('second', '--no-stand-ins', '--persist-to', state);
    expect((await demoMerchant()).baseUrl).toBe(baseUrl);
    await npmRun('operator', 'merchant', 'create', '--name', 'First', '--id', 'first');
    const commandOf = async (name: string) =>
      /npm run operator -- (.*)/.exec(await output(name))?.[1]?.split(' ') ?? [];
    expect(await commandOf('first')).toEqual(['health']);
    expect(await commandOf('second')).toEqual(['health', '--url', second]);
    await npmRun('operator', ...(await commandOf('second')));
    const merchants = async (...args: readonly string[]) =>
      (await npmRun('operator', 'merchant', 'list', ...args)).stdout;
    expect(await merchants()).toContain('First');
    expect(await merchants('--url', second)).not.toContain('First');
    await ended();
    await expect(npmRun('operator', 'health')).rejects.toThrow(`${baseUrl} cannot be reached`);
  });
});
