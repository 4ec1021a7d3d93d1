import { lazyObject } from '../../kit/platform/lazy-object.ts';
import type { LookAround } from './looks.ts';
import type { OpenAlerts } from './open-alerts.ts';

/**
 * The class of the object that tells the operator what needs a person. One object of the gateway, with
 * its own alarm and outbox: it notices and sends without D1 and without a queue.
 */
export function operatorAlerts(lookAround: LookAround) {
  return lazyObject<OpenAlerts>({
    load: async (ctx, env) => {
      const { OpenAlerts } = await import('./open-alerts.ts');
      return new OpenAlerts(ctx, env, lookAround);
    },
    methods: {
      stand: true,
      tally: true,
      happen: true,
      look: true,
      outages: true,
      state: true,
      testChannel: true,
      alarm: true,
    },
  });
}
