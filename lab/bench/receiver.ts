import { createServer, type Server } from 'node:http';
import { listenLocally } from '../harness/local-server.ts';

/** Every webhook of a round comes sooner. */
const ARRIVAL_TIMEOUT_MS = 60_000;
/** Longer than a run: the events wait until they are sent again by request. */
const RETRY_AFTER_SECONDS = 86_400;

/** At the top of a webhook, and in what the floor sends. */
const UNIQUE_ID = /"paymentIntentUniqueId":"([^"]+)"/;

/** A merchant's server that counts webhooks. It checks no signature, which would cost its time. */
export class Receiver {
  /** While true, it refuses webhooks, which then wait. */
  isDown = false;
  readonly url: string;
  readonly #server: Server;
  readonly #awaited = new Map<string, () => void>();
  #arrived = 0;
  #waiting: { readonly count: number; readonly resolve: () => void } | null = null;

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.url = `${origin}/webhooks`;
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        if (this.isDown) {
          response.writeHead(503, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end();
        } else {
          response.writeHead(204).end();
        }
        this.#count();
        this.#resolveArrivalOf(body.match(UNIQUE_ID)?.[1] ?? '');
      });
    });
  }

  static async listen(): Promise<Receiver> {
    const server = createServer();
    return new Receiver(server, await listenLocally(server));
  }

  /** How many tries have arrived, refused ones included. */
  get arrived(): number {
    return this.#arrived;
  }

  /** Waits until so many tries have arrived since the start. */
  async untilArrived(count: number): Promise<void> {
    if (this.#arrived >= count) {
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { count, resolve };
    await inTime(promise, () => `${this.#arrived} of ${count} webhooks arrived`);
    this.#waiting = null;
  }

  /** Waits for the next webhook of this payment. */
  async untilArrivalOf(uniqueId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited.set(uniqueId, resolve);
    await inTime(promise, () => `no webhook of ${uniqueId} arrived`);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #count(): void {
    this.#arrived += 1;
    if (this.#waiting !== null && this.#arrived >= this.#waiting.count) {
      this.#waiting.resolve();
    }
  }

  #resolveArrivalOf(uniqueId: string): void {
    this.#awaited.get(uniqueId)?.();
    this.#awaited.delete(uniqueId);
  }
}

async function inTime(arrival: Promise<void>, problem: () => string): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(problem())), ARRIVAL_TIMEOUT_MS);
  try {
    await Promise.race([arrival, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
