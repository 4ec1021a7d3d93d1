import { env } from 'cloudflare:workers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, describe, expect, it, test, vi } from 'vitest';
import { operatorRouter } from '../../../back-office/operator/router.ts';
import { sha256Hex } from '../../../src/kit/crypto/encoding.ts';
import { auditLog } from '../dashboard/support.ts';
import {
  ALPHA,
  advance,
  call,
  LIMITED,
  logged,
  MINUTE_MS,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import {
  hiddenFields,
  OLDER_SECRET,
  operate,
  operateApi,
  PERSONAL_SECRETS,
  refundByHand,
  SECRET,
  TWO_OPERATORS,
} from './support.ts';

/**
 * Goal: only the operator gets in, by a secret and, where it is set up, Cloudflare Access. A
 * request without them costs neither a D1 query nor an object, and a browser's session opens only
 * the desk. Method: tables of headers, with our own key set behind a mocked
 * fetch for Access.
 */

useGateway();

const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

function signIn(fields: Readonly<Record<string, string>>, headers = OWN_PAGE): Promise<Response> {
  return call('/operator/sign-in', {
    method: 'POST',
    apiKey: null,
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(fields).toString(),
    headers,
  });
}

/** The cookie that an answer sets, as the browser sends it. */
function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function signedInCookie(name = 'Abebe', secret = SECRET): Promise<string> {
  return cookieOf(await signIn({ name, secret }));
}

function withCookie(path: string, cookie: string, headers: Readonly<Record<string, string>> = {}) {
  return operate(path, undefined, { authorization: null, headers: { ...headers, cookie } });
}

const DIGEST = await sha256Hex(SECRET);

describe('the secret', () => {
  it.each<[string, string | null, number]>([
    ['the newest secret', `Bearer ${SECRET}`, 200],
    ['the previous secret', `Bearer ${OLDER_SECRET}`, 200],
    ['a scheme in small letters', `bearer ${SECRET}`, 200],
    ['nothing', null, 401],
    ['no scheme', SECRET, 401],
    ['another scheme', `Digest ${SECRET}`, 401],
    ["a browser's password", `Basic ${btoa(`Abebe:${SECRET}`)}`, 401],
    ['an unknown secret', `Bearer kfl_op_${'x'.repeat(43)}`, 401],
    ['a truncated secret', `Bearer ${SECRET.slice(0, -1)}`, 401],
    ['both, joined as in the configuration', `Bearer ${SECRET},${OLDER_SECRET}`, 401],
    ['a merchant-like key', `Bearer kfl_live_${'n'.repeat(49)}`, 401],
    ['a megabyte', `Bearer ${'n'.repeat(1_000_000)}`, 401],
  ])('%s', async (_name, authorization, status) => {
    const answer = await operateApi('/banks', undefined, { authorization });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.envelope.message).toEqual(expect.any(String));
    }
  });

  test('a request without the secret reaches neither D1 nor an object, and learns no path', async () => {
    const prepare = vi.spyOn(env.DB, 'prepare');
    const membersPrepare = vi.spyOn(env.BACK_OFFICE_DB, 'prepare');
    const batch = vi.spyOn(env.DB, 'batch');
    const object = vi.spyOn(env.PAYMENT_INTENT, 'get');
    const paths = operatorRouter.routes.flatMap(([method, , , path = '']) =>
      method === 'GET' || method === 'POST' ? [[method, path] as const] : [],
    );
    expect(paths.length).toBeGreaterThan(25);
    for (const [method, path] of paths) {
      const body = method === 'POST' ? {} : undefined;
      const answer = await operate(path, body, { authorization: 'Bearer kfl_op_wrong' });
      // The page that asks for the secret is open to all, and takes only its own form.
      const status = method === 'GET' ? 200 : 403;
      const expected = path === '/operator/sign-in' ? status : 401;
      expect([path, answer.status]).toEqual([path, expected]);
    }
    expect(prepare).not.toHaveBeenCalled();
    expect(membersPrepare).not.toHaveBeenCalled();
    expect(batch).not.toHaveBeenCalled();
    expect(object).not.toHaveBeenCalled();
  });

  test('failed tries are rate-limited by address, and the right secret is not', async () => {
    const limit = vi.spyOn(env.FAILED_KEY_RATE_LIMIT, 'limit');
    limit.mockResolvedValue({ success: false });
    const banks = (secret: string) =>
      operateApi('/banks', undefined, {
        authorization: `Bearer ${secret}`,
        headers: { 'cf-connecting-ip': '192.0.2.7' },
        bindings: LIMITED,
      });
    const refused = await banks('kfl_op_wrong');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(limit).toHaveBeenCalledExactlyOnceWith({ key: 'operator/192.0.2.7' });
    expect((await banks(SECRET)).status).toBe(200);
  });

  it.each([
    ['none', ''],
    ['a short one', 'kfl_op_short'],
    ['another form', 'n'.repeat(50)],
    ['one good and one short', `${SECRET},kfl_op_short`],
    ['too many', Array.from({ length: 21 }, (_, index) => SECRET + index).join(',')],
    ['one of two people', `Hana:${SECRET},Dawit:${SECRET}`],
    ['one and its digest', `Hana:${SECRET},Dawit:sha256-${DIGEST}`],
    ['a short digest', 'Hana:sha256-00'],
    ['one with an empty name', `:${SECRET}`],
    ['one with a name that is too long', `${'x'.repeat(101)}:${SECRET}`],
  ])(
    "%s in the configuration disables only the operator's side, and the log names the variable",
    async (_name, secrets) => {
      const bindings = { ...env, OPERATOR_SECRETS: secrets };
      expect((await operateApi('/banks', undefined, { bindings })).status).toBe(500);
      expect(logged.join()).toContain('ConfigError: OPERATOR_SECRETS');
      expect(logged.join()).not.toContain(SECRET);
    },
  );
});

