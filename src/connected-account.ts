import { MerchantAccountObject } from './account/merchant-account.ts';

/** The merchant's account, connected to the payments. */
export class MerchantAccount extends MerchantAccountObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, {
      // Loaded with the first claim that is not settled: few requests die.
      settleClaim: async (...about) =>
        (await import('./refunds/settle-claim.ts')).settleClaim(...about),
    });
  }
}
