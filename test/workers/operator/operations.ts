import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { ACTIONS } from '../../../back-office/operator/actions/all.ts';
import { insertDeadLetter } from '../../../src/control/dead-letters/store.ts';
import { configOf } from '../../../src/engine/config.ts';
import { apiKeyDigest } from '../../../src/engine/merchants/api-key.ts';
import { requestRefund } from '../../../src/engine/refunds/request.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { signedIn } from '../dashboard/support.ts';
import {
  attemptNow,
  CARDS,
  configureRails,
  intentNow,
  MPESA,
  PRODUCTION,
  payExpress,
  railServer,
  run,
} from '../rails/support.ts';
import { withRecovery } from '../recovery/restore-support.ts';
import { recordMigrations } from '../support/backup.ts';
import { bookStub } from '../support/book.ts';
import {
  ALPHA,
  type Answer,
  advance,
  type Body,
  type CaughtMessages,
  consume,
  createHosted,
  execute,
  HOUR_MS,
  intentOf,
  merchantServer,
  payHosted,
} from '../support.ts';
import { PORTAL, storePortal, uploadFile, workOn, yesterday } from './provider-file-support.ts';
import {
  content,
  operateApi,
  PERSONAL_SECRETS,
  project,
  refundByHand,
  unresolved,
} from './support.ts';

/**
 * Every action of the operator, with a request that the gateway takes: the state that it needs, what
 * it changes and its audit entry. The tests of all actions read it. A missing row fails them.
 */

type Values = Readonly<Record<string, string>>;

export interface Operation {
  /** Brings the gateway to the state in which the request is due. */
  readonly scene?: (caught: CaughtMessages) => Promise<unknown>;
  /** Parts of the path that are others than `VALUES`, some of which only the scene knows. */
  readonly values?: Values | (() => Promise<Values>);
  readonly body?: Body | (() => Promise<Body>);
  /** Where the change is stored. Null: outside, or in steps that follow the entry. */
  readonly changes:
    | 'database'
    | 'letter'
    | 'payment'
    | 'hold'
    | 'event'
    | 'book'
    | 'alerts'
    | 'files'
    | null;
  /** The action of the audit entry. */
  readonly entry: string;
  /** Whether the entry is written before the change, so that a crash may leave it alone. */
  readonly isRecordedFirst?: boolean;
  /** How many entries it writes; 1 by default. */
  readonly entries?: number;
}

/** The parts of the paths. */
const VALUES: Values = {
  merchantId: ALPHA.id,
  environment: 'sandbox',
  uniqueId: 'order-1',
  refundId: 'r1',
  method: 'TELE_BIRR',
  currency: 'ETB',
  code: 'CBE',
  channel: 'webhook',
};

const IN_DATABASE = { changes: 'database' } as const;
const IN_PAYMENT = { changes: 'payment', isRecordedFirst: true } as const;
const IN_HOLD = { changes: 'hold', isRecordedFirst: true } as const;
/** Of the method in `VALUES`. */
const FILES_AT = 'sandbox/TELE_BIRR';
const IN_FILES = { changes: 'files', isRecordedFirst: true } as const;
const IN_BOOK = { changes: 'book', isRecordedFirst: true } as const;

