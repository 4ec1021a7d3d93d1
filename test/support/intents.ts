import { expect } from 'vitest';
import type { Attempt } from '../../src/engine/domain/attempt.ts';
import type { Command } from '../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../src/engine/domain/decide.ts';
import type { Intent } from '../../src/engine/domain/intent.ts';
import { plainTerms } from '../../src/engine/domain/plain-terms.ts';
import type { RefundOutcome } from '../../src/engine/domain/refund.ts';
import type { IntentTerms } from '../../src/engine/domain/terms.ts';

/** Terms of an ordinary hosted sandbox payment of 100.00 ETB, created at 0, expiring at 60 s. */
export function someTerms(changes: Partial<IntentTerms> = {}): IntentTerms {
  return plainTerms({
    environment: 'sandbox',
    merchantId: 'mer_1',
    merchantName: 'Addis Books',
    uniqueId: 'order-1',
    uuid: '0b8f3c1e-7c55-4d5e-9a55-2f1f6f0a0001',
    number: 4_242,
    kind: 'hosted',
    amountMinor: 10_000,
    methods: [
      { method: 'TELE_BIRR', commissionMinor: 250 },
      { method: 'CBE', commissionMinor: 0 },
    ],
    returnUrl: 'https://shop.example.com/done',
    callbackUrl: 'https://shop.example.com/hook',
    simulation: 'interactive',
    baseUrl: 'https://pay.example.com',
    expiresAtMs: 60_000,
    ...changes,
  });
}

export const TICK: Command = { type: 'tick' };
export const CANCEL: Command = { type: 'cancel' };
export const ABANDON_PAYMENT: Command = { type: 'abandon_payment' };

type Start = Extract<Command, { type: 'start_attempt' }>;

/** A `start_attempt` by redirect whose window closes at 30 s without finality. */
export function startAttempt(id: string, changes: Partial<Start['attempt']> = {}): Start {
  return {
    type: 'start_attempt',
    attempt: {
      id,
      reference: `REF${id.toUpperCase()}`,
      method: 'TELE_BIRR',
      phone: null,
      railId: 'simulator',
      startClaim: 'not_needed',
      flow: 'redirect',
      deadlineAtMs: 30_000,
      windowIsFinal: false,
      checkAtMs: null,
      ...changes,
    },
  };
}

export function succeed(attemptId: Attempt['id']): Command {
  return {
    type: 'resolve_attempt',
    attemptId,
    outcome: { type: 'succeeded', receipt: `RAIL-${attemptId}` },
  };
}

export function fail(attemptId: Attempt['id']): Command {
  return { type: 'resolve_attempt', attemptId, outcome: { type: 'failed', reason: 'declined' } };
}

/** The provider certainly knows nothing of the attempt. */
export function neverReach(attemptId: Attempt['id']): Command {
  return {
    type: 'resolve_attempt',
    attemptId,
    outcome: { type: 'failed', reason: 'rail_unavailable', neverReached: true },
  };
}

export function unknown(attemptId: Attempt['id'], checkAtMs: number | null = null): Command {
  return { type: 'resolve_attempt', attemptId, outcome: { type: 'unknown', checkAtMs } };
}

/** The customer leaves the attempt. */
export function abandon(attemptId: Attempt['id']): Command {
  return { type: 'abandon_attempt', attemptId };
}

type Acceptance = Extract<Command, { type: 'accept_attempt' }>;

/** The provider's answer to a start, which brings nothing unless changed. */
export function accept(attemptId: Attempt['id'], changes: Partial<Acceptance> = {}): Command {
  return { type: 'accept_attempt', attemptId, redirectUrl: null, railReference: null, ...changes };
}

/** A consumer claims the start; its call lasts until 50 s. */
export function claimStart(attemptId: Attempt['id'], claimId: string): Command {
  return { type: 'claim_start', attemptId, claimId, deadlineAtMs: 50_000 };
}

/** A callback about the attempt was refused. */
export function refuseCallback(attemptId: Attempt['id']): Command {
  return { type: 'report_callback', attemptId };
}

