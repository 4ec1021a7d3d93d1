import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { DASHBOARD_ROUTES, PUBLIC_ROUTES } from '../../back-office/dashboard/routes.ts';
import { Browser, invite, joined } from '../workers/dashboard/people-support.ts';
import { signedIn } from '../workers/dashboard/support.ts';
import {
  allRows,
  call,
  chooseMethod,
  createHosted,
  ORIGIN,
  pathOf,
  postForm,
  useGateway,
} from '../workers/support.ts';
import { databaseRows } from './storage.ts';

/**
 * Goal: no other site acts with a member's session or a customer's link, and an attacker cannot
 * prepare a session for another person (docs/reliability.md#csrf). Method: every form as a foreign
 * page would send it, with the genuine cookie and token; and every cookie that is ever set. The
 * desk's forms: test/workers/operator/desk.long.test.ts.
 */

useGateway();

/** What browsers send with a form of a page that is not ours. */
const FOREIGN: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site', origin: 'https://shop.kefel.test' }],
  ['no page', { 'sec-fetch-site': 'none' }],
  ['another site, by an old browser', { origin: 'https://evil.example' }],
  ['our host over http, by an old browser', { origin: ORIGIN.replace('https', 'http') }],
  ['another port, by an old browser', { origin: `${ORIGIN}:8443` }],
  ['a sandboxed frame, by an old browser', { origin: 'null' }],
];

const POSTS = [...DASHBOARD_ROUTES, ...PUBLIC_ROUTES]
  .filter(({ method }) => method === 'POST')
  .map(({ path }) => path.replace(':environment', 'sandbox'));

test.each(FOREIGN)(
  'ASVS 5.0 V3.5.1 every form of the dashboard is refused to %s',
  async (...row) => {
    const [, headers] = row;
    const { cookie, csrf } = await signedIn();
    const batches = [vi.spyOn(env.DB, 'batch'), vi.spyOn(env.BACK_OFFICE_DB, 'batch')];
    for (const path of POSTS) {
      const { status } = await postForm(path, { csrf }, { ...headers, cookie });
      expect([path, status]).toEqual([path, 403]);
    }
    expect(batches.flatMap(({ mock }) => mock.calls)).toEqual([]);
    expect(POSTS.length).toBeGreaterThan(35);
  },
);

test('ASVS 5.0 V3.5.1 a form as text, which needs no preflight, is refused', async () => {
  const { cookie, csrf } = await signedIn();
  const headers = { cookie, 'sec-fetch-site': 'same-origin', contentType: 'text/plain' };
  const forms = DASHBOARD_ROUTES.filter(({ method }) => method === 'POST');
  for (const { path } of forms) {
    const { status } = await postForm(path.replace(':environment', 'sandbox'), { csrf }, headers);
    expect([path, status]).toEqual([path, 403]);
  }
});

test('ASVS 5.0 V3.5.3 no form of the dashboard works by GET', async () => {
  const { cookie, csrf, sessionId } = await signedIn();
  const before = await databaseRows();
  const fields = new URLSearchParams({ csrf, name: 'x', url: 'https://shop.example.com/' });
  for (const path of POSTS) {
    const address = `${path.replace(':session', sessionId)}?${fields}`;
    const response = await call(address, { apiKey: null, headers: { cookie } });
    await response.body?.cancel();
    expect([path, response.status < 500]).toEqual([path, true]);
  }
  expect(await databaseRows()).toEqual(before);
});

test.each(['cross-site', 'same-site'])(
  'ASVS 5.0 V3.5.1 forms of customers are refused to a %s page, although it knows the link',
  async (site) => {
    const url = await createHosted();
    const token = await chooseMethod(url);
    const before = await allRows();
    const headers = { 'sec-fetch-site': site };
    for (const [path, fields] of [
      [`${pathOf(url)}/attempts`, { method: 'M_PESA', attempts: '1', phone: '0711223344' }],
      [`${pathOf(url)}/abandon`, { attempt: '1' }],
      [`${pathOf(url)}/give-up`, {}],
      [`/rails/simulator/${token}`, { outcome: 'approve' }],
    ] as const) {
      const response = await postForm(path, fields, headers);
      expect([path, response.status < 500]).toEqual([path, true]);
    }
    expect(await allRows()).toEqual(before);
  },
);

