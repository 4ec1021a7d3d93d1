import type { Intent } from '../domain/intent.ts';
import type { Refund, RefundOutcome } from '../domain/refund.ts';
import { nextCheckAtMs } from '../domain/schedule.ts';
import type { Rail } from '../rails/rail.ts';
import type { RefundAnswer } from '../rails/refund.ts';
import { railOf } from '../rails/registry.ts';
import { refundOrder } from './order.ts';

/** Asks the provider to return the money. Called at most once for each refund. */
export async function startRefund(
  env: Env,
  objectId: string,
  intent: Intent,
  refund: Refund,
): Promise<RefundOutcome> {
  const rail = railOfRefund(env, intent, refund);
  // The settings may have changed since the plan; nobody was called.
  return rail?.refund === undefined
    ? { type: 'requires_action', reason: 'not_enabled' }
    : outcomeOf(
        rail,
        await rail.refund(await refundOrder(env, rail, objectId, intent, refund)),
        refund,
      );
}

/** Queries the provider for the outcome of a refund. */
export async function queryRefund(
  env: Env,
  objectId: string,
  intent: Intent,
  refund: Refund,
): Promise<RefundOutcome> {
  const rail = railOfRefund(env, intent, refund);
  return rail?.refundStatus === undefined
    ? { type: 'unknown', checkAtMs: null }
    : outcomeOf(
        rail,
        await rail.refundStatus(await refundOrder(env, rail, objectId, intent, refund), Date.now()),
        refund,
      );
}

export function railOfRefund(env: Env, intent: Intent, refund: Refund): Rail | null {
  const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
  return attempt === undefined ? null : railOf(env, intent.terms, attempt);
}

/** With the time of the next query, if the provider answers queries. */
export function outcomeOf(rail: Rail, answer: RefundAnswer, refund: Refund): RefundOutcome {
  if (answer.type !== 'unknown') {
    return answer;
  }
  const backOffMs = nextCheckAtMs(refund.checks, refund.createdAtMs, Date.now());
  const checkAtMs = rail.refundStatus === undefined ? null : (answer.checkAtMs ?? backOffMs);
  return { ...answer, checkAtMs };
}
