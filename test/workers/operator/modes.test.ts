import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { dashboard as english } from '../../../back-office/i18n/en/dashboard.ts';
import { desk as deskTexts } from '../../../back-office/i18n/en/desk.ts';
import { paymentsPlane } from '../../../back-office/payments-plane.ts';
import { answerCall } from '../../../src/control/rpc/answer.ts';
import { databaseRows } from '../../security/storage.ts';
import { interfaceCalls } from '../../support/interface-calls.ts';
import { Browser, invite, joined } from '../dashboard/people-support.ts';
import { auditLog, signedIn, submit, visit } from '../dashboard/support.ts';
import { registerRows } from '../support/register.ts';
import {
  ALPHA,
  advance,
  answerOf,
  call,
  cancelPath,
  chooseMethod,
  clientOf,
  consumeAll,
  createExpress,
  createHosted,
  fireAlarm,
  intentOf,
  lastEvent,
  MINUTE_MS,
  merchantServer,
  pathOf,
  payHosted,
  postExpress,
  postHosted,
  postRefund,
  SECOND_MS,
  simulate,
  statusPath,
  tenantOf,
  useGateway,
} from '../support.ts';
import { deskOf, operate, operateApi } from './support.ts';

/**
 * Goal: maintenance refuses exactly new payments and refunds, and a pause exactly the changes of
 * members (docs/decisions.md#48). Method: every way in is tried in both modes, and what was stored is
 * compared.
 */

const caught = useGateway();

const REASON = 'Restoring the database';
/** A changed setting holds everywhere after this. */
const IN_FORCE_MS = 10 * SECOND_MS;
const KEYED = { headers: { 'idempotency-key': 'key-1' } };
const MEMBER = { kind: 'member', id: 'mem_1', name: 'M', address: null } as const;

const begin = () => operateApi('/maintenance/begin', { reason: REASON });
const end = () => operateApi('/maintenance/end', {});
const pause = () => operateApi('/members/pause-changes', {});
const resume = () => operateApi('/members/resume-changes', {});

async function expectMaintenance(response: Promise<Response>): Promise<void> {
  const { status, envelope, headers } = await answerOf(response);
  expect({ status, code: envelope.code }).toEqual({ status: 503, code: 'maintenance' });
  expect(headers.get('retry-after')).toBe('60');
}

/** What the desk says after a change. */
const { done } = deskTexts.pages;

