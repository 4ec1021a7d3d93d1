import { successBody } from '../../kit/http/envelope.ts';
import type { AppParameters } from '../domain/app-form.ts';
import type { Attempt, FailureReason } from '../domain/attempt.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { ExpressFacts } from '../intent/protocol.ts';

/** The answer of every successful creation has the same message (docs/decisions.md#11). */
export function savedBody(content: unknown, warnings: readonly string[]): string {
  return successBody('Payment intent saved successfully', content, warnings);
}

/** The `content` of an express answer (docs/api.md#express-answer). */
export interface ExpressContent {
  readonly paymentUrl: string | null;
  readonly transactionId: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly message: string;
  /** With FAILURE, why (docs/api.md#failure-reasons); else null. */
  readonly failureReason: FailureReason | null;
  /** With `telebirrForm` alone: what the customer's app needs; null like `paymentUrl`. */
  readonly telebirr?: AppParameters | null;
}

/** What of a payment decides the answer. */
interface AnsweredIntent {
  readonly terms: Pick<IntentTerms, 'simulation' | 'appForm'>;
  readonly attempts: readonly Pick<Attempt, 'reference' | 'status' | 'failureReason'>[];
}

/**
 * The answer of an express call whose payment is in this state. A merchant charges again after
 * FAILURE, so only a final failure is FAILURE. A time-out or an unclear answer of the provider is
 * SUCCESS: accepted and pending (docs/decisions.md#16).
 */
export function expressAnswer(
  { terms, attempts }: AnsweredIntent,
  { paymentUrl, telebirr = null, warnings }: ExpressFacts,
): string {
  const attempt = onlyAttempt(attempts[0]);
  // The simulator declines, by itself and soon.
  const isFailed = attempt.status === 'failed' || terms.simulation === 'fail';
  const content: ExpressContent = {
    // After FAILURE the merchant charges again, so the customer must not be able to pay this one.
    paymentUrl: isFailed ? null : paymentUrl,
    transactionId: attempt.reference,
    status: isFailed ? 'FAILURE' : 'SUCCESS',
    message: isFailed ? 'The payment was refused' : 'The payment was accepted',
    failureReason: isFailed ? (attempt.failureReason ?? 'declined') : null,
    ...(terms.appForm !== undefined && { telebirr: isFailed ? null : telebirr }),
  };
  return savedBody(content, warnings);
}

/** The attempt of an express payment. */
export function onlyAttempt<Part>(attempt: Part | null | undefined): Part {
  if (attempt == null) {
    throw new Error('express payment has no attempt');
  }
  return attempt;
}
