import { DurableObject } from 'cloudflare:workers';
import { configOf } from '../config.ts';
import type { Command, Intent, Rejection } from '../domain/intent.ts';
import { nextCheckAtMs, queuedLeaseMs, RETENTION_MS } from '../domain/schedule.ts';
import { attemptsToCheck, decide, nextWakeAtMs, openIntent } from '../domain/transition.ts';
import { errorText, log } from '../log.ts';
import { railFor } from '../rails/registry.ts';
import { railOrder } from '../rails/run-attempt.ts';
import { eventBody } from '../webhooks/payload.ts';
import { requestBody, signEventBody } from '../webhooks/signature.ts';
import { claimed, isDue, queued, reported, sentAgain, superseded } from './delivery.ts';
import { type Message, sendMessages } from './outbox.ts';
import type {
  ClaimResult,
  CreateRequest,
  CreateResult,
  DeliveryReport,
  EventSummary,
  ExecuteResult,
  HistoryEntry,
  IdempotencyClaim,
  ProbeResult,
  ReadResult,
  TakenResult,
} from './protocol.ts';
import { Store, type StoredEvent, type StoredIntent } from './store.ts';

/** `alarm()` arms this far ahead before it works, so that no failure can lose the alarm. */
const ALARM_SAFETY_MS = 30_000;
/** An alarm this late counts as lost, and whoever comes by does its work. */
const ALARM_OVERDUE_MS = 60_000;

/**
 * One payment: the only writer of its state (promise 1). The imperative shell round
 * `domain/transition`: every change is one decision and one `transactionSync` that writes state,
 * history, events, outbox and alarm together. What leaves the object is sent after the commit and
 * sent again from its lease until the other side has confirmed it.
 */
export class PaymentIntent extends DurableObject<Env> {
  readonly #store = new Store(this.ctx.storage.sql);
  /** `undefined`: not read yet, or not to be trusted after a rollback. */
  #stored: StoredIntent | null | undefined;
  #armedAtMs: number | null = null;

