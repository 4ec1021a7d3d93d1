import {
  projectedEvents,
  projectedRefunds,
  projectionRow,
} from '../../src/intent/projected-view.ts';
import { projectedVersion } from '../../src/intent/projection.ts';
import type { World } from './history.ts';
import type { Ended, Expect } from './verdict.ts';

/** The read model shows what the object stores. */
export function checkReadModel(expect: Expect, world: World, { intent, events }: Ended): void {
  const { sql } = world.database;
  const { uuid, environment, merchantId } = intent.terms;
  const compare = (row: Row | undefined, expected: object) => {
    for (const [name, value] of Object.entries(expected)) {
      const shown = row?.[columnOf(name)];
      expect(
        isSame(shown, value),
        '6 read model',
        () => `${name} is ${String(shown)}, stored is ${String(value)}`,
      );
    }
  };
  const [payment] = sql.all('SELECT * FROM payment WHERE uuid = ?', [uuid]);
  compare(payment, {
    ...projectionRow(intent),
    version: projectedVersion(intent, events),
    eventTimes: [...new Set(events.map(({ createdAtMs }) => createdAtMs))].sort(
      (one, other) => one - other,
    ),
  });
  for (const event of projectedEvents(events)) {
    const [row] = sql.all(
      `SELECT * FROM webhook_event
       WHERE merchant_id = ? AND environment = ? AND created_at_ms = ? AND delivery_id = ?`,
      [merchantId, environment, event.createdAtMs, `${event.eventId}.${event.position}`],
    );
    compare(row, event);
  }
  for (const { id, ...refund } of projectedRefunds(intent)) {
    const [row] = sql.all(
      `SELECT * FROM refunds WHERE environment = ? AND merchant_id = ? AND refund_unique_id = ?`,
      [environment, merchantId, id],
    );
    compare(row, { ...refund, paymentUuid: uuid });
  }
}

type Row = Record<string, unknown>;

/** `amountMinor` is in column `amount_minor`. */
function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** SQLite stores truth as 0 and 1, and lists as JSON. */
function isSame(stored: unknown, value: unknown): boolean {
  if (typeof value === 'boolean') {
    return stored === Number(value);
  }
  return stored === (Array.isArray(value) ? JSON.stringify(value) : value);
}
