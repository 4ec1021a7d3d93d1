import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../scripts/openapi/document.ts';
import { DOCUMENTED } from '../../../scripts/openapi/operations.ts';
import { apiRouter } from '../../../src/api.ts';
import { SEGMENTS, template } from '../../../src/engine/api/operation.ts';
import {
  answerOf,
  type Body,
  call,
  createHosted,
  expressBody,
  payHosted,
  postRefund,
  useGateway,
} from '../support.ts';

useGateway();

/** Routes that exist in the sandbox only; production answers 404 there. */
const ONLY_SANDBOX = new Set(['GET /api/v1/payment/events/stream']);

test('the OpenAPI document has every route of the API and no other', () => {
  const documented = Object.values(SEGMENTS)
    .flatMap((segment) =>
      DOCUMENTED.flatMap(({ method, path, aliases }) =>
        [template(path), ...aliases].map(
          (it) => `${method.toUpperCase()} ${it.replace('{environment}', segment)}`,
        ),
      ),
    )
    .filter((call) => !ONLY_SANDBOX.has(call));
  const routed = apiRouter.routes
    // A HEAD is a GET whose body the runtime drops.
    .filter(([method]) => method !== 'HEAD')
    .map(([method, , , path = '']) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect([...new Set(documented)].sort()).toEqual(routed.sort());
});

test.each([
  ['', 'https://pay.kefel.test'],
  ['https://pay.example.com', 'https://pay.example.com'],
])('with PUBLIC_BASE_URL "%s", the document names the server %s', async (base, origin) => {
  const file = new Response(JSON.stringify(openApiDocument('1.0.0'), null, 2), {
    headers: { 'content-type': 'application/json', etag: '"1"', 'content-length': '1' },
  });
  const ASSETS = { fetch: async () => file } as unknown as Fetcher;
  const bindings = { ...env, PUBLIC_BASE_URL: base, ASSETS } as Env;
  const response = await call('/openapi.json', { bindings });
  expect(response.headers.has('etag')).toBe(false);
  expect(response.headers.get('content-type')).toBe('application/json');
  const { servers, ...others } = (await response.json()) as ReturnType<typeof openApiDocument>;
  expect(servers.map(({ url }) => url)).toEqual([`${origin}/api/v1/payment{environment}`]);
  const { servers: _file, ...expected } = openApiDocument('1.0.0');
  expect(others).toEqual(expected);
});

interface Scene {
  readonly prepare: () => Promise<unknown>;
  readonly id?: string;
  readonly body?: Body;
}

const refund = { paymentIntentUniqueId: 'order-1', refundUniqueId: 'refund-1' };
const askForRefund = async () => {
  await payHosted();
  await postRefund();
};

/** What each call with several paths finds. */
const SCENES: Readonly<Record<string, Scene>> = {
  createExpressPayment: { prepare: async () => undefined, body: expressBody() },
  readPayment: { prepare: createHosted, id: 'order-1' },
  cancelPayment: { prepare: createHosted, id: 'order-1' },
  createRefund: { prepare: payHosted, body: refund },
  readRefund: { prepare: askForRefund, id: 'refund-1' },
  cancelRefund: { prepare: askForRefund, id: 'refund-1' },
};

const SPELLINGS = DOCUMENTED.flatMap(({ id, method, path, aliases }) =>
  aliases.map((alias) => [method.toUpperCase(), template(path), alias, id] as const),
);

test.each(SPELLINGS)('%s %s answers like %s', async (method, path, alias, operationId) => {
  const { prepare, id = '', body } = SCENES[operationId] as Scene;
  await prepare();
  const answers = [];
  for (const template of [path, alias]) {
    const url = template.replace('{environment}', '/sandbox').replace('{id}', id);
    // A repeated creation under another path makes no second payment.
    const headers = { 'Idempotency-Key': 'key-1' };
    const { status, envelope } = await answerOf(call(url, { method, body, headers }));
    answers.push({ status, content: envelope.content });
  }
  expect(answers[0]?.status).toBe(200);
  expect(answers[1]).toEqual(answers[0]);
});
