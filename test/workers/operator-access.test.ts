import { env } from 'cloudflare:workers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, describe, expect, it, test, vi } from 'vitest';
import { operatorRouter } from '../../back-office/operator/router.ts';
import { auditLog } from './dashboard-support.ts';
import {
  OLDER_SECRET,
  operate,
  operateApi,
  PERSONAL_SECRETS,
  refundByHand,
  SECRET,
  TWO_OPERATORS,
} from './operator-support.ts';
import { ALPHA, advance, LIMITED, logged, MINUTE_MS, SECOND_MS, useGateway } from './support.ts';

/**
 * Goal: only the operator gets in, by a secret and, where it is set up, Cloudflare Access. A
 * request without them costs neither a D1 query nor an object, and a browser's password opens only
 * the desk. Method: tables of headers, with our own key set behind a mocked
 * fetch for Access.
 */

useGateway();

function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

describe('the secret', () => {
  it.each<[string, string | null, number]>([
    ['the newest secret', `Bearer ${SECRET}`, 200],
    ['the previous secret', `Bearer ${OLDER_SECRET}`, 200],
    ['a scheme in small letters', `bearer ${SECRET}`, 200],
    ['nothing', null, 401],
    ['no scheme', SECRET, 401],
    ['another scheme', `Digest ${SECRET}`, 401],
    ["a browser's password", basic('Abebe', SECRET), 401],
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
      expect([path, answer.status]).toEqual([path, 401]);
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
      authorization: basic('Dawit', PERSONAL_SECRETS.Hana),
    });
    expect(await page.text()).toContain('<bdi>Hana (name proved)</bdi>');
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
    const authorization = basic('Abebe', SECRET);
    for (const [language, lang] of [
      ['en', 'en-ET'],
      ['am', 'am-ET'],
    ] as const) {
      const response = await operate(path, undefined, {
        authorization,
        headers: { 'accept-language': language },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const html = await response.text();
      expect(html).toContain(`<html lang="${lang}"`);
      expect(html).toContain(
        lang === 'en-ET' ? '<bdi>Abebe (name not proved)</bdi>' : '<bdi>Abebe (ስሙ አልተረጋገጠም)</bdi>',
      );
    }
  });

  test('asks a browser for a password and explains it', async () => {
    const response = await operate('/operator', undefined, { authorization: null });
    expect(response.status).toBe(401);
    // Two schemes in one header would keep Chromium from asking.
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="Kefel", charset="UTF-8"');
    expect(await response.text()).toContain('Operator sign-in');
  });

  it.each([
    ['a wrong secret', basic('Abebe', 'kfl_op_wrong')],
    ['no colon', `Basic ${btoa('Abebe')}`],
    ['no base64', 'Basic %%%'],
  ])('%s', async (_name, authorization) => {
    expect((await operate('/operator', undefined, { authorization })).status).toBe(401);
  });

  test('its password opens no route of the API', async () => {
    for (const [method, , , path = ''] of operatorRouter.routes) {
      if (!path.startsWith('/operator/v1') || method === 'HEAD') {
        continue;
      }
      const body = method === 'POST' ? {} : undefined;
      const answer = await operate(path, body, { authorization: basic('Abebe', SECRET) });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
    const posted = await operate('/operator', {}, { authorization: basic('Abebe', SECRET) });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await posted.text()).toContain('cannot be opened this way');
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
