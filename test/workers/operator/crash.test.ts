import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ACTIONS } from '../../../back-office/operator/actions/all.ts';
import { insertDeadLetter } from '../../../src/control/dead-letters/store.ts';
import { configOf } from '../../../src/engine/config.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import { PaymentIntentObject } from '../../../src/engine/intent/payment-intent.ts';
import * as askRail from '../../../src/engine/refunds/ask-rail.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { databaseRows } from '../../security/storage.ts';
import { plantedError } from '../../support/output/planted.ts';
import { auditLog, signedIn } from '../dashboard/support.ts';
import { configureRails, MPESA, railServer } from '../rails/support.ts';
import { withRecovery } from '../recovery/restore-support.ts';
import { recordMigrations } from '../support/backup.ts';
import { bookStub } from '../support/book.ts';
import {
  ALPHA,
  advance,
  consume,
  createHosted,
  execute,
  HOUR_MS,
  intentOf,
  merchantServer,
  payHosted,
  startRedirect,
  useGateway,
} from '../support.ts';
import { content, operateApi, project, refundByHand, unresolved } from './support.ts';

/**
 * Goal: a crash in an operator's action never leaves a change without its audit entry, and the same
 * request then succeeds with one. Method: every action of the description that API, desk and command
 * line follow. The process ends where the entry and the change could part: before the commit of the
 * payment's object, or in the batch that holds both. An action without a row here fails the test.
 */

configureRails({ RAIL_M_PESA_PRODUCTION: MPESA });
const caught = useGateway();

const CRASH = 'the process ended';
const MERCHANT = `/merchants/${ALPHA.id}`;
const PAYMENT = `/payments/sandbox/${ALPHA.id}/order-1`;
const METHOD = `${MERCHANT}/sandbox/methods/TELE_BIRR`;

interface Row {
  readonly scene?: () => Promise<unknown>;
  readonly path: string | (() => string);
  /** Or makes it after the scene. */
  readonly body: object | (() => Promise<object>);
  /** Where the crash happens; by default in the batch of the change and its entry. */
  readonly crash?: () => void;
  /** One that fails is an outcome of the answer, because the others may have been done. */
  readonly isItemByItem?: true;
  /** Whether the entry was written before the change, so that the crash leaves it. */
  readonly isRecordedFirst?: true;
  readonly action: string;
}

/** The object does not get the command. */
function crashBeforeCommit(): void {
  vi.spyOn(IntentClient.prototype, 'execute').mockRejectedValue(plantedError(CRASH));
}

function crashInBatch(): void {
  for (const database of [env.DB, env.BACK_OFFICE_DB]) {
    vi.spyOn(database, 'batch').mockRejectedValue(plantedError(CRASH));
  }
}

function crashAtBook(): void {
  vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementation(() => {
    throw plantedError(CRASH);
  });
}

function crashAtAlerts(): void {
  vi.spyOn(env.OPERATOR_ALERTS, 'get').mockImplementation(() => {
    throw plantedError(CRASH);
  });
}

function crashInAudit(): void {
  vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
    throw plantedError(CRASH);
  });
}

function crashAtHold(): void {
  vi.spyOn(PaymentIntentObject.prototype, 'setHold').mockImplementation(() => {
    throw plantedError(CRASH);
  });
}

async function attemptInProgress(): Promise<void> {
  await createHosted();
  await execute(startRedirect('a1'));
}

async function letter(): Promise<void> {
  const message = { id: 'l1', timestamp: new Date(1_000), body: {} };
  const keys = configOf(env).dataEncryptionKeys;
  await runBatch(env.DB, [await insertDeadLetter(keys, 'kefel-webhooks', message, 1)]);
}

/** The ids of what the attention list has. */
async function listedIds(): Promise<readonly string[]> {
  const list = operateApi('/attention');
  const { items } = await content<{ items: readonly { readonly id: string }[] }>(list);
  return items.map(({ id }) => id);
}

