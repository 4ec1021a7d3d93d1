import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { dashboard as english } from '../../../back-office/i18n/en/dashboard.ts';
import { KEYS_ACTIVE_MAX } from '../../../src/control/merchants/key-rules.ts';
import { apiKeyDigest } from '../../../src/engine/merchants/api-key.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import {
  ALPHA,
  advance,
  CREATE_PATHS,
  call,
  DAY_MS,
  HOUR_MS,
  hostedBody,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { type Browser, confirmed, joined, submitConfirmed } from './people-support.ts';
import { auditLog, type SignedIn, signedIn, submit, visit } from './support.ts';

/**
 * Goal: members create, roll, rename and revoke keys, the API obeys, and a key is shown in one
 * answer only. Method: forms of the dashboard, then requests of the API with the keys.
 */

useGateway();

const KEYS = '/dashboard/sandbox/keys';
const LIVE_KEYS = '/dashboard/production/keys';
const READ_ONLY = { access: 'restricted', may_payments_read: 'yes' };
/** A change of a key is in force everywhere after this time. */
const REVOKED_WITHIN_MS = 10 * SECOND_MS;

let payments = 0;

/** The API's status for a new payment with this key. */
async function pay(apiKey: string, environment: Environment = 'sandbox'): Promise<number> {
  payments += 1;
  const body = hostedBody({ paymentIntentUniqueId: `with-key-${payments}` });
  const path = CREATE_PATHS.hosted[environment];
  return (await call(path, { method: 'POST', apiKey, body })).status;
}

