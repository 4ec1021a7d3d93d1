import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { dashboard as amharic } from '../../../back-office/i18n/am/dashboard.ts';
import { dashboard as english } from '../../../back-office/i18n/en/dashboard.ts';
import { BETA, useGateway } from '../support.ts';
import {
  Browser,
  confirmed,
  holdNextBatch,
  invite,
  joined,
  meetBeforeBatch,
  rowCounts,
  submitConfirmed,
} from './people-support.ts';
import { auditLog, type SignedIn, sessionFor, signedIn, submit, visit } from './support.ts';

/**
 * Goal: only owners decide who is a member and with which role, and a merchant always keeps an
 * owner. Method: the team's pages and forms, by members of each role and of another merchant.
 */

useGateway();

const TEAM = '/dashboard/team';
/** What the audit log has of each member who `joined`. */
const JOINED = ['member.joined', 'session.started'];
const memberPath = ({ memberId }: SignedIn) => `${TEAM}/members/${memberId}`;

describe('inviting', () => {
  test('shows the link once, and a visitor with the link joins', async () => {
    const browser = await joined();
    const owner = await browser.member();
    const fields = { name: 'Sara', role: 'developer' };
    const answer = await submitConfirmed(browser, `${TEAM}/invitations`, fields);
    expect(answer.status).toBe(200);
    const [, url = ''] = /value="(https:[^"]+)"/.exec(await answer.text()) ?? [];
    expect(url).toMatch(/^https:\/\/pay\.kefel\.test\/dashboard\/join\?token=[A-Za-z0-9_-]{43}$/);
    const token = url.split('=').at(-1) ?? '';
    const page = await (await visit(owner, TEAM)).text();
    expect(page).toContain('Sara');
    expect(page).not.toContain(token);
    const rows = JSON.stringify(
      (await env.BACK_OFFICE_DB.prepare('SELECT * FROM invitations').all()).results,
    );
    expect(rows).not.toContain(token);
    const sara = await Browser.create();
    expect((await sara.join(token, {}, 'Sara')).status).toBe(200);
    const log = (await auditLog()).slice(JOINED.length);
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
    const [browser, viewer] = [await joined(), await signedIn('viewer')];
    expect((await visit(viewer, TEAM)).status).toBe(403);
    const path = `${memberPath(viewer)}/role`;
    const answer = await submitConfirmed(browser, path, { role: 'owner' });
    expect(answer.headers.get('location')).toBe(`${memberPath(viewer)}?done=role_changed`);
    expect((await visit(viewer, TEAM)).status).toBe(200);
    const entry = (await auditLog()).at(-1);
    expect(entry).toMatchObject({ action: 'member.role_changed', target: viewer.memberId });
    expect(JSON.parse(entry?.detail ?? '')).toMatchObject({ from: 'viewer', to: 'owner' });
  });

  test('cannot be reduced for oneself without a confirmation', async () => {
    const [browser] = [await joined(), await signedIn()];
    const path = `${memberPath(await browser.member())}/role`;
    const unsure = await browser.submit(path, { role: 'viewer' });
    expect(unsure.status).toBe(400);
    expect(await unsure.text()).toContain('Select the checkbox');
    expect(await roles()).toEqual(['owner', 'owner']);
    const sure = await submitConfirmed(browser, path, { role: 'viewer', sure: 'yes' });
    expect(sure.headers.get('location')).toBe('/dashboard');
    expect(await roles()).toEqual(['owner', 'viewer']);
  });

  test.each([
    ['role', { role: 'viewer', sure: 'yes' }],
    ['remove', { sure: 'yes' }],
  ])('the last owner stays an owner (%s)', async (action, fields) => {
    const browser = await joined();
    const owner = await browser.member();
    await signedIn('developer');
    await signedIn('owner', BETA);
    const path = `${memberPath(owner)}/${action}`;
    const answer = await browser.submit(path, ...(await formOf(browser, path, fields)));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('A merchant must always have an owner');
    expect((await auditLog()).map(({ action }) => action)).toEqual(JOINED);
    expect((await visit(owner, TEAM)).status).toBe(200);
  });

  test.each([
    // A new role is confirmed in one batch and changed in the next.
    ['role', { role: 'viewer' }, 2],
    ['remove', {}, 1],
  ])(
    'two owners who act against each other at once leave one owner (%s)',
    async (action, fields, batches) => {
      const [one, other] = [await joined(), await joined()];
      const paths = [
        `${memberPath(await other.member())}/${action}`,
        `${memberPath(await one.member())}/${action}`,
      ] as const;
      const sent = [
        await formOf(one, paths[0], fields),
        await formOf(other, paths[1], fields),
      ] as const;
      const before = (await auditLog()).length;
      meetBeforeBatch(2, undefined, batches);
      await Promise.all([one.submit(paths[0], ...sent[0]), other.submit(paths[1], ...sent[1])]);
      const owners = await env.BACK_OFFICE_DB.prepare(
        "SELECT count(*) AS owners FROM members WHERE role = 'owner' AND removed_at_ms IS NULL",
      ).first('owners');
      expect(owners).toBe(1);
      expect(await auditLog()).toHaveLength(before + 1);
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
    const [owner, other] = [await joined(), await joined()];
    const ownerPath = memberPath(await owner.member());
    const path = kind === 'recovery' ? `${ownerPath}/recovery` : `${TEAM}/invitations`;
    const against = `${memberPath(await other.member())}/${action}`;
    const sent = await formOf(owner, against, fields);
    const linkSent = await formOf(other, path, link);
    const { invitations, audit_log: entries = 0 } = await rowCounts();
    // After the batch that uses the confirmation.
    const held = holdNextBatch(1);
    const making = other.submit(path, ...linkSent);
    await held.isHere();
    expect((await owner.submit(against, ...sent)).status).toBe(303);
    held.release();
    const answer = await making;
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain(english.frame.notices.not_allowed.title);
    expect(await rowCounts()).toMatchObject({ invitations, audit_log: entries + 1 });
  });
});