/** An event that the merchant's server has rejected for good. */
async function deadEvent(): Promise<void> {
  merchantServer(() => new Response('no', { status: 410 }));
  await createHosted();
  await execute({ type: 'abandon_payment' });
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await project(caught);
}

function crashAtResend(): void {
  vi.spyOn(PaymentIntentObject.prototype, 'resendEvent').mockImplementation(() => {
    throw plantedError(CRASH);
  });
}

const COMMITTED = { crash: crashBeforeCommit, isRecordedFirst: true } as const;
const AT_BOOK = { crash: crashAtBook, isRecordedFirst: true } as const;
let memberId = '';

const ROWS: Readonly<Record<string, Row>> = {
  '/merchants': {
    path: '/merchants',
    body: { id: 'new', name: 'New' },
    action: 'merchant.created',
  },
  '/merchants/:merchantId/rename': {
    path: `${MERCHANT}/rename`,
    body: { name: 'Renamed' },
    action: 'merchant.renamed',
  },
  '/merchants/:merchantId/app-schemes': {
    path: `${MERCHANT}/app-schemes`,
    body: { schemes: ['myshop'] },
    action: 'merchant.app_schemes_changed',
  },
  '/merchants/:merchantId/refund-limits': {
    path: `${MERCHANT}/refund-limits`,
    body: { refundAgeDaysMax: 7, refundDailyMaxMinor: 700 },
    action: 'refund_limits.changed',
  },
  '/merchants/:merchantId/suspend': {
    path: `${MERCHANT}/suspend`,
    body: { reason: 'Fraud' },
    action: 'merchant.suspended',
  },
  '/merchants/:merchantId/reactivate': {
    scene: () => operateApi(`${MERCHANT}/suspend`, { reason: 'Fraud' }),
    path: `${MERCHANT}/reactivate`,
    body: { reason: 'Cleared' },
    action: 'merchant.reactivated',
  },
  '/merchants/:merchantId/invitations': {
    path: `${MERCHANT}/invitations`,
    body: { name: 'Sara', role: 'viewer' },
    action: 'member.invited',
  },
  '/merchants/:merchantId/members/:memberId/recovery': {
    scene: async () => {
      memberId = (await signedIn()).memberId;
    },
    path: () => `${MERCHANT}/members/${memberId}/recovery`,
    body: {},
    action: 'recovery.issued',
  },
  '/merchants/:merchantId/:environment/methods/:method/offer': {
    path: `${METHOD}/offer`,
    body: { offered: false },
    action: 'method.withdrawn',
  },
  '/merchants/:merchantId/:environment/methods/:method/commission': {
    path: `${METHOD}/commission`,
    body: { basisPoints: 777, fixedMinor: 7 },
    action: 'commission.changed',
  },
  '/merchants/:merchantId/:environment/limits/:currency': {
    path: `${MERCHANT}/sandbox/limits/ETB`,
    body: { amountMinorMax: 777 },
    action: 'limit.changed',
  },
  '/payments/:environment/:merchantId/:uniqueId/review': {
    scene: async () => {
      await payHosted();
      await project(caught);
    },
    path: `${PAYMENT}/review`,
    body: { note: 'Seen' },
    action: 'payment.reviewed',
  },
  '/payments/:environment/:merchantId/:uniqueId/attempts/:attemptId/resolve': {
    ...COMMITTED,
    scene: attemptInProgress,
    path: `${PAYMENT}/attempts/a1/resolve`,
    body: { outcome: 'succeeded', receipt: 'R1', note: 'Seen in the portal' },
    action: 'attempt.resolved',
  },
  '/payments/:environment/:merchantId/:uniqueId/refunds': {
    ...COMMITTED,
    scene: payHosted,
    path: `${PAYMENT}/refunds`,
    body: { reason: 'Paid twice', refundUniqueId: 'r1' },
    action: 'refund.requested',
  },
  '/payments/:environment/:merchantId/:uniqueId/refunds/:refundId/resolve': {
    ...COMMITTED,
    scene: refundByHand,
    path: `${PAYMENT}/refunds/r1/resolve`,
    body: { outcome: 'not_returned', note: 'The account is closed' },
    action: 'refund.decided',
  },
  '/payments/:environment/:merchantId/:uniqueId/refunds/:refundId/repeat': {
    ...COMMITTED,
    scene: async () => {
      await refundByHand({}, { takesParts: true, wholeAmountsOnly: false, windowMs: null });
      const deadlineAtMs = Date.now() + HOUR_MS;
      await execute({ type: 'claim_refund', refundId: 'r1', claimId: 'c1', deadlineAtMs });
      advance(2 * HOUR_MS);
      await expect.poll(async () => (await intentOf()).refunds[0]?.status).toBe('unresolved');
    },
    path: `${PAYMENT}/refunds/r1/repeat`,
    body: { note: 'The gateway crashed' },
    action: 'refund.repeated',
  },
  '/payments/:environment/:merchantId/:uniqueId/hold': {
    scene: payHosted,
    path: `${PAYMENT}/hold`,
    body: { reason: 'Court order 12' },
    crash: crashAtHold,
    isRecordedFirst: true,
    action: 'payment.held',
  },
  '/payments/:environment/:merchantId/:uniqueId/release': {
    scene: async () => {
      await payHosted();
      await operateApi(`${PAYMENT}/hold`, { reason: 'Court order 12' });
    },
    path: `${PAYMENT}/release`,
    body: { reason: 'Case closed' },
    crash: crashAtHold,
    isRecordedFirst: true,
    action: 'payment.hold_released',
  },
  '/customers/export': {
    path: '/customers/export',
    body: { phone: '0911223344', reason: 'Request 12' },
    crash: crashInAudit,
    action: 'customer.exported',
  },
  '/customers/erase': {
    path: '/customers/erase',
    body: { phone: '0911223344', reason: 'Request 12' },
    action: 'customer.erasure_requested',
  },
  '/banks': {
    path: '/banks',
    body: { code: 'NEW', name: 'New Bank', supportsWithdrawal: true },
    action: 'bank.changed',
  },
  '/attention/review': {
    scene: () => unresolved(caught),
    path: '/attention/review',
    body: async () => ({ ids: await listedIds(), note: 'Seen' }),
    isItemByItem: true,
    action: 'payment.reviewed',
  },
  '/attention/record-unpaid': {
    ...COMMITTED,
    scene: () => unresolved(caught),
    path: '/attention/record-unpaid',
    body: async () => ({ ids: await listedIds(), reason: 'timed_out', note: 'Not in the portal' }),
    isItemByItem: true,
    action: 'attempt.resolved',
  },
  '/attention/resend': {
    scene: deadEvent,
    path: '/attention/resend',
    body: async () => ({ ids: await listedIds() }),
    crash: crashAtResend,
    isItemByItem: true,
    isRecordedFirst: true,
    action: 'event.resend_requested',
  },
  '/banks/:code': { path: '/banks/CBE', body: { name: 'Renamed' }, action: 'bank.changed' },
  '/dead-letters/retry': {
    scene: async () => {
      await letter();
      vi.spyOn(env.WEBHOOKS, 'send').mockResolvedValue(undefined as never);
    },
    path: '/dead-letters/retry',
    body: { ids: ['l1'] },
    isRecordedFirst: true,
    action: 'dead_letter.retried',
  },
  '/dead-letters/discard': {
    scene: letter,
    path: '/dead-letters/discard',
    body: { ids: ['l1'], reason: 'Known' },
    action: 'dead_letter.discarded',
  },
  '/rails/:environment/:method/probe': {
    path: '/rails/production/M_PESA/probe',
    body: {},
    crash: crashInAudit,
    action: 'rail.probe_requested',
  },
  '/alerts/:channel/test': {
    path: '/alerts/webhook/test',
    body: {},
    crash: crashAtAlerts,
    isRecordedFirst: true,
    action: 'alert.test_requested',
  },
  '/books/:environment/:merchantId/rebuild': {
    ...AT_BOOK,
    path: `/books/sandbox/${ALPHA.id}/rebuild`,
    body: {},
    action: 'book.rebuilt',
  },
  '/books/rebuild': {
    path: '/books/rebuild',
    body: { objectIds: ['0'.repeat(64)] },
    crash: crashInAudit,
    action: 'book.rebuilt',
  },
  '/books/:environment/:merchantId/restore': {
    ...AT_BOOK,
    scene: () =>
      // The local runtime has no point-in-time recovery.
      runInDurableObject(bookStub(), (_book, { storage }) => {
        storage.getBookmarkForTime = async () => 'then';
        storage.onNextSessionRestoreBookmark = async () => 'now';
      }),
    path: `/books/sandbox/${ALPHA.id}/restore`,
    body: { at: new Date(Date.now()).toISOString().replace(/\.\d+/, '') },
    action: 'book.restored',
  },
  '/payments/:environment/:merchantId/:uniqueId/restore': {
    scene: async () => {
      await createHosted();
      await withRecovery('order-1');
    },
    path: `${PAYMENT}/restore`,
    body: { at: '2099-01-01T00:00Z' },
    crash: crashInAudit,
    action: 'payment.restored',
  },
  '/backups': {
    scene: recordMigrations,
    path: '/backups',
    body: {},
    crash: crashInAudit,
    action: 'backup.begun',
  },
  '/maintenance/begin': {
    path: '/maintenance/begin',
    body: { reason: 'Restoring' },
    action: 'maintenance.began',
  },
  '/maintenance/end': {
    scene: () => operateApi('/maintenance/begin', { reason: 'Restoring' }),
    path: '/maintenance/end',
    body: {},
    action: 'maintenance.ended',
  },
  '/members/pause-changes': {
    path: '/members/pause-changes',
    body: {},
    action: 'member_changes.paused',
  },
  '/members/resume-changes': {
    scene: () => operateApi('/members/pause-changes', {}),
    path: '/members/resume-changes',
    body: {},
    action: 'member_changes.resumed',
  },
};

