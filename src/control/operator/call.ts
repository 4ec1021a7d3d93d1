import type * as v from 'valibot';
import type { Config } from '../../engine/config.ts';
import { isOperatorName } from '../../engine/domain/operator-name.ts';
import type { AuditAction, ChangeAction } from '../../kit/audit/actions.ts';
import { type Actor, type AuditEntry, runAudited } from '../../kit/audit/log.ts';
import { checked } from '../../kit/http/strict-body.ts';
import type { SqlStatement } from '../../kit/platform/database.ts';

/** What an operator's action gets: the gateway, and the operator who acts. */
export interface ActionCall {
  readonly env: Env;
  readonly config: Config;
  readonly actor: Actor;
  readonly nowMs: number;
}

/** The parts of a path that name what an action is about. Each action checks its own. */
export type Target = Readonly<Record<string, string | undefined>>;

/** The gateway, without an operator. */
export type Gateway = Omit<ActionCall, 'actor'>;

/** An action that checks its operator and fields itself: its caller may be an intruder. */
export function action<Schema extends v.GenericSchema, Result>(
  schema: Schema,
  run: (call: ActionCall, target: Target, fields: v.InferOutput<Schema>) => Result,
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
  { name, isProved, provedBy, address }: Actor,
): ActionCall {
  if (!isOperatorName(name)) {
    throw new Error('an operator without a name');
  }
  const proof = isProved === true && provedBy !== undefined ? { provedBy } : {};
  const actor = { id: name, name, isProved: isProved === true, ...proof, address };
  return { env, config, nowMs, actor: { kind: 'operator', ...actor } };
}

/** An entry about what the operator does. */
export function entryBy<Action extends AuditAction>(
  { actor, nowMs: atMs }: ActionCall,
  entry: Omit<AuditEntry<Action>, 'actor' | 'atMs'>,
): AuditEntry<Action> {
  return { ...entry, actor, atMs };
}

/** Runs the operator's change with its audit entry. False, without an entry, if no row changed. */
export function changeAudited(
  call: ActionCall,
  change: SqlStatement,
  entry: Omit<AuditEntry<ChangeAction>, 'actor' | 'atMs'>,
): Promise<boolean> {
  return runAudited(call.env.DB, [change], entryBy(call, entry));
}
