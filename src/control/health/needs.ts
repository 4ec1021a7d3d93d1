import { type Intent, reportedAttempt } from '../../engine/domain/intent.ts';
import { chargedMinor } from '../../engine/domain/terms.ts';
import { needsPersonFromMs } from '../../engine/domain/time.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { AboutPayment, BookItem } from '../../lists/book/attention-items.ts';
import type { ItemReason, Needs } from '../../lists/book/attention-reasons.ts';
import type { DeadLetter } from '../dead-letters/store.ts';

/** Why something needs the operator's attention. A payment can have several reasons. */
export type Reason = 'dead_result' | 'dead_message' | ItemReason;

export { type Needs, reasonsOf } from '../../lists/book/attention-reasons.ts';

/** A dead letter, with its payment as the payment's object has it. */
export interface DescribedLetter extends DeadLetter {
  /** Null where the letter is about none, or its payment did not answer. */
  readonly payment: (Tenant & AboutPayment & { readonly uniqueId: string }) | null;
}

/** What needs attention. */
export type AttentionSubject =
  | { readonly type: 'dead_letter'; readonly letter: DescribedLetter }
  | BookItem;

export type AttentionItem = AttentionSubject & {
  /** Names the item as it is now; of a dead letter, its id. */
  readonly id: string;
  readonly reasons: readonly Reason[];
  readonly atMs: number;
};

export function needsOf({ attempts, anomalies, late }: Intent, nowMs: number): Needs {
  const needsPerson = (attempt: Intent['attempts'][number]) =>
    attempt.status === 'unresolved' && needsPersonFromMs(attempt) <= nowMs;
  return {
    unresolvedAttempts: attempts.filter(needsPerson).length,
    anomalies: anomalies.length,
    proposedAttempts: attempts.filter(({ proposal }) => proposal !== null).length,
    late,
  };
}

/** What the customer pays or paid, in minor units; without commission while the method is open. */
export function payableMinor(intent: Intent): number {
  const attempt = reportedAttempt(intent);
  const { terms } = intent;
  return attempt === null ? terms.amountMinor : chargedMinor(terms, attempt.method);
}

/** What lists show of a payment that its object has answered with. */
export function aboutOf(intent: Intent): AboutPayment {
  const { kind, currency } = intent.terms;
  const attempt = reportedAttempt(intent);
  return {
    ...{ kind, currency, method: attempt?.method ?? null, amountMinor: payableMinor(intent) },
    transactionIds: attempt === null ? [] : [attempt.reference],
  };
}

interface NamedPayment extends Tenant {
  readonly uniqueId: string;
  readonly uuid: string;
}

type PaymentSubject = Exclude<AttentionSubject, { readonly type: 'dead_letter' }>;

/** The payment that an item of the list is about; null for a dead letter. */
export function paymentOf(item: PaymentSubject): NamedPayment;
export function paymentOf(item: AttentionSubject): NamedPayment | null;
export function paymentOf(item: AttentionSubject): NamedPayment | null {
  switch (item.type) {
    case 'dead_letter':
      return null;
    case 'payment':
      return item.payment;
    case 'refund':
      return { ...item.refund, uuid: item.refund.paymentUuid };
    case 'delivery':
      return { ...item.event, uuid: item.event.paymentUuid };
  }
}
