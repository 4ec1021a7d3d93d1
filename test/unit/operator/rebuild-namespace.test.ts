import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Given } from '../../../scripts/operator/command.ts';
import { rebuildNamespace } from '../../../scripts/operator/rebuild-namespace.ts';

/**
 * Goal: `rebuild namespace` sends each object that Cloudflare lists to the gateway once, says what it
 * did and costs, and continues where it stopped. Method: local stand-ins of both APIs.
 */

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
  }
});

async function serve(answer: (request: IncomingMessage, body: string) => object) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const content = answer(request, Buffer.concat(chunks).toString());
    response.writeHead('errors' in content ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const idOf = (index: number) => index.toString(16).padStart(64, '0');

/** Two pages of 250 objects, every tenth of them a name that was only asked for. */
const PAGES = [0, 1].map((page) =>
  Array.from({ length: 250 }, (_, index) => ({
    id: idOf(250 * page + index),
    hasStoredData: index % 10 !== 0,
  })),
);
const STORED = PAGES.flat().flatMap(({ id, hasStoredData }) => (hasStoredData ? [id] : []));

async function scene({ failsFrom = Number.POSITIVE_INFINITY } = {}) {
  const listed: string[] = [];
  const rebuilt: string[] = [];
  const cloudflare = await serve(({ url, headers }) => {
    listed.push(`${headers.authorization} ${url}`);
    const isFirst = !url?.includes('cursor=');
    return { result: PAGES[isFirst ? 0 : 1], result_info: { cursor: isFirst ? 'two' : '' } };
  });
  const gateway = await serve((request, body) => {
    const { objectIds } = JSON.parse(body) as { objectIds: string[] };
    if (rebuilt.length + objectIds.length > failsFrom) {
      return { message: 'away', errors: [] };
    }
    rebuilt.push(...objectIds);
    expect(request.url).toBe('/operator/v1/books/rebuild');
    const content = { rebuilt: objectIds.length - 1, missing: 1, failed: 0 };
    return { status: 200, message: 'Rebuilt', content };
  });
  const environment = {
    CLOUDFLARE_ACCOUNT_ID: 'acc',
    CLOUDFLARE_API_TOKEN: 'token',
    CLOUDFLARE_API_BASE_URL: cloudflare,
  };
  const run = (from?: string) =>
    rebuildNamespace(
      { origin: gateway, headers: {} },
      new Given(
        new Map([['NAMESPACE', ['ns']]]),
        new Map(from === undefined ? [] : [['from', [from]]]),
      ),
      environment,
    );
  return { listed, rebuilt, run };
}

test('sends each stored object once, and says what it costs', async () => {
  const { listed, rebuilt, run } = await scene();
  const progress = [];
  for await (const step of run()) {
    progress.push(step);
  }
  expect(rebuilt).toEqual(STORED);
  expect(listed).toEqual([
    'Bearer token /accounts/acc/workers/durable_objects/namespaces/ns/objects?limit=10000',
    'Bearer token /accounts/acc/workers/durable_objects/namespaces/ns/objects?limit=10000&cursor=two',
  ]);
  expect(progress.map(({ next }) => next)).toEqual(['@200', 'two@0', 'two@200', null]);
  expect(progress.at(-1)).toMatchObject({
    rebuilt: STORED.length - 4,
    missing: 4,
    failed: 0,
    costsDollarsAtMost: '0.0059',
  });
});

test('continues where it stopped', async () => {
  const { rebuilt, run } = await scene({ failsFrom: 300 });
  let next: string | null = null;
  const stopped = async () => {
    for await (const step of run()) {
      next = step.next;
    }
  };
  await expect(stopped()).rejects.toThrow('away');
  expect(next).toBe('two@0');
  const { rebuilt: rest, run: runAgain } = await scene();
  for await (const step of runAgain(next ?? undefined)) {
    next = step.next;
  }
  expect([next, [...rebuilt, ...rest]]).toEqual([null, STORED]);
});
