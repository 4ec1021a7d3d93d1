import type * as v from 'valibot';
import type { Config } from '../../engine/config.ts';
import { isOperatorName } from '../../engine/domain/operator-name.ts';
import type { ChangeAction, SingleAction } from '../../kit/audit/actions.ts';
import {
  type Actor,
  type AuditDetail,
  type AuditEntry,
  auditEntry,
  runAudited,
} from '../../kit/audit/log.ts';
import { Problem } from '../../kit/http/problem.ts';
import { checked } from '../../kit/http/strict-body.ts';
import { DatabaseUnavailable, prepare, type SqlStatement } from '../../kit/platform/database.ts';
import { errorText } from '../../kit/platform/log.ts';

/** What an operator's action gets: the gateway, and the operator who acts. */
export interface OperatorCall {
  readonly env: Env;
  readonly config: Config;
  readonly actor: Actor;
  readonly nowMs: number;
}

/** The parts of a path that name what an action is about. Each action checks its own. */
export type Target = Readonly<Record<string, string | undefined>>;

/** The gateway, without an operator. */
export type Gateway = Omit<OperatorCall, 'actor'>;

/** An action that checks its operator and fields itself: its caller may be an intruder. */
export function action<Schema extends v.GenericSchema, Result>(
  schema: Schema,
  run: (call: OperatorCall, target: Target, fields: v.InferOutput<Schema>) => Result,
) {
  return (gateway: Gateway, actor: Actor, target: Target, fields: unknown): Result =>
    run(callOf(gateway, actor), target, checked(schema, fields));
}

/** A list, by the parameters of an address. */
export function list<Schema extends v.GenericSchema, Result>(
  schema: Schema,
  read: (gateway: Gateway, query: v.InferOutput<Schema>) => Result,
) {
  return (gateway: Gateway, query: Readonly<Record<string, string>>): Result =>
    read(gateway, checked(schema, query));
}

/** The operator as the audit log stores one, so that no caller acts as a member or as a key. */
export function callOf(
  { env, config, nowMs }: Gateway,
  { name, isProved, address }: Actor,
): OperatorCall {
  if (!isOperatorName(name)) {
    throw new Error('an operator without a name');
  }
  const actor = { kind: 'operator', id: name, name, isProved: isProved === true, address } as const;
  return { env, config, nowMs, actor };
}

/** Runs the operator's change with its audit entry. False, without an entry, if no row changed. */
export function changeAudited(
  { env, actor, nowMs }: OperatorCall,
  change: SqlStatement,
  entry: Omit<AuditEntry<ChangeAction>, 'actor' | 'atMs'>,
): Promise<boolean> {
  return runAudited(env.DB, [change], { ...entry, actor, atMs: nowMs });
}

/** Writes audit entries about one decision. */
export type Recorder = (detail: AuditDetail) => Promise<void>;

/**
 * For what a payment's object or a server does: its entry comes first, as in `recordAct`. Throws
 * Unavailable when D1 does not answer.
 */
export function recorder(
  { env, actor, nowMs: atMs }: OperatorCall,
  entry: Omit<AuditEntry<SingleAction>, 'actor' | 'atMs'>,
): Recorder {
  return async (detail) => {
    const statement = auditEntry({ ...entry, actor, atMs, detail: { ...entry.detail, ...detail } });
    try {
      await prepare(env.DB, statement).run();
    } catch (error) {
      throw new DatabaseUnavailable(errorText(error));
    }
  };
}

/** Runs what an entry has announced. The entry of a refusal says that nothing changed. */
export async function recordingRefusal<T>(record: Recorder, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Problem) {
      await record({ refused: error.code });
    }
    throw error;
  }
}
