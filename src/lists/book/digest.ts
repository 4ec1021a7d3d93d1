import type { FailureReason } from '../../engine/domain/attempt.ts';
import { METHODS, type Method } from '../../engine/domain/method.ts';
import { uuidV7TimeMs } from '../../kit/crypto/uuid-v7.ts';
import { businessDay } from '../../kit/ethiopian-time.ts';
import type { SqlStatement } from '../../kit/platform/database.ts';
import { COUNTED_MAX, countUnlisted, STUCK_DELIVERIES } from './attention-items.ts';
import { stateOf } from './backup-state.ts';
import { bookedEvent, DELIVERY_COLUMNS, type StoredEvent } from './queries/deliveries.ts';
import type { EventRow } from './rows.ts';
import { type BookIdentity, IDS_PER_MS } from './schema.ts';

/**
 * One row in D1 with what the operator's pages about all merchants need of a book: health, the
 * outcomes of each provider's payments, and the number of items left out. A book writes it at most
 * hourly, and only after a change.
 */
export interface BookDigest {
  /** When the first of its payments was created. A book deletes no row, so a later time is a loss. */
  readonly firstPaymentAtMs: number | null;
  /** Events that have not arrived, by delivery status. Counted to COUNTED_MAX each. */
  readonly eventsByStatus: Readonly<Record<string, number>>;
  /** The oldest event that is still being delivered. */
  readonly oldestUndelivered: EventRow | null;
  /** Payments that ended in the last days, by day of Addis Ababa. */
  readonly ends: readonly EndsOfDay[];
  /** The newest payments that ended each way. */
  readonly lastOutcomes: readonly OutcomeOfMethod[];
  /** How long customers took for the newest payments of each method. */
  readonly timesToPay: readonly TimeToPay[];
  /** Items that D1's list leaves out, because the merchant has too many. */
  readonly unlisted: number;
  /** Null before the first generation. */
  readonly backup: DigestedBackup | null;
  /** Rounds of the backup that failed since one last ended. */
  readonly backupFailures: number;
  /** Whether the merchant's register has refunds to back up. */
  readonly hasRefunds: boolean;
}

/** How far the backup of the payments is: what the manifest says of the book. */
export interface DigestedBackup {
  readonly generation: string;
  /** The parts from the first to the last are there, without a gap; older ones have been deleted. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The payments that the generation has passed. A payment that changed has several lines. */
  readonly payments: number;
  /** When the book last had nothing left to back up; before the first time, when it began. */
  readonly atMs: number;
}

export interface EndsOfDay {
  readonly day: number;
  readonly method: Method | null;
  readonly status: 'succeeded' | 'failed' | 'expired';
  readonly failureReason: FailureReason | null;
  readonly payments: number;
}

export interface OutcomeOfMethod {
  readonly method: Method;
  readonly status: 'succeeded' | 'failed';
  readonly atMs: number;
  readonly failureReason: FailureReason | null;
}

export interface TimeToPay {
  readonly method: Method;
  /** From a payment's creation until it was paid: half of the counted payments took at most this. */
  readonly medianMs: number;
  readonly payments: number;
}

/** Enough for a median that one slow customer does not move, and few rows to read each hour. */
const TIMED_PAYMENTS = 20;

export const DIGEST_AGAIN_MS = 60 * 60 * 1_000;

/** Today and the seven days before. */
const DIGEST_DAYS = 8;

const NOT_ARRIVED = ['queued', 'waiting', ...STUCK_DELIVERIES];

export function digestOf(sql: SqlStorage, book: BookIdentity, nowMs: number): BookDigest {
  const counts = NOT_ARRIVED.map((status) => [status, countOf(sql, status)] as const);
  return {
    firstPaymentAtMs: firstPaymentAtMs(sql),
    eventsByStatus: Object.fromEntries(counts.filter(([, events]) => events > 0)),
    oldestUndelivered: oldestUndelivered(sql, book),
    ends: rows<EndsOfDay>(
      sql,
      `SELECT day, NULLIF(method, '') AS method, status, NULL AS failureReason,
          SUM(payments) AS payments
        FROM payment_day WHERE day > ?1 AND status IN ('succeeded', 'expired')
        GROUP BY day, payment_day.method, status HAVING SUM(payments) > 0
      UNION ALL
      SELECT day, NULLIF(method, ''), 'failed', failure_reason, payments
        FROM failure_day WHERE day > ?1 AND payments > 0`,
      businessDay(nowMs) - DIGEST_DAYS,
    ),
    lastOutcomes: METHODS.flatMap((method) =>
      (['succeeded', 'failed'] as const).flatMap((status) =>
        rows<OutcomeOfMethod>(sql, LAST_OUTCOME, status, method),
      ),
    ),
    timesToPay: METHODS.flatMap((method) => timeToPay(sql, method)),
    unlisted: countUnlisted(sql, nowMs),
    backup: backupOf(sql),
    backupFailures: stateOf(sql).failures,
    hasRefunds: rows(sql, 'SELECT 1 FROM refund LIMIT 1').length > 0,
  };
}

