import { setTimeout as wait } from 'node:timers/promises';
import type { DemoMerchant } from '../dev/demo-merchant.ts';
import { type HttpAnswer, type HttpClient, NoAnswer } from '../gateway/http.ts';
import { forEachOf } from './load.ts';
import type { MerchantServer, ReceivedEvent } from './merchant-server.ts';
import type { Observations, PaymentRecord } from './observations.ts';

const CHECKS_AT_ONCE = 8;
const POLL_MS = 500;
/** Leases double with every kill that hits the same event; three in a row have never occurred. */
const EVENTS_WAIT_MS = 240_000;
/** Longer than a projection's lease. */
const READ_MODEL_WAIT_MS = 60_000;
const CHECK_TRIES = 3;

/** The checked part of the status call's `content`. */
interface Content {
  readonly uuid: string;
  readonly uniqueId: string;
  readonly totalAmount: number;
  readonly currency: string;
  readonly status: string;
  readonly late: boolean;
  readonly anomalies: readonly unknown[];
}

/** The status of a payment before its end. */
const PENDING_STATUS = { hosted: 'OPEN', express: 'PROCESSING' } as const;

/**
 * Compares the gateway's final answers and the merchant's webhooks with what the gateway
 * acknowledged. Reads no payment while waiting for events, because a read would repair a lost alarm.
 */
export class Verdict {
  readonly #merchant: DemoMerchant;
  readonly #client: HttpClient;
  readonly #observed: Observations;
  readonly #server: MerchantServer;

  constructor(
    merchant: DemoMerchant,
    client: HttpClient,
    observed: Observations,
    merchantServer: MerchantServer,
  ) {
    this.#merchant = merchant;
    this.#client = client;
    this.#observed = observed;
    this.#server = merchantServer;
  }

  /** Resolves when every due event has arrived, or at the timeout. */
  async untilEventsArrived(report: (missing: number) => void): Promise<void> {
    const deadlineMs = performance.now() + EVENTS_WAIT_MS;
    let reported = -1;
    for (;;) {
      const eventsByPayment = this.#server.eventsByPayment();
      const missing = this.#records().filter(
        ({ plan, acknowledgedStatus }) =>
          owesEvent(acknowledgedStatus) && !eventsByPayment.has(plan.uniqueId),
      ).length;
      if (missing !== reported) {
        report(missing);
        reported = missing;
      }
      if (missing === 0 || performance.now() > deadlineMs) {
        return;
      }
      await wait(POLL_MS);
    }
  }

  /** Checks every payment of the load and records violations. */
  async checkPayments(): Promise<void> {
    const eventsByPayment = this.#server.eventsByPayment();
    const readModelDeadlineMs = performance.now() + READ_MODEL_WAIT_MS;
    await forEachOf(this.#records(), CHECKS_AT_ONCE, async (record) => {
      const events = eventsByPayment.get(record.plan.uniqueId) ?? [];
      await this.#checkPayment(record, events, readModelDeadlineMs);
    });
    for (const uniqueId of eventsByPayment.keys()) {
      if (!this.#observed.payments.has(uniqueId)) {
        this.#observed.violation(null, `an event for ${uniqueId}, which the load did not create`);
      }
    }
  }

  async #checkPayment(
    record: PaymentRecord,
    events: readonly ReceivedEvent[],
    readModelDeadlineMs: number,
  ): Promise<void> {
    const violation = (text: string) => this.#observed.violation(record, text);
    const answer = await this.#read(record.plan.uniqueId);
    const isKnown = record.createAnswer !== null || record.isOrphan;
    if (answer.status === 404 && !isKnown) {
      return;
    }
    if (answer.status !== 200) {
      violation(`LOST: acknowledged, but the status call answers ${answer.status} ${answer.body}`);
      return;
    }
    const { content }: { content: Content } = JSON.parse(answer.body);
    const { plan } = record;
    if (
      content.uniqueId !== plan.uniqueId ||
      content.totalAmount !== plan.amountMinor ||
      content.currency !== plan.currency ||
      content.late ||
      content.anomalies.length > 0
    ) {
      violation(`differs from its create: ${answer.body}`);
    }
    const expected = record.acknowledgedStatus ?? PENDING_STATUS[plan.kind];
    const isOver = record.acknowledgedStatus !== null || record.isOrphan || record.isStuck;
    // A failed journey has its own violation and may have stopped at any step.
    if (isOver && content.status !== expected) {
      violation(`status is ${content.status}, acknowledged was ${expected}`);
    }
    this.#observed.count(`final status ${content.status}`);
    this.#checkEvents(record, content, events);
    await this.#checkReadModel(record, content, readModelDeadlineMs);
  }

  #checkEvents(record: PaymentRecord, content: Content, events: readonly ReceivedEvent[]): void {
    const violation = (text: string) => this.#observed.violation(record, text);
    if (owesEvent(content.status) && events.length === 0) {
      violation(`LOST EVENT: ${content.status}, but no webhook arrived`);
    }
    if (events.length > 1) {
      violation(`several events: ${events.map((event) => describe(event)).join(', ')}`);
    }
    for (const event of events) {
      const { payment } = event;
      if (event.status !== content.status || event.event !== `PAYMENT_${content.status}`) {
        violation(`${describe(event)} contradicts the status ${content.status}`);
      }
      if (
        payment.totalAmount !== record.plan.amountMinor ||
        payment.currency !== record.plan.currency
      ) {
        violation(`${describe(event)} reports another payment: ${event.rawBody}`);
      }
      this.#observed.count(`events ${event.event}`);
      if (event.tries > 1) {
        this.#observed.count('events that arrived more than once');
      }
    }
  }

  /**
   * Only D1 finds a payment by its uuid, so an answer proves that the read model has it.
   */
  async #checkReadModel(
    record: PaymentRecord,
    content: Content,
    deadlineMs: number,
  ): Promise<void> {
    for (;;) {
      const answer = await this.#read(content.uuid);
      if (answer.status === 200) {
        return;
      }
      if (performance.now() > deadlineMs) {
        this.#observed.violation(record, `not in the read model: ${answer.status} ${answer.body}`);
        return;
      }
      await wait(POLL_MS);
    }
  }

  /** Runs after the last kill, so a missing answer is an error. */
  async #read(id: string): Promise<HttpAnswer> {
    const url = `${this.#merchant.baseUrl}/api/v1/payment/sandbox/intent/${id}`;
    const headers = { apiKey: this.#merchant.sandboxApiKey };
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#client.send({ method: 'GET', url, headers });
      } catch (error) {
        if (!(error instanceof NoAnswer) || tries === CHECK_TRIES) {
          throw error;
        }
      }
    }
  }

  #records(): readonly PaymentRecord[] {
    return [...this.#observed.payments.values()];
  }
}

function owesEvent(status: string | null): boolean {
  return status === 'SUCCESS' || status === 'FAILED' || status === 'EXPIRED';
}

function describe({ event, webhookId, tries }: ReceivedEvent): string {
  return `${event} ${webhookId} (arrived ${tries} times)`;
}
