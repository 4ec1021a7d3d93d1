import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import { type Party, partyOf } from '../../../src/engine/domain/party.ts';
import type {
  RefundCapability,
  RefundOutcome,
  RefundRequester,
} from '../../../src/engine/domain/refund.ts';
import type { IntentKind } from '../../../src/engine/domain/terms.ts';
import { historyDetail } from '../../../src/engine/intent/history.ts';
import type { HistoryDetail } from '../../../src/engine/intent/protocol.ts';
import {
  ABANDON_PAYMENT,
  abandon,
  CANCEL,
  claimRefund,
  fail,
  failManually,
  refuseCallback,
  requestRefund,
  resolveRefund,
  resolveRefundManually,
  someTerms,
  startAttempt,
  succeed,
  succeedManually,
  TICK,
} from '../../support/intents.ts';
import { at, type Story, timed } from '../../support/story.ts';

/**
 * Goal: each step of a payment records who caused it and why, without a phone number. Method: run
 * stories through the machine, and compare the whole detail of the last step.
 */

/**
 * The details of every step of the last command: a transition that was due before it is a separate
 * step.
 */
function detailsAfter(story: Story, kind: IntentKind = 'hosted'): HistoryDetail[] {
  let intent: Intent = openIntent(someTerms({ kind }));
  let details: HistoryDetail[] = [];
  for (const { atMs, command } of timed(story)) {
    let before = intent;
    const decision = decide(intent, [command], atMs);
    details = decision.steps.map((step) => {
      const detail = historyDetail(step.command, before, step.intent);
      before = step.intent;
      return detail;
    });
    intent = decision.intent;
  }
  return details;
}

const START = startAttempt('a', { phone: '251911234567' });
const PUSH = startAttempt('a', { flow: 'push', phone: '251911234567' });
const A = { attemptIndex: 0, method: 'TELE_BIRR' };
/** A step of the attempt, as its detail names it. */
const step = (actor: Party, attemptStatus: string, more: object = {}) => ({
  ...{ actor, ...A, attemptStatus },
  ...more,
});
const FOUND = { outcome: 'succeeded', receipt: 'RAIL-a' };
const PAID_BY_RAIL = step('rail', 'succeeded', FOUND);
const FAILED_BY_RAIL = { outcome: 'failed', reason: 'insufficient_funds' };
const CLOSED = step('clock', 'expired', { reason: 'timed_out' });
const HANA = { operator: 'Hana', operatorProved: true };
const FOUND_BY_HANA = {
  ...{ outcome: 'succeeded', receipt: 'HAND-1', ...HANA },
  note: 'Found in the statement of the day.',
};
const failedWithCode = (providerCode: string): Command => ({
  type: 'resolve_attempt',
  attemptId: 'a',
  outcome: { type: 'failed', reason: 'insufficient_funds', providerCode },
});
const ONLY_A = startAttempt('a', { windowIsFinal: true });
const UNTIL_EXPIRY = startAttempt('a', { deadlineAtMs: 60_000, windowIsFinal: true });
const B: Story = [at(3, startAttempt('b')), at(4, succeed('b'))];

