import type { Outcome } from '../../src/engine/domain/attempt.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import { type Clock, hashOf, OUTSIDE } from './clock.ts';
import type { Decision } from './plan.ts';

export interface RefundAtProvider {
  readonly reference: string;
  readonly amountMinor: number;
  /** Where it reports the outcome; null: nowhere. */
  readonly url: string | null;
  state: 'accepted' | 'returned' | 'refused';
  calls: number;
}

/** One order in the provider's book: what the customer really paid, what was really returned. */
export interface ProviderOrder {
  readonly reference: string;
  /** By whose rail Kefel sent it. */
  readonly method: Method;
  readonly amountMinor: number;
  /** Where it reports. */
  readonly url: string;
  /** By which it names the order in reports: our reference, or the id that we signed. */
  readonly reportedId: string;
  /** After this it takes no payment. */
  readonly closesAtMs: number;
  state: 'open' | 'paid' | 'failed';
  /** When the customer paid. */
  paidAtMs: number | null;
  starts: number;
  /** It has reported something that was not true. */
  hasLied: boolean;
  readonly refunds: Map<string, RefundAtProvider>;
  /** Returned by a person at the operator, by the refund's reference. */
  readonly returnedByHand: Map<string, number>;
}

/** A report as it goes over the wire. */
export interface Report {
  readonly id: string;
  readonly amountMinor: number;
  readonly state: 'paid' | 'failed' | 'returned' | 'refused';
  readonly mac: string;
}

export type ReportedState = Report['state'];

const REPORT_TRIES = 5;
const REPORT_WAIT_MS = 20_000;

/** What the provider needs of the history: the time, and someone who sends its reports. */
interface Surroundings {
  readonly clock: Clock;
  readonly actors: { deliverReport(url: string, report: Report): Promise<number | null> };
}

/** The mobile money company: its book of money is the truth. */
export class Provider {
  readonly orders = new Map<string, ProviderOrder>();
  /** Everything that Kefel confirmed to have stored. */
  readonly confirmed: { readonly url: string; readonly report: Report }[] = [];
  /** Requests that no correct gateway sends. */
  readonly complaints: string[] = [];
  readonly #world: Surroundings;
  readonly #clock: Clock;
  /** The customer's decisions about orders to come, by payment. */
  readonly decisions = new Map<string, { readonly decision: Decision; readonly afterMs: number }>();

  constructor(world: Surroundings) {
    this.#world = world;
    this.#clock = world.clock;
  }

  open(
    order: Pick<
      ProviderOrder,
      'method' | 'reference' | 'amountMinor' | 'url' | 'reportedId' | 'closesAtMs'
    >,
  ) {
    const known = this.orders.get(order.reference);
    if (known !== undefined) {
      return known;
    }
    const opened: ProviderOrder = {
      ...order,
      state: 'open',
      paidAtMs: null,
      starts: 0,
      hasLied: false,
      refunds: new Map(),
      returnedByHand: new Map(),
    };
    this.orders.set(order.reference, opened);
    this.#clock.note(`provider opens ${order.reference}`);
    this.#clock.schedule(OUTSIDE, order.closesAtMs - this.#clock.nowMs, () => this.#close(opened));
    return opened;
  }

