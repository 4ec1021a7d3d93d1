import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { SESSION_AGE_MS_MAX, SESSION_IDLE_MS_MAX } from '../../../back-office/members/sessions.ts';
import { auditEntry, auditEntryIfChanged } from '../../../src/kit/audit/log.ts';
import { prepare, runBatch } from '../../../src/kit/platform/database.ts';
import { ALPHA, advance, call, payHosted, useGateway } from '../support.ts';
import { auditLog, signedIn, visit } from './support.ts';

/**
 * Goal: a session opens the dashboard until it ends, and entries of the audit log cannot be
 * removed. Method: requests to the Worker, and SQL that only the gateway itself could send.
 */

useGateway();

test.each([
  ['owner', '/dashboard/sandbox/overview', 'sandbox'],
  ['developer', '/dashboard/sandbox/overview', 'sandbox'],
  ['cashier', '/dashboard/production/payments', 'production'],
  ['viewer', '/dashboard/production/payments', 'production'],
] as const)('a new %s starts at %s, and links lead to the %s', async (role, first, environment) => {
  const member = await signedIn(role);
  const home = await visit(member, '/dashboard');
  expect(home.headers.get('location')).toBe(first);
  const account = await (await visit(member, '/dashboard/account')).text();
  expect(account).toContain(`href="/dashboard/${environment}/refunds"`);
});

test('sends a visitor to the sign-in page', async () => {
  const stranger = await visit(null, '/dashboard?x=1');
  expect(stranger.status).toBe(303);
  expect(stranger.headers.get('location')).toBe('/dashboard/sign-in?next=%2Fdashboard%3Fx%3D1');
});

test.each([
  ['it reaches its maximum age', () => advance(SESSION_AGE_MS_MAX)],
  ['it was idle for too long', () => advance(SESSION_IDLE_MS_MAX)],
  ['it was revoked', () => run('UPDATE sessions SET revoked_at_ms = 1')],
  ['its member was removed', () => run('UPDATE members SET removed_at_ms = 1')],
])('a session ends when %s', async (_name, end) => {
  const member = await signedIn();
  await end();
  const { headers } = await visit(member, '/dashboard');
  expect(headers.get('location')).toMatch(/^\/dashboard\/sign-in/);
});

test('a session in use lasts until its maximum age', async () => {
  const member = await signedIn();
  for (
    let age = 0;
    age + SESSION_IDLE_MS_MAX < SESSION_AGE_MS_MAX;
    age += SESSION_IDLE_MS_MAX / 2
  ) {
    const usedAtMs = Date.now();
    const home = await visit(member, '/dashboard');
    expect(home.headers.get('location')).toBe('/dashboard/sandbox/overview');
    await expect.poll(() => lastSeenAtMs(member.digest)).toBe(usedAtMs);
    advance(SESSION_IDLE_MS_MAX / 2);
  }
});

test('keeps the navigation at an address without a page, and shows strangers three ways on', async () => {
  const member = await signedIn();
  for (const path of [
    'nothing',
    'sandbox/nothing',
    'sandbox/payments/no-such-order',
    'sandbox/payments/%zz',
  ]) {
    const response = await visit(member, `/dashboard/${path}`);
    expect([path, response.status]).toEqual([path, 404]);
    const html = await response.text();
    expect(html).toContain('Page not found');
    expect(html.includes('href="/dashboard/sandbox/payments"')).toBe(
      path !== 'sandbox/payments/%zz',
    );
  }
  const stranger = await call('/dashboard/nothing', { apiKey: null });
  expect(stranger.status).toBe(404);
  const html = await stranger.text();
  for (const way of ['/dashboard', '/docs/', '/']) {
    expect(html).toContain(`href="${way}"`);
  }
});

test('answers a wrong method with the right ones', async () => {
  const wrong = await call('/dashboard', { method: 'DELETE', apiKey: null });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test.each([
  ['sandbox/payments/order-1', 'ክፍያ order-1'],
  ['sandbox/payments/order-1/refund', 'በፓስኪ አረጋግጠው ይመልሱ'],
  ['sandbox/payments?min=1', '<h1>ክፍያዎች</h1>'],
  ['sandbox/webhooks', 'የመፈረሚያ ምስጢራዊ ቁልፎች'],
  ['sandbox/keys', 'የኤፒአይ ቁልፎች'],
  ['team', 'ሰው ይጋብዙ'],
])('shows /dashboard/%s in Amharic', async (path, text) => {
  await payHosted();
  const html = await (await visit(await signedIn(), `/dashboard/${path}`, 'am')).text();
  expect(html).toContain(text);
  expect(html).toContain('<html lang="am-ET">');
});

test.each(['DB', 'BACK_OFFICE_DB'] as const)(
  'the audit log in %s accepts entries and rejects changes and deletions',
  async (name) => {
    const entry = auditEntry({
      actor: { kind: 'operator', id: 'abebe', name: 'Abebe', address: null },
      merchantId: ALPHA.id,
      environment: null,
      action: 'merchant.created',
      target: ALPHA.id,
      atMs: Date.now(),
    });
    await runBatch(env[name], [entry]);
    const rejected = [
      'UPDATE audit_log SET actor_name = 1',
      'UPDATE audit_log SET actor_name = 1, address = NULL',
      "UPDATE audit_log SET address = '192.0.2.7'",
      'DELETE FROM audit_log',
    ];
    for (const sql of rejected) {
      expect(
        await env[name]
          .prepare(sql)
          .run()
          .then(() => null, String),
      ).toContain('append-only');
    }
    expect(await auditLog()).toHaveLength(1);
  },
);

test.each([
  ['changes a row', 'mem_x', 1],
  ['changes nothing', 'unknown', 0],
])('writes $2 entries with a statement that $0', async (_name, target, entries) => {
  const changed = { sql: "UPDATE merchants SET name = 'New' WHERE id = ?1" };
  const id = target === 'unknown' ? 'unknown' : ALPHA.id;
  const counts = await runBatch(env.DB, [
    { ...changed, params: [id] },
    auditEntryIfChanged({
      actor: { kind: 'operator', id: 'abebe', name: 'Abebe', address: null },
      merchantId: ALPHA.id,
      environment: null,
      action: 'merchant.renamed',
      target,
      atMs: Date.now(),
    }),
  ]);
  expect(counts).toEqual([entries, entries]);
  expect(await auditLog()).toHaveLength(entries);
});

async function run(sql: string): Promise<unknown> {
  return env.BACK_OFFICE_DB.prepare(sql).run();
}

async function lastSeenAtMs(digest: string): Promise<number | null> {
  const sql = 'SELECT last_seen_at_ms FROM sessions WHERE digest = ?1';
  return prepare(env.BACK_OFFICE_DB, { sql, params: [digest] }).first<number>('last_seen_at_ms');
}
