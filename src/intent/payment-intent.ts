import { DurableObject } from 'cloudflare:workers';
import { paymentRetentionMs } from '../config.ts';
import { decide, openIntent } from '../domain/decide.ts';
import { type Command, callbackUrlOf, type Intent } from '../domain/intent.ts';
import { type ErasureTerms, keptFromErasure, type LegalHold } from '../domain/retention.ts';
import { OPEN_PROJECTION_AGAIN_MS } from '../domain/schedule.ts';
import { faultOfTry } from '../domain/webhook-fault.ts';
import { errorText, log } from '../platform/log.ts';
import { addressed, claimed, isScheduleUsedUp, reported, resent } from './delivery.ts';
import { type Message, sendMessages, sendProjection } from './outbox.ts';
import type { Ports } from './ports.ts';
import { needsConfirmation, projectedVersion } from './projection.ts';
import type {
  ChosenEndpoint,
  ClaimResult,
  CreateRequest,
  CreateResult,
  DeliveryId,
  DeliveryReport,
  DeliveryStatus,
  EraseResult,
  EventSummary,
  ExecuteResult,
  ExpressAnswers,
  HistoryEntry,
  IdempotencyClaim,
  ProbeResult,
  RecoveryResult,
  RestoreResult,
  Retention,
  StoredRecord,
} from './protocol.ts';
import { PaymentRecord } from './record.ts';
import { newRecord, type Snapshot, type StoredEvent } from './store.ts';
import { takenResult } from './taken.ts';

/** A short lease keeps the alarm: one that wakes once without work costs less than moving it. */
const KEEPS_EARLIER_ALARM = { keepsEarlierAlarm: true } as const;

/**
 * Before it works, `alarm()` sets the next alarm this far ahead, so that a failure cannot lose it.
 */
const ALARM_SAFETY_MS = 30_000;
/** An alarm this late counts as lost: the next request does its work. */
const ALARM_OVERDUE_MS = 60_000;

/**
 * One payment, and the only writer of its state (docs/promises.md#1). The imperative shell around
 * `domain/transition`: each method reads the clock once, decides without an await and commits once.
 * Messages are sent after the commit, and again after each expired lease until they are confirmed.
 */
export abstract class PaymentIntentObject extends DurableObject<Env> {
  readonly #ports: Ports;
  readonly #record: PaymentRecord;

  /** Counts the messages to the book: only the answer to the newest one says what the book has. */
  #sends = 0;

  /** An alarm is running, so it must not be run again as overdue. */
  #isWorking = false;

  protected constructor(ctx: DurableObjectState, env: Env, ports: Ports) {
    super(ctx, env);
    this.#ports = ports;
    this.#record = new PaymentRecord(
      ctx.storage,
      paymentRetentionMs(env),
      ports.events.body,
      (snapshot, messages) => ctx.waitUntil(this.#send(snapshot, messages)),
    );
  }

  async #send(snapshot: Snapshot, messages: readonly Message[]): Promise<void> {
    this.#sends += messages.some(({ queue }) => queue === 'book') ? 1 : 0;
    const send = this.#sends;
    const mustConfirm = needsConfirmation(snapshot.intent, Date.now());
    const objectId = this.ctx.id.toString();
    const fed = await sendMessages(this.env, objectId, snapshot, messages, this.#ports.book);
    if (send !== this.#sends || this.#record.intent() === null) {
      return;
    }
    if (fed === 'lost') {
      this.#record.commit(() => this.#record.leaseProjection(Date.now()), KEEPS_EARLIER_ALARM);
    } else if (fed === 'confirmed' && mustConfirm) {
      this.#confirm(projectedVersion(snapshot.intent, snapshot.events));
    }
  }

