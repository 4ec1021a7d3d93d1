import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { revokeApiKey } from '../../../src/control/merchants/change-keys.ts';
import { configOf } from '../../../src/engine/config.ts';
import { apiKeyDigest, generateApiKey } from '../../../src/engine/merchants/api-key.ts';
import { signLink } from '../../../src/kit/crypto/link-token.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import {
  ALPHA,
  advance,
  answerOf,
  BETA,
  CREATE_PATHS,
  call,
  chooseMethod,
  clientOf,
  createHosted,
  hostedBody,
  intentOf,
  logged,
  postForm,
  reachedObjects,
  runSql,
  SECOND_MS,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';
import { ROUTES, type Route } from './operations.ts';

/**
 * Goal: docs/promises.md#8 and docs/decisions.md#9, #29: a foreign key or link reaches nothing of a
 * merchant or environment, and a request without either touches no object. Method: every route with
 * every wrong key, every page with every wrong link, and a count of the objects before and after.
 */

useGateway();

const UNKNOWN_KEYS = {
  sandbox: await unknownKey('sandbox'),
  production: await unknownKey('production'),
};

function unknownKey(environment: Environment): Promise<string> {
  return generateApiKey(configOf(env).dataEncryptionKeys, environment, new Uint8Array(32).fill(99));
}

/** Keys that open nothing, each for the route's environment. */
const WRONG_KEYS: readonly [string, (environment: Environment) => string | null, number][] = [
  ['no key', () => null, 401],
  ['an empty key', () => '', 401],
  ['a malformed key', () => 'hunter2', 401],
  ['a key with a wrong checksum', (environment) => broken(ALPHA.apiKeys[environment]), 401],
  [
    'a key in the other letter case',
    (environment) => ALPHA.apiKeys[environment].toUpperCase(),
    401,
  ],
  ['a digest instead of a key', () => 'a'.repeat(64), 401],
  ['an unknown key', (environment) => UNKNOWN_KEYS[environment], 401],
  ['a revoked key', (environment) => ALPHA.revokedApiKeys[environment], 401],
  [
    'the key of the other environment',
    (environment) => ALPHA.apiKeys[environment === 'sandbox' ? 'production' : 'sandbox'],
    403,
  ],
];

function broken(apiKey: string): string {
  return apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0');
}

function objectIds(): string[] {
  return reachedObjects().map(String).sort();
}

/** Ids of objects with rows: an object that was only read has none. */
async function storedIds(): Promise<string[]> {
  const stored: string[] = [];
  for (const id of reachedObjects()) {
    const tables = await runInDurableObject(
      env.PAYMENT_INTENT.get(id),
      (_instance, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'record'").toArray().length,
    );
    if (tables > 0) {
      stored.push(String(id));
    }
  }
  return stored.sort();
}

test.each(WRONG_KEYS)(
  'decisions.md#9, promises.md#8: every route answers %s with the envelope and touches nothing',
  async (_name, keyFor, expected) => {
    await createHosted();
    const before = { ids: objectIds(), intent: await intentOf() };
    for (const { pathOf, method, environment, permission, body } of ROUTES) {
      const path = pathOf('order-1');
      const apiKey = keyFor(environment);
      const { status, text, envelope, headers } = await answerOf(
        call(path, { method, apiKey, body: body?.('order-1') }),
      );
      // The bank list belongs to no environment: any valid key opens it.
      const isOpened = permission === null && expected === 403;
      expect({ path, status }).toEqual({ path, status: isOpened ? 200 : expected });
      if (!isOpened) {
        expect(envelope.status).toBe(expected);
      }
      expect(headers.has('x-request-id')).toBe(true);
      expect(text).not.toContain('order-1');
    }
    expect({ ids: objectIds(), intent: await intentOf() }).toEqual(before);
  },
);

test('decisions.md#9: rejects the wrong key before it parses the body', async () => {
  for (const { sandbox } of Object.values(CREATE_PATHS)) {
    for (const body of ['{', 'x'.repeat(200_000), JSON.stringify(hostedBody())]) {
      expect((await call(sandbox, { method: 'POST', apiKey: null, body })).status).toBe(401);
    }
  }
});

test("promises.md#8: a merchant's status and cancel calls for unknown ids store nothing", async () => {
  const before = await storedIds();
  const isOfPayment = ({ thing, environment }: Route) =>
    thing === 'payment' && environment === 'sandbox';
  for (const { pathOf, method, body } of ROUTES.filter(isOfPayment)) {
    const answer = await call(pathOf('order-none'), { method, body: body?.('order-none') });
    await answer.body?.cancel();
  }
  const invalid = hostedBody({ amount: 0, paymentIntentUniqueId: 'order-invalid' });
  await call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: invalid });
  expect(await storedIds()).toEqual(before);
});

