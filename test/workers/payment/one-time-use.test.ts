import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import {
  type CreationOptions,
  type RequestOptions,
  SoftwareAuthenticator,
} from '../../../lab/harness/software-authenticator.ts';
import { rollApiKey } from '../../../src/control/merchants/change-keys.ts';
import { apiKeyDigest } from '../../../src/engine/merchants/api-key.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import {
  Browser,
  invite,
  joined,
  meetBeforeBatch,
  rowCounts,
} from '../dashboard/people-support.ts';
import { ALPHA, advance, ORIGIN, tenantOf, useGateway } from '../support.ts';

/**
 * Goal: links, challenges and keys work once, by the rows themselves. Cloudflare does not promise
 * that SQLite's `changes()` still counts the previous statement of a D1 batch. Method: D1 runs a
 * statement of its own before each of ours, so that `changes()` misleads.
 */

useGateway();

const PASSKEYS = '/dashboard/account/passkeys';

const DISTRACTIONS = [
  [
    'many rows',
    "INSERT INTO audit_log SELECT NULL, 1, NULL, NULL, 'member', '', '', NULL, NULL, 'x', NULL, '{}' FROM (VALUES (1), (2))",
  ],
  ['no rows', 'UPDATE audit_log SET address = NULL WHERE id IS NULL'],
] as const;

function distracted(
  sql: string,
  statements: D1PreparedStatement[],
  database = env.BACK_OFFICE_DB,
): D1PreparedStatement[] {
  return statements.flatMap((statement) => [database.prepare(sql), statement]);
}

function distract(sql: string, database = env.BACK_OFFICE_DB): void {
  meetBeforeBatch(1, (statements) => distracted(sql, statements, database), 1, database);
}

/** A browser that has made its passkey, and only needs to send it. */
async function prepared(token: string) {
  const browser = await Browser.create();
  const options = await browser.joinOptions(token);
  return { browser, credential: await browser.authenticator.register(options) };
}

describe.each(DISTRACTIONS)('while changes() counts %s', (_name, sql) => {
  test('a link lets one browser join', async () => {
    const token = await invite();
    const ready = [await prepared(token), await prepared(token)];
    meetBeforeBatch(2, (statements) => distracted(sql, statements));
    const answers = await Promise.all(
      ready.map(({ browser, credential }) =>
        browser.post('/dashboard/join', { token, name: 'Abebe', passkey: 'Phone', credential }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await rowCounts()).members).toBe(1);
  });

  test('a link that is revoked while a member uses it admits no member', async () => {
    const token = await invite();
    const browser = await Browser.create();
    const options = await browser.joinOptions(token);
    const credential = await browser.authenticator.register(options);
    const body = { token, name: 'Abebe', passkey: 'Phone', credential };
    distract('UPDATE invitations SET revoked_at_ms = 1');
    expect((await browser.post('/dashboard/join', body)).status).toBe(401);
    expect(await rowCounts()).toMatchObject({ members: 0, spent_challenges: 0 });
  });

  test('an answer signs in once, and not after its counter was used', async () => {
    const browser = await joined({}, true);
    const old = await browser.authenticator.sign(await browser.signInOptions());
    const challenge = browser.cookies.get('__Host-kefel_challenge') ?? '';
    distract(sql);
    const repeat = async () => {
      browser.cookies.set('__Host-kefel_challenge', challenge);
      return (await browser.post('/dashboard/sign-in', { credential: old })).status;
    };
    expect([await repeat(), await repeat()]).toEqual([200, 401]);
    advance(1);
    expect((await browser.signIn()).status).toBe(200);
  });

  test('a key is replaced once', async () => {
    const old = await apiKeyDigest(ALPHA.apiKeys.sandbox);
    const key = (formId: string) => ({
      apiKey: ALPHA.apiKeys.sandbox.replace(/.$/, formId),
      name: 'new',
      createdBy: 'Abebe',
      createdAtMs: 1,
      permissions: null,
      formId,
    });
    distract(sql, env.DB);
    await runBatch(env.DB, await rollApiKey(tenantOf(ALPHA), old, key('a'), 10));
    await runBatch(env.DB, await rollApiKey(tenantOf(ALPHA), old, key('b'), 20));
    const { results } = await env.DB.prepare(
      `SELECT form_id, expires_at_ms FROM api_keys
       WHERE digest = ?1 OR form_id IS NOT NULL ORDER BY form_id`,
    )
      .bind(old)
      .all();
    expect(results).toEqual([
      { form_id: null, expires_at_ms: 10 },
      { form_id: 'a', expires_at_ms: null },
    ]);
  });
});

test('a member who is removed meanwhile adds no passkey', async () => {
  const browser = await joined();
  const device = await SoftwareAuthenticator.create(ORIGIN);
  const asked = await browser.submit(`${PASSKEYS}/confirm`, { passkey: 'Tablet' });
  const [asking = ''] = (asked.headers.get('set-cookie') ?? '').split(';');
  const signed = await browser.authenticator.sign(await asked.json<RequestOptions>());
  const confirmed = { passkey: 'Tablet', credential: JSON.stringify(signed) };
  const offer = await browser.submit(`${PASSKEYS}/options`, confirmed, asking);
  const [cookie = ''] = (offer.headers.get('set-cookie') ?? '').split(';');
  const credential = JSON.stringify(await device.register(await offer.json<CreationOptions>()));
  distract('UPDATE members SET removed_at_ms = 1');
  const form = { passkey: 'Tablet', credential };
  expect((await browser.submit(PASSKEYS, form, cookie)).status).toBe(401);
  expect(await rowCounts()).toMatchObject({ passkeys: 1, spent_challenges: 2 });
});
