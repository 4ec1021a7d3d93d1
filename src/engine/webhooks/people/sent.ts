/**
 * What became of a message. `refused`: a repetition would be refused, too: settings are wrong, or its
 * receiver no longer takes it.
 */
export type Sent =
  | { readonly type: 'sent' }
  | { readonly type: 'failed'; readonly error: string; readonly retryAfterMs: number | null }
  | { readonly type: 'refused'; readonly error: string };

/** The limit of one try: connecting, sending, and the answer. */
export const TRY_TIMEOUT_MS = 10_000;
export const NO_ANSWER = `no answer within ${TRY_TIMEOUT_MS / 1_000} s`;

/** 4xx, but not 408, 425 and 429, which ask for a repetition. */
const REFUSED = /^4(?!08|25|29)/;

export function isRefusal(httpStatus: number | null): boolean {
  return httpStatus !== null && REFUSED.test(String(httpStatus));
}

export function failed(error: string, retryAfterMs: number | null = null): Sent {
  return { type: 'failed', error, retryAfterMs };
}
