import type { StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import type { Plan, RefundPlan } from './plan.ts';

/** What the merchant knows about a payment. */
export interface PaymentRecord {
  readonly plan: Plan;
  /** Body of the first 200 to a create; null before it arrives. */
  createAnswer: string | null;
  /** The payment exists although no answer to its create arrived; the journey stops there. */
  isOrphan: boolean;
  /** The status that an answer confirmed, or that follows from the create alone. */
  acknowledgedStatus: Plan['status'] | null;
  /** The customer cannot pay it: see the notes in the summary. */
  isStuck: boolean;
  /** At the provider's stand-in; null in the sandbox and before the provider was asked. */
  order: StandInOrder | null;
  /** In the order of the requests. */
  readonly refunds: RefundRecord[];
}

export interface RefundRecord {
  readonly plan: RefundPlan;
  /** As acknowledged; null before that. */
  amountMinor: number | null;
  /** The gateway confirmed its cancellation. */
  isCanceled: boolean;
}

/** All observations of the load, for the verdict. */
export class Observations {
  readonly payments = new Map<string, PaymentRecord>();
  readonly violations: string[] = [];
  readonly counts = new Map<string, number>();

  open(plan: Plan): PaymentRecord {
    const record: PaymentRecord = {
      plan,
      createAnswer: null,
      isOrphan: false,
      acknowledgedStatus: null,
      isStuck: false,
      order: null,
      refunds: [],
    };
    this.payments.set(plan.uniqueId, record);
    return record;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  violation(record: PaymentRecord | null, text: string): void {
    const whose = record === null ? '' : `${record.plan.uniqueId} (${record.plan.name}): `;
    this.violations.push(whose + text);
  }
}
