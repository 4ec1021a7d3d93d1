import { configOf } from '../config.ts';
import { unseal } from '../crypto/sealed.ts';
import { ENDED_STATUSES, hasEnded, type IntentStatus, type Tenant } from '../domain/intent.ts';
import { type Currency, METHODS, type Method } from '../domain/method.ts';
import { detailsContext, type PaymentDetails } from '../intent/protocol.ts';
import { prepare, type SqlStatement } from '../platform/database.ts';
import {
  type Condition,
  type Cursor,
  cursorText,
  type List,
  type ListPart,
  type Page,
  parseCursor,
  readPage,
  tenantIs,
  when,
} from '../platform/paging.ts';
import {
  PAYMENTS_BY_TIME,
  type PaymentRow,
  paymentList,
  paymentListByEntries,
  paymentRow,
  readPayments,
  type StoredPayment,
} from './payment-row.ts';

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
  /** `any`: something was returned or a refund has no outcome yet; `open`: only the latter. */
  readonly refunds?: 'any' | 'open' | undefined;
}

/** Whether the totals by day know a filter. A list shows no totals with one that they do not know. */
export const KNOWN_TO_TOTALS: Readonly<Record<keyof PaymentFilter, boolean>> = {
  status: true,
  method: true,
  currency: true,
  createdFromMs: true,
  createdToMs: true,
  amountMinorMin: false,
  amountMinorMax: false,
  refunds: false,
};

/** One page of a tenant's payments, newest first. */
export async function listPayments(
  db: D1Database,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
  limit: number,
): Promise<Page<PaymentRow>> {
  return readPayments(db, await listFor(db, tenant, filter), cursor, limit);
}

async function listFor(
  db: D1Database,
  tenant: Tenant,
  filter: PaymentFilter,
): Promise<List<StoredPayment>> {
  const places = await placesOfRareAmount(db, tenant, filter);
  return places === null ? paymentsOf(tenant, filter) : paymentsAt(places, tenant, filter);
}

/** Reads payments in the order of time, and skips those of other amounts and currencies. */
export function paymentsOf(tenant: Tenant, filter: PaymentFilter): List<StoredPayment> {
  return paymentsInOrder(tenant, filter, (table) => amountIs(filter, table));
}

/** The same list, if all payments of these amounts are at these places. Reads and sorts all. */
export function paymentsAt(
  places: readonly AmountPlace[],
  tenant: Tenant,
  filter: PaymentFilter,
): List<StoredPayment> {
  return {
    ...paymentList(
      PAYMENTS_BY_TIME,
      [tenantIs(tenant), ...stateIs(filter, 'payment'), ...amountIs(filter, 'payment')],
      { fromMs: filter.createdFromMs, toMs: filter.createdToMs },
    ),
    // CROSS JOIN makes SQLite read the places first.
    table: 'json_each(?) AS place CROSS JOIN payment',
    tableParams: [JSON.stringify(places.map(({ createdAtMs, uuid }) => [createdAtMs, uuid]))],
    join: `ON payment.created_at_ms = place.value ->> 0 AND payment.uuid = place.value ->> 1`,
  };
}

/** Where a payment is among those of its tenant. */
export interface AmountPlace {
  readonly createdAtMs: number;
  readonly uuid: string;
}

/**
 * Few enough to sort quickly. With more, the wanted payments are so frequent that a scan in the
 * order of time finds a page among some thousands of rows.
 */
const RARE_PAYMENTS_MAX = 500;

/** Null when the filter does not restrict the amount, or to amounts that are not rare. */
async function placesOfRareAmount(
  db: D1Database,
  tenant: Tenant,
  filter: PaymentFilter,
): Promise<readonly AmountPlace[] | null> {
  const { amountMinorMin, amountMinorMax, refunds } = filter;
  const isAnyAmount = amountMinorMin === undefined && amountMinorMax === undefined;
  // Few payments have refunds.
  if (isAnyAmount || refunds !== undefined) {
    return null;
  }
  const statement = placesOfAmountStatement(tenant, filter);
  const { results } = await prepare(db, statement).all<AmountPlace>();
  return results.length <= RARE_PAYMENTS_MAX ? results : null;
}

/**
 * Up to RARE_PAYMENTS_MAX + 1 places, in no order. Rare amounts read the index entries of all the
 * tenant's payments: 15 ms of processor time for 200,000. An index of amounts would cost a written
 * row for each payment.
 */
export function placesOfAmountStatement(tenant: Tenant, filter: PaymentFilter): SqlStatement {
  const conditions = [
    tenantIs(tenant),
    ...when('amount_minor >= ?', filter.amountMinorMin),
    ...when('amount_minor <= ?', filter.amountMinorMax),
    ...when('created_at_ms >= ?', filter.createdFromMs),
    ...when('created_at_ms < ?', filter.createdToMs),
  ];
  return {
    sql: `SELECT created_at_ms AS createdAtMs, uuid FROM payment INDEXED BY payment_number
      WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} LIMIT ${RARE_PAYMENTS_MAX + 1}`,
    params: conditions.flatMap(({ params }) => params),
  };
}

type PaymentTable = 'payment' | 'entry';

function amountIs(
  { currency, amountMinorMin, amountMinorMax, refunds }: PaymentFilter,
  table: PaymentTable,
): readonly Condition[] {
  return [
    ...when(`${table}.currency = ?`, currency),
    ...when(`${table}.amount_minor >= ?`, amountMinorMin),
    ...when(`${table}.amount_minor <= ?`, amountMinorMax),
    ...(refunds === 'open' ? [{ sql: `${table}.open_refunds > 0`, params: [] }] : []),
  ];
}

