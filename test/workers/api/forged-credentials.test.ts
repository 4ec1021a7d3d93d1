import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { newSessionToken } from '../../../back-office/members/sessions.ts';
import { keyRing } from '../../../src/engine/config.ts';
import { generateApiKey } from '../../../src/engine/merchants/api-key.ts';
import { forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { type SignedIn, signedIn, visit } from '../dashboard/support.ts';
import { ALPHA, call, LIMITED, statusPath, useGateway } from '../support.ts';

/**
 * Goal: strangers cannot keep D1 busy (docs/promises.md#8). Invented keys and cookies cost no query, and genuine ones no
 * more than their limit, even after they have ended. Method: a database that counts its queries.
 */

useGateway();

/** An attacker's own secret. */
const FOREIGN = keyRing('test', `t1:${btoa('f'.repeat(32))}`);

/** The queries of both databases from now on. */
function queries(): () => readonly unknown[] {
  const spies = [vi.spyOn(env.DB, 'prepare'), vi.spyOn(env.BACK_OFFICE_DB, 'prepare')];
  return () => spies.flatMap(({ mock }) => mock.calls);
}

const INVENTED_KEYS: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['malformed', () => 'hunter2'],
  ['well-formed', () => `kfl_test_${'0'.repeat(49)}`],
  ['with a checksum by another secret', () => generateApiKey(FOREIGN, 'sandbox')],
  ['with the checksum of a genuine key', () => `kfl_test_${'0'.repeat(43)}${checksum()}`],
  ['of the other environment', () => ALPHA.apiKeys.production.replace('live', 'test')],
];

function checksum(environment: Environment = 'sandbox'): string {
  return ALPHA.apiKeys[environment].slice(-6);
}

test.each(INVENTED_KEYS)(
  'an invented key, %s, is answered 401 without a query',
  async (_name, key) => {
    const apiKey = await key();
    const made = queries();
    expect((await call(statusPath('order-1'), { apiKey })).status).toBe(401);
    expect(made()).toEqual([]);
  },
);

const INVENTED_COOKIES: readonly (readonly [
  string,
  (member: SignedIn) => string | Promise<string>,
])[] = [
  ['random', () => btoa('r'.repeat(30))],
  ['signed by another secret', () => newSessionToken(FOREIGN)],
  [
    'a genuine one with another last character',
    ({ cookie }) => swapped(cookie.split('=')[1] ?? ''),
  ],
];

function swapped(token: string): string {
  return token.slice(0, -2) + (token.endsWith('AA') ? 'BA' : 'AA');
}

test.each(INVENTED_COOKIES)('an invented cookie, %s, costs no query', async (_name, token) => {
  const member = await signedIn();
  const cookie = `__Host-kefel_session=${await token(member)}`;
  const made = queries();
  for (const path of ['/dashboard/account', '/dashboard/sign-in']) {
    await visit({ ...member, cookie }, path);
  }
  expect(made()).toEqual([]);
  expect((await visit(member, '/dashboard/account')).status).toBe(200);
});

test('a key over its limit costs no query, even a revoked one', async () => {
  const limit = vi.spyOn(env.API_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
  for (const apiKey of [ALPHA.apiKeys.sandbox, ALPHA.revokedApiKeys.sandbox]) {
    forgetDirectory();
    const made = queries();
    const { status } = await call(statusPath('order-1'), { apiKey, bindings: LIMITED });
    expect(status).toBe(429);
    expect(made()).toEqual([]);
  }
  expect(limit).toHaveBeenCalledTimes(2);
});

test('a session over its limit costs no query, even an ended one', async () => {
  const member = await signedIn();
  await env.BACK_OFFICE_DB.exec('UPDATE sessions SET revoked_at_ms = 1');
  vi.spyOn(env.DASHBOARD_RATE_LIMIT, 'limit').mockResolvedValue({ success: false });
  const made = queries();
  const asMember = { apiKey: null, headers: { cookie: member.cookie }, bindings: LIMITED };
  expect((await call('/dashboard/account', asMember)).status).toBe(429);
  expect(made()).toEqual([]);
});

test('while D1 fails, an invented key is still answered 401', async () => {
  vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw new Error('D1 is away');
  });
  const apiKey = await generateApiKey(FOREIGN, 'sandbox');
  expect((await call(statusPath('order-1'), { apiKey })).status).toBe(401);
});
