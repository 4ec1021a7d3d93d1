import type { Environment } from '../../kit/tenant.ts';
import { callbackUrlOf, mayHaveNoReceiver } from '../domain/intent.ts';
import { faultOfTry } from '../domain/webhook-fault.ts';
import { addressed, claimed, isScheduleUsedUp, reported, resent } from './delivery.ts';
import type { Ports } from './ports.ts';
import type {
  ChosenEndpoint,
  ClaimResult,
  DeliveryId,
  DeliveryReport,
  DeliveryStatus,
  EventSummary,
} from './protocol.ts';
import type { PaymentRecord } from './record.ts';
import type { StoredEvent } from './store.ts';
import { KEEPS_EARLIER_ALARM } from './wake-schedule.ts';

/** Signs an event's body with the environment's key. */
type Sign = (environment: Environment, body: string) => Promise<string>;

/**
 * The deliveries of one payment's events, as its object offers them to the consumers. Each method
 * decides without an await and commits once.
 */
export class PaymentDeliveries {
  readonly #record: PaymentRecord;
  readonly #requestBody: Ports['events']['requestBody'];
  readonly #sign: Sign;

  constructor(record: PaymentRecord, requestBody: Ports['events']['requestBody'], sign: Sign) {
    this.#record = record;
    this.#requestBody = requestBody;
    this.#sign = sign;
  }

  /** The announced events, oldest first, one entry for each delivery. */
  summaries(): EventSummary[] {
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
  async claim(
    { sequence, position }: DeliveryId,
    endpoints: readonly ChosenEndpoint[],
  ): Promise<ClaimResult> {
    const intent = this.#record.intent();
    const waiting = this.#queuedDelivery(sequence, position)?.event;
    if (intent === null || waiting === undefined) {
      return { type: 'refused' };
    }
    const { environment, merchantId, uniqueId, baseUrl } = intent.terms;
    const fresh = waiting.signature ?? (await this.#sign(environment, waiting.body));
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
    const isOnly = event.deliveries.length === 1;
    const [first, ...others] = addressed(queued.delivery, endpoints, nowMs, isOnly);
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
        mayHaveNoReceiver: mayHaveNoReceiver(intent.terms, event.type),
        endpointId: claim.endpointId,
        ownOrigin: baseUrl,
        requestBody: this.#requestBody({
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
  report(report: DeliveryReport): void {
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
  async requestBody(sequence: number): Promise<string | null> {
    const intent = this.#record.intent();
    const event = this.#record.event(sequence);
    if (intent === null || event === null) {
      return null;
    }
    const { type, body } = event;
    const { environment, uniqueId } = intent.terms;
    // Before the first try there is no stored signature. This one has the same bytes, because
    // PKCS#1 v1.5 adds nothing random.
    const signature = event.signature ?? (await this.#sign(environment, body));
    return this.#requestBody({ event: type, environment, uniqueId, signature, body });
  }

  /**
   * Sends an event again: its delivery at `position`, or with null all, of those in one of the
   * states `from`; null: in any state. False when there is none.
   */
  resend(
    sequence: number,
    from: readonly DeliveryStatus[] | null,
    position: number | null,
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
}
