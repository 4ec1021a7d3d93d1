import { readInTime } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { Rejection } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import { REFERENCE_LENGTH, referenceFrom } from '../domain/identifiers.ts';
import type { Intent } from '../domain/intent.ts';
import type { Refund, RefundCommand, RefundRequester } from '../domain/refund.ts';
import { refundableMinor } from '../domain/refund-amounts.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
import type { IdempotencyClaim } from '../intent/protocol.ts';
import { newRefundLimits } from '../merchants/refund-limits.ts';
import { railOf } from '../rails/registry.ts';
import { type RegisterClient, registerOf } from '../register/client.ts';

export interface RefundOfPayment {
  readonly paymentUniqueId: string;
  readonly refundUniqueId: string;
  /** The reference of the attempt to refund; null: the attempt that paid. */
  readonly transactionId: string | null;
  /** Without commission; null: the whole remaining amount. */
  readonly amountMinor: number | null;
  /** The merchant's text. */
  readonly reason: string | null;
  readonly requester: RefundRequester;
  readonly idempotency: IdempotencyClaim | null;
}

export type RefundResult =
  | { readonly type: 'accepted'; readonly intent: Intent; readonly refund: Refund }
  /** A repeat by Idempotency-Key and body: answer as at creation, with `requestedStatus`. */
  | { readonly type: 'replayed'; readonly intent: Intent; readonly refund: Refund }
  | { readonly type: 'taken'; readonly reason: 'duplicate' | 'key_reused' }
  | { readonly type: 'payment_not_found' | 'transaction_not_found' }
  /** The gateway takes no new refunds (docs/decisions.md#48). */
  | { readonly type: 'maintenance' }
  | { readonly type: 'rejected'; readonly rejection: Rejection; readonly intent: Intent }
  | { readonly type: 'too_old'; readonly daysMax: number }
  | { readonly type: 'daily_limit'; readonly maxMinor: number; readonly leftMinor: number };

/**
 * Reserves a refund; the payment's alarm then calls the provider. The API, the dashboard and the
 * operator all refund by this function. Throws Unavailable when D1, the register or the object does
 * not answer; the caller may repeat the request, because the refund's id can be used only once.
 */
export async function requestRefund(
  env: Env,
  tenant: Tenant,
  request: RefundOfPayment,
): Promise<RefundResult> {
  const client = await intentByUniqueId(env, tenant, request.paymentUniqueId);
  const intent = await client.read();
  if (intent === null) {
    return { type: 'payment_not_found' };
  }
  // A repeat gets the first answer, even if the payment has changed since.
  const known = refundIn(intent, request.refundUniqueId);
  if (known !== null) {
    return repeated(intent, known, request.idempotency);
  }
  const attempt = attemptToRefund(intent, request.transactionId);
  if (attempt === null) {
    return request.transactionId === null
      ? { type: 'rejected', rejection: 'not_paid', intent }
      : { type: 'transaction_not_found' };
  }
  return claimAndReserve(env, client, intent, attempt, request);
}

async function claimAndReserve(
  env: Env,
  client: IntentClient,
  intent: Intent,
  attempt: Attempt,
  request: RefundOfPayment,
): Promise<RefundResult> {
  const { refundUniqueId } = request;
  const nowMs = Date.now();
  // The object must reserve the same amount that the claim counts.
  const amountMinor = request.amountMinor ?? refundableMinor(intent, attempt);
  const command = await refundCommand(env, intent, attempt, { ...request, amountMinor });
  const { rejection } = decide(intent, [command], nowMs);
  if (rejection !== null) {
    return { type: 'rejected', rejection, intent };
  }
  const { terms } = intent;
  const { mode, ...limits } = await limitsOf(env, terms);
  if (mode === 'maintenance') {
    return { type: 'maintenance' };
  }
  const register = registerOf(env, terms);
  const claim = await register.claimRefund({
    refundUniqueId,
    paymentUniqueId: terms.uniqueId,
    claimId: command.registerClaimId,
    amountMinor,
    currency: terms.currency,
    paidAtMs: attempt.updatedAtMs,
    ...limits,
  });
  switch (claim.type) {
    case 'taken':
      return takenElsewhere(env, terms, claim.uniqueId, request);
    case 'too_old':
    case 'daily_limit':
      return claim;
    case 'claimed': {
      const { claimId } = claim;
      const result = await reserve(client, { ...command, registerClaimId: claimId }, request);
      const unclaimed = rejectedBy(result, 'refund_claim_void');
      if (unclaimed !== null) {
        await register.releaseRefund(refundUniqueId, claimId, true);
        return claimAndReserve(env, client, unclaimed, attempt, request);
      }
      if (isRejected(result)) {
        await release(register, refundUniqueId, claimId);
      }
      // Another request has reserved a part, so claim what is left now.
      const reduced = request.amountMinor === null ? rejectedBy(result, 'refund_too_large') : null;
      return reduced === null ? result : claimAndReserve(env, client, reduced, attempt, request);
    }
  }
}

