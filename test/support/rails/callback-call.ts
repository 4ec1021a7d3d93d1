import type { CallbackCall } from '../../../src/engine/rails/callback.ts';

/** A provider's request as the gateway's HTTP layer hands it to an adapter. */
export function callbackCall(given: {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}): CallbackCall {
  return {
    method: given.method ?? 'POST',
    url: new URL(given.url ?? 'https://pay.example.com/rails/any/test1.attempt-token'),
    headers: { 'content-type': 'application/json', ...given.headers },
    body: new TextEncoder().encode(given.body ?? ''),
  };
}
