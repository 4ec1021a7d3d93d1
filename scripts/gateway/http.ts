import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** No complete answer: refused, reset, cut off or too slow. The request may have taken effect. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const ANSWER_TIMEOUT_MS = 20_000;
/** workerd closes a connection that idles for 15 s, and would lose a request that comes just then. */
const IDLE_MS_MAX = 10_000;

/** Keeps at most `connectionsMax` connections open between requests. */
export class HttpClient {
  readonly #agent: Agent;

  constructor(connectionsMax: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionsMax, timeout: IDLE_MS_MAX });
  }

  /** Follows no redirect. Throws NoAnswer, and nothing else. */
  send({ method, url, headers = {}, body }: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const lost = (error: Error) => reject(new NoAnswer(error.message));
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const sent = request(url, { method, headers, agent: this.#agent, signal }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', lost);
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
      });
      sent.on('error', lost);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function jsonPost(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): HttpRequest {
  return { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body };
}

export function formPost(url: string, fields: Readonly<Record<string, string>>): HttpRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', url, headers, body: new URLSearchParams(fields).toString() };
}
