import * as v from 'valibot';
import { uniqueIdField } from '../../engine/api/schema/fields.ts';
import type { Rejection } from '../../engine/domain/command.ts';
import type { Intent } from '../../engine/domain/intent.ts';
import { type IntentClient, intentByUniqueId } from '../../engine/intent/client.ts';
import type { ExecuteResult } from '../../engine/intent/protocol.ts';
import { railOfRefund } from '../../engine/refunds/ask-rail.ts';
import { found } from '../../kit/http/problem.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { ActionCall, Target } from '../operator/call.ts';
import { tenantIn } from '../operator/fields.ts';
import { type Claim, claimsOf } from './claims.ts';

/** A payment that an operator names, as its object has it. */
export interface KnownPayment {
  readonly tenant: Tenant;
  readonly uniqueId: string;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/** Null without such a payment. A text that creation refuses as an id reaches no object. */
export async function findPayment(
  env: Env,
  tenant: Tenant,
  uniqueId: string,
): Promise<Pick<KnownPayment, 'client' | 'intent'> | null> {
  if (!v.is(uniqueIdField, uniqueId)) {
    return null;
  }
  const client = await intentByUniqueId(env, tenant, uniqueId);
  const intent = await client.read();
  return intent && { client, intent };
}

/** Problem 404 for a malformed path, and for an unknown payment. */
export async function knownPayment(
  { env }: Pick<ActionCall, 'env'>,
  target: Target,
): Promise<KnownPayment> {
  const tenant = tenantIn(target);
  const uniqueId = target.uniqueId ?? '';
  return { tenant, uniqueId, ...found(await findPayment(env, tenant, uniqueId)) };
}

/** Why the payment did not execute a command, or null. */
export function refusalIn(result: ExecuteResult): Rejection | 'not_found' | null {
  return result.type === 'not_found' ? 'not_found' : result.rejection;
}

/** What the operator noted about a payment that needed attention. */
export interface Review {
  readonly note: string;
  readonly reviewedBy: string;
  readonly reviewedAtMs: number;
}

export async function paymentDetails(
  call: Pick<ActionCall, 'env' | 'config'>,
  target: Target,
): Promise<KnownPaymentDetails> {
  const { client, intent } = await knownPayment(call, target);
  const [details, claims] = await Promise.all([
    detailsOf(call, client, intent),
    claimsOf(call.env, intent),
  ]);
  return { ...details, claims };
}

/** A payment with all that the operator sees of it. */
export async function detailsOf(
  { env, config }: Pick<ActionCall, 'env' | 'config'>,
  client: IntentClient,
  intent: Intent,
) {
  const [history, events, retention, review] = await Promise.all([
    client.history(),
    client.events(),
    client.retention(),
    readReview(env.DB, intent.terms.uuid),
  ]);
  const repeatable = intent.refunds.filter(
    (refund) => railOfRefund(env, intent, refund)?.isRefundRepeatable !== undefined,
  );
  return {
    objectName: client.objectName,
    /** Without the customer's phone number, and without their link to the provider's page. */
    intent: withoutPhones(withoutClaims(intent)),
    history,
    events,
    /** The last one, or null. */
    review,
    /** The last legal hold, and when the payment's object deletes it. */
    retention,
    /** Above this sum, two operators decide; null: one is enough. */
    secondOperatorAboveMinor: config.secondOperatorAboveMinor,
    /** The refunds that their provider would recognize by their number. */
    repeatableRefunds: repeatable.map(({ id }) => id),
  };
}

export type PaymentDetails = Awaited<ReturnType<typeof detailsOf>>;

/** With what customers claim, and who else has those numbers. */
export type KnownPaymentDetails = PaymentDetails & { readonly claims: readonly Claim[] };

/** For the back office, which pays and starts nothing: the customer's way to the provider stays here. */
export function withoutClaims(intent: Intent): Intent {
  const claims = { redirectUrl: null, startClaimId: null };
  return { ...intent, attempts: intent.attempts.map((attempt) => ({ ...attempt, ...claims })) };
}

function withoutPhones(intent: Intent): Intent {
  return { ...intent, attempts: intent.attempts.map((attempt) => ({ ...attempt, phone: null })) };
}

function readReview(db: D1Database, uuid: string): Promise<Review | null> {
  const sql = `SELECT note, reviewed_by AS reviewedBy, reviewed_at_ms AS reviewedAtMs
    FROM payment_reviews WHERE uuid = ?1`;
  return prepare(db, { sql, params: [uuid] }).first<Review>();
}
