import type { DeliveryTry } from '../intent/protocol.ts';

/** One webhook request over the wire (docs/decisions.md#18). */

/** The limit is for the whole try: connecting, sending, and reading the answer. */
export const TRY_TIMEOUT_MS = 15_000;
/**
 * Reads an honest answer to its end, so that its connection closes cleanly; cuts an endless one.
 */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** The part of the answer that the merchant's delivery log shows. */
export const EXCERPT_BYTES_MAX = 1024;

/** The headers of every request besides those of Standard Webhooks. */
export const FIXED_HEADERS = {
  // A servlet reads a body without a charset as ISO 8859-1, and the signature of its text fails.
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Kefel-Webhooks/1',
} as const;

/**
 * With a status, the body may still be incomplete. The excerpt has at most 1 KiB of valid UTF-8,
 * without control characters but tab and newline.
 */
export interface WebhookAnswer extends Omit<DeliveryTry, 'atMs'> {
  /** The Retry-After header, >= 0; null when absent or unreadable. */
  readonly retryAfterMs: number | null;
}

/**
 * POSTs a webhook with its signatures as `headers` to a URL that the guard has accepted. Never
 * throws: the answer reports failures on the wire.
 */
export async function sendWebhook(
  { url, headers, requestBody }: { url: URL; headers: Record<string, string>; requestBody: string },
  timeoutMs = TRY_TIMEOUT_MS,
): Promise<WebhookAnswer> {
  const startedAtMs = Date.now();
  const signal = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await post(url, {
      method: 'POST',
      headers: { ...headers, ...FIXED_HEADERS },
      body: requestBody,
      // A redirect would bypass the URL guard.
      redirect: 'manual',
      signal,
    });
  } catch {
    return {
      httpStatus: null,
      error: signal.aborted ? `no answer within ${timeoutMs / 1000} s` : 'connection failed',
      durationMs: Date.now() - startedAtMs,
      answerExcerpt: '',
      retryAfterMs: null,
    };
  }
  const answerExcerpt = excerptOf(await firstBytes(response, signal));
  const nowMs = Date.now();
  return {
    httpStatus: response.status,
    error: null,
    durationMs: nowMs - startedAtMs,
    answerExcerpt,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), nowMs),
  };
}

async function post(url: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url.href, request);
  } catch (error) {
    // A developer's server may listen on ::1 alone. Only a local gateway may call localhost.
    if (url.hostname !== 'localhost') {
      throw error;
    }
    return fetch(url.href.replace('localhost', '[::1]'), request);
  }
}

/** The excerpt's bytes. Reads up to ANSWER_BYTES_MAX, then cancels the rest. */
async function firstBytes(response: Response, signal: AbortSignal): Promise<Uint8Array> {
  const kept = new Uint8Array(EXCERPT_BYTES_MAX);
  let keptBytes = 0;
  let readBytes = 0;
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return kept.subarray(0, 0);
  }
  // Not every runtime guarantees that the signal given to fetch also ends the body.
  const aborted = rejectionOf(signal);
  try {
    while (readBytes < ANSWER_BYTES_MAX) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) {
        break;
      }
      const chunk: Uint8Array = value;
      const wanted = chunk.subarray(0, EXCERPT_BYTES_MAX - keptBytes);
      kept.set(wanted, keptBytes);
      keptBytes += wanted.length;
      readBytes += chunk.length;
    }
  } catch {
    // The body was cut off or too slow. The status counts, and the body is only for the log.
  }
  // This frees the connection. It is not awaited: a dead peer must not delay the delivery.
  reader.cancel().catch(() => undefined);
  return kept.subarray(0, keptBytes);
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  const promise = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
    }
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // The signal may fire after the race: then its rejection must not count as unhandled.
  promise.catch(() => undefined);
  return promise;
}

function excerptOf(bytes: Uint8Array): string {
  // The decoder treats it as a stream, so that it omits a character cut in half at the end instead
  // of replacing it.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const clean = text.replaceAll(/(?![\t\n])\p{Cc}/gu, '');
  // Replacement characters take three bytes each, so the text may have outgrown the limit.
  const { read } = new TextEncoder().encodeInto(clean, new Uint8Array(EXCERPT_BYTES_MAX));
  return clean.slice(0, read);
}

/** RFC 9110 "Retry-After": seconds, or a date in GMT. */
function retryAfterMs(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) {
    return Number(text) * 1000;
  }
  const atMs = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