type ManualResolution = Extract<Command, { type: 'resolve_manually' }>;

/** An operator found the payment at the provider. */
export function succeedManually(
  attemptId: Attempt['id'],
  changes: Partial<ManualResolution> = {},
): ManualResolution {
  return {
    type: 'resolve_manually',
    attemptId,
    resolutionId: `paid-${attemptId}`,
    outcome: { type: 'succeeded', receipt: 'HAND-1' },
    operator: 'Hana',
    isVerified: true,
    secondOperatorAboveMinor: null,
    checkAtMs: null,
    note: 'Found in the statement of the day.',
    ...changes,
  };
}

/** An operator learned from the provider that nothing was paid. */
export function failManually(
  attemptId: Attempt['id'],
  changes: Partial<ManualResolution> = {},
): ManualResolution {
  return {
    ...succeedManually(attemptId),
    resolutionId: `unpaid-${attemptId}`,
    outcome: { type: 'failed', reason: 'declined' },
    note: 'The rail knows of no payment.',
    ...changes,
  };
}

/** A payment whose customer paid twice, by attempts `first` and `second`, after a `declined` one. */
export function paidTwice(
  changes: Partial<Pick<IntentTerms, 'amountMinor' | 'commissionPaidByCustomer'>> & {
    readonly commissionMinor?: number;
  } = {},
): Intent {
  const { commissionMinor = 0, ...terms } = changes;
  const methods = [{ method: 'TELE_BIRR', commissionMinor }] as const;
  const intent = openIntent(someTerms({ ...terms, methods }));
  const commands = [
    startAttempt('declined'),
    fail('declined'),
    startAttempt('first'),
    abandon('first'),
    startAttempt('second'),
    succeed('second'),
    succeed('first'),
  ];
  return decide(intent, commands, 0).intent;
}

type RequestRefund = Extract<Command, { type: 'request_refund' }>;

/** A refund by the API of all that is left of attempt `second`. */
export function requestRefund(
  id: string,
  refund: Partial<RequestRefund['refund']> = {},
  changes: Partial<Omit<RequestRefund, 'refund'>> = {},
): RequestRefund {
  return {
    type: 'request_refund',
    refund: {
      id,
      requestId: `request-${id}`,
      idempotencyKeyDigest: null,
      bodyDigest: null,
      reference: id.toUpperCase(),
      attemptId: 'second',
      reason: null,
      requester: { type: 'api', keyId: 'key1' },
      amountMinor: null,
      ...refund,
    },
    keepsCommission: false,
    capability: { takesParts: true, wholeAmountsOnly: false, windowMs: null },
    startsAfterMs: 0,
    registerClaimId: `claim-${id}`,
    ...changes,
  };
}

/** The call that returns the money has until 60 s. */
export function claimRefund(refundId: string): Command {
  return { type: 'claim_refund', refundId, claimId: `claim-${refundId}`, deadlineAtMs: 60_000 };
}

export function resolveRefund(refundId: string, outcome: RefundOutcome): Command {
  return { type: 'resolve_refund', refundId, outcome };
}

export function cancelRefund(refundId: string): Command {
  return { type: 'cancel_refund', refundId };
}

type ManualRefund = Extract<Command, { type: 'resolve_refund_manually' }>;

/** An operator found the refund at the bank. */
export function resolveRefundManually(
  refundId: string,
  changes: Partial<ManualRefund> = {},
): ManualRefund {
  return {
    type: 'resolve_refund_manually',
    refundId,
    resolutionId: 'decision-1',
    outcome: { type: 'succeeded', railReference: 'BANK-7' },
    operator: 'Abebe',
    note: 'Paid out',
    secondOperatorAboveMinor: null,
    isVerified: true,
    ...changes,
  };
}

/** The payment after commands that it accepts, all at one moment. */
export function accepted(before: Intent, commands: readonly Command[], nowMs: number): Intent {
  const { intent, rejection } = decide(before, commands, nowMs);
  expect(rejection).toBeNull();
  return intent;
}