test('ASVS 5.0 V3.4.2 no answer allows another origin to read it', async () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
  for (const path of [
    '/',
    '/dashboard',
    '/operator',
    '/api/v1/payment/banks',
    pathOf(await createHosted()),
  ]) {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await call(path, { method, headers });
      await response.body?.cancel();
      const allowing = [...response.headers.keys()].filter((name) =>
        name.startsWith('access-control'),
      );
      expect([path, method, allowing]).toEqual([path, method, []]);
    }
  }
});

const SESSION = '__Host-kefel_session';

test('ASVS 5.0 V7.2.4 signing in makes a new session token, and ends the session before', async () => {
  const browser = await joined();
  const first = browser.cookies.get(SESSION) ?? '';
  expect((await browser.signIn()).status).toBe(200);
  const second = browser.cookies.get(SESSION) ?? '';
  expect(second).not.toBe(first);
  expect(await browser.isSignedIn()).toBe(true);
  browser.cookies.set(SESSION, first);
  expect(await browser.isSignedIn()).toBe(false);
});

test('ASVS 5.0 V7.2.4 a session that an attacker planted in the browser does not become the member’s', async () => {
  const attacker = await joined();
  const planted = attacker.cookies.get(SESSION) ?? '';
  const one = await attacker.member();
  const victim = await Browser.create();
  victim.cookies.set(SESSION, planted);
  expect((await victim.join(await invite({ role: 'developer' }))).status).toBe(200);
  expect(victim.cookies.get(SESSION)).not.toBe(planted);
  expect((await victim.member()).memberId).not.toBe(one.memberId);
  expect(await attacker.isSignedIn()).toBe(false);
  // A cookie with the same name from a sibling host lacks the prefix, so the gateway does not read it.
  const tossed = await call('/dashboard', {
    apiKey: null,
    headers: { cookie: `kefel_session=${planted}` },
  });
  expect(tossed.headers.get('location')).toMatch(/^\/dashboard\/sign-in/);
});

test('ASVS 5.0 V3.3 every cookie is HttpOnly, Secure, SameSite, for this host only', async () => {
  const browser = await joined();
  const cookies: string[] = [];
  const collect = async (response: Promise<Response>) => {
    cookies.push(...(await response).headers.getSetCookie());
  };
  const checkout = pathOf(await createHosted());
  await collect(browser.post('/dashboard/sign-in/options'));
  await collect(browser.signIn());
  await collect(browser.get('/dashboard/production/overview?calendar=ethiopic&lang=am'));
  await collect(browser.post('/dashboard/join/options', { token: await invite(), name: 'Abebe' }));
  await collect(call(`${checkout}?lang=am`, { apiKey: null }));
  await collect(browser.submit('/dashboard/account/passkeys/confirm', { passkey: 'x' }));
  await collect(browser.submit('/dashboard/sign-out'));
  const names = new Set(cookies.map((cookie) => cookie.split('=')[0]));
  expect(names.size).toBeGreaterThanOrEqual(4);
  for (const cookie of cookies) {
    expect(cookie).toMatch(
      /; Path=\/(?:dashboard)?; Max-Age=\d+; HttpOnly; SameSite=(?:Lax|Strict); Secure$/,
    );
    expect(cookie.length).toBeLessThan(4_096);
    // Those that prove something.
    if (/session|challenge/.test(cookie)) {
      expect(cookie).toMatch(/^__Host-[^;]+; Path=\/;/);
    }
  }
});