/** The command that reserves a refund, with the capability of its attempt's rail. */
async function refundCommand(
  env: Env,
  intent: Intent,
  attempt: Attempt,
  request: Omit<RefundOfPayment, 'paymentUniqueId' | 'transactionId'>,
): Promise<RequestRefund> {
  const { refundUniqueId: id, amountMinor, reason, requester, idempotency } = request;
  const rail = railOf(env, intent.terms, attempt);
  const requestId = crypto.randomUUID();
  return {
    type: 'request_refund',
    refund: {
      id,
      amountMinor,
      reason,
      requester,
      idempotencyKeyDigest: idempotency?.keyDigest ?? null,
      bodyDigest: idempotency?.bodyDigest ?? null,
      attemptId: attempt.id,
      requestId,
      reference: referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH))),
    },
    keepsCommission: configOf(env).keepsCommission,
    capability: rail?.refunds ?? null,
    startsAfterMs:
      (await rail?.refundStartsAfterMs?.(amountMinor ?? refundableMinor(intent, attempt))) ?? 0,
    registerClaimId: requestId,
  };
}

type RequestRefund = Extract<RefundCommand, { readonly type: 'request_refund' }>;

/** Lets the payment's object decide. */
async function reserve(
  client: IntentClient,
  command: RequestRefund,
  { refundUniqueId, idempotency }: RefundOfPayment,
): Promise<RefundResult> {
  const result = await client.execute([command]);
  if (result.type === 'not_found') {
    return { type: 'payment_not_found' };
  }
  const { intent, rejection } = result;
  const refund = refundIn(intent, refundUniqueId);
  if (refund === null) {
    return { type: 'rejected', rejection: rejection ?? 'refund_not_found', intent };
  }
  return rejection === null
    ? { type: 'accepted', intent, refund }
    : repeated(intent, refund, idempotency);
}

/** The payment that has rejected a request for this reason, or null. */
function rejectedBy(result: RefundResult, rejection: Rejection): Intent | null {
  return result.type === 'rejected' && result.rejection === rejection ? result.intent : null;
}

function isRejected({ type }: RefundResult): boolean {
  return type === 'rejected' || type === 'payment_not_found';
}

/** If the release fails, the claim counts towards its day until the register's alarm settles it. */
async function release(
  register: RegisterClient,
  refundUniqueId: string,
  claimId: string,
): Promise<void> {
  try {
    await register.releaseRefund(refundUniqueId, claimId, false);
  } catch (error) {
    log('warn', 'refund_claim_not_released', { error: errorText(error) });
  }
}

/**
 * Reads the operator's limits and the gateway's mode from D1, because both must apply to the next
 * refund.
 */
async function limitsOf(env: Env, { merchantId }: Tenant) {
  const limits = await readInTime(() => newRefundLimits(env.DB, merchantId));
  if (limits === null) {
    throw new Error('A payment without its merchant');
  }
  return limits;
}

/** Another payment has the refund. A request with the same Idempotency-Key has reused the key. */
async function takenElsewhere(
  env: Env,
  tenant: Tenant,
  uniqueId: string,
  { refundUniqueId, idempotency }: RefundOfPayment,
): Promise<RefundResult> {
  const intent = await (await intentByUniqueId(env, tenant, uniqueId)).read();
  const refund = intent && refundIn(intent, refundUniqueId);
  return intent !== null && refund !== null
    ? repeated(intent, refund, idempotency)
    : { type: 'taken', reason: 'duplicate' };
}

/** The result of a request whose refund exists (docs/decisions.md#8). */
function repeated(
  intent: Intent,
  refund: Refund,
  idempotency: IdempotencyClaim | null,
): RefundResult {
  if (idempotency === null || refund.idempotencyKeyDigest !== idempotency.keyDigest) {
    return { type: 'taken', reason: 'duplicate' };
  }
  return refund.bodyDigest === idempotency.bodyDigest
    ? { type: 'replayed', intent, refund }
    : { type: 'taken', reason: 'key_reused' };
}

/** The refund as the payment would have it now. Changes nothing. */
export async function rehearseRefund(
  env: Env,
  intent: Intent,
  attempt: Attempt,
  asked: Pick<RefundOfPayment, 'refundUniqueId' | 'amountMinor'>,
  nowMs: number,
) {
  // Nothing is stored, so the requester does not matter.
  const requester = { type: 'member', memberId: '' } as const;
  const request = { ...asked, reason: null, requester, idempotency: null };
  const command = await refundCommand(env, intent, attempt, request);
  const { intent: after, rejection } = decide(intent, [command], nowMs);
  /** The refund, or the reason why the payment would reject it. */
  const outcome: Refund | Rejection =
    rejection ?? refundIn(after, asked.refundUniqueId) ?? 'refund_not_found';
  return { intent, attempt, outcome };
}

export type Rehearsal = Awaited<ReturnType<typeof rehearseRefund>>;

/** The refund of that id, or null. */
export function refundIn({ refunds }: Intent, refundUniqueId: string): Refund | null {
  return refunds.find(({ id }) => id === refundUniqueId) ?? null;
}

/** The attempt whose money is returned; null when the payment has no such attempt. */
export function attemptToRefund(
  { attempts, paidAttemptId }: Intent,
  transactionId: string | null,
): Attempt | null {
  const isWanted = ({ id, reference }: Attempt) =>
    transactionId === null ? id === paidAttemptId : reference === transactionId;
  return attempts.find(isWanted) ?? null;
}
