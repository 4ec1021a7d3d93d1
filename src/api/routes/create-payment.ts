import { railOrder } from '../../attempts/order.ts';
import { newAttempt } from '../../attempts/plan.ts';
import { railPageUrl } from '../../attempts/rail-page.ts';
import { startAtRail } from '../../attempts/start.ts';
import { commandFor } from '../../attempts/start-result.ts';
import { storeResult } from '../../attempts/store-result.ts';
import { BODY_BYTES_MAX } from '../../config.ts';
import { signLink } from '../../crypto/link-token.ts';
import { intentNumberFrom } from '../../domain/identifiers.ts';
import type { Attempt, Intent, IntentKind, IntentTerms } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { jsonResponse, successBody } from '../../http/envelope.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { problem, validationProblem } from '../../http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../../intent/client.ts';
import type { CreateRequest, IdempotencyClaim, TakenResult } from '../../intent/protocol.ts';
import { errorText, log } from '../../log.ts';
import { banks } from '../../merchants/directory.ts';
import type { Rail } from '../../rails/rail.ts';
import { currenciesOf, railFor, takesPhone } from '../../rails/registry.ts';
import type { MerchantCall } from '../call.ts';
import { expressAnswers } from '../express-content.ts';
import { idempotencyClaim } from '../idempotency.ts';
import { SAVED_MESSAGE } from '../saved-message.ts';
import { validateExpress } from '../schema/express.ts';
import type { PaymentOrder } from '../schema/order.ts';
import { uniqueIdOf, validatePaymentIntent } from '../schema/payment-intent.ts';
import type { ValidationContext } from '../schema/validate.ts';

/** What decides which rail an express payment goes to, before its body is known to be valid. */
const PRODUCTION_CHARGE = {
  environment: 'production',
  kind: 'express',
  simulation: null,
  currency: 'ETB',
} as const;

/** Room between the rail's time-out and the moment at which a repeat no longer has to wait. */
const ANSWER_MARGIN_MS = 3_000;

/** POST …/intent: a hosted checkout. One call of the object, no D1 query on a warm path. */
export async function createHosted(call: MerchantCall): Promise<Response> {
  const read = await readOrder(call, 'hosted');
  if (read.type === 'answered') {
    return read.response;
  }
  const { order, idempotency } = read;
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
  const read = await readOrder(call, 'express');
  if (read.type === 'answered') {
    return read.response;
  }
  const { order, idempotency } = read;
  const terms = termsOf(call, order);
  const { method, rail } = expressRail(call.env, terms);
  const attempt = newAttempt(terms, method, order.phone, rail, terms.createdAtMs);
  const intent = intentByUniqueId(call.env, call.access, terms.uniqueId);
  const result = await intent.create({
    terms,
    idempotency,
    attempt,
    answer: null,
    // A rail that is called by a consumer is answered for at once.
    answerWithinMs: (rail.startsInQueue ? 0 : rail.startTimeoutMs) + ANSWER_MARGIN_MS,
  });
  if (result.type !== 'created') {
    return answerTaken(call, intent, terms.uniqueId, result);
  }
  const finished = startCharge(call, intent, result.intent, rail);
  // A client that hangs up ends its request; a charge that has begun must be finished all the same.
  call.ctx.waitUntil(finished.catch(() => undefined));
  return jsonResponse(200, await finished);
}

/** Calls the rail once and stores what it said with the answer. Returns the answer. */
async function startCharge(
  { env }: MerchantCall,
  client: IntentClient,
  intent: Intent,
  rail: Rail,
): Promise<string> {
  const attempt = onlyAttempt(intent);
  const order = await railOrder(env, client.objectId, intent, attempt);
  const result = await startAtRail(env, client.objectId, order, rail);
  const redirectUrl = result.type === 'accepted' ? result.redirectUrl : null;
  const answers = expressAnswers(order, redirectUrl);
  const answer = result.type === 'refused' ? answers.failed : answers.otherwise;
  const commands = [commandFor(result, attempt, Date.now())];
  // The rail has spoken and the charge is stored: whatever becomes of its answer on the way to the
  // object, the merchant must not be told to try again.
  const stored = await storeResult(env, client, commands, answers).catch((error: unknown) => {
    log('error', 'rail_answer_lost', { uuid: intent.terms.uuid, error: errorText(error) });
    return null;
  });
  return stored?.type === 'done' && stored.answer !== null ? stored.answer : answer;
}

