import { earliest } from '../../engine/domain/earliest.ts';
import type { Anomaly } from '../../engine/domain/intent.ts';
import type { Method } from '../../engine/domain/method.ts';
import type { IntentKind } from '../../engine/domain/terms.ts';
import type { ConcernedAttempt, ProjectionMessage } from '../../engine/intent/book-message.ts';
import type { Currency } from '../../kit/money.ts';
import type { Environment } from '../../kit/tenant.ts';
import {
  type DELIVERY_REASONS,
  type ItemReason,
  type REFUND_REASONS,
  reasonsOf,
} from './attention-reasons.ts';
import { bookedEvent, DELIVERY_COLUMNS, type StoredEvent } from './queries/deliveries.ts';
import { paymentsById } from './queries/payment-source.ts';
import type { EventRow, PaymentRow } from './rows.ts';
import { identityOf, NEEDS_PERSON, SHOWN_STATUS } from './schema.ts';

/** Which payments of a book need the operator, and what D1's list shows of each. */

/** A refund in lists. May lag its payment's object by seconds. Amounts are in minor units. */
export interface WaitingRefund {
  readonly environment: Environment;
  readonly merchantId: string;
  readonly refundUniqueId: string;
  /** The payment's `paymentIntentUniqueId`. */
  readonly uniqueId: string;
  readonly paymentUuid: string;
  readonly status: 'pending' | 'processing' | 'unresolved' | 'requires_action';
  readonly actionReason: string | null;
  /** What the customer gets. */
  readonly returnedMinor: number;
  readonly currency: Currency;
  readonly method: Method;
  /** The reference of the attempt that the refund returns. */
  readonly transactionId: string;
  /** The refund's number at the provider. */
  readonly reference: string;
  readonly createdAtMs: number;
}

/** What every list of the operator shows of a payment behind an item. */
export interface AboutPayment {
  readonly kind: IntentKind;
  readonly method: Method | null;
  /** What the customer pays, or what a refund returns, in minor units. */
  readonly amountMinor: number;
  readonly currency: Currency;
  /** To look up at the provider. */
  readonly transactionIds: readonly string[];
}

/** A payment that needs the operator, or a refund or a delivery of it. */
export type BookItem = { readonly about: AboutPayment } & (
  | {
      readonly type: 'payment';
      readonly payment: PaymentRow;
      /** The transactionIds of attempts that a person must resolve. */
      readonly unresolved: readonly string[];
      /** Attempts whose receipt another payment has, too, or that were paid twice. */
      readonly moneyConflicts: number;
      /** Each kind of its anomalies once; absent without anomalies. */
      readonly anomalyKinds?: readonly Anomaly['kind'][];
      /** When the book learned of the newest one; absent without anomalies. */
      readonly anomalyAtMs?: number;
    }
  | { readonly type: 'refund'; readonly refund: WaitingRefund }
  | { readonly type: 'delivery'; readonly event: EventRow }
);

/** Never empty. */
export function reasonsOfItem(item: BookItem): readonly ItemReason[] {
  switch (item.type) {
    case 'payment':
      return reasonsOf(item.payment);
    case 'refund':
      return [REASONS_OF_REFUNDS[item.refund.status]];
    case 'delivery':
      return [`delivery_${item.event.deliveryStatus}` as (typeof DELIVERY_REASONS)[number]];
  }
}

const REASONS_OF_REFUNDS: Readonly<
  Record<WaitingRefund['status'], (typeof REFUND_REASONS)[number]>
> = {
  requires_action: 'refund_requires_action',
  unresolved: 'refund_unresolved',
  processing: 'refund_overdue',
  pending: 'refund_overdue',
};

/** Deliveries in these states are no longer sent automatically. */
export const STUCK_DELIVERIES = ['dead', 'paused', 'undeliverable'] as const;

/** Kefel calls a provider at once and gets an answer within minutes; an older refund is stuck. */
export const REFUND_OVERDUE_MS = 60 * 60 * 1_000;

/** A payment may have hundreds of deliveries. The list must lead to the payment, not show all. */
const ITEMS_OF_PAYMENT_MAX = 50;

/** Part of NEEDS_PERSON: not before the deadline of an attempt that the customer left. */
const NEEDS_PERSON_NOW = `(anomalies > 0 OR proposed_attempts > 0 OR late = 1
  OR EXISTS (SELECT 1 FROM json_each(concerned_attempts)
    WHERE value ->> 'unresolvedFromMs' <= ? + ${REFUND_OVERDUE_MS}))`;

/**
 * Refunds that need a person, are unresolved, or were created before ? and still wait. A refund
 * that waits for an earlier one of its attempt is left out, because the earlier one is listed.
 */
