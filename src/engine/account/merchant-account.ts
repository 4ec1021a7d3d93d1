import { lazyObject } from '../../kit/platform/lazy-object.ts';
import { placementOf } from '../config.ts';
import type { AccountPorts, OpenAccount } from './open-account.ts';

/**
 * The class of the object that holds what must be unique or exact over all payments of one merchant
 * in one environment. Its name is its tenant, so no method takes a tenant.
 */
export function merchantAccount(ports: AccountPorts) {
  return lazyObject<OpenAccount>({
    check: async (env) => {
      // A payment whose gateway has another jurisdiction must not fill a new, second account.
      const { checkJurisdiction } = await import('../../kit/platform/jurisdiction.ts');
      await checkJurisdiction(env.DB, placementOf(env));
    },
    load: async (ctx, env) => {
      const { OpenAccount } = await import('./open-account.ts');
      return new OpenAccount(ctx, env, ports);
    },
    methods: {
      claimRefund: true,
      releaseRefund: true,
      recordRefunds: true,
      paymentOfRefund: true,
      exportRefunds: true,
      holdReference: true,
      paymentOfReference: true,
      volumes: true,
      openVolume: true,
      restore: true,
      lostRefunds: true,
      alarm: true,
    },
  });
}
