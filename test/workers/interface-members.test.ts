import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { type Answer, answerCall } from '../../src/interface/answer.ts';
import { listEndpoints } from '../../src/webhooks/endpoint-store.ts';
import { auditLog } from './dashboard-support.ts';
import { ALPHA, BETA, intentOf, payHosted, tenantOf, useGateway } from './support.ts';

/**
 * Goal: the holder of the back office's binding cannot pass the rules of the payments plane. Method:
 * calls as an intruder makes them, without a page, a form or a passkey before them.
 */

useGateway();

const TENANT = tenantOf(ALPHA);
/** The intruder claims to be a proved operator. */
const ACTOR = { kind: 'operator', id: 'x', name: 'X', isProved: true, address: null } as const;
const ENDPOINT = {
  url: 'https://merchant.example/hook',
  description: '',
  eventTypes: [],
  signatureHeader: '',
};
const ORIGIN = 'https://back-office.example';

function ask(area: string, name: string, ...args: readonly unknown[]): Promise<Answer> {
  const ctx = { waitUntil: () => undefined };
  return answerCall(env, ctx, [area, name], args);
}

function refund(tenant: unknown, changes: Readonly<Record<string, unknown>>): Promise<Answer> {
  const asked = {
    refundUniqueId: `rfd_${'0'.repeat(32)}`,
    transactionId: null,
    amountMinor: 100,
    reason: null,
    ...changes,
  };
  return ask('payments', 'refund', tenant, ACTOR, 'order-1', asked);
}

test.each([
  { refundUniqueId: 'mine' },
  { amountMinor: 0 },
  { amountMinor: -100 },
  { amountMinor: 0.5 },
  { amountMinor: '100' },
  { reason: 'x'.repeat(256) },
  { reason: 'two\nlines' },
])('refuses a refund that no form can ask for: %j', async (changes) => {
  await payHosted({ paymentIntentUniqueId: 'order-1' });
  await expect(refund(TENANT, changes)).rejects.toThrow('the refund was not rehearsed');
  expect((await intentOf('order-1')).refunds).toEqual([]);
});

test('refunds within the payment only, by a member, and records it', async () => {
  await payHosted({ paymentIntentUniqueId: 'order-1' });
  expect(await refund(TENANT, { amountMinor: 99_999_999 })).toMatchObject({
    value: { type: 'rejected', rejection: 'refund_too_large' },
  });
  expect(await refund(tenantOf(BETA), {})).toMatchObject({ value: { type: 'payment_not_found' } });
  expect(await refund(TENANT, {})).toMatchObject({ value: { type: 'accepted' } });
  expect((await intentOf('order-1')).refunds).toMatchObject([
    { requester: { type: 'member', memberId: 'x' } },
  ]);
  expect(await auditLog()).toMatchObject([
    { action: 'refund.requested', actor_kind: 'member' },
    { action: 'refund.requested', actor_kind: 'member' },
  ]);
});

test.each([
  { url: 'https://127.0.0.1/' },
  { url: ORIGIN },
  { url: 'javascript:alert(1)' },
  { eventTypes: ['EVERYTHING'] },
  { signatureHeader: 'Authorization' },
  { description: 'x'.repeat(201) },
])('adds no endpoint that no form can ask for: %j', async (changes) => {
  const typed = { ...ENDPOINT, ...changes };
  const call = ask('webhooks', 'createEndpoint', TENANT, ACTOR, typed, ORIGIN);
  await expect(call).rejects.toThrow('the endpoint was not checked');
  expect(await listEndpoints(env.DB, TENANT)).toEqual([]);
});

test('lets no secret overlap for longer than a form offers', async () => {
  const call = ask('webhooks', 'addSecret', TENANT, ACTOR, null, '100000');
  await expect(call).rejects.toThrow('no such overlap');
});

test.each([
  ['settings', 'createKey', ['Shop', { formId: 'a'.repeat(22), permissions: null }]],
  ['settings', 'changeBranding', [{ color: '#123456' }]],
  ['methods', 'setEnabled', ['TELE_BIRR', false]],
  ['lists', 'beginExport', [{}]],
] as const)('records %s.%s as the act of a member', async (area, name, args) => {
  expect(await ask(area, name, TENANT, ACTOR, ...args)).toMatchObject({ type: 'value' });
  expect(await auditLog()).toMatchObject([{ actor_kind: 'member', merchant_id: ALPHA.id }]);
});

test.each(['constructor', 'toString', '__proto__', 'nothing'])(
  'has no function called %s',
  async (name) => {
    await expect(ask('payments', name, TENANT)).rejects.toThrow('the interface has no');
    await expect(ask(name, 'read', TENANT)).rejects.toThrow('the interface has no');
  },
);
