import { railOrder } from '../../engine/attempts/order.ts';
import { newAttempt, storeStart } from '../../engine/attempts/start.ts';
import { intentNumberFrom } from '../../engine/domain/identifiers.ts';
import { SELF_CHECK_MERCHANT_ID } from '../../engine/domain/merchant.ts';
import { plainTerms } from '../../engine/domain/plain-terms.ts';
import { intentByUniqueId } from '../../engine/intent/client.ts';
import { railFor } from '../../engine/rails/registry.ts';
import { uuidV7 } from '../../kit/crypto/uuid-v7.ts';
import { bookOf } from '../../lists/book/client.ts';
import type { Finding } from './findings.ts';
import type { NamedFinding, Run } from './store.ts';

/**
 * A sandbox payment from end to end. Its merchant is in no table: it has no key and no member, no list
 * shows it, and no provider knows it.
 */
export const SELF_CHECK_TENANT = {
  environment: 'sandbox',
  merchantId: SELF_CHECK_MERCHANT_ID,
} as const;

/** 1.00: no scenario of the sandbox has this amount, so the simulator pays it by itself. */
const AMOUNT_MINOR = 100;
const LIFETIME_MS = 60 * 60 * 1_000;
const METHOD = 'TELE_BIRR';

/** Creates an express payment as the API does. Its alarm then asks the simulator for the outcome. */
export async function startPayment(env: Env, { runId }: Run, ownOrigin: string): Promise<void> {
  const createdAtMs = Date.now();
  const terms = plainTerms({
    ...SELF_CHECK_TENANT,
    merchantName: 'Kefel self-check',
    uniqueId: runId,
    uuid: uuidV7(createdAtMs),
    number: intentNumberFrom(crypto.getRandomValues(new Uint8Array(8))),
    kind: 'express',
    simulation: 'succeed',
    amountMinor: AMOUNT_MINOR,
    methods: [{ method: METHOD, commissionMinor: 0 }],
    baseUrl: ownOrigin,
    createdAtMs,
    expiresAtMs: createdAtMs + LIFETIME_MS,
  });
  const rail = railFor(env, terms, METHOD);
  if (rail === null) {
    throw new Error('the sandbox has no simulator');
  }
  const planned = newAttempt(terms, METHOD, null, rail, createdAtMs);
  const client = await intentByUniqueId(env, SELF_CHECK_TENANT, runId);
  const request = { terms, idempotency: null, attempt: planned, answer: '', answerWithinMs: 0 };
  const created = await client.create(request);
  const attempt = created.type === 'created' ? created.attempt : null;
  if (attempt === null) {
    throw new Error(`the payment was not created: ${created.type}`);
  }
  const order = await railOrder(env, rail, { terms, attempts: [attempt] }, attempt);
  const result = await rail.start(order);
  await storeStart(env, client, attempt, result);
}

/** Deliveries that a consumer must still handle. */
const UNDER_WAY: readonly string[] = ['queued', 'claimed', 'waiting'];

/** What has become of the payment. Reading its history and events applies nothing that is due. */
export const PAYMENT_CHECKS = {
  payment: async (env: Env, { runId }: Run): Promise<Finding | null> => {
    const history = await (await intentByUniqueId(env, SELF_CHECK_TENANT, runId)).history();
    const paid = history.find(({ toStatus }) => toStatus === 'succeeded');
    const createdAtMs = history[0]?.atMs ?? 0;
    return paid === undefined
      ? null
      : found('paid', { seconds: Math.round((paid.atMs - createdAtMs) / 1_000) });
  },
  event: async (env: Env, { runId }: Run): Promise<Finding | null> => {
    const [event] = await (await intentByUniqueId(env, SELF_CHECK_TENANT, runId)).events();
    return event === undefined || UNDER_WAY.includes(event.deliveryStatus)
      ? null
      : found('event_ended', { status: event.deliveryStatus });
  },
  book: async (env: Env, { runId }: Run): Promise<Finding | null> => {
    const row = await bookOf(env, SELF_CHECK_TENANT, 0).ask('paymentOf', runId);
    return row?.status === 'succeeded' ? found('booked', {}) : null;
  },
} as const;

function found(finding: Finding['finding'], details: NonNullable<Finding['details']>): Finding {
  return { state: 'ok', finding, details };
}

/** The checks that have ended, of those named. One that fails is asked again until it is too late. */
export async function lookAtPayment(
  env: Env,
  run: Run,
  names: readonly string[],
): Promise<readonly NamedFinding[]> {
  const looked = await Promise.all(
    Object.entries(PAYMENT_CHECKS)
      .filter(([name]) => names.includes(name))
      .map(async ([name, look]) => {
        const finding = await look(env, run).catch(() => null);
        return finding && { name, ...finding };
      }),
  );
  return looked.filter((result) => result !== null);
}
