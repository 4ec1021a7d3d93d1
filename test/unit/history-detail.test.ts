import { expect, test } from 'vitest';
import { type Actor, actorOf } from '../../src/domain/actor.ts';
import { decide, openIntent } from '../../src/domain/decide.ts';
import type { Command, Intent, IntentKind } from '../../src/domain/intent.ts';
import type {
  ManualRefundOutcome,
  RefundCapability,
  RefundOutcome,
  RefundRequester,
} from '../../src/domain/refund.ts';
import { historyDetail } from '../../src/intent/history.ts';
import type { HistoryDetail } from '../../src/intent/protocol.ts';
import {
  fail,
  failManually,
  requestRefund,
  someTerms,
  startAttempt,
  succeed,
  succeedManually,
} from '../support/intents.ts';

/**
 * Goal: each step of a payment records who caused it and why, without a phone number. Method: run
 * stories through the machine, and compare the whole detail of the last step.
 */

type Story = readonly (readonly [nowMs: number, command: Command])[];

/**
 * The details of every step of the last command: a transition that was due before it is a separate
 * step.
 */
function detailsAfter(story: Story, kind: IntentKind = 'hosted'): HistoryDetail[] {
  let intent: Intent = openIntent(someTerms({ kind }));
  let details: HistoryDetail[] = [];
  for (const [nowMs, command] of story) {
    let before = intent;
    const decision = decide(intent, [command], nowMs);
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
const TICK: Command = { type: 'tick' };
const failedWithCode = (providerCode: string): Command => ({
  type: 'resolve_attempt',
  attemptId: 'a',
  outcome: { type: 'failed', reason: 'insufficient_funds', providerCode },
});

test.each<[string, Story, IntentKind, readonly object[]]>([
  [
    'a customer starts',
    [[1, START]],
    'hosted',
    [{ actor: 'customer', ...A, attemptStatus: 'processing' }],
  ],
  [
    'a merchant starts',
    [[1, START]],
    'express',
    [{ actor: 'merchant', ...A, attemptStatus: 'processing' }],
  ],
  [
    'paid',
    [
      [1, START],
      [2, succeed('a')],
    ],
    'hosted',
    [PAID_BY_RAIL],
  ],
  [
    'failed, with the provider’s code',
    [
      [1, START],
      [2, failedWithCode('1')],
    ],
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
    [
      [1, START],
      [2, failedWithCode('0911234567')],
    ],
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
    [
      [1, PUSH],
      [30_000, TICK],
    ],
    'hosted',
    [{ actor: 'clock', ...A, attemptStatus: 'unresolved' }],
  ],
  [
    'a final window closes',
    [
      [1, startAttempt('a', { windowIsFinal: true })],
      [30_000, TICK],
    ],
    'express',
    [{ actor: 'clock', ...A, attemptStatus: 'expired', reason: 'timed_out' }],
  ],
  ['time runs out', [[60_000, TICK]], 'hosted', [{ actor: 'clock' }]],
  [
    'the customer abandons the attempt',
    [
      [1, START],
      [2, { type: 'abandon_attempt', attemptId: 'a' }],
    ],
    'hosted',
    [{ actor: 'customer', ...A, attemptStatus: 'unresolved', reason: 'abandoned' }],
  ],
  [
    'the customer abandons the payment',
    [[1, { type: 'abandon_payment' }]],
    'hosted',
    [{ actor: 'customer', reason: 'abandoned' }],
  ],
  ['the merchant cancels', [[1, { type: 'cancel' }]], 'hosted', [{ actor: 'merchant' }]],
  [
    'a callback is refused',
    [
      [1, START],
      [2, { type: 'report_callback', attemptId: 'a' }],
    ],
    'hosted',
    [{ actor: 'rail', ...A, attemptStatus: 'processing', anomaly: 'refused_callback' }],
  ],
  [
    'a callback is refused after the payment failed: the reason is of an earlier step',
    [
      [1, START],
      [2, fail('a')],
      [3, { type: 'report_callback', attemptId: 'a' }],
    ],
    'express',
    [{ actor: 'rail', ...A, attemptStatus: 'failed', anomaly: 'refused_callback' }],
  ],
  [
    'paid after a callback was refused: the refusal is of an earlier step',
    [
      [1, START],
      [2, { type: 'report_callback', attemptId: 'a' }],
      [3, succeed('a')],
    ],
    'hosted',
    [PAID_BY_RAIL],
  ],
  [
    'the provider contradicts itself',
    [
      [1, START],
      [2, succeed('a')],
      [3, fail('a')],
    ],
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
    [
      [1, startAttempt('a', { deadlineAtMs: 60_000, windowIsFinal: true })],
      [60_000, succeed('a')],
    ],
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
    [
      [1, PUSH],
      [60_000, TICK],
      [90_000, succeedManually('a')],
    ],
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
    [
      [1, START],
      [2, { type: 'abandon_attempt', attemptId: 'a' }],
      [3, startAttempt('b')],
      [4, succeed('b')],
      [40_000, succeedManually('a')],
    ],
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
    [
      [1, PUSH],
      [30_000, TICK],
      [30_000, failManually('a')],
    ],
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

const PAID: Story = [
  [1, START],
  [2, succeed('a')],
];
const CLAIM: Command = { type: 'claim_refund', refundId: 'r', claimId: 'c', deadlineAtMs: 60_000 };

function request(requester: RefundRequester, capability: RefundCapability | null): Command {
  return requestRefund('r', { attemptId: 'a', amountMinor: 400, requester }, { capability });
}

const BY_API = { takesParts: true, wholeAmountsOnly: false, windowMs: null };
const REQUEST = request({ type: 'api', keyId: 'key' }, BY_API);

function answer(outcome: RefundOutcome): Command {
  return { type: 'resolve_refund', refundId: 'r', outcome };
}

function byHand(outcome: ManualRefundOutcome, secondOperatorAboveMinor: number | null): Command {
  return {
    ...{ type: 'resolve_refund_manually', refundId: 'r', resolutionId: 'd', outcome },
    ...{ operator: 'Hana', note: 'Told 0911234567', secondOperatorAboveMinor, isVerified: true },
  };
}

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
    [request({ type: 'api', keyId: 'key' }, null), byHand(RETURNED, 0)],
    {
      ...BY_HANA,
      refund: { status: 'requires_action', reason: 'not_supported', proposed: true },
    },
  ],
  [
    'returned by hand',
    [request({ type: 'api', keyId: 'key' }, null), byHand(RETURNED, null)],
    { ...BY_HANA, refund: { status: 'succeeded', railReference: 'BANK-7' } },
  ],
  [
    'contradicted after it was returned',
    [REQUEST, CLAIM, answer(RETURNED), answer({ type: 'failed', reason: 'declined' })],
    { actor: 'rail', anomaly: 'contradicting_refund' },
  ],
])('a refund is %s', (_name, commands, expected) => {
  const story = [...PAID, ...commands.map((command, index) => [index + 3, command] as const)];
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
  const story: Story = [
    [1, PUSH],
    [2, succeedManually('a', { note })],
  ];
  expect(detailsAfter(story)[0]?.note).toBe(kept);
});

test.each<[Command['type'] | 'create', IntentKind, Actor]>([
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
  expect(actorOf(command, kind)).toBe(actor);
});
