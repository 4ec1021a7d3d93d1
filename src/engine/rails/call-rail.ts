import { readBytes } from '../../kit/http/read-bytes.ts';

/** Rails answer in a few hundred bytes; no genuine answer is larger. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface RailAnswer {
  /**
   * HTTP status. Null without an answer: no connection, a timeout, or an answer that broke off or is
   * too large. The rail may or may not have acted on the request.
   */
  readonly status: number | null;
  /** Empty without an answer. */
  readonly text: string;
}

export const NO_ANSWER: RailAnswer = { status: null, text: '' };

/** A binding of the Worker that leads into a provider's private network. */
export interface PrivateNetwork {
  /** The binding's name. */
  readonly name: string;
  readonly fetch: (url: string, init: RequestInit) => ReturnType<typeof fetch>;
}

/** The network that a binding of the Worker leads to; null for one that makes no calls. */
export function privateNetwork(name: string, binding: unknown): PrivateNetwork | null {
  return canCall(binding) ? { name, fetch: (url, init) => binding.fetch(url, init) } : null;
}

function canCall(binding: unknown): binding is Pick<PrivateNetwork, 'fetch'> {
  return typeof Object(binding).fetch === 'function';
}

/** How a rail reaches its provider: through a private network, or over the internet without one. */
export interface Route {
  readonly through?: PrivateNetwork | undefined;
}

export interface RailRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request to a rail. Never throws, and returns a redirect instead of following it. */
export async function callRail(
  { through }: Route,
  url: string,
  request: RailRequest,
  timeoutMs: number,
): Promise<RailAnswer> {
  try {
    const init = {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    } satisfies RequestInit;
    const response = await (through === undefined ? fetch(url, init) : through.fetch(url, init));
    const bytes = await readBytes(response, ANSWER_BYTES_MAX);
    return bytes === null
      ? NO_ANSWER
      : { status: response.status, text: new TextDecoder().decode(bytes) };
  } catch {
    // No error tells whether the rail acted on the request.
    return NO_ANSWER;
  }
}

declare global {
  interface JSON {
    /** Not in TypeScript's library yet. */
    rawJSON(text: string): unknown;
  }
}

/** A number that JSON writes with exactly these digits: amounts must never become floats. */
export function jsonNumber(decimal: string): unknown {
  return JSON.rawJSON(decimal);
}

/** Posts JSON, as a value or already written, and accepts JSON. */
export function postJson(
  route: Route,
  url: string,
  body: string | object,
  timeoutMs: number,
  moreHeaders: Readonly<Record<string, string>> = {},
): Promise<RailAnswer> {
  const json = { accept: 'application/json', 'content-type': 'application/json' };
  return callRail(
    route,
    url,
    {
      method: 'POST',
      headers: { ...json, ...moreHeaders },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
    timeoutMs,
  );
}
