import { uuidV7 } from '../../../kit/crypto/uuid-v7.ts';
import { jsonResponse } from '../../../kit/http/envelope.ts';
import { codeOf } from '../../../kit/http/field-error.ts';
import {
  maintenance,
  type Problem,
  problem,
  validationProblem,
} from '../../../kit/http/problem.ts';
import { errorText, log } from '../../../kit/platform/log.ts';
import { refreshOutages } from '../../attempts/method-outages.ts';
import { checkoutUrlOf, railOrder } from '../../attempts/order.ts';
import { railPageUrl } from '../../attempts/rail-page.ts';
import {
  hasSharedAddress,
  holdReference,
  newAttempt,
  startAtRail,
  storeStart,
} from '../../attempts/start.ts';
import type { Attempt } from '../../domain/attempt.ts';
import { intentNumberFrom } from '../../domain/identifiers.ts';
import type { IntentKind, IntentTerms } from '../../domain/terms.ts';
import { type IntentClient, intentByUniqueId } from '../../intent/client.ts';
import type { ExpressFacts, IdempotencyClaim, TakenResult } from '../../intent/protocol.ts';
import { banks } from '../../merchants/directory.ts';
import { grants } from '../../merchants/key-permissions.ts';
import type { Rail } from '../../rails/rail.ts';
import { methodSupport } from '../../rails/registry.ts';
import { destinationRefusal } from '../../webhooks/send.ts';
import { type MerchantCall, ownOriginOf } from '../call.ts';
import { expressAnswer, onlyAttempt, savedBody } from '../express-answer.ts';
import { heldExpiryWarnings, type RailChoice } from '../held-expiry.ts';
import { type KeyedBody, readKeyedBody } from '../keyed-body.ts';
import { outageWarnings } from '../outage-warnings.ts';
import type {
  CallbackUse,
  OfferedMethod,
  PaymentOrder,
  ValidationContext,
} from '../schema/context.ts';
import { validateExpress } from '../schema/express.ts';
import { uniqueIdOf, validateHosted } from '../schema/hosted.ts';
import { paymentContent } from './read-payment.ts';

/** The creation of a payment, from the request's body to the answer. */

/** POST …/intent: a hosted checkout. One call to the object, and no D1 query with a warm cache. */
export async function createHosted(call: MerchantCall): Promise<Response> {
  return creationResponse(await createHostedOf(call, await readKeyedBody(call.request, 'hosted')));
}

/** The body of the answer to a creation. */
interface Creation {
  readonly answer: string;
  /** The stored first answer, sent again. */
  readonly isReplay: boolean;
}

export function creationResponse({ answer, isReplay }: Creation): Response {
  return jsonResponse(200, answer, isReplay ? { 'idempotent-replayed': 'true' } : {});
}

/** What a page of Kefel's adds to a hosted payment, beyond what a body can say. */
export interface AddedTerms
  extends Partial<Pick<PaymentOrder, 'description' | 'returnUrl' | 'tillId' | 'countedLink'>> {
  /** Nine digits, also of a number that begins with 7; absent or null: none. */
  readonly phone?: string | null;
}

/** The same for a body that was read, or that a page of Kefel's made. */
export async function createHostedOf(
  call: Creating,
  body: KeyedBody,
  added: AddedTerms | null = null,
): Promise<Creation> {
  const payment = await readNewPayment(call, 'hosted', body, added);
  if ('isReplay' in payment) {
    return payment;
  }
  const { client, terms, idempotency, warnings } = payment;
  const checkoutUrl = await checkoutUrlOf(call.env, { terms });
  const answer = savedBody(checkoutUrl, warnings);
  const request = { terms, idempotency, attempt: null, answer, answerWithinMs: 0 };
  const result = await client.create(request);
  return result.type === 'created'
    ? { answer, isReplay: false }
    : answerTaken(call, client, terms.uniqueId, result, warnings);
}

