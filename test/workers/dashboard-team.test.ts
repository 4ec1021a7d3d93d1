import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/members/permissions.ts';
import {
  Browser,
  holdNextBatch,
  invite,
  joined,
  meetBeforeBatch,
  rowCounts,
} from './dashboard-people-support.ts';
import {
  auditLog,
  type SignedIn,
  sessionFor,
  signedIn,
  submit,
  visit,
} from './dashboard-support.ts';
import { BETA, useGateway } from './support.ts';

/**
 * Goal: only owners decide who is a member and with which role, and a merchant always keeps an
 * owner. Method: the team's pages and forms, by members of each role and of another merchant.
 */

useGateway();

const TEAM = '/dashboard/team';
const memberPath = ({ memberId }: SignedIn) => `${TEAM}/members/${memberId}`;

describe('inviting', () => {
  test('shows the link once, and a visitor with the link joins', async () => {
    const owner = await signedIn();
    const answer = await submit(owner, `${TEAM}/invitations`, { name: 'Sara', role: 'developer' });
    expect(answer.status).toBe(200);
    const [, url = ''] = /value="(https:[^"]+)"/.exec(await answer.text()) ?? [];
    expect(url).toMatch(/^https:\/\/pay\.kefel\.test\/dashboard\/join\?token=[A-Za-z0-9_-]{43}$/);
    const token = url.split('=').at(-1) ?? '';
    const page = await (await visit(owner, TEAM)).text();
    expect(page).toContain('Sara');
    expect(page).not.toContain(token);
    const rows = JSON.stringify((await env.DB.prepare('SELECT * FROM invitations').all()).results);
    expect(rows).not.toContain(token);
    const sara = await Browser.create();
    expect((await sara.join(token, {}, 'Sara')).status).toBe(200);
    const log = await auditLog();
    expect(log.map(({ action }) => action)).toEqual([
      'member.invited',
      'member.joined',
      'session.started',
    ]);
    expect(JSON.parse(log[0]?.detail ?? '')).toEqual({ name: 'Sara', role: 'developer' });
  });

  test.each([
    ['no name', { name: ' ', role: 'viewer' }, 'Enter a name'],
    ['a name too long', { name: 'x'.repeat(101), role: 'viewer' }, 'Enter a name'],
    [
      'a name with a direction override',
      { name: 'Sara\u202enimda', role: 'viewer' },
      'Enter a name',
    ],
    ['no role', { name: 'Sara' }, 'Choose a role'],
    ['an unknown role', { name: 'Sara', role: 'operator' }, 'Choose a role'],
  ])('shows the form again with %s', async (_name, fields, problem) => {
    const owner = await signedIn();
    const before = await rowCounts();
    const answer = await submit(owner, `${TEAM}/invitations`, fields);
    const html = await answer.text();
    expect(answer.status).toBe(400);
    expect(html).toContain(problem);
    expect(html).toContain('aria-invalid="true"');
    expect(html).toContain(fields.name.trim());
    expect(await rowCounts()).toEqual(before);
  });

  test('can be revoked', async () => {
    const owner = await signedIn();
    const token = await invite();
    const id = await invitationId();
    const path = `${TEAM}/invitations/${id}/revoke`;
    const answer = await submit(owner, path);
    expect(answer.headers.get('location')).toBe('/dashboard/team?done=invitation_revoked');
    expect((await visit(null, `/dashboard/join?token=${token}`)).status).toBe(404);
    expect((await submit(owner, path)).status).toBe(404);
    expect((await auditLog()).map(({ action, target }) => [action, target])).toEqual([
      ['invitation.revoked', id],
    ]);
  });
});

