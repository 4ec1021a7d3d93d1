import { prepare, readInTime, type SqlStatement } from '../database.ts';

/**
 * A merchant's events of the sandbox in the order in which they became rows. Unlike their times, the
 * rows' ids only grow, so a reader who goes on after the last id misses no event that came late.
 */

export interface SandboxEvent {
  /** Of its row, among those of all merchants: not for them to see. */
  readonly place: number;
  readonly eventId: string;
  readonly uniqueId: string;
  readonly sequence: number;
}

/**
 * Repeats the condition of the partial index. Each event once: its other deliveries are further rows.
 */
const OF_MERCHANT = `FROM webhook_event INDEXED BY webhook_event_of_sandbox
  WHERE environment = 'sandbox' AND position = 0 AND merchant_id = ?`;

/** The first events after a place. Throws DatabaseUnavailable. */
export async function sandboxEventsAfter(
  db: D1Database,
  ...[merchantId, place, limit]: Parameters<typeof sandboxEventsAfterStatement>
): Promise<readonly SandboxEvent[]> {
  const statement = sandboxEventsAfterStatement(merchantId, place, limit);
  const { results } = await readInTime(() => prepare(db, statement).all<SandboxEvent>());
  return results;
}

export function sandboxEventsAfterStatement(
  merchantId: string,
  place: number,
  limit: number,
): SqlStatement {
  return {
    sql: `SELECT id AS place, event_id AS eventId, unique_id AS uniqueId, sequence
      ${OF_MERCHANT} AND id > ? ORDER BY id LIMIT ?`,
    params: [merchantId, place, limit],
  };
}

/** The merchant's newest event; null before the first. Throws DatabaseUnavailable. */
export function newestSandboxEvent(
  db: D1Database,
  merchantId: string,
): Promise<Pick<SandboxEvent, 'place' | 'eventId'> | null> {
  return readInTime(() => prepare(db, newestSandboxEventStatement(merchantId)).first());
}

export function newestSandboxEventStatement(merchantId: string): SqlStatement {
  return {
    sql: `SELECT id AS place, event_id AS eventId ${OF_MERCHANT} ORDER BY id DESC LIMIT 1`,
    params: [merchantId],
  };
}

/** The merchant's event of this id, or null. Throws DatabaseUnavailable. */
export function findSandboxEvent(
  db: D1Database,
  merchantId: string,
  eventId: string,
): Promise<Pick<SandboxEvent, 'place' | 'eventId'> | null> {
  return readInTime(() => prepare(db, findSandboxEventStatement(merchantId, eventId)).first());
}

export function findSandboxEventStatement(merchantId: string, eventId: string): SqlStatement {
  return {
    sql: `SELECT id AS place, event_id AS eventId FROM webhook_event INDEXED BY webhook_event_by_id
      WHERE event_id = ? AND position = 0 AND merchant_id = ? AND environment = 'sandbox'`,
    params: [eventId, merchantId],
  };
}
