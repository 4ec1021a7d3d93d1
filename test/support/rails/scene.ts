import { afterAll, afterEach, vi } from 'vitest';
import { wireAmount } from '../../../lab/harness/wire-amount.ts';
import type {
  CallbackVariant,
  Plan,
  StandIn,
  StandInOrder,
} from '../../../scripts/stand-ins/stand-in.ts';
import {
  jsonReply,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from '../../../scripts/stand-ins/stand-in.ts';
import type { Bindings } from '../../../src/engine/config.ts';
import type { AppParameters } from '../../../src/engine/domain/app-form.ts';
import type { Method } from '../../../src/engine/domain/method.ts';
import type { IntentTerms } from '../../../src/engine/domain/terms.ts';
import type { CallbackCall, CallbackReading } from '../../../src/engine/rails/callback.ts';
import type { Rail, StartResult } from '../../../src/engine/rails/rail.ts';
import type { RailOrder } from '../../../src/engine/rails/rail-order.ts';
import type { RefundOrder, RefundReading } from '../../../src/engine/rails/refund.ts';
import { configuredRail } from '../../../src/engine/rails/settings.ts';
import { callbackCall } from './callback-call.ts';
import { freshReference, orderFor } from './order.ts';
import { refundOrderFor } from './refund-order.ts';

/** How the scene plays a rail. */
export interface Player<Played extends StandIn = StandIn> {
  readonly method: Method;
  start(): Promise<Played & { registeredCallbackUrl?: string | null }>;
  readonly phone: string;
  /** Settings that differ from the stand-in's. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the merchant asks for with every order. */
  readonly terms?: Partial<IntentTerms>;
  /** Where a person plays a customer who pays in the provider's app. */
  appUrl?(standIn: Played, app: AppParameters): string;
  /** The provider no longer knows any token that it issued. */
  dropTokens?(standIn: Played): void;
  /** The order exists at the provider once the customer has opened the page. */
  readonly isMadeByPage?: true;
  /** The provider reports to the one registered address. */
  readonly hasRegisteredAddress?: true;
}

/** How a rail reaches its provider: over the internet, or through a network between the two. */
export interface Way {
  /** What the operator's secret has besides. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The bindings of the gateway besides its secrets. */
  readonly bindings: Readonly<Record<string, unknown>>;
  /** The address by which the rail calls the server at this one. */
  readonly addressOf: (url: string) => string;
}

export const DIRECT: Way = { settings: {}, bindings: {}, addressOf: (url) => url };

/** Settings with the address of a page, which a browser opens, and never through that network. */
const PAGE_SETTINGS: ReadonlySet<string> = new Set(['webPageUrl', 'CBE baseUrl']);

/** An order that the provider has, and the start that put it there. */
export interface Placed {
  readonly order: RailOrder;
  /** The start of a rail that answers only after the customer has acted: pending until then. */
  readonly started: Promise<StartResult>;
  readonly atProvider: StandInOrder;
}

/**
 * One rail between its stand-in and a gateway that consists of the adapter alone, made of the
 * operator's secret as the gateway makes it. Reports arrive by HTTP and are read as they arrive.
 */
export class RailScene<Played extends StandIn = StandIn> {
  readonly player: Player<Played>;
  readonly standIn: Played;
  readonly rail: Rail;
  readonly #way: Way;
  readonly #orders = new Map<string, RailOrder>();
  readonly #refunds = new Map<string, RefundOrder>();
  readonly #readings: { readonly path: string; readonly reading: CallbackReading }[] = [];
  readonly #refundReadings: { readonly path: string; readonly reading: RefundReading }[] = [];
  #receiver: StandInServer | null = null;
  #script: StandInServer | null = null;
  #reply: (call: ReceivedCall) => Reply = () => ({ type: 'reset' });
  #amountMinor = 150_000;

  private constructor(player: Player<Played>, standIn: Played, way: Way) {
    this.player = player;
    this.standIn = standIn;
    this.#way = way;
    this.rail = this.railWith({});
  }

  /** The adapter with some of the operator's settings changed. */
  railWith(changed: Readonly<Record<string, unknown>>): Rail {
    const { settings, statusQuery, refundSettings } = this.standIn;
    const secret = { ...settings, ...(statusQuery && { statusQuery }), ...refundSettings };
    const whole = { ...secret, ...this.player.settings, ...changed };
    return railOf(this.player.method, this.#onItsWay(whole), this.#way.bindings);
  }

  /** The secret of a gateway that goes this way. */
  #onItsWay(secret: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { method } = this.player;
    const { settings, addressOf } = this.#way;
    const moved = (name: string, value: unknown): unknown => {
      if (typeof value === 'string' && value.startsWith('http')) {
        const isPage = PAGE_SETTINGS.has(name) || PAGE_SETTINGS.has(`${method} ${name}`);
        return isPage ? value : addressOf(value);
      }
      return name === 'statusQuery' && value !== undefined ? all(Object(value)) : value;
    };
    const all = (given: object) =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [name, moved(name, value)]));
    const bank = method === 'CBE' ? { statusBaseUrl: secret.baseUrl } : {};
    return { ...all({ ...bank, ...secret }), ...settings };
  }

  /**
   * The adapter of a provider that signs everybody in and answers every other call with `reply`, for
   * answers that no stand-in would give.
   */
  async scripted(
    reply: Reply | ((call: ReceivedCall) => Reply),
    signIn: Reply = SIGNED_IN,
  ): Promise<Rail> {
    this.#reply = (call) => {
      if (/token|login/.test(call.url)) {
        return signIn;
      }
      return typeof reply === 'function' ? reply(call) : reply;
    };
    this.#script ??= await StandInServer.start(async (call) => this.#reply(call));
    return this.railAt(this.#script.baseUrl);
  }

  get scriptedUrl(): string {
    return this.#script?.baseUrl ?? '';
  }

  /** What the scripted provider got. */
  get scriptedCalls(): readonly ReceivedCall[] {
    return this.#script?.calls ?? [];
  }

  /** The adapter whose provider is the server at this URL. */
  railAt(baseUrl: string): Rail {
    const moved = Object.entries(this.standIn.settings)
      .filter(([, value]) => String(value).startsWith('http'))
      .map(([name, value]) => [name, `${baseUrl}${new URL(String(value)).pathname}`]);
    return this.railWith(Object.fromEntries(moved));
  }

  static async start<Played extends StandIn>(
    player: Player<Played>,
    way: Way = DIRECT,
  ): Promise<RailScene<Played>> {
    const standIn = await player.start();
    const scene = new RailScene(player, standIn, way);
    scene.#receiver = await StandInServer.start((call) => scene.#receive(call));
    if (player.hasRegisteredAddress) {
      standIn.registeredCallbackUrl = `${scene.#receiver.baseUrl}/shared`;
    }
    return scene;
  }

  async #receive(call: ReceivedCall): Promise<Reply> {
    const path = new URL(call.url, 'http://gateway').pathname;
    const order = this.#orders.get(path);
    const reading = order && (await this.rail.readCallback?.(requestOf(call), order));
    if (reading !== undefined) {
      this.#readings.push({ path, reading });
    }
    const refund = this.#refunds.get(path);
    const refundReading = refund && (await this.rail.readRefundCallback?.(requestOf(call), refund));
    if (refundReading !== undefined) {
      this.#refundReadings.push({ path, reading: refundReading });
    }
    const { status, headers, body } = (reading ?? refundReading)?.reply ?? UNKNOWN_URL;
    return { type: 'answer', status, headers, body: body ?? '' };
  }

  async stop(): Promise<void> {
    await Promise.all([this.standIn.stop(), this.#receiver?.stop(), this.#script?.stop()]);
  }

  /** The report that came last, as the gateway gets it. */
  get lastReport(): CallbackCall {
    const call = this.#receiver?.calls.at(-1);
    if (call === undefined) {
      throw new Error('no report came');
    }
    return requestOf(call);
  }

  /** What the adapter read in the report that came last. */
  get lastReading(): CallbackReading | undefined {
    return this.#readings.at(-1)?.reading;
  }

  /** What the adapter read in the reports at an order's own URL. */
  readingsOf({ callbackUrl }: RailOrder): readonly CallbackReading[] {
    return readAt(callbackUrl, this.#readings);
  }

  get reports(): number {
    return this.#readings.length;
  }

  /** The same for the reports about a refund. */
  refundReadingsOf({ callbackUrl }: RefundOrder): readonly RefundReading[] {
    return readAt(callbackUrl, this.#refundReadings);
  }

  /** An order with an amount of its own, which the stand-in treats by `plan`. */
  order(plan: Plan = {}, changed: NonNullable<Parameters<typeof orderFor>[2]> = {}): RailOrder {
    this.#amountMinor += 100;
    this.standIn.plan(wireAmount(this.standIn, this.#amountMinor), plan);
    const reference = freshReference();
    const path = this.player.hasRegisteredAddress ? '/shared' : `/rails/any/${reference}`;
    const order = orderFor(this.rail, this.player.method, {
      terms: { amountMinor: this.#amountMinor, ...this.player.terms, ...changed.terms },
      attempt: { id: crypto.randomUUID(), reference, phone: this.player.phone, ...changed.attempt },
      order: { callbackUrl: `${this.#receiver?.baseUrl}${path}`, ...changed.order },
    });
    this.keep(order);
    return order;
  }

  /** Replaces what the gateway knows about an order. */
  keep(order: RailOrder): void {
    this.#orders.set(new URL(order.callbackUrl).pathname, order);
  }

  /** The same for a refund. */
  keepRefund(order: RefundOrder): RefundOrder {
    this.#refunds.set(new URL(order.callbackUrl).pathname, order);
    return order;
  }

  /**
   * A refund of all of a payment that the provider has reported as paid, which it treats by `refund`;
   * undefined: by its amount.
   */
  async paid(refund?: NonNullable<Plan['refund']>): Promise<RefundOrder> {
    const placed = await this.place(refund && { refund });
    await placed.atProvider.act('pays');
    const reading = this.lastReading;
    if (reading?.type !== 'outcome' || reading.outcome.type !== 'succeeded') {
      throw new Error('not paid');
    }
    const { receipt } = reading.outcome;
    const attempt = { ...placed.order.attempt, status: 'succeeded' as const, receipt };
    const callbackUrl = `${this.#receiver?.baseUrl}/rails/any/refunds/${attempt.reference}`;
    return this.keepRefund(
      refundOrderFor({ ...placed.order, attempt }, { order: { callbackUrl } }),
    );
  }

  /** Starts an order and brings the customer to it. */
  async place(plan: Plan = {}, changed: Parameters<RailScene['order']>[1] = {}): Promise<Placed> {
    const order = this.order(plan, changed);
    const started = this.rail.start(order);
    if (this.rail.startWaitsForCustomer) {
      const atProvider = await this.standIn.order(order.attempt.reference);
      return { order, started, atProvider };
    }
    const result = await started;
    if (plan.start === undefined && result.type !== 'accepted') {
      throw new Error(`the start ended: ${JSON.stringify(result)}`);
    }
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

  /** Where the customer pays an order that was started so; null: on the phone. */
  payUrlOf(started: StartResult): string | null {
    if (started.type !== 'accepted') {
      return null;
    }
    const { redirectUrl, app } = started;
    return app === undefined ? redirectUrl : (this.player.appUrl?.(this.standIn, app) ?? null);
  }

  /** The adapter's reading of a report that the provider sends now. */
  async reported(
    { order, atProvider }: Placed,
    variant?: CallbackVariant,
  ): Promise<CallbackReading | undefined> {
    const { length } = this.readingsOf(order);
    await atProvider.callback(variant);
    return this.readingsOf(order)[length];
  }
}

const SIGNED_IN = jsonReply(200, { token: 'Bearer scripted', access_token: 'scripted' });

const UNKNOWN_URL = { status: 404, headers: {}, body: null };

function readAt<Reading>(
  url: string,
  readings: readonly { readonly path: string; readonly reading: Reading }[],
): readonly Reading[] {
  const { pathname } = new URL(url);
  return readings.filter(({ path }) => path === pathname).map(({ reading }) => reading);
}

/** The rail of a secret, as the gateway makes it. */
export function railOf(
  method: Method,
  settings: object,
  bindings: Readonly<Record<string, unknown>> = {},
): Rail {
  const secret = { [`RAIL_${method}_PRODUCTION`]: JSON.stringify(settings) };
  const env = { ...bindings, ...secret } as unknown as Bindings;
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

/** The scene of a file. After each test, the clock and all functions are the real ones again. */
export async function useRailScene<Played extends StandIn>(
  player: Player<Played>,
): Promise<RailScene<Played>> {
  const scene = await RailScene.start(player);
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  afterAll(() => scene.stop());
  return scene;
}
