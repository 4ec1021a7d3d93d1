import { DurableObject } from 'cloudflare:workers';
import { objectNameOf } from '../../kit/crypto/object-name.ts';
import { ObjectAlarm } from '../../kit/platform/object-alarm.ts';
import { paymentRetentionMs } from '../config.ts';
import type { Command } from '../domain/command.ts';
import { decide, openIntent } from '../domain/decide.ts';
import type { ErasureTerms } from '../domain/erasure.ts';
import { attemptInFlight, type Intent } from '../domain/intent.ts';
import type { LegalHold } from '../domain/retention.ts';
import { OPEN_PROJECTION_AGAIN_MS } from '../domain/schedule.ts';
import { PaymentDeliveries } from './deliveries.ts';
import { type Message, sendMessages, sendProjection } from './outbox.ts';
import type { Ports } from './ports.ts';
import { needsConfirmation, projectedVersion } from './projection.ts';
import type {
  BackupPlace,
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
  ExpressFacts,
  HistoryEntry,
  IdempotencyClaim,
  ProbeResult,
  RecoveryResult,
  RestoreResult,
  Retention,
  StoredRecord,
} from './protocol.ts';
import { PaymentRecord } from './record.ts';
import type { RecoveryPort } from './recovery-port.ts';
import { newRecord, type Snapshot } from './store.ts';
import { takenResult } from './taken.ts';
import { KEEPS_EARLIER_ALARM } from './wake-schedule.ts';

/**
 * One payment, and the only writer of its state (docs/promises.md#1). The imperative shell around
 * `decide`: each method reads the clock once, decides without an await and commits once.
 * Messages are sent after the commit, and again after each expired lease until they are confirmed.
 */
export abstract class PaymentIntentObject extends DurableObject<Env> {
  readonly #ports: Ports;
  readonly #recovery: RecoveryPort;
  readonly #alarm: ObjectAlarm;
  readonly #record: PaymentRecord;
  readonly #deliveries: PaymentDeliveries;

  /** Counts the messages to the book: only the answer to the newest one says what the book has. */
  #sends = 0;

