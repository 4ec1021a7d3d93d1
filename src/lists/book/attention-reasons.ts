/** Why something needs the operator's attention. D1's list is in sections of one reason each. */

/** Of a payment, which can have several: the first one is its section. */
export const PAYMENT_REASONS = [
  'attempt_proposed',
  'unresolved_attempt',
  'anomaly',
  'late_payment',
] as const;

export const REFUND_REASONS = [
  'refund_requires_action',
  'refund_unresolved',
  'refund_overdue',
] as const;

export const DELIVERY_REASONS = [
  'delivery_dead',
  'delivery_paused',
  'delivery_undeliverable',
] as const;

/** In the order of the list: money first. */
export const ITEM_REASONS = [...REFUND_REASONS, ...PAYMENT_REASONS, ...DELIVERY_REASONS] as const;
export type ItemReason = (typeof ITEM_REASONS)[number];

/** What about a payment needs attention. */
export interface Needs {
  readonly unresolvedAttempts: number;
  readonly anomalies: number;
  readonly proposedAttempts: number;
  readonly late: boolean;
}

/** Why a payment needs attention, whether or not it was reviewed. */
export function reasonsOf(payment: Needs): readonly (typeof PAYMENT_REASONS)[number][] {
  const applies = {
    attempt_proposed: payment.proposedAttempts > 0,
    unresolved_attempt: payment.unresolvedAttempts > 0,
    anomaly: payment.anomalies > 0,
    late_payment: payment.late,
  };
  return PAYMENT_REASONS.filter((reason) => applies[reason]);
}
