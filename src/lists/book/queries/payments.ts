import type { EndedFilter, KeyChoices, PaymentFilter } from '../rows.ts';
import { endedPayments, isByEnd } from './ended-payments.ts';
import { type Found, type PageStart, scan } from './page.ts';
import {
  type BookedPayment,
  byAmount,
  byKeys,
  byState,
  hasKeysOf,
  idRange,
  readFrom,
  withRefunds,
} from './payment-source.ts';

/** Lists of payments. */

/** Newest first, or oldest first. */
export function payments(
  sql: SqlStorage,
  filter: PaymentFilter,
  start: PageStart,
  limit: number,
  withDetails: boolean,
): Found<BookedPayment> {
  const { isAscending } = start;
  const { refunds, currency, amountMinorMin, amountMinorMax } = filter;
  const isAnyAmount = (amountMinorMin ?? amountMinorMax ?? currency) === undefined;
  const ofState = isAnyAmount ? byState : byAmount;
  const reading = { sql, isAscending, withDetails };
  const source = refunds === undefined ? ofState(reading, filter) : withRefunds(reading);
  const read = readFrom(source, idRange(filter, start), isAscending);
  return scan(read, (row) => matches(row, filter), limit);
}

function matches(row: BookedPayment, filter: PaymentFilter): boolean {
  return (
    (filter.status ?? row.status) === row.status &&
    (filter.method ?? row.method) === row.method &&
    (filter.currency ?? row.currency) === row.currency &&
    row.amountMinor >= (filter.amountMinorMin ?? 0) &&
    row.amountMinor <= (filter.amountMinorMax ?? Number.POSITIVE_INFINITY) &&
    [row.amountMinor, row.chargedMinor].includes(filter.shownMinor ?? row.amountMinor) &&
    (filter.refunds !== 'open' || row.openRefunds > 0)
  );
}

/**
 * The payments of the API's list: those with a key of every group. With a time of the end or of the
 * payment in the filter, they are in its order.
 */
export function summaries(
  sql: SqlStorage,
  filter: EndedFilter,
  keys: readonly KeyChoices[],
  start: PageStart,
  limit: number,
): Found<BookedPayment> {
  if (isByEnd(filter)) {
    return endedPayments(sql, filter, keys, start, limit);
  }
  const { isAscending } = start;
  const reading = { sql, isAscending, withDetails: true };
  const source = keys.length === 0 ? byState(reading, filter) : byKeys(reading, keys);
  const isWanted = (row: BookedPayment) => matches(row, filter) && hasKeysOf(keys, row);
  return scan(readFrom(source, idRange(filter, start), isAscending), isWanted, limit);
}

/** The next payments after a place, oldest first, for a rebuild. */
export function paymentsAfter(sql: SqlStorage, place: number, limit: number) {
  return sql
    .exec<{ id: number; uniqueId: string }>(
      'SELECT id, unique_id AS uniqueId FROM payment WHERE id > ? ORDER BY id LIMIT ?',
      place,
      limit,
    )
    .toArray();
}