/** The condition of the index `payment_with_refunds`, word for word. */
const HAS_REFUNDS: Condition = { sql: '(refunded_minor > 0 OR open_refunds > 0)', params: [] };
/** The condition of the index `payment_ended`, of columns that it has. */
const HAS_ENDED: Condition = {
  sql: "entry.status NOT IN ('open', 'processing')",
  params: [],
};
const isOpen = (table: PaymentTable): Condition => ({
  sql: `${table}.ended_at_ms IS NULL`,
  params: [],
});

type StateFilter = Pick<
  PaymentFilter,
  'status' | 'method' | 'refunds' | 'createdFromMs' | 'createdToMs'
>;

/** The payments of a state and time that meet further conditions, in the order of time. */
export function paymentsInOrder(
  tenant: Tenant,
  filter: StateFilter,
  further: (table: PaymentTable) => readonly Condition[] = () => [],
): List<StoredPayment> {
  const { status, method, refunds, createdFromMs: fromMs, createdToMs: toMs } = filter;
  const byTable = (index: string, own: readonly Condition[]) =>
    paymentList(
      index,
      [tenantIs(tenant), ...own, ...stateIs(filter, 'payment'), ...further('payment')],
      { fromMs, toMs },
    );
  if (refunds !== undefined) {
    return byTable('payment_with_refunds', [HAS_REFUNDS]);
  }
  if (status !== undefined && !hasEnded(status)) {
    return byTable('payment_open', [isOpen('payment')]);
  }
  if (status === undefined && method === undefined) {
    return byTable(PAYMENTS_BY_TIME, []);
  }
  const parts = [
    ...endedParts(
      status === undefined ? ENDED_STATUSES : [status],
      method === undefined ? [...METHODS, null] : [method],
    ),
    // Few: those of another method are skipped.
    ...(status === undefined
      ? [{ index: 'payment_open', conditions: [isOpen('entry'), ...stateIs(filter, 'entry')] }]
      : []),
  ];
  const conditions = [tenantIs(tenant, 'entry'), ...further('entry')];
  return paymentListByEntries(parts, conditions, { fromMs, toMs });
}

/** `payment_ended` has payments of one status and one method, or none, in the order of time. */
function endedParts(
  statuses: readonly IntentStatus[],
  methods: readonly (Method | null)[],
): readonly ListPart[] {
  return statuses.flatMap((status) =>
    methods.map((method) => ({
      index: 'payment_ended',
      conditions: [
        HAS_ENDED,
        { sql: 'entry.status = ?', params: [status] },
        method === null
          ? { sql: 'entry.method IS NULL', params: [] }
          : { sql: 'entry.method = ?', params: [method] },
      ],
    })),
  );
}

export function stateIs(
  { status, method }: Pick<PaymentFilter, 'status' | 'method'>,
  table: PaymentTable,
): readonly Condition[] {
  return [...when(`${table}.status = ?`, status), ...when(`${table}.method = ?`, method)];
}

/**
 * Rows per query of an export. With full metadata a row has 60 KB, several times while it is
 * decrypted, and an isolate has 128 MB.
 */
const EXPORT_QUERY_ROWS = 150;

/**
 * A page of an export gathers queries up to these sizes. The back office may call the payments plane
 * only about thirty times in one request, and a file has 100,000 rows.
 */
const EXPORT_PAGE_ROWS = 4_000;
const EXPORT_PAGE_CHARACTERS = 8_000_000;

/** A payment in a file, with what the read model has sealed. */
export interface ExportedPayment extends PaymentRow {
  /** Empty when nothing is known, or sealed with a key that is gone. */
  readonly details: PaymentDetails;
}

export interface ExportPage {
  readonly rows: readonly ExportedPayment[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * A page of all payments that match the filter, newest first, as many as fit into a call. Omits
 * payments that are created after the first page was read.
 */
export async function exportPayments(
  env: Env,
  tenant: Tenant,
  filter: PaymentFilter,
  cursor: Cursor | null,
): Promise<ExportPage> {
  const list = withDetails(await listFor(env.DB, tenant, filter));
  const rows: ExportedPayment[] = [];
  let characters = 0;
  let next = cursor;
  do {
    const page = await readPage(env.DB, list, next, EXPORT_QUERY_ROWS);
    rows.push(...(await Promise.all(page.rows.map((row) => unsealed(env, row)))));
    characters += page.rows.reduce((sum, row) => sum + (row.sealedDetails?.length ?? 0), 0);
    if (page.nextCursor === null) {
      return { rows, nextCursor: null };
    }
    next = parseCursor(page.nextCursor);
  } while (rows.length < EXPORT_PAGE_ROWS && characters < EXPORT_PAGE_CHARACTERS && next !== null);
  return { rows, nextCursor: next === null ? null : cursorText(next) };
}

async function unsealed(env: Env, row: StoredPayment & SealedDetails): Promise<ExportedPayment> {
  const { sealedDetails, ...stored } = row;
  return { ...paymentRow(stored), details: await detailsIn(env, row) };
}

export interface SealedDetails {
  readonly sealedDetails: string | null;
}

export function withDetails(list: List<StoredPayment>): List<StoredPayment & SealedDetails> {
  return { ...list, columns: `${list.columns}, payment.sealed_details AS sealedDetails` };
}

/** The payment's sealed details; empty when nothing is known, or sealed with a key that is gone. */
export async function detailsIn(
  env: Env,
  row: StoredPayment & SealedDetails,
): Promise<PaymentDetails> {
  const { sealedDetails, uuid } = row;
  const text =
    sealedDetails === null
      ? null
      : await unseal(configOf(env).dataEncryptionKeys, sealedDetails, detailsContext(row, uuid));
  return text === null ? {} : JSON.parse(text);
}
