import type { Method } from '../../src/engine/domain/method.ts';
import { amountsOf } from './books.ts';
import { commissionOf } from './commissions.ts';
import type { Ended } from './ended.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The merchants' books show what the payments' objects store: rows, deliveries, refunds and totals.
 * All of it is computed here from the stored payments, and shares no code with
 * the book.
 */
export function checkRows(world: World, ended: readonly Ended[]): void {
  const { books, journal } = world;
  const names = new Set(ended.map(({ payment: { merchant } }) => bookNameOf(merchant)));
  for (const name of names) {
    const own = ended.filter(({ payment: { merchant } }) => bookNameOf(merchant) === name);
    const id = books.namespace.idFromName(name).toString();
    const sql = books.hosts.get(id)?.sql;
    const rowsOf = (query: string) => sql?.all(query, []).map(Object.values) ?? [];
    if (sql?.all("SELECT 1 FROM sqlite_master WHERE name = 'payment'", []).length !== 1) {
      journal.expect('6 book', false, `the book ${name} is empty`);
      continue;
    }
    const same = (what: keyof typeof SHOWN, wanted: readonly (readonly unknown[])[]) =>
      journal.same(
        ['totals', 'failures', 'attempts'].includes(what) ? '7 amounts' : '6 book',
        `${what} of ${name}`,
        { rows: linesOf(rowsOf(SHOWN[what])) },
        { rows: linesOf(wanted) },
      );
    same('payments', own.map(paymentOf));
    same('deliveries', own.flatMap(deliveriesOf));
    same('refunds', own.flatMap(refundsOf));
    same('totals', sumsOf(own.flatMap((one) => totalsOf(world, one))));
    same('failures', sumsOf(own.flatMap(failuresOf)));
    same('attempts', sumsOf(own.flatMap(attemptTotalsOf)));
  }
}

function bookNameOf({ environment, merchantId }: { environment: string; merchantId: string }) {
  return `${environment}/${merchantId}/0`;
}

/** What a book shows. Sums of nothing are left out: a row may remain. */
const SHOWN = {
  payments: `SELECT unique_id, uuid, number, version, kind, status, failure_reason, late,
      amount_minor, commission_minor, commission_paid_by_customer, currency, method,
      unresolved_attempts, anomalies, proposed_attempts, id / 1024, updated_at_ms, ended_at_ms,
      paid_at_ms, transaction_id, refunded_minor, open_refunds, event_times
    FROM payment`,
  deliveries: `SELECT unique_id, delivery_id, created_at_ms, sequence, delivery.type,
      delivery_status, revision, tries, last_http_status, endpoint_id, destination_origin
    FROM delivery JOIN payment ON payment.id = payment_id`,
  refunds: `SELECT unique_id, refund_id, reference, refund.status, refund.amount_minor,
      commission_returned_minor, returned_minor, refund.currency, refund.method,
      refund.transaction_id, refund.failure_reason, action_reason, refund.late, created_at_ms,
      refund.updated_at_ms
    FROM refund JOIN payment ON payment.id = payment_id`,
  totals: `SELECT day || '|' || method || '|' || currency || '|' || status, payments, amount_minor,
      commission_minor, borne_commission_minor, refunded_minor, returned_commission_minor
    FROM payment_day WHERE payments <> 0 OR refunded_minor <> 0`,
  failures: `SELECT day || '|' || method || '|' || failure_reason, payments
    FROM failure_day WHERE payments <> 0`,
  attempts: `SELECT day || '|' || method || '|' || currency, ended, succeeded
    FROM attempt_day WHERE ended <> 0`,
} as const;

function paymentOf({ intent, events }: Ended): readonly unknown[] {
  const { terms, attempts, refunds } = intent;
  const shown = reported(intent);
  const times = [...new Set(events.map(({ createdAtMs }) => createdAtMs))].sort(
    (one, other) => one - other,
  );
  return [
    ...[terms.uniqueId, terms.uuid, terms.number, intent.version, terms.kind, intent.status],
    ...[intent.failureReason, Number(intent.late), terms.amountMinor, commissionIn(intent)],
    ...[Number(terms.commissionPaidByCustomer), terms.currency, shown?.method],
    attempts.filter(({ status }) => status === 'unresolved').length,
    intent.anomalies.length,
    attempts.filter(({ proposal }) => proposal !== null).length,
    ...[terms.createdAtMs, intent.updatedAtMs, intent.endedAtMs, paidAtMsOf(intent)],
    shown?.reference,
    returnedIn(intent).reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    refunds.filter(({ status }) => !ENDED_REFUNDS.includes(status)).length,
    JSON.stringify(times),
  ];
}

const ENDED_REFUNDS: readonly string[] = ['succeeded', 'failed', 'canceled'];

type Stored = Ended['intent'];

/** The attempt that the payment shows: the one that paid, else the last. */
function reported({ attempts, paidAttemptId }: Stored) {
  return attempts.find(({ id }) => id === paidAttemptId) ?? attempts.at(-1);
}

