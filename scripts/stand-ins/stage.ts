import { deskPage } from './desk.ts';
import { minorOf } from './shapes.ts';
import {
  type CallbackAnswer,
  type CallbackVariant,
  CUSTOMER_ACTS,
  type CustomerAct,
  type DayLine,
  OrderBook,
  type Plan,
  type Prompts,
  postCallback,
  type ReceivedCall,
  type Reply,
  type StandIn,
  type StandInOrder,
  type StandInRefund,
  type StandInServer,
} from './stand-in.ts';

/** Long enough for the gateway to have stored the answer before the report arrives. */
const AFTER_ANSWER_MS = 50;

/** States in answers to queries, for a rail that tells no failures apart. */
export function queryStates(
  pending: string,
  paid: string,
  declined: string,
  expired: string,
): Readonly<Record<CustomerAct | 'nothing', string>> {
  return {
    nothing: pending,
    pays: paid,
    declines: declined,
    lacks_funds: declined,
    mistypes_pin: declined,
    cancels: declined,
    // May still be paid.
    times_out: expired,
  };
}

/** A report to a callback URL. */
export interface SentReport {
  readonly contentType?: string;
  /** Besides the type of the content. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An order whose customer acts as a test, or a person on a page, says. */
export abstract class StageOrder implements StandInOrder {
  readonly orderId: string;
  readonly amountText: string;
  readonly phone: string | null;
  acted: CustomerAct | null = null;
  actedAtMs = 0;

  constructor(orderId: string, amountText: string, phone: string | null = null) {
    this.orderId = orderId;
    this.amountText = amountText;
    this.phone = phone;
  }

  abstract readonly callbackUrl: string;

  /** What the rail sends; all variants but the genuine one claim a payment. */
  abstract reportOf(variant: CallbackVariant): SentReport;

  /** The rail's number of the payment; null where there is none. */
  abstract readonly receipt: string | null;

  /** Absent for a rail without refunds by API. */
  readonly refunds?: readonly StandInRefund[];

  /** Whether the customer can still act. */
  get isOpen(): boolean {
    return this.acted !== 'pays';
  }

  /** An amount of this order in minor units, from the rail's text of it. */
  minorOf(amountText: string): number {
    return minorOf(amountText);
  }

  /** Whether the rail reports this act at all. */
  reports(_act: CustomerAct): boolean {
    return true;
  }

  async act(act: CustomerAct, { silent = false } = {}): Promise<CallbackAnswer | null> {
    if (!this.isOpen) {
      throw new Error(`Order ${this.orderId} is closed`);
    }
    this.acted = act;
    this.actedAtMs = Date.now();
    return silent || !this.reports(act) ? null : this.callback();
  }

  /** The act that a genuine report is about. */
  get reported(): CustomerAct {
    if (this.acted === null) {
      throw new Error(`The customer has not acted on ${this.orderId}`);
    }
    return this.acted;
  }

  async callback(
    variant: CallbackVariant = 'genuine',
    address = this.callbackUrl,
  ): Promise<CallbackAnswer> {
    const { contentType = 'application/json', headers, body } = this.reportOf(variant);
    return postCallback(address, contentType, body, headers);
  }
}

/** A page of the rail on which a person plays the customer. */
export interface CustomerPage {
  readonly title: string;
  /** Where the buttons post; the page's own address by default. */
  readonly action?: string;
  /** `ETB` and the amount by default. */
  readonly amountText?: string;
  readonly acts?: readonly CustomerAct[];
  /** Where the browser goes after the act. */
  after(act: CustomerAct): string;
}

export interface StageOptions {
  /** The same text for amounts that the rail writes in several ways. */
  readonly keyOf?: (amountText: string) => string;
  /** The rail accepts orders before it knows the customer, so that a start cannot fail by an act. */
  readonly knowsNoCustomer?: boolean;
  readonly refundsAtOnce?: boolean;
}

/** What every stand-in plays with: plans by amount, the book of orders, and reports still to send. */
export class Stage<Order extends StageOrder> {
  readonly book = new OrderBook<Order>();
  readonly #plans = new Map<string, Plan>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #options: StageOptions;

  constructor(options: StageOptions = {}) {
    this.#options = options;
  }

  plan(amountText: string, plan: Plan): void {
    const { knowsNoCustomer = false, refundsAtOnce = false } = this.#options;
    const { refuses, refund } = plan;
    const isTooEarly = refuses !== undefined && !['misconfigured', 'unavailable'].includes(refuses);
    if (knowsNoCustomer && isTooEarly) {
      throw new Error(`The rail accepts orders before it knows the customer: no ${refuses}`);
    }
    if (refundsAtOnce && refund?.isSlow === true) {
      throw new Error('The rail refunds at once or not at all');
    }
    this.#plans.set(this.#keyOf(amountText), plan);
  }

