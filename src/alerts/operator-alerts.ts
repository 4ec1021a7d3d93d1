import { lazyObject } from '../platform/lazy-object.ts';
import type { OpenAlerts } from './open-alerts.ts';

/**
 * Tells the operator what needs a person. One object of the gateway, with its own alarm and outbox:
 * it notices and sends without D1 and without a queue.
 */
export class OperatorAlerts extends lazyObject<OpenAlerts>({
  load: async (ctx, env) => {
    const { OpenAlerts } = await import('./open-alerts.ts');
    return new OpenAlerts(ctx, env);
  },
  methods: {
    stand: true,
    tally: true,
    happen: true,
    look: true,
    state: true,
    testChannel: true,
    alarm: true,
  },
}) {}