function onlyAttempt(intent: Intent): Attempt {
  const attempt = intent.attempts[0];
  if (attempt === undefined) {
    throw new Error('an express payment without its attempt');
  }
  return attempt;
}

type ReadOrder =
  | {
      readonly type: 'order';
      readonly order: PaymentOrder;
      readonly idempotency: IdempotencyClaim | null;
    }
  | { readonly type: 'answered'; readonly response: Response };

async function readOrder(call: MerchantCall, kind: IntentKind): Promise<ReadOrder> {
  const body = await readJsonBody(call.request, BODY_BYTES_MAX);
  const idempotency = await idempotencyClaim(call.request, kind, body.bytes);
  const validate = kind === 'hosted' ? validatePaymentIntent : validateExpress;
  const validated = validate(body.value, await validationContext(call));
  if (validated.ok) {
    return { type: 'order', order: validated.value, idempotency };
  }
  // A taken id is answered as such whatever else is wrong: no mending of the body would help, and
  // the first answer can be had again even if the merchant's settings have changed since.
  const uniqueId = uniqueIdOf(body.value);
  if (uniqueId !== null) {
    const intent = intentByUniqueId(call.env, call.access, uniqueId);
    const probed = await intent.probe(idempotency);
    if (probed.type !== 'free') {
      return { type: 'answered', response: await answerTaken(call, intent, uniqueId, probed) };
    }
  }
  throw validationProblem(validated.errors);
}

async function validationContext(call: MerchantCall): Promise<ValidationContext> {
  const { environment } = call.access;
  return {
    environment,
    methods: call.access.methods.filter(
      ({ method }) => currenciesOf(call.env, environment, method).length > 0,
    ),
    railCurrencies: (method) => currenciesOf(call.env, environment, method),
    takesPhone: (method, phone) =>
      environment === 'sandbox' || takesPhone(call.env, PRODUCTION_CHARGE, method, phone),
    limits: call.access.limits,
    banks: await banks(call.env, call.nowMs),
    expireInSecondsMin: call.config.expireInSecondsMin,
    expireInSecondsMax: call.config.expireInSecondsMax,
  };
}

function termsOf(call: MerchantCall, order: PaymentOrder): IntentTerms {
  const { expireInSeconds, phone: _phone, ...asked } = order;
  // Now, not when the request began: its body may have taken seconds to arrive.
  const createdAtMs = Date.now();
  return {
    ...asked,
    environment: call.access.environment,
    merchantId: call.access.merchantId,
    merchantName: call.access.merchantName,
    branding: call.access.branding,
    uuid: crypto.randomUUID(),
    number: intentNumberFrom(crypto.getRandomValues(new Uint8Array(8))),
    baseUrl: call.config.publicBaseUrl ?? new URL(call.request.url).origin,
    createdAtMs,
    expiresAtMs: createdAtMs + expireInSeconds * 1_000,
  };
}

function expressRail(env: Env, terms: IntentTerms): { method: Method; rail: Rail } {
  const method = terms.methods[0]?.method;
  const rail = method === undefined ? null : railFor(env, terms, method);
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
      // Whatever the body (docs/decisions.md#8).
      throw problem('duplicate_payment', { uniqueId });
    case 'key_reused':
      throw problem('idempotency_key_reused');
    case 'in_flight':
      throw problem('idempotency_key_in_use', { retryAfterSeconds: taken.retryAfterSeconds });
    case 'replay':
      return replayed(taken.answer);
    case 'unanswered': {
      const attempt = onlyAttempt(taken.intent);
      const order = await railOrder(call.env, intent.objectId, taken.intent, attempt);
      const railPage = await railPageUrl(call.env, intent, taken.intent);
      const answers = expressAnswers(order, railPage);
      const stored = await intent.execute([{ type: 'tick' }], answers);
      return replayed((stored.type === 'done' ? stored.answer : null) ?? answers.otherwise);
    }
  }
}

function replayed(answer: string): Response {
  return jsonResponse(200, answer, { 'idempotent-replayed': 'true' });
}
