import { type AuditEntry, runAudited } from '../../src/audit/log.ts';
import type { SqlStatement } from '../../src/database.ts';
import { successResponse } from '../../src/http/envelope.ts';
import type { OperatorCall } from './call.ts';

/** Runs the operator's change with its audit entry. False, without an entry, if no row changed. */
export function changeAudited(
  { env, actor, nowMs }: Pick<OperatorCall, 'env' | 'actor' | 'nowMs'>,
  change: SqlStatement,
  entry: Omit<AuditEntry, 'actor' | 'atMs'>,
): Promise<boolean> {
  return runAudited(env.DB, [change], { ...entry, actor, atMs: nowMs });
}

export function changedResponse(isChanged: boolean, content: unknown): Response {
  const message = isChanged ? 'Changed' : 'No change';
  return successResponse(message, content);
}