/** Between the rail's time-out and the time from which a repeated request need not wait. */
const ANSWER_MARGIN_MS = 3_000;

/** POST …/express/…pay. Stores the payment with its attempt before it calls the provider. */
export async function createExpress(call: MerchantCall): Promise<Response> {
  return creationResponse(
    await createExpressOf(call, await readKeyedBody(call.request, 'express')),
  );
}

async function createExpressOf(call: MerchantCall, body: KeyedBody): Promise<Creation> {
  const payment = await readNewPayment(call, 'express', body);
  if ('isReplay' in payment) {
    return payment;
  }
  const { client, terms, phone, idempotency, warnings } = payment;
  const [{ method, rail } = { method: null, rail: null }] = payment.rails;
  if (method === null || rail === null) {
    throw new Error('validated method has no rail');
  }
  call.ctx.waitUntil(refreshOutages(call.env, terms.environment, terms.createdAtMs));
  const attempt = newAttempt(terms, method, phone, rail, terms.createdAtMs);
  if (hasSharedAddress(rail)) {
    // A taken id must not write a reference, nor wait for the register: its answer is known.
    const probed = await client.probe(idempotency);
    if (probed.type !== 'free') {
      return answerTaken(call, client, terms.uniqueId, probed, warnings);
    }
    await holdReference(call.env, terms, attempt, rail);
  }
  const facts = { paymentUrl: await simulatedPage(call.env, terms), warnings };
  const result = await client.create({
    terms,
    idempotency,
    attempt,
    answer: null,
    answerWithinMs: rail.startTimeoutMs + ANSWER_MARGIN_MS,
    ...(rail.startWaitsForCustomer && { facts }),
  });
  if (result.type !== 'created') {
    return answerTaken(call, client, terms.uniqueId, result, warnings);
  }
  const stored = onlyAttempt(result.attempt);
  if (rail.startWaitsForCustomer) {
    // The payment's object calls the provider, so a call from here would charge twice.
    const answer = result.answer ?? expressAnswer({ terms, attempts: [stored] }, facts);
    return { answer, isReplay: false };
  }
  const finished = charge(call.env, payment, stored, rail, facts);
  // A disconnect ends the request, but a charge that has begun must be completed.
  call.ctx.waitUntil(finished.catch(() => undefined));
  return { answer: await finished, isReplay: false };
}

/** Calls the provider once, stores its result with the answer, and returns the answer. */
async function charge(
  env: Env,
  { client, terms }: NewPayment,
  attempt: Attempt,
  rail: Rail,
  { paymentUrl, warnings }: ExpressFacts,
): Promise<string> {
  const intent = { terms, attempts: [attempt] };
  const order = await railOrder(env, rail, intent, attempt);
  const result = await startAtRail(rail, order);
  const { redirectUrl = null, app = null } = result.type === 'accepted' ? result : {};
  const facts = { paymentUrl: redirectUrl ?? paymentUrl, telebirr: app, warnings };
  // The provider has answered, so an error here would make the merchant charge again, even if the
  // object has not stored the answer.
  const stored = await storeStart(env, client, attempt, result, facts).catch((error: unknown) => {
    log('error', 'rail_answer_lost', { uuid: terms.uuid, error: errorText(error) });
    return null;
  });
  if (stored?.type === 'done' && stored.answer !== null) {
    return stored.answer;
  }
  const refused = { ...attempt, status: 'failed' } as const;
  return result.type === 'refused'
    ? expressAnswer({ terms, attempts: [{ ...refused, failureReason: result.reason }] }, facts)
    : expressAnswer(intent, facts);
}

/**
 * The payment that a valid body asks for, or the answer for an id that is taken. Problem 400 with
 * every failing field.
 */
