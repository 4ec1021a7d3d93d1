import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import {
  OPERATOR_PROBLEMS,
  type OperatorProblemCode,
} from '../../../back-office/operator/problems.ts';
import type { Rejection } from '../../../src/engine/domain/command.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import * as askRail from '../../../src/engine/refunds/ask-rail.ts';
import { applyAll, projectionMessage } from '../book/fixture.ts';
import { backUp, loseGateway, RUN, withRecovery } from '../recovery/restore-support.ts';
import { recordMigrations } from '../support/backup.ts';
import {
  ALPHA,
  answerOf,
  createHosted,
  DAY_MS,
  intentOf,
  tenantOf,
  useGateway,
} from '../support.ts';
import { pathWith, prepare } from './operations.ts';
import { PORTAL, storePortal, uploadFile, workOn, yesterday } from './provider-file-support.ts';
import {
  type OperateOptions,
  operate,
  PERSONAL_SECRETS,
  refundByHand,
  TWO_OPERATORS,
} from './support.ts';

/**
 * Goal: every error that only the operator's API has can happen, in its documented form. Method: as
 * test/workers/api/errors.test.ts; the payment's rejections are stubbed, because requests cannot
 * reach all of them.
 */

const caught = useGateway();

const V1 = '/operator/v1';
const FILES_AT = 'sandbox/TELE_BIRR';
const UPLOAD = `${V1}/provider-files/${FILES_AT}/00000000-0000`;
const PAYMENT = '/payments/:environment/:merchantId/:uniqueId';
const RESOLVE = `${PAYMENT}/attempts/:attemptId/resolve`;
const DECIDE = `${PAYMENT}/refunds/:refundId/resolve`;
const TEAM = 'down.cloudflareaccess.com';

function behindAccess(headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const access = { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_AUDIENCE: 'a'.repeat(64) };
  return operate(`${V1}/banks`, undefined, { headers, bindings: { ...env, ...access } });
}

/** The request of an action, sent where it is due. */
async function sent(action: string, options?: OperateOptions): Promise<Response> {
  const { path, body } = await prepare(action, caught);
  return operate(`${V1}${path}`, body, options);
}

/** The same request once more. */
async function sentTwice(action: string, options?: OperateOptions): Promise<Response> {
  const { path, body } = await prepare(action, caught);
  await operate(`${V1}${path}`, body, options);
  return operate(`${V1}${path}`, body, options);
}

/** A manual resolution that the payment rejects for this reason. */
async function rejected(rejection: Rejection): Promise<Response> {
  const { path, body } = await prepare(RESOLVE, caught);
  const result = { type: 'done', intent: await intentOf(), rejection, answer: null } as const;
  vi.spyOn(IntentClient.prototype, 'execute').mockResolvedValue(result);
  return operate(`${V1}${path}`, body);
}

/** Asks for a repeat of a refund of the sandbox. */
function repeated(): Promise<Response> {
  const path = `${V1}/payments/sandbox/${ALPHA.id}/order-1/refunds/r1/repeat`;
  return operate(path, { note: 'x' });
}

