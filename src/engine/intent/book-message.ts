import type { Tenant } from '../../kit/tenant.ts';
import type { LegalHold } from '../domain/retention.ts';
import type { Metadata } from '../domain/terms.ts';
import type { projectedRefunds, projectionRow } from './projected-view.ts';
import type { DeliveryId, DeliveryStatus, DeliveryTry, EventSummary } from './protocol.ts';

/**
 * The object sends this to the merchant's book after every change that readers see. Each message
 * contains the whole payment.
 */
export interface ProjectionMessage {
  /** Orders the states of the row and the refunds; each delivery has a revision of its own. */
  readonly intentVersion: number;
  /** The volume of the merchant's book that has the payment. */
  readonly bookVolume: number;
  readonly row: ProjectionRow;
  /** When the payment was paid: totals count it on that day. */
  readonly paidAtMs: number | null;
  /** PaymentDetails in JSON, sealed for `detailsContext`; null when there are none. */
  readonly sealedDetails: string | null;
  /** Keys that find the payment besides the row's columns. Only ever added to. */
  readonly searchKeys: readonly string[];
  /** All keys by which another payment may have a receipt of this one. */
  readonly receiptKeys: readonly string[];
  readonly events: readonly ProjectedEvent[];
  readonly refunds: readonly ProjectedRefund[];
  /** Only of a paid payment with splits. */
  readonly shares?: readonly ProjectedShare[];
  /** Only of a payment that an operator has held: until when the book keeps its personal data. */
  readonly hold?: Pick<LegalHold, 'untilMs' | 'changedAtMs'>;
}

export type ProjectionRow = Readonly<ReturnType<typeof projectionRow>>;
export type ConcernedAttempt = ProjectionRow['concernedAttempts'][number];
export type AttemptCount = ProjectionRow['attempts'][number];
export type ProjectedRefund = Readonly<ReturnType<typeof projectedRefunds>[number]>;

/** A beneficiary's share before refunds. */
export interface ProjectedShare {
  /** Bank and account as a JSON array, sealed alike in all payments of the merchant. */
  readonly beneficiary: string;
  readonly shareMinor: number;
}

/** The answer of the merchant's book to a message. */
export interface Applied {
  /** False: a young event was left out, so the payment's object sends the message again. */
  readonly confirmed: boolean;
  /** The unique ids of other payments in this book that have a receipt of this one. */
  readonly othersWithReceipt: readonly string[];
}

/**
 * The columns that an export adds to a row; unknown ones are left out. They may be personal data,
 * so the book has them only sealed.
 */
export interface PaymentDetails {
  readonly providerReference?: string;
  readonly receipt?: string;
  /** The attempt's phone as `251XXXXXXXXX`, else the customer's. */
  readonly phone?: string;
  readonly customerName?: string;
  readonly customerEmail?: string;
  readonly description?: string;
  /** The merchant's own words, which may name a person. */
  readonly metadata?: Metadata;
}

/** Binds sealed details to their payment. */
export function detailsContext({ environment, merchantId }: Tenant, uuid: string): string {
  return `payment-details/${environment}/${merchantId}/${uuid}`;
}

/** Binds a sealed beneficiary to the merchant. */
export function beneficiaryContext({ environment, merchantId }: Tenant): string {
  return `beneficiary/${environment}/${merchantId}`;
}

/** A delivery as readers see it, without claims and leases, which change within seconds. */
export function shownDelivery({
  deliveryStatus,
  dueAtMs,
  log,
}: Pick<EventSummary, 'deliveryStatus' | 'dueAtMs'> & { readonly log: readonly DeliveryTry[] }) {
  const last = log.at(-1);
  return {
    deliveryStatus: (deliveryStatus === 'claimed' ? 'queued' : deliveryStatus) as DeliveryStatus,
    /** The next try; null unless the delivery is `waiting`. */
    dueAtMs: deliveryStatus === 'waiting' ? dueAtMs : null,
    // All tries, as the event's page has them. A stored delivery counts only those of its current
    // schedule.
    tries: log.length,
    lastTryAtMs: last?.atMs ?? null,
    lastHttpStatus: last?.httpStatus ?? null,
    lastError: last?.error ?? null,
    lastDurationMs: last?.durationMs ?? null,
  };
}

/** An event's delivery in the book, without the request's body and the merchant's answer. */
export interface ProjectedEvent extends DeliveryId, Readonly<ReturnType<typeof shownDelivery>> {
  readonly eventId: string;
  readonly type: string;
  /** Orders the states of this delivery. */
  readonly revision: number;
  readonly createdAtMs: number;
  /** Null stands for the payment's callbackUrl, or says that no endpoint is chosen yet. */
  readonly endpointId: string | null;
  /** Scheme, host and port of the address when it was chosen; null while it is not. */
  readonly destinationOrigin: string | null;
}
