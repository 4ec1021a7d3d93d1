import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { nextPath } from '../../src/dashboard/people/sign-in.tsx';
import { CHALLENGE_MS } from '../../src/members/challenge.ts';
import type { Faults } from '../support/software-authenticator.ts';
import { Browser, invite, joined, meetBeforeBatch, rowCounts } from './dashboard-people-support.ts';
import { auditLog } from './dashboard-support.ts';
import { ALPHA, advance, call, logged, ORIGIN, useGateway } from './support.ts';

/**
 * Goal: a passkey, and nothing else, opens the dashboard; nothing that is wrong with it passes, and
 * none of it leaves a trace. Method: a software authenticator makes real answers, faulty as a test
 * wants them, and the Worker verifies them.
 */

useGateway();

describe('signing in', () => {
  test('opens the dashboard, and is written down', async () => {
    const browser = await joined();
    browser.cookies.clear();
    expect(await browser.isSignedIn()).toBe(false);
    const response = await browser.signIn();
    expect(response.status).toBe(200);
    expect(await browser.isSignedIn()).toBe(true);
    const entry = (await auditLog()).at(-1);
    expect(entry).toMatchObject({ action: 'session.started', merchant_id: ALPHA.id });
    expect(JSON.parse(entry?.detail ?? '')).toEqual({ passkey: 'Phone' });
  });

  test('asks for any passkey of this host, by finger, face or PIN', async () => {
    const browser = await Browser.create();
    const response = await browser.post('/dashboard/sign-in/options');
    const options = await response.json<Record<string, unknown>>();
    expect(options).toMatchObject({ rpId: 'pay.kefel.test', userVerification: 'required' });
    expect(options.allowCredentials ?? []).toEqual([]);
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-kefel_challenge=[^;]+; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test('works as often as a device that counts its signatures likes', async () => {
    const browser = await joined({}, true);
    for (let round = 0; round < 3; round += 1) {
      expect((await browser.signIn()).status).toBe(200);
    }
  });

  const faults: readonly (readonly [string, Faults])[] = [
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['from our host on another port', { origin: `${ORIGIN}:8443` }],
    ['for another host', { rpId: 'evil.example' }],
    ['over another challenge', { challenge: 'A'.repeat(43) }],
    ['as if a passkey were made', { type: 'webauthn.create' }],
    ['without finger, face or PIN', { isUserVerified: false }],
    ['by another key', { isForged: true }],
    ['as somebody else', { userHandle: btoa('mem_other').replaceAll('=', '') }],
    ['with a count that went back', { counter: 1 }],
    ['with no count any more', { counter: 0 }],
  ];
  test.each(faults)('is refused when it is signed %s', async (_name, fault) => {
    const browser = await joined({}, true);
    expect((await browser.signIn()).status).toBe(200);
    browser.cookies.clear();
    const before = await rowCounts();
    await expectRefusal(await browser.signIn(fault));
    expect(await browser.isSignedIn()).toBe(false);
    expect(await rowCounts()).toEqual(before);
    // The passkey itself is as good as before.
    expect((await browser.signIn()).status).toBe(200);
  });

  test('serves once: the same answer again is refused', async () => {
    const browser = await joined();
    const credential = await browser.authenticator.sign(await browser.signInOptions());
    const challenge = browser.cookies.get('__Host-kefel_challenge') ?? '';
    expect((await browser.post('/dashboard/sign-in', { credential })).status).toBe(200);
    browser.cookies.clear();
    browser.cookies.set('__Host-kefel_challenge', challenge);
    const before = await rowCounts();
    await expectRefusal(await browser.post('/dashboard/sign-in', { credential }));
    expect(await rowCounts()).toEqual(before);
  });

  test('serves once, however many requests bring it at once', async () => {
    const browser = await joined();
    const credential = await browser.authenticator.sign(await browser.signInOptions());
    meetBeforeBatch(3);
    const answers = await Promise.all(
      [1, 2, 3].map(() => browser.post('/dashboard/sign-in', { credential })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await rowCounts()).sessions).toBe(2);
  });

  test('spent challenges are forgotten once they could not serve anyway', async () => {
    const browser = await joined();
    await browser.signIn();
    expect((await rowCounts()).spent_challenges).toBe(2);
    advance(2 * CHALLENGE_MS);
    await browser.signIn();
    expect((await rowCounts()).spent_challenges).toBe(1);
  });

  const cookieTricks: readonly (readonly [string, (browser: Browser) => Promise<unknown>])[] = [
    ['no cookie', async ({ cookies }) => cookies.clear()],
    ['one that was tampered with', async ({ cookies }) => change(cookies, (text) => `${text}A`)],
    ['one of another key', async ({ cookies }) => change(cookies, (text) => `x${text}`)],
    ['one that is none', async ({ cookies }) => change(cookies, () => '..%00')],
    ['one that is too old', async () => advance(CHALLENGE_MS)],
    ['one for joining', async (browser) => browser.joinOptions(await invite())],
  ];
  test.each(cookieTricks)('is refused with %s', async (_name, trick) => {
    const browser = await joined();
    const credential = await browser.authenticator.sign(await browser.signInOptions());
    await trick(browser);
    await expectRefusal(await browser.post('/dashboard/sign-in', { credential }));
  });

  test('is refused to a removed member and an unknown passkey', async () => {
    const browser = await joined();
    await env.DB.prepare('UPDATE members SET removed_at_ms = 1').run();
    await expectRefusal(await browser.signIn());
    const stranger = await Browser.create();
    await expectRefusal(await stranger.signIn({ userHandle: 'bWVt' }));
  });

  test.each([
    ['no JSON', '{', 'application/json'],
    ['a form', 'credential=1', 'application/x-www-form-urlencoded'],
    ['an empty object', '{}', 'application/json'],
    ['too much', JSON.stringify({ credential: 'x'.repeat(20_000) }), 'application/json'],
  ])('is refused when %s is sent', async (_name, body, contentType) => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const options = { method: 'POST', apiKey: null, body, contentType, headers };
    await expectRefusal(await call('/dashboard/sign-in', options));
  });

  test('is refused to a page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const response = await call('/dashboard/sign-in', { method: 'POST', apiKey: null, headers });
    expect(response.status).toBe(403);
  });

  test('says in the log what was wrong, and not whose it was', async () => {
    const browser = await joined();
    logged.length = 0;
    await browser.signIn({ isForged: true });
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      { event: 'passkey_refused', ceremony: 'sign-in', reason: 'unverified' },
    ]);
  });
});

