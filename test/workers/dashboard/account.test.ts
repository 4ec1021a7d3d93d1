import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import {
  type CreationOptions,
  type Faults,
  SoftwareAuthenticator,
} from '../../../lab/harness/software-authenticator.ts';
import { advance, MINUTE_MS, ORIGIN, useGateway } from '../support.ts';
import { type Browser, joined, meetBeforeBatch, rowCounts, signed } from './people-support.ts';
import { auditLog, sessionFor, visit } from './support.ts';

/**
 * Goal: members manage their own passkeys and sessions but not another member's, and cannot lock
 * themselves out. Method: the account's page and forms, with passkeys of a software authenticator.
 */

useGateway();

const ACCOUNT = '/dashboard/account';
const PASSKEYS = `${ACCOUNT}/passkeys`;

describe('a second passkey', () => {
  test('is added, signs in, and is recorded in the audit log', async () => {
    const browser = await joined({ role: 'viewer' });
    const added = await add(browser);
    expect(added.response.status).toBe(200);
    const page = await (await browser.get(ACCOUNT)).text();
    expect(page).toContain('<strong><bdi>Key</bdi></strong>');
    expect(page).toContain('<strong><bdi>Phone</bdi></strong>');
    expect((await auditLog()).at(-1)).toMatchObject({ action: 'passkey.added' });
    const options = await browser.signInOptions();
    const credential = await added.device.sign(options);
    expect((await browser.post('/dashboard/sign-in', { credential })).status).toBe(200);
  });

  test('is not created on a device that already has one', async () => {
    const browser = await joined();
    const options = await addOptions(browser);
    const id = browser.authenticator.credentialId;
    expect(options).toMatchObject({
      excludeCredentials: [{ id, transports: ['hybrid', 'internal'] }],
    });
  });

  const faults: readonly (readonly [string, Faults])[] = [
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another challenge', { challenge: 'A'.repeat(43) }],
    ['without finger, face or PIN', { isUserVerified: false }],
  ];
  test.each(faults)('is refused %s', async (_name, fault) => {
    const browser = await joined();
    const before = await rowCounts();
    expect((await add(browser, fault)).response.status).toBe(401);
    // Only the confirmation's challenge.
    expect(await rowCounts()).toEqual({ ...before, spent_challenges: 2 });
  });

  test('is refused under another name, with the challenge of another session, and from a form without its token', async () => {
    const [one, other] = [await joined(), await joined()];
    const device = await SoftwareAuthenticator.create(ORIGIN);
    const credential = JSON.stringify(await device.register(await addOptions(one)));
    const fields = { passkey: 'Key', credential };
    const theirs = { ...fields, cookie: one.cookies.get('__Host-kefel_challenge') ?? '' };
    expect((await finish(other, theirs)).status).toBe(401);
    const own = { ...fields, cookie: one.cookies.get('__Host-kefel_challenge') ?? '' };
    expect((await finish(one, { ...own, csrf: 'wrong' })).status).toBe(403);
    expect((await finish(one, { ...own, passkey: 'Yubikey of the owner' })).status).toBe(401);
    expect((await finish(one, own)).status).toBe(200);
  });

  test.each([
    ['no credential', { passkey: 'Key' }],
    ['no name', { passkey: '', credential: '{}' }],
    ['something else', { passkey: 'Key', credential: '[1]' }],
  ])('is refused when the form holds %s', async (_name, fields) => {
    const browser = await joined();
    expect((await browser.submit(PASSKEYS, fields)).status).toBe(401);
  });
});

describe('decisions.md#42: adding a passkey needs a passkey of the member’s, however fresh the session', () => {
  test('also in an old session', async () => {
    const browser = await joined({ role: 'cashier' });
    advance(60 * MINUTE_MS);
    expect((await add(browser)).response.status).toBe(200);
  });

  test('a bad name is refused before the passkey is asked for', async () => {
    const browser = await joined();
    expect((await browser.submit(`${PASSKEYS}/confirm`, { passkey: ' ' })).status).toBe(400);
  });
});

