import { nextWakeAtMs } from '../domain/decide.ts';
import { type KeptPayment, retentionEndsAtMs } from '../domain/retention.ts';
import type { StoredDelivery, StoredEvent, StoredIntent } from './store.ts';

export interface ArmOptions {
  /** Does not move an alarm that is early enough, which saves a row write. */
  readonly keepsEarlierAlarm?: boolean;
  /** What is due is done now, so it must not wake the object before this time. */
  readonly notBeforeMs?: number;
}

/** A short lease keeps the alarm: one that wakes once without work costs less than moving it. */
export const KEEPS_EARLIER_ALARM: ArmOptions = { keepsEarlierAlarm: true };

/** What the alarm reads of the payment. */
interface Scheduled {
  stored(): StoredIntent | null;
  events(): readonly StoredEvent[];
}

/** When a payment next needs its object, and the object's one alarm, set to that time. */
export class PaymentAlarm {
  readonly #storage: DurableObjectStorage;
  readonly #payment: Scheduled;
  readonly #retentionMs: number;
  /** The alarm's time; null: unknown, so the next commit sets the alarm. */
  #armedAtMs: number | null = null;

  constructor(storage: DurableObjectStorage, payment: Scheduled, retentionMs: number) {
    this.#storage = storage;
    this.#payment = payment;
    this.#retentionMs = retentionMs;
  }

  /** When anything is next due: the intent's own times, leases, tries, retention. */
  wakeAtMs(): number | null {
    const stored = this.#payment.stored();
    if (stored === null || stored.intent === null) {
      return null;
    }
    const times = [
      nextWakeAtMs(stored.intent),
      stored.projectionDueAtMs,
      this.retentionEndsAtMs(),
      ...this.#deliveries().map((delivery) => delivery.dueAtMs),
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** When the payment must be deleted; null: not while it is as it is now. */
  retentionEndsAtMs(): number | null {
    const payment = this.kept();
    return payment === null ? null : retentionEndsAtMs(payment, this.#retentionMs);
  }

  /** What decides whether the payment may be deleted. Null when it is deleted, or does not exist. */
  kept(): KeptPayment | null {
    const stored = this.#payment.stored();
    if (stored === null || stored.intent === null) {
      return null;
    }
    const isSending =
      stored.projectionDueAtMs !== null ||
      this.#deliveries().some((delivery) => delivery.dueAtMs !== null);
    return { intent: stored.intent, hold: stored.hold ?? null, isSending };
  }

  #deliveries(): readonly StoredDelivery[] {
    return this.#payment.events().flatMap(({ deliveries }) => deliveries);
  }

  /** Sets the alarm to the next time at which anything is due. */
  arm({ keepsEarlierAlarm = false, notBeforeMs = 0 }: ArmOptions = {}): void {
    const wakeAtMs = this.wakeAtMs();
    if (wakeAtMs === null) {
      // A refund waits for a person. The safety alarm of a running alarm would repeat forever.
      this.clear();
      return;
    }
    const atMs = Math.max(wakeAtMs, notBeforeMs);
    const armedAtMs = this.#armedAtMs;
    // An alarm in the past has fired or is lost.
    const isArmed = armedAtMs !== null && armedAtMs > Date.now();
    if (isArmed && (armedAtMs === atMs || (keepsEarlierAlarm && armedAtMs < atMs))) {
      return;
    }
    this.#armedAtMs = atMs;
    void this.#storage.setAlarm(atMs);
  }

  /** Sets the alarm to a fixed time: the first step of a running alarm. */
  async armAt(atMs: number): Promise<void> {
    await this.#storage.setAlarm(atMs);
    this.#armedAtMs = atMs;
  }

  clear(): void {
    this.#armedAtMs = null;
    void this.#storage.deleteAlarm();
  }

  /** Forgets the alarm's time after a rollback, which undid its change too. */
  forget(): void {
    this.#armedAtMs = null;
  }
}
