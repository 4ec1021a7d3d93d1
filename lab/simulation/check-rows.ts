import { METHODS } from '../../src/domain/method.ts';
import {
  projectedEvents,
  projectedRefunds,
  projectionRow,
} from '../../src/intent/projected-view.ts';
import { projectedVersion } from '../../src/intent/projection.ts';
import { statusContent } from '../../src/webhooks/payload.ts';
import { amountsOf, commissionOf, refundedIn, sumOf } from './books.ts';
import type { World } from './history.ts';
import type { Ended } from './verdict.ts';

/**
 * The read model's rows show what the objects store, and their amounts and totals agree with the
 * books.
 */
export function checkRows(world: World, ended: readonly Ended[]): void {
  const { same } = world.journal;
  const { sql } = world.database;
  /** Payments, amounts, commissions and refunds, by merchant, environment, method and status. */
  const totals = new Map<string, readonly number[]>();
  for (const { payment, intent, events } of ended) {
    const { merchant, uniqueId, commissionPaidByCustomer } = payment;
    const tenant = [merchant.merchantId, merchant.environment];
    const rowOf = (table: string, condition: string, ...ids: readonly unknown[]): Row =>
      sql.all(`SELECT * FROM ${table} WHERE merchant_id = ? AND environment = ? AND ${condition}`, [
        ...tenant,
        ...ids,
      ])[0] ?? {};
    const compare = (where: string, row: Row, stored: object, booked: object = {}) => {
      same('6 read model', where, row, asStored(stored));
      same('7 amounts', where, row, asStored(booked));
    };
    const shown = statusContent(intent);
    const row = rowOf('payment', 'unique_id = ?', uniqueId);
    const amounts = amountsOf(world, payment);
    const amountMinor = amounts.find((amount) => amount === row.amount_minor) ?? amounts[0] ?? 0;
    const method = METHODS.find((one) => one === row.method) ?? null;
    const commissionMinor = method === null ? 0 : commissionOf(amountMinor, method);
    const refundedMinor = sumOf(refundedIn(shown, shown.refunds));
    const times = new Set(events.map(({ createdAtMs }) => createdAtMs));
    compare(
      `the row of ${uniqueId}`,
      row,
      {
        ...projectionRow(intent),
        version: projectedVersion(intent, events),
        eventTimes: [...times].sort((one, other) => one - other),
      },
      { amountMinor, commissionMinor, refundedMinor, commissionPaidByCustomer, currency: 'ETB' },
    );
    for (const event of projectedEvents(events)) {
      const id = `${event.eventId}.${event.position}`;
      const condition = 'created_at_ms = ? AND delivery_id = ?';
      compare(`the row of ${id}`, rowOf('webhook_event', condition, event.createdAtMs, id), event);
    }
    for (const { id, ...refund } of projectedRefunds(intent)) {
      const { amountMinor, commissionReturnedMinor, returnedMinor } =
        shown.refunds.find(({ refundUniqueId }) => refundUniqueId === id) ?? {};
      compare(
        `the row of ${id}`,
        rowOf('refunds', 'refund_unique_id = ?', id),
        { ...refund, paymentUuid: intent.terms.uuid },
        { amountMinor, commissionReturnedMinor, returnedMinor, currency: 'ETB' },
      );
    }
    const name = [...tenant, method ?? '', row.status].join(' ');
    const sums = [1, amountMinor, commissionMinor, refundedMinor];
    totals.set(
      name,
      sums.map((amount, index) => amount + (totals.get(name)?.[index] ?? 0)),
    );
  }
  checkTotals(world, totals);
}

function checkTotals(
  { database, journal }: World,
  totals: ReadonlyMap<string, readonly number[]>,
): void {
  const days = database.sql.all(
    `SELECT merchant_id, environment, method, status, sum(payments) AS payments,
       sum(amount_minor) AS amount_minor, sum(commission_minor) AS commission_minor,
       sum(refunded_minor) AS refunded_minor
     FROM payment_day GROUP BY 1, 2, 3, 4 HAVING sum(payments) > 0`,
    [],
  );
  const linesOf = (lines: readonly unknown[][]) =>
    lines
      .map((line) => line.join(' '))
      .sort()
      .join('; ');
  const shown = linesOf(days.map((row) => Object.values(row)));
  const wanted = linesOf([...totals].map(([name, sums]) => [name, ...sums]));
  journal.same('7 amounts', 'the totals', { shown }, { shown: wanted });
}

type Row = Readonly<Record<string, unknown>>;

/** `amountMinor` is in column `amount_minor`; SQLite stores truth as 0 and 1, and lists as JSON. */
function asStored(members: object): Row {
  const stored = Object.entries(members).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    Array.isArray(value) ? JSON.stringify(value) : value === Boolean(value) ? Number(value) : value,
  ]);
  return Object.fromEntries(stored);
}