describe('passkeys', () => {
  test('are renamed', async () => {
    const browser = await joined();
    const passkey = browser.authenticator.credentialId;
    const fields = { passkey, name: 'My phone' };
    const answer = await browser.submit(`${PASSKEYS}/rename`, fields);
    expect(answer.headers.get('location')).toBe('/dashboard/account?done=passkey_renamed');
    expect(await (await browser.get(ACCOUNT)).text()).toContain(
      '<strong><bdi>My phone</bdi></strong>',
    );
    const bad = await browser.submit(`${PASSKEYS}/rename`, { passkey, name: ' ' });
    expect(bad.status).toBe(400);
    expect((await auditLog()).at(-1)).toMatchObject({ action: 'passkey.renamed' });
  });

  test('are removed with the sessions they started, except for the last one', async () => {
    const browser = await joined();
    const added = await add(browser);
    const elsewhere = await joined();
    const mine = await browser.member();
    const lost = await sessionFor(mine.memberId);
    await env.BACK_OFFICE_DB.prepare('UPDATE sessions SET credential_id = ?1 WHERE id = ?2')
      .bind(added.device.credentialId, lost.sessionId)
      .run();
    const passkey = added.device.credentialId;
    const answer = await browser.submit(`${PASSKEYS}/remove`, { passkey });
    expect(answer.headers.get('location')).toBe('/dashboard/account?done=passkey_removed');
    expect((await visit(lost, ACCOUNT)).status).toBe(303);
    expect(await browser.isSignedIn()).toBe(true);
    expect(await elsewhere.isSignedIn()).toBe(true);
    const last = { passkey: browser.authenticator.credentialId };
    const refusal = await browser.submit(`${PASSKEYS}/remove`, last);
    expect(refusal.status).toBe(400);
    expect(await refusal.text()).toContain('This is your last passkey');
    expect((await browser.signIn()).status).toBe(200);
  });

  test('are never all removed by concurrent forms', async () => {
    const browser = await joined();
    const added = await add(browser);
    const ids = [browser.authenticator.credentialId, added.device.credentialId];
    meetBeforeBatch(2);
    await Promise.all(ids.map((passkey) => browser.submit(`${PASSKEYS}/remove`, { passkey })));
    expect((await rowCounts()).passkeys).toBe(1);
  });

  test.each(['rename', 'remove'])('of another member cannot be changed (%s)', async (action) => {
    const [one, other] = [await joined(), await joined()];
    await add(other);
    const before = await rowCounts();
    const fields = { passkey: other.authenticator.credentialId, name: 'Mine' };
    expect((await one.submit(`${PASSKEYS}/${action}`, fields)).status).toBe(404);
    expect(await rowCounts()).toEqual(before);
    expect(await (await other.get(ACCOUNT)).text()).toContain('<strong><bdi>Phone</bdi></strong>');
  });
});

describe('sessions', () => {
  test('are listed by browser and system, the current one marked', async () => {
    const browser = await joined();
    await sessionFor((await browser.member()).memberId);
    const page = await (await browser.get(ACCOUNT)).text();
    expect(page).toContain('<strong>Chrome, Android</strong>');
    expect(page).toContain('<strong>Unknown browser</strong>');
    expect(page.match(/This session/g)).toHaveLength(1);
  });

  test('are ended one by one, or all others at once', async () => {
    const browser = await joined();
    const { memberId } = await browser.member();
    const [first, second, third] = [
      await sessionFor(memberId),
      await sessionFor(memberId),
      await sessionFor(memberId),
    ];
    await browser.submit(`${ACCOUNT}/sessions/${first.sessionId}/revoke`);
    expect((await visit(first, ACCOUNT)).status).toBe(303);
    expect((await visit(second, ACCOUNT)).status).toBe(200);
    await browser.submit(`${ACCOUNT}/sessions/revoke-others`);
    expect((await visit(second, ACCOUNT)).status).toBe(303);
    expect((await visit(third, ACCOUNT)).status).toBe(303);
    expect(await browser.isSignedIn()).toBe(true);
    const actions = (await auditLog()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'session.revoked')).toHaveLength(2);
  });

  test('of another member cannot be ended', async () => {
    const [one, other] = [await joined(), await joined()];
    const { sessionId } = await other.member();
    expect((await one.submit(`${ACCOUNT}/sessions/${sessionId}/revoke`)).status).toBe(404);
    expect(await other.isSignedIn()).toBe(true);
  });

  test('of a suspended merchant can be ended, but no passkey can be changed', async () => {
    const browser = await joined();
    const { memberId } = await browser.member();
    const other = await sessionFor(memberId);
    await env.DB.prepare("UPDATE merchants SET status = 'suspended'").run();
    expect(await (await browser.get(ACCOUNT)).text()).not.toContain('data-passkey');
    const rename = { passkey: browser.authenticator.credentialId, name: 'My phone' };
    expect((await browser.submit(`${PASSKEYS}/rename`, rename)).status).toBe(403);
    await browser.submit(`${ACCOUNT}/sessions/revoke-others`);
    expect((await visit(other, ACCOUNT)).status).toBe(303);
    const out = await browser.submit('/dashboard/sign-out');
    expect(out.headers.get('location')).toBe('/dashboard/sign-in');
  });
});

/** Confirmed by a passkey that the member has. */
async function addOptions(browser: Browser): Promise<CreationOptions> {
  const fields = { passkey: 'Key' };
  const offer = await browser.submit(`${PASSKEYS}/confirm`, fields);
  const [credential, cookie] = await signed(browser, offer);
  const response = await browser.submit(`${PASSKEYS}/options`, { ...fields, credential }, cookie);
  expect(response.status).toBe(200);
  const [, value = ''] = /=([^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  browser.cookies.set('__Host-kefel_challenge', value);
  return response.json();
}

interface Fields {
  readonly passkey: string;
  readonly credential: string;
  readonly cookie: string;
  readonly csrf?: string;
}

async function finish(browser: Browser, { cookie, ...fields }: Fields): Promise<Response> {
  return browser.submit(PASSKEYS, fields, `__Host-kefel_challenge=${cookie}`);
}

async function add(browser: Browser, faults: Faults = {}) {
  const device = await SoftwareAuthenticator.create(ORIGIN);
  const credential = JSON.stringify(await device.register(await addOptions(browser), faults));
  const cookie = browser.cookies.get('__Host-kefel_challenge') ?? '';
  return { device, response: await finish(browser, { passkey: 'Key', credential, cookie }) };
}
