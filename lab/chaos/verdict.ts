import { setTimeout as wait } from 'node:timers/promises';
import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { type HttpAnswer, type HttpClient, NoAnswer } from '../../scripts/gateway/http.ts';
import type { Environment } from '../../src/domain/method.ts';
import { MerchantApi } from '../harness/merchant-api.ts';
import { forEachOf } from '../harness/workers.ts';
import { listDifferences } from './lists.ts';
import type { MerchantServer, ReceivedEvent } from './merchant-server.ts';
import type { Observations, PaymentRecord } from './observations.ts';

const CHECKS_AT_ONCE = 8;
const POLL_MS = 500;
/** Leases double with every kill that hits the same event: after five in a row, 16 minutes. */
const EVENTS_WAIT_MS = 20 * 60_000;
const CHECK_TRIES = 3;

/** The checked part of the status call's `content`. */
export interface Content {
  readonly uniqueId: string;
  readonly totalAmount: number;
  readonly currency: string;
  readonly status: string;
  readonly late: boolean;
  readonly anomalies: readonly unknown[];
  readonly creationDate: string;
  readonly transaction: { readonly transactionId: string } | null;
  readonly refundedAmount: number;
  readonly refunds: readonly RefundContent[];
}

interface RefundContent {
  readonly refundUniqueId: string;
  readonly status: string;
  readonly amountMinor: number;
  readonly returnedMinor: number;
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
      const missing = this.#records().reduce((sum, record) => {
        const due = owesEvent(record.acknowledgedStatus) ? 1 + refundsDue(record) : 0;
        const arrived = eventsByPayment.get(record.plan.uniqueId)?.length ?? 0;
        return sum + Math.max(0, due - arrived);
      }, 0);
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
  async checkPayments(report: (text: string) => void): Promise<void> {
    const eventsByPayment = this.#server.eventsByPayment();
    const contents = new Map<string, Content>();
    await forEachOf(this.#records(), CHECKS_AT_ONCE, async (record) => {
      const events = eventsByPayment.get(record.plan.uniqueId) ?? [];
      const content = await this.#checkPayment(record, events);
      if (content !== null) {
        contents.set(content.uniqueId, content);
      }
    });
    const received = [...eventsByPayment.values()].flat();
    const read = (environment: Environment, path: string) => this.#read(environment, path);
    for (const difference of await listDifferences(read, contents, received, report)) {
      this.#observed.violation(null, difference);
    }
    for (const uniqueId of eventsByPayment.keys()) {
      if (!this.#observed.payments.has(uniqueId)) {
        this.#observed.violation(null, `an event for ${uniqueId}, which the load did not create`);
      }
    }
  }

  async #checkPayment(
    record: PaymentRecord,
    events: readonly ReceivedEvent[],
  ): Promise<Content | null> {
    const violation = (text: string) => this.#observed.violation(record, text);
    const { environment, uniqueId } = record.plan;
    const answer = await this.#read(environment, `intent/${uniqueId}`);
    const isKnown = record.createAnswer !== null || record.isOrphan;
    if (answer.status === 404 && !isKnown) {
      return null;
    }
    if (answer.status !== 200) {
      violation(`LOST: acknowledged, but the status call answers ${answer.status} ${answer.body}`);
      return null;
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
    // In production the provider may say that it never knew a stuck one: its book is compared below.
    const isStuck = record.isStuck && environment === 'sandbox';
    const isOver = record.acknowledgedStatus !== null || record.isOrphan || isStuck;
    // A failed journey has its own violation and may have stopped at any step.
    if (isOver && content.status !== expected) {
      violation(`status is ${content.status}, acknowledged was ${expected}`);
    }
    this.#observed.count(`final status ${content.status}`);
    this.#checkEvents(record, content, events);
    this.#checkRefunds(record, content, events);
    await this.#checkBook(record, content);
    return content;
  }

  /** Every acknowledged refund is there once, with its amount, outcome and event. */
  #checkRefunds(record: PaymentRecord, content: Content, events: readonly ReceivedEvent[]): void {
    const violation = (text: string) => this.#observed.violation(record, text);
    for (const { plan, amountMinor, isCanceled } of record.refunds) {
      const [refund, ...others] = content.refunds.filter(
        ({ refundUniqueId }) => refundUniqueId === plan.id,
      );
      if (amountMinor === null) {
        continue;
      }
      if (refund === undefined || others.length > 0 || refund.amountMinor !== amountMinor) {
        violation(
          `refund of ${amountMinor} acknowledged as ${plan.id}: ${JSON.stringify(content)}`,
        );
      }
      if (isCanceled && refund?.status !== 'CANCELED') {
        violation(`a canceled refund is ${refund?.status}`);
      }
    }
    for (const { refundUniqueId, status } of content.refunds) {
      this.#observed.count(`refunds ${status}`);
      const isEnded = status === 'SUCCESS' || status === 'FAILED';
      const due = isEnded || status === 'REQUIRES_ACTION' ? [status] : [];
      const told = events.flatMap(({ payment: { refund } }) =>
        refund?.refundUniqueId === refundUniqueId ? [refund.status] : [],
      );
      // The operator's action may come before the end.
      const sent = told.filter((said) => !(isEnded && said === 'REQUIRES_ACTION'));
      if (isHeld(status) && record.plan.environment === 'production') {
        this.#observed.count('refunds left to the operator');
      } else if (status !== 'CANCELED' && !isEnded) {
        violation(`refund ${refundUniqueId} is still ${status}`);
      }
      if (sent.join() !== due.join()) {
        violation(`refund ${refundUniqueId} is ${status}, its events say: ${told.join()}`);
      }
      if (!record.refunds.some(({ plan }) => plan.id === refundUniqueId)) {
        violation(`refund ${refundUniqueId}, which nobody asked for`);
      }
    }
    const refundedMinor = sumOf(succeeded(content).map(({ amountMinor }) => amountMinor));
    if (refundedMinor !== content.refundedAmount || refundedMinor > content.totalAmount) {
      violation(`refunded ${content.refundedAmount} of ${content.totalAmount}: ${refundedMinor}`);
    }
  }

  /** The provider's book: paid exactly if Kefel says so, and each refund returned once. */
  async #checkBook(record: PaymentRecord, content: Content): Promise<void> {
    const violation = (text: string) => this.#observed.violation(record, text);
    if (record.plan.environment === 'sandbox') {
      return;
    }
    const { order } = record;
    if ((order?.acted === 'pays') !== (content.status === 'SUCCESS')) {
      violation(`the provider has ${order?.acted}, but the status is ${content.status}`);
    }
    this.#observed.count("payments compared with the provider's book");
    const returned = (order?.refunds ?? []).filter(({ isReturned }) => isReturned);
    const returnedMinor = sumOf(returned.map(({ amountText }) => minorOf(record, amountText)));
    const certain = succeeded(content);
    // A kill may have cost the provider's answer: the operator looks it up.
    const possible = [...certain, ...content.refunds.filter(({ status }) => isHeld(status))];
    const minorOfAll = (refunds: typeof certain) =>
      sumOf(refunds.map(({ returnedMinor }) => returnedMinor));
    if (
      returned.length < certain.length ||
      returned.length > possible.length ||
      returnedMinor < minorOfAll(certain) ||
      returnedMinor > minorOfAll(possible)
    ) {
      violation(
        `the provider returned ${returnedMinor} in ${returned.length} refunds: ${JSON.stringify(content.refunds)}`,
      );
    }
    if ((order?.refunds?.length ?? 0) > content.refunds.length) {
      violation('the provider was asked for more refunds than there are');
    }
  }

  #checkEvents(record: PaymentRecord, content: Content, events: readonly ReceivedEvent[]): void {
    const violation = (text: string) => this.#observed.violation(record, text);
    if (owesEvent(content.status) && events.length === 0) {
      violation(`LOST EVENT: ${content.status}, but no webhook arrived`);
    }
    const ends = events.filter(({ payment }) => payment.refund === undefined);
    if (ends.length > 1) {
      violation(`several events: ${ends.map((event) => describe(event)).join(', ')}`);
    }
    for (const event of events) {
      const { payment } = event;
      const { refund } = payment;
      const name = refund === undefined ? `PAYMENT_${content.status}` : `REFUND_${refund.status}`;
      if (payment.status !== content.status || event.event !== name) {
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

  /** Runs after the last kill, so a missing answer is an error. */
  async #read(environment: Environment, path: string): Promise<HttpAnswer> {
    const request = new MerchantApi(this.#merchant, environment).get(path);
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#client.send(request);
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

/** How many events the refunds of a payment will make. */
function refundsDue({ refunds }: PaymentRecord): number {
  return refunds.filter(({ amountMinor, isCanceled }) => amountMinor !== null && !isCanceled)
    .length;
}

function succeeded({ refunds }: Content): readonly RefundContent[] {
  return refunds.filter(({ status }) => status === 'SUCCESS');
}

/** Its outcome is unknown, or a person returns the money: its amount stays reserved. */
function isHeld(status: string): boolean {
  return status === 'PROCESSING' || status === 'REQUIRES_ACTION';
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

/** A provider's amount: EthSwitch's are in minor units. */
function minorOf({ plan }: PaymentRecord, amountText: string): number {
  return plan.methods[0] === 'ETS_SWITCH'
    ? Number(amountText)
    : Math.round(Number(amountText) * 100);
}

function describe({ event, webhookId, tries }: ReceivedEvent): string {
  return `${event} ${webhookId} (arrived ${tries} times)`;
}
