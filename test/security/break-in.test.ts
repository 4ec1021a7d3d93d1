import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Reading, sealPlace } from '../../src/control/audit/readings.ts';
import { type Answer, answerCall } from '../../src/control/rpc/answer.ts';
import { configOf } from '../../src/engine/config.ts';
import { listEndpoints } from '../../src/engine/webhooks/endpoint-store.ts';
import { cursorText } from '../../src/kit/platform/paging.ts';
import { interfaceCalls } from '../support/interface-calls.ts';
import { auditLog } from '../workers/dashboard/support.ts';
import { atTelebirr } from '../workers/operator/support.ts';
import { playRails, TELEBIRR } from '../workers/rails/scenes.ts';
import { attemptNow, configureRails, intentNow } from '../workers/rails/support.ts';
import {
  ALPHA,
  BETA,
  clientOf,
  DAY_MS,
  intentOf,
  payHosted,
  tenantOf,
  useGateway,
} from '../workers/support.ts';

/**
 * Goal: an intruder with every binding and secret of the back office gets no further than the
 * interface's own rules (SECURITY.md). Method: calls of the interface as an intruder makes them, as
 * operators of invented names and as members, without a page, a form or a passkey before them.
 * `test/unit/project/planes.test.ts` holds the bindings.
 */

configureRails({ RAIL_TELE_BIRR_PRODUCTION: TELEBIRR });
useGateway();

const TENANT = tenantOf(ALPHA, 'production');
const PAYMENT = clientOf('order-1', TENANT);

beforeEach(() => {
  playRails();
});

function ask(area: string, name: string, ...args: readonly unknown[]): Promise<Answer> {
  return answerCall(env, { waitUntil: () => undefined }, [area, name], args);
}

async function resolve(name: string): Promise<Answer> {
  const { reference: attemptId } = await attemptNow(PAYMENT);
  return ask(
    'operator',
    'resolveAttempt',
    { kind: 'operator', id: name, name, isProved: true, address: null },
    { ...TENANT, uniqueId: 'order-1', attemptId },
    { outcome: 'succeeded', receipt: 'R-1', note: 'Seen', resolutionId: crypto.randomUUID() },
  );
}

const statusNow = async () => (await intentNow(PAYMENT)).status;

describe('a payment is recorded as paid', () => {
  test('above the limit, only by two people: two spellings of one name are one', async () => {
    await atTelebirr(ALPHA, 'order-1', { items: [], amount: 900_000 });
    expect(await resolve('mallory@x.et')).toMatchObject({ type: 'value' });
    expect(await resolve('Mallory+2@X.et')).toMatchObject({ code: 'second_operator_needed' });
    expect(await statusNow()).toBe('processing');
  });

  test('only with an entry in the audit log, before anything changes', async () => {
    await atTelebirr(ALPHA);
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: no audit log');
    });
    expect(await resolve('Mallory')).toMatchObject({ type: 'unavailable' });
    vi.restoreAllMocks();
    expect(await statusNow()).toBe('processing');
  });
});

test('answers of the interface hold no secret of the payments plane', async () => {
  await atTelebirr(ALPHA);
  const names = [
    'LINK_SIGNING_KEYS',
    'DATA_ENCRYPTION_KEYS',
    'BACKUP_KEYS',
    'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
    'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
  ] as const;
  const secrets = [
    ...names.map((name) => env[name].replace(/^\w+:/, '')),
    ...Object.values(TELEBIRR).filter((value) => String(value).length > 20),
  ].map(String);
  const answers: string[] = [];
  for (const [area, calls] of Object.entries(interfaceCalls(TENANT, 'order-1'))) {
    for (const [name, args] of Object.entries<readonly unknown[]>(calls)) {
      answers.push(JSON.stringify(await ask(area, name, ...args).catch(String)));
    }
  }
  const all = answers.join('\n');
  // So the payment and its merchant were read.
  expect(all).toContain('order-1');
  expect(all).toContain(ALPHA.name);
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  expect(await statusNow()).toBe('processing');
});

