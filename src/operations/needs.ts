import type { BookItem } from '../book/attention-items.ts';
import type { DeadLetter } from '../dead-letters/store.ts';
import { type Intent, reportedAttempt } from '../domain/intent.ts';
import { chargedMinor, type Tenant } from '../domain/terms.ts';

/** Why something needs the operator's attention. A payment can have several reasons. */
export type Reason =
  | 'dead_result'
  | 'dead_message'
  | 'unresolved_attempt'
  | 'attempt_proposed'
  | 'anomaly'
  | 'late_payment'
  | 'refund_requires_action'
  | 'refund_unresolved'
  | 'refund_overdue'
  | 'delivery_dead'
  | 'delivery_undeliverable'
  | 'delivery_paused';

/** What needs attention. */
export type AttentionSubject =
  | { readonly type: 'dead_letter'; readonly letter: DeadLetter }
  | BookItem;

export type AttentionItem = AttentionSubject & {
  readonly reasons: readonly Reason[];
  readonly atMs: number;
};

/** What about a payment needs attention. */
export interface Needs {
  readonly unresolvedAttempts: number;
  readonly anomalies: number;
  readonly proposedAttempts: number;
  readonly late: boolean;
}

export function needsOf({ attempts, anomalies, late }: Intent): Needs {
  return {
    unresolvedAttempts: attempts.filter(({ status }) => status === 'unresolved').length,
    anomalies: anomalies.length,
    proposedAttempts: attempts.filter(({ proposal }) => proposal !== null).length,
    late,
  };
}

/** Why a payment needs attention, whether or not it was reviewed. */
export function reasonsOf(payment: Needs): readonly Reason[] {
  return [
    ...(payment.proposedAttempts > 0 ? (['attempt_proposed'] as const) : []),
    ...(payment.unresolvedAttempts > 0 ? (['unresolved_attempt'] as const) : []),
    ...(payment.anomalies > 0 ? (['anomaly'] as const) : []),
    ...(payment.late ? (['late_payment'] as const) : []),
  ];
}

/** What the customer pays or paid, in minor units; without commission while the method is open. */
export function payableMinor(intent: Intent): number {
  const attempt = reportedAttempt(intent);
  const { terms } = intent;
  return attempt === null ? terms.amountMinor : chargedMinor(terms, attempt.method);
}

interface NamedPayment extends Tenant {
  readonly uniqueId: string;
  readonly uuid: string;
}

type AboutPayment = Exclude<AttentionSubject, { readonly type: 'dead_letter' }>;

/** The payment that an item of the list is about; null for a dead letter. */
export function paymentOf(item: AboutPayment): NamedPayment;
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
