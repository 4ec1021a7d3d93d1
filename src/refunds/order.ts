import { railOrder } from '../attempts/order.ts';
import { configOf } from '../config.ts';
import { signLink } from '../crypto/link-token.ts';
import type { Intent } from '../domain/intent.ts';
import type { Refund } from '../domain/refund.ts';
import { refundsOf, sumOf } from '../domain/refund-amounts.ts';
import type { Rail } from '../rails/rail.ts';
import type { RefundOrder } from '../rails/refund.ts';

/** Everything that the adapter may know about a refund of this intent, its callback URL included. */
export async function refundOrder(
  env: Env,
  rail: Rail,
  objectId: string,
  intent: Intent,
  refund: Refund,
): Promise<RefundOrder> {
  const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
  const index = intent.refunds.findIndex(({ id }) => id === refund.id);
  if (attempt === undefined || index < 0) {
    throw new Error('The refund belongs to another payment');
  }
  const link = { objectId, index };
  const [payment, token] = await Promise.all([
    railOrder(env, rail, objectId, intent, attempt),
    signLink(configOf(env).linkSigningKeys, 'refund', link),
  ]);
  const others = refundsOf(intent, attempt.id).filter(({ id }) => id !== refund.id);
  const returned = others.filter(({ status }) => status === 'succeeded');
  return {
    payment,
    refund,
    returnedBeforeMinor: sumOf(returned).returnedMinor,
    isFirst: others.every(({ claimId }) => claimId === null),
    callbackUrl: `${intent.terms.baseUrl}/rails/${rail.id}/refunds/${token}`,
  };
}
