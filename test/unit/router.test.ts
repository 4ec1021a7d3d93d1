import { expect, test } from 'vitest';
import { AreaRouter } from '../../src/http/router.ts';

const ORIGIN = 'https://pay.example';

const BINDINGS = { PUBLIC_BASE_URL: ORIGIN };
const CONTEXT = {} as ExecutionContext;

const router = new AreaRouter<typeof BINDINGS>({
  refuse: (_request, { status, headers }) => new Response(null, { status, headers }),
  failureEvent: 'failed',
  outageEvent: 'outage',
});
for (const path of ['/', '/pay/:token', '/pay/:token/qr.svg', '/docs', '/docs/*']) {
  router.get(path, async (_request, _env, _ctx, params) => Response.json({ path, ...params() }));
}

function send(path: string, method = 'GET'): Promise<Response> {
  return router.fetch(new Request(`${ORIGIN}${path}`, { method }), BINDINGS, CONTEXT, 'request');
}

test.each([
  ['/', { path: '/' }],
  ['/pay/a.b', { path: '/pay/:token', token: 'a.b' }],
  ['/pay/a/', { path: '/pay/:token', token: 'a' }],
  ['/pay/a%2Fb/qr.svg', { path: '/pay/:token/qr.svg', token: 'a/b' }],
  ['/docs', { path: '/docs' }],
  ['/docs/a/b', { path: '/docs/*' }],
  ['/pay/a?token=b', { path: '/pay/:token', token: 'a' }],
])('answers %s by the route that fits, with its decoded segments', async (path, body) => {
  const response = await send(path);
  expect([response.status, await response.json()]).toEqual([200, body]);
});

test.each(['/pay', '/pay/', '/pay/a/b', '/pay/a/qrxsvg', '/docsx', '/pay/%E0%A4', '//pay/a'])(
  'answers %s with 404, because it fits no route or cannot be decoded',
  async (path) => {
    expect((await send(path)).status).toBe(404);
  },
);

test('answers another method with 405 and the methods of the path', async () => {
  const response = await send('/pay/a', 'DELETE');
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('answers HEAD like GET, without a body', async () => {
  const response = await send('/pay/a', 'HEAD');
  expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
    200,
    'application/json',
    null,
  ]);
});
