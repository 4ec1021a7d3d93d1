import { DurableObject } from 'cloudflare:workers';
import { placementOf } from '../config.ts';
import type { AccountPorts, OpenAccount } from './open-account.ts';

type About<Method extends keyof OpenAccount> = Parameters<OpenAccount[Method]>;

/**
 * Holds what must be unique or exact over all payments of one merchant in one environment. Its name
 * is its tenant, so no method takes a tenant.
 */
export abstract class MerchantAccountObject extends DurableObject<Env> {
  readonly #ports: AccountPorts;
  #account: OpenAccount | null = null;

  protected constructor(ctx: DurableObjectState, env: Env, ports: AccountPorts) {
    super(ctx, env);
    this.#ports = ports;
  }

  /** The isolate loads the code with the first call, because few payments need it. */
  async #open(): Promise<OpenAccount> {
    // A payment whose gateway has another jurisdiction must not fill a new, second account.
    const { checkJurisdiction } = await import('../platform/jurisdiction.ts');
    await checkJurisdiction(this.env.DB, placementOf(this.env));
    const { OpenAccount } = await import('./open-account.ts');
    this.#account ??= new OpenAccount(this.ctx, this.env, this.#ports);
    return this.#account;
  }

  async claimRefund(...about: About<'claimRefund'>) {
    return (await this.#open()).claimRefund(...about);
  }

  async releaseRefund(...about: About<'releaseRefund'>) {
    return (await this.#open()).releaseRefund(...about);
  }

  async recordRefunds(...about: About<'recordRefunds'>) {
    return (await this.#open()).recordRefunds(...about);
  }

  async paymentOfRefund(...about: About<'paymentOfRefund'>) {
    return (await this.#open()).paymentOfRefund(...about);
  }

  async exportRefunds(...about: About<'exportRefunds'>) {
    return (await this.#open()).exportRefunds(...about);
  }

  async holdReference(...about: About<'holdReference'>) {
    return (await this.#open()).holdReference(...about);
  }

  async paymentOfReference(...about: About<'paymentOfReference'>) {
    return (await this.#open()).paymentOfReference(...about);
  }

  async volumes(...about: About<'volumes'>) {
    return (await this.#open()).volumes(...about);
  }

  async openVolume(...about: About<'openVolume'>) {
    return (await this.#open()).openVolume(...about);
  }

  async restore(...about: About<'restore'>) {
    return (await this.#open()).restore(...about);
  }

  async lostRefunds(...about: About<'lostRefunds'>) {
    return (await this.#open()).lostRefunds(...about);
  }

  override async alarm(): Promise<void> {
    return (await this.#open()).alarm();
  }
}
