import { type AuditEntry, auditEntry, auditEntryIfChanged } from '../../audit/log.ts';
import type { SqlStatement } from '../../database.ts';
import { actorOf, type DashboardCall } from '../call.ts';

type Told = Pick<AuditEntry, 'action' | 'target' | 'detail'>;

/** The member's act, for the audit log: about people, so about no environment. */
export function entry(call: DashboardCall, told: Told): SqlStatement {
  return auditEntry(whole(call, told));
}

/** The same, if the statement right before it has changed a row. */
export function entryIfChanged(call: DashboardCall, told: Told): SqlStatement {
  return auditEntryIfChanged(whole(call, told));
}

function whole(call: DashboardCall, told: Told): AuditEntry {
  return {
    ...told,
    actor: actorOf(call),
    merchantId: call.session.merchantId,
    environment: null,
    atMs: call.nowMs,
  };
}
