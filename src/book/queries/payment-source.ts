import { ENDED_STATUSES, type IntentStatus } from '../../domain/intent.ts';
import { METHODS, type Method } from '../../domain/method.ts';
import { unionOf } from '../../platform/paging.ts';
import type { KeyChoices, PaymentFilter, PaymentRow } from '../rows.ts';
import { IDS_PER_MS } from '../schema.ts';
import { quotedTerm } from '../search-terms.ts';
import {
  type Found,
  type PageStart,
  type Placed,
  type ReadRows,
  SCANNED_ROWS_MAX,
} from './page.ts';

/** Payments in the order of their creation, each way of finding them by its own index. */

/** A payment as its book has it. The reader knows the tenant. */
export interface BookedPayment
  extends Omit<PaymentRow, 'environment' | 'merchantId' | 'late' | 'createdAtMs'> {
  readonly id: number;
  readonly createdAtMs: number;
  readonly late: boolean;
  /** JSON. */
  readonly searchKeys: string;
  /** Null also when the question did not want it. */
  readonly sealedDetails: string | null;
}

export const OPEN_STATUSES: readonly IntentStatus[] = ['open', 'processing'];
const STATUSES: readonly IntentStatus[] = [...OPEN_STATUSES, ...ENDED_STATUSES];
const METHODS_OR_NONE: readonly (Method | null)[] = [...METHODS, null];

const COLUMNS = `id, uuid, number, unique_id AS uniqueId, kind, status, failure_reason AS failureReason,
  late, amount_minor AS amountMinor, commission_minor AS commissionMinor,
  amount_minor + commission_minor * commission_paid_by_customer AS chargedMinor, currency, method,
  unresolved_attempts AS unresolvedAttempts, anomalies, proposed_attempts AS proposedAttempts,
  id / ${IDS_PER_MS} AS createdAtMs, updated_at_ms AS updatedAtMs, ended_at_ms AS endedAtMs,
  transaction_id AS transactionId, refunded_minor AS refundedMinor, open_refunds AS openRefunds,
  search_keys AS searchKeys`;

type StoredPayment = Omit<BookedPayment, 'late'> & { readonly late: number } & Record<
    string,
    SqlStorageValue
  >;

export type WithDetails = boolean;

function columns(withDetails: WithDetails): string {
  return `${COLUMNS}, ${withDetails ? 'sealed_details' : 'NULL'} AS sealedDetails`;
}

function booked(stored: StoredPayment): BookedPayment {
  return { ...stored, late: stored.late === 1 };
}

export function placed(row: BookedPayment): Placed<BookedPayment> {
  return { row, place: placeOf(row.id) };
}

function placeOf(id: number) {
  return { atMs: Math.floor(id / IDS_PER_MS), id, volume: 0 };
}

export function paymentsById(
  sql: SqlStorage,
  ids: Iterable<number>,
  withDetails: WithDetails = false,
): BookedPayment[] {
  const statement = `SELECT ${columns(withDetails)} FROM payment WHERE id = ?`;
  return [...ids].flatMap((id) => sql.exec<StoredPayment>(statement, id).toArray().map(booked));
}

/** Includes `from`, excludes `to`. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

export function idRange(
  { createdFromMs = 0, createdToMs }: Pick<PaymentFilter, 'createdFromMs' | 'createdToMs'>,
  start: PageStart,
): IdRange {
  const from = createdFromMs * IDS_PER_MS;
  const to = createdToMs === undefined ? Number.MAX_SAFE_INTEGER : createdToMs * IDS_PER_MS;
  const { after, includesPlace } = start;
  if (after === null) {
    return { from, to };
  }
  const named = Number(after.id);
  // A cursor of another list names no payment: its time is what is left.
  const id = Math.floor(named / IDS_PER_MS) === after.atMs ? named : after.atMs * IDS_PER_MS;
  return start.isAscending
    ? { from: Math.max(from, includesPlace ? id : id + 1), to }
    : { from, to: Math.min(to, includesPlace ? id + 1 : id) };
}

/** How a list reads payments: all that the source has, or those that also match. */
export interface PaymentSource {
  read(range: IdRange, limit: number): Found<BookedPayment>;
}

