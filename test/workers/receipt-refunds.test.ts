import { expect, test } from 'vitest';
import type { Command } from '../../src/domain/intent.ts';
import type { RefundOutcome } from '../../src/domain/refund.ts';
import { requestRefund } from '../support/intents.ts';
import {
  call,
  createHosted,
  execute,
  MINUTE_MS,
  pathOf,
  resolveAttempt,
  startRedirect,
  useGateway,
} from './support.ts';

/**
 * Goal: a customer's receipt says in plain words what became of their money after a refund, in every
 * language. Method: the receipt as a browser gets it, after the steps of a refund.
 */

useGateway();

function request(id: string, amountMinor: number): Command {
  return requestRefund(id, {
    attemptId: 'a0',
    amountMinor,
    reason: 'Secret of the merchant',
    requester: { type: 'operator', operator: 'abebe', isProved: false },
    reference: id.padEnd(20, 'A').toUpperCase(),
  });
}

function claim(refundId: string): Command {
  const deadlineAtMs = Date.now() + MINUTE_MS;
  return { type: 'claim_refund', refundId, claimId: refundId, deadlineAtMs };
}

function resolve(refundId: string, outcome: RefundOutcome): Command {
  return { type: 'resolve_refund', refundId, outcome };
}

const SUCCEEDED: RefundOutcome = { type: 'succeeded', railReference: null };

/** Pays, runs the commands, and reads the receipt. */
async function receiptAfter(commands: readonly Command[], language = 'en'): Promise<string> {
  const url = await createHosted({ commissionPaidByCustomer: true });
  await execute(startRedirect('a0'), resolveAttempt('a0', 'succeeded'));
  await execute(...commands);
  const path = `${pathOf(url)}?lang=${language}`;
  const html = await (await call(path, { apiKey: null })).text();
  return html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

const LANGUAGES: readonly (readonly [string, string, string])[] = [
  ['en', 'Refunds', 'Returned to you'],
  ['am', 'ተመላሽ ገንዘብ', 'ተመልሶልዎታል'],
  ['om', 'Maallaqa deebi’e', 'Isiniif deebi’eera'],
  ['ti', 'ተመላሲ ገንዘብ', 'ተመሊሱልኩም ኣሎ'],
];
test.each(LANGUAGES)(
  '%s: shows what was returned, with the commission',
  async (language, ...texts) => {
    const text = await receiptAfter(
      [request('r1', 5_000), claim('r1'), resolve('r1', SUCCEEDED)],
      language,
    );
    for (const part of texts) {
      expect(text).toContain(part);
    }
    // 50.00 and its part of the commission of 1.01.
    const year = new Date(Date.now()).getUTCFullYear();
    expect(text).toMatch(new RegExp(`50\\.50 \\d+ .* ${year}`));
    expect(text).not.toContain('Secret');
    // A customer who looks for a refund is not sent back to the merchant.
    expect(text).not.toContain('10 s');
  },
);

const ASKED = [request('r1', 5_000)];
const CALLED = [...ASKED, claim('r1')];
test.each([
  ['pending', ASKED, 'On its way back to you'],
  ['unresolved', [...CALLED, resolve('r1', { type: 'unknown', checkAtMs: null })], 'On its way'],
  [
    'waiting for the operator',
    [...CALLED, resolve('r1', { type: 'requires_action', reason: 'not_enabled' })],
    'On its way back to you',
  ],
  [
    'failed',
    [...CALLED, resolve('r1', { type: 'failed', reason: 'declined' })],
    'Not returned. Please ask Addis Books.',
  ],
])('says what a refund means that is %s', async (_name, commands, expected) => {
  const text = await receiptAfter(commands);
  expect(text).toContain(expected);
  expect(text).not.toContain('Returned to you');
});

test.each([
  ['there is none', []],
  ['it was canceled', [...ASKED, { type: 'cancel_refund', refundId: 'r1' } as const]],
])('mentions no refund when %s', async (_name, commands) => {
  expect(await receiptAfter(commands)).not.toContain('Refunds');
});
