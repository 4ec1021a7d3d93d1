import type { Attempt } from '../../engine/domain/attempt.ts';
import type { Command, Rejection } from '../../engine/domain/command.ts';
import type { Intent } from '../../engine/domain/intent.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import type { Refund } from '../../engine/domain/refund.ts';
import { record, runRecorded } from '../../kit/audit/log.ts';
import { type Problem, problem } from '../../kit/http/problem.ts';
import type { NameProof } from '../../kit/name-proof.ts';
import { type ActionCall, entryBy, type Target } from '../operator/call.ts';
import { operationProblem } from '../operator/problems.ts';
import {
  detailsOf,
  type KnownPayment,
  knownPayment,
  type PaymentDetails,
  refusalIn,
} from './payments.ts';

/** One of the operators who agreed. */
interface Agreed {
  readonly operator: string;
  readonly provedBy: NameProof | null;
}

/** What an operator's decision about a payment led to. */
export interface Decided {
  /** The same decision had been recorded before, so nothing changed. */
  readonly isRepeated: boolean;
  /** It waits for a second operator. */
  readonly isProposed: boolean;
  /** Where two operators have agreed: who, and what proved each name; null for a decision of one. */
  readonly agreed: readonly Agreed[] | null;
  /** After it. */
  readonly payment: PaymentDetails;
}

type Made = Pick<Decided, 'isProposed' | 'agreed'> & { readonly intent: Intent };

/** `intent`: after the decision; without one, the decision is a repeated one. */
export async function decided(
  call: ActionCall,
  { client, intent: known }: KnownPayment,
  { intent, isProposed = false, agreed = null }: Partial<Made> = {},
): Promise<Decided> {
  const payment = await detailsOf(call, client, intent ?? known);
  return { isRepeated: intent === undefined, isProposed, agreed, payment };
}

/** What a decision is about. */
type Subject = Attempt | Refund;

/** A decision as the operator sent it. */
interface Given<About> {
  readonly id: string;
  readonly note: string;
  /** The ids of the decision that the subject has, and of the one that waits for confirmation. */
  readonly idsIn: (subject: About) => readonly (string | null | undefined)[];
}

export function resolutionIdsIn({ manualResolutionId, proposal }: Subject) {
  return [manualResolutionId, proposal?.resolutionId];
}

/** What every decision says. */
interface Said {
  readonly operator: string;
  readonly isVerified: boolean;
  readonly provedBy?: NameProof;
  readonly note: string;
}

/** How a decision about one attempt or refund is recorded and carried out. */
interface Plan {
  readonly action: 'attempt.resolved' | 'refund.decided' | 'refund.repeated';
  /** Identifies subject and decision in each audit entry. */
  readonly about: Readonly<Record<string, string>>;
  /** What is decided, for the audit log. */
  readonly finding: Readonly<Record<string, string | boolean | null>>;
  /** Why the decision is refused without asking the payment. */
  readonly refused?: Problem | null;
  readonly command: (said: Said) => Command;
}

/**
 * Records an operator's decision in the audit log, then commits it. A decision whose id the subject
 * has changes nothing. The payment's history is written in the commit, so the audit log contains
 * every decision, and an entry without a counterpart in the history was not executed.
 */
export async function decide<About extends Subject>(
  call: ActionCall,
  target: Target,
  given: Given<About>,
  /** Problem 404 when the payment has no such subject. */
  subjectIn: (intent: Intent) => About,
  plan: (payment: KnownPayment, subject: About) => Promise<Plan> | Plan,
): Promise<Decided> {
  const payment = await knownPayment(call, target);
  const { tenant, uniqueId, intent: known } = payment;
  const subject = subjectIn(known);
  const isProposedIn = (one: About) => given.idsIn(one)[1] === given.id;
  if (given.idsIn(subject).includes(given.id)) {
    return decided(call, payment, { isProposed: isProposedIn(subject) });
  }
  const { action, about, finding, refused, command } = await plan(payment, subject);
  const detail = { ...about, ...finding, note: withoutPhoneNumbers(given.note) };
  const entry = entryBy(call, { ...tenant, action, target: uniqueId, detail });
  const { DB } = call.env;
  if (refused) {
    await record(DB, entry, { refused: refused.code });
    throw refused;
  }
  const { name: operator, isProved, provedBy } = call.actor;
  const proof = provedBy === undefined ? {} : { provedBy };
  const said = { operator, isVerified: isProved === true, ...proof, note: given.note };
  const commit = () => payment.client.execute([command(said)]);
  const result = await runRecorded(DB, entry, commit, refusalIn);
  if (result.type === 'not_found') {
    throw problem('not_found');
  }
  const { intent, rejection } = result;
  if (rejection !== null) {
    throw rejectedDecision(rejection, subjectIn(intent), payment);
  }
  const isProposed = isProposedIn(subjectIn(intent));
  if (isProposed && finding.secondOperator === false) {
    // Another decision by hand was recorded since the entry above.
    await record(DB, entry, { secondOperator: true });
  }
  const { proposal } = subject;
  // Another operator's proposal that is not this decision's was confirmed by it, or replaced.
  const isAgreed = finding.secondOperator === true && proposal !== null && !isProposed;
  const agreed = isAgreed ? [proposal, said].map(agreedOf) : null;
  return decided(call, payment, { intent, isProposed, agreed });
}

function agreedOf({ operator, provedBy = null }: Partial<Agreed> & Pick<Agreed, 'operator'>) {
  return { operator, provedBy };
}

/** Why a payment rejected a decision about one of its attempts or refunds. */
function rejectedDecision(
  rejection: Rejection,
  { status, deadlineAtMs }: Subject,
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