test('promises.md#8: a merchant id with a slash cannot name a foreign object', async () => {
  await createHosted({ paymentIntentUniqueId: 'x' });
  // "sandbox/mer_alpha/x" cannot be written as an id of another tenant, because each part is
  // escaped.
  for (const id of ['../mer_alpha/x', '/x', 'mer_alpha/x', 'sandbox/mer_alpha/x']) {
    const { status } = await answerOf(call(statusPath(id), { apiKey: BETA.apiKeys.sandbox }));
    expect(status).toBe(404);
  }
});

test.each(['sandbox', 'production'] as const)(
  'decisions.md#9: a revocation takes effect within 10 s (%s)',
  async (environment) => {
    const tenant = tenantOf(ALPHA, environment);
    const path = statusPath('order-none', environment);
    const apiKey = ALPHA.apiKeys[environment];
    expect((await call(path, { apiKey })).status).toBe(404);
    await runSql([revokeApiKey(tenant, await apiKeyDigest(apiKey), Date.now())]);
    advance(10 * SECOND_MS);
    expect((await call(path, { apiKey })).status).toBe(401);
    // The other environment's key still works.
    const other = environment === 'sandbox' ? 'production' : 'sandbox';
    const otherPath = statusPath('order-none', other);
    expect((await call(otherPath, { apiKey: ALPHA.apiKeys[other] })).status).toBe(404);
  },
);

test('decisions.md#9: a revocation takes effect within 10 s although the key is in constant use', async () => {
  const apiKey = ALPHA.apiKeys.sandbox;
  const statuses: number[] = [];
  const revokedAtMs = Date.now();
  expect((await call(statusPath('order-none'))).status).toBe(404);
  await runSql([revokeApiKey(tenantOf(ALPHA), await apiKeyDigest(apiKey), revokedAtMs)]);
  while (Date.now() < revokedAtMs + 10 * SECOND_MS) {
    advance(500);
    const response = await call(statusPath('order-none'));
    await response.body?.cancel();
    statuses.push(response.status);
  }
  expect(statuses.at(-1)).toBe(401);
  // A rejected key is never accepted again.
  expect(statuses.slice(statuses.indexOf(401)).every((status) => status === 401)).toBe(true);
});

test('decisions.md#9: the keys of a suspended merchant are 401 within 10 s', async () => {
  expect((await call(statusPath('order-none'))).status).toBe(404);
  await runSql([
    { sql: "UPDATE merchants SET status = 'suspended' WHERE id = ?1", params: [ALPHA.id] },
  ]);
  advance(10 * SECOND_MS);
  expect((await call(statusPath('order-none'))).status).toBe(401);
  expect((await call(statusPath('order-none'), { apiKey: BETA.apiKeys.sandbox })).status).toBe(404);
});

test('decisions.md#9: accepts the header in any letter case', async () => {
  for (const name of ['apiKey', 'apikey', 'APIKEY', 'ApiKey']) {
    const response = await call(statusPath('order-none'), {
      apiKey: null,
      headers: { [name]: ALPHA.apiKeys.sandbox },
    });
    expect(response.status).toBe(404);
  }
});

