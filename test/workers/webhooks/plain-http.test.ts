import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import worker from '../../support/gateway.ts';
import { ALPHA, CREATE_PATHS, statusPath, useGateway } from '../support.ts';

/**
 * Goal: no key and no page travels in the clear, except on a developer's own machine. Method: requests
 * over http to a public host and to loopback.
 */

useGateway();

function answer(method: string, url: string): Promise<Response> {
  const headers = { apiKey: ALPHA.apiKeys.sandbox };
  const request = new Request(url, { method, headers, redirect: 'manual' });
  return Promise.resolve(worker.fetch(request as never, env, createExecutionContext()));
}

test.each([
  ['GET', statusPath('x')],
  ['POST', CREATE_PATHS.hosted.sandbox],
  ['GET', '/api'],
  ['GET', `//${statusPath('x')}`],
  ['GET', '/operator'],
  ['POST', '/operator/v1/merchants'],
])('refuses %s %s over http with an envelope and without reading D1', async (method, path) => {
  const prepare = vi.spyOn(env.DB, 'prepare');
  const response = await answer(method, `http://pay.kefel.test${path}`);
  expect(response.status).toBe(403);
  expect(response.headers.get('x-request-id')).toMatch(/./);
  expect(await response.json()).toMatchObject({
    status: 403,
    code: 'https_required',
    message: 'Use https: plain http exposes your key. Replace a key that was sent this way',
  });
  expect(prepare).not.toHaveBeenCalled();
});

test.each([
  ['GET', '/'],
  ['GET', '/checkout/token?lang=am'],
  ['HEAD', '/dashboard/sign-in'],
  ['POST', '/checkout/token'],
])('redirects %s %s over http to https', async (method, path) => {
  const response = await answer(method, `http://pay.kefel.test${path}`);
  expect(response.status).toBe(308);
  expect(response.headers.get('location')).toBe(`https://pay.kefel.test${path}`);
});

test("accepts a provider's callback over http: refusing it could lose a payment", async () => {
  for (const path of ['/rails/mpesa/token', '//rails//mpesa/token']) {
    const response = await answer('POST', `http://pay.kefel.test${path}`);
    expect([308, 403]).not.toContain(response.status);
  }
});

test.each(['localhost:8787', '127.0.0.1:8787', '[::1]:8787'])(
  'accepts http on loopback: %s',
  async (host) => {
    expect((await answer('GET', `http://${host}${statusPath('x')}`)).status).toBe(404);
    const page = await answer('GET', `http://${host}/`);
    expect(page.status).toBe(200);
    expect(page.headers.has('strict-transport-security')).toBe(false);
  },
);
