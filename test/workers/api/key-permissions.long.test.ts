import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { forgetDirectory } from '../../../src/engine/merchants/directory.ts';
import {
  type GrantedPermissions,
  KEY_PERMISSIONS,
  type KeyPermission,
  storedPermissions,
} from '../../../src/engine/merchants/key-permissions.ts';
import { apiRouter } from '../../../src/lists/api/router.ts';
import { ALPHA, answerOf, call, useGateway } from '../support.ts';

/**
 * Goal: a restricted key can do exactly what it was given (docs/decisions.md#37). Method: every route
 * with a key for each single permission, with none and with all.
 */

useGateway();

const SANDBOX = '/api/v1/payment/sandbox';

/** The permission of every route of the sandbox that needs a key. Null: any key will do. */
const ROUTES: readonly (readonly [method: string, path: string, KeyPermission | null])[] = [
  ['POST', `${SANDBOX}/intent`, 'payments_create'],
  ['POST', `${SANDBOX}/express/pay`, 'payments_create'],
  ['POST', '/api/v1/payment/express/sandbox/pay', 'payments_create'],
  ['GET', `${SANDBOX}/intents/x`, 'payments_read'],
  ['HEAD', `${SANDBOX}/intents/x`, 'payments_read'],
  ['GET', `${SANDBOX}/intent/x`, 'payments_read'],
  ['GET', `${SANDBOX}/checkout/x`, 'payments_read'],
  ['POST', `${SANDBOX}/intents/x/cancel`, 'payments_cancel'],
  ['POST', `${SANDBOX}/intent/cancel/x`, 'payments_cancel'],
  ['GET', `${SANDBOX}/intents`, 'payments_read'],
  ['POST', `${SANDBOX}/refunds`, 'refunds'],
  ['POST', `${SANDBOX}/refund`, 'refunds'],
  ['GET', `${SANDBOX}/refunds/x`, 'payments_read'],
  ['GET', `${SANDBOX}/refund/x`, 'payments_read'],
  ['POST', `${SANDBOX}/refunds/x/cancel`, 'refunds'],
  ['POST', `${SANDBOX}/refund/x/cancel`, 'refunds'],
  ['GET', `${SANDBOX}/refunds`, 'payments_read'],
  ['GET', `${SANDBOX}/events`, 'events'],
  ['GET', `${SANDBOX}/events/x`, 'events'],
  ['POST', `${SANDBOX}/events/x/resend`, 'events'],
  ['POST', `${SANDBOX}/events/resend`, 'events'],
  ['GET', `${SANDBOX}/banks`, null],
  ['GET', '/api/v1/payment/banks', null],
  ['GET', `${SANDBOX}/events/stream`, 'events'],
  ['GET', `${SANDBOX}/webhook-endpoints`, 'webhook_endpoints'],
  ['POST', `${SANDBOX}/webhook-endpoints`, 'webhook_endpoints'],
  ['GET', `${SANDBOX}/webhook-endpoints/x`, 'webhook_endpoints'],
  ['PATCH', `${SANDBOX}/webhook-endpoints/x`, 'webhook_endpoints'],
  ['DELETE', `${SANDBOX}/webhook-endpoints/x`, 'webhook_endpoints'],
  ['POST', `${SANDBOX}/webhook-endpoints/x/secret`, 'webhook_endpoints'],
];

async function restrict(granted: GrantedPermissions): Promise<void> {
  const sql = 'UPDATE api_keys SET permissions = ?';
  await env.DB.prepare(sql).bind(storedPermissions(granted)).run();
  forgetDirectory();
}

describe.each(ROUTES)('%s %s', (method, path, needed) => {
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
});

test('the table has every route of the API, and each needs a permission but those for everybody', () => {
  const isListed = (method: string, pattern: RegExp) =>
    ROUTES.some(([ofMethod, path]) => ofMethod === method && pattern.test(path));
  const keyless = /webhook-keys/;
  const missing = apiRouter.routes
    .map(([method, pattern]) => ({ method: method.toUpperCase(), pattern }))
    .filter(({ method, pattern }) => method !== 'HEAD' && !keyless.test(pattern.source))
    .filter(({ pattern }) => /sandbox/.test(pattern.source))
    .filter(({ method, pattern }) => !isListed(method, pattern));
  expect(missing).toEqual([]);
});

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