describe('roles', () => {
  test('are changed by owners, and apply at once', async () => {
    const [owner, viewer] = [await signedIn(), await signedIn('viewer')];
    expect((await visit(viewer, TEAM)).status).toBe(403);
    const answer = await submit(owner, `${memberPath(viewer)}/role`, { role: 'owner' });
    expect(answer.headers.get('location')).toBe(`${memberPath(viewer)}?done=role_changed`);
    expect((await visit(viewer, TEAM)).status).toBe(200);
    const [entry] = await auditLog();
    expect(entry).toMatchObject({ action: 'member.role_changed', target: viewer.memberId });
    expect(JSON.parse(entry?.detail ?? '')).toMatchObject({ from: 'viewer', to: 'owner' });
  });

  test('cannot be reduced for oneself without a confirmation', async () => {
    const [owner] = [await signedIn(), await signedIn()];
    const path = `${memberPath(owner)}/role`;
    const unsure = await submit(owner, path, { role: 'viewer' });
    expect(unsure.status).toBe(400);
    expect(await unsure.text()).toContain('Select the checkbox');
    expect(await roles()).toEqual(['owner', 'owner']);
    const sure = await submit(owner, path, { role: 'viewer', sure: 'yes' });
    expect(sure.headers.get('location')).toBe('/dashboard');
    expect(await roles()).toEqual(['owner', 'viewer']);
  });

  test.each([
    ['role', { role: 'viewer', sure: 'yes' }],
    ['remove', { sure: 'yes' }],
  ])('the last owner stays an owner (%s)', async (action, fields) => {
    const owner = await signedIn();
    await signedIn('developer');
    await signedIn('owner', BETA);
    const answer = await submit(owner, `${memberPath(owner)}/${action}`, fields);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('A merchant must always have an owner');
    expect(await auditLog()).toEqual([]);
    expect((await visit(owner, TEAM)).status).toBe(200);
  });

  test.each([
    ['role', { role: 'viewer' }],
    ['remove', {}],
  ])(
    'two owners who act against each other at once leave one owner (%s)',
    async (action, fields) => {
      const [one, other] = [await signedIn(), await signedIn()];
      meetBeforeBatch(2);
      await Promise.all([
        submit(one, `${memberPath(other)}/${action}`, fields),
        submit(other, `${memberPath(one)}/${action}`, fields),
      ]);
      const owners = await env.DB.prepare(
        "SELECT count(*) AS owners FROM members WHERE role = 'owner' AND removed_at_ms IS NULL",
      ).first('owners');
      expect(owners).toBe(1);
      expect(await auditLog()).toHaveLength(1);
    },
  );
});

describe('an owner who is removed or demoted during the request', () => {
  test.each([
    ['remove', {}, 'invitations', { name: 'Back door', role: 'owner' }],
    ['role', { role: 'viewer' }, 'invitations', { name: 'Back door', role: 'owner' }],
    ['remove', {}, 'recovery', {}],
    ['role', { role: 'viewer' }, 'recovery', {}],
  ])('makes no link (%s, %j, %s)', async (action, fields, kind, link) => {
    const [owner, other] = [await signedIn(), await signedIn()];
    const path = kind === 'recovery' ? `${memberPath(owner)}/recovery` : `${TEAM}/invitations`;
    const held = holdNextBatch();
    const making = submit(other, path, link);
    await held.isHere();
    expect((await submit(owner, `${memberPath(other)}/${action}`, fields)).status).toBe(303);
    held.release();
    expect((await making).status).toBe(403);
    expect((await rowCounts()).invitations).toBe(0);
    expect(await auditLog()).toHaveLength(1);
  });
});

describe('removing', () => {
  test('ends everything the member had, and nothing of other members', async () => {
    const owner = await signedIn();
    const gone = await joined({ role: 'owner' });
    const member = await gone.member();
    await gone.submit(`${TEAM}/invitations`, { name: 'Back door', role: 'owner' });
    await gone.submit(`${memberPath(owner)}/recovery`);
    const answer = await submit(owner, `${memberPath(member)}/remove`);
    expect(answer.headers.get('location')).toBe('/dashboard/team?done=member_removed');
    expect(await gone.isSignedIn()).toBe(false);
    expect((await gone.signIn()).status).toBe(401);
    const page = await (await visit(owner, TEAM)).text();
    expect(page).not.toContain('Back door');
    expect(page).toContain('No pending links');
    expect((await rowCounts()).passkeys).toBe(0);
    expect((await visit(owner, memberPath(member))).status).toBe(404);
    expect((await auditLog()).at(-1)).toMatchObject({ action: 'member.removed' });
  });
});

describe('a lost passkey', () => {
  test('is replaced by a link from an owner', async () => {
    const owner = await signedIn();
    const lost = await joined({ role: 'viewer' });
    const member = await lost.member();
    const answer = await submit(owner, `${memberPath(member)}/recovery`);
    const [, token = ''] =
      /dashboard\/join\?token=([A-Za-z0-9_-]{43})/.exec(await answer.text()) ?? [];
    const second = await submit(owner, `${memberPath(member)}/recovery`);
    const [, unused = ''] =
      /dashboard\/join\?token=([A-Za-z0-9_-]{43})/.exec(await second.text()) ?? [];
    const found = await Browser.create();
    expect((await found.join(token)).status).toBe(200);
    expect((await found.member()).memberId).toBe(member.memberId);
    // The lost passkey and the other link no longer work.
    expect(await lost.isSignedIn()).toBe(false);
    expect((await lost.signIn()).status).toBe(401);
    expect((await visit(null, `/dashboard/join?token=${unused}`)).status).toBe(404);
    expect((await found.signIn()).status).toBe(200);
    expect((await auditLog()).map(({ action }) => action).slice(2)).toEqual([
      'recovery.issued',
      'recovery.issued',
      'passkey.added',
      'session.started',
      'session.started',
    ]);
  });
});

