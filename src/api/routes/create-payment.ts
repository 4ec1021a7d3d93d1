import { signLink } from '../../crypto/link-token.ts';
import { intentNumberFrom } from '../../domain/identifiers.ts';
import type { IntentKind, IntentTerms } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { type IntentClient, IntentUnavailable, intentByUniqueId } from '../../intent/client.ts';
import type { CreateRequest, IdempotencyClaim, TakenResult } from '../../intent/protocol.ts';
import { errorText, log } from '../../log.ts';
import { banks } from '../../merchants/directory.ts';
import type { Rail } from '../../rails/rail.ts';
import { railFor } from '../../rails/registry.ts';
import { commandFor, newAttempt, railOrder } from '../../rails/run-attempt.ts';
import { readJsonBody } from '../body.ts';
import type { MerchantCall } from '../call.ts';
import { jsonResponse, SAVED_MESSAGE, successBody } from '../envelope.ts';
import { expressContent, expressContentLater } from '../express-content.ts';
import { idempotencyClaim } from '../idempotency.ts';
import { duplicateProblem, Problem, validationProblem } from '../problem.ts';
import { validateExpress } from '../schema/express.ts';
import type { PaymentOrder } from '../schema/order.ts';
import { uniqueIdOf, validatePaymentIntent } from '../schema/payment-intent.ts';
import type { ValidationContext } from '../schema/validate.ts';

/** Room between the rail's time-out and the moment at which a repeat no longer has to wait. */
const ANSWER_MARGIN_MS = 3_000;

/** POST …/intent: a hosted checkout. One call of the object, no D1 query on a warm path. */
export async function createHosted(call: MerchantCall): Promise<Response> {
  const { order, idempotency } = await readOrder(call, 'hosted');
  const terms = termsOf(call, order);
  const intent = intentByUniqueId(call.env, call.access, terms.uniqueId);
  const link = { objectId: intent.objectId, attemptIndex: 0 };
  const token = await signLink(call.config.linkSigningKeys, 'checkout', link);
  const answer = successBody(SAVED_MESSAGE, `${terms.baseUrl}/checkout/${token}`);
  const request: CreateRequest = {
    terms,
    idempotency,
    attempt: null,
    answer,
    answerWithinMs: 0,
  };
  const result = await intent.create(request);
  return result.type === 'created'
    ? jsonResponse(200, answer)
    : answerTaken(call, intent, terms.uniqueId, result);
}

/** POST …/express/…pay: the charge is stored with its attempt before the rail hears of it. */
export async function createExpress(call: MerchantCall): Promise<Response> {
  const { order, idempotency } = await readOrder(call, 'express');
  const terms = termsOf(call, order);
  const { method, rail } = expressRail(terms);
  const attempt = newAttempt(terms, method, order.phone, rail, call.nowMs);
  const intent = intentByUniqueId(call.env, call.access, terms.uniqueId);
  const result = await intent.create({
    terms,
    idempotency,
    attempt,
    answer: null,
    answerWithinMs: rail.startTimeoutMs + ANSWER_MARGIN_MS,
  });
  if (result.type !== 'created') {
    return answerTaken(call, intent, terms.uniqueId, result);
  }
  const started = result.intent.attempts[0];
  if (started === undefined) {
    throw new Error('an express payment was created without its attempt');
  }
  const railCall = await railOrder(call.env, intent.objectId, result.intent, started);
  const startResult = await rail.start(railCall);
  const answer = successBody(SAVED_MESSAGE, expressContent(railCall, startResult));
  try {
    await intent.execute([commandFor(startResult, started, Date.now())], answer);
  } catch (error) {
    if (!(error instanceof IntentUnavailable)) {
      throw error;
    }
    // The rail has spoken and the charge is stored: the merchant must not be told to try again.
    log('warn', 'rail_answer_not_stored', { uuid: terms.uuid, error: errorText(error) });
  }
  return jsonResponse(200, answer);
}

async function readOrder(
  call: MerchantCall,
  kind: IntentKind,
): Promise<{ order: PaymentOrder; idempotency: IdempotencyClaim | null }> {
  const body = await readJsonBody(call.request);
  const idempotency = await idempotencyClaim(call.request, body.bytes);
  const validate = kind === 'hosted' ? validatePaymentIntent : validateExpress;
  const validated = validate(body.value, await validationContext(call));
  if (validated.ok) {
    return { order: validated.value, idempotency };
  }
  await refuseTakenId(call, uniqueIdOf(body.value), idempotency);
  throw validationProblem(validated.errors);
}

/** A taken id is answered 409 whatever else is wrong: no mending of the body would help. */
async function refuseTakenId(
  call: MerchantCall,
  uniqueId: string | null,
  idempotency: IdempotencyClaim | null,
): Promise<void> {
  if (uniqueId === null) {
    return;
  }
  const probed = await intentByUniqueId(call.env, call.access, uniqueId).probe(idempotency);
  if (probed.type !== 'free') {
    throw probed.type === 'key_reused' ? keyReusedProblem() : duplicateProblem(uniqueId);
  }
}

async function validationContext(call: MerchantCall): Promise<ValidationContext> {
  const { environment } = call.access;
  return {
    environment,
    methods: call.access.methods.filter(({ method }) => railFor(environment, method) !== null),
    railCurrencies: (method) => railFor(environment, method)?.currencies ?? [],
    banks: await banks(call.env, call.nowMs),
    expireInSecondsMin: call.config.expireInSecondsMin,
    expireInSecondsMax: call.config.expireInSecondsMax,
  };
}

function termsOf(call: MerchantCall, order: PaymentOrder): IntentTerms {
  const { expireInSeconds, phone: _phone, ...asked } = order;
  return {
    ...asked,
    environment: call.access.environment,
    merchantId: call.access.merchantId,
    merchantName: call.access.merchantName,
    uuid: crypto.randomUUID(),
    number: intentNumberFrom(crypto.getRandomValues(new Uint8Array(8))),
    baseUrl: call.config.publicBaseUrl ?? new URL(call.request.url).origin,
    createdAtMs: call.nowMs,
    expiresAtMs: call.nowMs + expireInSeconds * 1_000,
  };
}

function expressRail(terms: IntentTerms): { method: Method; rail: Rail } {
  const method = terms.methods[0]?.method;
  const rail = method === undefined ? null : railFor(terms.environment, method);
  if (method === undefined || rail === null) {
    throw new Error('validation let a method without a rail through');
  }
  return { method, rail };
}

async function answerTaken(
  call: MerchantCall,
  intent: IntentClient,
  uniqueId: string,
  taken: TakenResult,
): Promise<Response> {
  switch (taken.type) {
    case 'duplicate':
      throw duplicateProblem(uniqueId);
    case 'key_reused':
      throw keyReusedProblem();
    case 'in_flight':
      throw new Problem(409, 'The first request with this Idempotency-Key is still in progress', {
        headers: { 'retry-after': String(taken.retryAfterSeconds) },
      });
    case 'replay':
      return replayed(taken.answer);
    case 'unanswered': {
      const content = await expressContentLater(call.env, intent.objectId, taken.intent);
      return replayed(await intent.storeAnswer(successBody(SAVED_MESSAGE, content)));
    }
  }
}

function replayed(answer: string): Response {
  return jsonResponse(200, answer, { 'idempotent-replayed': 'true' });
}

function keyReusedProblem(): Problem {
  return new Problem(422, 'This Idempotency-Key was used with another body');
}
