/** A delivery in progress in this isolate. */
export interface Slot {
  readonly owner: string;
  readonly takenAtMs: number;
}

export interface SlotLimits {
  /** In total. */
  readonly slotsMax: number;
  /** Per owner, below `crowdedFrom`. */
  readonly ownerSlotsMax: number;
  /** From this many slots in use on, each owner may have at most `crowdedOwnerSlotsMax`. */
  readonly crowdedFrom: number;
  readonly crowdedOwnerSlotsMax: number;
}

/** Longer than any delivery: 15 s on the wire and two calls to the payment's object. */
export const SLOT_LEASE_MS = 60_000;

/**
 * Bounds the concurrent deliveries of one isolate, in total and per owner. When few slots are left,
 * the bound per owner is lower, so that a few owners with hanging endpoints cannot fill the
 * isolate. Slots expire, because the runtime runs no `finally` when it drops an invocation.
 */
export class DeliverySlots {
  readonly #slots = new Set<Slot>();
  readonly #limits: SlotLimits;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  isFull(nowMs: number): boolean {
    this.#dropLost(nowMs);
    return this.#slots.size >= this.#limits.slotsMax;
  }

  /** A slot for this owner, or null when the owner has its share. Call `isFull` first. */
  take(owner: string, nowMs: number): Slot | null {
    this.#dropLost(nowMs);
    let taken = 0;
    for (const slot of this.#slots) {
      taken += slot.owner === owner ? 1 : 0;
    }
    const { crowdedFrom, crowdedOwnerSlotsMax, ownerSlotsMax } = this.#limits;
    const isCrowded = this.#slots.size >= crowdedFrom;
    if (taken >= (isCrowded ? crowdedOwnerSlotsMax : ownerSlotsMax)) {
      return null;
    }
    const slot = { owner, takenAtMs: nowMs };
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
