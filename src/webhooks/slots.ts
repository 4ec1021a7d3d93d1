/** A delivery under way in this isolate. */
export interface Slot {
  readonly owner: string;
  readonly takenAtMs: number;
}

export interface SlotLimits {
  /** In all. */
  readonly slotsMax: number;
  /** Of one owner while there is room. */
  readonly ownerSlotsMax: number;
  /** From this many on, an owner gets a slot only below `crowdedOwnerSlotsMax`. */
  readonly crowdedFrom: number;
  readonly crowdedOwnerSlotsMax: number;
}

/** Longer than any delivery lives: 15 s on the wire and two calls to the payment's object. */
export const SLOT_LEASE_MS = 60_000;

/**
 * Bounds the deliveries of one isolate, overall and per owner; the last slots are shared out
 * sparsely, so that a few owners whose endpoints hang cannot fill the isolate. Slots are leases: a
 * runtime that drops an invocation runs no `finally`, and a lost slot would stay taken.
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

  /** A slot for this owner, or null when it has its share. Ask `isFull` first. */
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