/** Continues a source behind a place. */
export function readFrom(
  source: PaymentSource,
  range: IdRange,
  isAscending: boolean,
): ReadRows<BookedPayment> {
  return (after, limit) => {
    const id = Number(after?.id);
    const rest = isAscending ? { ...range, from: id + 1 } : { ...range, to: id };
    return source.read(after === null ? range : rest, limit);
  };
}

/** All payments, or those of a status, a method or both. */
export function byState(
  sql: SqlStorage,
  { status, method }: Pick<PaymentFilter, 'status' | 'method'>,
  isAscending: boolean,
  withDetails: WithDetails,
): PaymentSource {
  const order = `ORDER BY id ${isAscending ? 'ASC' : 'DESC'} LIMIT ?3`;
  if (status === undefined && method === undefined) {
    const all = `SELECT ${columns(withDetails)} FROM payment WHERE id >= ?1 AND id < ?2 ${order}`;
    return {
      read: ({ from, to }, limit) => ({
        rows: sql.exec<StoredPayment>(all, from, to, limit).toArray().map(booked).map(placed),
        coveredTo: null,
      }),
    };
  }
  // SQLite merges the parts as it reads them: each has its payments in order.
  const parts = (status === undefined ? STATUSES : [status]).flatMap((one) =>
    (method === undefined ? METHODS_OR_NONE : [method]).map((other) => ({ one, other })),
  );
  const text = unionOf(
    parts.map(
      ({ one, other }) => `SELECT id FROM payment INDEXED BY payment_by_state
        WHERE status = '${one}' AND ${methodIs(other)} AND id >= ?1 AND id < ?2`,
    ),
  );
  return {
    read: ({ from, to }, limit) => ({
      rows: paymentsById(sql, idsOf(sql, `${text} ${order}`, from, to, limit), withDetails).map(
        placed,
      ),
      coveredTo: null,
    }),
  };
}

function methodIs(method: Method | null): string {
  return method === null ? 'method IS NULL' : `method = '${method}'`;
}

function idsOf(sql: SqlStorage, statement: string, ...params: (number | string)[]): number[] {
  return sql
    .exec<{ id: number }>(statement, ...params)
    .toArray()
    .map(({ id }) => id);
}

/** Payments with refunds: few, so that other conditions are checked in their rows. */
export function withRefunds(
  sql: SqlStorage,
  isAscending: boolean,
  withDetails: WithDetails,
): PaymentSource {
  const statement = `SELECT ${columns(withDetails)} FROM payment INDEXED BY payment_with_refunds
    WHERE (refunded_minor > 0 OR open_refunds > 0) AND id >= ? AND id < ?
    ORDER BY id ${isAscending ? 'ASC' : 'DESC'} LIMIT ?`;
  return {
    read: ({ from, to }, limit) => ({
      rows: sql.exec<StoredPayment>(statement, from, to, limit).toArray().map(booked).map(placed),
      coveredTo: null,
    }),
  };
}

/** The first span of time in which an amount is looked for; each next one is four times as long. */
const FIRST_SPAN_MS = 60_000;
const SPAN_FACTOR = 4;

/**
 * Payments of these amounts and this currency. Reads index entries of ever longer spans of time,
 * until it has found enough or has read about SCANNED_ROWS_MAX: an index of amounts would cost a
 * written row for each payment.
 */
