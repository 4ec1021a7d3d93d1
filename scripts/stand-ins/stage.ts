import { deskPage } from './desk.ts';
import {
  CUSTOMER_ACTS,
  type CustomerAct,
  OrderBook,
  type Plan,
  type ReceivedCall,
  type Reply,
  type StandIn,
  type StandInOrder,
  type StandInServer,
} from './stand-in.ts';

/** Long enough for the gateway to have stored the answer before the report arrives. */
const AFTER_ANSWER_MS = 50;

interface StageOrder extends StandInOrder {
  /** Whether the rail reports this act at all; absent: always. */
  reports?(act: CustomerAct): boolean;
}

/** What every stand-in plays with: plans by amount, the book of orders, and reports still to send. */
export class Stage<Order extends StageOrder> {
  readonly book = new OrderBook<Order>();
  readonly #plans = new Map<string, Plan>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #keyOf: (amountText: string) => string;

  /** `keyOf`: the same text for amounts that the rail writes in several ways. */
  constructor(keyOf = (amountText: string) => amountText) {
    this.#keyOf = keyOf;
  }

  plan(amountText: string, plan: Plan): void {
    this.#plans.set(this.#keyOf(amountText), plan);
  }

  planOf(amountText: string): Plan {
    return this.#plans.get(this.#keyOf(amountText)) ?? {};
  }

  /** Adds an order, plays a customer who acts at once, and sends the report as planned. */
  async open(order: Order, { act, callback }: Plan): Promise<void> {
    this.book.add(order);
    if (act !== undefined) {
      await order.act(act, { silent: true });
      const isReported = order.reports?.(act) !== false;
      await this.report(isReported ? callback : 'never', () => order.callback());
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

  /** The page of the phones with a prompt, and what a person answers there; null: another call. */
  async phones(title: string, call: ReceivedCall): Promise<Reply | null> {
    switch (`${call.method} ${call.url}`) {
      case 'GET /':
        return deskPage(
          title,
          this.book.all
            .filter(({ acted }) => acted === null)
            .map(({ orderId, amountText, phone }) => ({
              orderId,
              amountText: `ETB ${amountText}`,
              phone,
              action: '/desk',
              acts: CUSTOMER_ACTS,
            })),
        );
      case 'POST /desk': {
        const pressed = this.pressed(call.body);
        if (pressed === null) {
          return { type: 'answer', status: 400, body: 'No such prompt' };
        }
        // The page stays usable even if the gateway rejects the report.
        await pressed.order.act(pressed.act).catch(() => null);
        return { type: 'answer', status: 303, headers: { location: '/' }, body: '' };
      }
      default:
        return null;
    }
  }

  /** What all stand-ins offer to tests. */
  standIn(
    server: StandInServer,
  ): Pick<StandIn, 'baseUrl' | 'calls' | 'plan' | 'order'> & { stop(): Promise<void> } {
    return {
      baseUrl: server.baseUrl,
      calls: server.calls,
      plan: (amountText, plan) => this.plan(amountText, plan),
      order: (orderId) => this.book.arrival(orderId),
      stop: () => {
        this.#timers.forEach(clearTimeout);
        return server.stop();
      },
    };
  }
}
