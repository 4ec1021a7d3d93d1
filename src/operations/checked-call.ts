import type * as v from 'valibot';
import type { Actor } from '../audit/log.ts';
import { checked } from '../http/strict-body.ts';
import { type OperatorCall, operatorFrom, type Target } from './call.ts';

/** The gateway, without an operator. */
export type Gateway = Omit<OperatorCall, 'actor'>;

/** An action whose operator and fields are checked, whatever its caller checked. */
export function action<Schema extends v.GenericSchema, Result>(
  schema: Schema,
  run: (call: OperatorCall, target: Target, fields: v.InferOutput<Schema>) => Result,
) {
  return (gateway: Gateway, actor: Actor, target: Target, fields: unknown): Result =>
    run(callOf(gateway, actor), target, checked(schema, fields));
}

/** A list, by a query as it stands in an address. */
export function list<Schema extends v.GenericSchema, Result>(
  schema: Schema,
  read: (gateway: Gateway, query: v.InferOutput<Schema>) => Result,
) {
  return (gateway: Gateway, query: Readonly<Record<string, string>>): Result =>
    read(gateway, checked(schema, query));
}

export function callOf({ env, config, nowMs }: Gateway, actor: Actor): OperatorCall {
  return { env, config, nowMs, actor: operatorFrom(actor) };
}
