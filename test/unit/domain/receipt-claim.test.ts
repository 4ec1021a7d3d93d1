import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../../src/engine/domain/decide.ts';
import {
  CLAIMS_MAX,
  claimableAttempt,
  claimedReceipt,
} from '../../../src/engine/domain/receipt-claim.ts';
import { abandon, fail, someTerms, startAttempt, succeed } from '../../support/intents.ts';

/**
 * Goal: what a customer says they paid by is kept for a person, within limits, and changes nothing
 * else of the payment (docs/decisions.md#65).
 */

test.each([
  ['DI26D9N4AW', 'DI26D9N4AW'],
  [' di26 d9n4 aw\n', 'di26d9n4aw'],
  ['ＤＩ２６Ｄ９Ｎ４ＡＷ', 'DI26D9N4AW'],
  ['49485948475845', '49485948475845'],
  ['a1b2-c3d4', 'a1b2-c3d4'],
  // The whole message, or the link in it.
  [
    'Dear Abebe You have transferred ETB 60.00 to Shop (2519****4025). Your transaction number is DFH51OFIED. The service fee is ETB 0.87',
    'DFH51OFIED',
  ],
  ['https://transactioninfo.ethiotelecom.et/receipt/DHV6C15J1S', 'DHV6C15J1S'],
  ['Dear Sara, you sent 42.00Br. Txn ID DB9215LOOSO. Your balance is 217.00Br.', 'DB9215LOOSO'],
])('%j names the receipt %j', (typed, receipt) => {
  expect(claimedReceipt(typed)).toBe(receipt);
});

test.each([
  '',
  '    ',
  '12345',
  'I have paid, please help',
  'ከፍያለሁ',
  'ABCDEFGHIJ',
  '0911234567',
  '+251 911 234 567',
  '../../../../etc/passwd'.repeat(10),
  'A1'.repeat(33),
  '<script>alert(1)</script>\u0000',
])('%j is no receipt', (typed) => {
  expect(claimedReceipt(typed)).toBeNull();
});

function claim(receipt: string, attemptId = 'a'): Command {
  return { type: 'claim_receipt', attemptId, receipt };
}

const START = startAttempt('a');
const OPEN = openIntent(someTerms());

function after(...commands: Command[]) {
  return decide(OPEN, commands, 1).intent;
}

test('a claim is a visible change without an event, status or outcome of its own', () => {
  const left = after(START, abandon('a'));
  const { steps, intent, rejection } = decide(left, [claim('DI26D9N4AW')], 2);
  expect(rejection).toBeNull();
  expect(steps.map(({ event }) => event)).toEqual([null]);
  const [attempt] = left.attempts;
  expect(intent).toEqual({
    ...left,
    version: left.version + 1,
    previousStatus: left.previousStatus,
    updatedAtMs: 2,
    attempts: [{ ...attempt, claimedReceipts: ['DI26D9N4AW'] }],
  });
  // The number of the receipt by which the provider later reports the payment says nothing new.
  const paid = decide(intent, [succeed('a')], 3).intent;
  expect(paid).toMatchObject({ status: 'succeeded', attempts: [{ receipt: 'RAIL-a' }] });
});

test.each<[string, readonly Command[], Command, string | null]>([
  [
    'the same number, written in another way',
    [START, claim('DI26D9N4AW')],
    claim('di26-d9n4aw'),
    null,
  ],
  [
    'one number too many',
    [START, ...['AAAAA1', 'AAAAA2', 'AAAAA3'].map((one) => claim(one))],
    claim('AAAAA4'),
    'claim_refused',
  ],
  ['a text that is no number', [START], claim('my money'), 'claim_refused'],
  ['a payment that is paid', [START, succeed('a')], claim('DI26D9N4AW'), 'attempt_not_pending'],
  [
    'another attempt of a payment that is paid',
    [START, abandon('a'), startAttempt('b'), succeed('b')],
    claim('DI26D9N4AW'),
    'attempt_not_pending',
  ],
  ['an attempt that failed', [START, fail('a')], claim('DI26D9N4AW'), 'attempt_not_pending'],
  ['another payment’s attempt', [START], claim('DI26D9N4AW', 'x'), 'attempt_not_found'],
])('%s changes nothing', (_name, before, command, rejection) => {
  const intent = after(...before);
  expect(decide(intent, [command], 2)).toEqual({ steps: [], intent, rejection });
});

test('a thousand claims store three', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => claim(`NUMBER${1_000 + index}`));
  const claimed = many.reduce((intent, one) => decide(intent, [one], 2).intent, after(START));
  expect(claimed.attempts[0]?.claimedReceipts).toEqual(
    Array.from({ length: CLAIMS_MAX }, (_, index) => `NUMBER${1_000 + index}`),
  );
});

test('the page asks about the newest attempt whose time is over, and none of a paid payment', () => {
  const asked = (nowMs: number, ...commands: Command[]) =>
    claimableAttempt(after(...commands), nowMs)?.id ?? null;
  expect(asked(2, START)).toBeNull();
  expect(asked(60_000, START)).toBe('a');
  expect(asked(2, START, abandon('a'))).toBe('a');
  expect(asked(2, START, abandon('a'), startAttempt('b'), abandon('b'))).toBe('b');
  expect(asked(2, START, abandon('a'), startAttempt('b'), succeed('b'))).toBeNull();
});
