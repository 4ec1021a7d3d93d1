import type { Command, Intent, Rejection, Tenant } from '../domain/intent.ts';
import { type Problem, problem } from '../http/problem.ts';
import { type IntentClient, intentByUniqueId } from '../intent/client.ts';
import type { EventSummary, HistoryEntry } from '../intent/protocol.ts';
import { prepare } from '../platform/database.ts';
import { railOfRefund } from '../refunds/ask-rail.ts';
import type { OperatorCall, Recorder, Target } from './call.ts';
import { environmentField, merchantIdField, pathPart, patternField } from './fields.ts';
import { operationProblem } from './problems.ts';

/** The longest unique id of a payment (docs/decisions.md#7), in UTF-16 units. */
const UNIQUE_ID_LENGTH_MAX = 510;

const uniqueIdField = patternField(
  new RegExp(`^[^\\p{Cc}]{1,${UNIQUE_ID_LENGTH_MAX}}$`, 'u'),
  'Must be the id of a payment.',
);

/** A payment that an operator names, as its object has it. */
export interface KnownPayment {
  readonly tenant: Tenant;
  readonly uniqueId: string;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/** Problem 404 for a malformed path, and for an unknown payment. */
export async function knownPayment(
  { env }: Pick<OperatorCall, 'env'>,
  target: Target,
): Promise<KnownPayment> {
  const environment = pathPart(environmentField, target.environment);
  const merchantId = pathPart(merchantIdField, target.merchantId);
  const uniqueId = pathPart(uniqueIdField, target.uniqueId);
  const tenant = { environment, merchantId };
  const client = intentByUniqueId(env, tenant, uniqueId);
  const read = await client.read();
  if (read.type === 'not_found') {
    throw problem('not_found');
  }
  return { tenant, uniqueId, client, intent: read.intent };
}

/** What the operator noted about a payment that needed attention. */
export interface Review {
  readonly note: string;
  readonly reviewedBy: string;
  readonly reviewedAtMs: number;
}

/** A payment with all that the operator sees of it. */
export interface PaymentDetails {
  readonly objectId: string;
  /** Without the customer's phone number, and without their link to the provider's page. */
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
  readonly events: readonly EventSummary[];
  /** The last one, or null. */
  readonly review: Review | null;
  /** Above this sum, two operators decide; null: one is enough. */
  readonly secondOperatorAboveMinor: number | null;
  /** The refunds that their provider would recognize by their number. */
  readonly repeatableRefunds: readonly string[];
}

export async function paymentDetails(
  call: Pick<OperatorCall, 'env' | 'config'>,
  target: Target,
): Promise<PaymentDetails> {
  const { client, intent } = await knownPayment(call, target);
  return detailsOf(call, client, intent);
}

async function detailsOf(
  { env, config }: Pick<OperatorCall, 'env' | 'config'>,
  client: IntentClient,
  intent: Intent,
): Promise<PaymentDetails> {
  const [history, events, review] = await Promise.all([
    client.history(),
    client.events(),
    readReview(env.DB, intent.terms.uuid),
  ]);
  const repeatable = intent.refunds.filter(
    (refund) => railOfRefund(env, intent, refund)?.isRefundRepeatable !== undefined,
  );
  return {
    objectId: client.objectId,
    intent: withoutPhones(withoutClaims(intent)),
    history,
    events,
    review,
    secondOperatorAboveMinor: config.secondOperatorAboveMinor,
    repeatableRefunds: repeatable.map(({ id }) => id),
  };
}

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

/** What an operator's decision about a payment led to. */
export interface Decided {
  /** The same decision had been recorded before, so nothing changed. */
  readonly isRepeated: boolean;
  /** It waits for a second operator. */
  readonly isProposed: boolean;
  /** After it. */
  readonly payment: PaymentDetails;
}

/** `intent`: after the decision; the known one for a repeated decision. */
export async function decided(
  call: OperatorCall,
  { client, intent: known }: KnownPayment,
  { intent, isProposed = false }: { readonly intent?: Intent; readonly isProposed?: boolean } = {},
): Promise<Decided> {
  const payment = await detailsOf(call, client, intent ?? known);
  return { isRepeated: intent === undefined, isProposed, payment };
}

/**
 * Commits a decision whose audit entry is written, and records a rejection. The payment's history is
 * written in the commit, so the audit log contains every decision, and an entry without a counterpart
 * in the history was not executed.
 */
export async function commitDecision(
  payment: KnownPayment,
  record: Recorder,
  command: Command,
  concernedIn: (intent: Intent) => Concerned,
): Promise<Intent> {
  const result = await payment.client.execute([command]);
  if (result.type === 'not_found') {
    throw problem('not_found');
  }
  if (result.rejection !== null) {
    await record({ refused: result.rejection });
    throw rejectedDecision(result.rejection, concernedIn(result.intent), payment);
  }
  return result.intent;
}

/** The attempt or refund that a decision is about. */
type Concerned = Pick<
  Intent['attempts'][number] | Intent['refunds'][number],
  'status' | 'deadlineAtMs'
>;

/** Why a payment rejected a decision about one of its attempts or refunds. */
function rejectedDecision(
  rejection: Rejection,
  { status, deadlineAtMs }: Concerned,
  { tenant: { merchantId }, uniqueId }: KnownPayment,
): Problem {
  switch (rejection) {
    case 'receipt_used':
      return operationProblem('receipt_used', { merchantId, uniqueId });
    case 'window_open':
      return operationProblem('window_open', {
        deadline: new Date(deadlineAtMs ?? 0).toISOString(),
      });
    case 'attempt_not_pending':
    case 'refund_not_resolvable':
    case 'refund_not_repeatable':
      return operationProblem(rejection, { status });
    case 'query_due':
    case 'operator_not_verified':
    case 'second_operator_needed':
      return operationProblem(rejection);
    case 'malformed_resolution':
      return operationProblem('resolution_invalid');
    default:
      return operationProblem('resolution_rejected', { rejection });
  }
}
