import { type AuditEntry, runAudited } from '../audit/log.ts';
import type { SqlStatement } from '../database.ts';
import { successResponse } from '../http/envelope.ts';
import type { OperatorCall } from './call.ts';

/** Runs the operator's change with its entry; false, and no entry, when it changed no row. */
export function changeAudited(
  { env, actor, nowMs }: Pick<OperatorCall, 'env' | 'actor' | 'nowMs'>,
  change: SqlStatement,
  entry: Omit<AuditEntry, 'actor' | 'atMs'>,
): Promise<boolean> {
  return runAudited(env.DB, [change], { ...entry, actor, atMs: nowMs });
}

export function changedResponse(isChanged: boolean, content: unknown): Response {
  const message = isChanged ? 'Changed' : 'It was so already; nothing was changed';
  return successResponse(message, content);
}
