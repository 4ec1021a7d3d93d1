import { type AuditEntry, runAudited } from '../../../src/audit/log.ts';
import { problem } from '../../../src/http/problem.ts';
import type { SqlStatement } from '../../../src/platform/database.ts';
import { actorOf, type DashboardCall } from '../call.ts';

/** What a member does about their merchant's people, which concerns both environments. */
type Act = Pick<AuditEntry, 'action' | 'target' | 'detail'>;

/** The audit entry of a member's action, for the batch of that action. */
export function entryOf(call: DashboardCall, act: Act): AuditEntry {
  const { merchantId } = call.session;
  return { ...act, actor: actorOf(call), merchantId, environment: null, atMs: call.nowMs };
}

/** Runs the change with its audit entry. False, without an entry, if it changed no row. */
export function changePeople(
  call: DashboardCall,
  change: SqlStatement,
  act: Act,
  after: readonly SqlStatement[] = [],
): Promise<boolean> {
  return runAudited(call.env.BACK_OFFICE_DB, [change], entryOf(call, act), after);
}

/** The same for a change of what the path or the form names. */
export async function changeKnown(call: DashboardCall, change: SqlStatement, act: Act) {
  if (!(await changePeople(call, change, act))) {
    throw problem('not_found');
  }
}
