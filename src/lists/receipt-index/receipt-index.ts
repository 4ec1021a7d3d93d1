import { lazyObject } from '../../kit/platform/lazy-object.ts';
import type { OpenIndex } from './open-index.ts';

/**
 * A shard of the index of all merchants' receipts in one environment, which leads to their payments.
 * The merchants' books write it and can rebuild it. They also check the jurisdiction.
 */
export class ReceiptIndex extends lazyObject<OpenIndex>({
  load: async (ctx, env) => {
    const { OpenIndex } = await import('./open-index.ts');
    return new OpenIndex(ctx, env);
  },
  methods: { put: true, find: true, remove: true, alarm: true },
}) {}
