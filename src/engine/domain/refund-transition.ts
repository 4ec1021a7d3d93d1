import { isWholeMajor } from '../../kit/money.ts';
import type { Attempt } from './attempt.ts';
import type { Intent } from './intent.ts';
import { isReceiptShared } from './receipt.ts';
import {
  holdsMoney,
  type Refund,
  type RefundActionReason,
  type RefundAmounts,
  type RefundCapability,
  type RefundCommand,
} from './refund.ts';
import {
  fits,
  needsReview,
  REFUND_REQUESTS_MAX,
  REFUNDS_MAX,
  refundAmounts,
  refundableMinor,
} from './refund-amounts.ts';
import { claimRefundRepeat, repeatRefund } from './refund-repeat.ts';
import { resolveRefund, resolveRefundManually } from './refund-resolve.ts';
import { isStartable } from './refund-time.ts';
import { DAY_MS } from './schedule.ts';
import { announce, find, reject, type Step, withRefund } from './step.ts';
import { chargedMinor } from './terms.ts';
import { awaitsProof } from './time.ts';

/** Applies a command about a refund to its payment. */
export function applyRefundCommand(step: Step, command: RefundCommand): Step {
  if (command.type === 'request_refund') {
    return requestRefund(step, command);
  }
  if (command.type === 'void_refund_claim') {
    return voidRefundClaim(step, command);
  }
  const refund = step.intent.refunds.find(({ id }) => id === command.refundId);
  if (refund === undefined) {
    return reject(step, 'refund_not_found');
  }
  switch (command.type) {
    case 'claim_refund':
      return claimRefund(step, refund, command);
    case 'repeat_refund':
      return repeatRefund(step, refund, command);
    case 'claim_refund_repeat':
      return claimRefundRepeat(step, refund, command);
    case 'resolve_refund':
      return resolveRefund(step, refund, command);
    case 'resolve_refund_manually':
      return resolveRefundManually(step, refund, command);
    case 'cancel_refund':
      return cancelRefund(step, refund);
  }
}

