import { runBatch, type SqlStatement } from '../database.ts';
import type { Environment } from '../domain/method.ts';
import type { AuditAction } from './actions.ts';

/** Who does something to a merchant's settings, and from where. */
export interface Actor {
  readonly kind: 'member' | 'operator';
  /** A member's id; of the operator the name that came with the request. */
  readonly id: string;
  readonly name: string;
  /** The client's address, or null where there is none. */
  readonly address: string | null;
}

export interface AuditEntry {
  readonly actor: Actor;
  /** Null for what concerns no merchant in particular. */
  readonly merchantId: string | null;
  /** Null for what concerns both environments. */
  readonly environment: Environment | null;
  readonly action: AuditAction;
  /** An id or name that pages can show; never a secret. */
  readonly target: string | null;
  /** Never a secret or a phone number. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
  readonly atMs: number;
}

const COLUMNS =
  'at_ms, merchant_id, environment, actor_kind, actor_id, actor_name, address, action, target, detail';
const VALUES = '?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10';

/** Belongs into the batch of the change that it tells of: neither happens without the other. */
export function auditEntry(entry: AuditEntry): SqlStatement {
  return { sql: `INSERT INTO audit_log (${COLUMNS}) VALUES (${VALUES})`, params: paramsOf(entry) };
}

/** The same, but only if the statement right before it in the batch has changed a row. */
export function auditEntryIfChanged(entry: AuditEntry): SqlStatement {
  return {
    sql: `INSERT INTO audit_log (${COLUMNS}) SELECT ${VALUES} WHERE changes() > 0`,
    params: paramsOf(entry),
  };
}

/**
 * Runs the change with its entry in one batch; false, and no entry, when the last statement of the
 * change affected no row. `after` runs either way.
 */
export async function runAudited(
  db: D1Database,
  change: readonly SqlStatement[],
  entry: AuditEntry,
  after: readonly SqlStatement[] = [],
): Promise<boolean> {
  const counts = await runBatch(db, [...change, auditEntryIfChanged(entry), ...after]);
  return counts[change.length] === 1;
}

function paramsOf({ actor, detail = {}, ...entry }: AuditEntry): SqlStatement['params'] {
  return [
    entry.atMs,
    entry.merchantId,
    entry.environment,
    actor.kind,
    actor.id,
    actor.name,
    actor.address,
    entry.action,
    entry.target,
    JSON.stringify(detail),
  ];
}
