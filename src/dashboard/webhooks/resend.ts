import { concurrently } from '../../concurrently.ts';
import type { Tenant } from '../../domain/intent.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import { FAILED_DELIVERIES } from '../../intent/protocol.ts';
import { errorText, log } from '../../log.ts';
import { parseCursor, readPage, type TimeRange } from '../../paging.ts';
import { countFailedEvents, type EventRow, failedEventsOf } from '../../read-model/events-list.ts';

/** Events of one request: some seconds of a Worker's time, and far below what it may call. */
export const RESEND_BATCH = 200;

export interface ResendResult {
  readonly resent: number;
  /** Not failed any more: the read model is seconds behind the objects, and others press buttons too. */
  readonly unchanged: number;
  /** Nobody knows: their objects could not be reached. */
  readonly unreachable: number;
  /** Where to go on, or null when this was all. */
  readonly nextCursor: string | null;
  /** How many are left from there on; may count some of the last millisecond's twice. */
  readonly left: number;
}

type Fate = 'resent' | 'unchanged' | 'unreachable';

/**
 * Sends the next failed events of a range again, newest first: one batch of them. Each object
 * decides for itself whether its event has failed still, so doing it twice sends nothing twice.
 */
export async function resendFailed(
  env: Env,
  tenant: Tenant,
  range: TimeRange,
  cursorText: string,
): Promise<ResendResult> {
  const cursor = parseCursor(cursorText);
  const page = await readPage(env.DB, failedEventsOf(tenant, range), cursor, RESEND_BATCH);
  const fates = await concurrently(page.rows, (row) => resend(env, tenant, row));
  const count = (fate: Fate) => fates.filter((other) => other === fate).length;
  const lastMs = page.rows.at(-1)?.createdAtMs ?? 0;
  const left =
    page.nextCursor === null
      ? 0
      : await countFailedEvents(env.DB, tenant, { ...range, toMs: lastMs + 1 });
  return {
    resent: count('resent'),
    unchanged: count('unchanged'),
    unreachable: count('unreachable'),
    nextCursor: page.nextCursor,
    left,
  };
}

async function resend(env: Env, tenant: Tenant, row: EventRow): Promise<Fate> {
  const client = intentByUniqueId(env, tenant, row.uniqueId);
  try {
    return (await client.resendEvent(row.sequence, FAILED_DELIVERIES)) ? 'resent' : 'unchanged';
  } catch (error) {
    const { objectId } = client;
    log('warn', 'event_resend_failed', { objectId, error: errorText(error) });
    return 'unreachable';
  }
}
