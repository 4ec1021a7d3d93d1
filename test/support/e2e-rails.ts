import { expect } from 'vitest';
import {
  type StandIns,
  type StandInsOptions,
  startStandIns,
} from '../../scripts/stand-ins/start-all.ts';
import { freePort } from './e2e-gateway.ts';
import { RailPayment, type RailPaymentOptions } from './e2e-rails-payment.ts';
import type { Cell } from './e2e-rails-table.ts';
import { type Scene, startScene } from './e2e-scene.ts';
import type { VerificationKeys } from './e2e-webhook.ts';

/** A gateway whose production pays through the stand-ins, and every payment that was made there. */
export class RailsScene {
  readonly scene: Scene;
  readonly standIns: StandIns;
  readonly #payments: RailPayment[] = [];

  private constructor(scene: Scene, standIns: StandIns) {
    this.scene = scene;
    this.standIns = standIns;
  }

  static async start(options: StandInsOptions = {}): Promise<RailsScene> {
    const port = await freePort();
    const standIns = await startStandIns(`http://localhost:${port}`, options);
    try {
      const args = ['--no-stand-ins', ...standIns.wranglerArgs];
      return new RailsScene(await startScene({ port, args }), standIns);
    } catch (error) {
      await standIns.stop();
      throw error;
    }
  }

  /** Verify production's webhooks of the demo merchant. */
  get keys(): VerificationKeys {
    const { productionWebhookSecret, webhookPublicKeys } = this.scene.gateway.merchant;
    return { secret: productionWebhookSecret, publicKey: webhookPublicKeys.production };
  }

  /** A payment of which no rail has heard yet. */
  async create(cell: Cell, options: RailPaymentOptions = {}): Promise<RailPayment> {
    const { scene, standIns, keys } = this;
    // By their numbers, payments have amounts of their own: stand-ins know them by these.
    const number = this.#payments.length + 1;
    const payment = new RailPayment({ scene, standIns, keys, cell, number, ...options });
    this.#payments.push(payment);
    await payment.create();
    return payment;
  }

  /** A payment whose customer is where the rail meets them. */
  async pay(cell: Cell, options: RailPaymentOptions = {}): Promise<RailPayment> {
    const payment = await this.create(cell, options);
    await payment.start();
    return payment;
  }

  /** Stops all of it. By now an event too many would long have been sent. */
  async close(): Promise<void> {
    const surprised = this.#payments
      .filter(({ told, hook }) => told > 0 && hook.requests.length > told)
      .map(({ cell, told, hook }) => ({ cell, told, got: hook.requests.length }));
    await this.scene.close();
    await this.standIns.stop();
    expect(surprised).toEqual([]);
  }
}
