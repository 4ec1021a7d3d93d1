import { createExecutionContext } from 'cloudflare:test';
import { expect, test } from 'vitest';
import worker from '../../src/index.ts';
import { ORIGIN } from './support.ts';

/**
 * Goal: `/` says what Kefel is and links to the dashboard, the desk and the source. Method:
 * requests without any bindings, because the page must answer on a gateway that is not set up yet.
 */

function home(init: RequestInit = {}, bindings: Partial<Env> = {}, query = ''): Promise<Response> {
  const request = new Request(`${ORIGIN}/${query}`, init);
  return worker.fetch(request as never, bindings as Env, createExecutionContext());
}

test('links to the dashboard and to the desk, and tells customers where to pay', async () => {
  const response = await home();
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(html).toContain('<html lang="en-ET">');
  expect(html).toContain('A payment gateway for merchants in Ethiopia');
  expect(html).toContain('href="/dashboard"');
  expect(html).toContain('href="/operator"');
  expect(html).toContain('Open the link that the merchant gave you.');
});

test('is in Amharic for a browser that prefers it, and when the visitor chooses it', async () => {
  const preferred = await home({ headers: { 'accept-language': 'am-ET' } });
  expect(await preferred.text()).toContain('<html lang="am-ET">');
  const chosen = await home({}, {}, '?lang=am');
  expect(await chosen.text()).toContain('<html lang="am-ET">');
  expect(chosen.headers.get('set-cookie')).toContain('kefel_language=am');
});

test.each([
  ['https://git.example.com/kefel', 'href="https://git.example.com/kefel"'],
  ['', 'is part of the Kefel source code'],
  ['javascript:alert(1)', 'is part of the Kefel source code'],
])('with SOURCE_URL "%s" it shows: %s', async (sourceUrl, shown) => {
  const html = await (await home({}, { SOURCE_URL: sourceUrl })).text();
  expect(html).toContain(shown);
  expect(html).not.toContain('javascript:');
});

test('allows no foreign origin, and no cache, frame or search engine', async () => {
  const { headers } = await home();
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(headers.get('content-security-policy')).not.toContain('unsafe');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
});

test('answers HEAD like GET, and any other method with 405', async () => {
  expect((await home({ method: 'HEAD' })).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = await home({ method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    await response.body?.cancel();
  }
});
