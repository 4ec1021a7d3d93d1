import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../../lab/harness/local-server.ts';
import { KEEPS_IDLE_CONNECTIONS } from '../../scripts/stand-ins/stand-in.ts';

/** How the merchant's server treats one request. */
export type Behavior =
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Accepts the request and never answers. */
  | { readonly type: 'hang' }
  /** Answers 200 at once, then sends an endless body as fast as the client reads it. */
  | { readonly type: 'endless' }
  /** Answers 200 at once with one byte of body, and then sends nothing more. */
  | { readonly type: 'stalled_body' }
  /** Accepts the request and breaks the connection. */
  | { readonly type: 'reset' };

export const OK: Behavior = { type: 'answer', status: 200, body: 'thank you' };
export const HANG: Behavior = { type: 'hang' };
export const ENDLESS: Behavior = { type: 'endless' };
export const STALLED_BODY: Behavior = { type: 'stalled_body' };
export const RESET: Behavior = { type: 'reset' };

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Behavior {
  return { type: 'answer', status: code, headers };
}

/** One request as received. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, raw. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
  /** By `steadyNowMs`. */
  readonly receivedAtMs: number;
  /** When either side closed it; null while it is open. */
  closedAtMs: number | null;
  /** Resolves when the connection closes. */
  readonly closed: Promise<void>;
}

const WAIT_TIMEOUT_MS = 100_000;
const ENDLESS_CHUNK = Buffer.alloc(16 * 1024, 'x');

/** One address of the merchant, with its own behavior and its own record. */
export class Endpoint {
  readonly url: string;
  readonly requests: ReceivedRequest[] = [];
  /** One per request, in order; the last one is repeated. */
  readonly #behaviors: readonly Behavior[];
  readonly #waiting = new Set<() => void>();

  constructor(url: string, behaviors: readonly Behavior[]) {
    this.url = url;
    this.#behaviors = behaviors;
  }

  /** The `index`-th request, now or when it arrives. */
  async request(index: number): Promise<ReceivedRequest> {
    await this.until(`request ${index}`, () => this.requests.length > index);
    const request = this.requests[index];
    if (request === undefined) {
      throw new Error(`no request ${index}`);
    }
    return request;
  }

  /** Resolves as soon as `isSo` holds, checked on every request that arrives or ends. */
  until(what: string, isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`${this.url}: no ${what}; got ${this.#account()}`));
      }, WAIT_TIMEOUT_MS);
      const look = () => {
        if (isSo()) {
          clearTimeout(timer);
          this.#waiting.delete(look);
          resolve();
        }
      };
      this.#waiting.add(look);
      look();
    });
  }

  record(request: ReceivedRequest): Behavior {
    const behavior = this.#behaviors[this.requests.length] ?? this.#behaviors.at(-1) ?? OK;
    this.requests.push(request);
    this.changed();
    return behavior;
  }

  changed(): void {
    for (const look of [...this.#waiting]) {
      look();
    }
  }

  #account(): string {
    return this.requests.length === 0
      ? 'nothing'
      : this.requests.map(({ method, url, rawBody }) => `${method} ${url} ${rawBody}`).join('\n');
  }
}

/** The merchant: a real HTTP server on this machine. */
export class MerchantServer {
  readonly baseUrl: string;
  readonly #server: Server;
  readonly #endpoints: Map<string, Endpoint>;

  private constructor(server: Server, endpoints: Map<string, Endpoint>, baseUrl: string) {
    this.#server = server;
    this.#endpoints = endpoints;
    this.baseUrl = baseUrl;
  }

  static async start(): Promise<MerchantServer> {
    const endpoints = new Map<string, Endpoint>();
    const server = createServer(KEEPS_IDLE_CONNECTIONS, (request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      void serve(request, response, endpoints.get(path) ?? null);
    });
    return new MerchantServer(server, endpoints, await listenLocally(server));
  }

  /** A new address: each test has its own, so that no test sees another's requests. */
  endpoint(...behaviors: readonly Behavior[]): Endpoint {
    const path = `/e${this.#endpoints.size + 1}`;
    const endpoint = new Endpoint(this.baseUrl + path, behaviors);
    this.#endpoints.set(path, endpoint);
    return endpoint;
  }

  /** Address of a page of the merchant's shop. */
  page(html: string): string {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    return this.endpoint({ type: 'answer', status: 200, headers, body: html }).url;
  }

  /** All requests at all addresses. */
  requests(): readonly ReceivedRequest[] {
    return [...this.#endpoints.values()].flatMap(({ requests }) => requests);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** For intervals: a machine that sets its clock back would shorten those of `Date.now`. */
export function steadyNowMs(): number {
  return performance.now();
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  endpoint: Endpoint | null,
): Promise<void> {
  const receivedAtMs = steadyNowMs();
  const closed = Promise.withResolvers<void>();
  let request: ReceivedRequest | null = null;
  response.once('close', () => {
    if (request !== null) {
      request.closedAtMs = steadyNowMs();
    }
    closed.resolve();
    endpoint?.changed();
  });
  // A peer that is killed is not an error of the merchant's.
  response.once('error', () => undefined);
  const rawBody = await buffer(incoming).catch(() => null);
  if (rawBody === null) {
    return;
  }
  if (endpoint === null) {
    response.writeHead(404).end();
    return;
  }
  request = {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    rawBody,
    receivedAtMs,
    closedAtMs: null,
    closed: closed.promise,
  };
  behave(response, endpoint.record(request));
}

function behave(response: ServerResponse, behavior: Behavior): void {
  switch (behavior.type) {
    case 'answer':
      response.writeHead(behavior.status, behavior.headers).end(behavior.body ?? '');
      return;
    case 'hang':
      return;
    case 'reset':
      response.destroy();
      return;
    case 'stalled_body':
      response.writeHead(200).write('x');
      return;
    case 'endless':
      response.writeHead(200);
      pour(response);
      return;
  }
}

function pour(response: ServerResponse): void {
  while (!response.destroyed) {
    if (!response.write(ENDLESS_CHUNK)) {
      response.once('drain', () => pour(response));
      return;
    }
  }
}