function firstPaymentAtMs(sql: SqlStorage): number | null {
  const [first] = rows<{ id: number | null }>(sql, 'SELECT MIN(id) AS id FROM payment');
  const id = first?.id ?? null;
  return id === null ? null : Math.floor(id / IDS_PER_MS);
}

function backupOf(sql: SqlStorage): DigestedBackup | null {
  const { generation, keptFrom: firstSequence, sequence, payments, doneAtMs } = stateOf(sql);
  if (generation === null) {
    return null;
  }
  const atMs = doneAtMs ?? uuidV7TimeMs(generation) ?? 0;
  return { generation, firstSequence, lastSequence: sequence, payments, atMs };
}

const LAST_OUTCOME = `SELECT method, status, updated_at_ms AS atMs, failure_reason AS failureReason
  FROM payment WHERE id = (SELECT id FROM payment INDEXED BY payment_by_state
    WHERE status = ? AND method = ? ORDER BY id DESC LIMIT 1)`;

function timeToPay(sql: SqlStorage, method: Method): readonly TimeToPay[] {
  const query = `SELECT paid_at_ms - id / ${IDS_PER_MS} AS tookMs FROM payment INDEXED BY payment_by_state
    WHERE status = 'succeeded' AND method = ? AND paid_at_ms IS NOT NULL
    ORDER BY id DESC LIMIT ${TIMED_PAYMENTS}`;
  const times = rows<{ tookMs: number }>(sql, query, method).map(({ tookMs }) => tookMs);
  const medianMs = times.sort((one, other) => one - other)[Math.floor((times.length - 1) / 2)];
  return medianMs === undefined ? [] : [{ method, medianMs, payments: times.length }];
}

function countOf(sql: SqlStorage, deliveryStatus: string): number {
  const query = `SELECT COUNT(*) AS events FROM (SELECT 1 FROM delivery INDEXED BY delivery_by_status
    WHERE delivery_status = ? AND delivery_status <> 'delivered' LIMIT ${COUNTED_MAX})`;
  return rows<{ events: number }>(sql, query, deliveryStatus)[0]?.events ?? 0;
}

function oldestUndelivered(
  sql: SqlStorage,
  { environment, merchantId }: BookIdentity,
): EventRow | null {
  const query = `SELECT ${DELIVERY_COLUMNS}
    FROM delivery INDEXED BY delivery_by_status CROSS JOIN payment ON payment.id = payment_id
    WHERE delivery_status = ? AND delivery_status <> 'delivered'
    ORDER BY created_at_ms, delivery_id LIMIT 1`;
  const found = ['queued', 'waiting'].flatMap((status) => rows<StoredEvent>(sql, query, status));
  const [oldest] = found.sort((one, other) => one.createdAtMs - other.createdAtMs);
  return oldest === undefined ? null : { environment, merchantId, ...bookedEvent(oldest) };
}

function rows<Row>(sql: SqlStorage, query: string, ...params: (string | number)[]): Row[] {
  return sql.exec(query, ...params).toArray() as unknown as Row[];
}

/**
 * A book whose first payment is later than it was has lost the ones before. It is whole again when it
 * has any of them, and given up when all are past their retention.
 */
const LOST_AT_MS = `CASE
  WHEN digest ->> '$.firstPaymentAtMs' < ?7 THEN ?7
  WHEN digest ->> '$.lostAtMs' <= ?7 AND digest ->> '$.lostAtMs' > ?8 THEN digest ->> '$.lostAtMs'
END`;

/** Writes a book's row. An unchanged digest writes nothing. */
export function digestStatement(
  { environment, merchantId, volume }: BookIdentity,
  digest: BookDigest,
  { nowMs, retentionMs }: { readonly nowMs: number; readonly retentionMs: number },
): SqlStatement {
  const { unlisted, ...shown } = digest;
  return {
    sql: `INSERT INTO book_digest (environment, merchant_id, volume, as_of_ms, unlisted, digest)
      VALUES (?1, ?2, ?3, ?4, ?5, json_set(?6, '$.lostAtMs', NULL))
      ON CONFLICT DO UPDATE
        SET as_of_ms = ?4, unlisted = ?5, digest = json_set(?6, '$.lostAtMs', ${LOST_AT_MS})
        WHERE as_of_ms <= ?4
          AND (unlisted <> ?5 OR digest <> json_set(?6, '$.lostAtMs', ${LOST_AT_MS}))`,
    params: [
      ...[environment, merchantId, volume, nowMs, unlisted, JSON.stringify(shown)],
      ...[digest.firstPaymentAtMs, nowMs - retentionMs],
    ],
  };
}
