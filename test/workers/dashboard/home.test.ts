import { createExecutionContext } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { METHOD_NAMES } from '../../../src/engine/i18n/methods.ts';
import worker from '../../support/gateway.ts';
import { ORIGIN } from '../support.ts';

/**
 * Goal: `/` says what Kefel is and links to the dashboard, the docs and the source, and an address
 * without a page leads on. Method: requests without what an operator provides, because these pages
 * must answer on a gateway that is not set up yet.
 */

/** Cloudflare provides it. */
const VERSION = { id: 'v1', tag: '', timestamp: '' };

function home(init: RequestInit = {}, bindings: Partial<Env> = {}, path = ''): Promise<Response> {
  const request = new Request(`${ORIGIN}/${path}`, init);
  const all = { VERSION, ...bindings } as Env;
  return worker.fetch(request as never, all, createExecutionContext());
}

test('shows the checkout, its methods and how to begin, without a way to the desk', async () => {
  const response = await home();
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(html).toContain('<html lang="en-ET">');
  expect(html).toContain('A payment gateway for merchants in Ethiopia');
  expect(html).toContain('href="/dashboard"');
  expect(html).toContain('href="/docs/"');
  expect(html).toContain('href="/docs/quick-start"');
  expect(html).toContain('src="/docs/images/checkout-choosing.jpg"');
  for (const proof of ['promises', 'reliability', 'benchmarks']) {
    expect(html).toContain(`href="/docs/${proof}"`);
  }
  for (const method of Object.values(METHOD_NAMES)) {
    expect(html).toContain(method);
  }
  expect(html).not.toContain('/operator');
  expect(html).toContain('Open the link that the merchant gave you.');
});

test('is in Amharic for a browser that prefers it, and when the visitor chooses it', async () => {
  const preferred = await home({ headers: { 'accept-language': 'am-ET' } });
  const html = await preferred.text();
  expect(html).toContain('<html lang="am-ET">');
  expect(html).toContain('src="/docs/images/checkout-choosing-am.jpg"');
  expect(html).toContain('src="/docs/images/dashboard-payments-am.jpg"');
  const chosen = await home({}, {}, '?lang=am');
  expect(await chosen.text()).toContain('<html lang="am-ET">');
  expect(chosen.headers.get('set-cookie')).toContain('kefel_language=am');
});

test('links to the source where SOURCE_URL says it is', async () => {
  const html = await (await home({}, { SOURCE_URL: 'https://git.example.com/kefel' })).text();
  expect(html).toContain('href="https://git.example.com/kefel"');
});

