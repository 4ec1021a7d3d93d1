import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, nextWakeAtMs } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type { RefundOutcome } from '../../../src/engine/domain/refund.ts';
import { refundsToCheck, refundsToRepeat } from '../../../src/engine/domain/refund-time.ts';
import {
  accepted,
  claimRefund,
  paidTwice,
  requestRefund,
  resolveRefund,
  resolveRefundManually,
} from '../../support/intents.ts';

/**
 * Goal: an operator has an unresolved refund sent again once, and only one repeat is in flight
 * (docs/promises.md#11). Method: histories of one refund whose first call died, at 60 s.
 */

const FIRST_WINDOW_MS = 60_000;
const SECOND_WINDOW_MS = 120_000;

function repeat(changes: Partial<Extract<Command, { type: 'repeat_refund' }>> = {}): Command {
  return {
    type: 'repeat_refund',
    refundId: 'r0',
    repeatId: 'repeat-1',
    operator: 'Abebe',
    note: 'The gateway crashed.',
    isVerified: true,
    deadlineAtMs: SECOND_WINDOW_MS,
    ...changes,
  };
}

function claimRepeat(claimId: string): Command {
  return {
    type: 'claim_refund_repeat',
    refundId: 'r0',
    claimId,
    deadlineAtMs: SECOND_WINDOW_MS,
  };
}

const resolve = (outcome: RefundOutcome) => resolveRefund('r0', outcome);
const UNKNOWN = resolve({ type: 'unknown', checkAtMs: null });

const asked = accepted(
  paidTwice({ amountMinor: 10_000 }),
  [requestRefund('r0', { amountMinor: 6_000 }), claimRefund('r0')],
  1,
);
const unresolved = accepted(asked, [UNKNOWN], FIRST_WINDOW_MS);
const requested = accepted(unresolved, [repeat()], 61_000);
const called = accepted(requested, [claimRepeat('c1')], 61_001);

test('is called by the alarm at once, with one claim', () => {
  expect(unresolved.refunds).toMatchObject([{ status: 'unresolved', repeat: null }]);
  expect(requested.refunds).toMatchObject([{ status: 'processing', claimId: 'claim-r0' }]);
  expect(nextWakeAtMs(requested)).toBe(61_000);
  expect(refundsToRepeat(requested, 61_000)).toHaveLength(1);
  expect(called.refunds).toMatchObject([{ claimId: 'claim-r0', repeat: { claimId: 'c1' } }]);
  expect(refundsToRepeat(called, 61_001)).toEqual([]);
  expect(nextWakeAtMs(called)).toBe(SECOND_WINDOW_MS);
  expect(decide(called, [claimRepeat('c2')], 61_002).rejection).toBe('refund_not_claimable');
  expect(accepted(called, [claimRepeat('c1')], 61_002)).toBe(called);
});

test('discards what one operator has found, because the call may make it wrong', () => {
  const found = resolveRefundManually('r0', { secondOperatorAboveMinor: 0 });
  const proposed = accepted(unresolved, [found], 61_000);
  expect(proposed.refunds).toMatchObject([{ proposal: { operator: 'Abebe' } }]);
  expect(accepted(proposed, [repeat()], 61_001).refunds).toMatchObject([{ proposal: null }]);
});

test('is unresolved again when the caller dies, and can be repeated once more', () => {
  expect(refundsToCheck(called, SECOND_WINDOW_MS)).toHaveLength(1);
  const again = accepted(called, [UNKNOWN], SECOND_WINDOW_MS);
  expect(again.refunds).toMatchObject([{ status: 'unresolved' }]);
  const next = accepted(again, [repeat({ repeatId: 'repeat-2', deadlineAtMs: 200_000 })], 130_000);
  expect(refundsToRepeat(next, 130_000)).toHaveLength(1);
});

test('is not called after its time, and is unresolved again', () => {
  expect(refundsToRepeat(requested, SECOND_WINDOW_MS)).toEqual([]);
  const { rejection } = decide(requested, [claimRepeat('c1')], SECOND_WINDOW_MS);
  expect(rejection).toBe('refund_not_claimable');
  expect(accepted(requested, [UNKNOWN], SECOND_WINDOW_MS).refunds).toMatchObject([
    { status: 'unresolved' },
  ]);
});

const PRODUCTION: Intent = {
  ...unresolved,
  terms: { ...unresolved.terms, environment: 'production' },
};

test.each<[string, Intent, Command, string]>([
  ['while the first call may be under way', asked, repeat(), 'refund_not_repeatable'],
  ['while a repeat waits', requested, repeat({ repeatId: 'other' }), 'refund_not_repeatable'],
  ['while a repeat is under way', called, repeat({ repeatId: 'other' }), 'refund_not_repeatable'],
  [
    'after its outcome',
    accepted(unresolved, [resolve({ type: 'succeeded', railReference: null })], 61_000),
    repeat(),
    'refund_not_repeatable',
  ],
  ['without a note', unresolved, repeat({ note: '' }), 'malformed_resolution'],
  [
    'in production by an operator without a proved name',
    PRODUCTION,
    repeat({ isVerified: false }),
    'operator_not_verified',
  ],
])('is rejected %s', (_name, intent, command, rejection) => {
  expect(decide(intent, [command], 50_000 + (intent === asked ? 0 : 12_000)).rejection).toBe(
    rejection,
  );
});

test('the same request again changes nothing, and no outcome is recorded by hand meanwhile', () => {
  expect(accepted(requested, [repeat()], 61_001)).toBe(requested);
  const byHand = resolveRefundManually('r0', { outcome: { type: 'failed' } });
  expect(decide(requested, [byHand], 61_001).rejection).toBe('refund_not_resolvable');
});

test('is not sent once another payment turns out to have its receipt', () => {
  const conflict: Command = {
    type: 'report_receipt_conflict',
    attemptId: unresolved.refunds[0]?.attemptId ?? '',
    other: { merchantId: 'mer_2', uniqueId: 'x' },
  };
  expect(decide(accepted(unresolved, [conflict], 60_500), [repeat()], 61_000).rejection).toBe(
    'refund_not_repeatable',
  );
  expect(refundsToRepeat(accepted(requested, [conflict], 61_001), 61_002)).toEqual([]);
});

test('is not sent when another refund has returned the money since', () => {
  const paid = paidTwice({ amountMinor: 10_000 });
  const refused: RefundOutcome = { type: 'failed', reason: 'declined' };
  const other = accepted(
    paid,
    [
      requestRefund('late', { amountMinor: 6_000 }),
      claimRefund('late'),
      resolveRefund('late', refused),
      requestRefund('r0', { amountMinor: 6_000 }),
      claimRefund('r0'),
    ],
    1,
  );
  const returned = resolveRefund('late', { type: 'succeeded', railReference: null });
  const before = accepted(other, [UNKNOWN, returned], FIRST_WINDOW_MS);
  expect(decide(before, [repeat()], 61_000).rejection).toBe('refund_too_large');
  const between = accepted(
    accepted(other, [UNKNOWN], FIRST_WINDOW_MS),
    [repeat(), returned],
    61_000,
  );
  expect(refundsToRepeat(between, 61_001)).toEqual([]);
});
