import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Command } from '../../../src/engine/domain/command.ts';
import { decide, nextWakeAtMs } from '../../../src/engine/domain/decide.ts';
import type { Intent } from '../../../src/engine/domain/intent.ts';
import type {
  ManualRefundOutcome,
  RefundCapability,
  RefundOutcome,
} from '../../../src/engine/domain/refund.ts';
import { holdsMoney, isInFlight } from '../../../src/engine/domain/refund.ts';
import {
  heldOf,
  refundableMinor,
  refundedOf,
  refundsOf,
  sumOf,
} from '../../../src/engine/domain/refund-amounts.ts';
import { chargedMinor } from '../../../src/engine/domain/terms.ts';
import { countedRefunds } from '../../../src/engine/register/protocol.ts';
import { paidTwice } from '../../support/intents.ts';

/**
 * Goal: refunded + reserved never exceeds what was paid, unless a provider returns what it had
 * refused; at most one refund of an attempt is with its provider, and each is claimed at most once
 * (docs/promises.md#11). Method: random histories of requests, claims, answers that are late, lost,
 * repeated or contradict each other, cancellations, operators' decisions and reviews. Each step is
 * checked.
 */

const AMOUNT_MINOR = 1_000;
const COMMISSION_MINOR = 33;
const REFUND_IDS = ['r0', 'r1', 'r2', 'r3', 'r4'] as const;

const capability: fc.Arbitrary<RefundCapability | null> = fc.constantFrom(
  null,
  { takesParts: true, wholeAmountsOnly: false, windowMs: null },
  { takesParts: false, wholeAmountsOnly: false, windowMs: 60_000 },
  { takesParts: true, wholeAmountsOnly: true, windowMs: null },
);

const outcome: fc.Arbitrary<RefundOutcome> = fc.constantFrom<RefundOutcome[]>(
  { type: 'succeeded', railReference: 'RR1' },
  { type: 'failed', reason: 'declined' },
  { type: 'requires_action', reason: 'not_enabled' },
  { type: 'unknown', checkAtMs: null },
  { type: 'unknown', checkAtMs: 90_000 },
);

const manualOutcome: fc.Arbitrary<ManualRefundOutcome> = fc.constantFrom<ManualRefundOutcome[]>(
  { type: 'succeeded', railReference: 'MANUAL1' },
  { type: 'failed' },
);

const refundId = fc.constantFrom(...REFUND_IDS);

const request: fc.Arbitrary<Command> = fc
  .record({
    id: refundId,
    requestId: fc.constantFrom('q1', 'q2'),
    attemptId: fc.constantFrom('first', 'second', 'declined', 'unknown'),
    amountMinor: fc.constantFrom(null, -1, 0, 1, 333, 334, 500, AMOUNT_MINOR, AMOUNT_MINOR + 1),
    keepsCommission: fc.boolean(),
    capability,
    startsAfterMs: fc.constantFrom(0, 20_000),
    registerClaimId: fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6'),
  })
  .map(({ keepsCommission, capability: can, startsAfterMs, registerClaimId, ...named }) => ({
    type: 'request_refund',
    refund: {
      ...named,
      idempotencyKeyDigest: null,
      bodyDigest: null,
      reference: named.id,
      reason: null,
      requester: { type: 'api', keyId: 'key1' },
    },
    keepsCommission,
    capability: can,
    startsAfterMs,
    registerClaimId,
  }));

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: request },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('void_refund_claim' as const),
      refundId,
      registerClaimId: fc.constant('c1'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('claim_refund' as const),
      refundId,
      claimId: fc.uuid(),
      deadlineAtMs: fc.constantFrom(30_000, 100_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('resolve_refund' as const), refundId, outcome }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('resolve_refund_manually' as const),
      refundId,
      resolutionId: fc.uuid(),
      outcome: manualOutcome,
      operator: fc.constantFrom('Abebe', 'Sara'),
      note: fc.constant('Seen in the portal.'),
      secondOperatorAboveMinor: fc.constantFrom(null, 0, 500),
      isVerified: fc.boolean(),
    }),
  },
  fc.record({
    type: fc.constant('repeat_refund' as const),
    refundId,
    repeatId: fc.uuid(),
    operator: fc.constant('Abebe'),
    note: fc.constant('The gateway crashed.'),
    isVerified: fc.constant(true),
    deadlineAtMs: fc.constantFrom(90_000, 200_000),
  }),
  fc.record({
    type: fc.constant('claim_refund_repeat' as const),
    refundId,
    claimId: fc.uuid(),
    deadlineAtMs: fc.constantFrom(90_000, 200_000),
  }),
  fc.record({ type: fc.constant('cancel_refund' as const), refundId }),
  fc.record({
    type: fc.constant('review_anomalies' as const),
    count: fc.nat(8),
    operator: fc.constant('Abebe'),
    isVerified: fc.boolean(),
    note: fc.constant('Asked the customer.'),
  }),
  fc.constant<Command>({ type: 'tick' }),
);

const history = fc.array(fc.tuple(command, fc.integer({ min: 0, max: 15_000 })), {
  minLength: 1,
  maxLength: 80,
  // By default most histories are too short to reach late news.
  size: 'max',
});

