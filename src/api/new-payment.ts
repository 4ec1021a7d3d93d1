import { BODY_BYTES_MAX } from '../config.ts';
import { uuidV7 } from '../crypto/uuid-v7.ts';
import { intentNumberFrom } from '../domain/identifiers.ts';
import type { IntentKind, IntentTerms } from '../domain/intent.ts';
import { readJsonBody } from '../http/json-body.ts';
import { validationProblem } from '../http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
import type { IdempotencyClaim } from '../intent/protocol.ts';
import { banks } from '../merchants/directory.ts';
import { methodSupport } from '../rails/registry.ts';
import { judgeDestination } from '../webhooks/send.ts';
import type { GuardReason } from '../webhooks/url-guard.ts';
import type { MerchantCall } from './call.ts';
import { answerTaken } from './creation-answer.ts';
import { heldExpiryWarnings, type RailChoice } from './held-expiry.ts';
import { idempotencyClaim } from './idempotency.ts';
import type { OfferedMethod, ValidationContext } from './schema/context.ts';
import { validateExpress } from './schema/express.ts';
import { uniqueIdOf, validateHosted } from './schema/hosted.ts';
import type { PaymentOrder } from './schema/order.ts';

export interface NewPayment {
  readonly client: IntentClient;
  readonly terms: IntentTerms;
  /** In the order of the terms' methods. */
  readonly rails: readonly RailChoice[];
  /** Express: the phone to charge, if any. */
  readonly phone: string | null;
  readonly idempotency: IdempotencyClaim | null;
  /** Warnings for the answer, in sentences. */
  readonly warnings: readonly string[];
}

/**
 * The payment that a valid body asks for, or the answer for an id that is taken. Problem 400 with
 * every failing field.
 */
export async function readNewPayment(
  call: MerchantCall,
  kind: IntentKind,
): Promise<NewPayment | Response> {
  const { env, access } = call;
  const body = await readJsonBody(call.request, BODY_BYTES_MAX);
  const idempotency = await idempotencyClaim(call.request, kind, body.bytes);
  // Once for the whole request: validation, warnings and the start must agree on a method's rail.
  const methods = access.methods.flatMap((offered) => {
    const support = methodSupport(env, access.environment, offered.method);
    return support === null ? [] : [{ ...offered, ...support }];
  });
  const validate = kind === 'hosted' ? validateHosted : validateExpress;
  const validated = validate(body.value, await validationContext(call, methods, body.value));
  if (!validated.ok) {
    const { errors, warnings } = validated;
    const taken = await answerIfTaken(call, body.value, idempotency, warnings);
    if (taken === null) {
      throw validationProblem(errors, warnings);
    }
    return taken;
  }
  const terms = termsOf(call, validated.value);
  const rails = terms.methods.map(({ method }) => ({
    method,
    rail: methods.find((offered) => offered.method === method)?.chooseRail(terms) ?? null,
  }));
  return {
    client: intentByUniqueId(env, access, terms.uniqueId),
    terms,
    rails,
    phone: validated.value.phone,
    idempotency,
    warnings: [
      ...validated.warnings,
      ...callbackWarnings(call, terms),
      ...heldExpiryWarnings(terms, rails),
    ],
  };
}

/**
 * A taken id comes before validation errors, because correcting the body would not help. A repeated
 * request gets its first answer even if the merchant's settings have changed since.
 */
async function answerIfTaken(
  call: MerchantCall,
  body: unknown,
  idempotency: IdempotencyClaim | null,
  warnings: readonly string[],
): Promise<Response | null> {
  const uniqueId = uniqueIdOf(body);
  if (uniqueId === null) {
    return null;
  }
  const intent = intentByUniqueId(call.env, call.access, uniqueId);
  const probed = await intent.probe(idempotency);
  return probed.type === 'free' ? null : answerTaken(call, intent, uniqueId, probed, warnings);
}

async function validationContext(
  call: MerchantCall,
  methods: readonly OfferedMethod[],
  body: unknown,
): Promise<ValidationContext> {
  return {
    environment: call.access.environment,
    methods,
    limits: call.access.limits,
    appSchemes: call.access.appSchemes,
    callbackRefusal: (callbackUrl) => {
      const reason = refusalOf(call, callbackUrl);
      return reason === 'URL is not https' ? null : reason;
    },
    // Only splits name banks: other payments can be created while D1 fails.
    banks: hasSplits(body) ? await banks(call.env, call.nowMs) : new Map(),
    expireInSecondsMin: call.config.expireInSecondsMin,
    expireInSecondsMax: call.config.expireInSecondsMax,
  };
}

function refusalOf(call: MerchantCall, callbackUrl: string): GuardReason | null {
  const verdict = judgeDestination(call.config, callbackUrl, baseUrlOf(call));
  return verdict.allowed ? null : verdict.reason;
}

/** The published interface takes plain http, but no webhook is sent there (docs/decisions.md#18). */
function callbackWarnings(call: MerchantCall, { callbackUrl }: IntentTerms): readonly string[] {
  return callbackUrl !== null && refusalOf(call, callbackUrl) === 'URL is not https'
    ? ['callbackUrl begins with http://, and Kefel sends webhooks to https:// only. Use https.']
    : [];
}

function hasSplits(body: unknown): boolean {
  const splits = (body as { readonly splitPayment?: unknown } | null)?.splitPayment;
  return Array.isArray(splits) && splits.length > 0;
}

/** The origin of the customer's pages (docs/decisions.md#26). */
function baseUrlOf({ config, request }: MerchantCall): string {
  return config.publicBaseUrl ?? new URL(request.url).origin;
}

function termsOf(call: MerchantCall, order: PaymentOrder): IntentTerms {
  const { expireInSeconds, phone: _phone, ...ordered } = order;
  // Not the start of the request, because its body may have taken seconds to arrive.
  const createdAtMs = Date.now();
  return {
    ...ordered,
    environment: call.access.environment,
    merchantId: call.access.merchantId,
    merchantName: call.access.merchantName,
    branding: call.access.branding,
    uuid: uuidV7(createdAtMs),
    number: intentNumberFrom(crypto.getRandomValues(new Uint8Array(8))),
    baseUrl: baseUrlOf(call),
    createdAtMs,
    expiresAtMs: createdAtMs + expireInSeconds * 1_000,
  };
}
