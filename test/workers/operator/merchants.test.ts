import { env } from 'cloudflare:workers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findInvitation } from '../../../back-office/members/invitations.ts';
import { railStates } from '../../../src/control/health/rails.ts';
import { forgetRails } from '../../../src/engine/rails/settings.ts';
import { requestRefund } from '../../../src/engine/refunds/request.ts';
import { webhookSettings } from '../../../src/engine/webhooks/settings.ts';
import { sha256Hex } from '../../../src/kit/crypto/encoding.ts';
import { auditLog, membersCall, signedIn } from '../dashboard/support.ts';
import { EBIRR, secretsOf } from '../rails/support.ts';
import {
  ALPHA,
  advance,
  answerOf,
  BETA,
  DAY_MS,
  logged,
  ORIGIN,
  payHosted,
  postHosted,
  tenantOf,
  useGateway,
} from '../support.ts';
import { content, operateApi } from './support.ts';

/**
 * Goal: the operator creates merchants, changes their settings and reads them back. Each change is
 * in the audit log, and a rejected one changes nothing. Method: requests to the API.
 */

useGateway();

interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly members: number;
  readonly sandbox: Settings;
  readonly production: Settings;
}

interface Settings {
  readonly methods: readonly {
    method: string;
    offered: boolean;
    enabled: boolean;
    basisPoints: number;
  }[];
  readonly limitsMinor: Record<string, number>;
  readonly apiKeys: number;
}

const read = (id: string) => content<Merchant>(operateApi(`/merchants/${id}`));

function usable({ methods }: Settings): readonly string[] {
  return methods.filter((one) => one.offered && one.enabled).map(({ method }) => method);
}

async function lastAudit() {
  const row = (await auditLog()).at(-1);
  return row && { ...row, detail: JSON.parse(row.detail) };
}

describe('a new merchant', () => {
  test('gets what was requested, a webhook secret in each environment, and an entry in the log', async () => {
    const merchant = await content<Merchant>(
      operateApi('/merchants', {
        name: '  Abebe Coffee ',
        id: 'abebe',
        methods: ['TELE_BIRR', 'M_PESA'],
        commissions: [{ method: 'M_PESA', basisPoints: 150, fixedMinor: 100 }],
      }),
    );
    expect(merchant).toMatchObject({
      id: 'abebe',
      name: 'Abebe Coffee',
      status: 'active',
      members: 0,
    });
    for (const environment of ['sandbox', 'production'] as const) {
      const { methods, apiKeys } = merchant[environment];
      // No rail of production has a secret here; the sandbox needs none.
      const state = { offered: environment === 'sandbox', enabled: environment === 'sandbox' };
      expect(methods.filter(({ method }) => ['TELE_BIRR', 'M_PESA'].includes(method))).toEqual([
        { method: 'TELE_BIRR', ...state, basisPoints: 0, fixedMinor: 0 },
        { method: 'M_PESA', ...state, basisPoints: 150, fixedMinor: 100 },
      ]);
      expect(apiKeys).toBe(0);
      const { secrets } = await webhookSettings(env, { environment, merchantId: 'abebe' });
      expect(secrets).toEqual([expect.stringMatching(/^whsec_/)]);
    }
    expect(await lastAudit()).toMatchObject({
      merchant_id: 'abebe',
      actor_kind: 'operator',
      action: 'merchant.created',
      detail: { name: 'Abebe Coffee', methods: 'TELE_BIRR M_PESA', productionMethods: '' },
    });
  });

  test('is offered in production what has a rail with a valid secret; the operator offers the rest later', async () => {
    const secrets = secretsOf({ RAIL_E_BIRR_PRODUCTION: EBIRR, RAIL_M_PESA_PRODUCTION: {} });
    Object.assign(env, secrets);
    forgetRails();
    onTestFinished(() => {
      for (const name of Object.keys(secrets)) {
        Reflect.deleteProperty(env, name);
      }
      forgetRails();
    });
    const { production } = await content<Merchant>(
      operateApi('/merchants', { name: 'Two', id: 'two' }),
    );
    expect(usable(production)).toEqual(['E_BIRR']);
    expect(production.methods.some(({ enabled, offered }) => enabled && !offered)).toBe(false);
    const offer = '/merchants/two/production/methods/TELE_BIRR/offer';
    const settings = await content<Settings>(operateApi(offer, { offered: true }));
    expect(usable(settings)).toEqual(['TELE_BIRR', 'E_BIRR']);
  });

  test('needs only a name', async () => {
    const { id, sandbox } = await content<Merchant>(operateApi('/merchants', { name: 'Two' }));
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(sandbox.methods.every(({ offered }) => offered)).toBe(true);
  });

  test('is rejected under an id that is taken', async () => {
    const before = await read(ALPHA.id);
    const { status, envelope } = await operateApi('/merchants', { name: 'Two', id: ALPHA.id });
    expect([status, envelope.message]).toEqual([409, `The merchant ${ALPHA.id} already exists`]);
    expect(await read(ALPHA.id)).toEqual(before);
    expect(await auditLog()).toEqual([]);
  });
});