test('an owner ends all sessions of another member, and all of their own except the current one', async () => {
  const [owner, viewer] = [await signedIn(), await signedIn('viewer')];
  const second = await sessionFor(owner.memberId);
  for (const member of [viewer, owner]) {
    const answer = await submit(owner, `${memberPath(member)}/sessions/revoke`);
    expect(answer.headers.get('location')).toContain('done=sessions_revoked');
  }
  expect(await isIn(viewer)).toBe(false);
  expect(await isIn(second)).toBe(false);
  expect(await isIn(owner)).toBe(true);
});

describe('without permission', () => {
  const posts: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['role', { role: 'viewer' }],
    ['remove', {}],
    ['recovery', {}],
    ['sessions/revoke', {}],
  ];

  test.each<Role>(['developer', 'cashier', 'viewer'])(
    'neither sees nor changes the team: a %s',
    async (role) => {
      const [owner, member] = [await signedIn(), await signedIn(role)];
      await invite();
      const before = await everything();
      expect((await visit(member, TEAM)).status).toBe(403);
      expect((await visit(member, memberPath(owner))).status).toBe(403);
      for (const [action, fields] of posts) {
        expect((await submit(member, `${memberPath(owner)}/${action}`, fields)).status).toBe(403);
      }
      const fields = { name: 'Sara', role: 'owner' };
      expect((await submit(member, `${TEAM}/invitations`, fields)).status).toBe(403);
      const revoke = `${TEAM}/invitations/${await invitationId()}/revoke`;
      expect((await submit(member, revoke)).status).toBe(403);
      expect(await everything()).toEqual(before);
    },
  );

  test("neither sees nor changes the team: another merchant's owner", async () => {
    const [owner, stranger] = [await signedIn(), await signedIn('owner', BETA)];
    await invite();
    const before = await everything();
    expect(await (await visit(stranger, TEAM)).text()).not.toContain(owner.memberId);
    expect((await visit(stranger, memberPath(owner))).status).toBe(404);
    for (const [action, fields] of posts) {
      expect((await submit(stranger, `${memberPath(owner)}/${action}`, fields)).status).toBe(404);
    }
    const revoke = `${TEAM}/invitations/${await invitationId()}/revoke`;
    expect((await submit(stranger, revoke)).status).toBe(404);
    expect(await everything()).toEqual(before);
  });

  test.each(['', 'wrong'])("changes nothing without the form's token: %j", async (csrf) => {
    const [owner, viewer] = [await signedIn(), await signedIn('viewer')];
    const before = await everything();
    for (const [action, fields] of posts) {
      const path = `${memberPath(viewer)}/${action}`;
      expect((await submit(owner, path, { ...fields, csrf })).status).toBe(403);
    }
    expect(await everything()).toEqual(before);
  });
});

test('the page lists the members, in both languages', async () => {
  const owner = await signedIn();
  await signedIn('viewer');
  const english = await (await visit(owner, TEAM)).text();
  expect(english).toContain('<h1>Team</h1>');
  expect(english.match(/Manage (?:owner|viewer) \d+/g)).toHaveLength(2);
  const amharic = await (await visit(owner, TEAM, 'am')).text();
  expect(amharic).toContain('<h1>ቡድን</h1>');
  expect(amharic).toContain('ሰው ይጋብዙ');
});

async function roles(): Promise<readonly unknown[]> {
  const { results } = await env.DB.prepare('SELECT role FROM members ORDER BY role').all();
  return results.map(({ role }) => role);
}

async function invitationId(): Promise<string> {
  return (await env.DB.prepare('SELECT id FROM invitations').first<string>('id')) ?? '';
}

async function isIn(member: SignedIn): Promise<boolean> {
  const home = await visit(member, '/dashboard');
  return home.headers.get('location') === '/dashboard/sandbox/overview';
}

/** All tables that these forms could change. */
async function everything(): Promise<readonly unknown[]> {
  const tables = ['members', 'invitations', 'passkeys', 'sessions', 'audit_log'];
  const read = (table: string) => env.DB.prepare(`SELECT * FROM ${table}`).all();
  return (await Promise.all(tables.map(read))).map(({ results }) => results);
}
