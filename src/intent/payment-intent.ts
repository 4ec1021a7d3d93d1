import { DurableObject } from 'cloudflare:workers';
import { attemptsToCheck, decide, openIntent } from '../domain/decide.ts';
import type { Attempt, Command, Intent, Outcome } from '../domain/intent.ts';
import { CHECK_WAIT_MS_MIN, nextCheckAtMs, queuedLeaseMs } from '../domain/schedule.ts';
import { errorText, log } from '../log.ts';
import { claimed, isScheduleUsedUp, reported, resent } from './delivery.ts';
import { sendMessages, sendProjection } from './outbox.ts';
import type { Ports } from './ports.ts';
import type {
  ClaimResult,
  CreateRequest,
  CreateResult,
  DeliveryReport,
  DeliveryStatus,
  EventSummary,
  ExecuteResult,
  ExpressAnswers,
  HistoryEntry,
  IdempotencyClaim,
  ProbeResult,
  ReadResult,
} from './protocol.ts';
import { newRow, PaymentRecord } from './record.ts';
import { takenResult } from './taken.ts';

/** For short leases: an alarm that wakes once without work costs less than moving it. */
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

  /** An alarm is running, so it must not be run again as overdue. */
  #isWorking = false;

  protected constructor(ctx: DurableObjectState, env: Env, ports: Ports) {
    super(ctx, env);
    this.#ports = ports;
    this.#record = new PaymentRecord(ctx.storage, ports.events.body, (snapshot, messages) =>
      ctx.waitUntil(sendMessages(this.env, ctx.id.toString(), snapshot, messages)),
    );
  }

  /** Creates the payment unless its id is taken. The only method that creates storage. */
  create(request: CreateRequest): CreateResult {
    const nowMs = Date.now();
    const stored = this.#record.stored();
    if (stored !== null) {
      // The same uuid is a retry of a call whose first answer was lost.
      return stored.intent?.terms.uuid === request.terms.uuid
        ? { type: 'created', intent: stored.intent }
        : takenResult(stored, request.idempotency, nowMs);
    }
    const { attempt, idempotency, answer } = request;
    const row = newRow({
      intent: openIntent(request.terms),
      idempotencyKeyDigest: idempotency?.keyDigest ?? null,
      bodyDigest: idempotency?.bodyDigest ?? null,
      answer,
      answerDueAtMs: answer === null ? nowMs + request.answerWithinMs : null,
      projectionDueAtMs: nowMs + queuedLeaseMs(0),
    });
    return this.#record.commit(() => {
      this.#record.insert(row);
      const start: Command[] = attempt === null ? [] : [{ type: 'start_attempt', attempt }];
      // At the time of creation, because a slow call must not reject the first attempt as too late.
      const { intent } = this.#record.apply(start, request.terms.createdAtMs);
      return { type: 'created', intent };
    });
  }

  /** Whether the id is free, and otherwise the result of a repeated request. */
  probe(idempotency: IdempotencyClaim | null): ProbeResult {
    const stored = this.#record.stored();
    return stored === null ? { type: 'free' } : takenResult(stored, idempotency, Date.now());
  }

  /** The payment as it is now. Commits the effects of time first (docs/promises.md#5). */
  read(): ReadResult {
    const intent = this.#record.intent();
    if (intent === null) {
      return { type: 'not_found' };
    }
    if (decide(intent, [{ type: 'tick' }], Date.now()).steps.length === 0) {
      this.#runOverdueAlarm();
      return { type: 'found', intent };
    }
    const ticked = this.execute([{ type: 'tick' }]);
    return ticked.type === 'done' ? { type: 'found', intent: ticked.intent } : ticked;
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

  /** The announced events with their delivery. */
  events(): EventSummary[] {
    return this.#record.events().map((event) => ({
      sequence: event.sequence,
      eventId: event.eventId,
      type: event.type,
      deliveryStatus: event.deliveryStatus,
      createdAtMs: event.createdAtMs,
      dueAtMs: event.dueAtMs,
      tries: event.log,
    }));
  }

  /** Gives a queued event to one consumer for the duration of a lease. */
  async claimDelivery(sequence: number): Promise<ClaimResult> {
    const intent = this.#record.intent();
    const waiting = this.#record.event(sequence);
    if (intent === null || waiting?.deliveryStatus !== 'queued') {
      return { type: 'refused' };
    }
    const { environment, merchantId, uniqueId, callbackUrl, baseUrl } = intent.terms;
    const { events } = this.#ports;
    const fresh = waiting.signature ?? (await events.sign(this.env, environment, waiting.body));
    // Other commands may have run during signing: read again, then decide and write without an
    // await.
    const event = this.#record.event(sequence);
    if (event?.deliveryStatus !== 'queued') {
      return { type: 'refused' };
    }
    const claimId = crypto.randomUUID();
    const signature = event.signature ?? fresh;
    const nowMs = Date.now();
    const claim = claimed(event, claimId, signature, nowMs);
    this.#record.commit(() => this.#record.saveEvent(event, claim, nowMs), KEEPS_EARLIER_ALARM);
    return {
      type: 'claimed',
      delivery: {
        claimId,
        eventId: event.eventId,
        tenant: { environment, merchantId },
        callbackUrl,
        ownOrigin: baseUrl,
        requestBody: events.requestBody({
          event: event.type,
          environment,
          uniqueId,
          signature,
          body: event.body,
        }),
        isScheduleUsedUp: isScheduleUsedUp(event),
      },
    };
  }

  /** Stores the result of a claimed delivery. */
  reportDelivery(report: DeliveryReport): void {
    const event = this.#record.event(report.sequence);
    if (event !== null) {
      const nowMs = Date.now();
      const after = reported(event, report, Math.random(), nowMs);
      // The read model's confirmation follows in seconds and sets the alarm.
      this.#record.commit(() => this.#record.saveEvent(event, after, nowMs), KEEPS_EARLIER_ALARM);
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
   * Sends an event again if its delivery is in one of the states `from`; null: in any state. False
   * when the event does not exist or is in another state.
   */
  resendEvent(sequence: number, from: readonly DeliveryStatus[] | null = null): boolean {
    const event = this.#record.event(sequence);
    if (event === null || (from !== null && !from.includes(event.deliveryStatus))) {
      return false;
    }
    const nowMs = Date.now();
    this.#record.commit(() => {
      this.#record.saveEvent(event, resent(event, nowMs), nowMs);
      this.#record.enqueue({ queue: 'webhooks', sequence });
    });
    return true;
  }

  /** Confirms that the read model has stored this version. */
  reportProjection(version: number): void {
    const stored = this.#record.stored();
    const isNewest = this.#record.projectedVersion() === version;
    // Only with a lease is there something to confirm: new search keys alone are sent without one.
    if (stored !== null && isNewest && stored.projectionDueAtMs !== null) {
      const confirmed = { projectedVersion: version, projectionSends: 0, projectionDueAtMs: null };
      this.#record.commit(() => this.#record.save({ ...stored, ...confirmed }));
    }
  }

  /**
   * Sends the payment to the read model again, even if the read model has confirmed it. Stores no
   * lease, because the caller retries. False when there is no such payment.
   */
  async republish(): Promise<boolean> {
    const snapshot = this.#record.snapshot();
    if (snapshot === null) {
      return false;
    }
    await sendProjection(this.env, this.ctx.id.toString(), snapshot);
    return true;
  }

  /**
   * Sets the next alarm first, so that a later failure cannot lose it: the runtime retries an alarm
   * that throws only a few times. Only a failure to set the alarm relies on these retries.
   */
  override async alarm(): Promise<void> {
    this.#isWorking = true;
    try {
      const safeAtMs = Date.now() + ALARM_SAFETY_MS;
      await this.#record.armAt(safeAtMs);
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
    if (nowMs >= (this.#record.retentionEndsAtMs() ?? Number.POSITIVE_INFINITY)) {
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
    // In parallel, because a slow provider must not delay the other queries.
    await Promise.all(
      attemptsToCheck(intent, nowMs).map(async (attempt) => {
        const outcome = await this.#queryProvider(intent, attempt);
        const { id: attemptId, checkAtMs: answersCheckAtMs } = attempt;
        this.execute([{ type: 'resolve_attempt', attemptId, outcome, answersCheckAtMs }]);
      }),
    );
    this.#record.arm();
  }

  /** The outcome that the provider reports. A failed query is inconclusive and repeats later. */
  async #queryProvider(intent: Intent, attempt: Attempt): Promise<Outcome> {
    const nowMs = Date.now();
    const checkAtMs = nextCheckAtMs(attempt.checks, attempt.startedAtMs, nowMs);
    const unknown: Outcome = { type: 'unknown', checkAtMs };
    const objectId = this.ctx.id.toString();
    try {
      if (attempt.startClaim === 'free') {
        // No consumer has called the provider yet: the start message is lost or still waiting.
        await this.#ports.attempts.requestStart(this.env, objectId, attempt.id);
        return unknown;
      }
      const outcome =
        (await this.#ports.attempts.query(this.env, objectId, intent, attempt)) ?? unknown;
      return outcome.type === 'unknown' ? withMinimumWait(outcome) : outcome;
    } catch (error) {
      log('error', 'rail_query_failed', { objectId, error: errorText(error) });
      return unknown;
    }
  }

  /** Does the work of a lost alarm. Called by requests, because the runtime can lose alarms. */
  #runOverdueAlarm(): void {
    const wakeAtMs = this.#record.wakeAtMs();
    const lateMs = Date.now() - (wakeAtMs ?? Number.POSITIVE_INFINITY);
    if (lateMs > ALARM_OVERDUE_MS && !this.#isWorking) {
      this.#isWorking = true;
      log('warn', 'alarm_overdue', { objectId: this.ctx.id.toString(), lateMs });
      this.ctx.waitUntil(this.alarm());
    }
  }
}

/** Waits from the end of the query, so that a slow provider gets its pause too. */
function withMinimumWait(unknown: Extract<Outcome, { type: 'unknown' }>): Outcome {
  const { checkAtMs } = unknown;
  const soonestMs = Date.now() + CHECK_WAIT_MS_MIN;
  return { ...unknown, checkAtMs: checkAtMs === null ? null : Math.max(checkAtMs, soonestMs) };
}