  #close(order: ProviderOrder): void {
    if (order.state === 'open') {
      order.state = 'failed';
    }
  }

  /** The customer acts on an order. `done`: with the new state, or null when nothing happens. */
  decide(order: ProviderOrder, decision: Decision, afterMs: number, done?: () => void): void {
    const clock = this.#clock;
    const delayMs =
      decision === 'pay_late'
        ? Math.max(0, order.closesAtMs - clock.nowMs - clock.timing.between(1, 20_000))
        : afterMs;
    clock.schedule(OUTSIDE, delayMs, () => {
      if (decision !== 'ignore' && order.state === 'open') {
        order.state = decision === 'decline' ? 'failed' : 'paid';
        order.paidAtMs = order.state === 'paid' ? clock.nowMs : null;
        clock.note(`customer ${order.state} ${order.reference}`);
        this.report(order);
      }
      done?.();
    });
  }

  /** Reports the order's state by callback, with all that can go wrong. */
  report(order: ProviderOrder): void {
    if (order.state === 'open') {
      return;
    }
    const truth = order.state;
    if (this.#clock.strikes('callback_contradicting')) {
      order.hasLied = true;
      const lie = truth === 'paid' ? 'failed' : 'paid';
      this.#send(order.url, reportOf(order.reportedId, order.amountMinor, lie));
    }
    this.#send(order.url, reportOf(order.reportedId, order.amountMinor, truth));
  }

  #send(url: string | null, report: Report): void {
    const clock = this.#clock;
    if (url === null) {
      return;
    }
    if (clock.strikes('callback_forged')) {
      const forged = { ...report, state: 'paid', mac: 'f0rged' } as const;
      this.#sendOnce(url, forged, clock.timing.between(0, 5_000), 1);
    }
    if (clock.strikes('callback_lost')) {
      return;
    }
    const lateMs = clock.strikes('callback_late') ? clock.timing.between(10_000, 7_200_000) : 0;
    this.#sendOnce(url, report, lateMs + clock.timing.between(100, 2_000), REPORT_TRIES);
    if (clock.strikes('callback_duplicate')) {
      this.#sendOnce(url, report, clock.timing.between(0, 600_000), REPORT_TRIES);
    }
  }

  #sendOnce(url: string, report: Report, delayMs: number, tries: number): void {
    const clock = this.#clock;
    clock.schedule(OUTSIDE, delayMs, () => {
      clock.note(`report ${report.state} of ${report.id.slice(0, 20)} ${report.mac.slice(0, 6)}`);
      void this.#world.actors.deliverReport(url, report).then((status) => {
        if (status === 200) {
          this.confirmed.push({ url, report });
        } else if (tries > 1) {
          this.#sendOnce(url, report, REPORT_WAIT_MS, tries - 1);
        }
      });
    });
  }

  /** The answer to a status query. */
  query(reference: string, deadlineAtMs: number): Outcome['type'] {
    const order = this.orders.get(reference);
    if (order === undefined) {
      // It never received the order, so the customer cannot pay it.
      return this.#clock.nowMs > deadlineAtMs + 60_000 ? 'failed' : 'unknown';
    }
    const { state } = order;
    return state === 'open' ? 'unknown' : state === 'paid' ? 'succeeded' : 'failed';
  }

  /** Kefel asks to return money. */
  refund(
    orderReference: string,
    { reference, amountMinor, url }: Pick<RefundAtProvider, 'reference' | 'amountMinor' | 'url'>,
  ): RefundAtProvider | null {
    const clock = this.#clock;
    const order = this.orders.get(orderReference);
    if (order?.state !== 'paid') {
      if (order?.hasLied !== true) {
        this.complaints.push(`refund ${reference} of an order that was not paid`);
      }
      return null;
    }
    const known = order.refunds.get(reference);
    if (known !== undefined) {
      known.calls += 1;
      return known;
    }
    const refund: RefundAtProvider = { reference, amountMinor, url, state: 'accepted', calls: 1 };
    order.refunds.set(reference, refund);
    const isTooMuch = returnedMinor(order) + amountMinor > order.amountMinor;
    if (isTooMuch && !order.hasLied) {
      this.complaints.push(`refund ${reference} of more than was paid`);
    }
    if (isTooMuch || clock.strikes('refund_refused')) {
      refund.state = 'refused';
      if (!isTooMuch && url !== null && clock.strikes('refund_contradicting')) {
        order.hasLied = true;
        clock.schedule(OUTSIDE, clock.timing.between(1_000, 600_000), () =>
          this.#return(order, refund),
        );
      }
    } else if (clock.strikes('refund_later')) {
      clock.schedule(OUTSIDE, clock.timing.between(1_000, 600_000), () =>
        this.#return(order, refund),
      );
    } else {
      refund.state = 'returned';
    }
    clock.note(`provider ${refund.state} refund ${reference} of ${amountMinor}`);
    return refund;
  }

  #return(order: ProviderOrder, refund: RefundAtProvider): void {
    const fits = returnedMinor(order) + refund.amountMinor <= order.amountMinor;
    // What it has refused and executes all the same, it executes without looking.
    if (refund.state === 'refused' || (refund.state === 'accepted' && fits)) {
      refund.state = 'returned';
      this.#clock.note(`provider returns ${refund.reference}`);
      this.#send(refund.url, reportOf(refund.reference, refund.amountMinor, 'returned'));
    } else if (refund.state === 'accepted') {
      refund.state = 'refused';
    }
  }

  /**
   * Once all faults are over: reports the final states that Kefel has not confirmed, and corrects
   * what was not true. What Kefel has confirmed is never reported again, so it must be stored.
   */
  reconcile(): void {
    for (const order of this.orders.values()) {
      const isKnown = !order.hasLied && this.isConfirmed(order.reportedId, order.state);
      if (!isKnown) {
        this.report(order);
      }
      for (const { state, url, reference, amountMinor } of order.refunds.values()) {
        if (state !== 'accepted' && (order.hasLied || !this.isConfirmed(reference, state))) {
          this.#send(url, reportOf(reference, amountMinor, state));
        }
      }
    }
  }

  /** Whether Kefel has confirmed a report of this state. */
  isConfirmed(id: string, state: ProviderOrder['state'] | ReportedState): boolean {
    return this.confirmed.some(({ report }) => report.id === id && report.state === state);
  }
}

/** What the customer has got back of an order. */
export function returnedMinor({ refunds, returnedByHand }: ProviderOrder): number {
  const returned = [...refunds.values()].filter(({ state }) => state === 'returned');
  return (
    returned.reduce((sum, { amountMinor }) => sum + amountMinor, 0) +
    [...returnedByHand.values()].reduce((sum, amountMinor) => sum + amountMinor, 0)
  );
}

function macOf(id: string, amountMinor: number, state: ReportedState): string {
  return hashOf(`provider's secret/${id}/${amountMinor}/${state}`).toString(16);
}

export function reportOf(id: string, amountMinor: number, state: ReportedState): Report {
  return { id, amountMinor, state, mac: macOf(id, amountMinor, state) };
}

export function isGenuine({ id, amountMinor, state, mac }: Report): boolean {
  return mac === macOf(id, amountMinor, state);
}
