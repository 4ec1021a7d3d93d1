import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { signTestWebhook, verifyWebhook } from '../../../clients/typescript/kefel.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { samplesOf } from '../../support/clients/samples.ts';
import { expectLog } from '../../support/output/expected-log.ts';

/**
 * Goal: the routes of docs/webhook-frameworks.md take genuine webhooks and no others. Method: each
 * sample runs as a file beside a copy of the client, with the real framework.
 */

const PAGE = 'docs/webhook-frameworks.md';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const MERCHANT = { merchantId: 'mer_1', environment: 'sandbox' } as const;
const PAID = { event: 'PAYMENT_SUCCESS', uniqueId: 'ቡና-1', ...MERCHANT } as const;
const ENVIRONMENT = { KEFEL_WEBHOOK_SECRET: SECRET, KEFEL_MERCHANT_ID: MERCHANT.merchantId };

type Signed = Awaited<ReturnType<typeof signTestWebhook>>;
type Answer = (webhook: Signed) => Promise<number>;

/** What a sample exports here instead of listening. */
interface Exports {
  readonly server?: Server;
  readonly default?: { fetch(request: Request): Promise<Response> };
  readonly POST?: (request: Request) => Promise<Response>;
}

const servers: Server[] = [];
let directory: string;

beforeAll(async () => {
  for (const [name, value] of Object.entries(ENVIRONMENT)) {
    vi.stubEnv(name, value);
  }
  directory = await mkdtemp(join(tmpdir(), 'kefel-frameworks-'));
  await symlink(join(PROJECT_DIRECTORY, 'node_modules'), join(directory, 'node_modules'));
  for (const file of ['kefel.ts', 'api-types.ts']) {
    const source = join(PROJECT_DIRECTORY, 'clients/typescript', file);
    await write(`kefel/${file}`, await readFile(source, 'utf8'));
  }
  await write('package.json', '{"type": "module"}');
  await write('webhook.ts', sampleWith('// webhook.ts', 'ts'));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  for (const server of servers) {
    server.close();
  }
  await rm(directory, { recursive: true });
});

async function write(path: string, text: string): Promise<string> {
  const file = join(directory, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return pathToFileURL(file).href;
}

function sampleWith(text: string, language: string): string {
  return samplesOf(PAGE, language).find((sample) => sample.includes(text)) ?? '';
}

/** Runs the sample and returns how it answers a webhook. */
async function started(path: string, sample: string): Promise<Answer> {
  const code = sample
    .replace('app.listen(8799)', 'export const server = app.listen(0)')
    .replace(
      'await app.listen({ port: 8799 })',
      'await app.listen({ port: 0 });\nexport const { server } = app',
    );
  const exported: Exports = await import(/* @vite-ignore */ await write(path, code));
  const { server } = exported;
  if (server !== undefined) {
    servers.push(server);
  }
  const port = server === undefined ? 0 : (server.address() as AddressInfo).port;
  const send = exported.POST ?? exported.default?.fetch ?? fetch;
  return async ({ rawBody: body, headers }) => {
    const request = new Request(`http://localhost:${port}/webhooks`, {
      method: 'POST',
      headers: { ...headers },
      body,
    });
    return (await send(request)).status;
  };
}

const FRAMEWORKS: readonly [string, string, string][] = [
  ['Express', 'express.ts', "from 'express'"],
  ['Fastify', 'fastify.ts', "from 'fastify'"],
  ['Hono', 'hono.ts', "from 'hono'"],
  ['Next.js', 'app/webhooks/route.ts', 'function POST('],
];

const REFUSED: readonly [string, string, () => Promise<Signed>][] = [
  [
    'another body',
    'The signature does not fit',
    async () => {
      const { rawBody, headers } = await signTestWebhook(PAID, SECRET);
      return { rawBody: rawBody.replace('SUCCESS', 'EXPIRED'), headers };
    },
  ],
  [
    'an old one',
    'The webhook is too old, or its timestamp is missing',
    () => signTestWebhook(PAID, SECRET, { at: new Date(0) }),
  ],
];

describe.each(FRAMEWORKS)('%s', (_name, path, text) => {
  let answer: Answer;

  beforeAll(async () => {
    answer = await started(path, sampleWith(text, 'ts'));
  });

  test('accepts a genuine webhook with an Ethiopic text', async () => {
    expect(await answer(await signTestWebhook(PAID, SECRET))).toBe(204);
  });

  test.each(REFUSED)('refuses %s', async (_what, message, webhook) => {
    expectLog(message);
    expect(await answer(await webhook())).toBe(400);
  });
});

test.each<[string, unknown]>([
  ['an object, as express.json() leaves it', { webHookEvent: 'PAYMENT_SUCCESS' }],
  ['nothing, as without a parser', undefined],
])('a body that is %s is refused with a sentence', async (_what, body) => {
  const { headers } = await signTestWebhook(PAID, SECRET);
  const error = await verifyWebhook(body as string, headers, SECRET, MERCHANT).catch(String);
  expect(error).toMatch(/^TypeError: rawBody must be .*express\.raw/);
});

test.each([
  ['text', (text: string) => text],
  ['bytes', (text: string) => Buffer.from(text)],
  ['a buffer', (text: string) => new TextEncoder().encode(text).buffer],
])('a body that is %s is accepted', async (_what, bodyOf) => {
  const { rawBody, headers } = await signTestWebhook(PAID, SECRET);
  const body = bodyOf(rawBody) as string;
  expect(await verifyWebhook(body, headers, SECRET, MERCHANT)).toMatchObject({ refund: null });
});