const PROVOKED: Readonly<Record<OperatorProblemCode, () => Promise<Response>>> = {
  credentials_missing: () => operate(`${V1}/banks`, undefined, { authorization: null }),
  operator_secret_invalid: () => operate(`${V1}/banks`, undefined, { authorization: 'Bearer x' }),
  access_token_invalid: () => behindAccess(),
  access_keys_unavailable: () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('network'));
    const [header, payload] = [{ alg: 'RS256', kid: 'k1' }, { iss: `https://${TEAM}` }].map(
      (part) => btoa(JSON.stringify(part)).replaceAll('=', ''),
    );
    return behindAccess({ 'cf-access-jwt-assertion': `${header}.${payload}.AAAA` });
  },
  operator_name_invalid: () => sent('/banks', { headers: { 'x-operator': 'x'.repeat(101) } }),
  rail_not_configured: () => operate(`${V1}/rails/production/M_PESA/probe`, {}),
  attempt_not_found: async () => {
    const { values, body } = await prepare(RESOLVE, caught);
    return operate(`${V1}${pathWith(RESOLVE, { ...values, attemptId: 'none' })}`, body);
  },
  window_open: () => rejected('window_open'),
  query_due: () => rejected('query_due'),
  attempt_not_pending: () => rejected('attempt_not_pending'),
  resolution_invalid: () => rejected('malformed_resolution'),
  receipt_used: () => rejected('receipt_used'),
  refund_not_resolvable: () => sentTwice(DECIDE),
  refund_not_repeatable: async () => {
    await refundByHand();
    vi.spyOn(askRail, 'isRepeatable').mockResolvedValue(true);
    return repeated();
  },
  refund_repeat_not_offered: async () => {
    await refundByHand();
    return repeated();
  },
  second_operator_needed: () => {
    const authorization = `Bearer ${PERSONAL_SECRETS.Hana}`;
    return sentTwice(DECIDE, { authorization, bindings: TWO_OPERATORS });
  },
  operator_not_verified: () => sent(DECIDE, { bindings: TWO_OPERATORS }),
  resolution_rejected: () => rejected('not_open'),
  merchant_exists: () => sentTwice('/merchants'),
  merchant_suspended: async () => {
    await sent('/merchants/:merchantId/suspend');
    return sent('/merchants/:merchantId/invitations');
  },
  merchant_closed: async () => {
    await sent('/merchants/:merchantId/close');
    return sent('/merchants/:merchantId/invitations');
  },
  merchant_not_suspended: () => operate(`${V1}/merchants/${ALPHA.id}/close`, { reason: 'Over' }),
  merchant_not_exported: async () => {
    await sent('/merchants/:merchantId/suspend');
    return operate(`${V1}/merchants/${ALPHA.id}/close`, { reason: 'Over' });
  },
  bank_exists: () => sentTwice('/banks'),
  backup_not_found: () => operate(`${V1}/backups/20900101T013700Z/parts`),
  nothing_to_back_up: async () => {
    await loseGateway(new Map());
    await recordMigrations();
    return operate(`${V1}/backups`, {});
  },
  bank_unchanged: () => operate(`${V1}/banks/CBE`, {}),
  backup_unreadable: () =>
    operate(`${V1}/restore/parts`, { name: `runs/${RUN}`, base64: btoa('no part') }),
  backup_newer: async () => {
    await env.DB.prepare('CREATE TABLE d1_migrations (name TEXT)').run();
    await loseGateway(await backUp([], [], { migrations: ['0099_later.sql'] }));
    await env.DB.prepare('CREATE TABLE d1_migrations (name TEXT)').run();
    return operate(`${V1}/restore`, { run: RUN });
  },
  gateway_not_empty: async () => {
    const bucket = await backUp([], []);
    await Promise.all([...bucket].map(([name, bytes]) => env.BACKUPS.put(name, bytes)));
    return operate(`${V1}/restore`, { run: RUN });
  },
  restore_under_way: async () => {
    const bucket = await backUp([], []);
    await loseGateway(bucket);
    await operate(`${V1}/restore`, { run: RUN });
    await env.DB.prepare("UPDATE restore SET run = '20900101T011700Z'").run();
    return operate(`${V1}/restore`, { run: RUN });
  },
  restore_missing_changed: async () => {
    const bucket = await backUp([], []);
    await loseGateway(bucket);
    await operate(`${V1}/restore`, { run: RUN });
    return operate(`${V1}/restore/close`, { run: RUN, without: '00000000' });
  },
  restore_step_taken: async () => {
    const bucket = await backUp([], []);
    await loseGateway(bucket);
    const taken = new Error('D1_ERROR: UNIQUE constraint failed: restore.id: SQLITE_CONSTRAINT');
    vi.spyOn(env.DB, 'batch').mockRejectedValueOnce(taken);
    return operate(`${V1}/restore`, { run: RUN });
  },
  book_empty: () => operate(`${V1}/books/sandbox/${ALPHA.id}/rebuild`, {}),
  recovery_not_offered: () => {
    const at = new Date(Date.now()).toISOString().replace(/\.\d+/, '');
    return operate(`${V1}/books/sandbox/${ALPHA.id}/restore`, { at });
  },
  payment_remembers: async () => {
    await createHosted();
    await withRecovery('order-1');
    const path = `${V1}/payments/sandbox/${ALPHA.id}/order-1/restore`;
    return operate(path, { at: '2089-01-01T00:00Z' });
  },
  provider_profile_unknown: () =>
    operate(`${V1}/provider-files/${FILES_AT}`, { name: 'day.csv', profile: 'None' }),
  provider_piece_size: () => operate(`${UPLOAD}/pieces`, { number: 0, base64: '' }),
  provider_file_incomplete: async () => {
    await storePortal(FILES_AT);
    const fileId = '00000000-0000';
    await operate(`${V1}/provider-files/${FILES_AT}`, { fileId, name: 'a', profile: PORTAL.name });
    return operate(`${UPLOAD}/finish`, {});
  },
  provider_line_changed: async () => {
    await storePortal(FILES_AT);
    await workOn(FILES_AT, await uploadFile(FILES_AT, `${yesterday()} 10:00:00,CK1,,100.00,\n`));
    const line = { key: `${yesterday()}/payment/CK1`, decision: 'not_ours', reason: 'Seen' };
    return operate(`${V1}/provider-lines/${FILES_AT}/decide`, { ...line, seen: 'matched' });
  },
  provider_line_settled: async () => {
    const paid = { status: 'succeeded', method: 'TELE_BIRR' } as const;
    const paidAtMs = Date.now() - DAY_MS;
    await applyAll([projectionMessage(tenantOf(ALPHA), 1, paid, { paidAtMs })]);
    await storePortal(FILES_AT);
    const rows = `${yesterday()} 10:00:00,CK1,,100.00,\n`;
    await workOn(FILES_AT, await uploadFile(FILES_AT, rows));
    const key = `${yesterday()}/missing/${ALPHA.id}/order-1`;
    const line = { key, decision: 'not_ours', reason: 'Seen' };
    return operate(`${V1}/provider-lines/${FILES_AT}/decide`, line);
  },
};

test.each(Object.keys(PROVOKED) as OperatorProblemCode[])('%s', async (code) => {
  const { status, envelope } = await answerOf(PROVOKED[code]());
  expect({ status, code: envelope.code }).toEqual({ status: OPERATOR_PROBLEMS[code].status, code });
  expect(envelope.message).not.toMatch(/[{}]|undefined/);
});

test.each([
  ['unknown_field', 'colour', () => operate(`${V1}/banks`, { colour: 1 })],
  ['duplicate', 'limit', () => operate(`${V1}/merchants?limit=1&limit=2`)],
] as const)('the field code %s', async (code, field, send) => {
  const { envelope } = await answerOf(send());
  expect(envelope.validationErrorCodes).toMatchObject({ [field]: code });
});
