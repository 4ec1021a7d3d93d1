import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { listenLocally } from '../../../lab/harness/local-server.ts';
import { checkGateway, NotChecked, runSelfCheck } from '../../../scripts/setup/self-check.ts';
import { VERSION_HEADER } from '../../../src/kit/http/common-headers.ts';
import { deploymentFixture } from '../../support/deployment.ts';

/**
 * Goal: the self-check of setup and of deployments is about the gateway as it is now, and gives the
 * operator's secret to no other server. Method: a server plays what answers at the address.
 */

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const OPERATOR = { name: 'Sara', secret: 'secret-of-sara' };
const TERMINAL = { say: () => undefined };
const ended: (() => void)[] = [];

afterEach(() => {
  for (const end of ended.splice(0)) {
    end();
  }
});

/** What was asked, with the headers. */
async function play(answer: Answer) {
  const asked: { readonly what: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    asked.push({ what: `${request.method} ${request.url}`, headers: request.headers });
    answer(request, response);
  });
  const origin = await listenLocally(server);
  ended.push(() => server.close());
  return { origin, asked };
}

function report(
  response: ServerResponse,
  state: 'ok' | 'wrong',
  { status = 200, name = 'payment' } = {},
): void {
  const checks = [{ name, state, detail: '', remedy: 'Go back.' }];
  const content = { checks, finishedAt: '2026-11-27T01:00:00Z' };
  response.writeHead(status, { 'content-type': 'application/json', [VERSION_HEADER]: 'v1' });
  response.end(JSON.stringify({ status, message: 'Self-check', content }));
}

test('waits for a self-check of its own, instead of reading one that began before', async () => {
  const { origin, asked } = await play((_request, response) => {
    report(response, 'wrong', { status: asked.length < 3 ? 429 : 200 });
  });
  const checked = runSelfCheck(origin, OPERATOR, TERMINAL, { mustStart: true, pollMs: 1 });
  await expect(checked).rejects.toThrow(/payment/);
  expect(asked.map(({ what }) => what)).toEqual(Array(3).fill('POST /operator/v1/check'));
});

test('does not fail for a lost book, which no deployment has caused', async () => {
  const { origin } = await play((_request, response) => {
    report(response, 'wrong', { name: 'books' });
  });
  const said: string[] = [];
  const terminal = { say: (text: string) => said.push(text) };
  await runSelfCheck(origin, OPERATOR, terminal);
  expect(said.join()).toContain('WRONG books');
});

test('sends the secret only after Kefel has answered, when something else has the address', async () => {
  const { origin, asked } = await play((_request, response) => {
    if (asked.length < 3) {
      response.writeHead(404).end('A shop');
    } else {
      report(response, 'ok');
    }
  });
  const deployment = deploymentFixture({ addresses: { payments: origin, backOffice: origin } });
  const terminal = {
    ...TERMINAL,
    isInteractive: false,
    ask: async () => '',
  };
  await checkGateway({ deployment, terminal }, OPERATOR, { mustStart: true, pollMs: 1 });
  const secrets = asked.map(({ headers }) => headers.authorization);
  expect(secrets.slice(0, -1).filter(Boolean)).toEqual([]);
  expect(secrets.at(-1)).toBe(`Bearer ${OPERATOR.secret}`);
});

test("finds that Cloudflare challenges merchants' servers, before it checks anything else", async () => {
  const { origin, asked } = await play((request, response) => {
    if (request.headers['user-agent']?.startsWith('python')) {
      response.writeHead(403, { 'cf-mitigated': 'challenge' }).end('Just a moment...');
    } else {
      report(response, 'ok');
    }
  });
  const deployment = deploymentFixture({ addresses: { payments: origin, backOffice: origin } });
  const terminal = {
    ...TERMINAL,
    isInteractive: false,
    ask: async () => '',
  };
  const checked = checkGateway({ deployment, terminal }, OPERATOR, { mustStart: true, pollMs: 1 });
  await expect(checked).rejects.toMatchObject({
    problem: expect.stringContaining('Cloudflare challenges python-requests'),
    remedy: expect.stringContaining('Turn Bot Fight Mode off'),
  });
  expect(asked.some(({ what }) => what.includes('/operator'))).toBe(false);
});

test('shows the token of this machine, where Cloudflare Access guards the desk', async () => {
  const { origin, asked } = await play((_request, response) => report(response, 'ok'));
  const environment = { CF_ACCESS_CLIENT_ID: 'id', CF_ACCESS_CLIENT_SECRET: 'token' };
  await runSelfCheck(origin, OPERATOR, TERMINAL, { environment });
  expect(asked[0]?.headers).toMatchObject({
    'cf-access-client-id': 'id',
    'cf-access-client-secret': 'token',
  });
});

test.each([302, 401, 403])('reports no check, when the desk answers %i', async (status) => {
  const { origin } = await play((_request, response) => response.writeHead(status).end());
  const checked = runSelfCheck(origin, OPERATOR, TERMINAL, { environment: {} });
  await expect(checked).rejects.toThrow(NotChecked);
});
