import { expect } from 'vitest';
import type { StandInRefund } from '../../scripts/stand-ins/stand-in.ts';
import type { RailsScene } from './e2e-rails.ts';
import type { RailPayment, RailPaymentOptions } from './e2e-rails-payment.ts';
import type { Cell } from './e2e-rails-table.ts';
import { eventually, type JsonObject, newId } from './e2e-scene.ts';
import { type VerifiedWebhook, verifiedWebhook } from './e2e-webhook.ts';

/** The fields of a refund that tests read, in answers and in events. */
export interface WireRefund {
  readonly refundUniqueId: string;
  readonly status: string;
  readonly amountMinor: number;
  readonly returnedMinor: number;
  readonly failureReason: string | null;
  readonly actionReason: string | null;
}

/** A production payment that the customer has paid, and its merchant's refunds. */
export class RefundedPayment {
  readonly payment: RailPayment;
  /** The first event is PAYMENT_SUCCESS. */
  #eventsRead = 1;
  /** Events that arrived before the test asked for them. */
  readonly #early: VerifiedWebhook[] = [];

  private constructor(payment: RailPayment) {
    this.payment = payment;
  }

  static async paid(
    rails: RailsScene,
    cell: Cell,
    options: RailPaymentOptions = {},
  ): Promise<RefundedPayment> {
    const payment = await rails.pay(cell, options);
    await payment.act('pays');
    const event = verifiedWebhook(await payment.hook.request(0), payment.keys);
    expect(event.webHookEvent).toBe('PAYMENT_SUCCESS');
    return new RefundedPayment(payment);
  }

  /** Asks for a refund, of what is left unless `changes` has an amount in minor units. */
  ask(
    refundUniqueId: string,
    { amountMinor, ...headers }: { amountMinor?: number; 'idempotency-key'?: string } = {},
  ) {
    const body: JsonObject = {
      paymentIntentUniqueId: this.payment.uniqueId,
      refundUniqueId,
      ...(amountMinor !== undefined && { amountMinor }),
    };
    return this.#api.call<WireRefund>('POST', 'refund', { body, headers });
  }

  /** An accepted refund's id. */
  async asked(amountMinor?: number): Promise<string> {
    const refundUniqueId = newId();
    const answer = await this.ask(refundUniqueId, amountMinor === undefined ? {} : { amountMinor });
    expect(answer.body).toMatchObject({
      status: 200,
      content: { refundUniqueId, status: 'PENDING', failureReason: null, actionReason: null },
    });
    return refundUniqueId;
  }

  async status(refundUniqueId: string): Promise<WireRefund> {
    const answer = await this.#api.call<WireRefund>('GET', `refund/${refundUniqueId}`);
    expect(answer.status).toBe(200);
    return answer.body.content;
  }

  untilStatus(refundUniqueId: string, status: string): Promise<WireRefund> {
    return eventually(
      () => this.status(refundUniqueId),
      (refund) => refund.status === status,
    );
  }

  /**
   * The merchant gets an event about this refund, verified, which equals what it can ask for. Those
   * of several refunds may overtake one another.
   */
  async expectTold(
    refundUniqueId: string,
    webHookEvent: 'REFUND_REQUIRES_ACTION' | 'REFUND_SUCCESS' | 'REFUND_FAILED',
    refund: Partial<WireRefund>,
  ): Promise<VerifiedWebhook> {
    const event = await this.#eventAbout(refundUniqueId);
    this.payment.eventsChecked = this.#eventsRead - this.#early.length;
    const now = await this.status(refundUniqueId);
    const status = webHookEvent === 'REFUND_SUCCESS' ? 'REFUNDED' : webHookEvent;
    expect(event).toMatchObject({ webHookEvent, status, payment: { refund: now } });
    expect(now).toMatchObject({ refundUniqueId, ...refund });
    return event;
  }

  async #eventAbout(refundUniqueId: string): Promise<VerifiedWebhook> {
    const isAboutIt = ({ payment }: VerifiedWebhook) =>
      payment.refund?.refundUniqueId === refundUniqueId;
    for (;;) {
      const known = this.#early.findIndex(isAboutIt);
      const [event] = known === -1 ? [] : this.#early.splice(known, 1);
      if (event !== undefined) {
        return event;
      }
      const request = await this.payment.hook.request(this.#eventsRead);
      this.#eventsRead += 1;
      this.#early.push(verifiedWebhook(request, this.payment.keys));
    }
  }

  /** What the provider has recorded. */
  async atProvider(): Promise<readonly StandInRefund[]> {
    return (await this.payment.order()).refunds ?? [];
  }

  /** What the customer got, in the format of the rail's calls. */
  async returned(): Promise<readonly string[]> {
    const refunds = await this.atProvider();
    return refunds.filter(({ isReturned }) => isReturned).map(({ amountText }) => amountText);
  }

  get #api() {
    return this.payment.scene.production;
  }
}
