import { expect } from 'vitest';
import { freePort } from '../../scripts/gateway/own-gateway.ts';
import {
  type StandIns,
  type StandInsOptions,
  startStandIns,
} from '../../scripts/stand-ins/start-all.ts';
import { RailPayment, type RailPaymentOptions } from './e2e-rails-payment.ts';
import type { Cell } from './e2e-rails-table.ts';
import { type OwnScene, startScene } from './e2e-scene.ts';
import type { VerificationKeys } from './e2e-webhook.ts';

/**
 * A gateway whose production pays through the stand-ins, with every payment made there. The parts
 * of a test file share it, because tests control the stand-ins.
 */
export class RailsScene {
  readonly #name: string;
  readonly #options: StandInsOptions;
  readonly #payments: RailPayment[] = [];
  #running: { readonly scene: OwnScene; readonly standIns: StandIns } | null = null;

  /** `name`: of the gateway's log. */
  constructor(name: string, options: StandInsOptions = {}) {
    this.#name = name;
    this.#options = options;
  }

  async start(): Promise<void> {
    const port = await freePort();
    const standIns = await startStandIns(`http://localhost:${port}`, this.#options);
    try {
      const { variables } = standIns;
      this.#running = { scene: await startScene({ name: this.#name, port, variables }), standIns };
    } catch (error) {
      await standIns.stop();
      throw error;
    }
  }

  get scene(): OwnScene {
    return this.#started.scene;
  }

  get standIns(): StandIns {
    return this.#started.standIns;
  }

  get #started() {
    if (this.#running === null) {
      throw new Error('the gateway has not been started');
    }
    return this.#running;
  }

  /** Verify production's webhooks of the demo merchant. */
  get keys(): VerificationKeys {
    const {
      merchantId,
      productionWebhookSecret: secret,
      webhookPublicKeys,
    } = this.scene.gateway.merchant;
    const publicKey = webhookPublicKeys.production;
    return { merchantId, environment: 'production', secret, publicKey };
  }

  /** A payment without an attempt. */
  async create(cell: Cell, options: RailPaymentOptions = {}): Promise<RailPayment> {
    const { scene, standIns, keys } = this;
    // Each payment has its own amount, by which the stand-ins recognize it.
    const number = this.#payments.length + 1;
    const payment = new RailPayment({ scene, standIns, keys, cell, number, ...options });
    this.#payments.push(payment);
    await payment.create();
    return payment;
  }

  /** A payment whose customer is on the provider's page, or has the prompt. */
  async pay(cell: Cell, options: RailPaymentOptions = {}): Promise<RailPayment> {
    const payment = await this.create(cell, options);
    await payment.start();
    return payment;
  }

  /** Stops everything. By now any surplus event would have been sent. */
  async close(): Promise<void> {
    const surprised = this.#payments
      .filter(
        ({ eventsChecked, hook }) => eventsChecked > 0 && hook.requests.length > eventsChecked,
      )
      .map(({ cell, eventsChecked, hook }) => ({ cell, eventsChecked, got: hook.requests.length }));
    await this.#running?.scene.close();
    await this.#running?.standIns.stop();
    expect(surprised).toEqual([]);
  }
}
