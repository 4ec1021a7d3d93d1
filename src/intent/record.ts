import { attemptsToCheck, decide, nextWakeAtMs } from '../domain/decide.ts';
import {
  type Command,
  type EventType,
  hasEnded,
  type Intent,
  type Rejection,
} from '../domain/intent.ts';
import { queuedLeaseMs, RETENTION_MS } from '../domain/schedule.ts';
import { log } from '../log.ts';
import { isDue, queued, superseded } from './delivery.ts';
import { historyDetail } from './history.ts';
import type { Message, Snapshot } from './outbox.ts';
import type { EventPort } from './ports.ts';
import { projectedVersion, projectionDiffers, searchedIds } from './projection.ts';
import type { ExpressAnswers } from './protocol.ts';
import { NEW_STORED, Store, type StoredEvent, type StoredIntent } from './store.ts';

export interface ArmOptions {
  /** Leaves an alarm that is early enough where it is: one row less to write. */
  readonly keepsEarlierAlarm?: boolean;
  /** Rails are about to be asked: a check that is due must not wake the object again before. */
  readonly notBeforeMs?: number;
}

/**
 * What one object stores, and the only way to change it: `commit` writes rows and alarm in one
 * `transactionSync`, and hands out the messages only once that has happened (docs/promises.md#2).
 * The methods that write are for use inside `commit`.
 */
export class PaymentRecord {
  readonly #storage: DurableObjectStorage;
  readonly #store: Store;
  readonly #eventBody: EventPort['body'];
  /** Sends the messages of a commit that has been made. */
  readonly #send: (snapshot: Snapshot, messages: readonly Message[]) => void;
  /** `undefined`: not read yet, or not to be trusted after a rollback. */
  #stored: StoredIntent | null | undefined;
  /** What is known to be set; null after a start, when it is set anew by the next commit. */
  #armedAtMs: number | null = null;
  #outgoing: Message[] = [];
  #logged: (readonly [Intent, Intent])[] = [];

  constructor(
    storage: DurableObjectStorage,
    eventBody: EventPort['body'],
    send: (snapshot: Snapshot, messages: readonly Message[]) => void,
  ) {
    this.#storage = storage;
    this.#store = new Store(storage.sql);
    this.#eventBody = eventBody;
    this.#send = send;
  }

  /** The payment's row, or null when it was never created. */
  stored(): StoredIntent | null {
    if (this.#stored === undefined) {
      this.#stored = this.#store.exists()
        ? this.#storage.transactionSync(() => this.#store.load())
        : null;
    }
    return this.#stored;
  }

  /** The payment, or null when it was never created or only its tombstone is left. */
  intent(): Intent | null {
    return this.stored()?.intent ?? null;
  }

  history() {
    return this.intent() === null ? [] : this.#store.history();
  }

  /** Oldest first. Only an end is announced, so before it there is nothing to look for. */
  events(): StoredEvent[] {
    return this.intent()?.endedAtMs == null ? [] : this.#store.events();
  }

  /** What leaves the object speaks of. Null when there is no payment. */
  snapshot(): Snapshot | null {
    const intent = this.intent();
    return intent === null ? null : { intent, events: this.events() };
  }

  /** The version of what the read model shows, deliveries included. Null when there is no payment. */
  projectedVersion(): number | null {
    const snapshot = this.snapshot();
    return snapshot === null ? null : projectedVersion(snapshot.intent, snapshot.events);
  }

  event(sequence: number): StoredEvent | null {
    return this.events().find((event) => event.sequence === sequence) ?? null;
  }

