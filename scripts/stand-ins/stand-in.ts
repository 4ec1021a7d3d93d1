import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { REFUND_SCENARIOS } from '../../src/engine/rails/simulator/refunds.ts';

/**
 * What all stand-ins for rails share: a local HTTP server that keeps a book of orders and refuses
 * what the rail would refuse. It acts only as a test, or a person on its page, tells it, and never
 * decides about money by itself.
 */

/** What the customer does at the rail. */
export const CUSTOMER_ACTS = [
  'pays',
  'declines',
  'lacks_funds',
  'mistypes_pin',
  'cancels',
  'times_out',
] as const;
export type CustomerAct = (typeof CUSTOMER_ACTS)[number];

/** What goes wrong with a call. In the last two, the rail has acted but its answer is lost. */
export type Fault =
  | 'http_500'
  | 'reset'
  | 'hang'
  | 'truncated'
  | 'accepted_then_reset'
  | 'accepted_then_hang';

/** Variants of the rail's callback; all but the first must change nothing. */
export type CallbackVariant = 'genuine' | 'forged' | 'wrong_amount' | 'other_order' | 'unreadable';

/** What a stand-in does with orders of an amount: tests give each payment its own amount. */
export interface Plan {
  /** Fault of the call that starts the payment. */
  readonly start?: Fault;
  /** The rail refuses the start, with its own code for this reason. */
  readonly refuses?: CustomerAct | 'misconfigured' | 'unavailable';
  /** What the customer does as soon as the order exists; otherwise the test calls `act`. */
  readonly act?: CustomerAct;
  /** Whether to send the act's callback before or after the answer to the start, or never. */
  readonly callback?: 'before_answer' | 'after_answer' | 'never';
  /** Fault of every status query while this plan applies. */
  readonly query?: Fault;
  /** What the rail does when it is asked to return the money; by default it returns it. */
  readonly refund?: RefundPlan;
}

export interface RefundPlan {
  /** Fault of the call that asks for the refund. */
  readonly fault?: Fault;
  /** The rail returns nothing, for this reason. */
  readonly refuses?: 'declines' | 'lacks_funds' | 'not_enabled';
  /** The rail accepts the refund, and ends it when the test says so (`StandInRefund.end`). */
  readonly isSlow?: boolean;
  /** Ends a slow refund by itself. */
  readonly endsAfterMs?: number;
  /** When a rail that reports refunds does so: after its answer, before it, or never. */
  readonly report?: 'after_answer' | 'before_answer' | 'never';
}

/** For `npm run dev`: refunds of the sandbox's amounts end as in the sandbox. */
const PLAYED_BY_AMOUNT: ReadonlyMap<number, RefundPlan> = new Map([
  [REFUND_SCENARIOS.processed_slowly.amountMinor, { isSlow: true, endsAfterMs: 20_000 }],
  [REFUND_SCENARIOS.declined.amountMinor, { refuses: 'declines' }],
  [REFUND_SCENARIOS.insufficient_funds.amountMinor, { refuses: 'lacks_funds' }],
  [REFUND_SCENARIOS.unknown_then_refunded.amountMinor, { fault: 'accepted_then_hang' }],
  [REFUND_SCENARIOS.requires_action.amountMinor, { refuses: 'not_enabled' }],
]);

/** The test's plan for a refund of this amount, or the one that a person plays by the amount. */
export function refundPlanOf(plan: Plan | undefined, amountMinor: number): RefundPlan {
  return plan?.refund ?? PLAYED_BY_AMOUNT.get(amountMinor) ?? {};
}

/** A refund that the rail accepted, refused later, or carried out. */
export interface StandInRefund {
  /** As received. */
  readonly amountText: string;
  /** Whether the customer got the money. */
  readonly isReturned: boolean;
  /** Ends a slow refund as planned; absent where the rail's answer is the outcome. */
  end?(): void;
  /** Reports it, also again or wrongly; absent where the rail's answer is all it says. */
  report?(variant?: CallbackVariant): Promise<CallbackAnswer>;
}

