import { lazyObject } from '../../kit/platform/lazy-object.ts';
import { placementOf } from '../config.ts';
import type { OpenRegister, RegisterPorts } from './open-register.ts';

/**
 * The class of the object that holds what must be unique or exact over all payments of one merchant
 * in one environment. Its name is its tenant, so no method takes a tenant.
 */
export function merchantRegister(ports: RegisterPorts) {
  return lazyObject<OpenRegister>({
    check: async (env) => {
      // A payment whose gateway has another jurisdiction must not fill a new, second register.
      const { checkJurisdiction } = await import('../../kit/platform/jurisdiction.ts');
      await checkJurisdiction(env.DB, placementOf(env));
    },
    load: async (ctx, env) => {
      const { OpenRegister } = await import('./open-register.ts');
      return new OpenRegister(ctx, env, ports);
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
      createLink: true,
      linkAnswer: true,
      link: true,
      linkOfCode: true,
      links: true,
      changeLink: true,
      openLink: true,
      reservePlace: true,
      settlePlace: true,
      exportLinks: true,
      restore: true,
      lostRefunds: true,
      alarm: true,
    },
  });
}
