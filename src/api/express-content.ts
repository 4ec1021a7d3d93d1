import type { Intent } from '../domain/intent.ts';
import type { RailOrder, StartResult } from '../rails/rail.ts';
import { railOrder } from '../rails/run-attempt.ts';

/** The payment response of spec "Response envelopes". */
interface ExpressContent {
  readonly paymentUrl: string | null;
  readonly transactionId: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly message: string;
}

/**
 * FAILURE only for what is final: a merchant charges again on FAILURE, so a timeout or an unclear
 * answer is SUCCESS, accepted and pending (decision 16).
 */
export function expressContent(order: RailOrder, result: StartResult): ExpressContent {
  const redirectUrl = result.type === 'accepted' ? result.redirectUrl : null;
  return content(order, result.type === 'refused', redirectUrl);
}

/** The same for a charge whose first answer was never given: read from what became of it. */
export async function expressContentLater(
  env: Env,
  objectId: string,
  intent: Intent,
): Promise<ExpressContent> {
  const attempt = intent.attempts[0];
  if (attempt === undefined) {
    throw new Error('an express payment without an attempt');
  }
  const order = await railOrder(env, objectId, intent, attempt);
  return content(order, attempt.status === 'failed', attempt.redirectUrl);
}

function content(order: RailOrder, isRefused: boolean, redirectUrl: string | null): ExpressContent {
  const { simulation } = order.terms;
  const isFailure = isRefused || simulation === 'fail';
  return {
    // A simulated payment has a page too: it shows what became of it.
    paymentUrl: redirectUrl ?? (simulation === null ? null : order.checkoutUrl),
    transactionId: order.attempt.reference,
    status: isFailure ? 'FAILURE' : 'SUCCESS',
    message: isFailure ? 'The payment was refused' : 'The payment was accepted',
  };
}
