import type { IntentStatus } from '../../../engine/domain/intent.ts';
import type { Method } from '../../../engine/domain/method.ts';
import { businessDayStartMs } from '../../../kit/ethiopian-time.ts';
import type { Currency } from '../../../kit/money.ts';
import type { DayRange } from '../rows.ts';
import { endedPayments } from './ended-payments.ts';
import type { Found, PageStart } from './page.ts';
import type { BookedPayment } from './payment-source.ts';
import { paymentsOf } from './search.ts';

/** What a provider's file is compared with. */

export interface PaidPayment {
  readonly uniqueId: string;
  readonly transactionId: string | null;
  readonly currency: Currency;
  /** What the customer paid: the commission too, where the customer bears it. */
  readonly chargedMinor: number;
  readonly paidAtMs: number;
}

export interface BookedFacts extends Omit<PaidPayment, 'paidAtMs'> {
  readonly status: IntentStatus;
  readonly method: Method | null;
  readonly paidAtMs: number | null;
  /** What customers got back by each refund that succeeded, the first one first. */
  readonly returnedMinor: readonly number[];
}

/** Of the payments with these ids. */
export function facts(sql: SqlStorage, uniqueIds: readonly string[]): readonly BookedFacts[] {
  return paymentsOf(sql, uniqueIds).map((payment) => factsOf(sql, payment));
}

function factsOf(sql: SqlStorage, payment: BookedPayment): BookedFacts {
  const { uniqueId, status, method, currency, chargedMinor, transactionId, paidAtMs } = payment;
  const refunds = sql.exec<{ returnedMinor: number }>(
    `SELECT returned_minor AS returnedMinor FROM refund INDEXED BY refund_by_payment
      WHERE payment_id = ? AND status = 'succeeded' ORDER BY created_at_ms, reference`,
    payment.id,
  );
  return {
    ...{ uniqueId, status, method, currency, chargedMinor, transactionId, paidAtMs },
    returnedMinor: refunds.toArray().map((refund) => refund.returnedMinor),
  };
}

/** Payments that were paid by a method in these days, in the order of that. */
export function paidPayments(
  sql: SqlStorage,
  method: Method,
  { fromDay, toDay }: DayRange,
  start: PageStart,
  limit: number,
): Found<PaidPayment> {
  const days = { paidFromMs: businessDayStartMs(fromDay), paidToMs: businessDayStartMs(toDay + 1) };
  const found = endedPayments(sql, { ...days, method }, [], start, limit);
  return {
    ...found,
    rows: found.rows.map(({ row, place }) => {
      const { uniqueId, transactionId, currency, chargedMinor, paidAtMs } = row;
      return {
        row: { uniqueId, transactionId, currency, chargedMinor, paidAtMs: paidAtMs ?? 0 },
        place,
      };
    }),
  };
}
