import { railOrder } from '../../attempts/order.ts';
import { newAttempt } from '../../attempts/plan.ts';
import { startAtRail, storeStart } from '../../attempts/start.ts';
import type { Attempt } from '../../domain/intent.ts';
import { startedAttempt } from '../../domain/transition.ts';
import { jsonResponse } from '../../http/envelope.ts';
import { errorText, log } from '../../platform/log.ts';
import type { Rail } from '../../rails/rail.ts';
import type { MerchantCall } from '../call.ts';
import { answerTaken, expressAnswers } from '../creation-answer.ts';
import { type NewPayment, readNewPayment } from '../new-payment.ts';

/** Between the rail's time-out and the time from which a repeated request need not wait. */
const ANSWER_MARGIN_MS = 3_000;

/** POST …/express/…pay. Stores the payment with its attempt before it calls the provider. */
export async function createExpress(call: MerchantCall): Promise<Response> {
  const payment = await readNewPayment(call, 'express');
  if (payment instanceof Response) {
    return payment;
  }
  const { client, terms, phone, idempotency, warnings } = payment;
  const [{ method, rail } = { method: null, rail: null }] = payment.rails;
  if (method === null || rail === null) {
    throw new Error('validated method has no rail');
  }
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
  // As the object has stored it, at the same time.
  const finished = charge(call.env, payment, startedAttempt(attempt, terms.createdAtMs), rail);
  // A disconnect ends the request, but a charge that has begun must be completed.
  call.ctx.waitUntil(finished.catch(() => undefined));
  return jsonResponse(200, await finished);
}

/** Calls the provider once, stores its result with the answer, and returns the answer. */
async function charge(
  env: Env,
  { client, terms, warnings }: NewPayment,
  attempt: Attempt,
  rail: Rail,
): Promise<string> {
  const order = await railOrder(
    env,
    rail,
    client.objectId,
    { terms, attempts: [attempt] },
    attempt,
  );
  const result = await startAtRail(env, client.objectId, order, rail);
  const redirectUrl = result.type === 'accepted' ? result.redirectUrl : null;
  const answers = expressAnswers(order, redirectUrl, warnings);
  const answer = result.type === 'refused' ? answers.failed[result.reason] : answers.otherwise;
  // The provider has answered, so an error here would make the merchant charge again, even if the
  // object has not stored the answer.
  const stored = await storeStart(env, client, attempt, result, answers).catch((error: unknown) => {
    log('error', 'rail_answer_lost', { uuid: terms.uuid, error: errorText(error) });
    return null;
  });
  return stored?.type === 'done' && stored.answer !== null ? stored.answer : answer;
}
