import type { ShownPayment } from '../harness/shown.ts';
import type { Observed } from './observe.ts';

/** What differs after a restore, though it must not. */

/** Fields that a restore changes of a payment that was not finished. */
const MARKED: readonly (keyof ShownPayment)[] = [
  ...(['anomalies', 'expiryHeldUntil', 'lastUpdateDate', 'sequence'] as const),
];
/** With the entries of the restore. */
const GROWING = ['payments: audit_log', 'back office: audit_log'];

export function differencesOf(before: Observed, after: Observed): readonly string[] {
  return [
    ...paymentDifferences(before.payments, after.payments),
    ...rowDifferences('list', before.lists, after.lists, isUnfinishedRow),
    ...rowDifferences('table', before.rows, after.rows, () => false),
  ];
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
    const isUnfinished = !['SUCCESS', 'FAILED', 'EXPIRED', 'CANCELED'].includes(payment.status);
    const marks = restored.anomalies.filter(({ type }) => type === 'restored');
    const wrongMark = isUnfinished === (marks.length === 1) ? [] : [`payment ${name}: its mark`];
    const fields = Object.keys(payment) as (keyof ShownPayment)[];
    return [
      ...wrongMark,
      ...fields
        .filter((field) => !(isUnfinished && MARKED.includes(field)))
        .filter((field) => JSON.stringify(payment[field]) !== JSON.stringify(restored[field]))
        .map((field) => {
          const [was, is] = [payment[field], restored[field]].map((one) => JSON.stringify(one));
          return `payment ${name}: ${field} was ${was} and is ${is}`;
        }),
    ];
  });
}

/** The mark of a restored payment shows in its row. */
function isUnfinishedRow(row: string): boolean {
  return row.includes('unfinished-');
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
    return [
      ...lost.map((row) => `${kind} ${name} has lost ${row}`),
      ...(isGrowing || restored.length === rows.length
        ? []
        : [`${kind} ${name} has ${restored.length} of ${rows.length} rows`]),
    ];
  });
}
