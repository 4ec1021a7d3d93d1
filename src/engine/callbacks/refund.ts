import type { Link } from '../../kit/crypto/link-token.ts';
import { storeResult } from '../attempts/provider-reports.ts';
import { intentByName } from '../intent/client.ts';
import type { CallbackCall, CallbackReply } from '../rails/callback.ts';
import { railOf } from '../rails/registry.ts';
import { outcomeOf, refundOrder } from '../refunds/ask-rail.ts';
import { answerWithoutRail, reportRefused, targetIn } from './attempt.ts';

/**
 * The reply to a callback at a refund's own URL; null when no refund of this rail has this URL. Nothing
 * changes until the adapter finds the callback authentic. Kefel replies to the provider after the
 * commit.
 */
export async function answerRefundCallback(
  env: Env,
  { objectName, index }: Link,
  railId: string,
  call: CallbackCall,
): Promise<CallbackReply | null> {
  const target = await targetIn(
    intentByName(env, objectName),
    ({ attempts, refunds }) => attempts.find(({ id }) => id === refunds[index]?.attemptId),
    railId,
  );
  const refund = target?.intent.refunds[index];
  if (target === null || refund === undefined) {
    return null;
  }
  const { client, intent, attempt } = target;
  const rail = railOf(env, intent.terms, attempt);
  if (rail === null) {
    return answerWithoutRail(env, target);
  }
  if (rail.readRefundCallback === undefined) {
    return null;
  }
  const reading = await rail.readRefundCallback(call, await refundOrder(env, rail, intent, refund));
  if (reading.type === 'refused') {
    await reportRefused(target, reading.suspicion);
    return reading.reply;
  }
  const outcome = outcomeOf(rail, reading.outcome, refund);
  const stored = await storeResult(env, client, [
    { type: 'resolve_refund', refundId: refund.id, outcome },
  ]);
  return stored?.type === 'not_found' ? null : reading.reply;
}
