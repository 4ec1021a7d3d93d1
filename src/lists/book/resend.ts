import { intentByUniqueId } from '../../engine/intent/client.ts';
import type { DeliveryStatus } from '../../engine/intent/protocol.ts';
import { concurrently } from '../../kit/platform/concurrently.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Cursor, TimeRange } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { RESENT, type ResentStatuses } from './queries/deliveries.ts';
import { readerOf } from './reader.ts';
import type { EventRow } from './rows.ts';

/** Events of one request. They take a few seconds, and far fewer calls than a Worker may make. */
export const RESEND_BATCH = 200;

export interface ResendResult {
  readonly resent: number;
  /** In another state by now, because the book lags and other requests resend too. */
  readonly unchanged: number;
  /** Events whose objects did not answer, so their state is unknown. */
  readonly unreachable: number;
  /** When the last event of the batch happened; null for an empty batch. */
  readonly lastAtMs: number | null;
  /** Where the next batch begins, or null after the last. */
  readonly nextCursor: string | null;
}

type Outcome = 'resent' | 'unchanged' | 'unreachable';

/**
 * Resends one batch of the tenant's events. Each object decides whether its event is still in one of
 * the states, so a repeated batch sends nothing twice. `record` writes an audit entry: how many events
 * the batch has, before it, and how many it resent if these are fewer.
 */
export async function resendBatch(
  { env, tenant }: { readonly env: Env; readonly tenant: Tenant },
  which: ResentStatuses,
  range: TimeRange,
  cursor: Cursor | null,
  record: (counts: Readonly<Record<string, number>>) => Promise<void>,
): Promise<ResendResult> {
  const reader = await readerOf(env, tenant);
  const page = await reader.undelivered(which, range, cursor, RESEND_BATCH);
  const events = page.rows.length;
  if (events > 0) {
    await record({ events });
  }
  const outcomes = await concurrently(page.rows, (row) => resend(env, tenant, row, RESENT[which]));
  const count = (outcome: Outcome) => outcomes.filter((other) => other === outcome).length;
  const counts = {
    resent: count('resent'),
    unchanged: count('unchanged'),
    unreachable: count('unreachable'),
  };
  if (counts.resent < events) {
    await record(counts);
  }
  return {
    ...counts,
    lastAtMs: page.rows.at(-1)?.createdAtMs ?? null,
    nextCursor: page.nextCursor,
  };
}

async function resend(
  env: Env,
  tenant: Tenant,
  row: EventRow,
  from: readonly DeliveryStatus[],
): Promise<Outcome> {
  const { uniqueId, sequence, position } = row;
  const client = await intentByUniqueId(env, tenant, uniqueId);
  try {
    return (await client.resendEvent(sequence, from, position)) ? 'resent' : 'unchanged';
  } catch (error) {
    const { objectName } = client;
    log('warn', 'event_resend_failed', { objectName, error: errorText(error) });
    return 'unreachable';
  }
}
