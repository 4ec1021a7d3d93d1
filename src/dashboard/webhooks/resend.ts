import { concurrently } from '../../concurrently.ts';
import type { Tenant } from '../../domain/intent.ts';
import { intentByUniqueId } from '../../intent/client.ts';
import { FAILED_DELIVERIES } from '../../intent/protocol.ts';
import { errorText, log } from '../../log.ts';
import { parseCursor, readPage, type TimeRange } from '../../paging.ts';
import { countFailedEvents, type EventRow, failedEventsOf } from '../../read-model/events-list.ts';

/** Events of one request: a few seconds, and far fewer calls than a Worker may make. */
export const RESEND_BATCH = 200;

export interface ResendResult {
  readonly resent: number;
  /** No longer failed: the read model is seconds behind the objects, and others resend too. */
  readonly unchanged: number;
  /** Unknown: their objects could not be reached. */
  readonly unreachable: number;
  /** Where the next batch begins, or null after the last. */
  readonly nextCursor: string | null;
  /** How many are left; may count some events of the last millisecond twice. */
  readonly left: number;
}

type Outcome = 'resent' | 'unchanged' | 'unreachable';

/**
 * Resends one batch of the failed events of a range, newest first. Each object decides whether its
 * event is still failed, so a repeated batch sends nothing twice.
 */
export async function resendFailed(
  env: Env,
  tenant: Tenant,
  range: TimeRange,
  cursorText: string,
): Promise<ResendResult> {
  const cursor = parseCursor(cursorText);
  const page = await readPage(env.DB, failedEventsOf(tenant, range), cursor, RESEND_BATCH);
  const outcomes = await concurrently(page.rows, (row) => resend(env, tenant, row));
  const count = (outcome: Outcome) => outcomes.filter((other) => other === outcome).length;
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

async function resend(env: Env, tenant: Tenant, row: EventRow): Promise<Outcome> {
  const { uniqueId, sequence, position } = row;
  const client = intentByUniqueId(env, tenant, uniqueId);
  try {
    return (await client.resendEvent(sequence, FAILED_DELIVERIES, position))
      ? 'resent'
      : 'unchanged';
  } catch (error) {
    const { objectId } = client;
    log('warn', 'event_resend_failed', { objectId, error: errorText(error) });
    return 'unreachable';
  }
}
