import { type AuditEntry, auditEntry, auditEntryIfChanged } from '../audit/log.ts';
import type { SqlStatement } from '../database.ts';
import { actorOf, type DashboardCall } from './call.ts';

/** What a member does. It concerns the call's environment, or with `environment: null` both. */
type Act = Pick<AuditEntry, 'action' | 'target' | 'detail'> & { readonly environment?: null };

/** The audit entry of what the member does, for the batch that does it. */
export function audited(call: DashboardCall, act: Act): SqlStatement {
  return auditEntry(entryOf(call, act));
}

/** The same, but written only if the statement right before it has changed a row. */
export function auditedIfChanged(call: DashboardCall, act: Act): SqlStatement {
  return auditEntryIfChanged(entryOf(call, act));
}

function entryOf(call: DashboardCall, act: Act): AuditEntry {
  const { environment, session, nowMs } = call;
  return {
    actor: actorOf(call),
    merchantId: session.merchantId,
    environment,
    atMs: nowMs,
    ...act,
  };
}