/** Base64url without its padding. */
function encoded(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Wrong links, made from two genuine ones. */
async function wrongTokens(own: string, ofOtherPurpose: string): Promise<[string, string][]> {
  const dot = own.indexOf('.');
  const flipped = [dot + 1, dot + 20, own.length - 10].map((index) => {
    const changed = own[index] === 'A' ? 'B' : 'A';
    return own.slice(0, index) + changed + own.slice(index + 1);
  });
  const foreignKey = { keyId: 't1', base64: btoa('f'.repeat(32)) };
  const { objectName } = clientOf();
  const checkout = await signLink([foreignKey], 'checkout', { objectName, index: 0 });
  const attempt = await signLink([foreignKey], 'attempt', { objectName, index: 0 });
  return [
    ['one bit of the object id changed', flipped[0] ?? ''],
    ['the middle changed', flipped[1] ?? ''],
    ['the MAC changed', flipped[2] ?? ''],
    ['cut short', own.slice(0, -4)],
    ['lengthened', `${own}AAAA`],
    ['without a key id', own.slice(dot)],
    ['of an unknown key id', `zz${own.slice(dot)}`],
    ['only a key id', own.slice(0, dot + 1)],
    ['signed with a foreign key for a checkout', checkout],
    ['signed with a foreign key for an attempt', attempt],
    ['of another purpose', ofOtherPurpose],
    ['the object id itself', objectName],
    ['random bytes', `t1.${encoded(crypto.getRandomValues(new Uint8Array(65)))}`],
    ['zeros', `t1.${encoded(new Uint8Array(65))}`],
    ['with padding', `${own}=`],
    ['ten thousand characters', `t1.${'A'.repeat(10_000)}`],
    ['an unpaired percent sign', '%'],
  ];
}

test('promises.md#8: no page and no callback opens with a link that we did not sign for it', async () => {
  const checkoutUrl = await createHosted();
  const checkoutToken = checkoutUrl.split('/').at(-1) ?? '';
  const attemptToken = await chooseMethod(checkoutUrl);
  const read = await clientOf().read();
  const before = { ids: objectIds(), read };

  const get = (path: string) => () => call(path, { apiKey: null });
  const choice = { method: 'TELE_BIRR', attempts: '1' };
  const outcome = { outcome: 'approve' };
  const pages = (token: string) => ({
    checkout: {
      page: get(`/checkout/${token}`),
      attempts: () => postForm(`/checkout/${token}/attempts`, choice),
      abandon: () => postForm(`/checkout/${token}/abandon`, { attempt: 'x' }),
      'way back': () => postForm(`/checkout/${token}/give-up`, {}),
    },
    attempt: {
      simulator: get(`/simulator/${token}`),
      callback: () => postForm(`/rails/simulator/${token}`, outcome),
      'callback of another rail': () => postForm(`/rails/telebirr/${token}`, outcome),
    },
  });
  const links = [
    ...(await wrongTokens(checkoutToken, attemptToken)).map((wrong) => ['checkout', ...wrong]),
    ...(await wrongTokens(attemptToken, checkoutToken)).map((wrong) => ['attempt', ...wrong]),
  ] as ['checkout' | 'attempt', string, string][];
  for (const [purpose, name, token] of links) {
    for (const [page, open] of Object.entries(pages(token)[purpose])) {
      const response = await open();
      const text = await response.text();
      expect({ page, name, status: response.status }).toEqual({ page, name, status: 404 });
      // A provider's server reads no page.
      const type = page === 'callback of another rail' ? /^text\/plain/ : /^text\/html/;
      expect(response.headers.get('content-type')).toMatch(type);
      expect(text).not.toContain(ALPHA.name);
      expect(text).not.toContain('order-1');
    }
  }
  expect({ ids: objectIds(), read: await clientOf().read() }).toEqual(before);
});

test('promises.md#9: a genuine link at the address of another rail changes nothing', async () => {
  const attemptToken = await chooseMethod(await createHosted());
  const before = await intentOf();
  for (const rail of ['telebirr', 'Simulator', '', '..']) {
    const response = await postForm(`/rails/${rail}/${attemptToken}`, { outcome: 'approve' });
    await response.body?.cancel();
    expect(response.status).toBe(404);
  }
  expect(await intentOf()).toEqual(before);
});

test('promises.md#9: a signed link to an unknown attempt changes nothing', async () => {
  await createHosted();
  const before = await intentOf();
  const { objectName } = clientOf();
  const keys = configOf(env).linkSigningKeys;
  const token = await signLink(keys, 'attempt', { objectName, index: 3 });
  const response = await postForm(`/rails/simulator/${token}`, { outcome: 'approve' });
  expect(response.status).toBe(404);
  expect((await call(`/simulator/${token}`, { apiKey: null })).status).toBe(404);
  expect(await intentOf()).toEqual(before);
});

test('promises.md#8: a link of one payment acts on that payment only', async () => {
  const [one, two] = [
    await createHosted(),
    await createHosted({ paymentIntentUniqueId: 'order-2' }),
  ];
  const untouched = await intentOf('order-2');
  const token = await chooseMethod(one);
  await (await postForm(`/rails/simulator/${token}`, { outcome: 'approve' })).body?.cancel();
  expect((await intentOf('order-1')).status).toBe('succeeded');
  expect(await intentOf('order-2')).toEqual(untouched);
  expect(two).not.toBe(one);
});

test("promises.md#10: no log contains a key, a secret, a phone number or a merchant's link", async () => {
  const changes = { customerInfo: { phone: '911234567', email: 'almaz@example.com' } };
  const checkoutUrl = await createHosted(changes);
  const attemptToken = await chooseMethod(checkoutUrl);
  await postForm(`/rails/simulator/${attemptToken}`, { outcome: 'approve' });
  await call(CREATE_PATHS.hosted.sandbox, { method: 'POST', body: hostedBody(changes) });
  await call(statusPath('order-1'), { apiKey: UNKNOWN_KEYS.sandbox });
  expect(logged.length).toBeGreaterThan(0);
  for (const secret of [
    ...Object.values(ALPHA.apiKeys),
    ...Object.values(UNKNOWN_KEYS),
    ALPHA.webhookSecret,
    '911234567',
    'almaz',
    attemptToken,
    checkoutUrl,
  ]) {
    expect(logged.join('\n')).not.toContain(secret);
  }
});
