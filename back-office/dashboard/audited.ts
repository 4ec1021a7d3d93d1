import {
  type AuditEntry,
  auditEntry,
  auditEntryIfChanged,
  runAudited,
} from '../../src/audit/log.ts';
import type { SqlStatement } from '../../src/database.ts';
import { actorOf, type DashboardCall } from './call.ts';

/** A member's action, in the call's environment, or in both with `environment: null`. */
type Act = Pick<AuditEntry, 'action' | 'target' | 'detail'> & { readonly environment?: null };

/** The audit entry of a member's action, for the batch of that action. */
export function audited(call: DashboardCall, act: Act): SqlStatement {
  return auditEntry(entryOf(call, act));
}

/** The same, but written only if the preceding statement changed a row. */
export function auditedIfChanged(call: DashboardCall, act: Act): SqlStatement {
  return auditEntryIfChanged(entryOf(call, act));
}

/**
 * Runs a change of the merchant's people, which concerns both environments, with its audit entry.
 * False, without an entry, if it changed no row.
 */
export function changePeople(
  call: DashboardCall,
  change: SqlStatement,
  act: Act,
  after: readonly SqlStatement[] = [],
): Promise<boolean> {
  const entry = entryOf(call, { ...act, environment: null });
  return runAudited(call.env.BACK_OFFICE_DB, [change], entry, after);
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
