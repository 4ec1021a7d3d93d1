import { checkoutUrlOf } from '../attempts/order.ts';
import { railPageUrl } from '../attempts/rail-page.ts';
import type { Attempt, Intent } from '../domain/intent.ts';
import { jsonResponse } from '../http/envelope.ts';
import { problem } from '../http/problem.ts';
import type { IntentClient } from '../intent/client.ts';
import type { TakenResult } from '../intent/protocol.ts';
import type { MerchantCall } from './call.ts';
import { expressAnswers } from './express-content.ts';

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
export function onlyAttempt(intent: Intent): Attempt {
  const attempt = intent.attempts[0];
  if (attempt === undefined) {
    throw new Error('express payment has no attempt');
  }
  return attempt;
}
