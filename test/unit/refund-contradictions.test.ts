import { expect, test } from 'vitest';
import { decide } from '../../src/domain/decide.ts';
import type { Command, Intent } from '../../src/domain/intent.ts';
import type { RefundOutcome } from '../../src/domain/refund.ts';
import { paidTwice, requestRefund } from '../support/intents.ts';

/**
 * Goal: each report that money was returned twice, or against the book, asks for a person. Method:
 * providers' reports that contradict what is recorded.
 */

const DONE: RefundOutcome = { type: 'succeeded', railReference: 'RAIL-1' };
const FAILED: RefundOutcome = { type: 'failed', reason: 'declined' };

function claim(refundId: string): Command {
  return { type: 'claim_refund', refundId, claimId: `claim-${refundId}`, deadlineAtMs: 60_000 };
}

function report(refundId: string, outcome: RefundOutcome): Command {
  return { type: 'resolve_refund', refundId, outcome };
}

function byHand(railReference: string): Command {
  return {
    type: 'resolve_refund_manually',
    refundId: 'r0',
    resolutionId: 'decision-1',
    outcome: { type: 'succeeded', railReference },
    operator: 'Abebe',
    note: 'Paid out',
    secondOperatorAboveMinor: null,
    isVerified: false,
  };
}

function after(...commands: readonly Command[]): Intent {
  const { intent, rejection } = decide(
    paidTwice(),
    [requestRefund('r0', { amountMinor: 1_000 }), ...commands],
    1,
  );
  expect(rejection).toBeNull();
  return intent;
}

function contradictions({ anomalies }: Intent): number {
  return anomalies.filter(({ kind }) => kind === 'contradicting_refund').length;
}

test('a refund that was canceled, and so never asked for, is not believed to be done', () => {
  const intent = after({ type: 'cancel_refund', refundId: 'r0' }, report('r0', DONE));
  expect(intent.refunds).toMatchObject([{ status: 'canceled' }]);
  expect(contradictions(intent)).toBe(1);
});

test.each<[string, string | null, string, number]>([
  ['another reference: returned twice', 'RAIL-1', 'BANK-7', 1],
  ['the same reference', 'RAIL-1', 'RAIL-1', 0],
  ['no reference', null, 'BANK-7', 0],
])(
  'the provider returns what an operator returned by hand, with %s',
  (_name, railReference, given, expected) => {
    const toDo: RefundOutcome = { type: 'requires_action', reason: 'not_enabled' };
    const done: RefundOutcome = { type: 'succeeded', railReference };
    const intent = after(claim('r0'), report('r0', toDo), byHand(given), report('r0', done));
    expect(intent.refunds).toMatchObject([{ status: 'succeeded', railReference: given }]);
    expect(contradictions(intent)).toBe(expected);
  },
);

test('each contradicted refund is reported once', () => {
  const intent = after(
    claim('r0'),
    report('r0', DONE),
    report('r0', FAILED),
    report('r0', FAILED),
    requestRefund('r1', { amountMinor: 1_000 }),
    claim('r1'),
    report('r1', DONE),
    report('r1', FAILED),
  );
  expect(contradictions(intent)).toBe(2);
});
