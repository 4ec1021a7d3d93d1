import type { Ended } from './ended.ts';
import type { World } from './world.ts';

const STUCK_DELIVERIES: readonly string[] = ['dead', 'paused', 'undeliverable'];
const HELD_REFUNDS: readonly string[] = ['processing', 'unresolved', 'requires_action'];

/**
 * D1's list shows the operator exactly the payments, refunds and deliveries that need a person. At the
 * end of a history, each refund without an outcome is overdue.
 */
export function checkAttention({ database, journal }: World, ended: readonly Ended[]): void {
  const rows = database.sql.all(
    `SELECT environment, merchant_id, payment_uuid,
        iif(item ->> '$.type' = 'delivery', replace(section, 'delivery_', ''), item ->> '$.type'), id
      FROM attention_item
      WHERE section <> 'resolved'`,
    [],
  );
  const shown = linesOf(rows.map(Object.values));
  journal.same(
    '6 book',
    'the attention list',
    { shown },
    { shown: linesOf(ended.flatMap(itemsOf)) },
  );
}

function itemsOf({ intent, events }: Ended): readonly (readonly unknown[])[] {
  const { terms, attempts, anomalies, refunds, late } = intent;
  const needsPerson =
    late ||
    anomalies.length > 0 ||
    attempts.some(({ status, proposal }) => status === 'unresolved' || proposal !== null);
  const isWaiting = ({ attemptId, status }: (typeof refunds)[number]) =>
    status === 'pending' &&
    refunds.some((other) => other.attemptId === attemptId && HELD_REFUNDS.includes(other.status));
  const items = [
    ...(needsPerson ? [['payment', terms.uuid]] : []),
    ...refunds
      .filter(
        (refund) => [...HELD_REFUNDS, 'pending'].includes(refund.status) && !isWaiting(refund),
      )
      .map(({ reference }) => ['refund', reference]),
    ...events.flatMap(({ eventId, deliveries }) =>
      deliveries.flatMap(({ deliveryStatus }, position) =>
        STUCK_DELIVERIES.includes(deliveryStatus)
          ? [[deliveryStatus, `${eventId}.${position}`]]
          : [],
      ),
    ),
  ];
  return items.map((item) => [terms.environment, terms.merchantId, terms.uuid, ...item]);
}

function linesOf(rows: readonly (readonly unknown[])[]): string {
  return rows
    .map((row) => row.join(' '))
    .sort()
    .join('; ');
}
