import type { Actor, Changing } from '../audit/log.ts';
import type { Tenant } from '../domain/intent.ts';
import type { Plane } from './plane.ts';

/** What a member changes of a tenant: the plane, and who acts. */
export interface MemberCall extends Plane, Changing {}

/** An act of a member on a tenant. The actor is a member even if the caller names another kind. */
export function byMember<Arguments extends readonly unknown[], Result>(
  run: (by: MemberCall, ...args: Arguments) => Result,
) {
  return (plane: Plane, tenant: Tenant, { id, name, address }: Actor, ...args: Arguments): Result =>
    run({ ...plane, tenant, actor: { kind: 'member', id, name, address } }, ...args);
}
