import { objectClient } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { placementOf } from '../config.ts';
import type { OpenRegister } from './open-register.ts';

export type RegisterClient = ReturnType<typeof registerOf>;

/**
 * Calls a merchant's register. Each method throws ObjectUnavailable. Environments and merchant ids
 * contain no slash, so two tenants never share a name.
 */
export function registerOf(env: Env, { environment, merchantId }: Tenant) {
  const registers = objectsIn(env.MERCHANT_REGISTER, placementOf(env));
  const id = registers.idFromName(`${environment}/${merchantId}`);
  return objectClient<OpenRegister>(() => registers.get(id));
}