  /** Ends the lease of what the book has stored, unless the payment has changed since. */
  #confirm(version: number): void {
    const isLeased = this.#record.stored()?.projectionDueAtMs != null;
    if (isLeased && this.#record.projectedVersion() === version) {
      this.#record.commit(() => this.#record.save({ projectionSends: 0, projectionDueAtMs: null }));
    }
  }

  /** Creates the payment unless its id is taken. The only method that creates storage. */
  create(request: CreateRequest): CreateResult {
    const nowMs = Date.now();
    const stored = this.#record.stored();
    if (stored !== null) {
      // The same uuid is a retry of a call whose first answer was lost.
      return stored.intent?.terms.uuid === request.terms.uuid
        ? created(stored.intent)
        : takenResult(stored, request.idempotency, nowMs);
    }
    const { attempt, idempotency, answer } = request;
    const record = newRecord({
      intent: openIntent(request.terms),
      idempotencyKeyDigest: idempotency?.keyDigest ?? null,
      bodyDigest: idempotency?.bodyDigest ?? null,
      answer,
      answerDueAtMs: answer === null ? nowMs + request.answerWithinMs : null,
      projectionDueAtMs: nowMs + OPEN_PROJECTION_AGAIN_MS,
    });
    return this.#record.commit(() => {
      this.#record.insert(record);
      const start: Command[] = attempt === null ? [] : [{ type: 'start_attempt', attempt }];
      // The attempt starts at the time of creation, because a slow call must not reject it as too
      // late.
      const { intent } = this.#record.apply(start, request.terms.createdAtMs);
      this.#record.showCreation(intent);
      return created(intent);
    });
  }

  /** Whether the id is free, and otherwise the result of a repeated request. */
  probe(idempotency: IdempotencyClaim | null): ProbeResult {
    const stored = this.#record.stored();
    return stored === null ? { type: 'free' } : takenResult(stored, idempotency, Date.now());
  }

  /** The payment as it is now, or null. Commits the effects of time first (docs/promises.md#5). */
  read(): Intent | null {
    const intent = this.#record.intent();
    if (intent === null) {
      return null;
    }
    if (decide(intent, [{ type: 'tick' }], Date.now()).steps.length === 0) {
      this.#runOverdueAlarm();
      return intent;
    }
    const ticked = this.execute([{ type: 'tick' }]);
    return ticked.type === 'done' ? ticked.intent : null;
  }

  /**
   * Applies the commands in order, in one commit. The first rejection stops the rest. The same
   * commit stores the entry of `answers` that fits the outcome, unless an answer is stored already.
   */
  execute(commands: readonly Command[], answers: ExpressAnswers | null = null): ExecuteResult {
    if (this.#record.intent() === null) {
      return { type: 'not_found' };
    }
    this.#runOverdueAlarm();
    const nowMs = Date.now();
    return this.#record.commit(() => {
      const { intent, rejection } = this.#record.apply(commands, nowMs);
      const answer = this.#record.storeAnswer(answers);
      return { type: 'done', intent, rejection, answer };
    });
  }

  /** Every stored transition, oldest first. */
  history(): HistoryEntry[] {
    return this.#record.history();
  }

  /** The announced events, oldest first, one entry for each delivery. */
  events(): EventSummary[] {
    return this.#record.events().flatMap(({ sequence, eventId, type, createdAtMs, deliveries }) =>
      deliveries.map((delivery, position) => ({
        sequence,
        position,
        eventId,
        type,
        createdAtMs,
        endpointId: delivery.endpointId,
        origin: delivery.origin,
        deliveryStatus: delivery.deliveryStatus,
        dueAtMs: delivery.dueAtMs,
        tries: delivery.log,
      })),
    );
  }

  /**
   * Gives a queued delivery to one consumer for the duration of a lease. A delivery whose endpoints
   * are not chosen yet becomes one for each of `endpoints`: the caller gets the first, and messages
   * send the others. An empty or missing list leaves it as it is.
   */
  async claimDelivery(
    { sequence, position }: DeliveryId,
    endpoints: readonly ChosenEndpoint[] = [],
  ): Promise<ClaimResult> {
    const intent = this.#record.intent();
    const waiting = this.#queuedDelivery(sequence, position)?.event;
    if (intent === null || waiting === undefined) {
      return { type: 'refused' };
    }
    const { environment, merchantId, uniqueId, baseUrl } = intent.terms;
    const { events } = this.#ports;
    const fresh = waiting.signature ?? (await events.sign(this.env, environment, waiting.body));
    // Other commands may have run during signing: read again, then decide and write without an
    // await.
    const queued = this.#queuedDelivery(sequence, position);
    if (queued === null) {
      return { type: 'refused' };
    }
    const { event } = queued;
    const claimId = crypto.randomUUID();
    const signature = event.signature ?? fresh;
    const nowMs = Date.now();
    const [first, ...others] = addressed(queued.delivery, endpoints, nowMs);
    const claim = claimed(first, claimId, nowMs);
    const deliveries = [...event.deliveries.with(position, claim), ...others];
    this.#record.commit(() => {
      this.#record.saveEvent(event, { ...event, signature, deliveries }, nowMs);
      this.#enqueueFrom(event.deliveries.length, { sequence, deliveries });
    }, KEEPS_EARLIER_ALARM);
    return {
      type: 'claimed',
      delivery: {
        claimId,
        eventId: event.eventId,
        tenant: { environment, merchantId },
        callbackUrl: callbackUrlOf(intent.terms, event.type),
        mayHaveNoReceiver: intent.terms.callbackUrl !== null,
        endpointId: claim.endpointId,
        ownOrigin: baseUrl,
        requestBody: events.requestBody({
          event: event.type,
          environment,
          uniqueId,
          signature,
          body: event.body,
        }),
        isScheduleUsedUp: isScheduleUsedUp(claim),
        fault: faultOfTry(intent.terms, {
          isFirstTry: claim.log.length === 0,
          isFirstEvent: this.#record.events()[0]?.sequence === sequence,
        }),
      },
    };
  }

  /**
   * Chooses the endpoints of a queued delivery without claiming it: the first endpoint is busy, and
   * the others must not wait for it.
   */
  chooseEndpoints({ sequence, position }: DeliveryId, endpoints: readonly ChosenEndpoint[]): void {
    const queued = this.#queuedDelivery(sequence, position);
    if (queued === null || queued.delivery.origin !== null || endpoints.length === 0) {
      return;
    }
    const { event } = queued;
    const nowMs = Date.now();
    const [first, ...others] = addressed(queued.delivery, endpoints, nowMs);
    const deliveries = [...event.deliveries.with(position, first), ...others];
    this.#record.commit(() => {
      this.#record.saveEvent(event, { ...event, deliveries }, nowMs);
      this.#enqueueFrom(position, { sequence, deliveries });
    }, KEEPS_EARLIER_ALARM);
  }

  /** Sends the messages of an event's deliveries from this position on. */
  #enqueueFrom(from: number, event: Pick<StoredEvent, 'sequence' | 'deliveries'>): void {
    for (let position = from; position < event.deliveries.length; position += 1) {
      this.#record.enqueue({ queue: 'webhooks', sequence: event.sequence, position });
    }
  }

  #queuedDelivery(sequence: number, position: number) {
    const event = this.#record.event(sequence);
    const delivery = event?.deliveries[position];
    return event !== null && delivery?.deliveryStatus === 'queued' ? { event, delivery } : null;
  }

  /** Stores the result of a claimed delivery. */
  reportDelivery(report: DeliveryReport): void {
    const { sequence, position } = report;
    const event = this.#record.event(sequence);
    const delivery = event?.deliveries[position];
    if (event !== null && delivery !== undefined) {
      const nowMs = Date.now();
      const { createdAtMs } = event;
      const after = reported(delivery, report, { createdAtMs, chance: Math.random(), nowMs });
      // The book's confirmation follows at once and sets the alarm.
      this.#record.commit(
        () => this.#record.saveDelivery(event, position, after, nowMs),
        KEEPS_EARLIER_ALARM,
      );
    }
  }

  /** The exact text of the request; null when there is no such event. */
  async eventRequestBody(sequence: number): Promise<string | null> {
    const intent = this.#record.intent();
    const event = this.#record.event(sequence);
    if (intent === null || event === null) {
      return null;
    }
    const { type, body } = event;
    const { environment, uniqueId } = intent.terms;
    const { events } = this.#ports;
    // Before the first try there is no stored signature. This one has the same bytes, because
    // PKCS#1 v1.5 adds nothing random.
    const signature = event.signature ?? (await events.sign(this.env, environment, body));
    return events.requestBody({ event: type, environment, uniqueId, signature, body });
  }

  /**
   * Sends an event again: its delivery at `position`, or with null all, of those in one of the
   * states `from`; null: in any state. False when there is none.
   */
  resendEvent(
    sequence: number,
    from: readonly DeliveryStatus[] | null = null,
    position: number | null = null,
  ): boolean {
    const event = this.#record.event(sequence);
    const positions = [...(event?.deliveries.keys() ?? [])].filter(
      (known) =>
        (position === null || known === position) &&
        (from === null || from.includes(event?.deliveries[known]?.deliveryStatus ?? 'claimed')),
    );
    if (event === null || positions.length === 0) {
      return false;
    }
    const nowMs = Date.now();
    const deliveries = event.deliveries.map((delivery, known) =>
      positions.includes(known) ? resent(delivery, nowMs) : delivery,
    );
    this.#record.commit(() => {
      this.#record.saveEvent(event, { ...event, deliveries }, nowMs);
      for (const known of positions) {
        this.#record.enqueue({ queue: 'webhooks', sequence, position: known });
      }
    });
    return true;
  }

  /**
   * Brings back a payment from its rows in a backup, unless the object has the same or a newer state
   * (docs/decisions.md#49). A repeated call changes nothing. The caller then calls `republish`.
   */
  async restore(records: readonly StoredRecord[], backedUpAtMs: number): Promise<RestoreResult> {
    const { orderOf, readBackup } = await import('./backup-records.ts');
    const backup = readBackup(records);
    if (backup === null) {
      return 'unreadable';
    }
    const stored = this.#record.stored();
    if (stored !== null && orderOf(stored.intent, this.#record.events()) >= backup.order) {
      return 'kept';
    }
    const nowMs = Date.now();
    this.#record.commit(() => this.#record.restore(records, backedUpAtMs, nowMs));
    return 'restored';
  }

  /**
   * Prepares point-in-time recovery, unless the payment would forget money or a message. The caller
   * then calls `restart`; until then nothing is stored, because the restart would undo it.
   * `isVouchedFor`: the book says that nothing happened since, so the record need not be readable.
   */
  async restoreTo(atMs: number, isVouchedFor: boolean): Promise<RecoveryResult> {
    const { memoryAfter } = await import('./restore-point.ts');
    const { storage } = this.ctx;
    const bookmark = await storage.getBookmarkForTime(atMs);
    try {
      const what = memoryAfter(this.#record.stored(), this.#record.events(), atMs);
      if (what !== null) {
        return { type: 'remembers', what };
      }
    } catch (error) {
      if (!isVouchedFor) {
        log('error', 'record_unreadable', { error: errorText(error) });
        return { type: 'unreadable' };
      }
    }
    this.#record.freeze();
    return {
      type: 'restored',
      undoBookmark: await storage.onNextSessionRestoreBookmark(bookmark),
    };
  }

  restart(): void {
    this.ctx.abort('restore');
  }

  /**
   * Sends the payment to its book again, even if the book has confirmed it. Stores no lease, because
   * the caller retries. False when there is no such payment.
   */
  async republish(): Promise<boolean> {
    const snapshot = this.#record.snapshot();
    if (snapshot === null) {
      return false;
    }
    await sendProjection(this.env, snapshot, this.#ports.book);
    return true;
  }

  /** Null when there is no such payment, or only its tombstone. */
  retention(): Retention | null {
    const kept = this.#record.alarm.kept();
    return kept && { hold: kept.hold, endsAtMs: this.#record.alarm.retentionEndsAtMs() };
  }

  /**
   * Stores an operator's hold, or ends the one there is. Repeating it changes nothing. False when
   * there is no such payment, or nothing to end.
   */
  setHold(hold: LegalHold | 'released'): boolean {
    const kept = this.#record.alarm.kept();
    const nowMs = Date.now();
    const next =
      hold === 'released'
        ? kept?.hold && { ...kept.hold, untilMs: nowMs, changedAtMs: nowMs }
        : hold;
    if (kept === null || !next) {
      return false;
    }
    this.#record.commit(() => this.#record.setHold(next, nowMs));
    return true;
  }

  /**
   * Deletes all but the tombstone on a customer's request, unless something must keep the payment. A
   * repeated call answers the same.
   */
  erase(terms: Pick<ErasureTerms, 'refundAgeDaysMax'>): EraseResult {
    // What is due may end the payment, or resolve an attempt.
    this.read();
    const kept = this.#record.alarm.kept();
    if (kept === null) {
      return { type: this.#record.stored() === null ? 'not_found' : 'deleted' };
    }
    const reason = keptFromErasure(kept, { ...terms, nowMs: Date.now() });
    if (reason !== null) {
      return { type: 'kept', ...reason };
    }
    this.#record.purge();
    return { type: 'deleted' };
  }

  /** What the backup copies, like `rows` of the record. Changes nothing. */
  exportRecords(): readonly StoredRecord[] | null {
    return this.#record.rows();
  }

  /**
   * Sets the next alarm first, so that a later failure cannot lose it: the runtime retries an alarm
   * that throws only a few times. Only a failure to set the alarm relies on these retries.
   */
  override async alarm(): Promise<void> {
    this.#isWorking = true;
    try {
      const safeAtMs = Date.now() + ALARM_SAFETY_MS;
      await this.#record.alarm.armAt(safeAtMs);
      await this.#work(safeAtMs).catch((error: unknown) => {
        const objectId = this.ctx.id.toString();
        log('error', 'alarm_failed', { objectId, error: errorText(error) });
      });
    } finally {
      this.#isWorking = false;
    }
  }

  /** Does all work that is due. */
  async #work(safeAtMs: number): Promise<void> {
    const nowMs = Date.now();
    if (this.#record.intent() === null) {
      await this.ctx.storage.deleteAlarm();
      return;
    }
    if (nowMs >= (this.#record.alarm.retentionEndsAtMs() ?? Number.POSITIVE_INFINITY)) {
      this.#record.purge();
      return;
    }
    const intent = this.#record.commit(
      () => {
        const ticked = this.#record.apply([{ type: 'tick' }], nowMs).intent;
        this.#record.requeueDue(nowMs);
        return ticked;
      },
      { notBeforeMs: safeAtMs },
    );
    // An isolate loads this with the first alarm: no request waits for a provider's query.
    const { askRails } = await import('./ask-rails.ts');
    await askRails(
      {
        env: this.env,
        objectId: this.ctx.id.toString(),
        ports: this.#ports,
        execute: (command) => this.execute([command]),
      },
      intent,
      nowMs,
    );
    this.#record.alarm.arm();
  }

  /** Does the work of a lost alarm. Called by requests, because the runtime can lose alarms. */
  #runOverdueAlarm(): void {
    const wakeAtMs = this.#record.alarm.wakeAtMs();
    const lateMs = Date.now() - (wakeAtMs ?? Number.POSITIVE_INFINITY);
    if (lateMs > ALARM_OVERDUE_MS && !this.#isWorking) {
      log('warn', 'alarm_overdue', { objectId: this.ctx.id.toString(), lateMs });
      this.ctx.waitUntil(this.alarm());
    }
  }
}

function created({ attempts }: Intent): CreateResult {
  return { type: 'created', attempt: attempts[0] ?? null };
}
