import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { dashboard as english } from '../../../back-office/i18n/en/dashboard.ts';
import { CHALLENGE_MS } from '../../../back-office/members/challenge.ts';
import { INVITATION_MS, RECOVERY_MS } from '../../../back-office/members/invitations.ts';
import type { Faults } from '../../../lab/harness/software-authenticator.ts';
import { bytesFromBase64Url } from '../../../src/kit/crypto/encoding.ts';
import { ALPHA, advance, BETA, useGateway } from '../support.ts';
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
 * Goal: an invitation link lets one person join once, with the role it names; a recovery link
 * restores a member who lost a passkey. Method: links as owners and the operator make them, used by
 * browsers with a software authenticator, one after the other and at once.
 */

useGateway();

/** COSE keys of other algorithms than the software authenticator's (RFC 9053, RFC 8230). */
async function ed25519Key() {
  const { publicKey } = await keyPair({ name: 'Ed25519' });
  const raw = await crypto.subtle.exportKey('raw', publicKey);
  return new Map<number, number | Uint8Array>([
    [1, 1],
    [3, -8],
    [-1, 6],
    [-2, new Uint8Array(raw as ArrayBuffer)],
  ]);
}

async function rsaKey() {
  const { publicKey } = await keyPair({
    ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2_048 },
    publicExponent: Uint8Array.of(1, 0, 1),
  });
  const { n = '' } = (await crypto.subtle.exportKey('jwk', publicKey)) as JsonWebKey;
  return new Map<number, number | Uint8Array>([
    [1, 3],
    [3, -257],
    [-1, bytesFromBase64Url(n) ?? new Uint8Array()],
    [-2, Uint8Array.of(1, 0, 1)],
  ]);
}

async function keyPair(algorithm: SubtleCryptoGenerateKeyAlgorithm): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
}

