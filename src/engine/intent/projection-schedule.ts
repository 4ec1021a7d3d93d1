import type { Intent } from '../domain/intent.ts';
import {
  CREATION_SHOWN_WITHIN_MS,
  PROGRESS_SHOWN_AFTER_MS,
  queuedLeaseMs,
} from '../domain/schedule.ts';
import type { Message } from './outbox.ts';
import { confirmedFromMs, isShownAtOnce, needsConfirmation } from './projection.ts';
import type { StoredIntent } from './store.ts';

/** What it needs of the payment's record. */
interface Payment {
  stored(): StoredIntent | null;
  save(changes: Partial<StoredIntent>): void;
  enqueue(message: Message): void;
}

/**
 * When the book gets the payment: at once, or later if the change may soon be out of date; and again
 * whenever a lease expires, until the book confirms. Call the methods only inside `commit`.
 */
export class ProjectionSchedule {
  readonly #payment: Payment;

  constructor(payment: Payment) {
    this.#payment = payment;
  }

  /** Sends a new payment: at once, or with the outcome that is due in a moment. */
  sendCreation({ terms, attempts }: Intent): void {
    const shownByMs = terms.createdAtMs + CREATION_SHOWN_WITHIN_MS;
    if (attempts.some(({ checkAtMs }) => checkAtMs !== null && checkAtMs < shownByMs)) {
      this.#payment.save({ projectionDueAtMs: shownByMs });
    } else {
      this.#payment.enqueue({ queue: 'book' });
    }
  }

  /** Sends a new version: at once, or only if it lasts. */
  send(before: Intent, intent: Intent, nowMs: number): void {
    const dueAtMs = this.#dueAtMs();
    const isShown = isShownAtOnce(before);
    if (isShown || isShownAtOnce(intent)) {
      if (!isShown && dueAtMs < nowMs + CREATION_SHOWN_WITHIN_MS) {
        // This message shows what waited to be shown. That wait is too short for its lease.
        this.#payment.save({ projectionDueAtMs: null });
      }
      this.sendNow(nowMs);
    } else if (dueAtMs > nowMs + PROGRESS_SHOWN_AFTER_MS) {
      this.#payment.save({ projectionDueAtMs: nowMs + PROGRESS_SHOWN_AFTER_MS });
    }
  }

  sendNow(nowMs: number): void {
    this.lease(nowMs);
    this.#payment.enqueue({ queue: 'book' });
  }

  /** The alarm sends the projection again when the lease expires. */
  lease(nowMs: number): void {
    const leaseEndsAtMs = nowMs + queuedLeaseMs(0);
    // A running lease covers this change too, and saves a row write.
    if (this.#dueAtMs() > leaseEndsAtMs) {
      this.#payment.save({ projectionSends: 0, projectionDueAtMs: leaseEndsAtMs });
    }
  }

  /** Sends the payment if its lease or wait is over. */
  sendDue(nowMs: number): void {
    const stored = this.#payment.stored();
    if (stored === null || this.#dueAtMs() > nowMs) {
      return;
    }
    const { intent } = stored;
    const projectionSends = stored.projectionSends + 1;
    const isConfirmed = intent === null || needsConfirmation(intent, nowMs);
    this.#payment.save({
      projectionSends,
      projectionDueAtMs: isConfirmed
        ? nowMs + queuedLeaseMs(projectionSends)
        : confirmedFromMs(intent),
    });
    this.#payment.enqueue({ queue: 'book' });
  }

  #dueAtMs(): number {
    return this.#payment.stored()?.projectionDueAtMs ?? Number.POSITIVE_INFINITY;
  }
}
