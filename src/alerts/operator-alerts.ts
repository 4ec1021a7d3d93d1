import { DurableObject } from 'cloudflare:workers';
import type { OpenAlerts } from './open-alerts.ts';

type About<Method extends keyof OpenAlerts> = Parameters<OpenAlerts[Method]>;

/**
 * Tells the operator what needs a person. One object of the gateway, with its own alarm and outbox:
 * it notices and sends without D1 and without a queue. `OpenAlerts` says what the methods do.
 */
export class OperatorAlerts extends DurableObject<Env> {
  #alerts: OpenAlerts | null = null;

  /** The isolate loads the code with the first call, and no payment waits for it. */
  async #open(): Promise<OpenAlerts> {
    const { OpenAlerts } = await import('./open-alerts.ts');
    this.#alerts ??= new OpenAlerts(this.ctx, this.env);
    return this.#alerts;
  }

  async stand(...about: About<'stand'>) {
    return (await this.#open()).stand(...about);
  }

  async tally(...about: About<'tally'>) {
    return (await this.#open()).tally(...about);
  }

  async happen(...about: About<'happen'>) {
    return (await this.#open()).happen(...about);
  }

  async look() {
    return (await this.#open()).look();
  }

  async state() {
    return (await this.#open()).state();
  }

  async test(...about: About<'test'>) {
    return (await this.#open()).test(...about);
  }

  override async alarm(): Promise<void> {
    return (await this.#open()).alarm();
  }
}
