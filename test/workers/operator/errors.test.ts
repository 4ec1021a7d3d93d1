import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import {
  OPERATOR_PROBLEMS,
  type OperatorProblemCode,
} from '../../../back-office/operator/problems.ts';
import type { Rejection } from '../../../src/engine/domain/command.ts';
import { IntentClient } from '../../../src/engine/intent/client.ts';
import * as askRail from '../../../src/engine/refunds/ask-rail.ts';
import { backUp, loseGateway, RUN, withRecovery } from '../recovery/restore-support.ts';
import { recordMigrations } from '../support/backup.ts';
import {
  ALPHA,
  answerOf,
  createHosted,
  execute,
  intentOf,
  startRedirect,
  useGateway,
} from '../support.ts';
import { operate, PERSONAL_SECRETS, refundByHand, TWO_OPERATORS } from './support.ts';

/**
 * Goal: every error that only the operator's API has can happen, in its documented form. Method: as
 * test/workers/api/errors.test.ts; the payment's rejections are stubbed, because requests cannot
 * reach all of them.
 */

useGateway();

const V1 = '/operator/v1';
const PAYMENT = `${V1}/payments/sandbox/${ALPHA.id}/order-1`;
const NOT_RETURNED = { outcome: 'not_returned', note: 'The account is closed' };
const BANK = { code: 'NEW', name: 'New Bank', supportsWithdrawal: true };
const TEAM = 'down.cloudflareaccess.com';

function behindAccess(headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const access = { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_AUDIENCE: 'a'.repeat(64) };
  return operate(`${V1}/banks`, undefined, { headers, bindings: { ...env, ...access } });
}

/** A manual resolution that the payment rejects for this reason. */
async function rejected(rejection: Rejection): Promise<Response> {
  await createHosted();
  await execute(startRedirect('a1'));
  const intent = await intentOf();
  const result = { type: 'done', intent, rejection, answer: null } as const;
  vi.spyOn(IntentClient.prototype, 'execute').mockResolvedValue(result);
  return resolve('a1');
}

function resolve(attempt: string): Promise<Response> {
  const decision = { outcome: 'succeeded', receipt: 'R1', note: 'Seen in the portal' };
  return operate(`${PAYMENT}/attempts/${attempt}/resolve`, decision);
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
  operator_name_invalid: () =>
    operate(`${V1}/banks`, BANK, { headers: { 'x-operator': 'x'.repeat(101) } }),
  rail_not_configured: () => operate(`${V1}/rails/production/M_PESA/probe`, {}),
  attempt_not_found: async () => {
    await createHosted();
    return resolve('none');
  },
  window_open: () => rejected('window_open'),
  query_due: () => rejected('query_due'),
  attempt_not_pending: () => rejected('attempt_not_pending'),
  resolution_invalid: () => rejected('malformed_resolution'),
  receipt_used: () => rejected('receipt_used'),
  refund_not_resolvable: async () => {
    await refundByHand();
    await operate(`${PAYMENT}/refunds/r1/resolve`, NOT_RETURNED);
    return operate(`${PAYMENT}/refunds/r1/resolve`, NOT_RETURNED);
  },
  refund_not_repeatable: async () => {
    await refundByHand();
    vi.spyOn(askRail, 'isRepeatable').mockResolvedValue(true);
    return operate(`${PAYMENT}/refunds/r1/repeat`, { note: 'x' });
  },
  refund_repeat_not_offered: async () => {
    await refundByHand();
    return operate(`${PAYMENT}/refunds/r1/repeat`, { note: 'x' });
  },
  second_operator_needed: async () => {
    await refundByHand();
    const authorization = `Bearer ${PERSONAL_SECRETS.Hana}`;
    const options = { authorization, bindings: TWO_OPERATORS };
    await operate(`${PAYMENT}/refunds/r1/resolve`, NOT_RETURNED, options);
    return operate(`${PAYMENT}/refunds/r1/resolve`, NOT_RETURNED, options);
  },
  operator_not_verified: async () => {
    await refundByHand();
    return operate(`${PAYMENT}/refunds/r1/resolve`, NOT_RETURNED, { bindings: TWO_OPERATORS });
  },
  resolution_rejected: () => rejected('not_open'),
  merchant_exists: () => operate(`${V1}/merchants`, { id: ALPHA.id, name: 'Again' }),
  merchant_suspended: async () => {
    await operate(`${V1}/merchants/${ALPHA.id}/suspend`, { reason: 'Fraud' });
    const invitation = { name: 'Abebe', role: 'owner' };
    return operate(`${V1}/merchants/${ALPHA.id}/invitations`, invitation);
  },
  bank_exists: async () => {
    await operate(`${V1}/banks`, BANK);
    return operate(`${V1}/banks`, BANK);
  },
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
    await loseGateway(await backUp([], [], ['0099_later.sql']));
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
  restore_step_taken: async () => {
    const bucket = await backUp([], []);
    await loseGateway(bucket);
    const taken = new Error('D1_ERROR: UNIQUE constraint failed: restore.id: SQLITE_CONSTRAINT');
    vi.spyOn(env.DB, 'batch').mockRejectedValueOnce(taken);
    return operate(`${V1}/restore`, { run: RUN });
  },
  payment_remembers: async () => {
    await createHosted();
    await withRecovery('order-1');
    return operate(`${PAYMENT}/restore`, { at: '2089-01-01T00:00Z' });
  },
};

test.each(Object.keys(PROVOKED) as OperatorProblemCode[])('%s', async (code) => {
  const { status, envelope } = await answerOf(PROVOKED[code]());
  expect({ status, code: envelope.code }).toEqual({ status: OPERATOR_PROBLEMS[code].status, code });
  expect(envelope.message).not.toMatch(/[{}]|undefined/);
});

test.each([
  ['unknown_field', 'colour', () => operate(`${V1}/banks`, { ...BANK, colour: 1 })],
  ['duplicate', 'limit', () => operate(`${V1}/merchants?limit=1&limit=2`)],
] as const)('the field code %s', async (code, field, send) => {
  const { envelope } = await answerOf(send());
  expect(envelope.validationErrorCodes).toEqual({ [field]: code });
});
