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
 * Both answers that an express call can have; the object picks by what it commits. FAILURE is only
 * for what is final: a merchant charges again on FAILURE, so a time-out or an unclear answer of the
 * rail is SUCCESS, accepted and pending (docs/decisions.md#16). `redirectUrl`: the rail's page, if
 * any.
 */
export function expressAnswers(
  order: Pick<RailOrder, 'terms' | 'attempt' | 'checkoutUrl'>,
  redirectUrl: string | null,
): ExpressAnswers {
  const { simulation } = order.terms;
  // A simulated payment has a page too: it shows what became of it.
  const paymentUrl = redirectUrl ?? (simulation === null ? null : order.checkoutUrl);
  const transactionId = order.attempt.reference;
  const failed = body({
    // Whoever hears FAILURE charges again: no page may be left on which this one is paid as well.
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
