import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import {
  type GrantedPermissions,
  KEY_PERMISSIONS,
  storedPermissions,
} from '../../../src/engine/merchants/key-permissions.ts';
import { ALPHA, answerOf, call, useGateway } from '../support.ts';
import { ROUTES } from './operations.ts';

/**
 * Goal: a restricted key can do exactly what it was given (docs/decisions.md#37). Method: every route
 * with a key for each single permission, with none and with all.
 */

useGateway();

const SANDBOX = '/api/v1/payment/sandbox';

const SANDBOX_ROUTES = ROUTES.filter(({ environment }) => environment === 'sandbox').map(
  ({ method, pathOf, permission }) => [method, pathOf('x'), permission] as const,
);

async function restrict(granted: GrantedPermissions): Promise<void> {
  const sql = 'UPDATE api_keys SET permissions = ?';
  await env.DB.prepare(sql).bind(storedPermissions(granted)).run();
  forgetDirectory();
}

describe.each([...SANDBOX_ROUTES, ['HEAD', `${SANDBOX}/intents/x`, 'payments_read'] as const])(
  '%s %s',
  (method, path, needed) => {
    test.each<[string, GrantedPermissions]>([
      ['no permission', []],
      ...KEY_PERMISSIONS.map(
        (permission) => [`only ${permission}`, [permission]] as [string, GrantedPermissions],
      ),
      ['all but the one it needs', KEY_PERMISSIONS.filter((permission) => permission !== needed)],
      ['every permission', KEY_PERMISSIONS],
      ['full access', null],
    ])('with %s', async (_name, granted) => {
      await restrict(granted);
      const isGranted = needed === null || granted === null || granted.includes(needed);
      const response = await call(path, { method, ...(method === 'POST' ? { body: '{' } : {}) });
      expect(response.status === 403).toBe(!isGranted);
      if (!isGranted && method !== 'HEAD') {
        expect(await response.json()).toMatchObject({
          code: 'permission_missing',
          message: expect.stringContaining(` ${needed}.`),
        });
      }
    });
  },
);

test('a key of the other environment is refused as such, even without permissions', async () => {
  await restrict([]);
  const { envelope } = await answerOf(
    call('/api/v1/payment/intent/x', { apiKey: ALPHA.apiKeys.sandbox }),
  );
  expect(envelope.code).toBe('api_key_wrong_environment');
});

test('a refused call creates nothing', async () => {
  await restrict(['payments_read']);
  const body = JSON.stringify({ paymentIntentUniqueId: 'order-1' });
  const refused = await call(`${SANDBOX}/intent`, { method: 'POST', body });
  expect(refused.status).toBe(403);
  expect((await answerOf(call(`${SANDBOX}/intent/order-1`))).status).toBe(404);
});