  /** Makes the payment unless its id is taken. The only method that creates storage. */
  create(request: CreateRequest): CreateResult {
    const stored = this.#load();
    if (stored !== null) {
      // The same uuid is our own call again, whose first answer got lost.
      return stored.intent?.terms.uuid === request.terms.uuid
        ? { type: 'created', intent: stored.intent }
        : this.#taken(stored, request.idempotency, Date.now());
    }
    const nowMs = Date.now();
    const intent = this.#commit(() => {
      const opened = openIntent(request.terms);
      const first = { ...NEW_STORED, ...answerFields(request, nowMs), intent: opened };
      this.#store.insert(first);
      this.#stored = first;
      this.#store.appendHistory({
        version: opened.version,
        atMs: nowMs,
        command: 'create',
        fromStatus: null,
        toStatus: opened.status,
      });
      if (request.attempt === null) {
        this.#outgoing.push({ queue: 'ledger' });
        return opened;
      }
      return this.#apply([{ type: 'start_attempt', attempt: request.attempt }], nowMs).intent;
    });
    return { type: 'created', intent };
  }

  /** Whether the id is free, and if not, what a repeated request is to be told. */
  probe(idempotency: IdempotencyClaim | null): ProbeResult {
    const stored = this.#load();
    return stored === null ? { type: 'free' } : this.#taken(stored, idempotency, Date.now());
  }

  /** Keeps the answer that the merchant gets; the first one stays. Returns the one that stayed. */
  storeAnswer(answer: string): string {
    const stored = this.#load();
    if (stored === null || stored.answer !== null) {
      return stored?.answer ?? answer;
    }
    this.#commit(() => this.#save({ ...stored, answer }));
    return answer;
  }

  read(): ReadResult {
    const intent = this.#load()?.intent;
    if (!intent) {
      return { type: 'not_found' };
    }
    const nowMs = Date.now();
    if (decide(intent, [{ type: 'tick' }], nowMs).steps.length === 0) {
      this.#healAlarm(nowMs);
      return { type: 'found', intent };
    }
    const done = this.execute([{ type: 'tick' }]);
    return done.type === 'done' ? { type: 'found', intent: done.intent } : done;
  }

  /**
   * Applies the commands in order, in one commit; the first rejection stops the rest. `answer`, if
   * given, is stored in the same commit (see `storeAnswer`).
   */
  execute(commands: readonly Command[], answer: string | null = null): ExecuteResult {
    const stored = this.#load();
    if (stored === null || stored.intent === null) {
      return { type: 'not_found' };
    }
    const nowMs = Date.now();
    this.#healAlarm(nowMs);
    const result = this.#commit(() => {
      const applied = this.#apply(commands, nowMs);
      const after = this.#load();
      if (answer !== null && after !== null && after.answer === null) {
        this.#save({ ...after, answer });
      }
      return applied;
    });
    return { type: 'done', ...result };
  }

  /** Every stored transition, oldest first. */
  history(): HistoryEntry[] {
    return this.#load()?.intent ? this.#store.history() : [];
  }

  /** The events announced so far with their delivery. */
  events(): EventSummary[] {
    return this.#store.events().map((event) => ({
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
    const intent = this.#load()?.intent ?? null;
    const waiting = this.#store.event(sequence);
    if (intent === null || waiting?.deliveryStatus !== 'queued') {
      return { type: 'refused' };
    }
    const keys = configOf(this.env).webhookRsaKeys[intent.terms.environment];
    const signature = waiting.signature ?? (await signEventBody(keys, waiting.body)).signature;
    // Signing let other commands in: look again, then decide and write without a pause.
    const event = this.#store.event(sequence);
    if (event?.deliveryStatus !== 'queued') {
      return { type: 'refused' };
    }
    const claim = claimed(event, crypto.randomUUID(), event.signature ?? signature, Date.now());
    this.#commit(() => this.#store.updateEvent(claim), { keepsEarlierAlarm: true });
    return {
      type: 'claimed',
      delivery: {
        claimId: claim.claimId ?? '',
        eventId: claim.eventId,
        tenant: { environment: intent.terms.environment, merchantId: intent.terms.merchantId },
        callbackUrl: intent.terms.callbackUrl,
        ownOrigin: intent.terms.baseUrl,
        requestBody: requestBody({
          event: event.type,
          uniqueId: intent.terms.uniqueId,
          signature: claim.signature ?? signature,
          body: event.body,
        }),
      },
    };
  }

  /** What became of a claimed delivery. */
  reportDelivery(report: DeliveryReport): void {
    const event = this.#load() === null ? null : this.#store.event(report.sequence);
    if (event === null) {
      return;
    }
    const nowMs = Date.now();
    this.#commit(() => this.#store.updateEvent(reported(event, report, Math.random(), nowMs)));
  }

  /** Sends an event once more, whatever became of it before. False when there is none. */
  resendEvent(sequence: number): boolean {
    const event = this.#load() === null ? null : this.#store.event(sequence);
    if (event === null) {
      return false;
    }
    const nowMs = Date.now();
    this.#commit(() => {
      this.#store.updateEvent(sentAgain(event, nowMs));
      this.#outgoing.push({ queue: 'webhooks', sequence });
    });
    return true;
  }

  /** The ledger holds this version now. */
  reportLedger(version: number): void {
    const stored = this.#load();
    if (stored?.intent?.version !== version || stored.ledgerVersion >= version) {
      return;
    }
    this.#commit(() =>
      this.#save({ ...stored, ledgerVersion: version, ledgerSends: 0, ledgerDueAtMs: null }),
    );
  }

  /** Arm first, never throw: a throwing alarm would be retried a few times and then lost. */
  override async alarm(): Promise<void> {
    const safeAtMs = Date.now() + ALARM_SAFETY_MS;
    this.#armedAtMs = safeAtMs;
    await this.ctx.storage.setAlarm(safeAtMs);
    try {
      await this.#work(safeAtMs);
    } catch (error) {
      log('error', 'alarm_failed', { objectId: this.ctx.id.toString(), error: errorText(error) });
    }
  }

  /** Everything whose time has come. */
  async #work(safeAtMs: number): Promise<void> {
    const nowMs = Date.now();
    const stored = this.#load();
    if (stored === null || stored.intent === null) {
      await this.ctx.storage.deleteAlarm();
      return;
    }
    if (isPastRetention(stored.intent, nowMs)) {
      this.#purge(stored);
      return;
    }
    const intent = this.#commit(
      () => {
        const applied = this.#apply([{ type: 'tick' }], nowMs).intent;
        this.#requeueDue(nowMs);
        return applied;
      },
      { notBeforeMs: safeAtMs },
    );
    await this.#askRails(intent, nowMs);
    this.#arm();
  }

  /** Puts deliveries and the ledger row whose lease or wait is over back into their queues. */
  #requeueDue(nowMs: number): void {
    for (const event of this.#store.events().filter((candidate) => isDue(candidate, nowMs))) {
      const isRetry = event.tries > 0;
      this.#store.updateEvent(queued(event, nowMs));
      this.#outgoing.push({ queue: isRetry ? 'retries' : 'webhooks', sequence: event.sequence });
    }
    const stored = this.#load();
    if (stored?.ledgerDueAtMs != null && stored.ledgerDueAtMs <= nowMs) {
      const ledgerSends = stored.ledgerSends + 1;
      this.#save({ ...stored, ledgerSends, ledgerDueAtMs: nowMs + queuedLeaseMs(ledgerSends) });
      this.#outgoing.push({ queue: 'ledger' });
    }
  }

  async #askRails(intent: Intent, nowMs: number): Promise<void> {
    for (const attempt of attemptsToCheck(intent, nowMs)) {
      const rail = railFor(intent.terms.environment, attempt.method);
      const checkAtMs = nextCheckAtMs(attempt.checks, attempt.startedAtMs, nowMs);
      const order = await railOrder(this.env, this.ctx.id.toString(), intent, attempt);
      const outcome = (await rail?.query(order, nowMs)) ?? { type: 'unknown', checkAtMs };
      this.execute([{ type: 'settle_attempt', attemptId: attempt.id, outcome }]);
    }
  }

  #purge(stored: StoredIntent): void {
    this.ctx.storage.transactionSync(() => {
      this.#store.purge();
      void this.ctx.storage.deleteAlarm();
    });
    this.#armedAtMs = null;
    this.#stored = { ...NEW_STORED, ledgerVersion: stored.ledgerVersion };
  }

  #load(): StoredIntent | null {
    if (this.#stored === undefined) {
      this.#stored = this.ctx.storage.transactionSync(() => this.#store.load());
    }
    return this.#stored;
  }

  #save(stored: StoredIntent): void {
    this.#store.update(stored);
    this.#stored = stored;
  }

  /** Messages of the commit being made; sent once it has been. */
  #outgoing: Message[] = [];

  /** Decides and writes, but only inside `#commit`. */
  #apply(
    commands: readonly Command[],
    nowMs: number,
  ): { intent: Intent; rejection: Rejection | null } {
    const stored = this.#load();
    if (stored === null || stored.intent === null) {
      throw new Error('no payment to change');
    }
    const { steps, intent, rejection } = decide(stored.intent, commands, nowMs);
    let fromStatus = stored.intent.status;
    for (const step of steps) {
      this.#store.appendHistory({
        version: step.intent.version,
        atMs: nowMs,
        command: step.command,
        fromStatus,
        toStatus: step.intent.status,
      });
      if (step.event !== null) {
        this.#announce(step.intent, step.event, nowMs);
      }
      fromStatus = step.intent.status;
    }
    if (intent !== stored.intent) {
      this.#save({ ...stored, intent, ledgerSends: 0, ledgerDueAtMs: nowMs + queuedLeaseMs(0) });
      this.#outgoing.push({ queue: 'ledger' });
      logTransition(stored.intent, intent);
    }
    return { intent, rejection };
  }

  #announce(intent: Intent, type: StoredEvent['type'], nowMs: number): void {
    for (const earlier of this.#store.events()) {
      const after = superseded(earlier);
      if (after !== earlier) {
        this.#store.updateEvent(after);
      }
    }
    this.#store.insertEvent({
      sequence: intent.version,
      eventId: `evt_${crypto.randomUUID().replaceAll('-', '')}`,
      type,
      body: eventBody(intent, type),
      signature: null,
      createdAtMs: nowMs,
      deliveryStatus: 'queued',
      claimId: null,
      dueAtMs: nowMs + queuedLeaseMs(0),
      timesQueued: 0,
      tries: 0,
      log: [],
    });
    this.#outgoing.push({ queue: 'webhooks', sequence: intent.version });
  }

  /**
   * The one place where anything is written: rows and alarm roll back together, and messages leave
   * only afterwards. See ArmOptions for the alarm.
   */
  #commit<T>(change: () => T, options: ArmOptions = {}): T {
    const armedBeforeMs = this.#armedAtMs;
    this.#outgoing = [];
    try {
      const result = this.ctx.storage.transactionSync(() => {
        const value = change();
        this.#arm(options);
        return value;
      });
      this.#send();
      return result;
    } catch (error) {
      // The rows are as before; memory must not remember otherwise.
      this.#stored = undefined;
      this.#armedAtMs = armedBeforeMs;
      this.#outgoing = [];
      throw error;
    }
  }

  #send(): void {
    const intent = this.#load()?.intent;
    if (this.#outgoing.length === 0 || !intent) {
      return;
    }
    const messages = this.#outgoing;
    this.#outgoing = [];
    this.ctx.waitUntil(sendMessages(this.env, this.ctx.id.toString(), intent, messages));
  }

  /** Sets the alarm to the next moment at which anything is due. */
  #arm(options: ArmOptions = {}): void {
    const wakeAtMs = this.#wakeAtMs();
    if (wakeAtMs === null) {
      return;
    }
    const atMs = hasChecksDue(this.#load()?.intent, options.notBeforeMs)
      ? Math.max(wakeAtMs, options.notBeforeMs ?? 0)
      : wakeAtMs;
    const isKept =
      options.keepsEarlierAlarm === true && this.#armedAtMs !== null && this.#armedAtMs <= atMs;
    if (isKept || this.#armedAtMs === atMs) {
      return;
    }
    this.#armedAtMs = atMs;
    void this.ctx.storage.setAlarm(atMs);
  }

  #wakeAtMs(): number | null {
    const stored = this.#load();
    if (stored === null || stored.intent === null) {
      return null;
    }
    const times = [
      nextWakeAtMs(stored.intent),
      stored.ledgerDueAtMs,
      stored.intent.endedAtMs === null ? null : stored.intent.endedAtMs + RETENTION_MS,
      ...this.#store.events().map((event) => event.dueAtMs),
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Alarms have been known to get lost: whoever comes by notices and does the work. */
  #healAlarm(nowMs: number): void {
    const wakeAtMs = this.#wakeAtMs();
    if (wakeAtMs !== null && wakeAtMs + ALARM_OVERDUE_MS < nowMs) {
      log('warn', 'alarm_overdue', { objectId: this.ctx.id.toString(), lateMs: nowMs - wakeAtMs });
      this.ctx.waitUntil(this.alarm());
    }
  }

  #taken(stored: StoredIntent, claim: IdempotencyClaim | null, nowMs: number): TakenResult {
    if (
      stored.intent === null ||
      claim === null ||
      stored.idempotencyKeyDigest !== claim.keyDigest
    ) {
      return { type: 'duplicate' };
    }
    if (stored.bodyDigest !== claim.bodyDigest) {
      return { type: 'key_reused' };
    }
    if (stored.answer !== null) {
      return { type: 'replay', answer: stored.answer };
    }
    const waitMs = (stored.answerDueAtMs ?? 0) - nowMs;
    return waitMs > 0
      ? { type: 'in_flight', retryAfterSeconds: Math.ceil(waitMs / 1_000) }
      : { type: 'unanswered', intent: stored.intent };
  }
}

