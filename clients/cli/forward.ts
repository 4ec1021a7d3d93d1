import { createHmac } from 'node:crypto';
import { USER_AGENT } from './access.ts';
import { UsageError } from './command.ts';

/** A webhook as the gateway would post it. */
export interface ForwardedEvent {
  readonly id: string;
  /** The exact body. */
  readonly body: string;
}

/** As the gateway waits for an endpoint. */
const ANSWER_TIMEOUT_MS = 15_000;
const EXCERPT_CHARACTERS_MAX = 200;

/**
 * The secret that signs what this command line forwards. Derived from the API key, so that it stays
 * the same and need not be stored. It is not the secret of an endpoint.
 */
export function forwardingSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('kefel listen').digest('base64')}`;
}

/** The address of the local server. Throws UsageError. */
export function forwardingUrl(text: string): string {
  // `localhost:3000/hook` parses too, as an address of the scheme "localhost".
  const address = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) {
    throw new UsageError(
      `"${text}" is no address: write --forward-to http://localhost:3000/webhooks`,
    );
  }
  return new URL(address).href;
}

/** Posts an event like the gateway, once, and says in one line what became of it. */
export async function forward(event: ForwardedEvent, url: string, secret: string): Promise<string> {
  const startedAtMs = Date.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': USER_AGENT,
        ...signatureHeaders(event, secret),
      },
      body: event.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const text = (await response.text()).trim().slice(0, EXCERPT_CHARACTERS_MAX);
    const answer = `${response.status} from ${url} in ${Date.now() - startedAtMs} ms`;
    // Any 2xx accepts a webhook.
    return response.ok ? answer : `${answer}: in production this is tried again\n${text}`.trim();
  } catch (error) {
    return `no answer from ${url}: ${reasonOf(error)}`;
  }
}

/** The headers of Standard Webhooks (docs/webhooks.md#verify). */
function signatureHeaders({ id, body }: ForwardedEvent, secret: string) {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** Why a request got no answer, in words that say what to do. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) {
    return String(cause);
  }
  if (cause.name === 'TimeoutError') {
    return `nothing within ${ANSWER_TIMEOUT_MS / 1_000} s`;
  }
  const code = 'code' in cause ? cause.code : undefined;
  return code === 'ECONNREFUSED' ? 'nothing listens there' : cause.message || String(code);
}