/** The new refund reserves the amount. */
function requestRefund(
  step: Step,
  command: Extract<RefundCommand, { type: 'request_refund' }>,
): Step {
  const { intent } = step;
  const { refund: request, capability, keepsCommission, startsAfterMs } = command;
  const known = intent.refunds.find(({ id }) => id === request.id);
  if (known !== undefined) {
    // The same request id is a retry of a command whose first answer was lost.
    return known.requestId === request.requestId ? step : reject(step, 'refund_exists');
  }
  if (isVoid(intent, command.registerClaimId)) {
    return reject(step, 'refund_claim_void');
  }
  if (hasKey(intent, request.idempotencyKeyDigest)) {
    return reject(step, 'refund_key_reused');
  }
  const attempt = find(intent, request.attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  if (attempt.status !== 'succeeded') {
    return reject(step, 'not_paid');
  }
  if (needsReview(intent, attempt)) {
    return reject(step, 'refund_needs_review');
  }
  const { length: requests } = intent.refunds;
  const { length: holding } = intent.refunds.filter(holdsMoney);
  if (holding >= REFUNDS_MAX || requests >= REFUND_REQUESTS_MAX) {
    return reject(step, 'too_many_refunds');
  }
  const amountMinor = request.amountMinor ?? refundableMinor(intent, attempt);
  if (!isPositive(amountMinor)) {
    return reject(step, 'refund_too_large');
  }
  const amounts = refundAmounts(intent, attempt, amountMinor, keepsCommission);
  if (!fits(intent, attempt, amounts)) {
    return reject(step, 'refund_too_large');
  }
  const obstacle = obstacleTo(capability, intent, attempt, amounts, step.nowMs);
  const status = obstacle === null ? 'pending' : 'requires_action';
  const refund: Refund = {
    ...request,
    ...amounts,
    status,
    requestedStatus: status,
    requestedActionReason: obstacle,
    failureReason: null,
    actionReason: obstacle,
    startAtMs: step.nowMs + startsAfterMs,
    claimId: null,
    deadlineAtMs: null,
    checkAtMs: null,
    checks: 0,
    railReference: null,
    providerCode: null,
    late: false,
    proposal: null,
    manualResolutionId: null,
    repeat: null,
    createdAtMs: step.nowMs,
    updatedAtMs: step.nowMs,
  };
  const requested = { ...step, intent: { ...intent, refunds: [...intent.refunds, refund] } };
  return announce(requested, obstacle === null ? null : 'refund_requires_action');
}

/** A request ends long before this, so the payment need not remember its claim any longer. */
const VOID_CLAIM_KEPT_MS = DAY_MS;
/** Bounds the record. The register asks again when there is room. */
const VOID_CLAIMS_MAX = 50;

/** Changes nothing that anyone is shown, so it makes no version. */
function voidRefundClaim(
  step: Step,
  { refundId, registerClaimId }: Extract<RefundCommand, { type: 'void_refund_claim' }>,
): Step {
  const { intent } = step;
  if (intent.refunds.some(({ id }) => id === refundId)) {
    return reject(step, 'refund_exists');
  }
  if (isVoid(intent, registerClaimId)) {
    return step;
  }
  const kept = (intent.voidRefundClaims ?? []).filter(
    ({ atMs }) => step.nowMs - atMs < VOID_CLAIM_KEPT_MS,
  );
  if (kept.length >= VOID_CLAIMS_MAX) {
    return reject(step, 'too_many_refunds');
  }
  const voidRefundClaims = [...kept, { registerClaimId, atMs: step.nowMs }];
  return { ...step, intent: { ...intent, voidRefundClaims } };
}

function isVoid({ voidRefundClaims = [] }: Intent, registerClaimId: string): boolean {
  return voidRefundClaims.some((known) => known.registerClaimId === registerClaimId);
}

/**
 * Whether a refund was requested with this Idempotency-Key. A merchant who makes a new refund id for
 * each try relies on the key alone, and a second refund would return the money twice.
 */
function hasKey({ refunds }: Pick<Intent, 'refunds'>, keyDigest: string | null): boolean {
  return (
    keyDigest !== null &&
    refunds.some(({ idempotencyKeyDigest }) => idempotencyKeyDigest === keyDigest)
  );
}

/** Why the provider cannot return these amounts now by API; null when it can. */
function obstacleTo(
  capability: RefundCapability | null,
  intent: Intent,
  attempt: Attempt,
  { returnedMinor }: RefundAmounts,
  nowMs: number,
): RefundActionReason | null {
  if (isReceiptShared(intent, attempt)) {
    return 'receipt_conflict';
  }
  if (awaitsProof(attempt)) {
    return 'resolved_by_operator';
  }
  if (capability === null) {
    return 'not_supported';
  }
  const { takesParts, wholeAmountsOnly, windowMs } = capability;
  if (windowMs !== null && nowMs - attempt.updatedAtMs > windowMs) {
    return 'too_late';
  }
  if (!takesParts && returnedMinor !== chargedMinor(intent.terms, attempt.method)) {
    return 'part_not_supported';
  }
  return wholeAmountsOnly && !isWholeMajor(returnedMinor) ? 'whole_amounts_only' : null;
}

function isPositive(amountMinor: number): boolean {
  return Number.isSafeInteger(amountMinor) && amountMinor > 0;
}

/**
 * Grants at most one claim for each refund, and to one refund of an attempt at a time: while an
 * earlier one has no outcome, a provider's answer about the order could belong to either.
 */
function claimRefund(
  step: Step,
  refund: Refund,
  { claimId, deadlineAtMs }: Extract<RefundCommand, { type: 'claim_refund' }>,
): Step {
  if (refund.claimId === claimId) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  if (!isStartable(step.intent, refund) || step.nowMs < refund.startAtMs) {
    return reject(step, 'refund_not_claimable');
  }
  return withRefund(step, {
    ...refund,
    status: 'processing',
    claimId,
    deadlineAtMs,
    checkAtMs: deadlineAtMs,
    updatedAtMs: step.nowMs,
  });
}

function cancelRefund(step: Step, refund: Refund): Step {
  if (refund.status === 'canceled') {
    return step;
  }
  return refund.status === 'pending'
    ? withRefund(step, { ...refund, status: 'canceled', checkAtMs: null, updatedAtMs: step.nowMs })
    : reject(step, 'refund_not_pending');
}