describe('the name of the operator', () => {
  const actor = async () => (await auditLog()).at(-1)?.actor_id;
  const bank = { code: 'NEW', name: 'New Bank', supportsWithdrawal: true };

  it.each([
    ['none', {}, 'operator'],
    ['a plain one', { 'x-operator': 'Abebe K' }, 'Abebe K'],
    ['an encoded one', { 'x-operator': encodeURIComponent('አበበ') }, 'አበበ'],
  ])('%s', async (_name, headers, name) => {
    expect((await operateApi('/banks', bank, { headers })).status).toBe(200);
    expect(await actor()).toBe(name);
  });

  test('comes from the secret that only one person has, not from the request', async () => {
    const authorization = `Bearer ${PERSONAL_SECRETS.Hana}`;
    const headers = { 'x-operator': 'Dawit' };
    expect((await operateApi('/banks', bank, { authorization, headers })).status).toBe(200);
    expect(await actor()).toBe('Hana');
    const page = await operate('/operator', undefined, {
      authorization,
      headers,
    });
    expect(await page.text()).toContain('<bdi>Hana (name proved)</bdi>');
  });

  test('comes from the digest of a secret, with which no one signs in', async () => {
    const digest = `sha256-${await sha256Hex(PERSONAL_SECRETS.Hana)}`;
    const bindings = { ...env, OPERATOR_SECRETS: `Hana:${digest}` };
    const create = (secret: string) =>
      operateApi('/banks', bank, { authorization: `Bearer ${secret}`, bindings });
    expect((await create(digest)).status).toBe(401);
    expect((await create(PERSONAL_SECRETS.Hana)).status).toBe(200);
    expect(await actor()).toBe('Hana');
  });

  it.each([
    ['too long', 'x'.repeat(101)],
    ['a line break', encodeURIComponent('a\nb')],
  ])('%s is rejected', async (_name, name) => {
    const answer = await operateApi('/banks', bank, { headers: { 'x-operator': name } });
    expect(answer.status).toBe(400);
    expect(await actor()).toBeUndefined();
  });
});