describe('as a member', () => {
  const SANDBOX = tenantOf(ALPHA);
  /** The intruder claims to be a proved operator. */
  const ACTOR = { kind: 'operator', id: 'x', name: 'X', isProved: true, address: null } as const;
  const ENDPOINT = {
    url: 'https://merchant.example/hook',
    description: '',
    eventTypes: [],
    signatureHeader: '',
  };
  const ORIGIN = 'https://back-office.example';

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
    await expect(refund(SANDBOX, changes)).rejects.toThrow(/not rehearsed|do not fit/);
    expect((await intentOf('order-1')).refunds).toEqual([]);
  });

  test('refunds within the payment only, by a member, and records it', async () => {
    await payHosted({ paymentIntentUniqueId: 'order-1' });
    expect(await refund(SANDBOX, { amountMinor: 99_999_999 })).toMatchObject({
      value: { type: 'rejected', rejection: 'refund_too_large' },
    });
    expect(await refund(tenantOf(BETA), {})).toMatchObject({
      value: { type: 'payment_not_found' },
    });
    expect(await refund(SANDBOX, {})).toMatchObject({ value: { type: 'accepted' } });
    expect((await intentOf('order-1')).refunds).toMatchObject([
      { requester: { type: 'member', memberId: 'x' } },
    ]);
    expect(await auditLog()).toMatchObject([
      { action: 'refund.requested', actor_kind: 'member' },
      { detail: expect.stringContaining('"refused":"refund_too_large"') },
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
    const call = ask('webhooks', 'createEndpoint', SANDBOX, ACTOR, typed, ORIGIN);
    await expect(call).rejects.toThrow('the endpoint was not checked');
    expect(await listEndpoints(env.DB, SANDBOX)).toEqual([]);
  });

  test('lets no secret overlap for longer than a form offers', async () => {
    const call = ask('webhooks', 'addSecret', SANDBOX, ACTOR, null, '100000');
    await expect(call).rejects.toThrow('the arguments do not fit');
  });

  test.each([
    ['settings', 'createKey', ['Shop', { formId: 'a'.repeat(22), permissions: null }]],
    ['settings', 'changeBranding', [{ color: '#123456' }]],
    ['methods', 'setEnabled', ['TELE_BIRR', false]],
    ['lists', 'exported', [{}, 'full', null]],
    ['lists', 'statement', [{ fromDay: 0, toDay: 1 }, null]],
  ] as const)('records %s.%s as the act of a member', async (area, name, args) => {
    expect(await ask(area, name, SANDBOX, ACTOR, ...args)).toMatchObject({ type: 'value' });
    expect(await auditLog()).toMatchObject([{ actor_kind: 'member', merchant_id: ALPHA.id }]);
  });

  test('gets no page of an export whose first page it has not asked for', async () => {
    await payHosted({ paymentIntentUniqueId: 'order-1' });
    const asOther = { ...ACTOR, id: 'y' };
    const days = { fromDay: 0, toDay: 1 };
    const reading: Reading = {
      config: configOf(env),
      nowMs: Date.now(),
      scope: [SANDBOX.environment, SANDBOX.merchantId, ACTOR.id, 'payments', {}, 'masked'],
    };
    const place = cursorText({ direction: 'older', atMs: Date.now() + DAY_MS, id: '1' });
    const given = await sealPlace(reading, { begunAtMs: Date.now(), place: null }, place);
    const old = await sealPlace(
      reading,
      { begunAtMs: Date.now() - DAY_MS - 1, place: null },
      place,
    );
    for (const [name, ...args] of [
      ['exported', SANDBOX, ACTOR, {}, 'masked', place],
      ['exported', SANDBOX, ACTOR, {}, 'masked', ''],
      ['exported', SANDBOX, ACTOR, {}, 'masked', old],
      ['exported', SANDBOX, ACTOR, {}, 'full', given],
      ['exported', SANDBOX, ACTOR, { status: 'failed' }, 'masked', given],
      ['exported', SANDBOX, asOther, {}, 'masked', given],
      ['exported', TENANT, ACTOR, {}, 'masked', given],
      ['exported', tenantOf(BETA), ACTOR, {}, 'masked', given],
      ['statement', SANDBOX, ACTOR, days, given],
      ['statement', SANDBOX, ACTOR, days, 'refunded '],
    ] as const) {
      expect(await ask('lists', name, ...args)).toMatchObject({ code: 'validation_failed' });
    }
    expect(await auditLog()).toEqual([]);
    expect(await ask('lists', 'exported', SANDBOX, ACTOR, {}, 'masked', given)).toMatchObject({
      value: { rows: expect.anything() },
    });
  });
});
