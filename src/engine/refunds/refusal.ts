import { fieldError } from '../../kit/http/field-error.ts';
import { maintenance, type Problem, problem, validationProblem } from '../../kit/http/problem.ts';
import { majorText } from '../../kit/money.ts';
import { REFUND_REQUESTS_MAX, REFUNDS_MAX, refundableMinor } from '../domain/refund-amounts.ts';
import { attemptToRefund, type RefundResult } from './request.ts';

/** A request that reserved nothing. */
export type Refused = Exclude<RefundResult, { readonly type: 'accepted' | 'replayed' }>;

/** The API's answer to a refused refund. */
export function refusal(
  result: Refused,
  refundUniqueId: string,
  transactionId: string | null,
): Problem {
  switch (result.type) {
    case 'taken':
      return result.reason === 'duplicate'
        ? problem('duplicate_refund_id', { refundUniqueId })
        : problem('idempotency_key_reused');
    case 'payment_not_found':
      return problem('payment_not_found');
    case 'transaction_not_found':
      return validationProblem({
        transactionId: fieldError('mismatch', 'The payment has no such transaction.'),
      });
    case 'too_old':
      return problem('refund_too_late', result);
    case 'daily_limit':
      return problem('refund_daily_limit', {
        left: majorText(result.leftMinor),
        max: majorText(result.maxMinor),
      });
    case 'maintenance':
      return maintenance();
    case 'rejected':
      return rejection(result, transactionId);
  }
}

function rejection(
  result: Extract<RefundResult, { readonly type: 'rejected' }>,
  transactionId: string | null,
): Problem {
  const { intent } = result;
  switch (result.rejection) {
    case 'not_paid':
      return problem('payment_not_paid');
    case 'refund_too_large': {
      const attempt = attemptToRefund(intent, transactionId);
      const left = majorText(attempt === null ? 0 : refundableMinor(intent, attempt));
      return problem('refund_too_large', { left, currency: intent.terms.currency });
    }
    case 'refund_key_reused':
      return problem('idempotency_key_reused');
    case 'too_many_refunds':
      return problem('too_many_refunds', {
        refundsMax: REFUNDS_MAX,
        requestsMax: REFUND_REQUESTS_MAX,
      });
    case 'refund_needs_review':
      return problem('refund_needs_review');
    default:
      throw new Error(`a refund was rejected as ${result.rejection}`);
  }
}