/** The id in the first form of a page, which can be sent only once. */
async function formIdOf(member: SignedIn, path = KEYS): Promise<string> {
  const html = await (await visit(member, path)).text();
  return /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

function keyIn(html: string): string {
  return /value="(kfl_(?:test|live)_[0-9A-Za-z]{49})"/.exec(html)?.[1] ?? '';
}

async function created(member: SignedIn, name = 'Web shop', path = KEYS): Promise<string> {
  const response = await submit(member, path, { name, form: await formIdOf(member, path) });
  expect(response.status).toBe(200);
  return keyIn(await response.text());
}

async function pathOf(apiKey: string, path = KEYS): Promise<string> {
  return `${path}/${await apiKeyDigest(apiKey)}`;
}

async function rolled(
  member: SignedIn,
  apiKey: string,
  overlap: string,
): Promise<{ readonly status: number; readonly html: string }> {
  const path = await pathOf(apiKey);
  const response = await submit(member, `${path}/roll`, {
    overlap,
    form: await formIdOf(member, path),
  });
  return { status: response.status, html: await response.text() };
}

async function allKeys(): Promise<unknown[]> {
  const { results } = await env.DB.prepare('SELECT * FROM api_keys ORDER BY digest').all();
  return results;
}

describe('decisions.md#37: a restricted key', () => {
  test('may do only what was chosen, which the list and the audit log say', async () => {
    const member = await signedIn('developer');
    const form = await formIdOf(member);
    const response = await submit(member, KEYS, { name: 'Report', form, ...READ_ONLY });
    const apiKey = keyIn(await response.text());
    expect(await pay(apiKey)).toBe(403);
    expect((await call('/api/v1/payment/sandbox/intents', { apiKey })).status).toBe(200);
    const list = await (await visit(member, KEYS)).text();
    expect(list).toMatch(/Report<\/bdi><span class="quiet small"> Read and list payments</);
    const [entry] = await auditLog();
    expect(JSON.parse(entry?.detail ?? '')).toEqual({
      name: 'Report',
      permissions: 'payments_read',
    });
  });

  test('is replaced by one with the permissions chosen then; the form offers the old ones', async () => {
    const member = await signedIn('developer');
    const form = await formIdOf(member);
    const response = await submit(member, KEYS, { name: 'Report', form, ...READ_ONLY });
    const path = await pathOf(keyIn(await response.text()));
    const page = await (await visit(member, path)).text();
    expect(page).toMatch(/name="may_payments_read" value="yes" checked/);
    expect(page).not.toMatch(/name="may_payments_create" value="yes" checked/);
    const rolledForm = { overlap: 'day', form: await formIdOf(member, path) };
    const replaced = await submit(member, `${path}/roll`, { ...rolledForm, access: 'full' });
    expect(await pay(keyIn(await replaced.text()))).toBe(200);
  });

  test.each([
    ['nothing', { access: 'restricted' }, 'Choose at least one permission'],
    ['everything and something', { access: 'full', may_events: 'yes' }, 'without "Only this"'],
    ['something without saying only', { may_events: 'yes' }, 'without "Only this"'],
    ['a key without a name', { access: 'restricted', may_events: 'yes', name: '' }, 'Enter a name'],
  ])(
    'is not created for %s, and the form keeps what was ticked',
    async (_name, fields, problem) => {
      const member = await signedIn('developer');
      const before = await allKeys();
      const form = await formIdOf(member);
      const response = await submit(member, KEYS, { name: 'Report', form, ...fields });
      expect(response.status).toBe(400);
      const html = (await response.text()).replaceAll('&quot;', '"');
      expect(html).toContain(problem);
      expect(html).toMatch(/class="error" id="(?:access-restricted|name)-error"/);
      // A form with any boxes ticked creates no key with more permissions.
      expect(html).toMatch(/value="restricted" checked/);
      expect(/name="may_events" value="yes" checked/.test(html)).toBe('may_events' in fields);
      expect(await allKeys()).toEqual(before);
    },
  );
});

describe('creating', () => {
  test.each(['sandbox', 'production'] as const)('a key of the %s opens its API', async (where) => {
    const browser = await joined();
    const member = await browser.member();
    const path = `/dashboard/${where}/keys`;
    const fields = { name: 'Web shop', form: await formIdOf(member, path) };
    const response =
      where === 'sandbox'
        ? await submit(member, path, fields)
        : await browser.submit(path, ...(await confirmed(browser, path, fields)));
    const apiKey = keyIn(await response.text());
    expect(apiKey).toMatch(where === 'sandbox' ? /^kfl_test_/ : /^kfl_live_/);
    expect(await pay(apiKey, where)).toBe(where === 'sandbox' ? 200 : 400);
    expect(await pay(apiKey, where === 'sandbox' ? 'production' : 'sandbox')).toBe(403);

    const entries = (await auditLog()).filter(({ action }) => action.startsWith('api_key'));
    const [entry, ...others] = entries;
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      merchant_id: ALPHA.id,
      environment: where,
      actor_id: member.memberId,
      action: 'api_key.created',
      target: `…${apiKey.slice(-4)}`,
    });
  });

  test('a key is shown in the answer to its form and nowhere else', async () => {
    const member = await signedIn();
    const response = await submit(member, KEYS, { name: 'A & B', form: await formIdOf(member) });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const html = await response.text();
    const apiKey = keyIn(html);
    expect(html.split(apiKey)).toHaveLength(2);

    const list = await (await visit(member, KEYS)).text();
    const one = await (await visit(member, await pathOf(apiKey))).text();
    for (const page of [list, one]) {
      expect(page).toContain('A &amp; B');
      expect(page).toContain(`kfl_test_…${apiKey.slice(-4)}`);
      expect(page).not.toContain(apiKey);
    }
    expect(JSON.stringify([await allKeys(), await auditLog()])).not.toContain(apiKey);
  });

  test('a form that is sent twice, even at once, creates one key', async () => {
    const member = await signedIn();
    const fields = { name: 'Twice', form: await formIdOf(member) };
    const answers = await Promise.all([1, 2, 3].map(() => submit(member, KEYS, fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const pages = await Promise.all(answers.map((answer) => answer.text()));
    expect(pages.map(keyIn).filter((key) => key !== '')).toHaveLength(1);
    expect(pages.filter((page) => page.includes(english.keys.problem.sent_twice))).toHaveLength(2);
    expect(await auditLog()).toHaveLength(1);
  });

  test.each([
    ['', english.keys.problem.missing],
    ['   ', english.keys.problem.missing],
    ['n'.repeat(101), 'at most 100 characters'],
    ['a\u200eb', 'visible characters'],
  ])('rejects the name %j with a message, and keeps it in the form', async (name, message) => {
    const member = await signedIn();
    const before = await allKeys();
    const response = await submit(member, KEYS, { name, form: await formIdOf(member) });
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain(message);
    expect(html).toContain('<a href="#name">');
    expect(html).toMatch(/aria-describedby="name-hint name-error"[^>]*aria-invalid="true"/);
    expect(html).toContain(name.trim() === '' ? 'name="name" value' : `value="${name.trim()}"`);
    expect(await allKeys()).toEqual(before);
  });

  test('limits the number of active keys, but not of all keys', async () => {
    const browser = await joined();
    const member = await browser.member();
    // The merchant already has one.
    const keys: string[] = [];
    for (let count = 1; count < KEYS_ACTIVE_MAX; count++) {
      keys.push(await created(member, `Key ${count}`));
    }
    const form = await formIdOf(member);
    const refused = await submit(member, KEYS, { name: 'One more', form });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain(english.keys.problem.too_many(KEYS_ACTIVE_MAX));

    expect((await rolled(member, keys[0] ?? '', 'day')).status).toBe(409);
    expect((await rolled(member, keys[0] ?? '', 'none')).status).toBe(200);
    await submit(member, `${await pathOf(keys[1] ?? '')}/revoke`);
    expect(await created(member, 'One more')).not.toBe('');
    // The other environment has its own limit.
    const live = { name: 'Live', form: await formIdOf(member, LIVE_KEYS), ...READ_ONLY };
    expect(keyIn(await (await submitConfirmed(browser, LIVE_KEYS, live)).text())).not.toBe('');
  });

  test('a form without its id changes nothing', async () => {
    const member = await signedIn();
    const before = await allKeys();
    for (const form of ['', 'x', 'x'.repeat(10_000)]) {
      expect((await submit(member, KEYS, { name: 'A', form })).status).toBe(403);
    }
    expect(await allKeys()).toEqual(before);
  });
});

describe('decisions.md#42: a production key', () => {
  const REFUNDS = { access: 'restricted', may_refunds: 'yes' };
  const formIn = async (browser: Browser, path = LIVE_KEYS) => ({
    name: 'Till',
    form: await formIdOf(await browser.member(), path),
  });
  /** The path of a new key. */
  const liveKeyOf = async (browser: Browser, access: Record<string, string>) => {
    const fields = { ...(await formIn(browser)), ...access };
    const response = await submitConfirmed(browser, LIVE_KEYS, fields);
    return pathOf(keyIn(await response.text()), LIVE_KEYS);
  };

  test('keeps the typed name in a form that is not confirmed', async () => {
    const browser = await joined({ role: 'developer' });
    const refused = await browser.submit(LIVE_KEYS, { ...(await formIn(browser)), ...READ_ONLY });
    const page = await refused.text();
    expect(page).toContain('No key was created. Confirm it with your own passkey');
    expect(page).toContain('value="Till"');
  });

  test.each<[string, Record<string, string>]>([
    ['full access', {}],
    ['refunds', REFUNDS],
  ])('with %s is no developer’s to create, nor to roll', async (_name, access) => {
    const browser = await joined({ role: 'developer' });
    const path = await liveKeyOf(await joined(), {});
    const before = await allKeys();
    for (const [action, page] of [
      [LIVE_KEYS, LIVE_KEYS],
      [`${path}/roll`, path],
    ] as const) {
      const fields = { ...(await formIn(browser, page)), ...access, overlap: 'none' };
      // A passkey does not help: the page says that an owner can.
      expect((await browser.submit(`${action}/options`, fields)).status).toBe(204);
      const refused = await browser.submit(action, fields);
      expect(refused.status).toBe(403);
      expect(await refused.text()).toContain('Only an owner can create a production key');
    }
    expect(await allKeys()).toEqual(before);
    const offered = await (await browser.get(path)).text();
    expect(offered).toMatch(/value="full" disabled/);
    expect(offered).toMatch(/name="may_refunds" value="yes" disabled/);
    expect(offered).toMatch(/name="may_payments_read" value="yes" checked/);
    const rest = { ...(await formIn(browser, path)), ...READ_ONLY, overlap: 'none' };
    const sent = await confirmed(browser, `${path}/roll`, rest);
    expect((await browser.submit(`${path}/roll`, ...sent)).status).toBe(200);
  });

  test.each<[string, string, Record<string, string>]>([
    ['a key of the sandbox', KEYS, { name: 'Test' }],
    ['a form whose answer says what is wrong', LIVE_KEYS, { name: 'x', access: 'restricted' }],
  ])('needs no passkey: %s', async (_name, path, fields) => {
    const browser = await joined();
    const offer = await browser.submit(`${path}/options`, fields);
    expect([offer.status, await offer.text()]).toEqual([204, '']);
  });
});

describe('rolling', () => {
  test.each([
    ['hour', HOUR_MS],
    ['day', DAY_MS],
    ['week', 7 * DAY_MS],
  ])(
    'both keys work during an overlap of one %s, then only the new one',
    async (overlap, overlapMs) => {
      const member = await signedIn();
      const old = await created(member);
      expect(await pay(old)).toBe(200);
      const { html } = await rolled(member, old, overlap);
      const fresh = keyIn(html);
      expect(fresh).not.toBe(old);
      expect(html).toContain('works until');

      expect([await pay(old), await pay(fresh)]).toEqual([200, 200]);
      advance(overlapMs - 3_000);
      expect([await pay(old), await pay(fresh)]).toEqual([200, 200]);
      // The isolate has just cached the key, but the cached entry ends with the key.
      advance(3_000);
      expect([await pay(old), await pay(fresh)]).toEqual([401, 200]);
      const list = await (await visit(await signedIn(), KEYS)).text();
      expect(list).toContain('Expired');
    },
  );

  test('rejects the old key within 10 s without an overlap', async () => {
    const member = await signedIn();
    const old = await created(member);
    expect(await pay(old)).toBe(200);
    const fresh = keyIn((await rolled(member, old, 'none')).html);
    advance(REVOKED_WITHIN_MS);
    expect([await pay(old), await pay(fresh)]).toEqual([401, 200]);
    const entry = (await auditLog()).at(-1);
    expect(entry).toMatchObject({
      action: 'api_key.rolled',
      target: `…${fresh.slice(-4)}`,
    });
    expect(JSON.parse(entry?.detail ?? '')).toMatchObject({ replaces: `…${old.slice(-4)}` });
  });

  test('a key is rolled once, even by two forms', async () => {
    const member = await signedIn();
    const old = await created(member);
    const path = await pathOf(old);
    const form = await formIdOf(member, path);
    const fields = { overlap: 'day', form };
    const answers = await Promise.all([1, 2].map(() => submit(member, `${path}/roll`, fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const before = await allKeys();
    const again = await submit(member, `${path}/roll`, {
      overlap: 'week',
      form: form.replace(/^./, '_'),
    });
    expect(again.status).toBe(409);
    expect(await again.text()).toContain(english.keys.problem.ended);
    expect(await allKeys()).toEqual(before);
    expect((await auditLog()).filter(({ action }) => action === 'api_key.rolled')).toHaveLength(1);
  });

  test('rejects a revoked key and an unknown overlap', async () => {
    const member = await signedIn();
    const apiKey = await created(member);
    const before = await allKeys();
    const form = await formIdOf(member);
    const path = await pathOf(apiKey);
    for (const overlap of ['', 'year', 'toString']) {
      const refused = await submit(member, `${path}/roll`, { overlap, form });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain(english.keys.problem.overlap);
    }
    expect(await allKeys()).toEqual(before);
    await submit(member, `${path}/revoke`);
    const revoked = await allKeys();
    expect((await submit(member, `${path}/roll`, { overlap: 'day', form })).status).toBe(409);
    expect(await allKeys()).toEqual(revoked);
  });
});

describe('revoking and renaming', () => {
  test('a revoked key is rejected within 10 s, and stays on the list', async () => {
    const member = await signedIn();
    const apiKey = await created(member);
    expect(await pay(apiKey)).toBe(200);
    const response = await submit(member, `${await pathOf(apiKey)}/revoke`);
    expect(response.headers.get('location')).toBe(`${KEYS}?done=revoked`);
    advance(REVOKED_WITHIN_MS);
    expect(await pay(apiKey)).toBe(401);
    const list = await (await visit(member, `${KEYS}?done=revoked`)).text();
    expect(list).toContain('within 10 seconds');
    expect(list).toContain('Revoked');
    // A second revocation changes nothing and is not recorded.
    await submit(member, `${await pathOf(apiKey)}/revoke`);
    const actions = (await auditLog()).map(({ action }) => action);
    expect(actions).toEqual(['api_key.created', 'api_key.revoked']);
  });

  test('a key is renamed', async () => {
    const member = await signedIn();
    const apiKey = await created(member);
    const path = await pathOf(apiKey);
    expect((await submit(member, `${path}/name`, { name: '' })).status).toBe(400);
    await submit(member, `${path}/name`, { name: 'Point of sale' });
    await submit(member, `${path}/name`, { name: 'Point of sale' });
    expect(await (await visit(member, KEYS)).text()).toContain('Point of sale');
    expect(await pay(apiKey)).toBe(200);
    expect((await auditLog()).map(({ action }) => action)).toEqual([
      'api_key.created',
      'api_key.renamed',
    ]);
  });
});

test('the list shows when a key was last used', async () => {
  const member = await signedIn();
  const apiKey = await created(member);
  const path = await pathOf(apiKey);
  expect(await (await visit(member, path)).text()).toContain(english.keys.never);
  await pay(apiKey);
  const usedAt = new Date().toISOString();
  await expect.poll(async () => (await visit(member, path)).text()).toContain(usedAt);
  const writes = vi.spyOn(env.DB, 'prepare');
  advance(3 * SECOND_MS);
  await pay(apiKey);
  expect(writes).not.toHaveBeenCalled();
});

test('a viewer sees names and last characters, and no way to change them', async () => {
  const apiKey = await created(await signedIn());
  const list = await (await visit(await signedIn('viewer'), KEYS)).text();
  expect(list).toContain('Web shop');
  expect(list).toContain(`…${apiKey.slice(-4)}`);
  expect(list).not.toContain(await apiKeyDigest(apiKey));
  expect(list).not.toContain('Create key');
});

test('a suspended merchant’s pages offer no change of keys', async () => {
  const member = await signedIn();
  const apiKey = await created(member);
  await env.DB.prepare("UPDATE merchants SET status = 'suspended'").run();
  expect(await (await visit(member, KEYS)).text()).not.toContain('Create key');
  expect(await (await visit(member, await pathOf(apiKey))).text()).not.toContain('Revoke key');
});

test.each(['x', 'A'.repeat(64), "' OR 1=1 --", '0'.repeat(5_000)])(
  'a key that does not exist is not found: %.20s',
  async (id) => {
    const path = `${KEYS}/${encodeURIComponent(id)}`;
    expect((await visit(await signedIn(), path)).status).toBe(404);
  },
);
