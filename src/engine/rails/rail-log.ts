import { log } from '../../kit/platform/log.ts';
import { printableCode } from '../domain/provider-code.ts';
import type { RailOrder } from './rail-order.ts';

/** What a provider answered, for the log. */
export interface LoggedAnswer {
  /** HTTP status; null when no answer came. */
  readonly status?: number | null;
  /** The code or state as the provider wrote it; null when it gave none. */
  readonly providerCode?: string | null;
  /**
   * The provider's own id of the order, where the provider looks orders up by that. Never M-PESA's
   * CheckoutRequestID, which ends with the customer's phone number.
   */
  readonly railReference?: string | null;
  /** `info` for what customers and their accounts cause; `warn` by default. */
  readonly level?: 'info' | 'warn';
}

/** Its reference is logged, which the merchant knows as `transactionId`. */
export interface LoggedOrder {
  readonly attempt: Pick<RailOrder['attempt'], 'reference'>;
}

/**
 * Logs `rail_answer`: a provider's answer that an operator may need, such as no outcome, a refusal or
 * a failure. The attempt also keeps the provider's last code (`providerCode`).
 *
 * @param call the provider's name for the call, or `callback`
 */
export function logRailAnswer(
  rail: string,
  call: string,
  order: LoggedOrder,
  { status, providerCode = null, railReference = null, level = 'warn' }: LoggedAnswer,
): void {
  log(level, 'rail_answer', {
    rail,
    call,
    reference: order.attempt.reference,
    ...(railReference !== null && { railReference }),
    ...(typeof status === 'number' && { status }),
    providerCode: providerCode === null ? null : (printableCode(providerCode) ?? '(unprintable)'),
  });
}
