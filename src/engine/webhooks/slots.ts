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

/** This many deliveries of a queue fit into an isolate's 128 MB beside its other work. */
export const DELIVERIES_MAX = 200;
/**
 * Endpoints that hang for 15 s occupy at most `tenantMax` slots of a tenant. `endpointMin` slots are
 * reserved for each endpoint, so that the tenant's other endpoints cannot take all of them.
 */
export const SHARES = { tenantMax: 16, endpointMin: 4 };
/** From this many on, the shares are smaller, so that hanging endpoints cannot take all slots. */
export const CROWDED_FROM = 120;
const CROWDED_SHARES = { tenantMax: 2, endpointMin: 1 };

/** The longest delivery: 15 s on the wire and two calls to the payment's object. */
export const SLOT_LEASE_MS = 60_000;

/**
 * Bounds the concurrent deliveries of one isolate, in total, per tenant and per endpoint. When few
 * slots are left, the shares are smaller, so that a few tenants with hanging endpoints cannot fill
 * the isolate. Slots expire, because the runtime runs no `finally` when it drops an invocation.
 */
export class DeliverySlots {
  readonly #slots = new Set<Slot>();

  /** Counts the slots after dropping those whose lease has passed. */
  isFull(nowMs: number): boolean {
    for (const slot of this.#slots) {
      if (nowMs - slot.takenAtMs >= SLOT_LEASE_MS) {
        this.#slots.delete(slot);
      }
    }
    return this.#slots.size >= DELIVERIES_MAX;
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
    const { tenantMax, endpointMin } = this.#slots.size >= CROWDED_FROM ? CROWDED_SHARES : SHARES;
    return ofTenant < tenantMax || ofEndpoint < endpointMin;
  }

  release(slot: Slot): void {
    this.#slots.delete(slot);
  }
}