export function byAmount(
  sql: SqlStorage,
  filter: PaymentFilter,
  isAscending: boolean,
  withDetails: WithDetails,
): PaymentSource {
  const { status, method, currency, amountMinorMin, amountMinorMax } = filter;
  const statuses = (status === undefined ? STATUSES : [status]).map((one) => `'${one}'`);
  const methods = (method === undefined ? METHODS : [method]).map((one) => `'${one}'`);
  const withMethod = (condition: string) => `SELECT id FROM payment INDEXED BY payment_by_state
    WHERE status IN (${statuses.join()}) AND ${condition} AND id >= ?1 AND id < ?2
      AND amount_minor BETWEEN ?3 AND ?4 AND (?5 IS NULL OR currency = ?5)`;
  const statement = [
    withMethod(`method IN (${methods.join()})`),
    ...(method === undefined ? [withMethod('method IS NULL')] : []),
  ].join(' UNION ALL ');
  const amounts = [
    amountMinorMin ?? 0,
    amountMinorMax ?? Number.MAX_SAFE_INTEGER,
    currency ?? null,
  ];
  const read = (range: IdRange, limit: number): Found<BookedPayment> => {
    const { first, last } = edges(sql);
    const from = Math.max(range.from, first);
    const to = Math.min(range.to, last + 1);
    const ids: number[] = [];
    let edge = isAscending ? from : to;
    let entries = 0;
    for (let span = FIRST_SPAN_MS * IDS_PER_MS; from < to; span *= SPAN_FACTOR) {
      const next = isAscending ? Math.min(to, edge + span) : Math.max(from, edge - span);
      const cursor = sql.exec<{ id: number }>(
        statement,
        Math.min(edge, next),
        Math.max(edge, next),
        ...amounts,
      );
      ids.push(
        ...cursor
          .toArray()
          .map(({ id }) => id)
          .sort((one, other) => (isAscending ? one - other : other - one)),
      );
      entries += cursor.rowsRead;
      edge = next;
      if (ids.length >= limit || edge === (isAscending ? to : from)) {
        break;
      }
      if (entries >= SCANNED_ROWS_MAX) {
        const covered = isAscending ? edge - 1 : edge;
        return {
          rows: paymentsById(sql, ids, withDetails).map(placed),
          coveredTo: placeOf(covered),
        };
      }
    }
    const rows = paymentsById(sql, ids.slice(0, limit), withDetails).map(placed);
    return { rows, coveredTo: null };
  };
  return { read };
}

function edges(sql: SqlStorage): { first: number; last: number } {
  const edge = (name: 'MIN' | 'MAX') =>
    sql.exec<{ id: number | null }>(`SELECT ${name}(id) AS id FROM payment`).one().id ?? 0;
  return { first: edge('MIN'), last: edge('MAX') };
}

/**
 * Payments that have a key of every group. The full-text index has those that have ended; the open
 * ones are few.
 */
export function byKeys(
  sql: SqlStorage,
  groups: readonly KeyChoices[],
  isAscending: boolean,
  withDetails: WithDetails,
): PaymentSource {
  const order = `ORDER BY id ${isAscending ? 'ASC' : 'DESC'} LIMIT ?3`;
  const wanted = groups.map((keys) => `(${keys.map(quotedTerm).join(' OR ')})`).join(' AND ');
  // JavaScript's numbers are bound as REAL, which the full-text index ignores as a bound.
  const ended = `SELECT rowid AS id FROM payment_search
    WHERE payment_search MATCH ?4 AND rowid >= CAST(?1 AS INTEGER)
      AND rowid < CAST(?2 AS INTEGER) ${order}`;
  const open = `SELECT id FROM payment INDEXED BY payment_by_state
    WHERE ${IS_OPEN} AND id >= ?1 AND id < ?2 AND ${hasKeys('?4')} ${order}`;
  const read = ({ from, to }: IdRange, limit: number): Found<BookedPayment> => {
    const ids = [
      ...idsOf(sql, ended, from, to, limit, wanted),
      ...idsOf(sql, open, from, to, limit, JSON.stringify(groups)),
    ].sort((one, other) => (isAscending ? one - other : other - one));
    return {
      rows: paymentsById(sql, ids.slice(0, limit), withDetails).map(placed),
      coveredTo: null,
    };
  };
  return { read };
}

export const IS_OPEN = `status IN (${OPEN_STATUSES.map((one) => `'${one}'`).join()})`;

/** Whether `payment` has a key of every group in a JSON array of arrays. */
function hasKeys(groups: string): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(${groups}) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(wanted.value) AS choice
    JOIN json_each(payment.search_keys) AS own ON own.value = choice.value))`;
}

/** The index folds case, so a hit is compared with the row. */
export function hasKeysOf(groups: readonly KeyChoices[], { searchKeys }: BookedPayment): boolean {
  const own = new Set<string>(groups.length === 0 ? [] : JSON.parse(searchKeys));
  return groups.every((keys) => keys.some((key) => own.has(key)));
}
