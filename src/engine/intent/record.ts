import { newEventId } from '../../kit/crypto/event-id.ts';
import { log } from '../../kit/platform/log.ts';
import type { ObjectAlarm } from '../../kit/platform/object-alarm.ts';
import type { Command, Rejection } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import { callbackUrlOf, type EventType, type Intent, isRefundEvent } from '../domain/intent.ts';
import type { LegalHold } from '../domain/retention.ts';
import { changedRefund } from '../domain/transition.ts';
import { isDue, newDelivery, queued, superseded } from './delivery.ts';
import { historyDetail, withEntry } from './history.ts';
import type { Message } from './outbox.ts';
import type { Ports } from './ports.ts';
import { projectedVersion, projectionDiffers, receiptsIn, searchedIds } from './projection.ts';
import { ProjectionSchedule } from './projection-schedule.ts';
import type { ExpressFacts, HistoryEntry, StoredRecord } from './protocol.ts';
import {
  type Snapshot,
  Store,
  type StoredDelivery,
  type StoredEvent,
  type StoredIntent,
} from './store.ts';
import { type ArmOptions, WakeSchedule } from './wake-schedule.ts';

/**
 * What one object stores, and the only way to change it. `commit` writes rows and alarm in one
 * `transactionSync`, and sends the messages only after it (docs/promises.md#2). Call the methods
 * that write only inside `commit`.
 */
export class PaymentRecord {
  /** Each commit sets the alarm by it. */
  readonly schedule: WakeSchedule;
  readonly projection: ProjectionSchedule;
  /** The path of the payment's receipt, for the bodies of events. Null: there is no payment. */
  receiptPath: string | null = null;
  readonly #objectAlarm: ObjectAlarm;
  readonly #store: Store;
  readonly #ports: Ports;
  /** Sends the messages of a successful commit. */
  readonly #send: (snapshot: Snapshot, messages: readonly Message[]) => void;
  /** `undefined`: not read yet, or invalid after a rollback. */
  #stored: StoredIntent | null | undefined;
  /** All events; `undefined` as above. */
  #events: readonly StoredEvent[] | undefined;
  /** How the commit in progress writes the payment's row: once, after all changes. */
  #unsaved: 'insert' | 'update' | null = null;
  #outgoing: Message[] = [];
  #isFrozen = false;
  #logged: (readonly [Intent, Intent])[] = [];

  constructor(
    sql: SqlStorage,
    objectAlarm: ObjectAlarm,
    retentionMs: number,
    ports: Ports,
    send: (snapshot: Snapshot, messages: readonly Message[]) => void,
  ) {
    this.schedule = new WakeSchedule(objectAlarm, this, retentionMs);
    this.projection = new ProjectionSchedule(this);
    this.#objectAlarm = objectAlarm;
    this.#store = new Store(sql);
    this.#ports = ports;
    this.#send = send;
  }

  /** The payment's row, or null when it was never created. */
  stored(): StoredIntent | null {
    if (this.#stored === undefined) {
      this.#stored = this.#store.exists()
        ? this.#objectAlarm.commit(() => this.#store.load())
        : null;
    }
    return this.#stored;
  }

  /** The payment, or null when it was never created or only its tombstone is left. */
  intent(): Intent | null {
    return this.stored()?.intent ?? null;
  }

  history(): HistoryEntry[] {
    return JSON.parse(this.stored()?.history ?? '[]');
  }

  /** The oldest event is first. Only payments that have ended have events. */
  events(): readonly StoredEvent[] {
    return this.intent()?.endedAtMs == null ? [] : this.#allEvents();
  }