describe('joining', () => {
  test('creates a signed-in member with a passkey, and is recorded in the audit log', async () => {
    const browser = await joined({ role: 'developer' });
    expect(await browser.isSignedIn()).toBe(true);
    const { memberId } = await browser.member();
    const member = await env.BACK_OFFICE_DB.prepare(
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

  test('requires a discoverable passkey with user verification', async () => {
    const browser = await Browser.create();
    expect(await browser.joinOptions(await invite())).toMatchObject({
      rp: { id: 'pay.kefel.test', name: 'Kefel' },
      user: { name: 'Abebe (Addis Books)' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    });
  });

  test('starts with a page that names the merchant, the inviter and the role', async () => {
    const browser = await Browser.create();
    const page = await browser.get(`/dashboard/join?token=${await invite({ role: 'viewer' })}`);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('<h1>Join Addis Books</h1>');
    expect(html).toContain('Operator has invited you');
    expect(html).toContain('Viewer: can view payments, but change nothing');
    expect(html).toMatch(/name="name" value="Abebe"/);
    expect(html).toContain('<noscript>');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  const faults: readonly (readonly [string, Faults])[] = [
    ['on a page of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['for another challenge', { challenge: 'A'.repeat(43) }],
    ['with a sign-in answer', { type: 'webauthn.get' }],
    ['without finger, face or PIN', { isUserVerified: false }],
    ['with the certificate of a maker', { attestation: 'certificate' }],
    ['with an attestation by another key', { attestation: 'self', isForged: true }],
    ['with an algorithm that was not offered', { algorithm: -47 }],
    ['with the algorithm of another type of key', { algorithm: -8 }],
    ['with another type of key than its algorithm has', { keyValue: [1, 3] }],
    ['with a curve that nothing verifies', { keyValue: [-1, 99] }],
    ['with a point beside the curve', { keyValue: [-2, new Uint8Array(32).fill(7)] }],
    ['as a backup of a passkey that has none', { isBackupIneligible: true }],
  ];
  test.each(faults)('is refused when the passkey is made %s', async (_name, fault) => {
    const token = await invite();
    const browser = await Browser.create();
    const before = await rowCounts();
    await expectRefusal(await browser.join(token, fault));
    expect(await rowCounts()).toEqual(before);
    // The link still works.
    expect((await browser.join(token)).status).toBe(200);
  });

  test.each([
    ['EdDSA', ed25519Key],
    ['RS256', rsaKey],
  ])('is accepted with a key of %s', async (_algorithm, newKey) => {
    const browser = await Browser.create();
    expect((await browser.join(await invite(), { key: await newKey() })).status).toBe(200);
  });

  test('is accepted with an attestation by its own key, which some browsers pass on', async () => {
    const browser = await Browser.create();
    expect((await browser.join(await invite(), { attestation: 'self' })).status).toBe(200);
  });

  const ends: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['used', async () => run('UPDATE invitations SET used_at_ms = 1')],
    ['revoked', async () => run('UPDATE invitations SET revoked_at_ms = 1')],
    ['expired', async () => advance(INVITATION_MS)],
    [
      "a suspended merchant's",
      async () => env.DB.prepare("UPDATE merchants SET status = 'suspended'").run(),
    ],
  ];
  test.each(ends)(
    'is refused when the link is %s, before or during the ceremony',
    async (_name, end) => {
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
      expect(await page.text()).toContain(english.signIn.ended.title);
      expect(await rowCounts()).toEqual(before);
    },
  );

  test("is refused with another invitation's challenge, and with an expired one", async () => {
    const [own, other] = [await invite(), await invite({ merchant: BETA })];
    const browser = await Browser.create();
    const credential = await browser.authenticator.register(await browser.joinOptions(other));
    const body = { name: 'Abebe', passkey: 'Phone', credential };
    await expectRefusal(await browser.post('/dashboard/join', { token: own, ...body }));
    advance(CHALLENGE_MS);
    await expectRefusal(await browser.post('/dashboard/join', { token: other, ...body }));
  });

  test('lets one of three concurrent requests with the same link join', async () => {
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

  test('is refused with a passkey that already exists, and the link still works', async () => {
    const browser = await joined();
    const token = await invite();
    await expectRefusal(await browser.join(token));
    expect((await (await Browser.create()).join(token)).status).toBe(200);
  });

  test.each(['', '  ', 'x'.repeat(101), 'Abe\nbe'])('is refused with the name %j', async (name) => {
    const token = await invite();
    const browser = await Browser.create();
    const options = await browser.post('/dashboard/join/options', { token, name });
    expect(options.status).toBe(400);
    const response = await browser.join(token, {}, name);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message: english.signIn.badName });
  });
});

describe('a recovery link', () => {
  test('replaces all passkeys of its member by one, and ends all their sessions', async () => {
    const lost = await joined({ role: 'developer' });
    const { memberId } = await lost.member();
    const found = await Browser.create();
    const token = await invite({ memberId });
    const page = await (await found.get(`/dashboard/join?token=${token}`)).text();
    expect(page).toContain('Create a new passkey for Addis Books');
    expect((await found.join(token, {}, 'Somebody else')).status).toBe(200);
    expect(await lost.isSignedIn()).toBe(false);
    expect(await found.isSignedIn()).toBe(true);
    expect((await found.member()).memberId).toBe(memberId);
    const counts = await rowCounts();
    expect([counts.members, counts.passkeys]).toEqual([1, 1]);
    expect(await env.BACK_OFFICE_DB.prepare('SELECT name, role FROM members').first()).toEqual({
      name: 'Abebe',
      role: 'developer',
    });
  });

  test('does not create a second passkey on a device that already has one', async () => {
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

test('a made-up link opens nothing', async () => {
  const browser = await Browser.create();
  for (const token of ['x', 'A'.repeat(43), '..%2f..', "'%20OR%201=1"]) {
    expect((await browser.get(`/dashboard/join?token=${token}`)).status).toBe(404);
    await expectRefusal(await browser.post('/dashboard/join/options', { token, name: 'A' }));
  }
});

async function run(sql: string): Promise<unknown> {
  return env.BACK_OFFICE_DB.prepare(sql).run();
}
