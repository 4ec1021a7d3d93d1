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
  createHosted,
  execute,
  MINUTE_MS,
  resolveAttempt,
  runSql,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';
import { project, refundRequest } from './support.ts';

/**
 * Goal: what needs a merchant, beside payments, reaches the people who asked for it, once
 * (docs/notifications.md#needs). Method: the look of the alerts' object, over rows as changes leave them.
 */

const caught = useGateway();
const people = usePeople();

const NEEDS = { needs: 'yes' };
const tenant = tenantOf(ALPHA);

async function look(afterMs = MINUTE_MS): Promise<void> {
  advance(afterMs);
  await tellMerchants(env, Date.now());
}

async function passkeyAdded(merchantId: string, name = 'Sara', afterMs = 1): Promise<void> {
  advance(afterMs);
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

test('tells all news of one millisecond, also where a message is full', async () => {
  await connectChat(NEEDS);
  // A message has 20 lines: the last two happen at the same time as the twentieth.
  for (let index = 1; index <= 22; index += 1) {
    await passkeyAdded(ALPHA.id, `Member ${index}`, index > 20 ? 0 : 1);
  }
  await look();
  await look();
  const told =
    people
      .messages()
      .join('\n')
      .match(/Member \d+/g) ?? [];
  expect([told.length, new Set(told).size]).toEqual([22, 22]);
});

test('a payment that was paid twice is told once, also while other things of it change', async () => {
  await connectChat(NEEDS);
  await createHosted();
  await execute(startRedirect('a1'), { type: 'abandon_attempt', attemptId: 'a1' });
  // Newer news must not hide what happens to an older payment.
  await passkeyAdded(ALPHA.id);
  await look();
  await execute(startRedirect('a2'), resolveAttempt('a2', 'succeeded'));
  await execute(resolveAttempt('a1', 'succeeded'));
  await project(caught);
  await look();
  await execute(await refundRequest('r1'));
  await project(caught);
  await look();
  expect(people.messages().slice(1)).toEqual([
    expect.stringMatching(/^Something needs you\nLook at the payment order-1(\nhttps:\S+)?$/),
  ]);
});

test('an item without its payment’s name keeps back no other news', async () => {
  await connectChat(NEEDS);
  await passkeyAdded(ALPHA.id);
  await runSql([
    {
      sql: `INSERT INTO attention_item (environment, section, created_at_ms, id, merchant_id,
          payment_uuid, kind, revision, item)
        VALUES ('sandbox', 'anomaly', 1, 'x', ?1, 'uuid-1', 'money', 1, ?2)`,
      params: [ALPHA.id, JSON.stringify({ anomalyAtMs: Date.now() })],
    },
  ]);
  await look();
  expect(people.messages()).toEqual([
    expect.stringMatching(/New passkey of Sara\nLook at the payment uuid-1/),
  ]);
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

test('who asked for payments alone, or for those of one link or till, is not told', async () => {
  await connectChat({});
  await connectChat({ ...NEEDS, scope: 'till:mem_1' }, { id: 3, first_name: 'Abebe' });
  await connectChat({ ...NEEDS, scope: 'link:stall-7' }, { id: 2, first_name: 'Abebe' });
  await passkeyAdded(ALPHA.id);
  await look();
  expect([...people.chats]).toEqual([]);
});