test.each<[string, IntentKind, Story, ...object[]]>([
  ['a customer starts', 'hosted', [at(1, START)], step('customer', 'processing')],
  ['a merchant starts', 'express', [at(1, START)], step('merchant', 'processing')],
  ['paid', 'hosted', [at(1, START), at(2, succeed('a'))], PAID_BY_RAIL],
  [
    'failed, with the provider’s code',
    'hosted',
    [at(1, START), at(2, failedWithCode('1'))],
    step('rail', 'failed', { ...FAILED_BY_RAIL, providerCode: '1' }),
  ],
  [
    'failed, with a provider code that may contain personal data',
    'hosted',
    [at(1, START), at(2, failedWithCode('0911234567'))],
    step('rail', 'failed', FAILED_BY_RAIL),
  ],
  ['a window closes', 'hosted', [at(1, PUSH), at(30_000, TICK)], step('clock', 'unresolved')],
  ['a final window closes', 'express', [at(1, ONLY_A), at(30_000, TICK)], CLOSED],
  ['time runs out', 'hosted', [at(60_000, TICK)], { actor: 'clock' }],
  [
    'the customer abandons the attempt',
    'hosted',
    [at(1, START), at(2, abandon('a'))],
    step('customer', 'unresolved', { reason: 'abandoned' }),
  ],
  [
    'the customer abandons the payment',
    'hosted',
    [at(1, ABANDON_PAYMENT)],
    { actor: 'customer', reason: 'abandoned' },
  ],
  ['the merchant cancels', 'hosted', [at(1, CANCEL)], { actor: 'merchant' }],
  [
    'a callback is refused',
    'hosted',
    [at(1, START), at(2, refuseCallback('a'))],
    step('rail', 'processing', { anomaly: 'refused_callback' }),
  ],
  [
    'a callback is refused after the payment failed: the reason is of an earlier step',
    'express',
    [at(1, START), at(2, fail('a')), at(3, refuseCallback('a'))],
    step('rail', 'failed', { anomaly: 'refused_callback' }),
  ],
  [
    'paid after a callback was refused: the refusal is of an earlier step',
    'hosted',
    [at(1, START), at(2, refuseCallback('a')), at(3, succeed('a'))],
    PAID_BY_RAIL,
  ],
  [
    'the provider contradicts itself',
    'hosted',
    [at(1, START), at(2, succeed('a')), at(3, fail('a'))],
    step('rail', 'succeeded', {
      ...{ outcome: 'failed', reason: 'declined' },
      anomaly: 'contradicting_failure',
    }),
  ],
  [
    'late, and the expiry that was due before it',
    'hosted',
    [at(1, UNTIL_EXPIRY), at(60_000, succeed('a'))],
    CLOSED,
    step('rail', 'succeeded', { ...FOUND, late: true }),
  ],
  [
    'manually resolved as paid',
    'hosted',
    [at(1, PUSH), at(60_000, TICK), at(90_000, succeedManually('a'))],
    step('operator', 'succeeded', { ...FOUND_BY_HANA, late: true }),
  ],
  [
    'paid twice, as an operator finds out',
    'hosted',
    [at(1, START), at(2, abandon('a')), ...B, at(40_000, succeedManually('a'))],
    step('operator', 'succeeded', { ...FOUND_BY_HANA, anomaly: 'duplicate_payment' }),
  ],
  [
    'manually resolved as unpaid',
    'express',
    [at(1, PUSH), at(30_000, TICK), at(30_000, failManually('a'))],
    step('operator', 'failed', {
      ...{ outcome: 'failed', reason: 'declined', ...HANA },
      note: 'The rail knows of no payment.',
    }),
  ],
])('%s', (_name, kind, story, ...details) => {
  expect(detailsAfter(story, kind)).toEqual(details);
});

const PAID: Story = [at(1, START), at(2, succeed('a'))];
const CLAIM = claimRefund('r');

function request(requester: RefundRequester, capability: RefundCapability | null): Command {
  return requestRefund('r', { attemptId: 'a', amountMinor: 400, requester }, { capability });
}

const BY_API = { takesParts: true, wholeAmountsOnly: false, windowMs: null };
const REQUEST = request({ type: 'api', keyId: 'key' }, BY_API);

const answer = (outcome: RefundOutcome) => resolveRefund('r', outcome);
const byHand = (secondOperatorAboveMinor: number | null) =>
  resolveRefundManually('r', {
    operator: 'Hana',
    note: 'Told 0911234567',
    secondOperatorAboveMinor,
  });

const BY_HANA = { actor: 'operator', ...HANA, note: 'Told …' };
const RETURNED = { type: 'succeeded', railReference: 'BANK-7' } as const;