  #allEvents(): readonly StoredEvent[] {
    const stored = this.stored();
    this.#events ??= stored === null ? [] : this.#store.events(stored);
    return this.#events;
  }

  /** The state that messages describe. Null when there is no payment. */
  snapshot(): Snapshot | null {
    const intent = this.intent();
    const hold = this.stored()?.hold;
    return intent === null ? null : { intent, events: this.events(), ...(hold && { hold }) };
  }

  /** The version of the projection, including deliveries. Null when there is no payment. */
  projectedVersion(): number | null {
    const snapshot = this.snapshot();
    return snapshot === null ? null : projectedVersion(snapshot.intent, snapshot.events);
  }

  event(sequence: number): StoredEvent | null {
    return this.events().find((event) => event.sequence === sequence) ?? null;
  }

  /** Refuses every commit and the purge from now on, because a restart would undo it; `false`: no longer. */
  freeze(isFrozen = true): void {
    this.#isFrozen = isFrozen;
  }

  /** Changes rows and alarm together or not at all, then sends the messages. */
  commit<T>(change: () => T, options: ArmOptions = {}): T {
    this.#refuseFrozen();
    this.#outgoing = [];
    this.#logged = [];
    let result: T;
    try {
      result = this.#objectAlarm.commit(() => {
        const value = change();
        this.#write();
        this.schedule.arm(options);
        return value;
      });
    } catch (error) {
      // The rows were rolled back, so the cached state must go too.
      this.#stored = undefined;
      this.#events = undefined;
      this.#unsaved = null;
      this.#outgoing = [];
      throw error;
    }
    for (const [before, after] of this.#logged) {
      logTransition(before, after);
    }
    this.#sendOutgoing();
    return result;
  }

  #refuseFrozen(): void {
    if (this.#isFrozen) {
      throw new Error('the payment is being set back to an earlier time');
    }
  }

  #write(): void {
    const stored = this.stored();
    const unsaved = this.#unsaved;
    this.#unsaved = null;
    if (stored !== null && unsaved !== null) {
      this.#store[unsaved](stored);
    }
  }

  #sendOutgoing(): void {
    // Only the last version goes to the book, even after several versions in one commit.
    const projection = this.#outgoing.findLast((message) => message.queue === 'book');
    const messages = this.#outgoing.filter(
      (message) => message.queue !== 'book' || message === projection,
    );
    const snapshot = messages.length === 0 ? null : this.snapshot();
    this.#outgoing = [];
    if (snapshot !== null) {
      this.#send(snapshot, messages);
    }
  }

  /** The first version. The commit creates the tables. */
  insert(stored: StoredIntent & { readonly intent: Intent }): void {
    const { version, updatedAtMs: atMs, status: toStatus } = stored.intent;
    const entry = { version, atMs, fromStatus: null, toStatus, detail: null };
    const history = withEntry(stored.history, { ...entry, command: 'create' });
    this.#stored = { ...stored, history };
    this.#unsaved = 'insert';
  }

  /** Replaces what is stored by a backup's rows, changed by `change`. The caller feeds the book. */
  replace(records: readonly StoredRecord[], change: (backup: StoredIntent) => StoredIntent): void {
    this.#stored = change(this.#store.replace(records));
    this.#events = undefined;
    this.#unsaved = 'update';
  }

  /** The commit writes the row once, at its end. Throws without a payment. */
  save(changes: Partial<StoredIntent>): void {
    const stored = this.stored();
    if (stored === null) {
      throw new Error('no payment to save');
    }
    this.#stored = { ...stored, ...changes };
    this.#unsaved ??= 'update';
  }

  /** Stores an event's deliveries, and sends a visible change to the book. */
  saveEvent(before: StoredEvent, after: StoredEvent, nowMs: number): void {
    if (this.#writeEvent(before, after)) {
      this.projection.sendNow(nowMs);
    }
  }

  /** Replaces the delivery at `position`, like `saveEvent`. */
  saveDelivery(event: StoredEvent, position: number, after: StoredDelivery, nowMs: number): void {
    this.saveEvent(event, { ...event, deliveries: event.deliveries.with(position, after) }, nowMs);
  }

  /** True when the book shows the change. */
  #writeEvent(before: StoredEvent, after: StoredEvent): boolean {
    let differs = false;
    const deliveries = after.deliveries.map((delivery, position) => {
      const known = before.deliveries[position];
      if (known !== undefined && !projectionDiffers(known, delivery)) {
        return delivery;
      }
      differs = true;
      return { ...delivery, revision: (known?.revision ?? 0) + 1 };
    });
    const event = { ...after, deliveries };
    if (this.stored()?.firstEvent?.sequence === event.sequence) {
      this.save({ firstEvent: event });
    } else {
      this.#store.updateLaterEvent(event);
    }
    this.#events = this.#allEvents().map((known) =>
      known.sequence === event.sequence ? event : known,
    );
    return differs;
  }

  /** Stores a hold or its release, and sends it to the book, which must not purge the payment. */
  setHold(hold: LegalHold, nowMs: number): void {
    this.save({ hold });
    this.projection.sendNow(nowMs);
  }

  enqueue(message: Message): void {
    this.#outgoing.push(message);
  }

  /** Decides, and writes the result: state, history, events and the outbox's rows. */
  apply(
    commands: readonly Command[],
    nowMs: number,
  ): { intent: Intent; rejection: Rejection | null } {
    const stored = this.stored();
    if (stored === null || stored.intent === null) {
      throw new Error('no payment to change');
    }
    const { steps, intent, rejection } = decide(stored.intent, commands, nowMs);
    let before = stored.intent;
    let { history } = stored;
    for (const step of steps) {
      history = withEntry(history, {
        version: step.intent.version,
        atMs: nowMs,
        command: step.command.type,
        fromStatus: before.status,
        toStatus: step.intent.status,
        detail: historyDetail(step.command, before, step.intent),
      });
      if (step.event !== null) {
        this.#announce(before, step.intent, step.event, nowMs);
      }
      this.#logged.push([before, step.intent]);
      before = step.intent;
    }
    if (steps.length > 0) {
      this.save({ intent, history, projectionSends: 0 });
      this.projection.send(stored.intent, intent, nowMs);
    } else if (intent !== stored.intent) {
      const hasNewId =
        searchedIds(intent).length > searchedIds(stored.intent).length ||
        receiptsIn(intent).length > receiptsIn(stored.intent).length;
      this.save({ intent });
      if (hasNewId) {
        this.projection.send(stored.intent, intent, nowMs);
      }
    }
    return { intent, rejection };
  }

  /** Stores an express call's answer by the state, unless one is stored. Returns the stored answer. */
  storeAnswer(facts: ExpressFacts | null): string | null {
    const stored = this.stored();
    if (stored === null || stored.intent === null || stored.answer !== null || facts === null) {
      return stored?.answer ?? null;
    }
    const answer = this.#ports.expressAnswer(stored.intent, facts);
    this.save({ answer });
    return answer;
  }

  #announce(before: Intent, intent: Intent, type: EventType, nowMs: number): void {
    const refund = isRefundEvent(type) ? changedRefund(before, intent) : null;
    const refundId = refund?.id ?? null;
    // An event only supersedes those about the same thing: the payment, or one of its refunds.
    for (const earlier of this.#allEvents().filter((event) => event.refundId === refundId)) {
      const deliveries = earlier.deliveries.map(superseded);
      if (deliveries.some((delivery, position) => delivery !== earlier.deliveries[position])) {
        this.#writeEvent(earlier, { ...earlier, deliveries });
      }
    }
    const callbackUrl = callbackUrlOf(intent.terms, type);
    const origin = callbackUrl === null ? null : (URL.parse(callbackUrl)?.origin ?? null);
    const event: StoredEvent = {
      sequence: intent.version,
      eventId: newEventId(nowMs),
      type,
      refundId,
      body: this.#ports.events.body(intent, type, refund, this.#receiptPath()),
      signature: null,
      createdAtMs: nowMs,
      deliveries: [newDelivery({ endpointId: null, origin }, nowMs)],
    };
    const earlier = this.#allEvents();
    if (earlier.length === 0) {
      this.save({ firstEvent: event });
    } else {
      this.#store.insertLaterEvent(event);
    }
    this.#events = [...earlier, event];
    this.#outgoing.push({ queue: 'webhooks', sequence: intent.version, position: 0 });
  }

  #receiptPath(): string {
    if (this.receiptPath === null) {
      throw new Error('an event without the path of its receipt');
    }
    return this.receiptPath;
  }

  /** Queues the deliveries and the projection whose lease or wait is over. */
  requeueDue(nowMs: number): void {
    this.projection.sendDue(nowMs);
    for (const event of this.events()) {
      const { sequence } = event;
      const due = event.deliveries.map((delivery) => isDue(delivery, nowMs));
      if (!due.includes(true)) {
        continue;
      }
      const deliveries = event.deliveries.map((delivery, position) =>
        due[position] ? queued(delivery, nowMs) : delivery,
      );
      this.saveEvent(event, { ...event, deliveries }, nowMs);
      for (const [position, { tries }] of deliveries.entries()) {
        if (due[position]) {
          this.#outgoing.push({ queue: tries > 0 ? 'retries' : 'webhooks', sequence, position });
        }
      }
    }
  }

  /** Deletes all but the tombstone, which keeps the id taken (docs/decisions.md#24). */
  purge(): void {
    this.#refuseFrozen();
    this.#objectAlarm.commit(() => {
      this.#store.purge();
      this.#objectAlarm.set(null);
    });
    this.#stored = undefined;
    this.#events = undefined;
  }
}

function logTransition(before: Intent, after: Intent): void {
  log('info', 'payment_changed', {
    environment: after.terms.environment,
    merchantId: after.terms.merchantId,
    uuid: after.terms.uuid,
    from: before.status,
    to: after.status,
    version: after.version,
  });
}
