import { type ReceivedCall, StandInServer } from '../../../scripts/stand-ins/stand-in.ts';
import {
  type CpsForm,
  startTelebirrUssdStandIn,
  type TelebirrUssdStandIn,
} from '../../../scripts/stand-ins/telebirr-ussd.ts';
import type { CallbackCall, CallbackReading, CallbackReply } from '../../../src/rails/callback.ts';
import type { RailOrder } from '../../../src/rails/rail-order.ts';
import { telebirrUssdRail } from '../../../src/rails/telebirr-ussd/rail.ts';
import type { TelebirrUssdSettings } from '../../../src/rails/telebirr-ussd/settings.ts';
import { callbackCall } from './callback-call.ts';
import { orderFor } from './order.ts';
import { settingsFrom } from './telebirr-ussd-settings.ts';

type Changes = Parameters<typeof orderFor>[2];

/**
 * telebirr's stand-in, and a gateway that consists only of the adapter: results arrive over HTTP.
 */
export class TelebirrUssdScene {
  readonly standIn: TelebirrUssdStandIn;
  readonly settings: TelebirrUssdSettings;
  readonly rail: ReturnType<typeof telebirrUssdRail>;
  readonly #orders = new Map<string, RailOrder>();
  readonly #results = new Map<string, CallbackReading[]>();
  #gateway: StandInServer | null = null;
  #made = 0;

  private constructor(standIn: TelebirrUssdStandIn) {
    this.standIn = standIn;
    this.settings = settingsFrom(standIn.settings);
    this.rail = telebirrUssdRail(this.settings);
  }

  static async start(form?: CpsForm): Promise<TelebirrUssdScene> {
    const scene = new TelebirrUssdScene(await startTelebirrUssdStandIn(0, form));
    scene.#gateway = await StandInServer.start(async (call) => {
      const { status, body } = await scene.#callback(call);
      return { type: 'answer', status, body: body ?? '' };
    });
    return scene;
  }

  async stop(): Promise<void> {
    await Promise.all([this.standIn.stop(), this.#gateway?.stop()]);
  }

  /** Each order has its own amount, reference and callback. */
  newOrder(changed: Changes = {}): RailOrder {
    this.#made += 1;
    const order = orderFor(this.rail, 'TELE_BIRR_USSD', {
      ...changed,
      attempt: { reference: `${this.#made}`.padStart(20, 'R'), ...changed?.attempt },
      order: {
        chargedMinor: 150_000 + this.#made,
        callbackUrl: `${this.#gateway?.baseUrl}/rails/telebirr-ussd/${this.#made}`,
        ...changed?.order,
      },
    });
    this.keep(order);
    return order;
  }

  /** Replaces what the gateway knows about the order. */
  keep(order: RailOrder): void {
    this.#orders.set(pathOf(order), order);
  }

  /** Started and accepted; with telebirr's own reference, as the gateway would store it. */
  async started(order: RailOrder): Promise<RailOrder> {
    const result = await this.rail.start(order);
    if (result.type !== 'accepted') {
      throw new Error(result.type);
    }
    const { railReference } = result;
    const kept = { ...order, attempt: { ...order.attempt, railReference } };
    this.keep(kept);
    return kept;
  }

  /** The adapter's readings of the order's results, in order. */
  resultsOf(order: RailOrder): readonly CallbackReading[] {
    return this.#results.get(pathOf(order)) ?? [];
  }

  async #callback(call: ReceivedCall): Promise<CallbackReply> {
    const order = this.#orders.get(call.url);
    if (order === undefined) {
      return { status: 404, headers: {}, body: null };
    }
    const result = await this.rail.readCallback(requestFrom(call), order);
    this.#results.set(call.url, [...this.resultsOf(order), result]);
    return result.reply;
  }
}

/** A call as the Worker would get it. */
export function requestFrom({
  headers,
  body,
}: Pick<ReceivedCall, 'headers' | 'body'>): CallbackCall {
  return callbackCall({ headers, body });
}

/** The amount in wire format, for a plan; the orders above are below ETB 1,600. */
export function amountText({ chargedMinor }: RailOrder): string {
  const digits = String(chargedMinor);
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function pathOf({ callbackUrl }: RailOrder): string {
  return new URL(callbackUrl).pathname;
}