interface ArmOptions {
  /** Leaves an alarm that is early enough where it is: one row less to write. */
  readonly keepsEarlierAlarm?: boolean;
  /** Rails are about to be asked: a check that is due must not wake the object again before. */
  readonly notBeforeMs?: number;
}

const NEW_STORED: StoredIntent = {
  intent: null,
  idempotencyKeyDigest: null,
  bodyDigest: null,
  answer: null,
  answerDueAtMs: null,
  ledgerVersion: 0,
  ledgerSends: 0,
  ledgerDueAtMs: null,
};

function answerFields(request: CreateRequest, nowMs: number): Partial<StoredIntent> {
  return {
    idempotencyKeyDigest: request.idempotency?.keyDigest ?? null,
    bodyDigest: request.idempotency?.bodyDigest ?? null,
    answer: request.answer,
    answerDueAtMs: request.answer === null ? nowMs + request.answerWithinMs : null,
    ledgerDueAtMs: nowMs + queuedLeaseMs(0),
  };
}

function hasChecksDue(intent: Intent | null | undefined, notBeforeMs: number | undefined): boolean {
  return (
    intent != null && notBeforeMs !== undefined && attemptsToCheck(intent, notBeforeMs).length > 0
  );
}

function isPastRetention(intent: Intent, nowMs: number): boolean {
  return intent.endedAtMs !== null && nowMs >= intent.endedAtMs + RETENTION_MS;
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