  /** Rows and alarm change together or not at all; messages leave afterwards or never. */
  commit<T>(change: () => T, options: ArmOptions = {}): T {
    const armedBeforeMs = this.#armedAtMs;
    this.#outgoing = [];
    this.#logged = [];
    let result: T;
    try {
      result = this.#storage.transactionSync(() => {
        const value = change();
        this.arm(options);
        return value;
      });
    } catch (error) {
      // The rows are as before; memory must not remember otherwise.
      this.#stored = undefined;
      this.#armedAtMs = armedBeforeMs;
      this.#outgoing = [];
      throw error;
    }
    for (const [before, after] of this.#logged) {
      logTransition(before, after);
    }
    this.#sendOutgoing();
    return result;
  }

  #sendOutgoing(): void {
    // The read model is told of the last version only, however many the commit went through.
    const projection = this.#outgoing.findLast((message) => message.queue === 'projections');
    const messages = this.#outgoing.filter(
      (message) => message.queue !== 'projections' || message === projection,
    );
    const snapshot = messages.length === 0 ? null : this.snapshot();
    this.#outgoing = [];
    if (snapshot !== null) {
      this.#send(snapshot, messages);
    }
  }

  /** Makes the tables and the first version. */
  insert(stored: StoredIntent & { readonly intent: Intent }): void {
    this.#store.insert(stored);
    this.#stored = stored;
    this.#store.appendHistory({
      version: stored.intent.version,
      atMs: stored.intent.updatedAtMs,
      command: 'create',
      fromStatus: null,
      toStatus: stored.intent.status,
      detail: null,
    });
    this.#outgoing.push({ queue: 'projections' });
  }

  save(stored: StoredIntent): void {
    this.#store.update(stored);
    this.#stored = stored;
  }

  /** Stores what became of an event's delivery, and tells the read model what it shows of that. */
  saveEvent(before: StoredEvent, after: StoredEvent, nowMs: number): void {
    if (this.#writeEvent(before, after)) {
      this.#reportProjected(nowMs);
    }
  }

  /** True when it is news to the read model. */
  #writeEvent(before: StoredEvent, after: StoredEvent): boolean {
    const isNews = projectionDiffers(before, after);
    this.#store.updateEvent(isNews ? { ...after, revision: before.revision + 1 } : after);
    return isNews;
  }

  #reportProjected(nowMs: number): void {
    const stored = this.stored();
    // A lease that runs already does for this too, and costs no row.
    if (stored !== null && stored.projectionDueAtMs === null) {
      this.save({ ...stored, projectionSends: 0, projectionDueAtMs: nowMs + queuedLeaseMs(0) });
    }
    this.#outgoing.push({ queue: 'projections' });
  }

  enqueue(message: Message): void {
    this.#outgoing.push(message);
  }

  /** Decides, and writes what was decided: state, history, events and the outbox's rows. */
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
    for (const step of steps) {
      this.#store.appendHistory({
        version: step.intent.version,
        atMs: nowMs,
        command: step.command.type,
        fromStatus: before.status,
        toStatus: step.intent.status,
        detail: historyDetail(step.command, before, step.intent),
      });
      if (step.event !== null) {
        this.#announce(step.intent, step.event, nowMs);
      }
      this.#logged.push([before, step.intent]);
      before = step.intent;
    }
    if (steps.length > 0) {
      // A lease that runs already does for this version too, and the alarm can stay where it is.
      const projectionDueAtMs = stored.projectionDueAtMs ?? nowMs + queuedLeaseMs(0);
      this.save({ ...stored, intent, projectionSends: 0, projectionDueAtMs });
      this.#outgoing.push({ queue: 'projections' });
    } else if (intent !== stored.intent) {
      const hasNewId = searchedIds(intent).length > searchedIds(stored.intent).length;
      this.save({ ...stored, intent });
      if (hasNewId && hasEnded(intent.status)) {
        this.#reportProjected(nowMs);
      } else if (hasNewId) {
        // The rail has named the attempt. Under no lease: the next version tells it again, and until
        // the end there always is one.
        this.#outgoing.push({ queue: 'projections' });
      }
    }
    return { intent, rejection };
  }

  /** Stores the answer that fits, unless one is there already. Returns the one that stayed. */
  keepAnswer(answers: ExpressAnswers | null): string | null {
    const stored = this.stored();
    if (stored === null || stored.intent === null || stored.answer !== null || answers === null) {
      return stored?.answer ?? null;
    }
    const isFailed = stored.intent.attempts.every(({ status }) => status === 'failed');
    const answer = isFailed ? answers.failed : answers.otherwise;
    this.save({ ...stored, answer });
    return answer;
  }

  #announce(intent: Intent, type: EventType, nowMs: number): void {
    for (const earlier of this.#store.events()) {
      const after = superseded(earlier);
      if (after !== earlier) {
        this.#writeEvent(earlier, after);
      }
    }
    this.#store.insertEvent({
      sequence: intent.version,
      eventId: `evt_${crypto.randomUUID().replaceAll('-', '')}`,
      type,
      body: this.#eventBody(intent, type),
      signature: null,
      createdAtMs: nowMs,
      deliveryStatus: 'queued',
      claimId: null,
      dueAtMs: nowMs + queuedLeaseMs(0),
      timesQueued: 0,
      tries: 0,
      log: [],
      revision: 0,
    });
    this.#outgoing.push({ queue: 'webhooks', sequence: intent.version });
  }

  /** Puts deliveries and the read model row whose lease or wait is over back into their queues. */
  requeueDue(nowMs: number): void {
    const stored = this.stored();
    if (stored !== null && stored.projectionDueAtMs !== null && stored.projectionDueAtMs <= nowMs) {
      const projectionSends = stored.projectionSends + 1;
      this.save({
        ...stored,
        projectionSends,
        projectionDueAtMs: nowMs + queuedLeaseMs(projectionSends),
      });
      this.#outgoing.push({ queue: 'projections' });
    }
    for (const event of this.events().filter((candidate) => isDue(candidate, nowMs))) {
      const isRetry = event.tries > 0;
      this.saveEvent(event, queued(event, nowMs), nowMs);
      this.#outgoing.push({ queue: isRetry ? 'retries' : 'webhooks', sequence: event.sequence });
    }
  }

  /** Leaves only the tombstone that keeps the id taken (docs/decisions.md#24). */
  purge(): void {
    this.#storage.transactionSync(() => {
      this.#store.purge();
      void this.#storage.deleteAlarm();
    });
    this.#armedAtMs = null;
    this.#stored = undefined;
  }

  /** Sets the alarm to the next moment at which anything is due. */
  arm({ keepsEarlierAlarm = false, notBeforeMs }: ArmOptions = {}): void {
    const wakeAtMs = this.wakeAtMs();
    if (wakeAtMs === null) {
      return;
    }
    const waitsForRails = notBeforeMs !== undefined && this.#hasChecksDue(notBeforeMs);
    const atMs = waitsForRails ? Math.max(wakeAtMs, notBeforeMs) : wakeAtMs;
    const armedAtMs = this.#armedAtMs;
    // One in the past has fired or is lost: it keeps nothing.
    const isEarlier = armedAtMs !== null && armedAtMs <= atMs && armedAtMs > Date.now();
    if (armedAtMs === atMs || (keepsEarlierAlarm && isEarlier)) {
      return;
    }
    this.#armedAtMs = atMs;
    void this.#storage.setAlarm(atMs);
  }

  #hasChecksDue(atMs: number): boolean {
    const intent = this.intent();
    return intent !== null && attemptsToCheck(intent, atMs).length > 0;
  }

  /** Arms at a given moment whatever is due: the first thing an alarm does. */
  async armAt(atMs: number): Promise<void> {
    await this.#storage.setAlarm(atMs);
    this.#armedAtMs = atMs;
  }

  /**
   * When the payment may be forgotten: RETENTION_MS after the last news of it, and not while
   * anything is still to be delivered or to be told to the read model. Null while it has not ended.
   */
  retentionEndsAtMs(): number | null {
    const intent = this.intent();
    const isOver = intent !== null && hasEnded(intent.status);
    const isTold =
      this.stored()?.projectionDueAtMs === null &&
      this.events().every((event) => event.dueAtMs === null);
    return isOver && isTold ? intent.updatedAtMs + RETENTION_MS : null;
  }

  /** When anything is next due: time in the domain, leases, tries, retention. */
  wakeAtMs(): number | null {
    const stored = this.stored();
    if (stored === null || stored.intent === null) {
      return null;
    }
    const times = [
      nextWakeAtMs(stored.intent),
      stored.projectionDueAtMs,
      this.retentionEndsAtMs(),
      ...this.events().map((event) => event.dueAtMs),
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }
}

/** The row of a payment that is about to be created. */
export function newRow(changes: Partial<StoredIntent> & { readonly intent: Intent }) {
  return { ...NEW_STORED, ...changes };
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