const MERCHANT = '/merchants/:merchantId';
const PAYMENT = '/payments/:environment/:merchantId/:uniqueId';
const REASON = { reason: 'Court order 12' };

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/merchants': { ...IN_DATABASE, body: { id: 'new', name: 'New' }, entry: 'merchant.created' },
  [`${MERCHANT}/rename`]: { ...IN_DATABASE, body: { name: 'Renamed' }, entry: 'merchant.renamed' },
  [`${MERCHANT}/app-schemes`]: {
    ...IN_DATABASE,
    body: { schemes: ['myshop'] },
    entry: 'merchant.app_schemes_changed',
  },
  [`${MERCHANT}/refund-limits`]: {
    ...IN_DATABASE,
    body: { refundAgeDaysMax: 7, refundDailyMaxMinor: 700 },
    entry: 'refund_limits.changed',
  },
  [`${MERCHANT}/suspend`]: { ...IN_DATABASE, body: REASON, entry: 'merchant.suspended' },
  [`${MERCHANT}/reactivate`]: {
    ...IN_DATABASE,
    scene: after(`${MERCHANT}/suspend`),
    body: REASON,
    entry: 'merchant.reactivated',
  },
  [`${MERCHANT}/invitations`]: {
    ...IN_DATABASE,
    body: { name: 'Sara', role: 'viewer' },
    entry: 'member.invited',
  },
  [`${MERCHANT}/members/:memberId/recovery`]: {
    ...IN_DATABASE,
    values: async () => ({ memberId: (await signedIn('viewer')).memberId }),
    entry: 'recovery.issued',
  },
  [`${MERCHANT}/invitations/:invitationId/revoke`]: {
    ...IN_DATABASE,
    scene: after(`${MERCHANT}/invitations`),
    values: async () => ({
      invitationId: String(
        await env.BACK_OFFICE_DB.prepare('SELECT id FROM invitations').first<string>('id'),
      ),
    }),
    entry: 'invitation.revoked',
  },
  [`${MERCHANT}/members/:memberId/remove`]: {
    ...IN_DATABASE,
    values: async () => ({ memberId: (await signedIn('owner')).memberId }),
    body: REASON,
    entry: 'member.removed',
  },
  [`${MERCHANT}/:environment/keys/:digest/revoke`]: {
    ...IN_DATABASE,
    values: async () => ({ digest: await apiKeyDigest(ALPHA.apiKeys.sandbox) }),
    body: REASON,
    entry: 'api_key.revoked',
  },
  [`${MERCHANT}/:environment/export`]: {
    changes: null,
    entry: 'payments.exported',
    // The second one with the last page.
    entries: 2,
  },
  '/statements/:environment/export': {
    body: { period: '2026-11' },
    changes: null,
    entry: 'statements.exported',
    // The second one with the last page.
    entries: 2,
  },
  '/audit/export': {
    body: { month: '2026-11' },
    changes: null,
    entry: 'audit.exported',
    // The second one with the last page.
    entries: 2,
  },
  [`${MERCHANT}/close`]: {
    ...IN_DATABASE,
    scene: exportedMerchant,
    body: REASON,
    entry: 'merchant.closed',
  },
  [`${MERCHANT}/:environment/methods/:method/offer`]: {
    ...IN_DATABASE,
    body: { offered: false },
    entry: 'method.withdrawn',
  },
  [`${MERCHANT}/:environment/methods/:method/commission`]: {
    ...IN_DATABASE,
    body: { basisPoints: 777, fixedMinor: 7 },
    entry: 'commission.changed',
  },
  [`${MERCHANT}/:environment/limits/:currency`]: {
    ...IN_DATABASE,
    body: { amountMinorMax: 777 },
    entry: 'limit.changed',
  },
  [`${PAYMENT}/review`]: {
    ...IN_DATABASE,
    scene: async (caught) => {
      merchantServer();
      await payHosted();
      await project(caught);
    },
    body: { note: 'Seen' },
    entry: 'payment.reviewed',
  },
  [`${PAYMENT}/attempts/:attemptId/resolve`]: {
    ...IN_PAYMENT,
    scene: unresolved,
    values: async () => ({ attemptId: (await intentOf()).attempts[0]?.reference ?? '' }),
    body: { outcome: 'succeeded', receipt: 'R-77', note: 'Seen in the portal' },
    entry: 'attempt.resolved',
  },
  [`${PAYMENT}/refunds`]: {
    ...IN_PAYMENT,
    scene: () => payHosted(),
    body: { reason: 'Paid twice', refundUniqueId: 'r1' },
    entry: 'refund.requested',
  },
  [`${PAYMENT}/refunds/:refundId/resolve`]: {
    ...IN_PAYMENT,
    scene: () => refundByHand(),
    body: { outcome: 'not_returned', note: 'The account is closed' },
    entry: 'refund.decided',
  },
  [`${PAYMENT}/refunds/:refundId/repeat`]: {
    ...IN_PAYMENT,
    // The simulator offers no repeat.
    scene: unresolvedRefund,
    values: { environment: 'production' },
    body: { note: 'The gateway crashed' },
    entry: 'refund.repeated',
  },
  [`${PAYMENT}/hold`]: {
    ...IN_HOLD,
    scene: () => payHosted(),
    body: REASON,
    entry: 'payment.held',
  },
  [`${PAYMENT}/release`]: {
    ...IN_HOLD,
    scene: after(`${PAYMENT}/hold`),
    body: REASON,
    entry: 'payment.hold_released',
  },
  [`${PAYMENT}/restore`]: {
    scene: async () => {
      await createHosted();
      await withRecovery('order-1');
    },
    body: { at: '2099-01-01T00:00Z' },
    changes: null,
    entry: 'payment.restored',
  },
  '/attention/review': {
    ...IN_DATABASE,
    scene: unresolved,
    body: async () => ({ ids: await listedIds(), note: 'Seen' }),
    entry: 'payment.reviewed',
  },
  '/attention/record-unpaid': {
    ...IN_PAYMENT,
    scene: unresolved,
    body: async () => ({ ids: await listedIds(), reason: 'timed_out', note: 'Not in the portal' }),
    entry: 'attempt.resolved',
  },
  '/attention/resend': {
    changes: 'event',
    isRecordedFirst: true,
    scene: deadEvent,
    body: async () => ({ ids: await listedIds() }),
    entry: 'event.resend_requested',
  },
  '/customers/export': {
    body: { phone: '0911223344', reason: 'Request 12' },
    changes: null,
    entry: 'customer.exported',
  },
  '/customers/erase': {
    ...IN_DATABASE,
    body: { phone: '0911223344', reason: 'Request 12' },
    entry: 'customer.erasure_requested',
  },
  '/banks': {
    ...IN_DATABASE,
    body: { code: 'NEW', name: 'New Bank', supportsWithdrawal: true },
    entry: 'bank.changed',
  },
  '/banks/:code': { ...IN_DATABASE, body: { name: 'Renamed' }, entry: 'bank.changed' },
  '/dead-letters/retry': {
    changes: 'letter',
    isRecordedFirst: true,
    scene: async () => {
      await letter();
      vi.spyOn(env.WEBHOOKS, 'send').mockResolvedValue(undefined as never);
    },
    body: { ids: ['l1'] },
    entry: 'dead_letter.retried',
  },
  '/dead-letters/discard': {
    ...IN_DATABASE,
    scene: letter,
    body: { ids: ['l1'], reason: 'Known' },
    entry: 'dead_letter.discarded',
  },
  '/rails/:environment/:method/probe': {
    scene: async () => railServer(async () => Response.json({ errorCode: '6' })),
    values: { environment: 'production', method: 'ETS_SWITCH' },
    changes: null,
    entry: 'rail.probe_requested',
  },
  '/alerts/:channel/test': {
    changes: 'alerts',
    isRecordedFirst: true,
    entry: 'alert.test_requested',
  },
  '/books/:environment/:merchantId/rebuild': {
    ...IN_BOOK,
    scene: async (caught) => {
      await createHosted();
      await project(caught);
    },
    entry: 'book.rebuilt',
    // The book's page comes first: an empty book is refused.
    isRecordedFirst: false,
  },
  '/books/rebuild': {
    body: { objectIds: ['0'.repeat(64)] },
    changes: null,
    entry: 'book.rebuilt',
  },
  '/books/:environment/:merchantId/restore': {
    ...IN_BOOK,
    scene: () =>
      // The local runtime has no point-in-time recovery.
      runInDurableObject(bookStub(), (_book, { storage }) => {
        storage.getBookmarkForTime = async () => 'then';
        storage.onNextSessionRestoreBookmark = async () => 'now';
      }),
    body: async () => ({ at: new Date(Date.now()).toISOString().replace(/\.\d+/, '') }),
    entry: 'book.restored',
  },
  '/backups': { scene: recordMigrations, changes: null, entry: 'backup.begun' },
  '/methods/:environment/:method/switch-off': {
    ...IN_DATABASE,
    body: { text: 'Back at about 15:00' },
    entry: 'method.switched_off',
  },
  '/methods/:environment/:method/switch-on': {
    ...IN_DATABASE,
    scene: after('/methods/:environment/:method/switch-off'),
    entry: 'method.switched_on',
  },
  '/provider-profiles/:environment/:method': {
    ...IN_FILES,
    body: PORTAL,
    entry: 'provider_profile.changed',
  },
  '/provider-profiles/:environment/:method/delete': {
    ...IN_FILES,
    scene: () => storePortal(FILES_AT),
    body: { name: PORTAL.name },
    entry: 'provider_profile.changed',
  },
  '/provider-files/:environment/:method': {
    ...IN_FILES,
    scene: () => storePortal(FILES_AT),
    body: { name: 'day.csv', profile: PORTAL.name },
    entry: 'provider_file.uploaded',
  },
  '/provider-lines/:environment/:method/decide': {
    ...IN_FILES,
    scene: async () => {
      await storePortal(FILES_AT);
      const rows = `${yesterday()} 10:00:00,CK1,,100.00,\n`;
      await workOn(FILES_AT, await uploadFile(FILES_AT, rows));
    },
    body: async () => ({ ...REASON, key: `${yesterday()}/payment/CK1`, decision: 'accept' }),
    entry: 'provider_line.decided',
  },
  '/maintenance/begin': { ...IN_DATABASE, body: REASON, entry: 'maintenance.began' },
  '/maintenance/end': {
    ...IN_DATABASE,
    scene: after('/maintenance/begin'),
    entry: 'maintenance.ended',
  },
  '/members/pause-changes': { ...IN_DATABASE, entry: 'member_changes.paused' },
  '/members/resume-changes': {
    ...IN_DATABASE,
    scene: after('/members/pause-changes'),
    entry: 'member_changes.resumed',
  },
};