async function readNewPayment(
  call: Creating,
  kind: IntentKind,
  { value: body, idempotency }: KeyedBody,
  added: AddedTerms | null = null,
) {
  const { env, access } = call;
  // Once for the whole request: validation, warnings and the start must agree on a method's rail.
  const methods = servedMethods(call);
  const validate = kind === 'hosted' ? validateHosted : validateExpress;
  const validated = validate(body, await validationContext(call, methods, body));
  if (!validated.ok || access.isInMaintenance) {
    const { warnings } = validated;
    const taken = await answerIfTaken(call, body, idempotency, warnings);
    if (taken === null) {
      throw validated.ok ? maintenance() : validationProblem(validated.errors, warnings);
    }
    return taken;
  }
  const order = validated.value;
  const terms = termsOf(call, added === null ? order : withAdded(order, added));
  const rails = terms.methods.map(({ method }) => ({
    method,
    rail: methods.find((offered) => offered.method === method)?.chooseRail(terms) ?? null,
  }));
  return {
    client: await intentByUniqueId(env, access, terms.uniqueId),
    terms,
    /** In the order of the terms' methods. */
    rails,
    /** Express: the phone to charge, if any. */
    phone: order.phone,
    idempotency,
    /** For the answer, in sentences. */
    warnings: [
      ...validated.warnings,
      ...heldExpiryWarnings(terms, rails),
      ...simulatedAppWarnings(terms, rails),
      ...outageWarnings(terms, rails),
    ],
  };
}

/** The simulator, which has no app, starts a payment that the provider's test system could not. */
function simulatedAppWarnings({ appForm }: IntentTerms, [choice]: readonly RailChoice[]) {
  const isSimulated = appForm !== undefined && choice?.rail?.appForms === undefined;
  return isSimulated
    ? [
        'telebirrForm has no effect in the simulator: telebirr is null. Open the paymentUrl instead.',
      ]
    : [];
}

const NO_CUSTOMER = { name: null, email: null, isPhoneUpdatable: null };

function withAdded(order: PaymentOrder, { phone = null, ...added }: AddedTerms): PaymentOrder {
  const customer = phone === null ? order.customer : { ...NO_CUSTOMER, ...order.customer, phone };
  return { ...order, ...added, customer };
}

/** The merchant's methods that a rail serves. */
function servedMethods({ env, access }: Pick<MerchantCall, 'env' | 'access'>) {
  return access.methods.flatMap((offered) => {
    const support = methodSupport(env, access.environment, offered.method);
    return support === null ? [] : [{ ...offered, ...support }];
  });
}

type NewPayment = Exclude<Awaited<ReturnType<typeof readNewPayment>>, Creation>;

/**
 * A taken id comes before validation errors, because correcting the body would not help. A repeated
 * request gets its first answer even if the merchant's settings have changed since, or during
 * maintenance.
 */
async function answerIfTaken(
  call: Creating,
  body: unknown,
  idempotency: IdempotencyClaim | null,
  warnings: readonly string[],
): Promise<Creation | null> {
  const uniqueId = uniqueIdOf(body);
  if (uniqueId === null) {
    return null;
  }
  const intent = await intentByUniqueId(call.env, call.access, uniqueId);
  const probed = await intent.probe(idempotency);
  return probed.type === 'free' ? null : answerTaken(call, intent, uniqueId, probed, warnings);
}

/** What a creation needs of a call, with or without a key. */
type Creating = Pick<MerchantCall, 'env' | 'config' | 'access' | 'nowMs'> & {
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  readonly request: Pick<Request, 'url'>;
};

/** What a body of this merchant is validated with. */
export async function validationContext(
  call: Creating,
  methods: readonly OfferedMethod[] = servedMethods(call),
  body: unknown = null,
): Promise<ValidationContext> {
  return {
    environment: call.access.environment,
    methods,
    switchedOff: call.access.switchedOff,
    limits: call.access.limits,
    appSchemes: call.access.appSchemes,
    callbackUse: (callbackUrl) => callbackUse(call, callbackUrl),
    // Only splits name banks: no other payment waits for D1.
    banks: hasSplits(body) ? await banks({ ...call, url: call.request.url }) : new Map(),
    expireInSecondsMin: call.config.expireInSecondsMin,
    expireInSecondsMax: call.config.expireInSecondsMax,
  };
}

