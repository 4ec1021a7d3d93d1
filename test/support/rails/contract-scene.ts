import { wireAmount } from '../../../lab/harness/wire-amount.ts';
import type {
  CallbackVariant,
  Plan,
  StandIn,
  StandInOrder,
} from '../../../scripts/stand-ins/stand-in.ts';
import {
  type ReceivedCall,
  type Reply,
  StandInServer,
} from '../../../scripts/stand-ins/stand-in.ts';
import type { Bindings } from '../../../src/config.ts';
import type { Attempt, IntentTerms } from '../../../src/domain/intent.ts';
import type { Method } from '../../../src/domain/method.ts';
import type { CallbackReading } from '../../../src/rails/callback.ts';
import type { Rail, StartResult } from '../../../src/rails/rail.ts';
import type { RailOrder } from '../../../src/rails/rail-order.ts';
import { configuredRail } from '../../../src/rails/settings.ts';
import { callbackCall } from './callback-call.ts';
import { freshReference, orderFor } from './order.ts';

/** How the scene plays a rail. */
export interface Player {
  readonly method: Method;
  start(): Promise<StandIn & { registeredCallbackUrl?: string | null }>;
  readonly phone: string;
  /** The order exists at the provider once the customer has opened the page. */
  readonly isMadeByPage?: true;
  /** The provider reports to the one registered address. */
  readonly hasRegisteredAddress?: true;
}

/** An order that the provider has, and the start that put it there. */
export interface Placed {
  readonly order: RailOrder;
  /** Of a rail that answers only after the customer has acted: pending until then. */
  readonly started: Promise<StartResult>;
  readonly atProvider: StandInOrder;
}

/**
 * One rail between its stand-in and a gateway that consists of the adapter alone, made of the
 * operator's secret as the gateway makes it. Reports arrive by HTTP and are read as they arrive.
 */
export class ContractScene {
  readonly player: Player;
  readonly standIn: StandIn;
  readonly rail: Rail;
  readonly #orders = new Map<string, RailOrder>();
  readonly #readings: CallbackReading[] = [];
  #receiver: StandInServer | null = null;
  #amountMinor = 150_000;

  private constructor(player: Player, standIn: StandIn) {
    this.player = player;
    this.standIn = standIn;
    const { settings, statusQuery, refundSettings } = standIn;
    const secret = { ...settings, ...(statusQuery && { statusQuery }), ...refundSettings };
    this.rail = railOf(player.method, secret);
  }

  static async start(player: Player): Promise<ContractScene> {
    const standIn = await player.start();
    const scene = new ContractScene(player, standIn);
    scene.#receiver = await StandInServer.start((call) => scene.#receive(call));
    if (player.hasRegisteredAddress) {
      standIn.registeredCallbackUrl = `${scene.#receiver.baseUrl}/shared`;
    }
    return scene;
  }

  async #receive(call: ReceivedCall): Promise<Reply> {
    const order = this.#orders.get(new URL(call.url, 'http://gateway').pathname);
    const reading = order && (await this.rail.readCallback?.(requestOf(call), order));
    if (reading === undefined) {
      return { type: 'answer', status: 404, body: '' };
    }
    this.#readings.push(reading);
    const { status, headers, body } = reading.reply;
    return { type: 'answer', status, headers, body: body ?? '' };
  }

  async stop(): Promise<void> {
    await Promise.all([this.standIn.stop(), this.#receiver?.stop()]);
  }

  /** What the adapter read in the report that came last. */
  get lastReading(): CallbackReading | undefined {
    return this.#readings.at(-1);
  }

  get reports(): number {
    return this.#readings.length;
  }

  /** An order with an amount of its own, which the stand-in treats by `plan`. */
  order(
    plan: Plan = {},
    changed: { readonly attempt?: Partial<Attempt>; readonly terms?: Partial<IntentTerms> } = {},
  ): RailOrder {
    this.#amountMinor += 100;
    this.standIn.plan(wireAmount(this.standIn, this.#amountMinor), plan);
    const reference = freshReference();
    const path = this.player.hasRegisteredAddress ? '/shared' : `/rails/any/${reference}`;
    const order = orderFor(this.rail, this.player.method, {
      terms: { amountMinor: this.#amountMinor, ...changed.terms },
      attempt: { id: crypto.randomUUID(), reference, phone: this.player.phone, ...changed.attempt },
      order: { callbackUrl: `${this.#receiver?.baseUrl}${path}` },
    });
    this.keep(order);
    return order;
  }

  /** Replaces what the gateway knows about an order. */
  keep(order: RailOrder): void {
    this.#orders.set(new URL(order.callbackUrl).pathname, order);
  }

  /** Starts an order and brings the customer to it. */
  async place(
    plan: Plan = {},
    changed: Parameters<ContractScene['order']>[1] = {},
  ): Promise<Placed> {
    const order = this.order(plan, changed);
    const started = this.rail.start(order);
    if (this.rail.startWaitsForCustomer) {
      const atProvider = await this.standIn.order(order.attempt.reference);
      return { order, started, atProvider };
    }
    const result = await started;
    const known = this.#after(order, result);
    if (this.player.isMadeByPage && result.type === 'accepted') {
      await fetch(result.redirectUrl ?? '').catch(() => null);
    }
    return { order: known, started, atProvider: await this.standIn.order(order.attempt.reference) };
  }

  #after(order: RailOrder, result: StartResult): RailOrder {
    if (result.type !== 'accepted') {
      return order;
    }
    const { redirectUrl, railReference } = result;
    const known = { ...order, attempt: { ...order.attempt, redirectUrl, railReference } };
    this.keep(known);
    return known;
  }

  /** The adapter's reading of a report that the provider sends now. */
  async reported(
    { atProvider }: Placed,
    variant?: CallbackVariant,
  ): Promise<CallbackReading | undefined> {
    const before = this.reports;
    await atProvider.callback(variant);
    return this.reports > before ? this.lastReading : undefined;
  }
}

/** The rail of a secret, as the gateway makes it. */
export function railOf(method: Method, settings: object): Rail {
  const env = { [`RAIL_${method}_PRODUCTION`]: JSON.stringify(settings) } as unknown as Bindings;
  const rail = configuredRail(env, 'production', method);
  if (rail === null) {
    throw new Error(`${method} is not configured`);
  }
  return rail;
}

/** From this machine, as Cloudflare would name it. */
function requestOf({ method, url, headers, body }: ReceivedCall) {
  return callbackCall({
    method,
    url: new URL(url, 'http://gateway').href,
    headers: { ...headers, 'cf-connecting-ip': '127.0.0.1' },
    body,
  });
}
