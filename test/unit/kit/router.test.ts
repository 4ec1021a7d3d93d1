import { expect, test, vi } from 'vitest';
import { Problem } from '../../../src/kit/http/problem.ts';
import { AreaRouter } from '../../../src/kit/http/router.ts';

const ORIGIN = 'https://pay.example';

const BINDINGS = { PUBLIC_BASE_URL: ORIGIN };
const CONTEXT = {} as ExecutionContext;

const router = new AreaRouter<typeof BINDINGS>({
  refuse: (_request, { status, headers }) => new Response(null, { status, headers }),
  failureEvent: 'failed',
  outageEvent: 'outage',
  refusalEvent: 'refused',
});
for (const path of ['/', '/pay/:token', '/pay/:token/qr.svg', '/docs', '/docs/*']) {
  router.get(path, async (_request, _env, _ctx, params) => Response.json({ path, ...params() }));
}

const FLOOD = 1_000;

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

/** Throws a problem of the status that the address names. */
router.get('/problem/:status', async (_request, _env, _ctx, params) => {
  const { status = '' } = params();
  throw new Problem(`code_${status}`, Number(status), 'No', {});
});

test('logs a caller that is refused, in ten lines a minute, and says how many it left out', async () => {
  vi.useFakeTimers();
  const lines = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  const logged = () => lines.mock.calls.splice(0).map(([line]) => JSON.parse(line));
  for (const status of ['400', '404', '409', '429']) {
    await send(`/problem/${status}`);
  }
  expect(logged()).toEqual([]);
  for (let sent = 0; sent < FLOOD; sent += 1) {
    await send(`/problem/${sent % 2 === 0 ? 401 : 403}`);
  }
  const line = { event: 'refused', requestId: 'request' };
  const flood = logged();
  expect(flood).toHaveLength(10);
  expect(flood[0]).toEqual({ ...line, code: 'code_401' });
  expect(flood[1]).toEqual({ ...line, code: 'code_403' });
  expect(flood[9]).toEqual({ ...line, code: 'code_403', suppressesMore: true });
  vi.advanceTimersByTime(60_000);
  await send('/problem/401');
  await send('/problem/401');
  expect(logged()).toEqual([
    { ...line, code: 'code_401', suppressed: FLOOD - 10 },
    { ...line, code: 'code_401' },
  ]);
  vi.useRealTimers();
  vi.restoreAllMocks();
});
