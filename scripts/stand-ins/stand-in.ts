import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/**
 * What all stand-ins for rails share: a real HTTP server on this machine that keeps a book of
 * orders, refuses what the rail would refuse, does what a test or a person at its desk tells it,
 * and never decides about money by itself.
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

/** What goes wrong with one call. The last two: the rail has acted, and the answer never comes. */
export type Fault =
  | 'http_500'
  | 'reset'
  | 'hang'
  | 'truncated'
  | 'taken_then_reset'
  | 'taken_then_hang';

/** What the rail's callback says; all but the first must change nothing. */
export type CallbackVariant = 'genuine' | 'forged' | 'wrong_amount' | 'other_order' | 'unreadable';

/** What a stand-in does with orders of one amount: tests give each payment an amount of its own. */
export interface Plan {
  /** Of the call that starts the payment. */
  readonly start?: Fault;
  /** Refused at the start, in the rail's own words. */
  readonly refuses?: CustomerAct | 'misconfigured' | 'unavailable';
  /** Done by the customer as soon as the order stands; else somebody calls `act`. */
  readonly act?: CustomerAct;
  /** When that act's callback is sent: before our own answer to the start, after it, or never. */
  readonly callback?: 'before_answer' | 'after_answer' | 'never';
  /** Of each status query, as long as it stands. */
  readonly query?: Fault;
}

/** The gateway's answer to a callback. */
export interface CallbackAnswer {
  readonly status: number;
  readonly text: string;
}

/** One order as the rail knows it. */
export interface StandInOrder {
  /** Our own id of it, as it came over the wire. */
  readonly orderId: string;
  /** As it came over the wire. */
  readonly amountText: string;
  readonly phone: string | null;
  /** What the customer did, or null while nothing was done. */
  readonly acted: CustomerAct | null;
  /**
   * The customer acts; the rail knows it from then on and says so to who asks. Sends the callback,
   * unless `silent`, and gives what the gateway answered.
   */
  act(act: CustomerAct, options?: { readonly silent?: boolean }): Promise<CallbackAnswer | null>;
  /** Where the rail reports this order. */
  readonly callbackUrl: string;
  /** Sends a callback, again or a wrong one; to `address` when it is to go astray. */
  callback(variant?: CallbackVariant, address?: string): Promise<CallbackAnswer>;
}

/** What a test, or `npm run dev`, holds of a running stand-in. */
export interface StandIn {
  readonly railId: string;
  readonly baseUrl: string;
  /** The operator's secret of this rail: credentials that the stand-in accepts, its address. */
  readonly settings: Readonly<Record<string, unknown>>;
  plan(amountText: string, plan: Plan): void;
  /** The order of this id, now or when it comes. */
  order(orderId: string): Promise<StandInOrder>;
  /** Everything that was received, in order. */
  readonly calls: readonly ReceivedCall[];
  stop(): Promise<void>;
}

/** One request as it came over the wire. */
export interface ReceivedCall {
  readonly method: string;
  /** Path and query, raw. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a call is answered. */
export type Reply =
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly type: 'reset' }
  | { readonly type: 'hang' }
  /** The headers of `body`, and only its first half. */
  | { readonly type: 'truncated'; readonly body: string };

export function jsonReply(status: number, value: unknown): Reply {
  const headers = { 'content-type': 'application/json' };
  return { type: 'answer', status, headers, body: JSON.stringify(value) };
}

/** What `fault` makes of a call; `act` takes the order and gives the answer that would be right. */
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
      return reply.type === 'answer' ? { type: 'truncated', body: reply.body } : reply;
    }
    case 'taken_then_reset':
      await act();
      return { type: 'reset' };
    case 'taken_then_hang':
      await act();
      return { type: 'hang' };
  }
}

/** Posts a callback to the gateway, as the rail would. */
export async function postCallback(
  url: string,
  contentType: string,
  body: string,
): Promise<CallbackAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}

const WAIT_TIMEOUT_MS = 60_000;

/** Orders by id, and who waits for one. */
export class OrderBook<Order extends { readonly orderId: string }> {
  readonly #orders = new Map<string, Order>();
  readonly #waiting = new Set<() => void>();

  get all(): readonly Order[] {
    return [...this.#orders.values()];
  }

  get(orderId: string): Order | undefined {
    return this.#orders.get(orderId);
  }

  add(order: Order): void {
    this.#orders.set(order.orderId, order);
    for (const look of [...this.#waiting]) {
      look();
    }
  }

  /** The order, now or when it comes. */
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
        reject(new Error(`no order ${orderId}; there are ${[...this.#orders.keys()].join(', ')}`));
      }, WAIT_TIMEOUT_MS);
      this.#waiting.add(look);
      look();
    });
  }
}

/** An HTTP server that records what it receives and answers as `handle` says. */
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
    const server = createServer((incoming, outgoing) => {
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
      throw new Error('no port');
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
  // A peer that is killed is no error of the rail's.
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
