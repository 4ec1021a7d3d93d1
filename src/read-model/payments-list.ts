import { configOf } from '../config.ts';
import { unseal } from '../crypto/sealed.ts';
import { prepare, type SqlStatement } from '../database.ts';
import { ENDED_STATUSES, hasEnded, type IntentStatus, type Tenant } from '../domain/intent.ts';
import { type Currency, METHODS, type Method } from '../domain/method.ts';
import { detailsContext, type PaymentDetails } from '../intent/protocol.ts';
import {
  type Condition,
  type Cursor,
  type List,
  type ListPart,
  type Page,
  parseCursor,
  readPage,
  tenantIs,
  when,
} from '../paging.ts';
import {
  PAYMENTS_BY_TIME,
  type PaymentRow,
  paymentList,
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
  const { index, conditions } = indexFor(filter);
  return listBy(index, tenant, filter, conditions);
}

/** The same list, if all payments of these amounts are at these places. Reads and sorts all. */
export function paymentsAt(
  places: readonly AmountPlace[],
  tenant: Tenant,
  filter: PaymentFilter,
): List<StoredPayment> {
  return {
    ...listBy(PAYMENTS_BY_TIME, tenant, filter, stateIs(filter)),
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
  // Payments with refunds are few, whatever their amount.
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

function listBy(
  index: ListIndex['index'],
  tenant: Tenant,
  filter: PaymentFilter,
  stated: readonly Condition[],
): List<StoredPayment> {
  const conditions = [
    tenantIs(tenant),
    ...stated,
    ...when('currency = ?', filter.currency),
    ...when('amount_minor >= ?', filter.amountMinorMin),
    ...when('amount_minor <= ?', filter.amountMinorMax),
    ...(filter.refunds === 'open' ? [{ sql: 'open_refunds > 0', params: [] }] : []),
  ];
  return paymentList(index, conditions, { fromMs: filter.createdFromMs, toMs: filter.createdToMs });
}

/** The condition of the index `payment_with_refunds`, word for word. */
const HAS_REFUNDS: Condition = { sql: '(refunded_minor > 0 OR open_refunds > 0)', params: [] };
const HAS_ENDED: Condition = { sql: 'payment.ended_at_ms IS NOT NULL', params: [] };
const IS_OPEN: Condition = { sql: 'payment.ended_at_ms IS NULL', params: [] };

type StateFilter = Pick<PaymentFilter, 'status' | 'method' | 'refunds'>;

/** Where a list lies in order, with the filter's conditions and those that the indexes repeat. */
interface ListIndex {
  readonly index: List<StoredPayment>['index'];
  readonly conditions: readonly Condition[];
}

/** The index, or several to merge, whose adjacent rows match the filter but for the amount. */
export function indexFor(filter: StateFilter): ListIndex {
  const { status, method, refunds } = filter;
  if (refunds !== undefined) {
    return { index: 'payment_with_refunds', conditions: [HAS_REFUNDS, ...stateIs(filter)] };
  }
  if (status !== undefined && !hasEnded(status)) {
    return { index: 'payment_open', conditions: [IS_OPEN, ...stateIs(filter)] };
  }
  if (status === undefined && method === undefined) {
    return { index: PAYMENTS_BY_TIME, conditions: [] };
  }
  const parts = [
    ...endedParts(
      status === undefined ? ENDED_STATUSES : [status],
      method === undefined ? [...METHODS, null] : [method],
    ),
    // Few: those of another method are skipped.
    ...(status === undefined
      ? [{ index: 'payment_open', conditions: [IS_OPEN, ...stateIs(filter)] }]
      : []),
  ];
  return { index: { parts, timeName: 'createdAtMs', idName: 'uuid' }, conditions: [] };
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
        { sql: 'payment.status = ?', params: [status] },
        method === null
          ? { sql: 'payment.method IS NULL', params: [] }
          : { sql: 'payment.method = ?', params: [method] },
      ],
    })),
  );
}

export function stateIs({ status, method }: StateFilter): readonly Condition[] {
  return [...when('payment.status = ?', status), ...when('payment.method = ?', method)];
}

/**
 * Rows per query of an export. With full metadata a row has 60 KB, several times while it is
 * decrypted, and an isolate has 128 MB. A whole file takes 667 queries, of 1,000 in a request.
 */
const EXPORT_PAGE_ROWS = 150;

/** A payment in a file, with what the read model has sealed. */
export interface ExportedPayment extends PaymentRow {
  /** Empty when nothing is known, or sealed with a key that is gone. */
  readonly details: PaymentDetails;
}

/**
 * All payments that match the filter, newest first. Reads pages as the caller consumes them. Omits
 * payments that are created meanwhile.
 */
export async function* exportPayments(
  env: Env,
  tenant: Tenant,
  filter: PaymentFilter,
): AsyncGenerator<readonly ExportedPayment[], void, void> {
  const list = withDetails(await listFor(env.DB, tenant, filter));
  const unsealed = async (row: StoredPayment & SealedDetails): Promise<ExportedPayment> => {
    const { sealedDetails, ...stored } = row;
    return { ...paymentRow(stored), details: await detailsIn(env, row) };
  };
  let cursor: Cursor | null = null;
  do {
    const page: Page<StoredPayment & SealedDetails> = await readPage(
      env.DB,
      list,
      cursor,
      EXPORT_PAGE_ROWS,
    );
    if (page.rows.length > 0) {
      yield await Promise.all(page.rows.map(unsealed));
    }
    cursor = page.nextCursor === null ? null : parseCursor(page.nextCursor);
  } while (cursor !== null);
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