describe('the list of merchants', () => {
  test('lists page by page, newest first, each once', async () => {
    for (const id of ['m1', 'm2', 'm3']) {
      advance(1);
      await operateApi('/merchants', { name: id, id });
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: { items: Merchant[]; nextCursor: string | null } = await content(
        operateApi(`/merchants?limit=2${query}`),
      );
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['m3', 'm2', 'm1', BETA.id, ALPHA.id]);
  });
});

describe('a merchant', () => {
  test('that is suspended has no valid key within 10 s, until it is reactivated', async () => {
    const pay = async (id: string) => (await postHosted({ paymentIntentUniqueId: id })).status;
    expect(await pay('before')).toBe(200);
    const reason = 'Fraud reported, call 0911 23 45 67';
    await content(operateApi(`/merchants/${ALPHA.id}/suspend`, { reason }));
    expect(await lastAudit()).toMatchObject({
      action: 'merchant.suspended',
      detail: { reason: 'Fraud reported, call …' },
    });
    advance(10_000);
    expect(await pay('suspended')).toBe(401);
    const again = await operateApi(`/merchants/${ALPHA.id}/suspend`, { reason });
    expect(again.envelope.message).toBe('No change');
    expect(await auditLog()).toHaveLength(1);
    await content(operateApi(`/merchants/${ALPHA.id}/reactivate`, { reason: 'Cleared' }));
    advance(10_000);
    expect(await pay('after')).toBe(200);
    expect((await lastAudit())?.action).toBe('merchant.reactivated');
  });

  test('is renamed', async () => {
    const merchant = await content<Merchant>(
      operateApi(`/merchants/${ALPHA.id}/rename`, { name: 'አዲስ መጻሕፍት' }),
    );
    expect(merchant.name).toBe('አዲስ መጻሕፍት');
    expect(await lastAudit()).toMatchObject({
      action: 'merchant.renamed',
      detail: { from: ALPHA.name, to: 'አዲስ መጻሕፍት' },
    });
  });

  test('is offered a method, or not, in one environment', async () => {
    const path = `/merchants/${ALPHA.id}/sandbox/methods/M_PESA/offer`;
    await content(operateApi(path, { offered: false }));
    expect(await lastAudit()).toMatchObject({
      action: 'method.withdrawn',
      environment: 'sandbox',
      target: 'M_PESA',
    });
    advance(10_000);
    const refused = await answerOf(postHosted({ methods: ['M_PESA'] }));
    expect(refused.envelope.validationErrors).toHaveProperty(['methods[0]']);
    const offered = ({ methods }: Settings) =>
      methods.find(({ method }) => method === 'M_PESA')?.offered;
    const merchant = await read(ALPHA.id);
    expect([offered(merchant.sandbox), offered(merchant.production)]).toEqual([false, true]);
    await content(operateApi(path, { offered: true }));
    expect((await lastAudit())?.action).toBe('method.offered');
  });

  test('pays another commission', async () => {
    const path = `/merchants/${ALPHA.id}/production/methods/CBE/commission`;
    const rate = { basisPoints: 250, fixedMinor: 50 };
    const { methods } = await content<Settings>(operateApi(path, rate));
    expect(methods.find(({ method }) => method === 'CBE')).toMatchObject(rate);
    expect(await lastAudit()).toMatchObject({ action: 'commission.changed', detail: rate });
  });

  test('has a limit, or none', async () => {
    const path = `/merchants/${ALPHA.id}/sandbox/limits/ETB`;
    await content(operateApi(path, { amountMinorMax: 5_000 }));
    expect((await read(ALPHA.id)).sandbox.limitsMinor).toEqual({ ETB: 5_000 });
    expect(await lastAudit()).toMatchObject({
      action: 'limit.changed',
      target: 'ETB',
      detail: { amountMinorMax: 5_000 },
    });
    advance(10_000);
    expect((await postHosted({ amount: 50.01 })).status).toBe(400);
    await content(operateApi(path, { amountMinorMax: null }));
    expect((await read(ALPHA.id)).sandbox.limitsMinor).toEqual({});
  });
});