describe('decisions.md#48: maintenance', () => {
  test('refuses hosted and express payments and leaves nothing of them, until it ends', async () => {
    await begin();
    await expectMaintenance(postHosted());
    await expectMaintenance(postExpress());
    expect(await clientOf().probe(null)).toEqual({ type: 'free' });
    await end();
    advance(IN_FORCE_MS);
    expect((await postHosted()).status).toBe(200);
  });

  test('refuses refunds by the API, the dashboard and the desk, and claims nothing', async () => {
    await payHosted();
    await begin();
    await expectMaintenance(postRefund());
    const owner = await signedIn('owner');
    const form = '/dashboard/sandbox/payments/order-1/refund';
    const page = await visit(owner, form);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await page.text()).toContain(english.frame.notices.maintenance.title);
    const refund = `rfd_${'0'.repeat(32)}`;
    expect((await submit(owner, `${form}/options`, { refund, amount: '1' })).status).toBe(503);
    const asked = { refundUniqueId: refund, transactionId: null, amountMinor: 1, reason: null };
    const { payments } = paymentsPlane(env);
    expect(await payments.refund(tenantOf(ALPHA), MEMBER, 'order-1', asked)).toEqual({
      type: 'maintenance',
    });
    const path = `/payments/sandbox/${ALPHA.id}/order-1/refunds`;
    const answer = await operateApi(path, { reason: 'Twice' });
    expect(answer).toMatchObject({ status: 503, envelope: { code: 'maintenance' } });
    expect((await intentOf()).refunds).toEqual([]);
    expect(await registerRows('refund')).toEqual([]);
  });

  test('still answers what was created before: replays, taken ids, wrong bodies', async () => {
    const first = await answerOf(postHosted({}, KEYED));
    await payHosted({ paymentIntentUniqueId: 'paid' });
    const refund = { paymentIntentUniqueId: 'paid' };
    const refunded = await answerOf(postRefund(refund, KEYED));
    await begin();
    advance(IN_FORCE_MS);
    const repeated = await answerOf(postHosted({}, KEYED));
    expect(repeated.envelope).toEqual(first.envelope);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect((await answerOf(postHosted())).envelope.code).toBe('duplicate_payment_id');
    const other = await answerOf(postHosted({ orderId: 'other' }, KEYED));
    expect(other.envelope.code).toBe('idempotency_key_reused');
    const wrong = await answerOf(postHosted({ paymentIntentUniqueId: 'new', currency: 'EUR' }));
    expect(wrong.envelope.code).toBe('validation_failed');
    expect((await answerOf(postRefund(refund, KEYED))).envelope).toEqual(refunded.envelope);
  });

  test('continues what has begun: pages, attempts, alarms, webhooks, cancellation', async () => {
    const arrivals = merchantServer();
    const checkoutUrl = await createHosted();
    await createHosted({ paymentIntentUniqueId: 'order-2' });
    await createExpress({ paymentIntentUniqueId: 'order-3' });
    await begin();
    advance(IN_FORCE_MS);
    expect((await call(statusPath('order-1'))).status).toBe(200);
    expect((await call(pathOf(checkoutUrl), { apiKey: null })).status).toBe(200);
    await simulate(await chooseMethod(checkoutUrl), 'approve');
    expect((await intentOf()).status).toBe('succeeded');
    expect((await call(cancelPath('order-2'), { method: 'POST' })).status).toBe(200);
    await fireAlarm('order-3');
    expect((await intentOf('order-3')).status).toBe('succeeded');
    await consumeAll(caught);
    await consumeAll(caught);
    expect((await lastEvent()).deliveryStatus).toBe('delivered');
    expect(arrivals.length).toBeGreaterThanOrEqual(2);
  });

  test('holds for a key in use within 10 s, and costs a warm create no query of D1', async () => {
    await postHosted();
    await begin();
    // The key was read before the switch, so this payment is created whole.
    expect((await postHosted({ paymentIntentUniqueId: 'order-2' })).status).toBe(200);
    expect((await intentOf('order-2')).status).toBe('open');
    advance(IN_FORCE_MS);
    await expectMaintenance(postHosted({ paymentIntentUniqueId: 'order-3' }));
    const prepared = vi.spyOn(env.DB, 'prepare');
    await expectMaintenance(postHosted({ paymentIntentUniqueId: 'order-3' }));
    expect(prepared).not.toHaveBeenCalled();
  });

  test('counts as remembered while D1 fails', async () => {
    await begin();
    await expectMaintenance(postHosted());
    advance(MINUTE_MS);
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1 is away');
    });
    await expectMaintenance(postHosted());
  });

  test('is recorded once with its reason, and shown to operators and members', async () => {
    await begin();
    expect(await begin()).toMatchObject({ envelope: { message: 'No change' } });
    const entries = await auditLog();
    expect(entries.map(({ action }) => action)).toEqual(['maintenance.began']);
    const health = await operate('/operator/v1/health');
    expect(await health.json()).toMatchObject({
      content: {
        modes: { maintenance: { by: 'operator', reason: REASON }, membersReadOnly: null },
      },
    });
    const page = await deskOf('Sara').pageOf('/operator/merchants');
    expect(page).toContain(deskTexts.pages.inMaintenance);
    expect(page).toContain(REASON);
    const seen = await visit(await signedIn('viewer'), '/dashboard/sandbox/payments');
    expect(await seen.text()).toContain(english.frame.maintenanceBanner);
  });
});

/** Every change that a member can ask of the payments plane. Reading, and an export, go on. */
const MEMBER_CHANGES = [
  'events.resend',
  'events.resendFailed',
  'links.create',
  'links.edit',
  'links.setActive',
  'methods.setEnabled',
  'notifications.confirm',
  'notifications.connect',
  'payments.cancel',
  'payments.cancelRefund',
  'payments.refund',
  'settings.changeBankCode',
  'settings.changeBranding',
  'settings.changeBusiness',
  'settings.createKey',
  'settings.renameKey',
  'settings.revokeKey',
  'settings.rollKey',
  'till.prompt',
  'till.sell',
  'webhooks.addSecret',
  'webhooks.createEndpoint',
  'webhooks.deleteEndpoint',
  'webhooks.editEndpoint',
  'webhooks.endSecret',
  'webhooks.resume',
  'webhooks.sendTest',
  'webhooks.setCallbackHeader',
  'webhooks.showSecret',
  'webhooks.switchEndpoint',
];

