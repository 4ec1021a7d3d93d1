import { checkoutUrlOf } from '../attempts/order.ts';
import { railPageUrl } from '../attempts/rail-page.ts';
import {
  type Attempt,
  FAILURE_REASONS,
  type FailureReason,
  type Intent,
} from '../domain/intent.ts';
import { jsonResponse, successBody } from '../http/envelope.ts';
import { problem } from '../http/problem.ts';
import type { IntentClient } from '../intent/client.ts';
import type { ExpressAnswers, TakenResult } from '../intent/protocol.ts';
import type { RailOrder } from '../rails/rail-order.ts';
import type { MerchantCall } from './call.ts';

/** How the creation of a payment is answered, the first time and when it is repeated. */

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
  const body = (content: ExpressContent) => savedBody(content, warnings);
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

/** Most express calls answer sooner than this. */
const IN_PROGRESS_SECONDS = 1;

/**
 * Answers a create request whose id is taken: idempotent replay, 409 or 422 (docs/decisions.md#8).
 */
export async function answerTaken(
  call: MerchantCall,
  intent: IntentClient,
  uniqueId: string,
  taken: TakenResult,
  warnings: readonly string[],
): Promise<Response> {
  switch (taken.type) {
    case 'duplicate':
      throw problem('duplicate_payment_id', { uniqueId });
    case 'key_reused':
      throw problem('idempotency_key_reused');
    case 'in_flight':
      throw problem('idempotency_key_in_use', { retryAfterSeconds: IN_PROGRESS_SECONDS });
    case 'replay':
      return replayed(taken.answer);
    case 'unanswered': {
      const attempt = onlyAttempt(taken.intent);
      const checkoutUrl = await checkoutUrlOf(call.env, intent.objectId, taken.intent);
      const railPage = await railPageUrl(call.env, intent, taken.intent);
      const order = { ...taken.intent, attempt, checkoutUrl };
      const answers = expressAnswers(order, railPage, warnings);
      const stored = await intent.execute([{ type: 'tick' }], answers);
      return replayed((stored.type === 'done' ? stored.answer : null) ?? answers.otherwise);
    }
  }
}

function replayed(answer: string): Response {
  return jsonResponse(200, answer, { 'idempotent-replayed': 'true' });
}

/** The attempt of an express payment. */
function onlyAttempt(intent: Intent): Attempt {
  const attempt = intent.attempts[0];
  if (attempt === undefined) {
    throw new Error('express payment has no attempt');
  }
  return attempt;
}