describe('the desk', () => {
  it.each([
    '/operator',
    '/operator/payments',
    '/operator/merchants',
    `/operator/merchants/${ALPHA.id}`,
    `/operator/merchants/${ALPHA.id}/invite`,
    '/operator/dead-letters',
    '/operator/rails',
    '/operator/audit',
    '/operator/health',
  ])('%s opens in a browser with name and secret, in two languages', async (path) => {
    const cookie = await signedInCookie();
    for (const [language, lang] of [
      ['en', 'en-ET'],
      ['am', 'am-ET'],
    ] as const) {
      const response = await withCookie(path, cookie, { 'accept-language': language });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const html = await response.text();
      expect(html).toContain(`<html lang="${lang}"`);
      expect(html).toContain(
        lang === 'en-ET' ? '<bdi>Abebe (name not proved)</bdi>' : '<bdi>Abebe (ስሙ አልተረጋገጠም)</bdi>',
      );
    }
  });

  test('asks a browser for the secret, without the prompt of Basic authorization', async () => {
    const response = await operate('/operator/rails?a=1', undefined, { authorization: null });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const html = await response.text();
    expect(html).toContain('Operator sign-in');
    expect(html).toContain('name="next" value="/operator/rails?a=1"');
  });

  it.each([
    ['a page of the desk', '/operator/rails?a=1', '/operator/rails?a=1'],
    ['nothing', '', '/operator'],
    ['another site', '//evil.example/operator', '/operator'],
    ['another area', '/dashboard', '/operator'],
    ['a backslash and another site', '/\\evil.example', '/operator'],
    ['the sign-in page', '/operator/sign-in', '/operator'],
  ])('leads back after signing in, from %s', async (_name, next, location) => {
    const response = await signIn({ name: 'Abebe', secret: SECRET, next });
    expect([response.status, response.headers.get('location')]).toEqual([303, location]);
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-kefel_desk=\S+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  it.each<[string, Record<string, string>, Record<string, string>, number]>([
    ['a wrong secret', { secret: `kfl_op_${'x'.repeat(43)}` }, OWN_PAGE, 401],
    ['no secret', {}, OWN_PAGE, 401],
    ['a form of another site', { secret: SECRET }, { 'sec-fetch-site': 'cross-site' }, 403],
    ['a name with a line break', { secret: SECRET, name: 'a\nb' }, OWN_PAGE, 400],
  ])('signs no one in with %s', async (_name, fields, headers, status) => {
    const next = '/operator/rails';
    const response = await signIn({ ...fields, next }, headers as typeof OWN_PAGE);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([status, null]);
    if (status === 401) {
      expect(await response.text()).toContain(`name="next" value="${next}"`);
    }
  });

  test('a session opens no route of the API, and changes nothing without the token of a page', async () => {
    const headers = { cookie: await signedInCookie(), ...OWN_PAGE };
    for (const [method, , , path = ''] of operatorRouter.routes) {
      if (!path.startsWith('/operator/v1') || method === 'HEAD') {
        continue;
      }
      const body = method === 'POST' ? {} : undefined;
      const answer = await operate(path, body, { authorization: null, headers });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
    const changed = await operate('/operator/check', {}, { authorization: null, headers });
    expect(changed.status).toBe(403);
    const posted = await operate('/operator', {}, { authorization: null, headers });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await posted.text()).toContain('cannot be opened this way');
  });

  test('signs out', async () => {
    const cookie = await signedInCookie();
    const html = await (await withCookie('/operator', cookie)).text();
    const response = await call('/operator/sign-out', {
      method: 'POST',
      apiKey: null,
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(hiddenFields(html)).toString(),
      headers: { cookie, ...OWN_PAGE },
    });
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/operator/sign-in?done=signed_out',
    ]);
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-kefel_desk=; .*Max-Age=0;/);
  });

  test('ends after half an hour without use, and after 12 hours in any case', async () => {
    let cookie = await signedInCookie();
    const visit = async () => {
      const response = await withCookie('/operator', cookie);
      cookie = cookieOf(response) || cookie;
      return response.status;
    };
    const first = cookie;
    for (let visits = 0; visits < 12 * 60; visits += 29) {
      expect(await visit()).toBe(200);
      advance(29 * MINUTE_MS);
    }
    expect((await withCookie('/operator', first)).status).toBe(401);
    expect(await visit()).toBe(401);

    cookie = await signedInCookie();
    advance(30 * MINUTE_MS);
    expect(await visit()).toBe(401);
  });

  test('keeps a cookie short, whatever the owner of a secret types as the name', async () => {
    const cookie = await signedInCookie('x'.repeat(5_000), PERSONAL_SECRETS.Hana);
    expect(cookie.length).toBeLessThan(500);
    expect(await (await withCookie('/operator', cookie)).text()).toContain('Hana (name proved)');
  });

  test('ends with its secret', async () => {
    const cookie = await signedInCookie('Abebe', OLDER_SECRET);
    expect((await withCookie('/operator', cookie)).status).toBe(200);
    const rotated = { ...env, OPERATOR_SECRETS: SECRET };
    const headers = { cookie };
    const options = { authorization: null, headers, bindings: rotated };
    expect((await operate('/operator', undefined, options)).status).toBe(401);
  });

  test('takes no cookie that it did not sign', async () => {
    const [name, value = ''] = (await signedInCookie()).split('=');
    for (const forged of [`${value}A`, value.replace(/^[^.]+/, 'other'), 'x', '']) {
      expect((await withCookie('/operator', `${name}=${forged}`)).status).toBe(401);
    }
  });
});

