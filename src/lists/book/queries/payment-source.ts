import { ENDED_STATUSES, type IntentStatus } from '../../../engine/domain/intent.ts';
import { METHODS } from '../../../engine/domain/method.ts';
import type { KeyChoices, PaymentFilter, PaymentRow, SameOrderPayment } from '../rows.ts';
import { IDS_PER_MS, NEEDS_PERSON } from '../schema.ts';
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
  /** Absent when there are none, or the question did not want them. */
  readonly sameOrder?: readonly SameOrderPayment[];
}

export const OPEN_STATUSES: readonly IntentStatus[] = ['open', 'processing'];
export const STATUSES: readonly IntentStatus[] = [...OPEN_STATUSES, ...ENDED_STATUSES];
/** Of the code, as texts of SQL. What a filter names is a parameter. */
const STATUS_TEXTS = STATUSES.map((status) => `'${status}'`);
const METHOD_TEXTS = METHODS.map((method) => `'${method}'`);

const COLUMNS = `id, uuid, number, unique_id AS uniqueId, kind, status, failure_reason AS failureReason,
  late, amount_minor AS amountMinor, commission_minor AS commissionMinor,
  amount_minor + commission_minor * commission_paid_by_customer AS chargedMinor, currency, method,
  unresolved_attempts AS unresolvedAttempts, anomalies, proposed_attempts AS proposedAttempts,
  id / ${IDS_PER_MS} AS createdAtMs, updated_at_ms AS updatedAtMs, ended_at_ms AS endedAtMs,
  paid_at_ms AS paidAtMs, transaction_id AS transactionId, refunded_minor AS refundedMinor,
  open_refunds AS openRefunds, search_keys AS searchKeys`;

const DETAILS = `sealed_details AS sealedDetails, (
  SELECT json_group_array(json_object('uniqueId', other.unique_id, 'paidAtMs', other.paid_at_ms,
    'refundedMinor', other.refunded_minor, 'openRefunds', other.open_refunds))
  FROM same_order CROSS JOIN payment AS other ON other.id = other_id
  WHERE payment_id = payment.id) AS sameOrder`;

type StoredPayment = Omit<BookedPayment, 'late' | 'sameOrder'> & {
  readonly late: number;
  readonly sameOrder: string;
} & Record<string, SqlStorageValue>;

function columns(withDetails: boolean): string {
  return `${COLUMNS}, ${withDetails ? DETAILS : "NULL AS sealedDetails, '[]' AS sameOrder"}`;
}

function rowsOf(sql: SqlStorage, statement: string, ...params: number[]): BookedPayment[] {
  const rows = sql.exec<StoredPayment>(statement, ...params).toArray();
  return rows.map(({ sameOrder, ...stored }) => ({
    ...stored,
    late: stored.late === 1,
    ...(sameOrder !== '[]' && { sameOrder: JSON.parse(sameOrder) }),
  }));
}

/** A source has found these and, if they are fewer than wanted, no more. */
function all(rows: readonly BookedPayment[]): Found<BookedPayment> {
  return { rows: rows.map(placed), coveredTo: null };
}

function placed(row: BookedPayment): Placed<BookedPayment> {
  return { row, place: placeOf(row.id) };
}

function placeOf(id: number) {
  return { atMs: Math.floor(id / IDS_PER_MS), id, volume: 0 };
}