describe('app schemes', () => {
  const path = `/merchants/${ALPHA.id}/app-schemes`;

  test('let customers return to the app: decisions.md#20', async () => {
    expect((await postHosted({ returnUrl: 'myshop://paid' })).status).toBe(400);
    const schemes = ['myshop', 'com.example.shop'];
    const changed = await content<{ appSchemes: string[] }>(operateApi(path, { schemes }));
    expect(changed.appSchemes).toEqual(schemes);
    expect(await lastAudit()).toMatchObject({
      action: 'merchant.app_schemes_changed',
      detail: { from: '', to: 'myshop, com.example.shop' },
    });
    advance(10_000);
    expect((await postHosted({ returnUrl: 'other://paid' })).status).toBe(400);
    expect((await postHosted({ returnUrl: 'myshop://paid?a=1' })).status).toBe(200);
    await content(operateApi(path, { schemes: [] }));
    advance(10_000);
    const next = { paymentIntentUniqueId: 'order-2', returnUrl: 'myshop://paid' };
    expect((await postHosted(next)).status).toBe(400);
  });
});

describe('limits for refunds', () => {
  const PATH = `/merchants/${ALPHA.id}/refund-limits`;

  test('are 180 days and 100,000.00 a day, until they are set, each change audited once', async () => {
    expect(await read(ALPHA.id)).toMatchObject({
      refundAgeDaysMax: 180,
      refundDailyMaxMinor: 10_000_000,
    });
    const limits = { refundAgeDaysMax: 30, refundDailyMaxMinor: 5_000_000 };
    expect(await content(operateApi(PATH, limits))).toMatchObject(limits);
    expect((await operateApi(PATH, limits)).envelope.message).toBe('No change');
    expect(await read(BETA.id)).toMatchObject({ refundAgeDaysMax: 180 });
    expect(await auditLog()).toHaveLength(1);
    expect(await lastAudit()).toMatchObject({
      action: 'refund_limits.changed',
      merchant_id: ALPHA.id,
      detail: limits,
    });
    await content(operateApi(PATH, { ...limits, refundDailyMaxMinor: null }));
    expect(await read(ALPHA.id)).toMatchObject({ refundDailyMaxMinor: null });
    expect(await auditLog()).toHaveLength(2);
  });

  test('hold for the next refund, the first ones too', async () => {
    await payHosted({ amount: 100_001 });
    const refund = (amountMinor: number) =>
      requestRefund(env, tenantOf(ALPHA), {
        paymentUniqueId: 'order-1',
        refundUniqueId: `r-${amountMinor}`,
        transactionId: null,
        amountMinor,
        reason: null,
        requester: { type: 'operator', operator: 'Abebe', isProved: false },
        idempotency: null,
      });
    const byDefault = { maxMinor: 10_000_000, leftMinor: 10_000_000 };
    expect(await refund(10_000_001)).toEqual({ type: 'daily_limit', ...byDefault });
    await content(operateApi(PATH, { refundAgeDaysMax: 30, refundDailyMaxMinor: 1_000 }));
    expect(await refund(1_001)).toEqual({ type: 'daily_limit', maxMinor: 1_000, leftMinor: 1_000 });
    advance(31 * DAY_MS);
    expect(await refund(1_000)).toEqual({ type: 'too_old', daysMax: 30 });
    await content(operateApi(PATH, { refundAgeDaysMax: 32, refundDailyMaxMinor: null }));
    expect(await refund(1_001)).toMatchObject({ type: 'accepted' });
  });
});