test('refunds stay within what was paid, after any sequence of commands', () => {
  const reached = new Set<string>();
  const property = fc.property(fc.boolean(), history, (paidByCustomer, steps) => {
    let intent = paidTwice({
      amountMinor: AMOUNT_MINOR,
      commissionMinor: COMMISSION_MINOR,
      commissionPaidByCustomer: paidByCustomer,
    });
    let nowMs = intent.updatedAtMs;
    for (const [next, waitMs] of steps) {
      nowMs += waitMs;
      const after = decide(intent, [next], nowMs);
      for (const step of after.steps) {
        checkStep(intent, step.intent, step.event);
        checkStages(intent, step.intent);
        intent = step.intent;
      }
      intent = after.intent;
      checkState(intent);
      for (const { status, late, actionReason } of intent.refunds) {
        const reason = actionReason === 'exceeds_payment' ? 'too much' : '';
        reached.add(late ? `${status} late` : `${status} ${reason}`.trim());
      }
    }
  });
  fc.assert(property, { numRuns: 500, seed: 3 });
  // A history that never gets anywhere would prove nothing.
  expect([...reached].sort()).toEqual([
    'canceled',
    'failed',
    'pending',
    'processing',
    'requires_action',
    'requires_action too much',
    'succeeded',
    'succeeded late',
    'unresolved',
  ]);
});

/** The register relies on it: a report of an earlier state must not undo a later one. */
function checkStages(before: Intent, after: Intent): void {
  for (const [index, { id, stage }] of countedRefunds(before).entries()) {
    expect(countedRefunds(after)[index]).toMatchObject({ id });
    expect(countedRefunds(after)[index]?.stage).toBeGreaterThanOrEqual(stage);
  }
}

function checkState(intent: Intent): void {
  for (const attempt of intent.attempts) {
    const refunds = refundsOf(intent, attempt.id);
    const held = heldOf(intent, attempt);
    const charged = attempt.status === 'succeeded' ? chargedMinor(intent.terms, attempt.method) : 0;
    const isAboveBecauseLate = refunds.some(({ late }) => late);
    if (!isAboveBecauseLate) {
      expect(held.returnedMinor).toBeLessThanOrEqual(charged);
      expect(held.amountMinor).toBeLessThanOrEqual(charged === 0 ? 0 : AMOUNT_MINOR);
    }
    const returned = sumOf(refunds.filter(({ status }) => status === 'succeeded')).returnedMinor;
    const excesses = intent.anomalies.filter(
      ({ kind, attemptId }) => kind === 'excess_refund' && attemptId === attempt.id,
    );
    expect(excesses.at(-1)?.excessMinor ?? 0).toBe(Math.max(0, returned - charged));
    expect(refundableMinor(intent, attempt)).toBeGreaterThanOrEqual(0);
    expect(held.commissionReturnedMinor).toBeLessThanOrEqual(COMMISSION_MINOR);
    expect(refunds.every((one) => one.commissionReturnedMinor >= 0)).toBe(true);
    expect(refunds.every(({ amountMinor }) => amountMinor > 0)).toBe(true);
    expect(refunds.filter(({ status }) => status === 'processing').length).toBeLessThanOrEqual(1);
    if (held.amountMinor === AMOUNT_MINOR && refunds.filter(holdsMoney).length === refunds.length) {
      const rest = sumOf(refunds);
      expect(rest.returnedMinor - rest.amountMinor).toBeLessThanOrEqual(COMMISSION_MINOR);
    }
  }
  // Only a refund that waits for another one, or for a person, needs no alarm.
  const waits = intent.refunds.some(
    (refund) =>
      refund.status === 'processing' ||
      (refund.status === 'pending' && !refundsOf(intent, refund.attemptId).some(isInFlight)),
  );
  expect(waits && nextWakeAtMs(intent) === null).toBe(false);
}

function checkStep(before: Intent, after: Intent, event: string | null): void {
  const [requested] = after.refunds.slice(before.refunds.length);
  const asked = after.refunds.find(
    ({ claimId }, index) => claimId !== before.refunds[index]?.claimId,
  );
  for (const { attemptId } of [requested, asked].filter((refund) => refund !== undefined)) {
    const attempt = after.attempts.find(({ id }) => id === attemptId);
    if (attempt !== undefined && asked !== undefined) {
      // The provider is never asked for more than is left.
      const sent = refundsOf(after, attemptId).filter(
        ({ status }) => status === 'processing' || status === 'succeeded',
      );
      const charged = chargedMinor(after.terms, attempt.method);
      expect(sumOf(sent).returnedMinor).toBeLessThanOrEqual(charged);
    }
    const isBlocked = before.anomalies.some(
      (anomaly) => anomaly.attemptId === attemptId && anomaly.reviewedAtMs === null,
    );
    expect(requested !== undefined && isBlocked).toBe(false);
  }
  expect(after.version).toBe(before.version + 1);
  expect(after.status).toBe(before.status);
  expect(after.refunds.length).toBeGreaterThanOrEqual(before.refunds.length);
  const passed = after.refunds.filter(({ status }, at) => status !== before.refunds[at]?.status);
  expect(passed.length).toBeLessThanOrEqual(1);
  const announced = passed
    .map(({ status }) => status)
    .filter((status) => ['requires_action', 'succeeded', 'failed'].includes(status));
  expect(event).toBe(announced[0] === undefined ? null : `refund_${announced[0]}`);
  expect(refundedOf(after).amountMinor).toBeGreaterThanOrEqual(refundedOf(before).amountMinor);
  for (const [index, known] of before.refunds.entries()) {
    const refund = after.refunds[index];
    expect(refund).toMatchObject({
      id: known.id,
      amountMinor: known.amountMinor,
      returnedMinor: known.returnedMinor,
    });
    // Asked once: the claim never changes, and success never goes away.
    expect(known.claimId === null || refund?.claimId === known.claimId).toBe(true);
    expect(known.status !== 'succeeded' || refund?.status === 'succeeded').toBe(true);
    expect(known.status === 'pending' || refund?.status !== 'pending').toBe(true);
  }
}