function paidAtMsOf({ attempts, paidAttemptId }: Stored): number | null {
  return attempts.find(({ id }) => id === paidAttemptId)?.updatedAtMs ?? null;
}

/** Refunds of a second attempt return what no total has counted. */
function returnedIn({ refunds, paidAttemptId }: Stored) {
  return refunds.filter(
    ({ status, attemptId }) => status === 'succeeded' && attemptId === paidAttemptId,
  );
}

function commissionIn(intent: Stored): number {
  const method = reported(intent)?.method;
  return method === undefined ? 0 : commissionOf(intent.terms.amountMinor, method);
}

function deliveriesOf({ intent, events }: Ended): readonly (readonly unknown[])[] {
  return events.flatMap(({ eventId, sequence, type, createdAtMs, deliveries }) =>
    deliveries.map((delivery, position) => [
      ...[intent.terms.uniqueId, `${eventId}.${position}`, createdAtMs, sequence, type],
      // Readers need not know which of two consumers has a delivery.
      delivery.deliveryStatus === 'claimed' ? 'queued' : delivery.deliveryStatus,
      ...[delivery.revision, delivery.log.length, delivery.log.at(-1)?.httpStatus],
      ...[delivery.endpointId, delivery.origin],
    ]),
  );
}

function refundsOf({ intent }: Ended): readonly (readonly unknown[])[] {
  return intent.refunds.map((refund) => {
    const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
    return [
      ...[intent.terms.uniqueId, refund.id, refund.reference, refund.status, refund.amountMinor],
      ...[refund.commissionReturnedMinor, refund.returnedMinor, intent.terms.currency],
      ...[attempt?.method, attempt?.reference, refund.failureReason, refund.actionReason],
      ...[Number(refund.late), refund.createdAtMs, refund.updatedAtMs],
    ];
  });
}

type Sum = readonly [key: string, ...amounts: number[]];

/**
 * The payment on the day in Addis Ababa on which it was paid or ended, and each refund of the attempt
 * that paid on the day on which it was returned. Amounts are what the published rules say.
 */
function totalsOf(world: World, { payment, intent }: Ended): readonly Sum[] {
  const { terms, status, endedAtMs } = intent;
  const method: Method | undefined = reported(intent)?.method;
  const amounts = amountsOf(world, payment);
  const amountMinor = amounts.find((one) => one === terms.amountMinor) ?? amounts[0] ?? 0;
  const commissionMinor = method === undefined ? 0 : commissionOf(amountMinor, method);
  const borneMinor = terms.commissionPaidByCustomer ? 0 : commissionMinor;
  const name = [method ?? '', terms.currency, status].join('|');
  const day = dayOf(paidAtMsOf(intent) ?? endedAtMs ?? 0);
  return [
    ...(endedAtMs === null
      ? []
      : [[`${day}|${name}`, 1, amountMinor, commissionMinor, borneMinor, 0, 0] satisfies Sum]),
    ...returnedIn(intent).map(
      (refund): Sum => [
        [dayOf(refund.updatedAtMs), method, terms.currency, 'succeeded'].join('|'),
        ...[0, 0, 0, 0, refund.amountMinor],
        // The merchant makes up for what the customer got beyond the refunded amount.
        refund.amountMinor + refund.commissionReturnedMinor - refund.returnedMinor,
      ],
    ),
  ];
}

/** Why the payment failed, on its day. */
function failuresOf({ intent }: Ended): readonly Sum[] {
  const { endedAtMs, failureReason } = intent;
  return endedAtMs === null || failureReason === null
    ? []
    : [[[dayOf(endedAtMs), reported(intent)?.method ?? '', failureReason].join('|'), 1]];
}

/** The attempts that ended without paying the payment, by their own method on the payment's day. */
function attemptTotalsOf({ intent }: Ended): readonly Sum[] {
  const { attempts, paidAttemptId, endedAtMs, terms } = intent;
  const day = dayOf(paidAtMsOf(intent) ?? endedAtMs ?? 0);
  return attempts
    .filter(({ id, status }) => id !== paidAttemptId && ENDED_ATTEMPTS.includes(status))
    .filter(() => endedAtMs !== null)
    .map(({ method, status }) => [
      [day, method, terms.currency].join('|'),
      ...[1, Number(status === 'succeeded')],
    ]);
}

const ENDED_ATTEMPTS: readonly string[] = ['succeeded', 'failed', 'expired'];

function dayOf(atMs: number): number {
  return Math.floor((atMs + 3 * HOUR_MS) / DAY_MS);
}

function sumsOf(parts: readonly Sum[]): readonly Sum[] {
  const sums = new Map<string, number[]>();
  for (const [key, ...amounts] of parts) {
    const known = sums.get(key);
    sums.set(
      key,
      amounts.map((amount, index) => amount + (known?.[index] ?? 0)),
    );
  }
  return [...sums].map(([key, amounts]) => [key, ...amounts]);
}

function linesOf(rows: readonly (readonly unknown[])[]): string {
  return rows
    .map((row) => row.map((value) => value ?? '-').join(' '))
    .sort()
    .join('; ');
}