describe('Cloudflare Access', async () => {
  const TEAM = 'example.cloudflareaccess.com';
  const AUDIENCE = 'a'.repeat(64);
  const ours = await generateKeyPair('RS256', { extractable: true });
  const others = await generateKeyPair('RS256', { extractable: true });
  const keySet = { keys: [{ ...(await exportJWK(ours.publicKey)), kid: 'k1', alg: 'RS256' }] };
  const access = { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_AUDIENCE: AUDIENCE };
  const guarded = (): Env => ({ ...env, ...access });
  let visits = 0;
  let fetched: string[] = [];
  /** What the address of the team's keys answers. */
  let answer: () => Response;

  beforeEach(() => {
    fetched = [];
    answer = () => Response.json(keySet);
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      fetched.push(new Request(input).url);
      return answer();
    });
  });

  interface TokenOptions {
    readonly issuer?: string;
    readonly audience?: string;
    readonly expiresInMs?: number;
    readonly key?: CryptoKey;
    readonly keyId?: string;
    readonly claims?: Record<string, string>;
  }

  function token(options: TokenOptions = {}): Promise<string> {
    const { issuer = `https://${TEAM}`, audience = AUDIENCE, expiresInMs = MINUTE_MS } = options;
    const {
      key = ours.privateKey,
      keyId = 'k1',
      claims = { email: 'abebe@example.com' },
    } = options;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: keyId })
      .setIssuer(issuer)
      .setAudience([audience])
      .setIssuedAt(new Date())
      .setExpirationTime(new Date(Date.now() + expiresInMs))
      .sign(key);
  }

  function visit(assertion: string | null, secret = SECRET, bindings = guarded()) {
    visits += 1;
    const bank = { code: `NEW${visits}`, name: 'New Bank', supportsWithdrawal: true };
    const token = assertion === null ? {} : { 'cf-access-jwt-assertion': assertion };
    return operate('/operator/v1/banks', bank, {
      authorization: `Bearer ${secret}`,
      headers: { 'x-operator': 'another person', ...token },
      bindings,
    });
  }

  it.each<[string, TokenOptions, string]>([
    ['a person', {}, 'abebe@example.com'],
    ['a service', { claims: { common_name: 'deploy.access' } }, 'deploy.access'],
  ])('%s with secret and token is recorded by their own name', async (_name, options, name) => {
    expect((await visit(await token(options))).status).toBe(200);
    expect((await auditLog()).at(-1)?.actor_id).toBe(name);
  });

  it.each([
    ['a person', { email: 'abebe@example.com' }, SECRET, 200],
    ['a service', { common_name: 'deploy.access' }, SECRET, 403],
    // Else its owner could confirm as a second name what the own email address proposed.
    ['a service with a personal secret', { common_name: 'a' }, PERSONAL_SECRETS.Hana, 403],
  ])(
    '%s decides about refunds that need two operators: %o',
    async (_name, claims, secret, status) => {
      await refundByHand();
      const path = `/operator/v1/payments/sandbox/${ALPHA.id}/order-1/refunds/r1/resolve`;
      const decision = { outcome: 'not_returned', note: 'x' };
      const response = await operate(path, decision, {
        authorization: `Bearer ${secret}`,
        headers: { 'cf-access-jwt-assertion': await token({ claims }) },
        bindings: { ...TWO_OPERATORS, ...access },
      });
      expect(response.status).toBe(status);
      const { content } = await response.json<{ content: { refunds?: { proposal: unknown }[] } }>();
      const proposal = content?.refunds?.[0]?.proposal ?? null;
      const proposed = { operator: 'abebe@example.com', provedBy: 'access' };
      expect(proposal).toEqual(status === 200 ? expect.objectContaining(proposed) : null);
    },
  );

  it.each<[string, () => Promise<string | null>]>([
    ['none', async () => null],
    ['an expired one', () => token({ expiresInMs: -MINUTE_MS })],
    ['one for another application', () => token({ audience: 'b'.repeat(64) })],
    ['one of another team', () => token({ issuer: 'https://other.cloudflareaccess.com' })],
    ['one of another signer', () => token({ key: others.privateKey })],
    ['one without a name', () => token({ claims: {} })],
    ['garbage', async () => 'a.b.c'],
    ['a megabyte', async () => 'a'.repeat(1_000_000)],
  ])('token: %s', async (_name, make) => {
    const response = await visit(await make());
    expect([response.status, (await auditLog()).length]).toEqual([401, 0]);
  });

  test('a token without the secret opens nothing and fetches no keys', async () => {
    expect((await visit(await token(), 'kfl_op_wrong')).status).toBe(401);
    expect(fetched).toEqual([]);
  });

  test('keeps the keys for ten minutes, and fetches a rotated key at most every 30 s', async () => {
    const domain = 'rotating.cloudflareaccess.com';
    const visitAs = async (key: CryptoKey, keyId: string) => {
      const assertion = await token({ issuer: `https://${domain}`, key, keyId });
      const bindings = { ...guarded(), ACCESS_TEAM_DOMAIN: domain };
      return [(await visit(assertion, SECRET, bindings)).status, fetched.length];
    };
    expect(await visitAs(ours.privateKey, 'k1')).toEqual([200, 1]);
    expect(await visitAs(ours.privateKey, 'k1')).toEqual([200, 1]);
    const rotated = { ...(await exportJWK(others.publicKey)), kid: 'k2', alg: 'RS256' };
    answer = () => Response.json({ keys: [rotated] });
    advance(29 * SECOND_MS);
    expect(await visitAs(others.privateKey, 'k2')).toEqual([401, 1]);
    advance(SECOND_MS);
    expect(await visitAs(others.privateKey, 'k2')).toEqual([200, 2]);
    expect(await visitAs(ours.privateKey, 'k1')).toEqual([401, 2]);
    answer = () => new Response(null, { status: 500 });
    advance(10 * MINUTE_MS - SECOND_MS);
    expect(await visitAs(others.privateKey, 'k2')).toEqual([200, 2]);
    advance(SECOND_MS);
    expect(await visitAs(others.privateKey, 'k2')).toEqual([503, 3]);
    expect(new Set(fetched)).toEqual(new Set([`https://${domain}/cdn-cgi/access/certs`]));
  });

  it.each<[string, () => Response]>([
    [
      'no connection',
      () => {
        throw new TypeError('network');
      },
    ],
    ['an error', () => Response.json(keySet, { status: 500 })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/' } })],
    ['no JSON', () => new Response('<html>')],
    ['no key set', () => Response.json({ keys: 'none' })],
  ])('answers 503 when the keys’ address gives %s', async (_name, given) => {
    answer = given;
    const elsewhere = { ...guarded(), ACCESS_TEAM_DOMAIN: 'down.cloudflareaccess.com' };
    const issuer = 'https://down.cloudflareaccess.com';
    const response = await visit(await token({ issuer }), SECRET, elsewhere);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it.each([
    ['only the team', { ACCESS_TEAM_DOMAIN: TEAM }, 'ACCESS_AUDIENCE'],
    ['only the audience', { ACCESS_AUDIENCE: AUDIENCE }, 'ACCESS_TEAM_DOMAIN'],
    ['a URL', { ACCESS_TEAM_DOMAIN: `https://${TEAM}`, ACCESS_AUDIENCE: AUDIENCE }, 'ACCESS_TEAM'],
  ])('%s in the configuration rejects everyone', async (_name, vars, message) => {
    expect((await visit(await token(), SECRET, { ...env, ...vars })).status).toBe(500);
    expect(logged.join()).toContain(`ConfigError: ${message}`);
  });
});
