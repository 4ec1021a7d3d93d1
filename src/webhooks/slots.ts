/** A delivery under way in this isolate. */
export interface Slot {
  readonly merchantId: string;
  readonly takenAtMs: number;
}

/** Longer than any delivery lives: 15 s on the wire and two calls to the payment's object. */
export const SLOT_LEASE_MS = 60_000;

/**
 * Bounds the deliveries of one isolate, overall and per merchant. Slots are leases: a runtime that
 * drops an invocation runs no `finally`, and a slot lost for good would in the end silence a
 * merchant.
 */
export class DeliverySlots {
  readonly #slots = new Set<Slot>();
  readonly #slotsMax: number;
  readonly #merchantSlotsMax: number;

  constructor(limits: { readonly slotsMax: number; readonly merchantSlotsMax: number }) {
    this.#slotsMax = limits.slotsMax;
    this.#merchantSlotsMax = limits.merchantSlotsMax;
  }

  isFull(nowMs: number): boolean {
    this.#dropLost(nowMs);
    return this.#slots.size >= this.#slotsMax;
  }

  /** A slot for this merchant, or null when it has all of its own. Ask `isFull` first. */
  take(merchantId: string, nowMs: number): Slot | null {
    this.#dropLost(nowMs);
    let taken = 0;
    for (const slot of this.#slots) {
      taken += slot.merchantId === merchantId ? 1 : 0;
    }
    if (taken >= this.#merchantSlotsMax) {
      return null;
    }
    const slot = { merchantId, takenAtMs: nowMs };
    this.#slots.add(slot);
    return slot;
  }

  release(slot: Slot): void {
    this.#slots.delete(slot);
  }

  #dropLost(nowMs: number): void {
    for (const slot of this.#slots) {
      if (nowMs - slot.takenAtMs >= SLOT_LEASE_MS) {
        this.#slots.delete(slot);
      }
    }
  }
}
