import { expect, test } from 'vitest';
import { decide, openIntent } from '../../src/domain/decide.ts';
import type { Command, Intent, IntentKind } from '../../src/domain/intent.ts';
import { type Party, partyOf } from '../../src/domain/party.ts';
import type { RefundCapability, RefundOutcome, RefundRequester } from '../../src/domain/refund.ts';
import { historyDetail } from '../../src/intent/history.ts';
import type { HistoryDetail } from '../../src/intent/protocol.ts';
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
} from '../support/intents.ts';
import { at, type Story, timed } from '../support/story.ts';

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
const PAID_BY_RAIL = {
  ...{ actor: 'rail', ...A, attemptStatus: 'succeeded' },
  ...{ outcome: 'succeeded', receipt: 'RAIL-a' },
} as const;
const failedWithCode = (providerCode: string): Command => ({
  type: 'resolve_attempt',
  attemptId: 'a',
  outcome: { type: 'failed', reason: 'insufficient_funds', providerCode },
});

test.each<[string, Story, IntentKind, readonly object[]]>([
  [
    'a customer starts',
    [START],
    'hosted',
    [{ actor: 'customer', ...A, attemptStatus: 'processing' }],
  ],
  [
    'a merchant starts',
    [START],
    'express',
    [{ actor: 'merchant', ...A, attemptStatus: 'processing' }],
  ],
  ['paid', [START, succeed('a')], 'hosted', [PAID_BY_RAIL]],
  [
    'failed, with the provider’s code',
    [START, failedWithCode('1')],
    'hosted',
    [
      {
        actor: 'rail',
        ...A,
        attemptStatus: 'failed',
        outcome: 'failed',
        reason: 'insufficient_funds',
        providerCode: '1',
      },
    ],
  ],
  [
    'failed, with a provider code that may contain personal data',
    [START, failedWithCode('0911234567')],
    'hosted',
    [
      {
        actor: 'rail',
        ...A,
        attemptStatus: 'failed',
        outcome: 'failed',
        reason: 'insufficient_funds',
      },
    ],
  ],
  [
    'a window closes',
    [PUSH, at(30_000, TICK)],
    'hosted',
    [{ actor: 'clock', ...A, attemptStatus: 'unresolved' }],
  ],
  [
    'a final window closes',
    [startAttempt('a', { windowIsFinal: true }), at(30_000, TICK)],
    'express',
    [{ actor: 'clock', ...A, attemptStatus: 'expired', reason: 'timed_out' }],
  ],
  ['time runs out', [at(60_000, TICK)], 'hosted', [{ actor: 'clock' }]],
  [
    'the customer abandons the attempt',
    [START, abandon('a')],
    'hosted',
    [{ actor: 'customer', ...A, attemptStatus: 'unresolved', reason: 'abandoned' }],
  ],
  [
    'the customer abandons the payment',
    [ABANDON_PAYMENT],
    'hosted',
    [{ actor: 'customer', reason: 'abandoned' }],
  ],
  ['the merchant cancels', [CANCEL], 'hosted', [{ actor: 'merchant' }]],
  [
    'a callback is refused',
    [START, refuseCallback('a')],
    'hosted',
    [{ actor: 'rail', ...A, attemptStatus: 'processing', anomaly: 'refused_callback' }],
  ],
  [
    'a callback is refused after the payment failed: the reason is of an earlier step',
    [START, fail('a'), refuseCallback('a')],
    'express',
    [{ actor: 'rail', ...A, attemptStatus: 'failed', anomaly: 'refused_callback' }],
  ],
  [
    'paid after a callback was refused: the refusal is of an earlier step',
    [START, refuseCallback('a'), succeed('a')],
    'hosted',
    [PAID_BY_RAIL],
  ],
  [
    'the provider contradicts itself',
    [START, succeed('a'), fail('a')],
    'hosted',
    [
      {
        actor: 'rail',
        ...A,
        attemptStatus: 'succeeded',
        outcome: 'failed',
        reason: 'declined',
        anomaly: 'contradicting_failure',
      },
    ],
  ],
  [
    'late, and the expiry that was due before it',
    [startAttempt('a', { deadlineAtMs: 60_000, windowIsFinal: true }), at(60_000, succeed('a'))],
    'hosted',
    [
      { actor: 'clock', ...A, attemptStatus: 'expired', reason: 'timed_out' },
      {
        actor: 'rail',
        ...A,
        attemptStatus: 'succeeded',
        outcome: 'succeeded',
        receipt: 'RAIL-a',
        late: true,
      },
    ],
  ],
  [
    'manually resolved as paid',
    [PUSH, at(60_000, TICK), at(90_000, succeedManually('a'))],
    'hosted',
    [
      {
        actor: 'operator',
        ...A,
        attemptStatus: 'succeeded',
        outcome: 'succeeded',
        receipt: 'HAND-1',
        late: true,
        operator: 'Hana',
        operatorProved: true,
        note: 'Found in the statement of the day.',
      },
    ],
  ],
  [
    'paid twice, as an operator finds out',
    [START, abandon('a'), startAttempt('b'), succeed('b'), at(40_000, succeedManually('a'))],
    'hosted',
    [
      {
        actor: 'operator',
        ...A,
        attemptStatus: 'succeeded',
        outcome: 'succeeded',
        receipt: 'HAND-1',
        anomaly: 'duplicate_payment',
        operator: 'Hana',
        operatorProved: true,
        note: 'Found in the statement of the day.',
      },
    ],
  ],
  [
    'manually resolved as unpaid',
    [PUSH, at(30_000, TICK), at(30_000, failManually('a'))],
    'express',
    [
      {
        actor: 'operator',
        ...A,
        attemptStatus: 'failed',
        outcome: 'failed',
        reason: 'declined',
        operator: 'Hana',
        operatorProved: true,
        note: 'The rail knows of no payment.',
      },
    ],
  ],
])('%s', (_name, story, kind, details) => {
  expect(detailsAfter(story, kind)).toEqual(details);
});

const PAID: Story = [START, succeed('a')];
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

const BY_HANA = {
  ...{ actor: 'operator', operator: 'Hana', operatorProved: true },
  note: 'Told …',
};
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
  const story: Story = [PUSH, succeedManually('a', { note })];
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
  ['abandon_payment', 'hosted', 'customer'],
  ['cancel', 'hosted', 'merchant'],
  ['tick', 'express', 'clock'],
])('%s of a payment that is %s is recorded as an act of: %s', (command, kind, actor) => {
  expect(partyOf(command, kind)).toBe(actor);
});