describe('people', () => {
  test('are invited by a link that is shown once and opens once', async () => {
    const link = await content<{ id: string; url: string; validHours: number }>(
      operateApi(`/merchants/${ALPHA.id}/invitations`, { name: 'Abebe', role: 'owner' }),
    );
    expect(link).toMatchObject({ validHours: 168 });
    const token = link.url.replace(`${ORIGIN}/dashboard/join?token=`, '');
    expect(await findInvitation(membersCall(), token)).toMatchObject({
      merchantId: ALPHA.id,
      role: 'owner',
      name: 'Abebe',
      invitedBy: 'operator',
      memberId: null,
    });
    expect(await lastAudit()).toMatchObject({
      action: 'member.invited',
      target: link.id,
      detail: { name: 'Abebe', role: 'owner' },
    });
    const { invitations } = await content<{ invitations: unknown[] }>(
      operateApi(`/merchants/${ALPHA.id}/members`),
    );
    expect(invitations).toEqual([expect.objectContaining({ id: link.id, name: 'Abebe' })]);
    const digests = await env.BACK_OFFICE_DB.prepare('SELECT digest FROM invitations').all();
    expect(digests.results).toEqual([{ digest: await sha256Hex(token) }]);
    expect(logged.join()).not.toContain(token);
  });

  test('who lost their passkey get a new one by a recovery link', async () => {
    const { memberId } = await signedIn('developer');
    const listed = await content<{ members: { id: string }[] }>(
      operateApi(`/merchants/${ALPHA.id}/members`),
    );
    expect(listed.members.map(({ id }) => id)).toEqual([memberId]);
    const { url } = await content<{ url: string }>(
      operateApi(`/merchants/${ALPHA.id}/members/${memberId}/recovery`, {}),
    );
    const token = url.split('=').at(-1) ?? '';
    expect(await findInvitation(membersCall(), token)).toMatchObject({ memberId });
    expect(await lastAudit()).toMatchObject({ action: 'recovery.issued', target: memberId });
  });

  test('cannot join by a link that the operator has revoked', async () => {
    const invited = { name: 'Wrong person', role: 'owner' };
    const { id, url } = await content<{ id: string; url: string }>(
      operateApi(`/merchants/${ALPHA.id}/invitations`, invited),
    );
    const path = `/invitations/${id}/revoke`;
    await content(operateApi(`/merchants/${ALPHA.id}${path}`, {}));
    expect(await findInvitation(membersCall(), url.split('=').at(-1) ?? '')).toBeNull();
    expect(await lastAudit()).toMatchObject({
      action: 'invitation.revoked',
      target: id,
      detail: invited,
    });
    expect((await operateApi(`/merchants/${ALPHA.id}${path}`, {})).status).toBe(404);
  });

  test('get no link while the merchant is suspended', async () => {
    await operateApi(`/merchants/${BETA.id}/suspend`, { reason: 'x' });
    const path = `/merchants/${BETA.id}/invitations`;
    expect((await operateApi(path, { name: 'A', role: 'owner' })).status).toBe(409);
    const { results } = await env.BACK_OFFICE_DB.prepare('SELECT id FROM invitations').all();
    expect(results).toEqual([]);
  });
});

test('a known path with another method is 405', async () => {
  const { status, headers } = await operateApi('/merchants/x/suspend');
  expect([status, headers.get('allow')]).toEqual([405, 'POST']);
});

describe('banks', () => {
  test('are added and changed, but never their code', async () => {
    const bank = { code: 'NEW_1', name: 'New Bank', supportsWithdrawal: false };
    await content(operateApi('/banks', bank));
    expect((await operateApi('/banks', { ...bank, name: 'Other' })).status).toBe(409);
    const changed = await content(operateApi('/banks/NEW_1', { supportsWithdrawal: true }));
    expect(changed).toEqual({ ...bank, supportsWithdrawal: true });
    expect(await content<unknown[]>(operateApi('/banks'))).toContainEqual(changed);
    const entries = (await auditLog()).map(({ action, target }) => [action, target]);
    expect(entries).toEqual([
      ['bank.changed', 'NEW_1'],
      ['bank.changed', 'NEW_1'],
    ]);
  });
});

test('rails: lists which are configured, and explains what is wrong with a secret', async () => {
  const rails = await content<{ environment: string; method: string; state: string }[]>(
    operateApi('/rails'),
  );
  expect(rails).toHaveLength(12);
  expect(rails[0]).toEqual({
    environment: 'production',
    method: 'TELE_BIRR',
    secret: 'RAIL_TELE_BIRR_PRODUCTION',
    state: 'not_configured',
    rail: null,
    problem: null,
    downSinceAtMs: null,
    downFor: null,
  });
  expect(rails.filter(({ environment }) => environment === 'sandbox')).toEqual(
    Array(6).fill(expect.objectContaining({ state: 'simulated' })),
  );
  const wrong: Env = { ...env, ...{ RAIL_M_PESA_PRODUCTION: '{"passkey":"secret-value"}' } };
  const mpesa = railStates(wrong).filter(({ state }) => state === 'misconfigured');
  expect(mpesa).toMatchObject([{ environment: 'production', method: 'M_PESA', rail: null }]);
  expect(mpesa[0]?.problem).toMatch(/^RAIL_M_PESA_PRODUCTION: /);
  expect(mpesa[0]?.problem).not.toContain('secret-value');
});
