import { expect, test } from 'vitest';
import { decide } from '../../src/domain/decide.ts';
import type { Command, Intent } from '../../src/domain/intent.ts';
import type { RefundOutcome } from '../../src/domain/refund.ts';
import { paidTwice } from '../support/intents.ts';

/**
 * Goal: what contradicts a refund's outcome is visible and never counts twice. Method: single
 * histories that random ones rarely reach.
 */

const AMOUNT_MINOR = 1_000;

function request(id: string, amountMinor: number, requestId = `request-${id}`): Command {
  return {
    type: 'request_refund',
    refund: {
      id,
      requestId,
      idempotencyKeyDigest: null,
      bodyDigest: null,
      reference: id.toUpperCase(),
      attemptId: 'second',
      reason: null,
      requester: { type: 'api', keyId: 'key1' },
      amountMinor,
    },
    keepsCommission: false,
    capability: { takesParts: true, wholeAmountsOnly: false, windowMs: null },
    startsAfterMs: 0,
  };
}

function claim(refundId: string): Command {
  return { type: 'claim_refund', refundId, claimId: `claim-${refundId}`, deadlineAtMs: 60_000 };
}

function resolve(refundId: string, outcome: RefundOutcome): Command {
  return { type: 'resolve_refund', refundId, outcome };
}

const RETURNED: RefundOutcome = { type: 'succeeded', railReference: null };
const REFUSED: RefundOutcome = { type: 'failed', reason: 'declined' };

function after(...commands: Command[]): Intent {
  const paid = paidTwice({ amountMinor: AMOUNT_MINOR });
  const { intent, rejection } = decide(paid, commands, 1_000);
  expect(rejection).toBeNull();
  return intent;
}

function anomalies({ anomalies: recorded }: Intent): readonly string[] {
  return recorded.map(({ kind }) => kind).filter((kind) => kind === 'contradicting_refund');
}

test('a success after the amount was refunded again is only recorded as an anomaly', () => {
  const intent = after(
    ...[request('one', AMOUNT_MINOR), claim('one'), resolve('one', REFUSED)],
    ...[request('two', AMOUNT_MINOR), claim('two'), resolve('two', RETURNED)],
    resolve('one', RETURNED),
  );
  expect(intent.refunds.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  expect(anomalies(intent)).toEqual(['contradicting_refund']);
});

test('a success whose amount is still left counts as late', () => {
  const commands = [request('one', 400), claim('one'), resolve('one', REFUSED)];
  const intent = after(...commands, resolve('one', RETURNED));
  expect(intent.refunds).toMatchObject([{ status: 'succeeded', late: true }]);
  expect(anomalies(intent)).toEqual([]);
});

test('a failure after the success is recorded once, and the refund stays succeeded', () => {
  const commands = [request('one', 400), claim('one'), resolve('one', RETURNED)];
  const intent = after(...commands, resolve('one', REFUSED), resolve('one', REFUSED));
  expect(intent.refunds).toMatchObject([{ status: 'succeeded' }]);
  expect(anomalies(intent)).toEqual(['contradicting_refund']);
});

test('another request with the id of a refund is rejected, and a repeated one is not', () => {
  const intent = after(request('one', 400), request('one', 400));
  expect(intent.refunds).toHaveLength(1);
  const other = decide(intent, [request('one', 400, 'another request')], 2_000);
  expect(other.rejection).toBe('refund_exists');
});
