import { readBytes } from '../http/read-bytes.ts';

/** Rails answer in a few hundred bytes; nothing honest is larger. */
const ANSWER_BYTES_MAX = 64 * 1024;

export type RailAnswer =
  | { readonly type: 'answered'; readonly status: number; readonly text: string }
  /**
   * No connection, no answer in time, an answer that broke off or is too large: nobody knows whether
   * the rail has acted on the request.
   */
  | { readonly type: 'no_answer' };

export interface RailRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request to a rail, one answer. Never throws; redirects are answers, and not followed. */
export async function callRail(
  url: string,
  request: RailRequest,
  timeoutMs: number,
): Promise<RailAnswer> {
  try {
    const response = await fetch(url, {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const bytes = await readBytes(response, ANSWER_BYTES_MAX);
    return bytes === null
      ? { type: 'no_answer' }
      : { type: 'answered', status: response.status, text: new TextDecoder().decode(bytes) };
  } catch {
    // Whatever the reason, it says nothing about what the rail did.
    return { type: 'no_answer' };
  }
}

/** The object that `text` is the JSON of, or null. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
