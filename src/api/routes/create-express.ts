import { railOrder } from '../../attempts/order.ts';
import { newAttempt } from '../../attempts/plan.ts';
import { startAtRail } from '../../attempts/start.ts';
import { commandFor } from '../../attempts/start-result.ts';
import { storeResult } from '../../attempts/store-result.ts';
import { decide, openIntent } from '../../domain/decide.ts';
import type { Intent, IntentTerms } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { jsonResponse } from '../../http/envelope.ts';
import type { IntentClient } from '../../intent/client.ts';
import { errorText, log } from '../../log.ts';
import type { Rail } from '../../rails/rail.ts';
import { railFor } from '../../rails/registry.ts';
import type { MerchantCall } from '../call.ts';
import { expressAnswers } from '../express-content.ts';
import { readNewPayment } from '../new-payment.ts';
import { answerTaken, onlyAttempt } from '../taken.ts';

/** Between the rail's time-out and the time from which a repeated request need not wait. */
const ANSWER_MARGIN_MS = 3_000;

/** POST …/express/…pay. Stores the payment with its attempt before it calls the provider. */
export async function createExpress(call: MerchantCall): Promise<Response> {
  const read = await readNewPayment(call, 'express');
  if (read.type === 'answered') {
    return read.response;
  }
  const { client, terms, phone, idempotency, warnings } = read;
  const { method, rail } = expressRail(call.env, terms);
  const attempt = newAttempt(terms, method, phone, rail, terms.createdAtMs);
  const result = await client.create({
    terms,
    idempotency,
    attempt,
    answer: null,
    // If a queue consumer calls the provider, the answer does not wait for it.
    answerWithinMs: (rail.startWaitsForCustomer ? 0 : rail.startTimeoutMs) + ANSWER_MARGIN_MS,
  });
  if (result.type !== 'created') {
    return answerTaken(call, client, terms.uniqueId, result, warnings);
  }
  // What the object has stored: it decides on the same command at the same time.
  const { intent } = decide(
    openIntent(terms),
    [{ type: 'start_attempt', attempt }],
    terms.createdAtMs,
  );
  const finished = startCharge(call, client, intent, rail, warnings);
  // A disconnect ends the request, but a charge that has begun must be completed.
  call.ctx.waitUntil(finished.catch(() => undefined));
  return jsonResponse(200, await finished);
}

/** Calls the provider once, stores its result with the answer, and returns the answer. */
async function startCharge(
  { env }: MerchantCall,
  client: IntentClient,
  intent: Intent,
  rail: Rail,
  warnings: readonly string[],
): Promise<string> {
  const attempt = onlyAttempt(intent);
  const order = await railOrder(env, rail, client.objectId, intent, attempt);
  const result = await startAtRail(env, client.objectId, order, rail);
  const redirectUrl = result.type === 'accepted' ? result.redirectUrl : null;
  const answers = expressAnswers(order, redirectUrl, warnings);
  const answer = result.type === 'refused' ? answers.failed[result.reason] : answers.otherwise;
  const commands = [commandFor(result, attempt, Date.now())];
  // The provider has answered, so an error here would make the merchant charge again, even if the
  // object has not stored the answer.
  const stored = await storeResult(env, client, commands, answers).catch((error: unknown) => {
    log('error', 'rail_answer_lost', { uuid: intent.terms.uuid, error: errorText(error) });
    return null;
  });
  return stored?.type === 'done' && stored.answer !== null ? stored.answer : answer;
}

function expressRail(env: Env, terms: IntentTerms): { method: Method; rail: Rail } {
  const method = terms.methods[0]?.method;
  const rail = method === undefined ? null : railFor(env, terms, method);
  if (method === undefined || rail === null) {
    throw new Error('validated method has no rail');
  }
  return { method, rail };
}
