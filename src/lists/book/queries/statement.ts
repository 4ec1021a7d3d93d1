import { commissionBackMinor } from '../../../engine/domain/refund-amounts.ts';
import { businessDayStartMs } from '../../../kit/ethiopian-time.ts';
import type { DayRange, StatementLine, StatementPart } from '../rows.ts';
import { endedPayments } from './ended-payments.ts';
import { type Found, type PageStart, type ReadRows, scan } from './page.ts';
import type { BookedPayment } from './payment-source.ts';
import { type BookedRefund, refunds } from './refunds.ts';

/**
 * The lines of a statement: each payment and refund that the totals of the same days add up.
 */

interface Days {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The newest first: payments by the time when they were paid, refunds by that of their request. */
export function statement(
  sql: SqlStorage,
  part: StatementPart,
  { fromDay, toDay }: DayRange,
  start: PageStart,
  limit: number,
): Found<StatementLine> {
  const days = { fromMs: businessDayStartMs(fromDay), toMs: businessDayStartMs(toDay + 1) };
  switch (part) {
    case 'paid': {
      const filter = { paidFromMs: days.fromMs, paidToMs: days.toMs };
      return linesOf(endedPayments(sql, filter, [], start, limit), paidLine);
    }
    case 'refunded':
      return linesOf(returned(sql, days, start, limit), refundedLine);
  }
}

function isIn({ fromMs, toMs }: Days, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs;
}

/**
 * Refunds of the attempts that paid, as the totals count them. No index has the time when the money
 * went back, because each refund would write one more entry: a page reads the refunds that were
 * requested before the end of the days.
 */
function returned(sql: SqlStorage, days: Days, start: PageStart, limit: number) {
  const filter = { status: 'succeeded', toMs: days.toMs } as const;
  const read: ReadRows<BookedRefund> = (place, rows) => {
    const after = place && { atMs: place.atMs, id: String(place.id) };
    const from = after === null ? start : { ...start, after, includesPlace: false };
    return refunds(sql, filter, from, rows);
  };
  const isWanted = (row: BookedRefund) =>
    isIn(days, row.updatedAtMs) && row.transactionId === row.paidTransactionId;
  return scan(read, isWanted, limit);
}

function linesOf<Row>(found: Found<Row>, lineOf: (row: Row) => StatementLine) {
  return { ...found, rows: found.rows.map(({ row, place }) => ({ row: lineOf(row), place })) };
}

function paidLine(row: BookedPayment): StatementLine {
  const { uniqueId, transactionId, method, currency } = row;
  return {
    ...{ uniqueId, transactionId: transactionId ?? '', refundId: null, method, currency },
    atMs: row.paidAtMs ?? 0,
    paidMinor: row.amountMinor,
    // The customer paid what was charged beyond the amount.
    borneCommissionMinor: row.amountMinor + row.commissionMinor - row.chargedMinor,
    refundedMinor: 0,
    returnedCommissionMinor: 0,
  };
}

function refundedLine(row: BookedRefund): StatementLine {
  const { uniqueId, transactionId, id, method, currency } = row;
  return {
    ...{ uniqueId, transactionId, refundId: id, method, currency },
    atMs: row.updatedAtMs,
    paidMinor: 0,
    borneCommissionMinor: 0,
    refundedMinor: row.amountMinor,
    returnedCommissionMinor: commissionBackMinor(row),
  };
}