test.each(['', 'javascript:alert(1)'])('with SOURCE_URL "%s" links to no source', async (url) => {
  const html = await (await home({}, { SOURCE_URL: url })).text();
  expect(html).not.toContain('Source code');
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

/** A page as the build leaves it. */
function withPage(type: string, text: string): Partial<Env> {
  const headers = { 'content-type': type, etag: '"1"', 'cache-control': 'public, max-age=300' };
  return { ASSETS: { fetch: async () => new Response(text, { headers }) } as never };
}

test.each([
  ['', ORIGIN],
  ['https://pay.shop.example', 'https://pay.shop.example'],
])('with PUBLIC_BASE_URL "%s" writes %s into the samples of the docs', async (base, origin) => {
  const page = withPage('text/html', '<pre>curl https://pay.example.com/api</pre>');
  for (const path of ['docs/', 'docs/quick-start', 'llms-merchant.txt']) {
    const response = await home({}, { ...page, PUBLIC_BASE_URL: base }, path);
    expect(await response.text()).toBe(`<pre>curl ${origin}/api</pre>`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    // The tag is the built page's, not that of this text.
    expect(response.headers.get('etag')).toBeNull();
  }
});

test("the docs name the payments' host and their own, where these differ", async () => {
  const page = withPage(
    'text/html',
    'https://pay.example.com/api https://pay.example.com/docs/errors',
  );
  const hosts = {
    PUBLIC_BASE_URL: 'https://office.shop.example',
    PAYMENTS_BASE_URL: 'https://pay.shop.example',
  };
  const response = await home({}, { ...page, ...hosts }, 'docs/');
  expect(await response.text()).toBe(
    'https://pay.shop.example/api https://office.shop.example/docs/errors',
  );
});

test.each<[Partial<Env>, string, string]>([
  [{ SUPPORT_CONTACT: '', STATUS_URL: '' }, '', ''],
  [
    { SUPPORT_CONTACT: 'help@example.com', STATUS_URL: 'https://status.example.com' },
    'Support: <a href="mailto:help@example.com">help@example.com</a>. Service status: <a href="https://status.example.com/">status.example.com</a>.',
    'Support: help@example.com. Service status: status.example.com.',
  ],
  [
    { SUPPORT_CONTACT: '', STATUS_URL: 'https://a.example.com/?a=1&b="<' },
    'Service status: <a href="https://a.example.com/?a=1&amp;b=%22%3C">a.example.com/?a=1&amp;b=%22%3C</a>.',
    'Service status: a.example.com/?a=1&b=%22%3C.',
  ],
  // The payments' own answers name the malformed setting.
  [{ SUPPORT_CONTACT: 'javascript:alert(1)' }, '', ''],
])('with %o the docs show this support', async (settings, html, markdown) => {
  const mark = '<!-- support -->';
  const shown = async (type: string) =>
    (await home({}, { ...settings, ...withPage(type, mark) }, 'docs/errors')).text();
  expect(await shown('text/html; charset=utf-8')).toBe(html);
  expect(await shown('text/markdown; charset=utf-8')).toBe(markdown);
});

test('passes redirects of the docs on', async () => {
  const headers = { location: '/docs/' };
  const ASSETS = { fetch: async () => new Response(null, { status: 307, headers }) } as never;
  const response = await home({}, { ASSETS }, 'docs');
  expect([response.status, response.headers.get('location')]).toEqual([307, '/docs/']);
});

const NO_FILE = new Response(null, { status: 404 });

test.each(['docs/nothing', 'docs/Errors'])(
  'answers /%s with the menu of the docs',
  async (path) => {
    const menu = '<nav aria-label="Pages">';
    const html = { headers: { 'content-type': 'text/html' } };
    const fetch = async (url: RequestInfo | URL) =>
      String(url).endsWith('/docs/404') ? new Response(menu, html) : NO_FILE.clone();
    const response = await home({}, { ASSETS: { fetch } as never }, path);
    expect([response.status, await response.text()]).toEqual([404, menu]);
  },
);

test.each([
  // An address of payments, of the back office, and of docs that are not built.
  ['nope', 'There is no page at this address'],
  ['index.php', 'There is no page at this address'],
  ['llmsx', 'There is no page at this address'],
  ['docs/nothing', 'Page not found'],
])('answers /%s with three ways on, not as a payment', async (path, title) => {
  const ASSETS = { fetch: async () => NO_FILE.clone() } as never;
  const response = await home({}, { ASSETS }, path);
  expect(response.status).toBe(404);
  const html = await response.text();
  expect(html).toContain(title);
  for (const way of ['/', '/docs/', '/dashboard']) {
    expect(html).toMatch(new RegExp(`href="(?:${ORIGIN})?${way}"`));
  }
  expect(html).not.toMatch(/this payment|\/operator/);
});

test.each([
  ['checkout', 'We cannot find this payment'],
  ['checkout/nothing/more', 'We cannot find this payment'],
  // A bank's server reads no page.
  ['rails/CBE/x/y', 'Unknown callback'],
])('answers /%s as a link to a payment or of a provider: %s', async (path, text) => {
  const response = await home({}, {}, path);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain(text);
});

test('an address without a page leads to the back office’s own host', async () => {
  const host = { BACK_OFFICE_BASE_URL: 'https://office.shop.example' };
  expect(await (await home({}, host, 'nope')).text()).toContain(
    'href="https://office.shop.example/docs/"',
  );
});
