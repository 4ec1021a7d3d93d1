import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { tellMerchants } from '../../../src/control/watch/tell-merchants.ts';
import { listEndpoints } from '../../../src/engine/webhooks/endpoint-store.ts';
import { recordFailure } from '../../../src/engine/webhooks/failing-endpoints.ts';
import { auditEntry } from '../../../src/kit/audit/log.ts';
import { CHAT, connectChat, usePeople } from '../support/people.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  BETA,
  MINUTE_MS,
  runSql,
  tenantOf,
  useGateway,
} from '../support.ts';

/**
 * Goal: what needs a merchant, beside payments, reaches the people who asked for it, once
 * (docs/notifications.md#needs). Method: the look of the alerts' object, over rows as changes leave them.
 */

useGateway();
const people = usePeople();

const NEEDS = { needs: 'yes' };
const tenant = tenantOf(ALPHA);

async function look(afterMs = MINUTE_MS): Promise<void> {
  advance(afterMs);
  await tellMerchants(env, Date.now());
}

async function passkeyAdded(merchantId: string, name = 'Sara'): Promise<void> {
  advance(1);
  const actor = { kind: 'member', id: 'mem_x', name, address: null } as const;
  await runSql([
    auditEntry({
      actor,
      merchantId,
      environment: null,
      action: 'passkey.added',
      target: 'key_1',
      atMs: Date.now(),
    }),
  ]);
}

test('a new passkey is told once, and only to its merchant', async () => {
  await connectChat(NEEDS);
  await passkeyAdded(BETA.id, 'Kebede');
  await passkeyAdded(ALPHA.id);
  await look();
  await look();
  expect(people.messages()).toEqual([
    expect.stringMatching(/^Something needs you\nNew passkey of Sara(\nhttps:\S+)?$/),
  ]);
  await passkeyAdded(ALPHA.id, 'Hana');
  await look();
  expect(people.messages()).toHaveLength(2);
});

test('an endpoint is told when it has failed for an hour, without the path of its address', async () => {
  await addEndpoint(ALPHA, 'we_a', { url: 'https://a.example.com/secret-path' });
  await connectChat(NEEDS);
  await recordFailure(env.DB, tenant, { endpoint: 'we_a', error: 'HTTP 500', atMs: Date.now() });
  await look(59 * MINUTE_MS);
  expect(people.messages()).toEqual([]);
  await look(2 * MINUTE_MS);
  await look();
  expect(people.messages()).toEqual([
    expect.stringContaining('Webhooks fail for an hour: https://a.example.com'),
  ]);
  expect(people.messages()[0]).not.toContain('secret-path');
});

test('a lost message is sent again, and none after a day', async () => {
  await connectChat(NEEDS);
  await passkeyAdded(ALPHA.id);
  people.refusals.set(String(CHAT), { status: 500 });
  await look();
  people.refusals.clear();
  await look();
  expect(people.messages()).toHaveLength(1);
  await passkeyAdded(ALPHA.id, 'Hana');
  await look(25 * 60 * MINUTE_MS);
  expect(people.messages()).toHaveLength(1);
});

test('a chat that left is paused, and asked no more', async () => {
  await connectChat(NEEDS);
  await passkeyAdded(ALPHA.id);
  people.refusals.set(String(CHAT), { status: 403 });
  await look();
  const { length } = people.calls;
  await look();
  expect(people.calls).toHaveLength(length);
  expect(await listEndpoints(env.DB, tenant)).toMatchObject([{ pausedAtMs: expect.any(Number) }]);
});

test('who asked for payments alone, or for those of one link, is not told', async () => {
  await connectChat({});
  await connectChat({ ...NEEDS, link: 'stall-7' }, { id: 2, first_name: 'Abebe' });
  await passkeyAdded(ALPHA.id);
  await look();
  expect([...people.chats]).toEqual([]);
});
