import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { CHALLENGE_MS } from '../../src/members/challenge.ts';
import { INVITATION_MS, RECOVERY_MS } from '../../src/members/invitations.ts';
import type { Faults } from '../support/software-authenticator.ts';
import { Browser, invite, joined, meetBeforeBatch, rowCounts } from './dashboard-people-support.ts';
import { auditLog } from './dashboard-support.ts';
import { ALPHA, advance, BETA, useGateway } from './support.ts';

/**
 * Goal: a link lets one person in, once, as what it says, and brings back who lost a passkey.
 * Method: links as owners and the operator make them, used by browsers with a software
 * authenticator, one after the other and at once.
 */

useGateway();

describe('joining', () => {
  test('makes a member with a passkey who is signed in, and is written down', async () => {
    const browser = await joined({ role: 'developer' });
    expect(await browser.isSignedIn()).toBe(true);
    const { memberId } = await browser.member();
    const member = await env.DB.prepare(
      `SELECT merchant_id, members.name, role, passkeys.name AS passkey, transports, backed_up
       FROM members JOIN passkeys ON passkeys.member_id = members.id`,
    ).first();
    expect(member).toEqual({
      merchant_id: ALPHA.id,
      name: 'Abebe',
      role: 'developer',
      passkey: 'Phone',
      transports: '["hybrid","internal"]',
      backed_up: 1,
    });
    const log = await auditLog();
    expect(log.map(({ action }) => action)).toEqual(['member.joined', 'session.started']);
    expect(log.map(({ actor_id: actor }) => actor)).toEqual([memberId, memberId]);
  });

  test('asks for a passkey that needs no user name, with finger, face or PIN', async () => {
    const browser = await Browser.create();
    expect(await browser.joinOptions(await invite())).toMatchObject({
      rp: { id: 'pay.kefel.test', name: 'Kefel' },
      user: { name: 'Abebe (Addis Books)' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    });
  });

  test('begins with a page that says who invites whom to what', async () => {
    const browser = await Browser.create();
    const page = await browser.get(`/dashboard/join?token=${await invite({ role: 'viewer' })}`);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('<h1>Join Addis Books</h1>');
    expect(html).toContain('Operator invites you');
    expect(html).toContain('Viewer: sees payments, changes nothing');
    expect(html).toMatch(/name="name" value="Abebe"/);
    expect(html).toContain('<noscript>');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  const faults: readonly (readonly [string, Faults])[] = [
    ['on a page of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['over another challenge', { challenge: 'A'.repeat(43) }],
    ['as if to sign in', { type: 'webauthn.get' }],
    ['without finger, face or PIN', { isUserVerified: false }],
    ['with a certificate, which nobody asked for', { hasCertificate: true }],
  ];
  test.each(faults)('is refused when the passkey is made %s', async (_name, fault) => {
    const token = await invite();
    const browser = await Browser.create();
    const before = await rowCounts();
    await expectRefusal(await browser.join(token, fault));
    expect(await rowCounts()).toEqual(before);
    // The link is as good as before.
    expect((await browser.join(token)).status).toBe(200);
  });

  const ends: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['used', async () => run('UPDATE invitations SET used_at_ms = 1')],
    ['revoked', async () => run('UPDATE invitations SET revoked_at_ms = 1')],
    ['expired', async () => advance(INVITATION_MS)],
    ["a suspended merchant's", async () => run("UPDATE merchants SET status = 'suspended'")],
  ];
  test.each(ends)('is refused when the link is %s, before and meanwhile', async (_name, end) => {
    const token = await invite();
    const browser = await Browser.create();
    const options = await browser.joinOptions(token);
    const credential = await browser.authenticator.register(options);
    await end();
    const before = await rowCounts();
    const body = { token, name: 'Abebe', passkey: 'Phone', credential };
    await expectRefusal(await browser.post('/dashboard/join', body));
    await expectRefusal(await browser.post('/dashboard/join/options', { token, name: 'Abebe' }));
    const page = await browser.get(`/dashboard/join?token=${token}`);
    expect(page.status).toBe(404);
    expect(await page.text()).toContain('This link opens nothing any more');
    expect(await rowCounts()).toEqual(before);
  });

  test("is refused with another invitation's challenge, and with one that is too old", async () => {
    const [own, other] = [await invite(), await invite({ merchant: BETA })];
    const browser = await Browser.create();
    const credential = await browser.authenticator.register(await browser.joinOptions(other));
    const body = { name: 'Abebe', passkey: 'Phone', credential };
    await expectRefusal(await browser.post('/dashboard/join', { token: own, ...body }));
    advance(CHALLENGE_MS);
    await expectRefusal(await browser.post('/dashboard/join', { token: other, ...body }));
  });

  test('of three at once with one link lets one in', async () => {
    const token = await invite();
    const ready = await Promise.all(
      [1, 2, 3].map(async () => {
        const browser = await Browser.create();
        const options = await browser.joinOptions(token);
        return { browser, credential: await browser.authenticator.register(options) };
      }),
    );
    meetBeforeBatch(3);
    const answers = await Promise.all(
      ready.map(({ browser, credential }) =>
        browser.post('/dashboard/join', { token, name: 'Abebe', passkey: 'Phone', credential }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const counts = await rowCounts();
    expect([counts.members, counts.passkeys, counts.sessions]).toEqual([1, 1, 1]);
    expect(counts.audit_log).toBe(2);
  });

  test('with a passkey that is known already is refused, and the link stays good', async () => {
    const browser = await joined();
    const token = await invite();
    await expectRefusal(await browser.join(token));
    expect((await (await Browser.create()).join(token)).status).toBe(200);
  });

  test.each(['', '  ', 'x'.repeat(101), 'Abe\nbe'])(
    'under the name %j is refused',
    async (name) => {
      const token = await invite();
      const browser = await Browser.create();
      const options = await browser.post('/dashboard/join/options', { token, name });
      expect(options.status).toBe(400);
      const response = await browser.join(token, {}, name);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ message: 'A name has 1 to 100 characters.' });
    },
  );
});

describe('a recovery link', () => {
  test('gives its member one passkey in place of all others, and ends all their sessions', async () => {
    const lost = await joined({ role: 'developer' });
    const { memberId } = await lost.member();
    const found = await Browser.create();
    const token = await invite({ memberId });
    const page = await (await found.get(`/dashboard/join?token=${token}`)).text();
    expect(page).toContain('A new passkey for Addis Books');
    expect((await found.join(token, {}, 'Somebody else')).status).toBe(200);
    expect(await lost.isSignedIn()).toBe(false);
    expect(await found.isSignedIn()).toBe(true);
    expect((await found.member()).memberId).toBe(memberId);
    const counts = await rowCounts();
    expect([counts.members, counts.passkeys]).toEqual([1, 1]);
    expect(await env.DB.prepare('SELECT name, role FROM members').first()).toEqual({
      name: 'Abebe',
      role: 'developer',
    });
  });

  test('lets the device that has a passkey of the member make no second one', async () => {
    const browser = await joined();
    const { memberId } = await browser.member();
    const options = await browser.joinOptions(await invite({ memberId }));
    expect(options).toMatchObject({
      excludeCredentials: [{ id: browser.authenticator.credentialId }],
    });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a day later', async () => advance(RECOVERY_MS)],
    ['for a member who was removed', () => run('UPDATE members SET removed_at_ms = 1')],
  ])('opens nothing %s', async (_name, end) => {
    const { memberId } = await (await joined()).member();
    const token = await invite({ memberId });
    await end();
    const before = await rowCounts();
    const browser = await Browser.create();
    expect((await browser.get(`/dashboard/join?token=${token}`)).status).toBe(404);
    expect(await rowCounts()).toEqual(before);
  });

  test("is not made for another merchant's member", async () => {
    const { memberId } = await (await joined()).member();
    const before = await rowCounts();
    await invite({ memberId, merchant: BETA });
    expect(await rowCounts()).toEqual(before);
  });
});

test('a link that was never made opens nothing', async () => {
  const browser = await Browser.create();
  for (const token of ['x', 'A'.repeat(43), '..%2f..', "'%20OR%201=1"]) {
    expect((await browser.get(`/dashboard/join?token=${token}`)).status).toBe(404);
    await expectRefusal(await browser.post('/dashboard/join/options', { token, name: 'A' }));
  }
});

/** The one answer to everything that is wrong. */
async function expectRefusal(response: Response): Promise<void> {
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({
    message: expect.stringContaining('nothing was changed'),
  });
}

async function run(sql: string): Promise<unknown> {
  return env.DB.prepare(sql).run();
}
