import type { ShownPayment } from '../harness/shown.ts';
import type { Observed } from './observe.ts';

/** What differs after a restore, though it must not. */

/** Fields that a restore changes of a payment that was not finished, or that may go on with it. */
const MARKED: readonly (keyof ShownPayment)[] = [
  ...(['anomalies', 'expiryHeldUntil', 'lastUpdateDate'] as const),
  ...(['transaction', 'refunds', 'refundedAmount', 'netShareAmounts'] as const),
];
/** With the entries of the restore. */
const GROWING = ['payments: audit_log', 'back office: audit_log'];

export function differencesOf(before: Observed, after: Observed): readonly string[] {
  const unfinished = [...before.payments.values()].filter(isUnfinished);
  const mayChange = (row: string) =>
    unfinished.some(
      ({ uniqueId, refunds }) =>
        row.includes(uniqueId) || refunds.some(({ refundUniqueId: id }) => row.includes(id)),
    );
  return [
    ...paymentDifferences(before.payments, after.payments),
    ...rowDifferences('list', before.lists, after.lists, mayChange),
    ...rowDifferences('table', before.rows, after.rows, isAfterBackup),
  ];
}

/**
 * Entries that a backup cannot hold: it is verified and fetched once it has ended, and the command that
 * is run again after a kill finds the run under way, whose last entry is fixed.
 */
function isAfterBackup(row: string): boolean {
  return /"action":"backup\.(?:read|begun)"/.test(row);
}

function paymentDifferences(
  before: Observed['payments'],
  after: Observed['payments'],
): readonly string[] {
  return [...before].flatMap(([name, payment]) => {
    const restored = after.get(name);
    if (restored === undefined) {
      return [`payment ${name} is missing`];
    }
    const mayDiffer = isUnfinished(payment);
    const marks = restored.anomalies.filter(({ type }) => type === 'restored');
    // A refund may have ended between its observation and its copy.
    const isMarkWrong = marks.length > 1 || (marks.length === 1) !== mayDiffer;
    const wrongMark = isMarkWrong && !hasOpenRefund(payment) ? [`payment ${name}: its mark`] : [];
    const fields = Object.keys(payment) as (keyof ShownPayment)[];
    const isBefore = restored.sequence <= payment.sequence;
    const wrongSequence = isBefore ? [`payment ${name}: its sequence did not grow`] : [];
    return [
      ...wrongMark,
      ...wrongSequence,
      ...fields
        .filter((field) => field !== 'sequence')
        .filter((field) => !(mayDiffer && MARKED.includes(field)))
        .filter((field) => JSON.stringify(payment[field]) !== JSON.stringify(restored[field]))
        .map((field) => {
          const [was, is] = [payment[field], restored[field]].map((one) => JSON.stringify(one));
          return `payment ${name}: ${field} was ${was} and is ${is}`;
        }),
    ];
  });
}

/** What a restore marks, and what may go on meanwhile. */
function isUnfinished(payment: ShownPayment): boolean {
  const isOver = ['SUCCESS', 'FAILED', 'EXPIRED', 'CANCELED'].includes(payment.status);
  return !isOver || hasOpenRefund(payment);
}

function hasOpenRefund({ refunds }: ShownPayment): boolean {
  return refunds.some(({ status }) => !['SUCCESS', 'FAILED', 'CANCELED'].includes(status));
}

function rowDifferences(
  kind: string,
  before: Readonly<Record<string, readonly string[]>>,
  after: Readonly<Record<string, readonly string[]>>,
  mayChange: (row: string) => boolean,
): readonly string[] {
  return Object.entries(before).flatMap(([name, rows]) => {
    const restored = after[name] ?? [];
    const known = new Set(restored);
    const lost = rows.filter((row) => !known.has(row) && !mayChange(row));
    const isGrowing = GROWING.includes(name);
    const [count, countBefore] = [restored, rows].map(
      (all) => all.filter((row) => !mayChange(row)).length,
    );
    return [
      ...lost.map((row) => `${kind} ${name} has lost ${row}`),
      ...(isGrowing || count === countBefore
        ? []
        : [`${kind} ${name} has ${count} of ${countBefore} rows`]),
    ];
  });
}
