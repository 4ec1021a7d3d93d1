import { successBody } from '../http/envelope.ts';
import type { ExpressAnswers } from '../intent/protocol.ts';
import type { RailOrder } from '../rails/rail.ts';
import { SAVED_MESSAGE } from './saved-message.ts';

/** The `content` of an express answer (docs/api.md#express-answer). */
interface ExpressContent {
  readonly paymentUrl: string | null;
  readonly transactionId: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly message: string;
}

/**
 * The two possible answers of an express call. The object selects one by the state that it commits.
 * A merchant charges again after FAILURE, so only a final failure is FAILURE. A time-out or an
 * unclear answer of the provider is SUCCESS: accepted and pending (docs/decisions.md#16).
 * `redirectUrl`: the provider's page, if any.
 */
export function expressAnswers(
  order: Pick<RailOrder, 'terms' | 'attempt' | 'checkoutUrl'>,
  redirectUrl: string | null,
): ExpressAnswers {
  const { simulation } = order.terms;
  // A simulated payment has a page too, which shows the outcome.
  const paymentUrl = redirectUrl ?? (simulation === null ? null : order.checkoutUrl);
  const transactionId = order.attempt.reference;
  const failed = body({
    // After FAILURE the merchant charges again, so the customer must not be able to pay this one.
    paymentUrl: simulation === null ? null : paymentUrl,
    transactionId,
    status: 'FAILURE',
    message: 'The payment was refused',
  });
  const accepted = body({
    paymentUrl,
    transactionId,
    status: 'SUCCESS',
    message: 'The payment was accepted',
  });
  return { failed, otherwise: simulation === 'fail' ? failed : accepted };
}

function body(content: ExpressContent): string {
  return successBody(SAVED_MESSAGE, content);
}
