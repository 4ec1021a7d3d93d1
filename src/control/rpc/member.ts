import type { Actor, Changing } from '../../kit/audit/log.ts';
import { Problem } from '../../kit/http/problem.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { CHANGES_PAUSED, CHANGES_PAUSED_RETRY_SECONDS } from './changes-paused.ts';
import type { Plane } from './plane.ts';

/** What a member changes of a tenant: the plane, and who acts. */
export interface MemberCall extends Plane, Changing {}

/** What a member reads of a tenant and the audit log records. Also while changes are paused. */
export function readByMember<Arguments extends readonly unknown[], Result>(
  run: (by: MemberCall, ...args: Arguments) => Result,
) {
  // The actor is a member even if the caller names another kind.
  return (plane: Plane, tenant: Tenant, { id, name, address }: Actor, ...args: Arguments): Result =>
    run({ ...plane, tenant, actor: { kind: 'member', id, name, address } }, ...args);
}

/**
 * A change by a member of a tenant. Problem 503 while the operator pauses these
 * (docs/decisions.md#48): the back office refuses them too, but an intruder there must not get
 * around it.
 */
export function byMember<Arguments extends readonly unknown[], Result>(
  run: (by: MemberCall, ...args: Arguments) => Result | Promise<Result>,
) {
  return readByMember(async (by, ...args: Arguments): Promise<Result> => {
    if (await areMemberChangesPaused(by.env.DB)) {
      const retryAfterSeconds = CHANGES_PAUSED_RETRY_SECONDS;
      throw new Problem(CHANGES_PAUSED, 503, 'Changes are paused', { retryAfterSeconds });
    }
    return run(by, ...args);
  });
}

async function areMemberChangesPaused(db: D1Database): Promise<boolean> {
  const sql = 'SELECT members_read_only AS isPaused FROM gateway_settings';
  return (await prepare(db, { sql, params: [] }).first<number>('isPaused')) === 1;
}
