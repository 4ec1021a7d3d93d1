import type { Currency } from '../../kit/money.ts';
import type { Intent } from '../domain/intent.ts';
import { holdsMoney, type Refund } from '../domain/refund.ts';
import type { StoredLink } from '../links/payment-link.ts';

/** The messages between a merchant's register and its callers. */

/** A request's claim of a refund's id and of its part of the day's limit. */
export interface RefundClaim {
  readonly refundUniqueId: string;
  readonly paymentUniqueId: string;
  /** Names the claim. A repeated call with the same claim changes nothing. */
  readonly claimId: string;
  readonly amountMinor: number;
  readonly currency: Currency;
  /** When the customer paid. */
  readonly paidAtMs: number;
  /** The operator's limits, as the request has just read them. */
  readonly refundAgeDaysMax: number;
  readonly refundDailyMaxMinor: number | null;
}

export type ClaimResult =
  /** `claimId`: that of an earlier claim for the same payment, if there is one. */
  | { readonly type: 'claimed'; readonly claimId: string }
  /** The id belongs to another payment of the tenant. */
  | { readonly type: 'taken'; readonly uniqueId: string }
  | { readonly type: 'too_old'; readonly daysMax: number }
  | { readonly type: 'daily_limit'; readonly maxMinor: number; readonly leftMinor: number };

/**
 * The stage of a refund, as far as the day's sum needs it. A refund only moves to a later stage, so
 * its payment's reports may arrive in any order.
 */
export const STAGES = { reserved: 0, given_back: 1, returned_late: 2 } as const;

/** A refund that a payment's object has accepted. */
export interface CountedRefund extends Pick<Refund, 'id' | 'amountMinor' | 'createdAtMs'> {
  readonly currency: Currency;
  readonly stage: (typeof STAGES)[keyof typeof STAGES];
}

export function countedRefunds({ terms: { currency }, refunds }: Intent): readonly CountedRefund[] {
  return refunds.map((refund) => {
    const { id, amountMinor, createdAtMs, late } = refund;
    const held = late ? STAGES.returned_late : STAGES.reserved;
    const stage = holdsMoney(refund) ? held : STAGES.given_back;
    return { id, amountMinor, createdAtMs, currency, stage };
  });
}

/** A refund's row as a backup has it. `day`: the day on which it counts. */
export interface BackedUpRefund extends Pick<Refund, 'id' | 'amountMinor'> {
  readonly paymentUniqueId: string;
  readonly stage: number;
  readonly currency: string;
  readonly day: number;
}

/** A payment of a backup, with the refunds that it came back with. */
export interface RestoredPayment {
  readonly uniqueId: string;
  readonly refundUniqueIds: readonly string[];
}

/** A refund of a backup's register that its payment has come back without. */
export type LostRefund = Pick<RefundClaim, 'refundUniqueId' | 'paymentUniqueId'>;

/** What comes back of a register. Claims do not: their requests have ended with the lost gateway. */
export interface RegisterBackup {
  readonly refunds: readonly BackedUpRefund[];
  /** The volumes of the merchant's book after the first, as D1 knows them. */
  readonly volumes: readonly { readonly volume: number; readonly openedAtMs: number }[];
  readonly references: readonly { readonly reference: string; readonly paymentUniqueId: string }[];
  /** Payments whose objects have their rows, for the register to compare. */
  readonly payments: readonly RestoredPayment[];
  readonly links: readonly StoredLink[];
}

/** A claim without a refund yet. */
export interface UnsettledClaim
  extends Pick<RefundClaim, 'refundUniqueId' | 'paymentUniqueId' | 'claimId'> {
  /** How often the payment's object gave no answer. */
  readonly checks: number;
}

/** What a payment's object says about a claim. */
export type Settlement =
  /** The payment has the refund: all its refunds. */
  | { readonly type: 'reserved'; readonly refunds: readonly CountedRefund[] }
  /** The object now rejects every request that carries the claim. */
  | { readonly type: 'void' }
  | { readonly type: 'undecided' };
