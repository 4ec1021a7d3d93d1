import { type Act, type AuditEntry, runAudited } from '../../../src/kit/audit/log.ts';
import { problem } from '../../../src/kit/http/problem.ts';
import type { SqlStatement } from '../../../src/kit/platform/database.ts';
import { actorOf, type DashboardCall } from '../call.ts';

/**
 * The audit entry of what a member does about their merchant's people, for its batch. It concerns both
 * environments.
 */
export function entryOf(call: DashboardCall, act: Act) {
  const { merchantId } = call.session;
  return {
    ...act,
    actor: actorOf(call),
    merchantId,
    environment: null,
    atMs: call.nowMs,
  } satisfies AuditEntry;
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