/** A restore is many requests with one entry at its end: test/workers/recovery/restore.long.test.ts. */
const FILES = '/provider-files/:environment/:method';
const ELSEWHERE = [
  ...['/restore', '/restore/close', '/restore/parts'],
  // They write no entry: the beginning of an upload has it.
  ...[`${FILES}/preview`, `${FILES}/:fileId/pieces`, `${FILES}/:fileId/finish`],
];

/** The paths of all actions, with the names of their parts. */
export const PATHS = ACTIONS.map(({ path }) => path).filter((path) => !ELSEWHERE.includes(path));

export function operationOf(path: string): Operation {
  const operation = OPERATIONS[path];
  if (operation === undefined) {
    throw new Error(`no row for ${path}`);
  }
  return operation;
}

/** A request of the API. */
export interface Prepared {
  readonly operation: Operation;
  readonly values: Values;
  readonly path: string;
  readonly body: Body;
}

/** Brings the gateway to the state in which the request is due. */
export async function prepare(path: string, caught: CaughtMessages): Promise<Prepared> {
  const operation = operationOf(path);
  const { scene, values = {}, body = {} } = operation;
  await scene?.(caught);
  const all = { ...VALUES, ...(typeof values === 'function' ? await values() : values) };
  return {
    operation,
    values: all,
    path: pathWith(path, all),
    body: typeof body === 'function' ? await body() : body,
  };
}