/** The gateway's answer to a callback. */
export interface CallbackAnswer {
  readonly status: number;
  readonly text: string;
}

/** An order at the rail. */
export interface StandInOrder {
  /** Kefel's id of the order, as received. */
  readonly orderId: string;
  /** As received. */
  readonly amountText: string;
  readonly phone: string | null;
  /** What the customer did; null before that. */
  readonly acted: CustomerAct | null;
  /** When, in ms since 1970; a test may move it. */
  actedAtMs: number;
  /**
   * Plays the customer; from then on, queries return the result. Sends the callback unless `silent`,
   * and returns the gateway's answer.
   */
  act(act: CustomerAct, options?: { readonly silent?: boolean }): Promise<CallbackAnswer | null>;
  /** Where the rail sends this order's callbacks. */
  readonly callbackUrl: string;
  /** Sends a callback, also a repeated or wrong one, to `address` if it is to go elsewhere. */
  callback(variant?: CallbackVariant, address?: string): Promise<CallbackAnswer>;
  /** In the order of the calls; absent for a rail without refunds by API. */
  readonly refunds?: readonly StandInRefund[];
}

/** An order that waits for its customer. */
export interface WaitingOrder {
  readonly orderId: string;
  /** Includes the currency. */
  readonly amountText: string;
  readonly phone: string | null;
  readonly acts: readonly CustomerAct[];
}

/** A payment or a refund as the provider has it. */
export interface DayLine {
  readonly type: 'payment' | 'refund';
  /** The provider's number; null where customers and merchants get none. */
  readonly receipt: string | null;
  /** Kefel's number of the order. */
  readonly reference: string;
  readonly amountMinor: number;
  readonly atMs: number;
}

/** The orders of a stand-in that wait for their customers. */
export interface Prompts {
  waiting(): readonly WaitingOrder[];
  /** Does what a person pressed. False for a form of no order. */
  press(body: string): Promise<boolean>;
}

/** A running stand-in, for a test or `npm run dev`. */
export interface StandIn {
  readonly railId: string;
  readonly baseUrl: string;
  /** The operator's secret for this rail: the stand-in's URL and credentials. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The setting `statusQuery`, for a rail whose queries are off by default. */
  readonly statusQuery?: Readonly<Record<string, unknown>>;
  /** The settings that turn refunds on, for a rail whose refunds are off by default. */
  readonly refundSettings?: Readonly<Record<string, unknown>>;
  /** What waits on customers' phones. */
  readonly prompts: Prompts;
  /** What it took and returned, oldest first. */
  dayLines(): readonly DayLine[];
  plan(amountText: string, plan: Plan): void;
  /** The order with this id; waits until it arrives. */
  order(orderId: string): Promise<StandInOrder>;
  /** All received requests, in order. */
  readonly calls: readonly ReceivedCall[];
  stop(): Promise<void>;
}

/** A received request. */
export interface ReceivedCall {
  readonly method: string;
  /** Path and query, raw. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The reply to a call. */
export type Reply =
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Buffer;
    }
  | { readonly type: 'reset' }
  | { readonly type: 'hang' }
  /** The headers of `body`, but only its first half. */
  | { readonly type: 'truncated'; readonly body: string };

export function jsonReply(status: number, value: unknown): Reply {
  const headers = { 'content-type': 'application/json' };
  return { type: 'answer', status, headers, body: JSON.stringify(value) };
}

/** The reply to a call with this fault; `act` accepts the order and returns the correct reply. */
export async function faulty(fault: Fault | undefined, act: () => Promise<Reply>): Promise<Reply> {
  switch (fault) {
    case undefined:
      return act();
    case 'http_500':
      return { type: 'answer', status: 500, body: '<html>Internal Server Error</html>' };
    case 'reset':
    case 'hang':
      return { type: fault };
    case 'truncated': {
      const reply = await act();
      return reply.type === 'answer' ? { type: 'truncated', body: String(reply.body) } : reply;
    }
    case 'accepted_then_reset':
      await act();
      return { type: 'reset' };
    case 'accepted_then_hang':
      await act();
      return { type: 'hang' };
  }
}

