import type { Link } from '../../kit/crypto/link-token.ts';
import { log } from '../../kit/platform/log.ts';
import { storeResult } from '../attempts/provider-reports.ts';
import { intentByName } from '../intent/client.ts';
import type { CallbackCall, CallbackReply } from '../rails/callback.ts';
import { outcomeOf, railOfRefund, refundOrder } from '../refunds/ask-rail.ts';
import { NOT_AVAILABLE } from './attempt.ts';

/**
 * The reply to a callback at a refund's own URL; null when no refund has this URL. Nothing changes
 * until the adapter finds the callback authentic. Kefel replies to the provider after the commit.
 */
export async function answerRefundCallback(
  env: Env,
  { objectName, index }: Link,
  railId: string,
  call: CallbackCall,
): Promise<CallbackReply | null> {
  const client = intentByName(env, objectName);
  // The provider may report only once, so the read retries while the object is unreachable.
  const intent = await client.readPersistently();
  const refund = intent?.refunds[index];
  if (intent === null || refund === undefined) {
    return null;
  }
  const rail = railOfRefund(env, intent, refund);
  if (rail === null) {
    return NOT_AVAILABLE;
  }
  if (rail.id !== railId || rail.readRefundCallback === undefined) {
    return null;
  }
  const order = await refundOrder(env, rail, intent, refund);
  const reading = await rail.readRefundCallback(call, order);
  if (reading.type === 'refused') {
    const { uuid } = intent.terms;
    log('warn', 'rail_callback_refused', { uuid, rail: railId, suspicion: reading.suspicion });
    await client.execute([{ type: 'report_callback', attemptId: refund.attemptId }]);
    return reading.reply;
  }
  const outcome = outcomeOf(rail, reading.outcome, refund);
  const stored = await storeResult(env, client, [
    { type: 'resolve_refund', refundId: refund.id, outcome },
  ]);
  return stored?.type === 'not_found' ? null : reading.reply;
}
