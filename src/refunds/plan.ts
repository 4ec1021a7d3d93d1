import { REFERENCE_LENGTH, referenceFrom } from '../domain/identifiers.ts';
import type { Attempt, Intent } from '../domain/intent.ts';
import type { RefundCommand, RefundRequester } from '../domain/refund.ts';
import { refundableMinor } from '../domain/refund-amounts.ts';
import { railOf } from '../rails/registry.ts';

/** A refund as the merchant or the operator requests it. */
export interface RefundRequest {
  readonly id: string;
  readonly attempt: Attempt;
  /** Null: the whole remaining amount. */
  readonly amountMinor: number | null;
  readonly reason: string | null;
  readonly requester: RefundRequester;
  readonly idempotencyKeyDigest: string | null;
  readonly bodyDigest: string | null;
  /** Whether the operator keeps the commission of refunded payments (docs/decisions.md#39). */
  readonly keepsCommission: boolean;
}

/** The command that reserves a refund, with the capability of its attempt's rail. */
export function refundCommand(
  env: Env,
  intent: Intent,
  { attempt, keepsCommission, ...request }: RefundRequest,
): Extract<RefundCommand, { type: 'request_refund' }> {
  const rail = railOf(env, intent.terms, attempt);
  const amountMinor = request.amountMinor ?? refundableMinor(intent, attempt);
  return {
    type: 'request_refund',
    refund: {
      ...request,
      attemptId: attempt.id,
      requestId: crypto.randomUUID(),
      reference: referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH))),
    },
    keepsCommission,
    capability: rail?.refunds ?? null,
    startsAfterMs: rail?.refundStartsAfterMs?.(amountMinor) ?? 0,
  };
}
