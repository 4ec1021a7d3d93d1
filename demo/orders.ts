import { randomUUID } from 'node:crypto';
import type { Payment } from '../clients/typescript/kefel.ts';

/** What the shop sells. Prices are in minor units, as everywhere in code that handles money. */
export const PRODUCT = {
  name: 'Yirgacheffe coffee, 1 kg',
  priceMinor: 45_000,
  currency: 'ETB',
} as const;
export const QUANTITY_MAX = 5;

export interface Order {
  /** Also the payment's `paymentIntentUniqueId`, so that a repeat cannot charge twice. */
  readonly id: string;
  /** Stored before the call, so that a repeat after a crash gets the first answer. */
  readonly idempotencyKey: string;
  readonly quantity: number;
  readonly amountMinor: number;
  /** What the customer pays, commission included, as the gateway last told. */
  chargedMinor: number;
  /** The payment's status as the gateway last told. */
  status: Payment['status'];
  /** The version of the payment that said so: webhooks may arrive out of order. */
  sequence: number;
  /** The address of the payment's page; null for an express payment. */
  checkoutUrl: string | null;
  /** The customer's receipt; null until the order is paid. */
  receiptUrl: string | null;
}

/** What a webhook and a status call have in common. */
type Told = Pick<
  Payment,
  'uniqueId' | 'status' | 'sequence' | 'totalAmount' | 'chargedAmount' | 'currency' | 'receiptUrl'
>;

/** The shop's orders, in memory. A real shop has a database. */
export class Orders {
  readonly #orders = new Map<string, Order>();

  get(id: string): Order | null {
    return this.#orders.get(id) ?? null;
  }

  /** The order of a form that was sent before, or a new one. */
  forForm(formId: string, quantity: number): { readonly order: Order; readonly isNew: boolean } {
    const known = this.get(formId);
    if (known?.quantity === quantity) {
      return { order: known, isNew: false };
    }
    const order: Order = {
      id: known === null ? formId : newOrderId(),
      idempotencyKey: randomUUID(),
      quantity,
      amountMinor: quantity * PRODUCT.priceMinor,
      chargedMinor: quantity * PRODUCT.priceMinor,
      status: 'OPEN',
      sequence: 0,
      checkoutUrl: null,
      receiptUrl: null,
    };
    this.#orders.set(order.id, order);
    return { order, isNew: true };
  }

  /** Records what the gateway says of a payment. It must be for the whole amount of our order. */
  record(payment: Told): void {
    const { status, sequence, totalAmount, currency } = payment;
    const order = this.get(payment.uniqueId);
    if (order === null || sequence <= order.sequence) {
      return;
    }
    if (totalAmount !== order.amountMinor || currency !== PRODUCT.currency) {
      throw new Error(`The payment of ${order.id} is over another amount than the order`);
    }
    order.status = status;
    order.sequence = sequence;
    order.chargedMinor = payment.chargedAmount;
    order.receiptUrl = payment.receiptUrl;
  }
}

export function newOrderId(): string {
  return `shop-${randomUUID()}`;
}

/** `45000` as the `450` that requests carry. */
export function major(amountMinor: number): number {
  return amountMinor / 100;
}
