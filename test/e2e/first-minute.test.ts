import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProcessGroup } from '../../scripts/gateway/process-group.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { freePort } from '../support/e2e-gateway.ts';

/**
 * Goal: in a fresh clone, after `npm ci`, both `npx wrangler dev` and `npm run dev` run a gateway that
 * accepts payments. Method: a copy of the tree without git-ignored files, and its first commands.
 */

/** Left out of the clone; the packages are linked. */
const NOT_CLONED = ['.git', '.wrangler', '.dev.vars', 'node_modules', 'dist', 'test-artefacts'];
/** Prevents requests outside this machine. */
const OFFLINE = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' };
const POLL_MS = 50;
const run = promisify(execFile);

let clone: string;
let group: ProcessGroup | null = null;

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'kefel-clone-'));
  await cp(PROJECT_DIRECTORY, clone, {
    recursive: true,
    filter: (source) => !NOT_CLONED.includes(basename(source)),
  });
  await symlink(join(PROJECT_DIRECTORY, 'node_modules'), join(clone, 'node_modules'));
});

afterAll(async () => {
  await group?.kill();
  await rm(clone, { recursive: true });
});

/** Starts `command` in the clone; resolves when `baseUrl` answers. */
async function started(command: string, baseUrl: string, args: readonly string[]): Promise<void> {
  const outputFile = join(clone, 'output.log');
  group = new ProcessGroup({ command, args, directory: clone, environment: OFFLINE, outputFile });
  while ((await statusOf(baseUrl)) === null) {
    expect(group.hasExited, await output()).toBe(false);
    await wait(POLL_MS);
  }
}

async function ended(): Promise<void> {
  await group?.kill();
  group = null;
}

function output(): Promise<string> {
  return readFile(join(clone, 'output.log'), 'utf8');
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

test('a deployment creates no local secrets and no local state', async () => {
  const environment = { ...process.env, WRANGLER_COMMAND: 'deploy' };
  await run(process.execPath, ['scripts/build-step.mjs'], { cwd: clone, env: environment });
  expect(await readdir(clone)).not.toContain('.dev.vars');
  expect(await readdir(clone)).not.toContain('.wrangler');
});

test('`npx wrangler dev` accepts a payment and opens the home page, the dashboard and the desk', async () => {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  await started('npx', `${baseUrl}/`, ['wrangler', 'dev', '--port', String(port)]);
  const file = await readFile(join(clone, '.wrangler', 'demo-merchant.json'), 'utf8');
  const { sandboxApiKey }: { sandboxApiKey: string } = JSON.parse(file);
  const created = await fetch(`${baseUrl}/api/v1/payment/sandbox/intent`, {
    method: 'POST',
    headers: { apiKey: sandboxApiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      paymentIntentUniqueId: 'order-1',
      currency: 'ETB',
      amount: 150.5,
      methods: [],
      commissionPaidByCustomer: true,
      expireIn: 3600,
      returnUrl: 'https://shop.example.com/thanks',
      callbackUrl: 'https://shop.example.com/webhooks',
    }),
  });
  const { content }: { content: string } = await created.json();
  expect(created.status).toBe(200);
  expect(await statusOf(content)).toBe(200);
  expect(await statusOf(`${baseUrl}/`)).toBe(200);
  expect(await statusOf(`${baseUrl}/dashboard/sign-in`)).toBe(200);
  const { OPERATOR_SECRETS } = parseEnv(await readFile(join(clone, '.dev.vars'), 'utf8'));
  const authorization = `Basic ${btoa(`developer:${OPERATOR_SECRETS}`)}`;
  expect(await statusOf(`${baseUrl}/operator`, { authorization })).toBe(200);
  await ended();
});

test('`npm run dev` prints little more than the first steps, and they work', async () => {
  await rm(join(clone, 'output.log'));
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  await started('npm', `${baseUrl}/`, ['run', 'dev', '--', '--port', String(port)]);
  await expect.poll(output).toMatch(/callbackUrl.*}'\n/);
  const text = await output();
  expect(text).not.toContain('env.PAYMENT_INTENT');
  expect(text.trim().split('\n').length).toBeLessThan(30);
  const command = text.slice(text.indexOf('  curl '));
  const { stdout } = await run('sh', ['-c', command]);
  const { content }: { content: string } = JSON.parse(stdout);
  expect(await statusOf(content)).toBe(200);
  const links = [...text.matchAll(/http:\/\/localhost:\d+\/(?:dashboard\S*|(?= prompts))/g)];
  // An invitation, the sign-in page, and the prompts of three methods.
  expect(links).toHaveLength(5);
  for (const [link] of links) {
    expect([link, await statusOf(link)]).toEqual([link, 200]);
  }
  const [, password] = /any name, password (\S+)/.exec(text) ?? [];
  const authorization = `Basic ${btoa(`developer:${password}`)}`;
  expect(await statusOf(`${baseUrl}/operator`, { authorization })).toBe(200);
  await ended();
});
