import { Problem } from '../http/problem.ts';
import type { NameProof } from '../name-proof.ts';
import { runBatch, type SqlStatement } from '../platform/database.ts';
import type { Environment, Tenant } from '../tenant.ts';
import type { AuditAction, ChangeAction, SingleAction } from './actions.ts';

/** Who changes a merchant's settings, and from where. */
export interface Actor {
  readonly kind: 'member' | 'operator' | 'api_key';
  /** A member's id, the operator's name from the request, or the digest of an API key. */
  readonly id: string;
  readonly name: string;
  /** Only of an operator: whether the name is proved. Who shares a secret can claim any name. */
  readonly isProved?: boolean;
  /** What proves it. */
  readonly provedBy?: NameProof;
  /** The client's IP address, or null when unknown. */
  readonly address: string | null;
}

export interface AuditEntry<Action extends AuditAction = AuditAction> {
  readonly actor: Actor;
  /** Null for an action that concerns no single merchant. */
  readonly merchantId: string | null;
  /** Null for an action that concerns both environments. */
  readonly environment: Environment | null;
  readonly action: Action;
  /** An id or name that pages can show; never a secret. */
  readonly target: string | null;
  readonly detail?: AuditDetail;
  readonly atMs: number;
}

/** Never a secret or a phone number. What is undefined is left out. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null | undefined>>;

const COLUMNS =
  'at_ms, merchant_id, environment, actor_kind, actor_id, actor_name, actor_proved, address, action, target, detail';
const VALUES = '?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11';

/** Purges up to ?2 addresses of entries at ?1 or before (docs/decisions.md#24). */
export const PURGE_ADDRESSES = `UPDATE audit_log SET address = NULL WHERE id IN (
  SELECT id FROM audit_log INDEXED BY audit_log_with_address
  WHERE at_ms <= ?1 AND address IS NOT NULL LIMIT ?2)`;

/** Run it in the batch of the change that it records, so that neither happens without the other. */
export function auditEntry(entry: AuditEntry): SqlStatement {
  return insertOf(entry, `VALUES (${VALUES})`);
}

/** Like `auditEntry`, but only if the statement right before it in the batch changed a row. */
export function auditEntryIfChanged(entry: AuditEntry<ChangeAction>): SqlStatement {
  return insertOf(entry, `SELECT ${VALUES} WHERE changes() > 0`);
}

/**
 * Runs the change with its entry in one batch. Returns false, without an entry, when the last
 * statement of the change affected no row, as D1 counts it. `after` runs in both cases.
 */
export async function runAudited(
  db: D1Database,
  change: readonly SqlStatement[],
  entry: AuditEntry<ChangeAction>,
  after: readonly SqlStatement[] = [],
): Promise<boolean> {
  const counts = await runBatch(db, [...change, auditEntryIfChanged(entry), ...after]);
  return counts[change.length - 1] !== 0;
}

/** An actor changes something of a tenant. */
export interface Changing {
  readonly env: Env;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly nowMs: number;
}

/** The act of an entry, without its actor. */
export type Act<Action extends AuditAction = ChangeAction> = Pick<
  AuditEntry<Action>,
  'action' | 'target' | 'detail'
>;

export function entryOf<Action extends AuditAction>(
  { tenant, actor, nowMs }: Changing,
  act: Act<Action>,
): AuditEntry<Action> {
  const { merchantId, environment } = tenant;
  return { actor, merchantId, environment, atMs: nowMs, ...act };
}

/** `runAudited` for a change of something of a tenant. */
export function runAct(
  by: Changing,
  change: readonly SqlStatement[],
  act: Act,
  after: readonly SqlStatement[] = [],
): Promise<boolean> {
  return runAudited(by.env.DB, change, entryOf(by, act), after);
}

/** Writes an entry that stands alone. `outcome`: what the first entry of the act could not say. */
export async function record(
  db: D1Database,
  entry: AuditEntry<SingleAction>,
  outcome: AuditDetail = {},
): Promise<void> {
  await runBatch(db, [auditEntry({ ...entry, detail: { ...entry.detail, ...outcome } })]);
}

/** `record` for an act about a tenant. */
export function recordAct(
  by: Changing,
  act: Act<SingleAction>,
  outcome: AuditDetail = {},
): Promise<void> {
  return record(by.env.DB, entryOf(by, act), outcome);
}

/**
 * Runs what an actor asks of a payment's object or a server. One commit cannot hold both: the entry
 * comes first, so that a failure in between leaves no change without it. A second entry says why it
 * was refused: by a Problem, or by a result in which `refusalIn` finds the reason.
 */
export async function runRecorded<Result>(
  db: D1Database,
  entry: AuditEntry<SingleAction>,
  run: () => Promise<Result>,
  refusalIn: (result: Result) => string | null = () => null,
): Promise<Result> {
  await record(db, entry);
  const result = await run().catch(async (error: unknown) => {
    if (error instanceof Problem) {
      await record(db, entry, { refused: error.code });
    }
    throw error;
  });
  const refused = refusalIn(result);
  if (refused !== null) {
    await record(db, entry, { refused });
  }
  return result;
}

/** `runRecorded` for an act about a tenant. */
export function runRecordedAct<Result>(
  by: Changing,
  act: Act<SingleAction>,
  run: () => Promise<Result>,
  refusalIn: (result: Result) => string | null,
): Promise<Result> {
  return runRecorded(by.env.DB, entryOf(by, act), run, refusalIn);
}

function insertOf({ actor, detail = {}, ...entry }: AuditEntry, row: string): SqlStatement {
  const params = [
    entry.atMs,
    entry.merchantId,
    entry.environment,
    actor.kind,
    actor.id,
    actor.name,
    actor.isProved === undefined ? null : Number(actor.isProved),
    actor.address,
    entry.action,
    entry.target,
    JSON.stringify(detail),
  ];
  return { sql: `INSERT INTO audit_log (${COLUMNS}) ${row}`, params };
}