const REFUND_NEEDS_PERSON = `(status IN ('unresolved', 'requires_action')
  OR status IN ('pending', 'processing') AND created_at_ms <= ? AND NOT (
    status = 'pending' AND EXISTS (SELECT 1 FROM refund AS other INDEXED BY refund_by_payment
      WHERE other.payment_id = refund.payment_id AND other.transaction_id = refund.transaction_id
        AND other.status IN ('processing', 'unresolved', 'requires_action'))))`;

/** False for nearly all messages, which then cost at most one lookup and no query for items. */
export function mayNeedOperator({ row, events }: ProjectionMessage): boolean {
  const { unresolvedAttempts, anomalies, proposedAttempts, openRefunds, late } = row;
  const isStuck = (status: string) => STUCK_DELIVERIES.some((stuck) => stuck === status);
  return (
    late ||
    unresolvedAttempts + anomalies + proposedAttempts + openRefunds > 0 ||
    events.some(({ deliveryStatus }) => isStuck(deliveryStatus))
  );
}

/**
 * The items of a payment: the payment itself, its refunds, its deliveries. `known`: its items until
 * now, in JSON.
 */
export function itemsOf(
  sql: SqlStorage,
  paymentId: number,
  known: string,
  nowMs: number,
): readonly BookItem[] {
  const { environment, merchantId } = identityOf(sql);
  const tenant = { environment, merchantId };
  const [found] = paymentsById(sql, [paymentId]);
  if (found === undefined) {
    return [];
  }
  const { id: _, searchKeys, sealedDetails, ...row } = found;
  const concerned = concernedAttempts(sql, paymentId);
  const unresolved = concerned
    .filter(({ unresolvedFromMs }) => unresolvedFromMs !== null && unresolvedFromMs <= nowMs)
    .map(({ transactionId }) => transactionId);
  const payment: PaymentRow = { ...tenant, ...row, unresolvedAttempts: unresolved.length };
  const { uniqueId, uuid: paymentUuid, currency, kind, transactionId } = payment;
  const about = {
    ...{ kind, currency, method: payment.method, amountMinor: payment.chargedMinor },
    transactionIds: transactionId === null ? [] : [transactionId],
  };
  const [first] = concerned;
  const aboutConcerned = first && {
    ...{ kind, currency, method: first.method, amountMinor: first.chargedMinor },
    transactionIds: concerned.map((attempt) => attempt.transactionId),
  };
  const refunds = sql.exec(REFUNDS, paymentId, nowMs - REFUND_OVERDUE_MS).toArray();
  const events = sql.exec<StoredEvent>(DELIVERIES, paymentId).toArray();
  return [
    ...(reasonsOf(payment).length > 0
      ? [
          {
            type: 'payment',
            payment,
            unresolved,
            moneyConflicts: concerned.filter(({ moneyConflict }) => moneyConflict).length,
            ...(payment.anomalies > 0 && {
              anomalyKinds: anomalyKinds(payment, concerned),
              anomalyAtMs: anomalyAtMs(payment, known, nowMs),
            }),
            about: aboutConcerned ?? about,
          } as const,
        ]
      : []),
    ...refunds.map((found) => {
      const names = { ...tenant, uniqueId, paymentUuid, currency };
      const refund = { ...names, ...found } as unknown as WaitingRefund;
      const { method, returnedMinor: amountMinor } = refund;
      const transactionIds = [refund.transactionId];
      return {
        type: 'refund' as const,
        refund,
        about: { kind, currency, method, amountMinor, transactionIds },
      };
    }),
    ...events.map((found) => ({
      type: 'delivery' as const,
      event: { ...tenant, ...bookedEvent(found) },
      about,
    })),
  ].slice(0, ITEMS_OF_PAYMENT_MAX);
}

function anomalyKinds(
  { anomalies }: PaymentRow,
  concerned: readonly ConcernedAttempt[],
): readonly Anomaly['kind'][] {
  const ofAttempts = concerned.flatMap((attempt) => attempt.anomalies ?? []);
  // Only a restore marks the payment itself.
  return [
    ...new Set([...ofAttempts, ...(anomalies > ofAttempts.length ? ['restored' as const] : [])]),
  ];
}

/** Stays as it is while other things of the payment change, so its merchant is told of it once. */
function anomalyAtMs({ anomalies }: PaymentRow, known: string, nowMs: number): number {
  const items: readonly BookItem[] = JSON.parse(known);
  const before = items.find((item) => item.type === 'payment');
  const isKnown = before !== undefined && before.payment.anomalies >= anomalies;
  return (isKnown ? before.anomalyAtMs : null) ?? nowMs;
}

function concernedAttempts(sql: SqlStorage, paymentId: number): readonly ConcernedAttempt[] {
  const query = 'SELECT concerned_attempts AS attempts FROM payment WHERE id = ?';
  return JSON.parse(sql.exec<{ attempts: string }>(query, paymentId).one().attempts);
}

