/** A delivery in progress in this isolate. */
export interface Slot {
  owner: SlotOwner;
  readonly takenAtMs: number;
}

export interface SlotOwner {
  readonly tenant: string;
  /** The endpoint within the tenant; null: the tenant's callbackUrls count as one endpoint. */
  readonly endpoint: string | null;
}

export interface SlotShares {
  /** The most slots of one tenant. */
  readonly tenantMax: number;
  /** An endpoint gets these even while the tenant's other endpoints occupy its whole share. */
  readonly endpointMin: number;
}

export interface SlotLimits {
  /** The most slots of the whole isolate. */
  readonly slotsMax: number;
  /** The shares while fewer than `crowdedFrom` slots are in use. */
  readonly shares: SlotShares;
  /** The shares are smaller once this many slots are in use. */
  readonly crowdedFrom: number;
  readonly crowdedShares: SlotShares;
}

/** No delivery takes longer: 15 s on the wire and two calls to the payment's object. */
export const SLOT_LEASE_MS = 60_000;

/**
 * Bounds the concurrent deliveries of one isolate, in total, per tenant and per endpoint. When few
 * slots are left, the shares are smaller, so that a few tenants with hanging endpoints cannot fill
 * the isolate. Slots expire, because the runtime runs no `finally` when it drops an invocation.
 */
export class DeliverySlots {
  readonly #slots = new Set<Slot>();
  readonly #limits: SlotLimits;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Counts the slots after dropping those whose lease has passed. */
  isFull(nowMs: number): boolean {
    this.#dropLost(nowMs);
    return this.#slots.size >= this.#limits.slotsMax;
  }

  /** A slot for this owner, or null when the owner has its share. Call `isFull` first. */
  take(owner: SlotOwner, nowMs: number): Slot | null {
    if (!this.#hasRoom(owner)) {
      return null;
    }
    const slot = { owner, takenAtMs: nowMs };
    this.#slots.add(slot);
    return slot;
  }

  /** Gives a taken slot to another owner. False, without a change, when that one has its share. */
  move(slot: Slot, owner: SlotOwner): boolean {
    this.#slots.delete(slot);
    const hasRoom = this.#hasRoom(owner);
    if (hasRoom) {
      slot.owner = owner;
    }
    this.#slots.add(slot);
    return hasRoom;
  }

  #hasRoom({ tenant, endpoint }: SlotOwner): boolean {
    let ofTenant = 0;
    let ofEndpoint = 0;
    for (const { owner } of this.#slots) {
      const isSame = owner.tenant === tenant;
      ofTenant += isSame ? 1 : 0;
      ofEndpoint += isSame && owner.endpoint === endpoint ? 1 : 0;
    }
    const { shares, crowdedFrom, crowdedShares } = this.#limits;
    const { tenantMax, endpointMin } = this.#slots.size >= crowdedFrom ? crowdedShares : shares;
    return ofTenant < tenantMax || ofEndpoint < endpointMin;
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