test('whoever is not signed in leaves no row anywhere', async () => {
  const token = await invite();
  const browser = await Browser.create();
  const before = await rowCounts();
  for (const path of ['/dashboard/sign-in', '/dashboard/join']) {
    for (const link of [token, 'x']) {
      await browser.get(`${path}?token=${link}`);
      await browser.post(`${path}/options`, { token: link, name: 'Abebe' });
      await browser.post(path, { token: link });
    }
  }
  await browser.signIn({ userHandle: 'bWVt' });
  expect(await rowCounts()).toEqual(before);
  expect(before.invitations).toBe(1);
});

describe('signing out', () => {
  test('ends the session at once, wherever its cookie is', async () => {
    const browser = await joined();
    const kept = new Map(browser.cookies);
    const response = await browser.submit('/dashboard/sign-out');
    expect(response.headers.get('location')).toBe('/dashboard/sign-in');
    expect(response.headers.get('set-cookie')).toContain(
      '__Host-kefel_session=; Path=/; Max-Age=0',
    );
    for (const [name, value] of kept) {
      browser.cookies.set(name, value);
    }
    expect(await browser.isSignedIn()).toBe(false);
  });
});

test.each([
  ['/dashboard/production/keys?a=1', '/dashboard/production/keys?a=1'],
  ['/dashboard', '/dashboard'],
  [null, '/dashboard'],
  ['', '/dashboard'],
  ['dashboard/team', '/dashboard'],
  ['//evil.example/dashboard', '/dashboard'],
  ['/\\evil.example/dashboard', '/dashboard'],
  ['\\\\evil.example', '/dashboard'],
  ['/\t/evil.example', '/dashboard'],
  ['https://evil.example/dashboard', '/dashboard'],
  ['https:evil.example', '/dashboard'],
  ['javascript:alert(1)', '/dashboard'],
  ['/%2Fevil.example', '/dashboard'],
  ['/dashboard/..//evil.example', '/dashboard'],
  ['/dashboard/%2e%2e//evil.example', '/dashboard'],
  ['/dashboard@evil.example', '/dashboard'],
  ['/dashboardx', '/dashboard'],
  ['/checkout/x', '/dashboard'],
  ['/dashboard/sign-in?next=/dashboard', '/dashboard'],
  ['/dashboard/join/x', '/dashboard'],
  ['/dashboard/join?token=x', '/dashboard'],
])('signing in for %j leads to %s', async (next, path) => {
  expect(nextPath(next)).toBe(path);
  const stranger = await call(`/dashboard/sign-in?${new URLSearchParams({ next: next ?? '' })}`);
  expect(await stranger.text()).toContain(`data-next="${path.replaceAll('&', '&amp;')}"`);
  const query = new URLSearchParams({ next: next ?? '' });
  const member = await (await joined()).get(`/dashboard/sign-in?${query}`);
  expect(member.headers.get('location')).toBe(path);
});

/** The one answer to everything that is wrong. */
async function expectRefusal(response: Response): Promise<void> {
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({
    message: expect.stringContaining('nothing was changed'),
  });
}

function change(cookies: Map<string, string>, by: (text: string) => string): void {
  const name = '__Host-kefel_challenge';
  cookies.set(name, by(cookies.get(name) ?? ''));
}