export function pathWith(path: string, values: Values): string {
  return path.replace(/:(\w+)/g, (_all, name: string) => values[name] ?? '');
}

/** Sends it as an operator whose name is proved, as sending money again needs. */
export function send(path: string, body: unknown): Promise<Answer> {
  return operateApi(path, body, { authorization: `Bearer ${PERSONAL_SECRETS.Hana}` });
}

/** The rails that the scenes need. Called once per file, at its top. */
export function useOperations(): void {
  configureRails({
    RAIL_M_PESA_PRODUCTION: MPESA,
    RAIL_ETS_SWITCH_PRODUCTION: { ...CARDS, refundRepeats: true },
  });
}

/** The state that another operation leaves. */
function after(path: string): NonNullable<Operation['scene']> {
  return async (caught) => {
    const before = await prepare(path, caught);
    expect((await send(before.path, before.body)).status).toBe(200);
  };
}

/** As it must be before it is closed. */
async function exportedMerchant(): Promise<void> {
  await content(operateApi(`/merchants/${ALPHA.id}/suspend`, REASON));
  await content(operateApi(`/merchants/${ALPHA.id}/production/export`, {}));
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
async function deadEvent(caught: CaughtMessages): Promise<void> {
  merchantServer(() => new Response('no', { status: 410 }));
  await createHosted();
  await execute({ type: 'abandon_payment' });
  await consume('kefel-webhooks', caught.webhooks.splice(0));
  await project(caught);
}

/** A refund in production whose provider call the process did not survive. */
async function unresolvedRefund(caught: CaughtMessages): Promise<void> {
  railServer(async () => Response.json({ errorCode: 0 }));
  await payExpress({ method: 'ETS_SWITCH', returnUrl: 'https://shop.example.com/done' });
  const { id: attemptId } = await attemptNow();
  const accepted = { redirectUrl: 'https://cards.rail.test/pay', railReference: 'md-order' };
  await run({ type: 'accept_attempt', attemptId, ...accepted });
  const outcome = { type: 'succeeded', receipt: 'RRN-1' } as const;
  await run({ type: 'resolve_attempt', attemptId, outcome });
  await requestRefund(env, PRODUCTION, {
    paymentUniqueId: 'order-1',
    refundUniqueId: 'r1',
    transactionId: null,
    amountMinor: 4_000,
    reason: null,
    requester: { type: 'operator', operator: 'Hana', isProved: true },
    idempotency: null,
  });
  const deadlineAtMs = Date.now() + HOUR_MS;
  await run({ type: 'claim_refund', refundId: 'r1', claimId: 'c1', deadlineAtMs });
  await run({
    type: 'resolve_refund',
    refundId: 'r1',
    outcome: { type: 'unknown', checkAtMs: null },
  });
  advance(2 * HOUR_MS);
  expect((await intentNow()).refunds[0]?.status).toBe('unresolved');
  await project(caught);
}
