import type { ObjectAlarm } from '../../kit/platform/object-alarm.ts';
import { nextWakeAtMs } from '../domain/decide.ts';
import { earliest } from '../domain/earliest.ts';
import { type KeptPayment, retentionEndsAtMs } from '../domain/retention.ts';
import type { StoredDelivery, StoredEvent, StoredIntent } from './store.ts';

export interface ArmOptions {
  /** Does not move an alarm that is early enough, which saves a row write. */
  readonly keepsEarlierAlarm?: boolean;
}

/** A short lease keeps the alarm: one that wakes once without work costs less than moving it. */
export const KEEPS_EARLIER_ALARM: ArmOptions = { keepsEarlierAlarm: true };

/** What the alarm reads of the payment. */
interface Scheduled {
  stored(): StoredIntent | null;
  events(): readonly StoredEvent[];
}

/** When a payment next needs its object, whose one alarm this sets. */
export class WakeSchedule {
  readonly #alarm: ObjectAlarm;
  readonly #payment: Scheduled;
  readonly #retentionMs: number;

  constructor(alarm: ObjectAlarm, payment: Scheduled, retentionMs: number) {
    this.#alarm = alarm;
    this.#payment = payment;
    this.#retentionMs = retentionMs;
  }

  /** When anything is next due: the intent's own times, leases, tries, retention. */
  wakeAtMs(): number | null {
    const stored = this.#payment.stored();
    if (stored === null || stored.intent === null) {
      return null;
    }
    return earliest(
      nextWakeAtMs(stored.intent),
      stored.projectionDueAtMs,
      this.retentionEndsAtMs(),
      ...this.#deliveries().map((delivery) => delivery.dueAtMs),
    );
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

  /** Sets the alarm to the next time at which anything is due. Part of each commit. */
  arm({ keepsEarlierAlarm = false }: ArmOptions): void {
    this.#alarm.set(this.wakeAtMs(), keepsEarlierAlarm);
  }
}
