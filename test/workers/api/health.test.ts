import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import type { BackOfficeEnv } from '../../../back-office/env.ts';
import backOffice from '../../../back-office/index.ts';
import payments from '../../../src/index.ts';
import { VERSION_HEADER } from '../../../src/kit/http/common-headers.ts';
import type { BothEnv } from '../../support/gateway.ts';
import { ORIGIN } from '../support.ts';

/**
 * Goal: docs/decisions.md#61: any uptime monitor can ask each Worker whether it works, at no cost and
 * without learning anything. Method: requests to both Workers, whose bindings may not be used.
 */

const USED = ['FAILED_KEY_RATE_LIMIT', 'VERSION'];

/** Fails the test when the Worker uses a database, an object, a queue or another Worker. */
function withoutParts(variables: Partial<BothEnv> = {}): BothEnv {
  return new Proxy({ ...env, ...variables } as BothEnv, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'object' && !USED.includes(String(name))) {
        throw new Error(`asked for ${String(name)}`);
      }
      return value;
    },
  });
}

type Ask = (method: string, bindings: BothEnv, address?: string) => Promise<Response>;

function asking(worker: 'payments' | 'backOffice', path: string): Ask {
  return async (method, bindings, address = '192.0.2.7') => {
    const headers = { 'cf-connecting-ip': address };
    const request = new Request(`${ORIGIN}${path}`, { method, headers }) as never;
    const ctx = createExecutionContext();
    return worker === 'payments'
      ? payments.fetch(request, bindings, ctx)
      : backOffice.fetch(request, bindings as BackOfficeEnv, ctx);
  };
}

describe.each<[name: string, ask: Ask, broken: Partial<BothEnv>]>([
  ['the payments Worker', asking('payments', '/health'), { LINK_SIGNING_KEYS: 'k1:c2hvcnQ=' }],
  ['the back office', asking('backOffice', '/health'), { BACK_OFFICE_KEYS: 'k1:c2hvcnQ=' }],
  [
    'the back office on a shared host',
    asking('backOffice', '/dashboard/health'),
    { BACK_OFFICE_KEYS: 'k1:c2hvcnQ=' },
  ],
])('decisions.md#61: the health of %s', (_name, ask, broken) => {
  test('is ok, without a version, and uses no part of the gateway', async () => {
    const response = await ask('GET', withoutParts());
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.has('x-request-id')).toBe(true);
    expect(response.headers.has(VERSION_HEADER)).toBe(false);
  });

  test('answers HEAD like GET, without a body', async () => {
    const response = await ask('HEAD', withoutParts());
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('is misconfigured while a secret is malformed, and names none', async () => {
    const response = await ask('GET', withoutParts(broken));
    expect([response.status, await response.json()]).toEqual([503, { status: 'misconfigured' }]);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const response = await ask(method, withoutParts());
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test.each([{}, broken])("is limited by the client's network, also with %j", async (variables) => {
    const limit = vi.spyOn(env.FAILED_KEY_RATE_LIMIT, 'limit');
    limit.mockResolvedValue({ success: false });
    const limited = withoutParts({ RATE_LIMITS: 'on', ...variables });
    const response = await ask('GET', limited, '2001:db8::1');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await response.json()).toEqual({ status: 'limited' });
    expect(limit).toHaveBeenCalledExactlyOnceWith({ key: 'health:2001:db8:0:0::/64' });
    limit.mockRestore();
  });
});
