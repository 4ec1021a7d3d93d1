import { type Config, configOf } from '../config.ts';
import type { DeliveryTry } from '../intent/protocol.ts';
import { bodySignatureHeader, standardWebhookHeaders } from './sign.ts';
import { sendWebhook } from './transport.ts';
import { type GuardReason, guardCallbackUrl } from './url-guard.ts';

/** One signed request to a merchant. Events and test events are all sent this way. */
export interface OutgoingWebhook {
  readonly destination: string;
  /** The gateway's origin when the event was created. No webhook may be sent there. */
  readonly ownOrigin: string;
  /** The `webhook-id`. */
  readonly eventId: string;
  readonly requestBody: string;
  /** `whsec_…`, newest first. */
  readonly secrets: readonly string[];
  /** The name of the extra signature header, or null. */
  readonly signatureHeader: string | null;
}

export interface SendResult {
  readonly log: DeliveryTry;
  /** The Retry-After header; null when absent, unreadable, or nothing was sent. */
  readonly retryAfterMs: number | null;
  /** A person's chat or mailbox takes no messages until its owner lets Kefel in again. */
  readonly hasLeft?: boolean;
}

/** Why this configuration allows no webhook to `destination`, or null. */
export function destinationRefusal(
  config: Config,
  destination: string,
  ownOrigin: string,
): GuardReason | null {
  const ownOrigins = [ownOrigin, config.publicBaseUrl, config.backOfficeBaseUrl];
  return guardCallbackUrl(destination, {
    httpsOnly: config.callbackHttpsOnly,
    allowLoopback: config.localCallbacks,
    ownHosts: ownOrigins.flatMap((origin) => URL.parse(origin ?? '')?.host ?? []),
  });
}

/** Checks the URL, signs and sends. The result reports failures; it throws none. */
export async function sendSigned(env: Env, webhook: OutgoingWebhook): Promise<SendResult> {
  const atMs = Date.now();
  const { destination, ownOrigin, eventId, requestBody, secrets, signatureHeader } = webhook;
  const refusal = destinationRefusal(configOf(env), destination, ownOrigin);
  if (refusal !== null) {
    return { log: unsentTry(`not sent: ${refusal}`, atMs), retryAfterMs: null };
  }
  const timestampSeconds = Math.floor(atMs / 1000);
  const headers = {
    ...(await bodySignatureHeader(signatureHeader, requestBody, secrets)),
    ...(await standardWebhookHeaders({ eventId, timestampSeconds, requestBody, secrets })),
  };
  const url = new URL(destination);
  const { retryAfterMs, ...answer } = await sendWebhook({ url, headers, requestBody });
  return { log: { atMs, ...answer }, retryAfterMs };
}

/** A try that sent nothing. The merchant still sees it in the delivery log. */
export function unsentTry(error: string, atMs: number): DeliveryTry {
  return { atMs, durationMs: 0, httpStatus: null, error, answerExcerpt: '' };
}

/** Any 2xx accepts an event (docs/decisions.md#18). */
export function isAccepted({ httpStatus }: Pick<DeliveryTry, 'httpStatus'>): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
}