  protected constructor(ctx: DurableObjectState, env: Env, ports: Ports, recovery: RecoveryPort) {
    super(ctx, env);
    this.#ports = ports;
    this.#recovery = recovery;
    this.#alarm = new ObjectAlarm(ctx, {
      wakeAtMs: () => this.#record.schedule.wakeAtMs(),
      work: () => this.#work(),
    });
    this.#record = new PaymentRecord(
      ctx.storage.sql,
      this.#alarm,
      paymentRetentionMs(env),
      ports,
      (snapshot, messages) => ctx.waitUntil(this.#send(snapshot, messages)),
    );
    const { requestBody, sign } = ports.events;
    this.#deliveries = new PaymentDeliveries(this.#record, requestBody, (environment, body) =>
      sign(this.env, environment, body),
    );
    // Before any commit, because an event's body names it.
    ctx.blockConcurrencyWhile(async () => {
      const objectName = await this.#name();
      this.#record.receiptPath = objectName && (await ports.events.receiptPath(env, objectName));
    });
  }

  /** Cloudflare does not know the name of an object that was reached by its id. Null: no payment. */
  async #name(): Promise<string | null> {
    const { name } = this.ctx.id;
    const terms = name === undefined ? this.#record.intent()?.terms : undefined;
    return terms === undefined ? (name ?? null) : objectNameOf(terms);
  }

  async #send(snapshot: Snapshot, messages: readonly Message[]): Promise<void> {
    this.#sends += messages.some(({ queue }) => queue === 'book') ? 1 : 0;
    const send = this.#sends;
    const mustConfirm = needsConfirmation(snapshot.intent, Date.now());
    const fed = await sendMessages(this.env, snapshot, messages, this.#ports, this.#executeOne);
    if (send !== this.#sends || this.#record.intent() === null) {
      return;
    }
    if (fed === 'lost') {
      this.#record.commit(() => this.#record.projection.lease(Date.now()), KEEPS_EARLIER_ALARM);
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
        ? created(stored.intent, stored.answer)
        : takenResult(stored, request.idempotency, nowMs);
    }
    const { attempt, idempotency, answer, facts = null } = request;
    const record = newRecord({
      intent: openIntent(request.terms),
      idempotencyKeyDigest: idempotency?.keyDigest ?? null,
      bodyDigest: idempotency?.bodyDigest ?? null,
      answer,
      answerDueAtMs: (answer ?? facts) === null ? nowMs + request.answerWithinMs : null,
      projectionDueAtMs: nowMs + OPEN_PROJECTION_AGAIN_MS,
    });
    const opened = this.#record.commit(() => {
      this.#record.insert(record);
      const start: Command[] = attempt === null ? [] : [{ type: 'start_attempt', attempt }];
      // The attempt starts at the time of creation, because a slow call must not reject it as too
      // late.
      const { intent } = this.#record.apply(start, request.terms.createdAtMs);
      this.#record.projection.sendCreation(intent);
      return { intent, answer: this.#record.storeAnswer(facts) };
    });
    this.#startSlowly(opened.intent);
    return created(opened.intent, opened.answer);
  }

  /** Makes a start that waits for the customer, beside other requests and the alarm. */
  #startSlowly(intent: Intent): void {
    const attempt = attemptInFlight(intent);
    if (attempt?.startClaim === 'free') {
      this.ctx.waitUntil(this.#ports.attempts.start(this.env, intent, attempt, this.#executeOne));
    }
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
      this.#alarm.runIfOverdue(this.#record.schedule.wakeAtMs());
      return intent;
    }
    const ticked = this.execute([{ type: 'tick' }]);
    return ticked.type === 'done' ? ticked.intent : null;
  }

  /**
   * Applies the commands in order, in one commit. The first rejection stops the rest. With `facts`,
   * the same commit stores the answer of an express call, unless one is stored already.
   */
  execute(commands: readonly Command[], facts: ExpressFacts | null = null): ExecuteResult {
    if (this.#record.intent() === null) {
      return { type: 'not_found' };
    }
    this.#alarm.runIfOverdue(this.#record.schedule.wakeAtMs());
    const nowMs = Date.now();
    const result = this.#record.commit(() => {
      const { intent, rejection } = this.#record.apply(commands, nowMs);
      const answer = this.#record.storeAnswer(facts);
      return { type: 'done', intent, rejection, answer } as const;
    });
    if (commands.some(({ type }) => type === 'start_attempt')) {
      this.#startSlowly(result.intent);
    }
    return result;
  }

  readonly #executeOne = (command: Command) => this.execute([command]);

  /** Every stored transition, oldest first. */
  history(): HistoryEntry[] {
    return this.#record.history();
  }

  /** The announced events, oldest first, one entry for each delivery. */
  events(): EventSummary[] {
    return this.#deliveries.summaries();
  }

  claimDelivery(
    delivery: DeliveryId,
    endpoints: readonly ChosenEndpoint[] = [],
  ): Promise<ClaimResult> {
    return this.#deliveries.claim(delivery, endpoints);
  }

  chooseEndpoints(delivery: DeliveryId, endpoints: readonly ChosenEndpoint[]): void {
    this.#deliveries.chooseEndpoints(delivery, endpoints);
  }

  reportDelivery(report: DeliveryReport): void {
    this.#deliveries.report(report);
  }

  /** The exact text of the request; null when there is no such event. */
  eventRequestBody(sequence: number): Promise<string | null> {
    return this.#deliveries.requestBody(sequence);
  }

  /** Sends an event again: see `PaymentDeliveries`. False when there is no such delivery. */
  resendEvent(
    sequence: number,
    from: readonly DeliveryStatus[] | null = null,
    position: number | null = null,
  ): boolean {
    return this.#deliveries.resend(sequence, from, position);
  }

  /**
   * Brings back a payment from its rows in a backup, unless the object has the same or a newer state
   * (docs/decisions.md#49). A repeated call changes nothing. The caller then calls `republish`.
   */
  restore(records: readonly StoredRecord[], from: BackupPlace): Promise<RestoreResult> {
    return this.#recovery.restore(this.#record, records, from);
  }

  /**
   * Prepares point-in-time recovery, unless the payment would forget money or a message. The caller
   * then calls `restart`; until then nothing is stored, because the restart would undo it.
   * `isVouchedFor`: the book says that nothing happened since, so the record need not be readable.
   */
  restoreTo(atMs: number, isVouchedFor: boolean): Promise<RecoveryResult> {
    return this.#recovery.restoreTo(this.ctx.storage, this.#record, atMs, isVouchedFor);
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
    await sendProjection(this.env, snapshot, this.#ports.book, this.#executeOne);
    return true;
  }

  /** What the backup copies. Changes nothing. */
  exportRecords(): Promise<readonly StoredRecord[] | null> {
    return this.#recovery.copy(this.ctx.storage.sql);
  }

  // An isolate loads the code of these three with the first call: few payments need it.

  /** How long the payment is kept. */
  async retention(): Promise<Retention | null> {
    return (await import('./keeping.ts')).retentionIn(this.#record);
  }

  /** Repeating it changes nothing. */
  async setHold(hold: LegalHold | 'released'): Promise<boolean> {
    return (await import('./keeping.ts')).setHold(this.#record, hold, Date.now());
  }

  /** On a customer's request. A repeated call answers the same. */
  async erase(terms: Pick<ErasureTerms, 'refundAgeDaysMax'>): Promise<EraseResult> {
    const { erase } = await import('./keeping.ts');
    // What is due may end the payment, or resolve an attempt.
    this.read();
    return erase(this.#record, { ...terms, nowMs: Date.now() });
  }

  override alarm(): Promise<void> {
    return this.#alarm.run();
  }

  /** Does all work that is due. */
  async #work(): Promise<void> {
    const nowMs = Date.now();
    if (this.#record.intent() === null) {
      return;
    }
    if (nowMs >= (this.#record.schedule.retentionEndsAtMs() ?? Number.POSITIVE_INFINITY)) {
      this.#record.purge();
      return;
    }
    const intent = this.#record.commit(() => {
      const ticked = this.#record.apply([{ type: 'tick' }], nowMs).intent;
      this.#record.requeueDue(nowMs);
      return ticked;
    });
    // An isolate loads this with the first alarm: no request waits for a provider's query.
    const { askRails } = await import('./ask-rails.ts');
    await askRails(
      {
        env: this.env,
        objectName: await objectNameOf(intent.terms),
        ports: this.#ports,
        execute: this.#executeOne,
        startSlowly: (started) => this.#startSlowly(started),
      },
      intent,
      nowMs,
    );
  }
}

function created({ attempts }: Intent, answer: string | null): CreateResult {
  return { type: 'created', attempt: attempts[0] ?? null, answer };
}