const REFUNDS = `SELECT refund_id AS refundUniqueId, status, action_reason AS actionReason,
    returned_minor AS returnedMinor, method, transaction_id AS transactionId, reference,
    created_at_ms AS createdAtMs
  FROM refund INDEXED BY refund_by_payment
  WHERE payment_id = ? AND ${REFUND_NEEDS_PERSON} ORDER BY created_at_ms, reference`;

const DELIVERIES = `SELECT ${DELIVERY_COLUMNS}
  FROM payment CROSS JOIN json_each(event_times) AS time
    CROSS JOIN delivery ON created_at_ms = time.value AND payment_id = payment.id
  WHERE payment.id = ? AND delivery_status IN ('dead', 'paused', 'undeliverable')
  ORDER BY created_at_ms, delivery_id`;

/**
 * Payments that need the operator and are not in `attention`, newest first, at most `limit` of each
 * kind. The text names the limit: SQLite prepares a statement again for each value of a bound one.
 */
const unlistedUpTo = (limit: number): readonly string[] => [
  `SELECT id AS paymentId FROM payment INDEXED BY payment_needing_attention
    WHERE (${NEEDS_PERSON}) AND ${NEEDS_PERSON_NOW}
      AND id NOT IN (SELECT payment_id FROM attention)
    ORDER BY id DESC LIMIT ${limit}`,
  ...['requires_action', 'processing', 'pending'].map(
    (status) => `SELECT payment_id AS paymentId FROM refund INDEXED BY refund_by_status
      WHERE ${SHOWN_STATUS} = '${status}' AND ${REFUND_NEEDS_PERSON}
        AND payment_id NOT IN (SELECT payment_id FROM attention)
      ORDER BY created_at_ms DESC LIMIT ${limit}`,
  ),
  ...STUCK_DELIVERIES.map(
    (status) => `SELECT payment_id AS paymentId FROM delivery INDEXED BY delivery_by_status
      WHERE delivery_status = '${status}' AND delivery_status <> 'delivered'
        AND payment_id NOT IN (SELECT payment_id FROM attention) AND ?
      ORDER BY created_at_ms DESC LIMIT ${limit}`,
  ),
];

/** Counting stops here, so that the hourly count of a book with many failures stays fast. */
export const COUNTED_MAX = 10_000;

/** Waiting payments that the book tries at once. */
export const FILL_PAYMENTS = 20;

const TO_FILL = unlistedUpTo(FILL_PAYMENTS);
const TO_COUNT = unlistedUpTo(COUNTED_MAX);

/** Payments to list, at most FILL_PAYMENTS of each kind. */
export function unlistedPayments(sql: SqlStorage, nowMs: number): Set<number> {
  return new Set(idsOf(sql, TO_FILL, nowMs));
}

/** How many items D1's list leaves out, because the merchant has too many. Up to COUNTED_MAX each. */
export function countUnlisted(sql: SqlStorage, nowMs: number): number {
  return idsOf(sql, TO_COUNT, nowMs).length;
}

function idsOf(sql: SqlStorage, queries: readonly string[], nowMs: number): readonly number[] {
  return queries.flatMap((query) => {
    const rows = sql.exec<{ paymentId: number }>(query, nowMs - REFUND_OVERDUE_MS);
    return rows.toArray().map(({ paymentId }) => paymentId);
  });
}

/** When the next unresolved attempt of these needs a person; null: all do already. */
export function nextUnresolvedAtMs({ row }: ProjectionMessage, nowMs: number): number | null {
  const times = row.concernedAttempts.map(({ unresolvedFromMs }) => unresolvedFromMs);
  return earliest(...times.filter((atMs) => atMs !== null && atMs > nowMs));
}

const NEXT_UNRESOLVED = `SELECT MIN(value ->> 'unresolvedFromMs') AS atMs
  FROM payment INDEXED BY payment_unresolved CROSS JOIN json_each(concerned_attempts)
  WHERE unresolved_until_ms > ?1 AND value ->> 'unresolvedFromMs' > ?1`;

/** When the next refund becomes overdue or the next attempt needs a person, or null. */
export function nextOverdueAtMs(sql: SqlStorage, nowMs: number): number | null {
  const created = ['pending', 'processing'].map((status) => {
    const query = `SELECT MIN(created_at_ms) AS atMs FROM refund INDEXED BY refund_by_status
      WHERE ${SHOWN_STATUS} = ? AND created_at_ms > ?`;
    return sql.exec<{ atMs: number | null }>(query, status, nowMs - REFUND_OVERDUE_MS).one().atMs;
  });
  const atMs = earliest(...created);
  return earliest(
    atMs === null ? null : atMs + REFUND_OVERDUE_MS,
    sql.exec<{ atMs: number | null }>(NEXT_UNRESOLVED, nowMs).one().atMs,
  );
}
