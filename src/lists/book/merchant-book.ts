import { placementOf } from '../../engine/config.ts';
import { lazyObject } from '../../kit/platform/lazy-object.ts';
import type { BookPorts, OpenBook } from './open-book.ts';

/**
 * A book is the read model of one merchant's payments, refunds and events in one environment, or of
 * one volume of them. The payments' objects feed it and can rebuild it. No method takes a tenant,
 * so no question can reach another tenant's rows.
 */
export function merchantBook(ports: BookPorts) {
  return class extends lazyObject<OpenBook>({
    check: async (env) => {
      // A payment whose gateway has another jurisdiction must not fill a new, second book.
      const { checkJurisdiction } = await import('../../kit/platform/jurisdiction.ts');
      await checkJurisdiction(env.DB, placementOf(env));
    },
    load: async (ctx, env) => {
      const { OpenBook } = await import('./open-book.ts');
      return new OpenBook(ctx, env, await ports.backup(ctx.storage, env));
    },
    methods: {
      apply: true,
      ask: true,
      recordRefused: true,
      refusedRequests: true,
      indexReceipts: true,
      erase: true,
      waitForEvents: true,
      report: true,
      backUp: true,
      settleBackup: true,
      restore: true,
      alarm: true,
    },
  }) {
    restart(): void {
      this.ctx.abort('restore');
    }
  };
}