test.each<[string, Command[], object]>([
  ['requested', [REQUEST], { actor: 'merchant', refund: { status: 'pending' } }],
  [
    'requested by an operator, from a provider that returns no money by API',
    [request({ type: 'operator', operator: 'Hana', isProved: false }, null)],
    {
      actor: 'operator',
      operator: 'Hana',
      operatorProved: false,
      refund: { status: 'requires_action', reason: 'not_supported' },
    },
  ],
  ['claimed', [REQUEST, CLAIM], { actor: 'clock', refund: { status: 'processing' } }],
  [
    'returned',
    [REQUEST, CLAIM, answer({ ...RETURNED, providerCode: '0' })],
    {
      actor: 'rail',
      refund: { status: 'succeeded', railReference: 'BANK-7', providerCode: '0' },
    },
  ],
  [
    'refused',
    [REQUEST, CLAIM, answer({ type: 'failed', reason: 'declined', providerCode: 'E7' })],
    { actor: 'rail', refund: { status: 'failed', reason: 'declined', providerCode: 'E7' } },
  ],
  [
    'proposed',
    [request({ type: 'api', keyId: 'key' }, null), byHand(0)],
    {
      ...BY_HANA,
      refund: { status: 'requires_action', reason: 'not_supported', proposed: true },
    },
  ],
  [
    'returned by hand',
    [request({ type: 'api', keyId: 'key' }, null), byHand(null)],
    { ...BY_HANA, refund: { status: 'succeeded', railReference: 'BANK-7' } },
  ],
  [
    'contradicted after it was returned',
    [REQUEST, CLAIM, answer(RETURNED), answer({ type: 'failed', reason: 'declined' })],
    { actor: 'rail', anomaly: 'contradicting_refund' },
  ],
])('a refund is %s', (_name, commands, expected) => {
  const story = [...PAID, ...commands];
  const { refund, ...detail }: { refund?: object } = { ...expected };
  const shown = refund === undefined ? {} : { refund: { id: 'r', amountMinor: 400, ...refund } };
  expect(detailsAfter(story)).toEqual([{ ...detail, ...shown }]);
});

test.each([
  ['called 0911234567', 'called …'],
  ['called 0911 23 45 67 twice', 'called … twice'],
  ['called 00251911234567', 'called …'],
  ['called +251 (0) 911 234567', 'called …'],
  ['called 0911\u00a023\u00a045\u00a067, 0911–23–45–67', 'called …, …'],
  ['+251-911-234567.', '….'],
  ['251711234567, 911234567', '…, …'],
  [
    'receipt FT26001ABCDE of 1,500.00 on 2026-01-31',
    'receipt FT26001ABCDE of 1,500.00 on 2026-01-31',
  ],
  ['transaction 1000001', 'transaction 1000001'],
])('stores the note %j as %j', (note, kept) => {
  const story: Story = [at(1, PUSH), at(2, succeedManually('a', { note }))];
  expect(detailsAfter(story)[0]?.note).toBe(kept);
});

test.each<[Command['type'] | 'create', IntentKind, Party]>([
  ['create', 'hosted', 'merchant'],
  ['create', 'express', 'merchant'],
  ['start_attempt', 'hosted', 'customer'],
  ['start_attempt', 'express', 'merchant'],
  ['accept_attempt', 'hosted', 'rail'],
  ['resolve_attempt', 'hosted', 'rail'],
  ['report_callback', 'hosted', 'rail'],
  ['claim_start', 'hosted', 'rail'],
  ['resolve_manually', 'express', 'operator'],
  ['abandon_attempt', 'hosted', 'customer'],
  ['customer_returned', 'hosted', 'customer'],
  ['claim_receipt', 'hosted', 'customer'],
  ['abandon_payment', 'hosted', 'customer'],
  ['cancel', 'hosted', 'merchant'],
  ['tick', 'express', 'clock'],
])('%s of a payment that is %s is recorded as an act of: %s', (command, kind, actor) => {
  expect(partyOf(command, kind)).toBe(actor);
});
