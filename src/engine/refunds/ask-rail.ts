import { signLink } from '../../kit/crypto/link-token.ts';
import { objectNameOf } from '../../kit/crypto/object-name.ts';
import { railOrder } from '../attempts/order.ts';
import { configOf } from '../config.ts';
import type { Intent } from '../domain/intent.ts';
import type { Refund, RefundOutcome } from '../domain/refund.ts';
import { refundsOf, sumOf } from '../domain/refund-amounts.ts';
import { nextRefundCheckAtMs } from '../domain/schedule.ts';
import type { Rail } from '../rails/rail.ts';
import type { RefundAnswer, RefundOrder } from '../rails/refund.ts';
import { railOf } from '../rails/registry.ts';

type Ask<Answer> = (env: Env, intent: Intent, refund: Refund) => Promise<Answer>;

/** Asks the provider to return the money. Kefel calls this at most once for each refund. */
export const startRefund: Ask<RefundOutcome> = async (env, intent, refund) => {
  const rail = railOfRefund(env, intent, refund);
  if (rail?.refund === undefined) {
    // The operator has changed the settings since the plan, so Kefel does not call the provider.
    return { type: 'requires_action', reason: 'not_enabled' };
  }
  const order = await refundOrder(env, rail, intent, refund);
  return outcomeOf(rail, await rail.refund(order), refund);
};

/**
 * Sends a refund to the provider again with the same number. A refusal proves nothing about the
 * first call, so the outcome is unknown until a status query shows the refund.
 */
export const repeatRefund: Ask<RefundOutcome> = async (env, intent, refund) => {
  const rail = railOfRefund(env, intent, refund);
  if (rail?.repeatRefund === undefined) {
    // The operator has changed the settings since the request, so Kefel does not call the provider.
    return { type: 'unknown', checkAtMs: nextRefundCheckAtMs(refund, Date.now()) };
  }
  const order = await refundOrder(env, rail, intent, refund);
  const answer = await rail.repeatRefund(order);
  const { type, providerCode = null } = answer;
  const isProof = type === 'succeeded' || type === 'unknown';
  return outcomeOf(rail, isProof ? answer : { type: 'unknown', providerCode }, refund);
};

/** Whether the provider recognizes a refund by its number when it is asked for it again. */
export const isRepeatable: Ask<boolean> = async (env, intent, refund) => {
  const rail = railOfRefund(env, intent, refund);
  if (rail?.isRefundRepeatable === undefined) {
    return false;
  }
  return rail.isRefundRepeatable(await refundOrder(env, rail, intent, refund));
};

/** Queries the provider for a refund's outcome. Inconclusive while the rail is not configured. */
export const queryRefund: Ask<RefundOutcome> = async (env, intent, refund) => {
  const rail = railOfRefund(env, intent, refund);
  if (rail === null) {
    return { type: 'unknown', checkAtMs: nextRefundCheckAtMs(refund, Date.now()) };
  }
  if (rail.refundStatus === undefined) {
    return { type: 'unknown', checkAtMs: null };
  }
  const order = await refundOrder(env, rail, intent, refund);
  return outcomeOf(rail, await rail.refundStatus(order, Date.now()), refund);
};

export function railOfRefund(env: Env, intent: Intent, refund: Refund): Rail | null {
  const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
  return attempt === undefined ? null : railOf(env, intent.terms, attempt);
}

/** The adapter's answer, with the time of the next query if the adapter can query refunds. */
export function outcomeOf(rail: Rail, answer: RefundAnswer, refund: Refund): RefundOutcome {
  if (answer.type !== 'unknown') {
    return answer;
  }
  const { checkAtMs = nextRefundCheckAtMs(refund, Date.now()) } = answer;
  return { ...answer, checkAtMs: rail.refundStatus === undefined ? null : checkAtMs };
}

/** Everything that the adapter may know about a refund of this intent, its callback URL included. */
export async function refundOrder(
  env: Env,
  rail: Rail,
  intent: Intent,
  refund: Refund,
): Promise<RefundOrder> {
  const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
  const index = intent.refunds.findIndex(({ id }) => id === refund.id);
  if (attempt === undefined || index < 0) {
    throw new Error('The refund belongs to another payment');
  }
  const { terms } = intent;
  const link = { objectName: await objectNameOf(terms), index };
  const [payment, token] = await Promise.all([
    railOrder(env, rail, intent, attempt),
    signLink(configOf(env).linkSigningKeys, 'refund', link),
  ]);
  const others = refundsOf(intent, attempt.id).filter(({ id }) => id !== refund.id);
  const returned = others.filter(({ status }) => status === 'succeeded');
  return {
    payment,
    refund,
    returnedBeforeMinor: sumOf(returned).returnedMinor,
    isFirst: others.every(({ claimId }) => claimId === null),
    callbackUrl: `${terms.baseUrl}/rails/${rail.id}/refunds/${token}`,
  };
}
