import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { type CbeBirrStandIn, startCbeBirrStandIn } from '../../../scripts/stand-ins/cbe-birr.ts';
import {
  jsonReply,
  type Plan,
  type ReceivedCall,
  type StandInOrder,
  StandInServer,
} from '../../../scripts/stand-ins/stand-in.ts';
import type { CallbackCall } from '../../../src/engine/rails/callback.ts';
import { cbeBirrRail } from '../../../src/engine/rails/cbe-birr/rail.ts';
import {
  type CbeBirrSettings,
  cbeBirrSettingsSchema,
} from '../../../src/engine/rails/cbe-birr/settings.ts';
import type { RailOrder } from '../../../src/engine/rails/rail-order.ts';
import { base32FromBytes } from '../../../src/kit/crypto/encoding.ts';
import { callbackCall } from './callback-call.ts';
import { orderFor } from './order.ts';

type CbeBirrRail = ReturnType<typeof cbeBirrRail>;
export type CbeBirrOrder = RailOrder & { readonly orderId: string };

/**
 * CBE Birr's adapter, its stand-in, and a server in the gateway's place that receives callbacks.
 */
export class CbeBirrScene {
  readonly standIn: CbeBirrStandIn;
  readonly settings: CbeBirrSettings;
  readonly rail: CbeBirrRail;
  readonly #receiver: StandInServer;
  #amountMinor = 100_000;

  private constructor(standIn: CbeBirrStandIn, receiver: StandInServer) {
    this.standIn = standIn;
    this.#receiver = receiver;
    this.settings = v.parse(cbeBirrSettingsSchema, standIn.settings);
    this.rail = cbeBirrRail(this.settings);
    standIn.registeredCallbackUrl = `${receiver.baseUrl}/rails/cbe-birr`;
  }

  /** With a bank that accepts our long ids, unless it accepts fewer characters. */
  static async start(transactionIdCharactersMax = 79): Promise<CbeBirrScene> {
    const receiver = await StandInServer.start(async () => jsonReply(200, {}));
    return new CbeBirrScene(await startCbeBirrStandIn(0, transactionIdCharactersMax), receiver);
  }

  async stop(): Promise<void> {
    await Promise.all([this.standIn.stop(), this.#receiver.stop()]);
  }

  /** The adapter with settings that differ from the stand-in's. */
  railWith(changed: Readonly<Record<string, unknown>>): CbeBirrRail {
    return cbeBirrRail(v.parse(cbeBirrSettingsSchema, { ...this.standIn.settings, ...changed }));
  }

  /** An order with its own amount and id, unknown to CBE. */
  newOrder(changed: Partial<RailOrder> = {}): CbeBirrOrder {
    this.#amountMinor += 101;
    const chargedMinor = this.#amountMinor;
    const orderId = changed.orderId ?? someTransactionId();
    return { ...orderFor(this.rail, 'CBE', { order: { chargedMinor, ...changed } }), orderId };
  }

  /** The same, with a plan of the stand-in for its amount. */
  planned(plan: Plan): CbeBirrOrder {
    const order = this.newOrder();
    this.standIn.plan(amountTextOf(order), plan);
    return order;
  }

  /** The customer's browser follows the redirect of `start`. */
  async visit(order: RailOrder): Promise<{ readonly status: number; readonly html: string }> {
    const result = await this.rail.start(order);
    if (result.type !== 'accepted' || result.redirectUrl === null) {
      throw new Error('no page');
    }
    const response = await fetch(result.redirectUrl);
    return { status: response.status, html: await response.text() };
  }

  /** The order at the bank, once the customer has opened its page. */
  async visited(order: CbeBirrOrder): Promise<StandInOrder> {
    await this.visit(order);
    return this.standIn.order(order.orderId);
  }

  get callbacks(): number {
    return this.#receiver.calls.length;
  }

  get statusQueries(): number {
    return this.standIn.calls.filter(({ url }) => url === '/api/cbebpg/TXNSTAT').length;
  }

  /** The callback that `send` makes the stand-in post, as it reached the registered address. */
  async callbackOf(send: () => Promise<unknown>): Promise<ReceivedCall> {
    const before = this.callbacks;
    await send();
    const call = this.#receiver.calls[before];
    if (call === undefined) {
      throw new Error('no callback arrived');
    }
    return call;
  }
}

/** A transaction id in the gateway's format that names no payment. */
export function someTransactionId(): string {
  return base32FromBytes(randomBytes(49));
}

/** In wire format: numbers also appear in their shortest form. */
export function amountTextOf({ chargedMinor }: RailOrder): string {
  return String(chargedMinor / 100);
}

/** A received callback, as the adapter gets it. */
export function requestOf({ method, headers, body }: ReceivedCall): CallbackCall {
  return callbackCall({ method, headers, body });
}