describe('decisions.md#48: a pause of changes by members', () => {
  test('is enforced by the payments plane for each of its functions that changes', async () => {
    await pause();
    const refused: string[] = [];
    for (const [area, calls] of Object.entries(interfaceCalls(tenantOf(ALPHA), 'order-1'))) {
      for (const [name, args] of Object.entries<readonly unknown[]>(calls)) {
        const ctx = { waitUntil: () => undefined };
        const answer = await answerCall(env, ctx, [area, name], args).catch(() => null);
        if (answer?.type === 'problem' && answer.code === 'changes_paused') {
          refused.push(`${area}.${name}`);
        }
      }
    }
    expect(refused.sort()).toEqual(MEMBER_CHANGES);
    const { lists, methods } = paymentsPlane(env);
    await lists.exported(tenantOf(ALPHA), MEMBER, {}, 'masked', null);
    await resume();
    await methods.setEnabled(tenantOf(ALPHA), MEMBER, 'M_PESA', false);
  });

  test('refuses a new member and a recovery, which work after it', async () => {
    const browser = await Browser.create();
    const token = await invite();
    const options = await browser.joinOptions(token);
    const credential = await browser.authenticator.register(options, {});
    await pause();
    const before = await databaseRows();
    const page = await browser.get(`/dashboard/join?token=${token}`);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await page.text()).toContain(english.frame.notices.paused.title);
    const refusal = { message: english.frame.notices.paused.text };
    const begun = await browser.post('/dashboard/join/options', { token, name: 'Abebe' });
    expect([begun.status, await begun.json()]).toEqual([503, refusal]);
    // The passkey was made before the pause.
    const body = { token, name: 'Abebe', passkey: 'Phone', credential };
    const finished = await browser.post('/dashboard/join', body);
    expect([finished.status, await finished.json()]).toEqual([503, refusal]);
    expect(await databaseRows()).toEqual(before);
    await resume();
    expect((await browser.join(token)).status).toBe(200);
  });

  test('lets members sign in, read, end their sessions and sign out', async () => {
    const browser = await joined();
    await pause();
    expect((await browser.signIn()).status).toBe(200);
    const page = await (await browser.get('/dashboard/sandbox/payments')).text();
    expect(page).toContain(english.frame.pausedBanner);
    expect((await browser.submit('/dashboard/account/sessions/revoke-others')).status).toBe(303);
    expect((await browser.submit('/dashboard/sign-out')).status).toBe(303);
    expect(await browser.isSignedIn()).toBe(false);
  });

  test('lets the operator change members and settings, and payments go on', async () => {
    const arrivals = merchantServer();
    await pause();
    const path = `/merchants/${ALPHA.id}`;
    expect(await operateApi(`${path}/rename`, { name: 'Renamed' })).toMatchObject({ status: 200 });
    const invitation = { name: 'Sara', role: 'viewer' };
    expect(await operateApi(`${path}/invitations`, invitation)).toMatchObject({ status: 200 });
    await payHosted();
    expect((await postRefund()).status).toBe(200);
    await consumeAll(caught);
    expect(arrivals).toHaveLength(1);
  });

  test('lets a change finish that was under way at the switch', async () => {
    const owner = await signedIn('owner');
    const batch = env.DB.batch.bind(env.DB);
    vi.spyOn(env.DB, 'batch').mockImplementationOnce(async (statements) => {
      await pause();
      return batch(statements) as ReturnType<typeof batch<never>>;
    });
    const path = '/dashboard/sandbox/methods/M_PESA';
    expect((await submit(owner, `${path}/disable`)).status).toBe(303);
    const refused = await submit(owner, `${path}/enable`);
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain(english.frame.notices.paused.text);
    const actions = (await auditLog()).map(({ action }) => action);
    expect(actions).toEqual(['member_changes.paused', 'method.disabled']);
  });

  test('shows a member who loses the race with the switch the same page', async () => {
    const owner = await signedIn('owner');
    const prepare = env.DB.prepare.bind(env.DB);
    // The page's own look at the mode precedes that of the payments plane.
    vi.spyOn(env.DB, 'prepare').mockImplementation((sql) =>
      prepare(sql.includes('AS isPaused') ? 'SELECT 1 AS isPaused' : sql),
    );
    const refused = await submit(owner, '/dashboard/sandbox/methods/M_PESA/disable');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await refused.text()).toContain(english.frame.notices.paused.text);
  });
});

test('the desk switches both modes by its forms, and says so', async () => {
  const desk = deskOf('Sara');
  const health = '/operator/health';
  const steps = [
    ['begin-maintenance', { reason: REASON }, done.maintenance_began],
    ['end-maintenance', {}, done.maintenance_ended],
    ['pause-changes', {}, done.changes_paused],
    ['resume-changes', {}, done.changes_resumed],
  ] as const;
  for (const [form, fields, text] of steps) {
    const page = await desk.pageOf(health);
    expect(page).toContain(`${health}/${form}`);
    expect(await desk.pageOf(await desk.change(`${health}/${form}`, fields))).toContain(text);
  }
  const actions = (await auditLog()).map(({ action }) => action);
  expect(actions).toEqual([
    'maintenance.began',
    'maintenance.ended',
    'member_changes.paused',
    'member_changes.resumed',
  ]);
});
