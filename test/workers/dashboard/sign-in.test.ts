import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { nextPath } from '../../../back-office/dashboard/people/sign-in.tsx';
import { CHALLENGE_MS } from '../../../back-office/members/challenge.ts';
import type { Faults } from '../../../lab/harness/software-authenticator.ts';
import { ALPHA, advance, call, logged, ORIGIN, useGateway } from '../support.ts';
import {
  Browser,
  expectRefusal,
  invite,
  joined,
  meetBeforeBatch,
  rowCounts,
} from './people-support.ts';
import { auditLog } from './support.ts';

/**
 * Goal: only a valid passkey opens the dashboard, and a rejected one leaves no trace. Method: a
 * software authenticator makes real answers, with the faults that a test asks for, and the Worker
 * verifies them.
 */

useGateway();

describe('signing in', () => {
  test('opens the dashboard, and is recorded in the audit log', async () => {
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

  test('asks for any passkey of this host, with user verification', async () => {
    const browser = await Browser.create();
    const response = await browser.post('/dashboard/sign-in/options');
    const options = await response.json<Record<string, unknown>>();
    expect(options).toMatchObject({ rpId: 'pay.kefel.test', userVerification: 'required' });
    expect(options.allowCredentials ?? []).toEqual([]);
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-kefel_challenge=[^;]+; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test('accepts any signature counter that grows', async () => {
    const browser = await joined({}, true);
    for (let round = 0; round < 3; round += 1) {
      expect((await browser.signIn()).status).toBe(200);
    }
  });

  const faults: readonly (readonly [string, Faults])[] = [
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['from our host on another port', { origin: `${ORIGIN}:8443` }],
    ['for another host', { rpId: 'evil.example' }],
    ['for another challenge', { challenge: 'A'.repeat(43) }],
    ['with a registration answer', { type: 'webauthn.create' }],
    ['without finger, face or PIN', { isUserVerified: false }],
    ['by another key', { isForged: true }],
    ['for another user', { userHandle: btoa('mem_other').replaceAll('=', '') }],
    ['with a counter that went back', { counter: 1 }],
    ['with a counter that returned to zero', { counter: 0 }],
  ];
  test.each(faults)('is refused when it is signed %s', async (_name, fault) => {
    const browser = await joined({}, true);
    expect((await browser.signIn()).status).toBe(200);
    browser.cookies.clear();
    const before = await rowCounts();
    await expectRefusal(await browser.signIn(fault));
    expect(await browser.isSignedIn()).toBe(false);
    expect(await rowCounts()).toEqual(before);
    // The passkey itself still works.
    expect((await browser.signIn()).status).toBe(200);
  });

  test('rejects a repeated answer', async () => {
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

  test('accepts one of several concurrent requests with the same answer', async () => {
    const browser = await joined();
    const credential = await browser.authenticator.sign(await browser.signInOptions());
    meetBeforeBatch(3);
    const answers = await Promise.all(
      [1, 2, 3].map(() => browser.post('/dashboard/sign-in', { credential })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await rowCounts()).sessions).toBe(2);
  });

  test('deletes used challenges after they have expired', async () => {
    const browser = await joined();
    await browser.signIn();
    expect((await rowCounts()).spent_challenges).toBe(2);
    advance(2 * CHALLENGE_MS);
    await browser.signIn();
    expect((await rowCounts()).spent_challenges).toBe(1);
  });

  const cookieTricks: readonly (readonly [string, (browser: Browser) => Promise<unknown>])[] = [
    ['no cookie', async ({ cookies }) => cookies.clear()],
    [
      'a cookie that was tampered with',
      async ({ cookies }) => change(cookies, (text) => `${text}A`),
    ],
    ['a cookie of another key', async ({ cookies }) => change(cookies, (text) => `x${text}`)],
    ['an invalid cookie', async ({ cookies }) => change(cookies, () => '..%00')],
    ['an expired cookie', async () => advance(CHALLENGE_MS)],
    ['a cookie for joining', async (browser) => browser.joinOptions(await invite())],
  ];
  test.each(cookieTricks)('is refused with %s', async (_name, trick) => {
    const browser = await joined();
    const credential = await browser.authenticator.sign(await browser.signInOptions());
    await trick(browser);
    await expectRefusal(await browser.post('/dashboard/sign-in', { credential }));
  });

  test('is refused for a removed member and for an unknown passkey', async () => {
    const browser = await joined();
    await env.BACK_OFFICE_DB.prepare('UPDATE members SET removed_at_ms = 1').run();
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

  // A sibling subdomain is the same site and not our origin.
  test.each(['cross-site', 'same-site', 'none'])('is refused to a %s page', async (site) => {
    const headers = { 'sec-fetch-site': site };
    const response = await call('/dashboard/sign-in', { method: 'POST', apiKey: null, headers });
    expect(response.status).toBe(403);
  });

  test('logs the reason of a rejection, but not whose passkey it was', async () => {
    const browser = await joined();
    logged.length = 0;
    await browser.signIn({ isForged: true });
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      { event: 'passkey_refused', ceremony: 'sign-in', reason: 'unverified' },
    ]);
  });
});

test('a visitor who is not signed in leaves no row in the database', async () => {
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
  test('ends the session at once, also for copies of its cookie', async () => {
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

function change(cookies: Map<string, string>, by: (text: string) => string): void {
  const name = '__Host-kefel_challenge';
  cookies.set(name, by(cookies.get(name) ?? ''));
}