beforeEach(() => {
  vi.spyOn(askRail, 'isRepeatable').mockResolvedValue(true);
  railServer(async () => Response.json({ access_token: 't', expires_in: '3599' }));
});

afterEach(() => vi.restoreAllMocks());

/** All rows of both databases without the audit log. */
const allRows = () => databaseRows((table) => ['audit_log', 'd1_migrations'].includes(table));

async function entriesOf(action: string): Promise<number> {
  return (await auditLog()).filter((entry) => entry.action === action).length;
}

/** A restore is many requests with one entry at its end: test/workers/recovery/restore.long.test.ts. */
const ELSEWHERE = ['/restore', '/restore/parts'];
const HERE = ACTIONS.map(({ path }) => path).filter((path) => !ELSEWHERE.includes(path));

test.each(HERE)('%s', async (name) => {
  const row = ROWS[name];
  if (row === undefined) {
    throw new Error(`no row for ${name}`);
  }
  const { scene, crash = crashInBatch, isRecordedFirst, isItemByItem, action } = row;
  await scene?.();
  const body = typeof row.body === 'function' ? await row.body() : row.body;
  const path = typeof row.path === 'string' ? row.path : row.path();
  // A refund's claim on the merchant's daily limit precedes the commit, in a table.
  const stateNow = crash === crashBeforeCommit ? intentOf : allRows;
  const before = await stateNow();
  const known = await entriesOf(action);

  crash();
  const crashed = await operateApi(path, body);
  if (isItemByItem) {
    expect(crashed).toMatchObject({ envelope: { content: { outcomes: [{ outcome: 'failed' }] } } });
  } else {
    expect(crashed.status).toBeGreaterThanOrEqual(500);
  }
  vi.restoreAllMocks();
  vi.spyOn(askRail, 'isRepeatable').mockResolvedValue(true);
  expect(await entriesOf(action)).toBe(known + (isRecordedFirst ? 1 : 0));
  expect(await stateNow()).toEqual(before);

  expect(await operateApi(path, body)).toMatchObject({ status: 200 });
  expect(await entriesOf(action)).toBe(known + (isRecordedFirst ? 2 : 1));
});
