import { readBytes } from '../http/read-bytes.ts';

/** Rails answer in a few hundred bytes; no genuine answer is larger. */
const ANSWER_BYTES_MAX = 64 * 1024;

export type RailAnswer =
  | { readonly type: 'answered'; readonly status: number; readonly text: string }
  /**
   * No connection, a timeout, or an answer that broke off or is too large. The rail may or may not
   * have acted on the request.
   */
  | { readonly type: 'no_answer' };

export interface RailRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request to a rail. Never throws, and returns a redirect instead of following it. */
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
    // No error tells whether the rail acted on the request.
    return { type: 'no_answer' };
  }
}