/** Posts a callback to the gateway as the rail would. */
export async function postCallback(
  url: string,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<CallbackAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType, ...headers },
    body,
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}

const WAIT_TIMEOUT_MS = 60_000;

/** Orders by id, and the callers that wait for one. */
export class OrderBook<Order extends { readonly orderId: string }> {
  readonly #orders = new Map<string, Order>();
  readonly #waiting = new Set<() => void>();

  get all(): readonly Order[] {
    return [...this.#orders.values()];
  }

  get(orderId: string): Order | undefined {
    return this.#orders.get(orderId);
  }

  known(orderId: string): Order {
    const order = this.#orders.get(orderId);
    if (order === undefined) {
      throw new Error(`No order ${orderId}`);
    }
    return order;
  }

  add(order: Order): void {
    this.#orders.set(order.orderId, order);
    for (const look of [...this.#waiting]) {
      look();
    }
  }

  /** The order; waits until it arrives. */
  async arrival(orderId: string): Promise<Order> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const order = this.#orders.get(orderId);
        if (order !== undefined) {
          clearTimeout(timer);
          this.#waiting.delete(look);
          resolve(order);
        }
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(
          new Error(`No order ${orderId}; known orders: ${[...this.#orders.keys()].join(', ')}`),
        );
      }, WAIT_TIMEOUT_MS);
      this.#waiting.add(look);
      look();
    });
  }
}

/**
 * Options of a server that never closes an idle connection. After a pause on a busy machine, Node's
 * timer would close one whose next request has just arrived unread. The gateway, which closes its idle
 * connections sooner, could not know whether that call was received, and must not repeat it.
 */
export const KEEPS_IDLE_CONNECTIONS = { keepAliveTimeout: 0 } as const;

/** An HTTP server that records requests and answers with `handle`. */
export class StandInServer {
  readonly baseUrl: string;
  readonly calls: readonly ReceivedCall[];
  readonly #server: Server;

  private constructor(server: Server, port: number, calls: readonly ReceivedCall[]) {
    this.#server = server;
    this.baseUrl = `http://localhost:${port}`;
    this.calls = calls;
  }

  /** `port` 0: any free one. */
  static async start(
    handle: (call: ReceivedCall) => Promise<Reply>,
    port = 0,
  ): Promise<StandInServer> {
    const calls: ReceivedCall[] = [];
    const server = createServer(KEEPS_IDLE_CONNECTIONS, (incoming, outgoing) => {
      serve(incoming, outgoing, calls, handle).catch((error: unknown) => {
        outgoing.writeHead(500).end(String(error));
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') {
      throw new Error('The server has no port');
    }
    return new StandInServer(server, address.port, calls);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  calls: ReceivedCall[],
  handle: (call: ReceivedCall) => Promise<Reply>,
): Promise<void> {
  // The peer may be killed, which must not stop the stand-in.
  outgoing.once('error', () => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) {
    chunks.push(chunk);
  }
  const call: ReceivedCall = {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: Buffer.concat(chunks).toString('utf8'),
  };
  calls.push(call);
  reply(outgoing, await handle(call));
}

/** Dispatches `silence` when a call gets no answer, so that a test need not wait for its timeout. */
export const silences = new EventTarget();

function reply(outgoing: ServerResponse, answer: Reply): void {
  switch (answer.type) {
    case 'answer':
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    case 'hang':
      silences.dispatchEvent(new Event('silence'));
      return;
    case 'reset':
      outgoing.destroy();
      return;
    case 'truncated':
      outgoing.writeHead(200, { 'content-length': String(Buffer.byteLength(answer.body)) });
      outgoing.write(answer.body.slice(0, answer.body.length / 2), () => outgoing.destroy());
      return;
  }
}
