import { FAILURE_REASONS, type FailureReason } from '../domain/intent.ts';
import { successBody } from '../http/envelope.ts';
import type { ExpressAnswers } from '../intent/protocol.ts';
import type { RailOrder } from '../rails/rail-order.ts';
import { SAVED_MESSAGE } from './saved-message.ts';

/** The `content` of an express answer (docs/api.md#express-answer). */
interface ExpressContent {
  readonly paymentUrl: string | null;
  readonly transactionId: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly message: string;
  /** With FAILURE, why (docs/api.md#failure-reasons); else null. */
  readonly failureReason: FailureReason | null;
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
  warnings: readonly string[],
): ExpressAnswers {
  const { simulation } = order.terms;
  // A simulated payment has a page too, which shows the outcome.
  const paymentUrl = redirectUrl ?? (simulation === null ? null : order.checkoutUrl);
  const transactionId = order.attempt.reference;
  const body = (content: ExpressContent) => successBody(SAVED_MESSAGE, content, warnings);
  const refused = (failureReason: FailureReason) =>
    body({
      // After FAILURE the merchant charges again, so the customer must not be able to pay this one.
      paymentUrl: simulation === null ? null : paymentUrl,
      transactionId,
      status: 'FAILURE',
      message: 'The payment was refused',
      failureReason,
    });
  const failed = byReason(refused);
  const accepted = body({
    paymentUrl,
    transactionId,
    status: 'SUCCESS',
    message: 'The payment was accepted',
    failureReason: null,
  });
  // The simulator declines, by itself and soon.
  return { failed, otherwise: simulation === 'fail' ? failed.declined : accepted };
}

function byReason(textOf: (reason: FailureReason) => string): Record<FailureReason, string> {
  const entries = FAILURE_REASONS.map((reason) => [reason, textOf(reason)] as const);
  return Object.fromEntries(entries) as Record<FailureReason, string>;
}