/** The published interface takes plain http, but no webhook is sent there (docs/decisions.md#18). */
function callbackUse(call: Creating, callbackUrl: string): CallbackUse {
  const { origin } = new URL(call.request.url);
  const refusal = destinationRefusal(call.config, callbackUrl, origin);
  if (refusal === null) {
    return 'sends';
  }
  return refusal === 'URL is not https' ? 'ignores' : { refusal };
}

function hasSplits(body: unknown): boolean {
  const splits = (body as { readonly splitPayment?: unknown } | null)?.splitPayment;
  return Array.isArray(splits) && splits.length > 0;
}

function termsOf(call: Creating, order: PaymentOrder): IntentTerms {
  const { expireInSeconds, phone: _phone, ...ordered } = order;
  // Not the start of the request, because its body may have taken seconds to arrive.
  const createdAtMs = Date.now();
  return {
    ...ordered,
    environment: call.access.environment,
    merchantId: call.access.merchantId,
    merchantName: call.access.merchantName,
    merchantNumber: call.access.merchantNumber,
    branding: call.access.branding,
    business: call.access.business,
    bookVolume: call.access.bookVolume,
    uuid: uuidV7(createdAtMs),
    number: intentNumberFrom(crypto.getRandomValues(new Uint8Array(8))),
    baseUrl: ownOriginOf(call),
    createdAtMs,
    expiresAtMs: createdAtMs + expireInSeconds * 1_000,
  };
}

/** A simulated payment has a page too, which shows the outcome. */
async function simulatedPage(env: Env, terms: IntentTerms): Promise<string | null> {
  return terms.simulation === null ? null : checkoutUrlOf(env, { terms });
}

/** Most express calls answer sooner than this. */
const IN_PROGRESS_SECONDS = 1;

/**
 * Answers a create request whose id is taken: idempotent replay, 409 or 422 (docs/decisions.md#8).
 */
async function answerTaken(
  call: Creating,
  intent: IntentClient,
  uniqueId: string,
  taken: TakenResult,
  warnings: readonly string[],
): Promise<Creation> {
  switch (taken.type) {
    case 'duplicate':
      throw problem('duplicate_payment_id', { uniqueId, members: await paymentOf(call, intent) });
    case 'key_reused':
      throw problem('idempotency_key_reused');
    case 'in_flight':
      throw problem('idempotency_key_in_use', { retryAfterSeconds: IN_PROGRESS_SECONDS });
    case 'replay':
      return { answer: taken.answer, isReplay: true };
    case 'unanswered': {
      const { terms } = taken.intent;
      const railPage = await railPageUrl(call.env, intent, taken.intent);
      const facts = { paymentUrl: railPage ?? (await simulatedPage(call.env, terms)), warnings };
      const stored = await intent.execute([{ type: 'tick' }], facts);
      const answer = stored.type === 'done' ? stored.answer : null;
      return { answer: answer ?? expressAnswer(taken.intent, facts), isReplay: true };
    }
  }
}

/** The payment of a taken id, for a key that may read it; none once the payment is erased. */
async function paymentOf(call: Creating, client: IntentClient) {
  const intent = grants(call.access.permissions, 'payments_read') ? await client.read() : null;
  return intent === null ? {} : { payment: await paymentContent(call, intent) };
}

/**
 * The field by which the sum of a payment is refused that a page of Kefel's makes, and why. Null: the
 * reason is another one.
 */
export function refusedSum({ validationErrors }: Problem) {
  for (const field of ['amount', 'items'] as const) {
    const error = validationErrors?.[field];
    const kind = error && codeOf(error);
    if (kind === 'too_small' || kind === 'too_large') {
      return { field, kind } as const;
    }
  }
  return null;
}
