import { type Intent, reportedAttempt } from '../domain/intent.ts';
import { wireStatus } from '../webhooks/payload.ts';

/** A URL that a customer may be sent to: http or https, nothing that runs or downloads. */
export function webUrl(text: string | null): URL | null {
  const url = text === null ? null : URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}

/**
 * Where the customer goes back to the merchant, with what happened appended (docs/decisions.md#20),
 * or null when the merchant named no place. The merchant's own query stays byte for byte —
 * parameters of our names included, ours come last —, so it is not taken apart and put together
 * again. `transactionId` is left out as long as there is no transaction.
 */
export function returnUrlFor(intent: Intent): string | null {
  const url = webUrl(intent.terms.returnUrl);
  if (url === null) {
    return null;
  }
  const own = new URLSearchParams({
    paymentIntentUniqueId: intent.terms.uniqueId,
    status: wireStatus(intent.status),
  });
  const attempt = reportedAttempt(intent);
  if (attempt !== null) {
    own.set('transactionId', attempt.reference);
  }
  // "+" for a space is only understood by form decoders, "%20" by every decoder.
  const appended = own.toString().replaceAll('+', '%20');
  const query = url.search.slice(1);
  const joint = query === '' || query.endsWith('&') ? '' : '&';
  url.search = `${query}${joint}${appended}`;
  return url.href;
}
