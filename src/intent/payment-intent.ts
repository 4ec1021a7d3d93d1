import { DurableObject } from 'cloudflare:workers';
import { attemptsToCheck, decide, openIntent } from '../domain/decide.ts';
import type { Attempt, Command, Intent, Outcome } from '../domain/intent.ts';
import { CHECK_WAIT_MS_MIN, nextCheckAtMs, queuedLeaseMs } from '../domain/schedule.ts';
import { errorText, log } from '../log.ts';
import { claimed, isScheduleUsedUp, reported, sentAgain } from './delivery.ts';
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

/** For what is over in seconds: the alarm that was set may look once for nothing. */
const KEEPS_EARLIER_ALARM = { keepsEarlierAlarm: true } as const;

/** `alarm()` arms this far ahead before it works, so that no failure can lose the alarm. */
const ALARM_SAFETY_MS = 30_000;
/** An alarm this late counts as lost, and whoever comes by does its work. */
const ALARM_OVERDUE_MS = 60_000;

/**
 * One payment: the only writer of its state (docs/promises.md#1). The imperative shell round
 * `domain/transition`: each method takes the time once, decides without a pause and commits once.
 * What leaves the object is sent after the commit, and sent again whenever its lease has passed,
 * until the other side confirms it.
 */
export abstract class PaymentIntentObject extends DurableObject<Env> {
  readonly #ports: Ports;
  readonly #record: PaymentRecord;

  /** An alarm is doing its work just now; nobody needs to heal it. */
  #isWorking = false;

