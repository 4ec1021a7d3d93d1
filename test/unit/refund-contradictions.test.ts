import { expect, test } from 'vitest';
import type { Command, Intent } from '../../src/domain/intent.ts';
import type { RefundOutcome } from '../../src/domain/refund.ts';
import {
  accepted,
  cancelRefund,
  claimRefund,
  paidTwice,
  requestRefund,
  resolveRefund,
  resolveRefundManually,
} from '../support/intents.ts';

/**
 * Goal: each report that money was returned twice, or against the book, asks for a person. Method:
 * providers' reports that contradict what is recorded.
 */

const DONE: RefundOutcome = { type: 'succeeded', railReference: 'RAIL-1' };
const FAILED: RefundOutcome = { type: 'failed', reason: 'declined' };

const after = (...commands: readonly Command[]): Intent =>
  accepted(paidTwice(), [requestRefund('r0', { amountMinor: 1_000 }), ...commands], 1);

function contradictions({ anomalies }: Intent): number {
  return anomalies.filter(({ kind }) => kind === 'contradicting_refund').length;
}

test('a refund that was canceled, and so never asked for, is not believed to be done', () => {
  const intent = after(cancelRefund('r0'), resolveRefund('r0', DONE));
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
    const outcome = { type: 'succeeded', railReference: given } as const;
    const byHand = resolveRefundManually('r0', { outcome });
    const intent = after(
      claimRefund('r0'),
      resolveRefund('r0', toDo),
      byHand,
      resolveRefund('r0', done),
    );
    expect(intent.refunds).toMatchObject([{ status: 'succeeded', railReference: given }]);
    expect(contradictions(intent)).toBe(expected);
  },
);

test('each contradicted refund is reported once', () => {
  const intent = after(
    claimRefund('r0'),
    resolveRefund('r0', DONE),
    resolveRefund('r0', FAILED),
    resolveRefund('r0', FAILED),
    requestRefund('r1', { amountMinor: 1_000 }),
    claimRefund('r1'),
    resolveRefund('r1', DONE),
    resolveRefund('r1', FAILED),
  );
  expect(contradictions(intent)).toBe(2);
});
