import { type Actor, type AuditEntry, auditEntry } from '../audit/log.ts';
import type { Environment } from '../domain/method.ts';
import type { SqlStatement } from '../platform/database.ts';
import type { Plane } from './plane.ts';

/** A merchant, and in which environment; null: both. */
export interface Whose {
  readonly merchantId: string;
  readonly environment: Environment | null;
}

type Act = Pick<AuditEntry, 'action' | 'target' | 'detail'>;

/** The audit entry of a member's act. The actor is always a member, whatever the caller says. */
export function memberEntry(
  { nowMs }: Plane,
  { merchantId, environment }: Whose,
  { id, name, address }: Actor,
  act: Act,
): AuditEntry {
  const actor: Actor = { kind: 'member', id, name, address };
  return { actor, merchantId, environment, atMs: nowMs, ...act };
}

/** The statement that writes it. */
export function recordOf(...args: Parameters<typeof memberEntry>): SqlStatement {
  return auditEntry(memberEntry(...args));
}
