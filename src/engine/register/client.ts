import { methodsOf } from '../../kit/platform/object-call.ts';
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
  const method = methodsOf<OpenRegister>(() => registers.get(id));
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
    createLink: method('createLink'),
    linkAnswer: method('linkAnswer'),
    link: method('link'),
    linkOfCode: method('linkOfCode'),
    links: method('links'),
    changeLink: method('changeLink'),
    openLink: method('openLink'),
    reservePlace: method('reservePlace'),
    settlePlace: method('settlePlace'),
    exportLinks: method('exportLinks'),
    restore: method('restore'),
    lostRefunds: method('lostRefunds'),
  };
}
