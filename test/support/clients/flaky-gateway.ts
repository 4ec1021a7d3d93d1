import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** What happens to one request on its way to the gateway. */
export type Fault =
  /** An overloaded proxy answers with a page and asks for a pause; the gateway gets nothing. */
  | 'unavailable'
  | 'unavailable_for_a_while'
  | 'unavailable_for_long'
  /** A page with status 200, as of a hotel's network; the gateway gets nothing. */
  | 'portal'
  /** JSON with status 200 that is not the gateway's. */
  | 'other_json'
  /** An answer that leads to the same path again. */
  | 'redirect'
  /** The connection breaks before the gateway gets the request. */
  | 'lost_request'
  /** The gateway does the work, and the connection breaks before its answer arrives. */
  | 'lost_answer'
  /** No answer ever comes. */
  | 'silence';

const PAUSE_SECONDS = 1;
/** Shorter than the longest wait of a client. */
const WHILE_SECONDS = 20;
const LONG_PAUSE_SECONDS = 3_600;

/** One request as the client sent it. */
export interface Try {
  readonly idempotencyKey: string | undefined;
  readonly userAgent: string | undefined;
  readonly body: string;
}

/** A connection to a gateway that fails with these faults in turn, then works. */
export class FlakyGateway {
  readonly tries: Try[] = [];
  readonly #gatewayUrl: string;
  readonly #faults: readonly Fault[];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(gatewayUrl: string, faults: readonly Fault[]) {
    this.#gatewayUrl = gatewayUrl;
    this.#faults = faults;
  }

  /** Resolves with its address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') {
      throw new Error('no port');
    }
    return `http://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const fault = this.#faults[this.tries.length] ?? 'none';
    const idempotencyKey = request.headers['idempotency-key']?.toString();
    this.tries.push({ idempotencyKey, userAgent: request.headers['user-agent'], body });
    switch (fault) {
      case 'unavailable':
        response.writeHead(503, { 'retry-after': `${PAUSE_SECONDS}` }).end('<h1>Busy</h1>');
        return;
      case 'unavailable_for_a_while':
        response.writeHead(503, { 'retry-after': `${WHILE_SECONDS}` }).end();
        return;
      case 'portal':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
        return;
      case 'other_json':
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
        return;
      case 'unavailable_for_long':
        response.writeHead(503, { 'retry-after': `${LONG_PAUSE_SECONDS}` }).end();
        return;
      case 'redirect':
        response.writeHead(302, { location: request.url }).end();
        return;
      case 'lost_request':
        response.destroy();
        return;
      case 'silence':
        return;
    }
    const answer = await this.#forward(request, body);
    if (fault === 'lost_answer') {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, {
      'idempotent-replayed': answer.headers.get('idempotent-replayed') ?? 'false',
    });
    response.end(await answer.text());
  }

  #forward({ method = '', url, headers }: IncomingMessage, body: string): Promise<Response> {
    return fetch(this.#gatewayUrl + url, {
      method,
      headers: {
        apiKey: String(headers.apikey),
        'content-type': String(headers['content-type']),
        'idempotency-key': String(headers['idempotency-key']),
      },
      body,
    });
  }
}
