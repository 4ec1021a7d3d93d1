import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { auditLog } from '../dashboard/support.ts';
import { operate, operateApi, SECRET, sendTo } from '../operator/support.ts';
import { ALPHA, CREATE_PATHS, call, hostedBody, useGateway } from '../support.ts';
import { configureRails, MPESA, noRail, railServer } from './support.ts';

/**
 * Goal: operators try a rail's credentials from the desk and by the API, a few times a minute, with
 * their name in the audit log. Method: M-PESA's token call; test/rails/probe.test.ts has all rails.
 */

configureRails({ RAIL_M_PESA_PRODUCTION: MPESA });
useGateway();

const PATH = '/operator/rails/production/M_PESA/probe';
const DESK = {
  authorization: `Bearer ${SECRET}`,
  'x-operator': 'Abebe',
  'sec-fetch-site': 'same-origin',
};

const token = () =>
  railServer(async () => Response.json({ access_token: 't', expires_in: '3599' }));
const refusal = () =>
  railServer(async () => Response.json({ resultCode: '999997' }, { status: 400 }));

async function page(path: string): Promise<string> {
  return (await operate(path, undefined, { authorization: null, headers: DESK })).text();
}

async function pressButton(): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page('/operator/rails'))?.[1] ?? '';
  return call(PATH, {
    method: 'POST',
    apiKey: null,
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ csrf }).toString(),
    headers: DESK,
  });
}

test('the API tells what the provider answered, and records who asked', async () => {
  const calls = refusal();
  const { status, text } = await operateApi('/rails/production/M_PESA/probe', {});
  expect(status).toBe(200);
  expect(JSON.parse(text).content).toEqual({
    environment: 'production',
    method: 'M_PESA',
    through: null,
    outcome: 'refused',
    call: 'token',
    status: 400,
    providerCode: '999997',
    settings: ['consumerKey', 'consumerSecret', 'baseUrl'],
  });
  expect(calls.map(({ url }) => new URL(url).pathname)).toEqual(['/v1/token/generate']);
  const entry = { environment: 'production', target: 'M_PESA' };
  expect(await auditLog()).toMatchObject([
    { ...entry, action: 'rail.probe_requested', detail: '{}' },
    {
      ...entry,
      action: 'rail.probed',
      detail: JSON.stringify({ outcome: 'refused', httpStatus: 400 }),
    },
  ]);
});

const THROUGH = { RAIL_M_PESA_PRODUCTION: JSON.stringify({ ...MPESA, through: 'VPC_ETHIO' }) };

test('a probe goes through the binding that the secret names, and says so', async () => {
  const direct = noRail();
  const calls: string[] = [];
  const network = {
    async fetch(url: string, init: RequestInit) {
      calls.push(`${init.method} ${url} ${init.redirect}`);
      return Response.json({ access_token: 't', expires_in: '3599' });
    },
  };
  const bindings = { ...env, ...THROUGH, VPC_ETHIO: network } as Env;
  const { status, text } = await probeWith(bindings);
  expect([status, JSON.parse(text).content]).toMatchObject([
    200,
    { outcome: 'accepted', through: 'VPC_ETHIO' },
  ]);
  const url = `${MPESA.baseUrl}/v1/token/generate?grant_type=client_credentials`;
  expect(calls).toEqual([`GET ${url} manual`]);
  expect(direct).toEqual([]);
});

test('a rail through a binding that the Worker lacks is not configured, and says why', async () => {
  const direct = noRail();
  const bindings = { ...env, ...THROUGH } as Env;
  expect((await probeWith(bindings)).status).toBe(409);
  const rails = await sendTo(bindings, '/operator/v1/rails', {
    headers: { authorization: `Bearer ${SECRET}` },
  });
  expect(await rails.text()).toContain('through: the Worker has no binding VPC_ETHIO');
  const create = await sendTo(bindings, CREATE_PATHS.hosted.production, {
    method: 'POST',
    headers: { apiKey: ALPHA.apiKeys.production, 'content-type': 'application/json' },
    body: JSON.stringify(hostedBody({ methods: ['M_PESA'] })),
  });
  expect([create.status, await create.text()]).toEqual([
    400,
    expect.stringContaining('M_PESA is not enabled'),
  ]);
  expect(direct).toEqual([]);
});

async function probeWith(bindings: Env) {
  const response = await sendTo(bindings, '/operator/v1/rails/production/M_PESA/probe', {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return { status: response.status, text: await response.text() };
}

test('a probe asks for a new token each time', async () => {
  const calls = token();
  await operateApi('/rails/production/M_PESA/probe', {});
  await operateApi('/rails/production/M_PESA/probe', {});
  expect(calls).toHaveLength(2);
});

test.each(['/rails/production/VISA/probe', '/rails/staging/M_PESA/probe'])(
  '%s is not found',
  async (path) => {
    noRail();
    expect((await operateApi(path, {})).status).toBe(404);
  },
);

test('more than a few probes a minute are refused without a call', async () => {
  const calls = noRail();
  const bindings: Env = {
    ...env,
    RATE_LIMITS: 'on',
    RAIL_PROBE_RATE_LIMIT: { limit: async () => ({ success: false }) },
  };
  const response = await sendTo(bindings, `/operator/v1/rails/production/M_PESA/probe`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
  expect(calls).toEqual([]);
  expect(await auditLog()).toEqual([]);
});

test('the desk offers a probe of a configured rail, and shows what it saw', async () => {
  token();
  expect((await page('/operator/rails')).match(/\/probe"/g)).toHaveLength(1);
  const response = await pressButton();
  expect(response.status).toBe(303);
  const location = response.headers.get('location') ?? '';
  const html = await page(location);
  for (const part of [
    'The provider accepts the secret.',
    'token, HTTP 200',
    'shortcode, passkey',
  ]) {
    expect(html).toContain(part);
  }
  expect(await page(`${location}&lang=am`)).toContain('አቅራቢው ምስጢሩን ተቀብሏል።');
  // A link cannot make the page show another result.
  expect(await page(`${location.slice(0, -4)}AAAA`)).not.toContain('HTTP 200');
  expect(await page('/operator/audit')).toContain('Provider connection checked');
});

test('the desk shows a refusal with the settings to check', async () => {
  refusal();
  const html = await page((await pressButton()).headers.get('location') ?? '');
  for (const part of ['Refused.', 'token, HTTP 400, 999997', 'consumerKey, consumerSecret']) {
    expect(html).toContain(part);
  }
  for (const secret of Object.values(MPESA).filter((value) => String(value).length > 4)) {
    expect(html).not.toContain(String(secret));
  }
});
