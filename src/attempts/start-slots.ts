import type { Tenant } from '../domain/terms.ts';
import { prepare, readInTime, runBatch } from '../platform/database.ts';
import { errorText, log } from '../platform/log.ts';

/**
 * Slots for starts that wait for the customer. Each start occupies a queue consumer, and Cloudflare
 * runs 250 consumers at once. So a merchant whose customers do not answer could hold up all the
 * others.
 */

/** The limit of one merchant in one environment: a fifth of all consumers. */
export const STARTS_IN_FLIGHT_MAX = 50;

export interface StartSlot extends Tenant {
  readonly attemptId: string;
  /** When the start is over even if its consumer died. */
  readonly endsAtMs: number;
}

/**
 * Whether the start may go ahead now. False while the merchant has too many others in flight. True
 * for a start that has a slot already, because its consumer may have died: the claim in the object
 * keeps two from calling the provider. True when D1 fails: a payment does not depend on it.
 */
export async function takeSlot(env: Env, slot: StartSlot, nowMs: number): Promise<boolean> {
  const { merchantId, environment, attemptId, endsAtMs } = slot;
  const ended = {
    sql: 'DELETE FROM rail_starts WHERE merchant_id = ?1 AND environment = ?2 AND ends_at_ms <= ?3',
    params: [merchantId, environment, nowMs],
  };
  const taken = {
    sql: `INSERT INTO rail_starts (merchant_id, environment, attempt_id, ends_at_ms)
      SELECT ?1, ?2, ?3, ?4 WHERE ${STARTS_IN_FLIGHT_MAX} > (
        SELECT count(*) FROM rail_starts
        WHERE merchant_id = ?1 AND environment = ?2 AND attempt_id <> ?3)
      ON CONFLICT DO UPDATE SET ends_at_ms = excluded.ends_at_ms`,
    params: [merchantId, environment, attemptId, endsAtMs],
  };
  try {
    const [, rows] = await readInTime(() => runBatch(env.DB, [ended, taken]));
    return rows === 1;
  } catch (error) {
    log('warn', 'rail_start_not_counted', { error: errorText(error) });
    return true;
  }
}

/** Never throws: a slot that remains expires by itself. */
export async function freeSlot(env: Env, slot: StartSlot): Promise<void> {
  const { merchantId, environment, attemptId } = slot;
  const sql = `DELETE FROM rail_starts
    WHERE merchant_id = ?1 AND environment = ?2 AND attempt_id = ?3`;
  const params = [merchantId, environment, attemptId];
  try {
    await readInTime(() => prepare(env.DB, { sql, params }).run());
  } catch (error) {
    log('warn', 'rail_start_not_counted', { error: errorText(error) });
  }
}
