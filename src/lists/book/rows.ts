import type { EventType, IntentStatus } from '../../engine/domain/intent.ts';
import type { Method } from '../../engine/domain/method.ts';
import type { RefundStatus } from '../../engine/domain/refund.ts';
import type {
  ProjectedEvent,
  ProjectedRefund,
  ProjectionRow,
} from '../../engine/intent/book-message.ts';
import type { Currency } from '../../kit/money.ts';
import type { TimeRange } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';

/** The rows of lists, and their filters. Rows may lag their objects by seconds. */

/** A payment in lists. Amounts are in minor units. */
export interface PaymentRow
  extends Omit<
    ProjectionRow,
    'currency' | 'commissionPaidByCustomer' | 'concernedAttempts' | 'attempts'
  > {
  readonly currency: Currency;
  /** What the customer pays. */
  readonly chargedMinor: number;
  readonly paidAtMs: number | null;
}

/** A paid payment that may be the order of another one, which would then be paid twice. */
export interface SameOrderPayment {
  readonly uniqueId: string;
  readonly paidAtMs: number;
  readonly refundedMinor: number;
  readonly openRefunds: number;
}

/** A payment in a merchant's list, with what the list shows of its customer. */
export interface ListedPayment extends PaymentRow {
  /** Null: not known. */
  readonly customerName: string | null;
  /** Only its last digits: a list shows many customers at once. */
  readonly maskedPhone: string | null;
  /** Absent: none. */
  readonly sameOrder?: readonly SameOrderPayment[];
}

/** A payment that a search found. */
export interface PaymentHit extends ListedPayment {
  /** Null when the list shows the field anyway. */
  readonly match: Match | null;
}

/** The field that the search matched, with its value. */
export interface Match {
  readonly field: MatchedField;
  readonly value: string;
}

export type MatchedField =
  | 'number'
  | 'uuid'
  | 'reference'
  | 'railReference'
  | 'receipt'
  | 'eventId'
  | 'phone'
  | 'email'
  /** The id of a refund, another attempt or a payment link. */
  | 'otherId';

/** An absent member does not restrict. */
export interface PaymentFilter {
  readonly status?: IntentStatus | undefined;
  readonly method?: Method | undefined;
  readonly currency?: Currency | undefined;
  /** Inclusive. */
  readonly createdFromMs?: number | undefined;
  /** Exclusive. */
  readonly createdToMs?: number | undefined;
  /** Both inclusive, without commission, in minor units. */
  readonly amountMinorMin?: number | undefined;
  readonly amountMinorMax?: number | undefined;
  /** With or without commission, as a customer's message may have it. */
  readonly shownMinor?: number | undefined;
  /** `any`: something was returned or a refund has no outcome yet; `open`: only the latter. */
  readonly refunds?: 'any' | 'open' | undefined;
}

/** A search matches any of these keys: after a rotation there are digests by several data keys. */
export type KeyChoices = readonly string[];

/** What the API's list of payments asks a book: personal data only as digests. */
export interface EndedFilter
  extends Pick<PaymentFilter, 'status' | 'method' | 'createdFromMs' | 'createdToMs'> {
  /** Inclusive. With either of these two, the payments that ended last come first. */
  readonly endedFromMs?: number | undefined;
  /** Exclusive. */
  readonly endedToMs?: number | undefined;
  /** Inclusive. With either of these two, the payments that were paid last come first. */
  readonly paidFromMs?: number | undefined;
  /** Exclusive. */
  readonly paidToMs?: number | undefined;
}

/** A delivery of an event in lists. */
export interface EventRow
  extends Tenant,
    Omit<ProjectedEvent, 'revision' | 'type' | 'deliveryStatus'> {
  /** Unique over all events. */
  readonly deliveryId: string;
  readonly paymentUuid: string;
  readonly uniqueId: string;
  readonly type: EventType;
  /** Any text, because a newer release may add statuses. */
  readonly deliveryStatus: string;
}

export interface EventFilter extends TimeRange {
  /** The payment's `paymentIntentUniqueId`. */
  readonly uniqueId?: string | undefined;
  readonly deliveryStatus?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly type?: EventType | undefined;
}

/** A refund in lists. Amounts are in minor units. */
export interface RefundRow extends Tenant, Omit<ProjectedRefund, 'late'> {
  /** Of the payment. */
  readonly uniqueId: string;
  readonly paymentUuid: string;
  readonly currency: Currency;
  /** 0 or 1. */
  readonly late: number;
}

/** Merchants see an unresolved refund as one in process. */
export type ShownRefundStatus = Exclude<RefundStatus, 'unresolved'>;

/** An absent member does not restrict. */
export interface RefundFilter extends TimeRange {
  readonly status?: ShownRefundStatus | undefined;
  readonly uniqueId?: string | undefined;
}

/** The lists of a statement. Together they have each change of the merchant's money once. */
export const STATEMENT_PARTS = ['paid', 'refunded'] as const;
export type StatementPart = (typeof STATEMENT_PARTS)[number];

/** A payment when it was paid, or a refund when the money was returned. In minor units. */
export interface StatementLine {
  readonly atMs: number;
  readonly uniqueId: string;
  readonly transactionId: string;
  /** Null on the line of a payment. */
  readonly refundId: string | null;
  readonly method: Method | null;
  readonly currency: Currency;
  /** Without commission. The others as in `Total`. */
  readonly paidMinor: number;
  readonly borneCommissionMinor: number;
  readonly refundedMinor: number;
  readonly returnedCommissionMinor: number;
}

/** Days from `businessDay`, both inclusive. */
export interface DayRange {
  readonly fromDay: number;
  readonly toDay: number;
  readonly method?: Method | undefined;
}

/** Payments by the day on which they were paid, ended otherwise or, while open, were created. */
export interface Total {
  /** Null: the customer chose none. */
  readonly method: Method | null;
  readonly currency: Currency;
  readonly status: IntentStatus;
  readonly payments: number;
  /** Without commission. */
  readonly amountMinor: number;
  readonly commissionMinor: number;
  /** The part of the commission that the merchant bears; the customers paid the rest on top. */
  readonly borneCommissionMinor: number;
  /** Returned on these days, without commission, for payments of any day. */
  readonly refundedMinor: number;
  /** The commission that these refunds gave back to the merchant. */
  readonly returnedCommissionMinor: number;
}

/** Paid payments of one currency. */
export type PaidSum = Pick<Total, 'currency' | 'payments' | 'amountMinor' | 'refundedMinor'>;

export interface DayTotal extends Total {
  /** The first day of its period. */
  readonly day: number;
}

/** What a beneficiary of splits gets of the payments and refunds of these days. */
export interface ShareTotal {
  readonly currency: Currency;
  /** Sealed. */
  readonly beneficiary: string;
  readonly shareMinor: number;
}

/** The same for a reader, who knows the merchant. */
export interface BeneficiaryTotal extends Omit<ShareTotal, 'beneficiary'> {
  /** Both null when the key that sealed them was removed. */
  readonly bank: string | null;
  readonly account: string | null;
}

/**
 * Ended attempts of these days' payments, except those that paid. Each paid payment has one more
 * attempt, by its own method, which succeeded.
 */
export interface AttemptTotal {
  readonly method: Method;
  readonly currency: Currency;
  readonly ended: number;
  readonly succeeded: number;
}
