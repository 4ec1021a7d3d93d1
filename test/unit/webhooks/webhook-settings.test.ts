import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  forgetWebhookSettings,
  webhookSecretContext,
  webhookSettings,
} from '../../../src/engine/webhooks/settings.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { database, ENDPOINT, environment, secret, tenant } from '../../support/webhook-consumer.ts';

/** Goal: a tenant's endpoints and secrets, and no other's, are in force within 5 s. */

beforeEach(forgetWebhookSettings);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('webhook settings (decisions.md#17, #19)', () => {
  const startMs = 1_000_000;

  test("are the tenant's own: endpoints and secrets in force, newest first", async () => {
    const { d1, addEndpoint, addHeader, addSecret } = database();
    addHeader('x-plugin');
    addHeader('x-other', { ...tenant, environment: 'production' });
    addHeader('x-other', { ...tenant, merchantId: 'm2' });
    addEndpoint({ eventTypes: ['PAYMENT_FAILED'], isEnabled: false, signatureHeader: 'x-shop' });
    addEndpoint({ endpointId: 'we_2' });
    addEndpoint({ endpointId: 'we_3' }, { ...tenant, environment: 'production' });
    await addSecret(secret(6), 6, null, tenant, 'we_1');
    await addSecret(secret(7), 7, null, tenant, 'we_1');
    await addSecret(secret(1), 1, startMs + 1);
    await addSecret(secret(2), 2);
    await addSecret(secret(3), 3, startMs);
    await addSecret(secret(4), 4, null, { ...tenant, environment: 'production' });
    await addSecret(secret(5), 5, null, { ...tenant, merchantId: 'm2' });
    expect(await webhookSettings(environment(null, d1), tenant, startMs)).toEqual({
      secrets: [secret(2), secret(1)],
      signatureHeader: 'x-plugin',
      endpoints: new Map([
        [
          'we_1',
          {
            ...ENDPOINT,
            eventTypes: ['PAYMENT_FAILED'],
            isEnabled: false,
            signatureHeader: 'x-shop',
            secrets: [secret(7), secret(6)],
          },
        ],
        ['we_2', { ...ENDPOINT, endpointId: 'we_2', secrets: [] }],
      ]),
      failing: new Map(),
    });
  });

  test('are cached for 5 s, with one query each', async () => {
    const { d1, calls, addEndpoint } = database();
    const env = environment(null, d1);
    await webhookSettings(env, tenant, startMs);
    addEndpoint({});
    expect((await webhookSettings(env, tenant, startMs + 4_999)).endpoints.size).toBe(0);
    expect(calls.queries).toBe(1);
    expect((await webhookSettings(env, tenant, startMs + 5_000)).endpoints.size).toBe(1);
    expect(calls.queries).toBe(2);
  });

  test('are cached for each merchant and environment', async () => {
    const { d1, addSecret } = database();
    const env = environment(null, d1);
    const tenants: readonly Tenant[] = [
      tenant,
      { ...tenant, merchantId: 'm2' },
      { ...tenant, environment: 'production' },
    ];
    for (const [index, owner] of tenants.entries()) {
      await addSecret(secret(index), index, null, owner);
    }
    for (const [index, owner] of tenants.entries()) {
      expect((await webhookSettings(env, owner, startMs)).secrets).toEqual([secret(index)]);
    }
  });

  test.each([
    ['another tenant', webhookSecretContext({ ...tenant, merchantId: 'm2' })],
    ['another endpoint', webhookSecretContext(tenant, 'we_2')],
    ['the environment', webhookSecretContext(tenant)],
  ])(
    'contain no secret that was copied from %s, and the log does not show it',
    async (_name, stolen) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const { d1, addEndpoint, addSecret } = database();
      addEndpoint({});
      await addSecret(secret(1), 1, null, tenant, 'we_1', stolen);
      const settings = await webhookSettings(environment(null, d1), tenant, startMs);
      expect(settings.endpoints.get('we_1')?.secrets).toEqual([]);
      expect(logged).toHaveBeenCalledOnce();
      expect(String(logged.mock.calls[0])).not.toContain('whsec');
    },
  );
});