  planOf(amountText: string): Plan {
    return this.#plans.get(this.#keyOf(amountText)) ?? {};
  }

  #keyOf(amountText: string): string {
    return this.#options.keyOf?.(amountText) ?? amountText;
  }

  /** Adds an order, plays a customer who acts at once, and sends the report as planned. */
  async open(order: Order, { act, callback }: Plan): Promise<void> {
    this.book.add(order);
    if (act !== undefined) {
      await order.act(act, { silent: true });
      await this.report(order.reports(act) ? callback : 'never', () => order.callback());
    }
  }

  /** Sends a report before the answer, soon after it, or never. */
  async report(
    when: 'before_answer' | 'after_answer' | 'never' | undefined,
    send: () => Promise<unknown>,
  ): Promise<void> {
    // The gateway may have stopped by then, which must not stop the stand-in.
    const sendAnyway = () => send().catch(() => undefined);
    if (when === 'before_answer') {
      await sendAnyway();
    } else if (when !== 'never') {
      this.#timers.add(setTimeout(() => void sendAnyway(), AFTER_ANSWER_MS));
    }
  }

  /** The button that a person pressed, on an order that still waits; null for any other form. */
  pressed(body: string): { readonly order: Order; readonly act: CustomerAct } | null {
    const form = new URLSearchParams(body);
    const order = this.book.get(form.get('orderId') ?? '');
    const act = CUSTOMER_ACTS.find((candidate) => candidate === form.get('act'));
    return order === undefined || act === undefined ? null : { order, act };
  }

  /** The customer's page of one order, and what the customer does there. */
  async page(call: ReceivedCall, order: Order, page: CustomerPage): Promise<Reply> {
    const { title, action = call.url, acts = CUSTOMER_ACTS } = page;
    const { amountText = `ETB ${order.amountText}` } = page;
    if (call.method === 'GET') {
      const shown = { orderId: order.orderId, amountText, phone: null, action };
      return deskPage(title, [{ ...shown, acts: order.isOpen ? acts : [] }]);
    }
    const act = this.pressed(call.body)?.act;
    if (call.method !== 'POST' || act === undefined || !order.isOpen) {
      return { type: 'answer', status: 400, body: 'The order is not open' };
    }
    const silent = this.planOf(order.amountText).callback === 'never';
    // The page goes on even if the gateway does not answer the report.
    await order.act(act, { silent }).catch(() => null);
    return { type: 'answer', status: 303, headers: { location: page.after(act) }, body: '' };
  }

  /** The prompts that wait on phones, and what a person answers there. */
  get prompts(): Prompts {
    return {
      waiting: () =>
        this.book.all
          .filter(({ acted }) => acted === null)
          .map(({ orderId, amountText, phone }) => ({
            orderId,
            amountText: `ETB ${amountText}`,
            phone,
            acts: CUSTOMER_ACTS,
          })),
      press: async (body) => {
        const pressed = this.pressed(body);
        // The page stays usable even if the gateway rejects the report.
        await pressed?.order.act(pressed.act).catch(() => null);
        return pressed !== null;
      },
    };
  }

  /** What the rail took and returned, as its file of the day has it. */
  get #dayLines(): readonly DayLine[] {
    return this.book.all
      .filter(({ acted }) => acted === 'pays')
      .flatMap((order): readonly DayLine[] => {
        const { receipt, orderId: reference, actedAtMs: atMs, amountText } = order;
        const lineOf = (type: DayLine['type'], text: string) => {
          const amountMinor = order.minorOf(text);
          return { type, receipt, reference, amountMinor, atMs } satisfies DayLine;
        };
        const returned = order.refunds?.filter(({ isReturned }) => isReturned) ?? [];
        return [
          lineOf('payment', amountText),
          ...returned.map((refund) => lineOf('refund', refund.amountText)),
        ];
      });
  }

  /** What all stand-ins offer to tests. */
  standIn(server: StandInServer): Pick<
    StandIn,
    'baseUrl' | 'calls' | 'plan' | 'order' | 'prompts' | 'dayLines'
  > & {
    stop(): Promise<void>;
  } {
    return {
      dayLines: () => this.#dayLines,
      baseUrl: server.baseUrl,
      calls: server.calls,
      prompts: this.prompts,
      plan: (amountText, plan) => this.plan(amountText, plan),
      order: (orderId) => this.book.arrival(orderId),
      stop: () => {
        this.#timers.forEach(clearTimeout);
        return server.stop();
      },
    };
  }
}