describe('removing', () => {
  test('ends everything the member had, and nothing of other members', async () => {
    const owner = await signedIn();
    const gone = await joined({ role: 'owner' });
    const member = await gone.member();
    const backDoor = { name: 'Back door', role: 'owner' };
    await submitConfirmed(gone, `${TEAM}/invitations`, backDoor);
    await submitConfirmed(gone, `${memberPath(owner)}/recovery`);
    expect(await (await visit(owner, TEAM)).text()).toContain('Back door');
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
    const owner = await joined();
    const lost = await joined({ role: 'viewer' });
    const member = await lost.member();
    const answer = await submitConfirmed(owner, `${memberPath(member)}/recovery`);
    const [, token = ''] =
      /dashboard\/join\?token=([A-Za-z0-9_-]{43})/.exec(await answer.text()) ?? [];
    const second = await submitConfirmed(owner, `${memberPath(member)}/recovery`);
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
    expect((await auditLog()).map(({ action }) => action).slice(2 * JOINED.length)).toEqual([
      'recovery.issued',
      'recovery.issued',
      'passkey.added',
      'session.started',
      'session.started',
    ]);
  });
});

describe('decisions.md#42: the owner’s own passkey', () => {
  test('keeps what was typed in a refused invitation', async () => {
    const browser = await joined();
    const fields = { name: 'Sara', role: 'cashier' };
    const page = await (await browser.submit(`${TEAM}/invitations`, fields)).text();
    expect(page).toContain('value="Sara"');
    expect(page).toMatch(/value="cashier" checked/);
  });

  test('is not asked for by a form whose answer says what is wrong', async () => {
    const [browser, viewer] = [await joined(), await signedIn('viewer')];
    const own = `${memberPath(await browser.member())}/role`;
    const forms: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      [`${TEAM}/invitations`, { name: ' ', role: 'cashier' }],
      [`${TEAM}/invitations`, { name: 'Sara' }],
      [`${memberPath(viewer)}/role`, { role: 'operator' }],
      [`${memberPath(viewer)}/role`, { role: 'viewer' }],
      [own, { role: 'viewer' }],
    ];
    for (const [path, fields] of forms) {
      const offer = await browser.submit(`${path}/options`, fields);
      expect([offer.status, await offer.text()]).toEqual([204, '']);
    }
  });

  test('is explained at each form, in both languages', async () => {
    const [owner, viewer] = [await signedIn(), await signedIn('viewer')];
    for (const [language, text] of [
      ['en', english.team],
      ['am', amharic.team],
    ] as const) {
      const invite = await (await visit(owner, TEAM, language)).text();
      expect(invite.split(text.confirmHint)).toHaveLength(2);
      const member = await (await visit(owner, memberPath(viewer), language)).text();
      expect(member.split(text.confirmHint)).toHaveLength(3);
    }
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

test('the page lists the members, in both languages', async () => {
  const owner = await signedIn();
  await signedIn('viewer');
  const page = await (await visit(owner, TEAM)).text();
  expect(page).toContain('<h1>Team</h1>');
  expect(page.match(/Manage (?:owner|viewer) \d+/g)).toHaveLength(2);
  const translated = await (await visit(owner, TEAM, 'am')).text();
  expect(translated).toContain('<h1>ቡድን</h1>');
  expect(translated).toContain('ሰው ይጋብዙ');
});

/** The form's fields, confirmed if it asks for a passkey: only removing does not. */
async function formOf(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<[Readonly<Record<string, string>>, string]> {
  return path.endsWith('/remove') ? [fields, ''] : confirmed(browser, path, fields);
}

async function roles(): Promise<readonly unknown[]> {
  const { results } = await env.BACK_OFFICE_DB.prepare(
    'SELECT role FROM members ORDER BY role',
  ).all();
  return results.map(({ role }) => role);
}

async function invitationId(): Promise<string> {
  return (await env.BACK_OFFICE_DB.prepare('SELECT id FROM invitations').first<string>('id')) ?? '';
}

async function isIn(member: SignedIn): Promise<boolean> {
  const home = await visit(member, '/dashboard');
  return /^\/dashboard\/(?:sandbox|production)\//.test(home.headers.get('location') ?? '');
}
