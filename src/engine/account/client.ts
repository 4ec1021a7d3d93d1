import { methodsOf } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { placementOf } from '../config.ts';
import type { OpenAccount } from './open-account.ts';

export type AccountClient = ReturnType<typeof accountOf>;

/**
 * Calls a merchant's account. Each method throws ObjectUnavailable. Environments and merchant ids
 * contain no slash, so two tenants never share a name.
 */
export function accountOf(env: Env, { environment, merchantId }: Tenant) {
  const accounts = objectsIn(env.MERCHANT_ACCOUNT, placementOf(env));
  const id = accounts.idFromName(`${environment}/${merchantId}`);
  const method = methodsOf<OpenAccount>(() => accounts.get(id));
  return {
    claimRefund: method('claimRefund'),
    releaseRefund: method('releaseRefund'),
    recordRefunds: method('recordRefunds'),
    paymentOfRefund: method('paymentOfRefund'),
    exportRefunds: method('exportRefunds'),
    holdReference: method('holdReference'),
    paymentOfReference: method('paymentOfReference'),
    volumes: method('volumes'),
    openVolume: method('openVolume'),
    restore: method('restore'),
    lostRefunds: method('lostRefunds'),
  };
}