export function paymentsById(
  sql: SqlStorage,
  ids: Iterable<number>,
  withDetails: boolean = false,
): BookedPayment[] {
  const statement = `SELECT ${columns(withDetails)} FROM payment WHERE id = ?`;
  return [...ids].flatMap((id) => rowsOf(sql, statement, id));
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

/** How a list reads its payments. */
export interface Reading {
  readonly sql: SqlStorage;
  readonly isAscending: boolean;
  readonly withDetails: boolean;
}

/** Where a list finds payments: all that the source has, or those that also match. */
export type PaymentSource = (range: IdRange, limit: number) => Found<BookedPayment>;

/** Continues a source after a place. */
export function readFrom(
  source: PaymentSource,
  range: IdRange,
  isAscending: boolean,
): ReadRows<BookedPayment> {
  return (after, limit) => {
    const id = Number(after?.id);
    const rest = isAscending ? { ...range, from: id + 1 } : { ...range, to: id };
    return source(after === null ? range : rest, limit);
  };
}

/** Payments of a condition in the order of an index, or of the table. */
function inOrder({ sql, isAscending, withDetails }: Reading, condition: string): PaymentSource {
  const statement = `SELECT ${columns(withDetails)} FROM payment ${condition}
    AND id >= ?1 AND id < ?2 ${orderOf(isAscending)}`;
  return ({ from, to }, limit) => all(rowsOf(sql, statement, from, to, limit));
}

type StateFilter = Pick<PaymentFilter, 'status' | 'method'>;

/** All payments, or those of a status, a method or both. */
export function byState(reading: Reading, filter: StateFilter): PaymentSource {
  const { status, method } = filter;
  const { sql, isAscending, withDetails } = reading;
  if (status === undefined && method === undefined) {
    return inOrder(reading, 'WHERE TRUE');
  }
  const states = status === undefined ? STATUS_TEXTS : ['?4'];
  const methods = method === undefined ? [...METHOD_TEXTS, 'NULL'] : ['?5'];
  // SQLite merges the parts as it reads them: each has its payments in order.
  const text = unionOf(
    states.flatMap((state) =>
      methods.map(
        (one) => `SELECT id FROM payment INDEXED BY payment_by_state
          WHERE status = ${state} AND method IS ${one} AND id >= ?1 AND id < ?2`,
      ),
    ),
  );
  const statement = `${text} ${orderOf(isAscending)}`;
  const params = stateParams(filter);
  return ({ from, to }, limit) =>
    all(paymentsById(sql, idsOf(sql, statement, from, to, limit, ...params), withDetails));
}

/** SQLite wants as many parameters as the highest number in the statement, so the last are left out. */
function stateParams({ status, method }: StateFilter): readonly (string | null)[] {
  return method === undefined ? (status === undefined ? [] : [status]) : [status ?? null, method];
}

function orderOf(isAscending: boolean): string {
  return `ORDER BY id ${isAscending ? 'ASC' : 'DESC'} LIMIT ?3`;
}

export function idsOf(
  sql: SqlStorage,
  statement: string,
  ...params: (number | string | null)[]
): number[] {
  return sql
    .exec<{ id: number }>(statement, ...params)
    .toArray()
    .map(({ id }) => id);
}

/** The platform takes no more in one compound SELECT. */
const COMPOUND_TERMS_MAX = 5;

/** More than COMPOUND_TERMS_MAX are nested, which SQLite merges as well. */
function unionOf(selects: readonly string[]): string {
  if (selects.length <= COMPOUND_TERMS_MAX) {
    return selects.join(' UNION ALL ');
  }
  const rest = selects.slice(COMPOUND_TERMS_MAX - 1);
  return [...selects.slice(0, COMPOUND_TERMS_MAX - 1), `SELECT * FROM (${unionOf(rest)})`].join(
    ' UNION ALL ',
  );
}

/** Payments with refunds: few, so that other conditions are checked in their rows. */
export function withRefunds(reading: Reading): PaymentSource {
  const condition =
    'INDEXED BY payment_with_refunds WHERE (refunded_minor > 0 OR open_refunds > 0)';
  return inOrder(reading, condition);
}

/** Payments that need a person, or were paid late: few, as above. */
export function needingAttention(reading: Reading): PaymentSource {
  return inOrder(reading, `INDEXED BY payment_needing_attention WHERE (${NEEDS_PERSON})`);
}

/** The first span of time in which an amount is looked for: SCANNED_ROWS_MAX at 1,333 a second. */
const FIRST_SPAN_MS = 15_000;
/** Each next span is this many times as long, until one has SPAN_ENTRIES of the index. */
const SPAN_FACTOR = 4;
const SPAN_ENTRIES = SCANNED_ROWS_MAX / 10;

/**
 * Payments of these amounts and this currency. Reads span after span in the index of states, until it
 * has found enough or has read SCANNED_ROWS_MAX entries: an index of amounts would cost a written row
 * for each payment.
 */
export function byAmount(reading: Reading, filter: PaymentFilter): PaymentSource {
  const { sql, isAscending, withDetails } = reading;
  const { status, method, currency, amountMinorMin, amountMinorMax } = filter;
  const states = status === undefined ? STATUS_TEXTS.join() : '?7';
  const methods = method === undefined ? [`IN (${METHOD_TEXTS.join()})`, 'IS NULL'] : ['= ?8'];
  const entries = methods
    .map(
      (one) => `SELECT id, amount_minor, currency FROM payment INDEXED BY payment_by_state
        WHERE status IN (${states}) AND method ${one} AND id >= ?1 AND id < ?2`,
    )
    .join(' UNION ALL ');
  const statement = `SELECT id FROM (${entries} LIMIT ?3)
    WHERE amount_minor BETWEEN ?4 AND ?5 AND (?6 IS NULL OR currency = ?6)
    ORDER BY id ${isAscending ? 'ASC' : 'DESC'}`;
  const amounts = [
    amountMinorMin ?? 0,
    amountMinorMax ?? Number.MAX_SAFE_INTEGER,
    currency ?? null,
    ...stateParams(filter),
  ];
  return ({ from, to }, limit) => {
    const { first, end } = sql.exec<{ first: number; end: number }>(ALL_IDS).one();
    let rest: IdRange = { from: Math.max(from, first), to: Math.min(to, end) };
    let ids: number[] = [];
    let left = SCANNED_ROWS_MAX;
    let span = FIRST_SPAN_MS * IDS_PER_MS;
    while (rest.from < rest.to && ids.length < limit && left > 0) {
      const edge = isAscending
        ? Math.min(rest.to, rest.from + span)
        : Math.max(rest.from, rest.to - span);
      const part = isAscending ? { from: rest.from, to: edge } : { from: edge, to: rest.to };
      // The first span has no bound, so that each page makes progress.
      const max = left === SCANNED_ROWS_MAX ? -1 : left;
      const cursor = sql.exec<{ id: number }>(statement, part.from, part.to, max, ...amounts);
      const found = cursor.toArray().map(({ id }) => id);
      left -= cursor.rowsRead;
      if (left <= 0 && max > 0) {
        // Entries of this span may be missing, so the page ends before it.
        break;
      }
      ids = ids.concat(found);
      rest = isAscending ? { ...rest, from: edge } : { ...rest, to: edge };
      span *= cursor.rowsRead < SPAN_ENTRIES ? SPAN_FACTOR : 1;
    }
    const found = all(paymentsById(sql, ids.slice(0, limit), withDetails));
    const isComplete = ids.length >= limit || rest.from >= rest.to;
    const coveredTo = placeOf(isAscending ? rest.from - 1 : rest.to);
    return isComplete ? found : { ...found, coveredTo };
  };
}

/** One MIN or MAX is a step in the tree, both in one SELECT would read all of it. */
const ALL_IDS = `SELECT COALESCE((SELECT MIN(id) FROM payment), 0) AS first,
  COALESCE((SELECT MAX(id) FROM payment), -1) + 1 AS end`;

/** The payment has a key of every group. */
export type Wanted = readonly KeyChoices[];

/** Payments with the wanted keys. The full-text index has those that have ended. */
export function byKeys(reading: Reading, wanted: Wanted): PaymentSource {
  const { sql, isAscending, withDetails } = reading;
  const open = `SELECT id FROM payment INDEXED BY payment_by_state
    WHERE ${IS_OPEN} AND id >= ?1 AND id < ?2 AND ${hasKeys('?4')} ${orderOf(isAscending)}`;
  return (range, limit) => {
    const ids = [
      ...endedIds(sql, wanted, isAscending, range, limit),
      ...idsOf(sql, open, range.from, range.to, limit, JSON.stringify(quotedKeys(wanted))),
    ].sort((one, other) => (isAscending ? one - other : other - one));
    return all(paymentsById(sql, ids.slice(0, limit), withDetails));
  };
}

/** Payments that have ended with the wanted keys. */
export function endedIds(
  sql: SqlStorage,
  wanted: Wanted,
  isAscending: boolean,
  { from, to }: IdRange,
  limit: number,
): readonly number[] {
  // JavaScript's numbers are bound as REAL, which the full-text index ignores as a bound.
  const statement = `SELECT rowid AS id FROM payment_search
    WHERE payment_search MATCH ?4 AND rowid >= CAST(?1 AS INTEGER)
      AND rowid < CAST(?2 AS INTEGER) ${orderOf(isAscending)}`;
  const terms = wanted.map((keys) => `(${keys.map(quotedTerm).join(' OR ')})`).join(' AND ');
  return idsOf(sql, statement, from, to, limit, terms);
}

export const IS_OPEN = `status IN (${OPEN_STATUSES.map((one) => `'${one}'`).join()})`;

/** Whether a row has the keys that an expression contains, as JSON of `quotedKeys`. */
export function hasKeys(wanted: string): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(${wanted}) AS choices WHERE NOT EXISTS (
    SELECT 1 FROM json_each(choices.value) AS choice WHERE instr(search_keys, choice.value)))`;
}

/** Each key as it is in the JSON of a row. */
export function quotedKeys(wanted: Wanted): readonly (readonly string[])[] {
  return wanted.map((keys) => keys.map((key) => JSON.stringify(key)));
}

/** The index folds case, so a hit is compared with the row. */
export function hasKeysOf(groups: Wanted, { searchKeys }: BookedPayment): boolean {
  const own = new Set<string>(groups.length === 0 ? [] : JSON.parse(searchKeys));
  return groups.every((keys) => keys.some((key) => own.has(key)));
}