  protected constructor(ctx: DurableObjectState, env: Env, ports: Ports) {
    super(ctx, env);
    this.#ports = ports;
    this.#record = new PaymentRecord(ctx.storage, ports.events.body, (snapshot, messages) =>
      ctx.waitUntil(sendMessages(this.env, ctx.id.toString(), snapshot, messages)),
    );
  }

  /** Makes the payment unless its id is taken. The only method that creates storage. */
  create(request: CreateRequest): CreateResult {
    const nowMs = Date.now();
    const stored = this.#record.stored();
    if (stored !== null) {
      // The same uuid is our own call again, whose first answer got lost.
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
      // As of the moment of creation: a slow way here must not find a first attempt too late.
      const { intent } = this.#record.apply(start, request.terms.createdAtMs);
      return { type: 'created', intent };
    });
  }

  /** Whether the id is free, and if not, what a repeated request is to be told. */
  probe(idempotency: IdempotencyClaim | null): ProbeResult {
    const stored = this.#record.stored();
    return stored === null ? { type: 'free' } : takenResult(stored, idempotency, Date.now());
  }

  /**
   * The payment as it is now: what time has brought about is committed first (docs/promises.md#5).
   */
  read(): ReadResult {
    const intent = this.#record.intent();
    if (intent === null) {
      return { type: 'not_found' };
    }
    if (decide(intent, [{ type: 'tick' }], Date.now()).steps.length === 0) {
      this.#healAlarm();
      return { type: 'found', intent };
    }
    const ticked = this.execute([{ type: 'tick' }]);
    return ticked.type === 'done' ? { type: 'found', intent: ticked.intent } : ticked;
  }

  /**
   * Applies the commands in order, in one commit; the first rejection stops the rest. Of `answers`
   * the one that fits the outcome is stored in the same commit, unless there is an answer already.
   */
  execute(commands: readonly Command[], answers: ExpressAnswers | null = null): ExecuteResult {
    if (this.#record.intent() === null) {
      return { type: 'not_found' };
    }
    this.#healAlarm();
    const nowMs = Date.now();
    return this.#record.commit(() => {
      const { intent, rejection } = this.#record.apply(commands, nowMs);
      const answer = this.#record.keepAnswer(answers);
      return { type: 'done', intent, rejection, answer };
    });
  }

  /** Every stored transition, oldest first. */
  history(): HistoryEntry[] {
    return this.#record.history();
  }

  /** The events announced so far with their delivery. */
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

  /** Hands a queued event to one consumer, for as long as the lease lasts. */
  async claimDelivery(sequence: number): Promise<ClaimResult> {
    const intent = this.#record.intent();
    const waiting = this.#record.event(sequence);
    if (intent === null || waiting?.deliveryStatus !== 'queued') {
      return { type: 'refused' };
    }
    const { environment, merchantId, uniqueId, callbackUrl, baseUrl } = intent.terms;
    const { events } = this.#ports;
    const fresh = waiting.signature ?? (await events.sign(this.env, environment, waiting.body));
    // Signing let other commands in: look again, then decide and write without a pause.
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
          uniqueId,
          signature,
          body: event.body,
        }),
        isScheduleUsedUp: isScheduleUsedUp(event),
      },
    };
  }

  /** What became of a claimed delivery. */
  reportDelivery(report: DeliveryReport): void {
    const event = this.#record.event(report.sequence);
    if (event !== null) {
      const nowMs = Date.now();
      const after = reported(event, report, Math.random(), nowMs);
      // The read model's confirmation, seconds away, sets the alarm anew in any case.
      this.#record.commit(() => this.#record.saveEvent(event, after, nowMs), KEEPS_EARLIER_ALARM);
    }
  }

  /** The exact bytes that are or were sent; null before the first try, which signs them. */
  eventRequestBody(sequence: number): string | null {
    const intent = this.#record.intent();
    const event = this.#record.event(sequence);
    if (intent === null || event === null || event.signature === null) {
      return null;
    }
    const { type, signature, body } = event;
    const { uniqueId } = intent.terms;
    return this.#ports.events.requestBody({ event: type, uniqueId, signature, body });
  }

  /**
   * Sends an event once more, from one of these states of its delivery; null: whatever became of it.
   * False when there is none, or its delivery is in another state by now.
   */
  resendEvent(sequence: number, from: readonly DeliveryStatus[] | null = null): boolean {
    const event = this.#record.event(sequence);
    if (event === null || (from !== null && !from.includes(event.deliveryStatus))) {
      return false;
    }
    const nowMs = Date.now();
    this.#record.commit(() => {
      this.#record.saveEvent(event, sentAgain(event, nowMs), nowMs);
      this.#record.enqueue({ queue: 'webhooks', sequence });
    });
    return true;
  }

  /** The read model holds this version now. */
  reportProjection(version: number): void {
    const stored = this.#record.stored();
    const isNewest = this.#record.projectedVersion() === version;
    // The lease says that there is something to confirm: not all that is told has a version.
    if (stored !== null && isNewest && stored.projectionDueAtMs !== null) {
      const confirmed = { projectedVersion: version, projectionSends: 0, projectionDueAtMs: null };
      this.#record.commit(() => this.#record.save({ ...stored, ...confirmed }));
    }
  }

  /**
   * Sends what is stored to the read model once more, whatever the read model has confirmed. Writes nothing:
   * whoever asks for it repeats it. False when there is no such payment.
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
   * Arms first, so that nothing that fails afterwards can lose the alarm: one that throws is retried
   * a few times and then never again. Only a failure to arm is left to those retries.
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

  /** Everything whose time has come. */
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
    // At once: a rail that hangs must not keep the others, and the webhooks, waiting.
    await Promise.all(
      attemptsToCheck(intent, nowMs).map(async (attempt) => {
        const outcome = await this.#askRail(intent, attempt);
        const { id: attemptId, checkAtMs: answersCheckAtMs } = attempt;
        this.execute([{ type: 'resolve_attempt', attemptId, outcome, answersCheckAtMs }]);
      }),
    );
    this.#record.arm();
  }

  /** What the rail says; whatever fails on the way there is no answer, and asked again later. */
  async #askRail(intent: Intent, attempt: Attempt): Promise<Outcome> {
    const nowMs = Date.now();
    const checkAtMs = nextCheckAtMs(attempt.checks, attempt.startedAtMs, nowMs);
    const unknown: Outcome = { type: 'unknown', checkAtMs };
    const objectId = this.ctx.id.toString();
    try {
      if (attempt.startClaim === 'free') {
        // Nobody has called the rail yet: the message that asks for it got lost, or waits.
        await this.#ports.attempts.requestStart(this.env, objectId, attempt.id);
        return unknown;
      }
      const outcome =
        (await this.#ports.attempts.query(this.env, objectId, intent, attempt)) ?? unknown;
      return outcome.type === 'unknown' ? notAtOnce(outcome) : outcome;
    } catch (error) {
      log('error', 'rail_query_failed', { objectId, error: errorText(error) });
      return unknown;
    }
  }

  /** Alarms have been known to get lost: whoever comes by notices and does the work. */
  #healAlarm(): void {
    const wakeAtMs = this.#record.wakeAtMs();
    const lateMs = Date.now() - (wakeAtMs ?? Number.POSITIVE_INFINITY);
    if (lateMs > ALARM_OVERDUE_MS && !this.#isWorking) {
      this.#isWorking = true;
      log('warn', 'alarm_overdue', { objectId: this.ctx.id.toString(), lateMs });
      this.ctx.waitUntil(this.alarm());
    }
  }
}

/** A rail that took long to say nothing gets its pause all the same. */
function notAtOnce(unknown: Extract<Outcome, { type: 'unknown' }>): Outcome {
  const { checkAtMs } = unknown;
  const soonestMs = Date.now() + CHECK_WAIT_MS_MIN;
  return { ...unknown, checkAtMs: checkAtMs === null ? null : Math.max(checkAtMs, soonestMs) };
}
